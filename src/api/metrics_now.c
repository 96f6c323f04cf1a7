/* How things stand: gauges of what the engine has at hand. */
#include <inttypes.h>

#include "api/metrics.h"
#include "api/metrics_text.h"

#define MS_PER_S 1e3

static double late_s(int64_t oldest_ms, int64_t now_ms)
{
    return oldest_ms != TIME_NONE && oldest_ms < now_ms ? (double)(now_ms - oldest_ms) / MS_PER_S : 0;
}

/* ---- by tenant, pool and type ---- */

static int64_t ready_of(const struct view_scope *scope)
{
    return scope->ready;
}

static int64_t running_of(const struct view_scope *scope)
{
    return scope->running;
}

/* The busiest by name, and the others together: their sum is that of all. */
static void put_scopes(struct buf *out, const struct metrics *metrics, enum scope scope, const char *name,
                       const char *help, int64_t (*value)(const struct view_scope *scope))
{
    static const char *const labels[] = {"tenant", "pool", "type"};
    int64_t other = value(&metrics->all);

    metrics_head(out, name, "gauge", help);
    for (size_t i = 0; i < metrics->counts[scope]; i++) {
        const struct view_scope *one = &metrics->scopes[scope][i];

        buf_printf(out, "belfry_%s{%s=\"%.*s\"} %" PRId64 "\n", name, labels[scope], STR_ARGS(one->name), value(one));
        other -= value(one);
    }
    buf_printf(out, "belfry_%s{%s=\"%s\"} %" PRId64 "\n", name, labels[scope], METRICS_OTHER, other > 0 ? other : 0);
}

static double workers_of(const struct view_scope *pool, int64_t now_ms)
{
    (void)now_ms;
    return (double)pool->workers;
}

static double capacity_of(const struct view_scope *pool, int64_t now_ms)
{
    (void)now_ms;
    return (double)pool->capacity;
}

static double saturation_of(const struct view_scope *pool, int64_t now_ms)
{
    (void)now_ms;
    return pool->capacity > 0 ? (double)pool->running / (double)pool->capacity : 0;
}

static double oldest_of(const struct view_scope *pool, int64_t now_ms)
{
    return late_s(pool->oldest_ms, now_ms);
}

static void put_pools(struct buf *out, const struct metrics *metrics)
{
    static const struct {
        const char *name, *help;
        double (*value)(const struct view_scope *pool, int64_t now_ms);
    } gauges[] = {
        {"pool_workers", "Workers that serve a pool.", workers_of},
        {"pool_capacity", "What those workers can hold together.", capacity_of},
        {"pool_saturation_ratio", "What runs, by what those workers can hold; 0 without workers.", saturation_of},
        {"pool_oldest_due_seconds", "How long the oldest of a pool has been due.", oldest_of},
    };

    for (size_t k = 0; k < sizeof gauges / sizeof gauges[0]; k++) {
        metrics_head(out, gauges[k].name, "gauge", gauges[k].help);
        for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
            const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];

            buf_printf(out, "belfry_%s{pool=\"%.*s\"} %.9g\n", gauges[k].name, STR_ARGS(pool->name),
                       gauges[k].value(pool, metrics->figures.now_ms));
        }
    }
}

/* ---- breakers ---- */

/* Jobs without a type have breakers of their own: those are in the sums alone, or each would be a label. */
static void put_breakers(struct buf *out, const struct metrics *metrics)
{
    size_t open = 0;

    metrics_head(out, "breaker_state", "gauge",
                 "Circuit breakers of types that are not closed, 1 in the state that they are in.");
    for (size_t i = 0; i < metrics->breaker_count; i++) {
        const struct view_breaker *breaker = &metrics->breakers[i];
        bool is_open = breaker->state == BREAKER_OPEN;

        open += is_open ? 1 : 0;
        if (breaker->job == 0) {
            buf_printf(out, "belfry_breaker_state{tenant=\"%.*s\",type=\"%.*s\",state=\"%s\"} 1\n",
                       STR_ARGS(breaker->tenant), STR_ARGS(breaker->type), is_open ? "open" : "half_open");
        }
    }
    metrics_head(out, "breakers", "gauge", "Circuit breakers that are not closed, by state, counted up to 100.");
    buf_printf(out, "belfry_breakers{state=\"open\"} %zu\nbelfry_breakers{state=\"half_open\"} %zu\n", open,
               metrics->breaker_count - open);
}

/* ---- all ---- */

static void put_all(struct buf *out, const struct metrics *metrics)
{
    const struct engine_figures *figures = &metrics->figures;

    metrics_gauge(out, "jobs", "Definitions that are there: the size of the index.", (double)metrics->all.jobs);
    metrics_gauge(out, "triggers_due", "Everything that is due and not running.", (double)metrics->all.ready);
    metrics_gauge(out, "triggers_running", "Attempts that are out.", (double)metrics->all.running);
    metrics_gauge(out, "triggers_overdue", "Due for more than a minute, counted up to 20000.",
                  (double)metrics->all.overdue);
    metrics_gauge(out, "oldest_due_seconds", "How long the oldest has been due.",
                  late_s(metrics->all.oldest_ms, figures->now_ms));
    metrics_gauge(out, "workers", "Workers that are there.", (double)metrics->all.workers);
    metrics_gauge(out, "workers_waiting", "Workers that wait for work.", (double)figures->waiting);
    metrics_gauge(out, "worker_capacity", "What workers can hold together.", (double)metrics->all.capacity);
    metrics_gauge(out, "clock_held", "1 while a jump of the clock waits to be accepted.",
                  figures->is_clock_held ? 1 : 0);
    metrics_gauge(out, "held", "1 while nothing is given to workers until somebody accepts what is stored.",
                  figures->is_held ? 1 : 0);
    metrics_gauge(out, "engine_jobs", "Jobs in memory.", (double)figures->jobs);
    metrics_gauge(out, "engine_triggers", "Triggers in memory.", (double)figures->triggers);
    metrics_gauge(out, "engine_definition_bytes", "Definitions in memory.", (double)figures->def_bytes);
    metrics_counter(out, "engine_events_total", "Steps of the engine.", figures->events);
    metrics_counter(out, "engine_decisions_total", "Fires that were decided.", figures->decisions);
    metrics_counter(out, "lease_renewals_total", "Leases renewed.", figures->renewals);
    metrics_counter(out, "lease_renewal_failures_total",
                    "Renewals refused: the attempt was lost or cancelled, and is not the worker's any more.",
                    figures->renewals_refused);
    metrics_counter(out, "worker_heartbeat_failures_total",
                    "Workers that fell silent: with a lease that ended, or for ten minutes without a goodbye.",
                    figures->silences);
}

void metrics_put_now(struct buf *out, const struct metrics *metrics)
{
    put_all(out, metrics);
    put_scopes(out, metrics, SCOPE_TENANT, "tenant_queue_depth", "Due and not running, by tenant.", ready_of);
    put_scopes(out, metrics, SCOPE_TENANT, "tenant_running", "Attempts that are out, by tenant.", running_of);
    put_scopes(out, metrics, SCOPE_POOL, "pool_queue_depth", "Due and not running, by pool.", ready_of);
    put_scopes(out, metrics, SCOPE_POOL, "pool_running", "Attempts that are out, by pool.", running_of);
    put_scopes(out, metrics, SCOPE_TYPE, "type_queue_depth", "Due and not running, by type.", ready_of);
    put_scopes(out, metrics, SCOPE_TYPE, "type_running", "Attempts that are out, by type.", running_of);
    put_pools(out, metrics);
    put_breakers(out, metrics);
}
