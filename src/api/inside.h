/* inside: what struct api holds. Only for src/api.
 *
 * Rules: (1) each part has its own lock, or says whose thread it belongs to.
 */
#ifndef API_INSIDE_H
#define API_INSIDE_H

#include <stdatomic.h>

#include "api/api.h"
#include "api/request.h"

struct api {
    struct api_config config;
    struct progress *progress;
    struct pacer *pacer;
    struct observe *observe;
    struct net_server *net; /* whose figures are shown; NULL: nobody said */
    atomic_bool is_draining;
    atomic_bool is_backing_up;
};

/* All calls of the contract. */
extern const struct net_routes api_routes;

#endif
