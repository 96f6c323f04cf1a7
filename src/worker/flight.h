/* flight: one POST /v1/work under way.
 *
 * Owns:  its transfer, what is sent and what comes back.
 * Rules: (1) on_end is called once for each that was started and not aborted, from the loop; the flight is free again
 *            by then, and its answer holds until it is started anew.
 * See:   session.h
 */
#ifndef WORKER_FLIGHT_H
#define WORKER_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "worker/http_pool.h"

struct flight;

/* status: the answer's, 0 where none came; then why says why. */
typedef void flight_on_end(void *owner, struct flight *flight, long status, const char *why);

struct flight {
    struct http_pool *pool;
    flight_on_end *on_end;
    void *owner;
    struct http_task task;
    bool is_flying;
    uint64_t seq;       /* of the exchange; counted up by who starts it */
    struct buf request; /* filled in by who starts it */
    struct buf answer;
    int64_t started_mono_ms;
    int64_t superseded_mono_ms; /* when a newer one was started; 0: it is the newest */
    int64_t retry_after_ms;     /* what the answer asked for; 0: nothing */
    bool is_too_large;          /* the answer was */
};

void flight_init(struct flight *flight, struct http_pool *pool, flight_on_end *on_end, void *owner);
void flight_done(struct flight *flight);

/* The request is in its buffer. url and headers are borrowed. */
void flight_start(struct flight *flight, const char *url, struct curl_slist *headers, int64_t timeout_ms);

/* Ends it without on_end; does nothing where it is not flying. */
void flight_abort(struct flight *flight);

#endif
