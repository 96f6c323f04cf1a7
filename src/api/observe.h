/* observe: what the server knows about itself: counters, events, depths, and the clock that drives them.
 *
 * Owns:  counters, events, depths and a thread that notes figures and keeps streams alive.
 * See:   api/counters.h, api/events.h, api/committed.c
 */
#ifndef API_OBSERVE_H
#define API_OBSERVE_H

#include "api/counters.h"
#include "api/depths.h"
#include "api/events.h"
#include "server/shard.h"

struct observe_ticker;

/* A job's last change that was told; so that the same is not told twice (api/committed.c). */
struct observed_change {
    uint64_t job;
    int64_t updated_ms;
    enum job_status status;
};
#define OBSERVED_CHANGES 4096

/* How long a run of skipped fires was when it was last counted: rows of skips grow. */
struct observed_skip {
    uint64_t job;
    int64_t from_ms, count;
};

/* Tenants, pools and types that were paused, by the hash of what they are; more are forgotten. */
#define OBSERVED_PAUSES 1024

struct observe {
    struct counters *counters;
    struct events *events;
    struct depths *depths;
    int64_t started_ms; /* wall time */
    struct observe_ticker *ticker;
    /* the store's thread */
    struct observed_change changes[OBSERVED_CHANGES];
    struct observed_skip skips[OBSERVED_CHANGES];
    uint64_t pauses[OBSERVED_PAUSES]; /* 0: none */
    int64_t log_second;               /* of the last record of an attempt */
    uint64_t log_count;               /* in that second */
    uint64_t log_unsaid;              /* attempts that were not logged, until the next second */
};

struct observe *observe_new(struct shard *shard, struct readers *readers);
/* Its thread ends; before the shard does. What is committed afterwards is still counted. */
void observe_stop(struct observe *observe);
void observe_free(struct observe *observe);

#endif
