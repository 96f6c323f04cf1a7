/* Figures in Prometheus' text format: counters since the start, and how things stand. */
#include <inttypes.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "api/pacer.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/view.h"

#define METRICS_BYTES_MAX (16UL * 1024 * 1024)
/* Tenants, types and pools that have gauges of their own. */
#define SCOPES_MAX 100
#define US_PER_S 1e6
#define MS_PER_S 1e3

struct metrics {
    struct engine_figures figures;
    struct view_scope all;
    struct view_scope *scopes[SCOPE_TYPE + 1];
    size_t counts[SCOPE_TYPE + 1];
    struct view_breaker *breakers;
    size_t breaker_count;
    bool has_net;
    struct net_figures net;
};

/* ---- writing ---- */

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP belfry_%s %s\n# TYPE belfry_%s %s\n", name, help, name, type);
}

static void gauge(struct buf *out, const char *name, const char *help, double value)
{
    head(out, name, "gauge", help);
    buf_printf(out, "belfry_%s %.17g\n", name, value);
}

static void counter(struct buf *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "counter", help);
    buf_printf(out, "belfry_%s %" PRIu64 "\n", name, value);
}

/* Values are in units of which per_unit make one of the metric's. */
static void histogram(struct buf *out, const char *name, const char *help, const struct histogram *values,
                      double per_unit)
{
    uint64_t below = 0;

    head(out, name, "histogram", help);
    for (size_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
        below += values->buckets[i];
        buf_printf(out, "belfry_%s_bucket{le=\"%.9g\"} %" PRIu64 "\n", name, (double)histogram_bounds_ms[i] / per_unit,
                   below);
    }
    below += values->buckets[HISTOGRAM_BOUNDS];
    buf_printf(out, "belfry_%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, below);
    buf_printf(out, "belfry_%s_sum %.9g\nbelfry_%s_count %" PRIu64 "\n", name, (double)values->sum_ms / per_unit, name,
               below);
}

/* Names need no escapes: model/name.h lets in nothing that does. */
static void labels(struct buf *out, const char *name, const struct place *place)
{
    buf_printf(out, "belfry_%s{tenant=\"%.*s\",type=\"%.*s\",pool=\"%.*s\"", name, STR_ARGS(place->tenant),
               STR_ARGS(place->type), STR_ARGS(place->pool));
}

/* ---- since the start ---- */

static void put_series(struct buf *out, const char *name, const char *help, const struct counters_row *rows,
                       size_t count, uint64_t (*value)(const struct tally *tally))
{
    head(out, name, "counter", help);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = value(&rows[i].tally);

        if (number > 0) {
            labels(out, name, &rows[i].place);
            buf_printf(out, "} %" PRIu64 "\n", number);
        }
    }
}

#define VALUE(field)                                                                                                   \
    static uint64_t value_of_##field(const struct tally *tally)                                                        \
    {                                                                                                                  \
        return tally->field;                                                                                           \
    }
VALUE(created)
VALUE(fired)
VALUE(started)
VALUE(retried)
VALUE(dead)
VALUE(skipped)

static void put_attempts(struct buf *out, const struct counters_row *rows, size_t count)
{
    head(out, "attempts_finished_total", "counter", "Attempts that ended, by how they did.");
    for (size_t i = 0; i < count; i++) {
        for (int state = ATTEMPT_SUCCEEDED; state <= ATTEMPT_CANCELLED; state++) {
            if (rows[i].tally.attempts[state] > 0) {
                labels(out, "attempts_finished_total", &rows[i].place);
                buf_printf(out, ",status=\"%s\"} %" PRIu64 "\n", attempt_state_text((enum attempt_state)state),
                           rows[i].tally.attempts[state]);
            }
        }
    }
}

