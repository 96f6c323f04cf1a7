/* alerts: tells somebody's webhook what is wrong, and when it is over. For those who have no Prometheus.
 *
 * About every two seconds the engine is looked at, and the rules (api/alert_rules.h) are asked. What changes is sent as
 * JSON to the URL that the operator gave, one at a time and in order.
 *
 * Owns:  the states of the alerts, a queue of messages, and a carrier that sends them. Borrows the rest.
 * Rules: (1) only the owner of the shard tells; one that lost its store still tells of that.
 *        (2) nobody waits for the webhook: messages wait in a queue of ALERTS_QUEUE_MAX, and the oldest go where it is
 *            full. Each is tried ALERTS_TRIES_MAX times, with growing waits; then it is dropped, and the log says so.
 *        (3) of the URL only the host is ever shown: what follows is often a secret.
 *        (4) stopped before the shard closes, freed after it.
 * See:   docs/monitoring.md (the message), tests/monitoring/test_push.py
 */
#ifndef API_ALERTS_H
#define API_ALERTS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/alert_rules.h"
#include "api/counters.h"
#include "api/depths.h"
#include "base/err.h"
#include "base/str.h"
#include "server/shard.h"

#define ALERTS_QUEUE_MAX 64
#define ALERTS_TRIES_MAX 8
#define ALERTS_TIMEOUT_MS 10000
#define ALERTS_PLACE_BYTES 300

struct alerts;

struct alerts_config {
    struct shard *shard;
    struct counters *counters;
    struct depths *depths;
    const char *url; /* borrowed */
    struct str server_name, server_url;
};

/* Whether alerts can be sent there. */
enum err alerts_check_url(const char *url, struct error *reterr) MUST_CHECK;

struct alerts *alerts_new(const struct alerts_config *config);
void alerts_stop(struct alerts *alerts); /* NULL is fine, here and below */
void alerts_free(struct alerts *alerts);

/* About once a second, by one thread, until alerts_stop. */
void alerts_tick(struct alerts *alerts);

struct alerts_view {
    char place[ALERTS_PLACE_BYTES]; /* where messages go: https://hooks.example.com */
    struct alert_state states[ALERTS];
    uint64_t sent, failed, dropped; /* messages; failed: attempts to send one */
    size_t waiting;
    struct error error; /* of the last attempt; ERR_OK: it worked, or there was none */
};
void alerts_look(struct alerts *alerts, struct alerts_view *ret_view);

#endif
