/* inside: what struct api holds. Only for src/api.
 *
 * Rules: (1) each part has its own lock, or says whose thread it belongs to.
 */
#ifndef API_INSIDE_H
#define API_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/api.h"
#include "api/request.h"

struct api {
    struct api_config config;
    struct progress *progress;
    struct pacer *pacer;
    struct observe *observe;
    struct alerts *alerts; /* NULL: nobody is told */
    struct answers *answers;
    struct tracer *tracer;
    struct relay *relay;    /* NULL: the store is nobody else's */
    struct net_server *net; /* whose figures are shown; NULL: nobody said */
    atomic_bool is_draining;
    atomic_bool is_backing_up;
    atomic_bool is_forecasting;  /* one at a time */
    pthread_mutex_t backup_lock; /* of the two below */
    pthread_t backup_thread;
    bool has_backup_thread; /* started, and not yet joined */
};

/* Until the last backup has given its answer: it uses the api and its request to the end. No other can begin then. */
void api_backup_wait(struct api *api);

/* All calls of the contract. */
extern const struct net_routes api_routes;

#endif