static void put_totals(struct api_request *request, struct buf *out)
{
    struct counters_row *rows;
    size_t count = counters_rows(request->api->observe->counters, request->arena, &rows);
    struct tally all = {0};

    put_series(out, "jobs_created_total", "Jobs created.", rows, count, value_of_created);
    put_series(out, "triggers_created_total", "Triggers made, of any kind.", rows, count, value_of_fired);
    put_series(out, "claims_total", "Attempts that workers were given.", rows, count, value_of_started);
    put_series(out, "retries_total", "Attempts that were not the first of their trigger.", rows, count,
               value_of_retried);
    put_series(out, "dead_letters_total", "Triggers that became dead letters.", rows, count, value_of_dead);
    put_series(out, "fires_skipped_total", "Fires that were decided not to run.", rows, count, value_of_skipped);
    put_attempts(out, rows, count);
    for (size_t i = 0; i < count; i++) {
        tally_merge(&all, &rows[i].tally);
    }
    histogram(out, "trigger_lag_seconds", "From due to the start of the first attempt.", &all.lag, MS_PER_S);
    histogram(out, "attempt_duration_seconds", "How long attempts took.", &all.duration, MS_PER_S);
    counter(out, "lease_expirations_total", "Attempts whose lease ended without a word.", all.attempts[ATTEMPT_LOST]);
}

static void put_store(struct api_request *request, struct buf *out, const struct shard_view *view)
{
    struct counters_batches batches;

    counters_batches(request->api->observe->counters, &batches);
    counter(out, "batches_total", "Batches committed.", batches.batches);
    counter(out, "operations_total", "Operations in them.", batches.operations);
    counter(out, "batch_bytes_total", "Memory that they took.", batches.bytes);
    histogram(out, "batch_operations", "Operations in a batch.", &batches.sizes, 1);
    histogram(out, "commit_seconds", "How long a commit took.", &request->api->observe->commits_us, US_PER_S);
    gauge(out, "commit_max_seconds", "The longest commit so far.", (double)view->commit_max_us / US_PER_S);
    counter(out, "engine_restarts_total", "How often the engine was made anew after a failure.", view->restarts);
    head(out, "fires_skipped_by_reason_total", "counter", "Fires that were decided not to run, by why.");
    for (int reason = 0; reason < COUNTERS_SKIP_REASONS; reason++) {
        buf_printf(out, "belfry_fires_skipped_by_reason_total{reason=\"%s\"} %" PRIu64 "\n",
                   skip_reason_text((enum skip_reason)reason), batches.skipped[reason]);
    }
}

static void put_net(const struct metrics *metrics, struct buf *out)
{
    const struct net_figures net = metrics->net;

    if (!metrics->has_net) {
        return;
    }
    gauge(out, "http_connections", "Connections that are open.", (double)net.connections_open);
    counter(out, "http_connections_total", "Connections accepted.", net.connections_total);
    counter(out, "http_connections_refused_total", "Connections refused by limits.", net.connections_refused);
    counter(out, "http_requests_total", "Requests read.", net.requests_total);
    gauge(out, "http_requests_waiting", "Requests that wait for their answer.", (double)net.requests_waiting);
    counter(out, "http_requests_gone_total", "Clients that went while they waited.", net.requests_gone);
    counter(out, "http_requests_refused_total", "Requests refused unread.", net.requests_refused);
    counter(out, "http_timeouts_total", "Connections cut off for being slow.", net.timeouts);
    gauge(out, "http_streams", "Event streams that are open.", (double)net.streams_open);
    counter(out, "http_bytes_in_total", "Bytes of bodies received.", net.bytes_in);
    counter(out, "http_bytes_out_total", "Bytes of bodies sent.", net.bytes_out);
}

/* ---- now ---- */

