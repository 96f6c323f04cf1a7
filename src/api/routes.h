/* routes: which handler serves which call.
 *
 * See: api/handlers.h, docs/openapi.yaml
 */
#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "api/request.h"

/* How large a body may be: as the configuration says, or as those who read it say. */
enum { API_ROUTE_PLAIN, API_ROUTE_BATCH, API_ROUTE_WORK };

struct api_route {
    api_handler *handler;
};

/* Whether every server of a cluster answers this call itself: it asks the store alone, or is about this server. */
bool api_route_is_here(const struct api_route *route);

#endif
