/* metrics: what /metrics shows, gathered; and its parts, each written by a file of its own. For metrics*.c.
 *
 * Rules: (1) nothing here goes through jobs, triggers or the store: counts are kept as things happen (api/counters.h),
 *            read now and then (api/depths.h), or come from one bounded look at the engine (engine/view.h).
 *        (2) labels are bounded: what is not among the first of its kind is summed up as METRICS_OTHER.
 *        (3) every sample of a metric has the same labels.
 * See:   docs/monitoring.md, tests/monitoring/test_metrics.py
 */
#ifndef API_METRICS_H
#define API_METRICS_H

#include "api/depths.h"
#include "api/request.h"
#include "base/buf.h"
#include "engine/view.h"

/* No name of anybody's: those have no parentheses (model/name.h). */
#define METRICS_OTHER "(other)"
/* Tenants, pools and types that have gauges of their own. */
#define METRICS_SCOPES_MAX 100
#define METRICS_BREAKERS_MAX 100

struct metrics {
    bool has_engine; /* the fields of the next block are filled in */
    struct engine_figures figures;
    struct view_scope all;
    struct view_scope *scopes[SCOPE_TYPE + 1]; /* the busiest */
    size_t counts[SCOPE_TYPE + 1];
    struct view_breaker *breakers;
    size_t breaker_count;

    struct shard_view shard;
    struct depths_figures depths;
    bool has_net;
    struct net_figures net;
};

/* What the engine says of now: due, running, queues, pools, breakers, workers. */
void metrics_put_now(struct buf *out, const struct metrics *metrics);

/* What was committed since the start: triggers, attempts, retries, dead letters. */
void metrics_put_done(struct buf *out, struct api_request *request, const struct metrics *metrics);

/* The machinery: the store, the owner, loops, connections, housekeeping. */
void metrics_put_inside(struct buf *out, struct api_request *request, const struct metrics *metrics);

#endif