static void put_scopes(struct buf *out, const struct metrics *metrics)
{
    static const char *const words[] = {"tenant", "pool", "type"};
    static const struct {
        const char *name, *help;
        bool is_ready;
    } gauges[] = {
        {"triggers_ready", "Triggers that are due and not running.", true},
        {"triggers_running", "Attempts that are out.", false},
    };

    for (size_t k = 0; k < sizeof gauges / sizeof gauges[0]; k++) {
        head(out, gauges[k].name, "gauge", gauges[k].help);
        for (size_t scope = 0; scope <= SCOPE_TYPE; scope++) {
            for (size_t i = 0; i < metrics->counts[scope]; i++) {
                const struct view_scope *one = &metrics->scopes[scope][i];

                buf_printf(out, "belfry_%s{%s=\"%.*s\"} %" PRId64 "\n", gauges[k].name, words[scope],
                           STR_ARGS(one->name), gauges[k].is_ready ? one->ready : one->running);
            }
        }
    }
}

static void put_pools(struct buf *out, const struct metrics *metrics)
{
    int64_t now_ms = metrics->figures.now_ms;

    head(out, "pool_workers", "gauge", "Workers that serve a pool.");
    for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
        const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];

        buf_printf(out, "belfry_pool_workers{pool=\"%.*s\"} %" PRId64 "\n", STR_ARGS(pool->name), pool->workers);
    }
    head(out, "pool_capacity", "gauge", "What those workers can hold together.");
    for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
        const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];

        buf_printf(out, "belfry_pool_capacity{pool=\"%.*s\"} %" PRId64 "\n", STR_ARGS(pool->name), pool->capacity);
    }
    head(out, "pool_oldest_ready_seconds", "gauge", "How long the oldest of a pool has been due.");
    for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
        const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];
        int64_t late_ms = pool->oldest_ms != TIME_NONE && pool->oldest_ms < now_ms ? now_ms - pool->oldest_ms : 0;

        buf_printf(out, "belfry_pool_oldest_ready_seconds{pool=\"%.*s\"} %.3f\n", STR_ARGS(pool->name),
                   (double)late_ms / MS_PER_S);
    }
}

static void put_breakers(struct buf *out, const struct metrics *metrics)
{
    head(out, "breakers_not_closed", "gauge", "Circuit breakers that are open or half open.");
    for (size_t i = 0; i < metrics->breaker_count; i++) {
        const struct view_breaker *breaker = &metrics->breakers[i];

        if (breaker->job == 0) {
            buf_printf(out, "belfry_breakers_not_closed{tenant=\"%.*s\",type=\"%.*s\",state=\"%s\"} 1\n",
                       STR_ARGS(breaker->tenant), STR_ARGS(breaker->type),
                       breaker->state == BREAKER_OPEN ? "open" : "half_open");
        }
    }
    gauge(out, "breakers_not_closed_count", "How many circuit breakers are not closed.",
          (double)metrics->breaker_count);
}

static void put_engine(struct buf *out, const struct metrics *metrics, const struct shard_view *view)
{
    const struct engine_figures *figures = &metrics->figures;
    int64_t late_ms = metrics->all.oldest_ms != TIME_NONE && metrics->all.oldest_ms < figures->now_ms
                          ? figures->now_ms - metrics->all.oldest_ms
                          : 0;

    gauge(out, "jobs", "Definitions that are there.", (double)metrics->all.jobs);
    gauge(out, "ready", "Everything that is due and not running.", (double)metrics->all.ready);
    gauge(out, "running", "Attempts that are out.", (double)metrics->all.running);
    gauge(out, "overdue", "Ready for more than a minute.", (double)metrics->all.overdue);
    gauge(out, "oldest_ready_seconds", "How long the oldest has been due.", (double)late_ms / MS_PER_S);
    gauge(out, "workers", "Workers that are there.", (double)metrics->all.workers);
    gauge(out, "workers_waiting", "Workers that wait for work.", (double)figures->waiting);
    gauge(out, "worker_capacity", "What workers can hold together.", (double)metrics->all.capacity);
    gauge(out, "engine_jobs", "Jobs in memory.", (double)figures->jobs);
    gauge(out, "engine_triggers", "Triggers in memory.", (double)figures->triggers);
    gauge(out, "engine_definition_bytes", "Definitions in memory.", (double)figures->def_bytes);
    counter(out, "engine_events_total", "Steps of the engine.", figures->events);
    counter(out, "engine_decisions_total", "Fires that were decided.", figures->decisions);
    gauge(out, "clock_held", "Whether a jump of the clock waits to be accepted.", figures->is_clock_held ? 1 : 0);
    gauge(out, "calls", "Calls under way.", (double)view->calls);
    gauge(out, "epoch", "Of this server's ownership.", (double)view->epoch);
}

