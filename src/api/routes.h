/* routes: which handler serves which call.
 *
 * See: api/handlers.h, docs/openapi.yaml
 */
#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "api/request.h"

/* Bodies: bulk calls may be larger than others. */
enum { API_ROUTE_PLAIN, API_ROUTE_BULK };
#define API_BULK_BYTES_MAX (64UL * 1024 * 1024)

struct api_route {
    api_handler *handler;
};

#endif
