/* relay: requests that only the shard's owner can answer, carried to it, and its answers carried back.
 *
 * Owns:  the requests that it was given, until it answers them or gives them to their handler here.
 * Rules: (1) a request is written anew: method, path, query and the few headers that the contract has; no byte of it is
 *            passed on unread.
 *        (2) a request makes at most RELAY_HOPS_MAX hops; the header Belfry-Hops counts them. An exchange makes one:
 *            carried on, the next owner would know its seq, and refuse it when who sent it here goes there itself.
 *        (3) while nobody owns the shard, or its owner cannot be reached, a request is held for RELAY_HOLD_MS at most.
 *            When this server becomes the owner, what is held goes back to its loop and is handled here.
 *        (4) what may have been applied is not sent again, unless sending it again does no harm: reads, exchanges, and
 *            what has an Idempotency-Key. Otherwise the client is told that nobody knows.
 *        (5) the owner's answers come back as they are; events come back as they come.
 *        (6) what is under way when another server becomes the owner is called back, and goes there (rule 4).
 *        (7) a server that refused, or could not be reached, is asked again after a pause that grows.
 * See:   client/carrier.h, docs/cluster.md, tests/cluster/
 */
#ifndef API_RELAY_H
#define API_RELAY_H

#include <stdbool.h>

#include "api/request.h"

#define RELAY_HOPS_MAX 2
#define RELAY_HOLD_MS 8000
/* Requests that are held or under way. */
#define RELAY_REQUESTS_MAX 20000

struct relay;

struct relay_config {
    struct shard *shard;
    struct str token; /* the cluster's; borrowed */
};

struct relay *relay_new(const struct relay_config *config);

/* The door is about to close: polls that wait elsewhere are called back and told to ask another server. */
void relay_drain(struct relay *relay);

/* What is under way is answered; before the shard closes. */
void relay_stop(struct relay *relay);
void relay_free(struct relay *relay);

/* Whether requests have to go elsewhere. */
bool relay_is_needed(struct relay *relay);

/* Takes the request over: it is answered sooner or later, or handled again (rule 3). From any thread; what was done
 * with it before has changed nothing, or does no harm when it is done again. */
void relay_take(struct relay *relay, struct api_request *request);

/* Nobody waits for the answer any more. */
void relay_gone(struct relay *relay, struct api_request *request);

struct relay_figures {
    uint64_t relayed; /* answers that came back */
    uint64_t held;    /* requests that wait for an owner now, or are about to */
    uint64_t refused; /* for want of an owner, or of room */
    uint64_t unknown; /* nobody knows whether they were applied */
};

void relay_look(struct relay *relay, struct relay_figures *ret_figures);

#endif