static void put_pacer(struct buf *out, struct pacer *pacer)
{
    struct pacer_figures figures;

    pacer_look(pacer, &figures);
    gauge(out, "dead_paced_tasks", "Replays and discards with a rate that are under way.", (double)figures.tasks);
    gauge(out, "dead_paced_waiting", "Dead letters that wait for their turn in one of them.", (double)figures.waiting);
    counter(out, "dead_paced_replayed_total", "Dead letters replayed with a rate.", figures.replayed);
    counter(out, "dead_paced_discarded_total", "Dead letters discarded with a rate.", figures.discarded);
    counter(out, "dead_paced_failed_total", "Dead letters of tasks that were given up.", figures.failed);
}

static void metrics_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {.kind = QUERY_COUNTS, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    const struct metrics *metrics = request->state;
    struct events_figures events;
    struct shard_view view;
    struct buf out;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return;
    }
    buf_init(&out, METRICS_BYTES_MAX);
    shard_look(request->config->shard, &view);
    events_figures(request->api->observe->events, &events);
    head(&out, "build_info", "gauge", "The version that runs.");
    buf_printf(&out, "belfry_build_info{version=\"%s\"} 1\n", request->config->version);
    gauge(&out, "start_time_seconds", "When the server started.", (double)request->api->observe->started_ms / MS_PER_S);
    put_engine(&out, metrics, &view);
    gauge(&out, "dead_letters", "Dead letters that are there, counted up to 10000.", (double)rows.counts[TRIGGER_DEAD]);
    put_pacer(&out, request->api->pacer);
    put_scopes(&out, metrics);
    put_pools(&out, metrics);
    put_breakers(&out, metrics);
    put_totals(request, &out);
    put_store(request, &out, &view);
    put_net(metrics, &out);
    gauge(&out, "event_listeners", "Who listens to events.", (double)events.listeners);
    counter(&out, "events_told_total", "Events told.", events.told);
    counter(&out, "events_missed_total", "Events that slow listeners missed.", events.missed);
    gauge(&out, "reads_waiting", "Reads that wait for a thread.", (double)readers_waiting(request->config->readers));
    counter(&out, "log_dropped_total", "Log records that could not be written.", log_dropped());
    api_answer_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", &out);
}

static void metrics_look(struct api_request *request, const struct engine *engine)
{
    struct metrics *metrics = request->state;

    engine_figures(engine, &metrics->figures);
    engine_view_all(engine, &metrics->all);
    for (int scope = SCOPE_TENANT; scope <= SCOPE_TYPE; scope++) {
        metrics->counts[scope] =
            engine_view_scopes(engine, (enum scope)scope, SCOPES_MAX, request->arena, &metrics->scopes[scope]);
    }
    metrics->breaker_count =
        engine_view_breakers(engine, STR(""), STR(""), SCOPES_MAX, request->arena, &metrics->breakers);
    api_read(request, metrics_read);
}

void api_metrics(struct api *api, struct api_request *request)
{
    struct metrics *metrics = arena_zalloc(request->arena, sizeof *metrics);

    metrics->has_net = api->net != NULL;
    if (metrics->has_net) { /* here, on one of its loops, where it certainly is */
        net_server_figures(api->net, &metrics->net);
    }
    request->state = metrics;
    api_look(request, metrics_look);
}
