/* api: the contract over HTTP. The door: routes, handlers, and what they stand on.
 *
 * A handler is called on a loop of net with a whole request. It reads what it needs, asks the shard or a reader, and
 * answers when those come back, from their threads. Shapes are those of docs/openapi.yaml, written by wire/.
 *
 * Owns:  struct api and the tables of routes. Borrows shard, readers and zones.
 * Rules: (1) a handler does not block; what needs the store goes through api_read, what needs the engine through
 *            api_command, api_exchange or api_look.
 *        (2) every request is answered once: by api_answer or api_problem.
 *        (3) unknown query parameters and body fields are errors (but for /v1/work).
 *        (4) nothing secret is logged: not tokens, not payloads.
 * See:   docs/openapi.yaml, net/net.h, server/shard.h, tests/api/
 */
#ifndef API_API_H
#define API_API_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "calendar/zone_cache.h"
#include "net/net.h"
#include "server/readers.h"
#include "server/retention.h"
#include "server/rezone.h"
#include "server/shard.h"

struct api;
struct api_request;

struct api_config {
    struct shard *shard;
    struct readers *readers;
    struct zone_cache *zones;
    struct rezone *rezone;       /* whose figures are shown; NULL: nobody said */
    struct members *members;     /* who else shares the store; NULL: nobody */
    struct retention *retention; /* whose figures are shown; NULL: nobody said */
    struct str token;            /* every call but /healthz, /readyz and /version needs it; empty: nobody is asked */
    bool is_shared;              /* the store, with other servers: what only its owner can answer is carried there */
    struct str server_name, url, store_text;
    const char *alert_url;     /* "" or NULL: nobody is told */
    const char *otlp_endpoint; /* where spans go; "": nowhere */
    const char *version;
};

struct api *api_new(const struct api_config *config);
/* What goes on in the background ends; before the shard closes. */
void api_stop(struct api *api);
void api_free(struct api *api);

/* Whose figures /metrics shows; before the first request. The server outlives every request. */
void api_set_net(struct api *api, struct net_server *net);

/* What is to be done now and then; about once a second, by one thread, until api_stop. */
void api_tick(struct api *api);

/* The server is about to stop: it is no longer ready. */
void api_set_draining(struct api *api);
bool api_is_draining(const struct api *api);

/* Where another server can take the shard it is handed over, and requests are carried there; false: there is none. */
bool api_hand_over(struct api *api);
/* After that, before the door is closed: until somebody has the shard (not for ever), and a moment more. Blocks. */
void api_await_hand_over(struct api *api);

/* The callbacks for struct net_config, with the api as context. */
void api_check_early(void *context, struct net_request *net);
void api_handle(void *context, struct net_request *net);
void api_gone(void *context, struct net_request *net);
void api_done(void *context, struct net_request *net);
void api_refused(void *context, struct net_request *net, int status, const char *detail);

/* For shard_config.committed: counts, logs and publishes what the batch says. */
void api_committed(void *context, const struct batch *batch);

#endif
