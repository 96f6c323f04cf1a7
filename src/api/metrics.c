/* Figures in Prometheus' text format: counters since the start, and how things stand. */
#include <inttypes.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/metrics_text.h"
#include "api/observe.h"
#include "api/pacer.h"
#include "api/relay.h"
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
    metrics_head(out, name, "counter", help);
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
    metrics_head(out, "attempts_finished_total", "counter", "Attempts that ended, by how they did.");
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
    metrics_histogram(out, "trigger_lag_seconds", "From due to the start of the first attempt.", &all.lag, MS_PER_S);
    metrics_histogram(out, "attempt_duration_seconds", "How long attempts took.", &all.duration, MS_PER_S);
    metrics_counter(out, "lease_expirations_total", "Attempts whose lease ended without a word.",
                    all.attempts[ATTEMPT_LOST]);
}

static void put_store(struct api_request *request, struct buf *out, const struct shard_view *view)
{
    struct counters_batches batches;

    counters_batches(request->api->observe->counters, &batches);
    metrics_counter(out, "batches_total", "Batches committed.", batches.batches);
    metrics_counter(out, "operations_total", "Operations in them.", batches.operations);
    metrics_counter(out, "batch_bytes_total", "Memory that they took.", batches.bytes);
    metrics_histogram(out, "batch_operations", "Operations in a batch.", &batches.sizes, 1);
    metrics_histogram(out, "commit_seconds", "How long a commit took.", &request->api->observe->commits_us, US_PER_S);
    metrics_gauge(out, "commit_max_seconds", "The longest commit so far.", (double)view->commit_max_us / US_PER_S);
    metrics_counter(out, "engine_restarts_total", "How often the engine was made anew after a failure.",
                    view->restarts);
    metrics_head(out, "fires_skipped_by_reason_total", "counter", "Fires that were decided not to run, by why.");
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
    metrics_gauge(out, "http_connections", "Connections that are open.", (double)net.connections_open);
    metrics_counter(out, "http_connections_total", "Connections accepted.", net.connections_total);
    metrics_counter(out, "http_connections_refused_total", "Connections refused by limits.", net.connections_refused);
    metrics_counter(out, "http_requests_total", "Requests read.", net.requests_total);
    metrics_gauge(out, "http_requests_waiting", "Requests that wait for their answer.", (double)net.requests_waiting);
    metrics_counter(out, "http_requests_gone_total", "Clients that went while they waited.", net.requests_gone);
    metrics_counter(out, "http_requests_refused_total", "Requests refused unread.", net.requests_refused);
    metrics_counter(out, "http_timeouts_total", "Connections cut off for being slow.", net.timeouts);
    metrics_gauge(out, "http_streams", "Event streams that are open.", (double)net.streams_open);
    metrics_counter(out, "http_bytes_in_total", "Bytes of bodies received.", net.bytes_in);
    metrics_counter(out, "http_bytes_out_total", "Bytes of bodies sent.", net.bytes_out);
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
        metrics_head(out, gauges[k].name, "gauge", gauges[k].help);
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

    metrics_head(out, "pool_workers", "gauge", "Workers that serve a pool.");
    for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
        const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];

        buf_printf(out, "belfry_pool_workers{pool=\"%.*s\"} %" PRId64 "\n", STR_ARGS(pool->name), pool->workers);
    }
    metrics_head(out, "pool_capacity", "gauge", "What those workers can hold together.");
    for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
        const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];

        buf_printf(out, "belfry_pool_capacity{pool=\"%.*s\"} %" PRId64 "\n", STR_ARGS(pool->name), pool->capacity);
    }
    metrics_head(out, "pool_oldest_ready_seconds", "gauge", "How long the oldest of a pool has been due.");
    for (size_t i = 0; i < metrics->counts[SCOPE_POOL]; i++) {
        const struct view_scope *pool = &metrics->scopes[SCOPE_POOL][i];
        int64_t late_ms = pool->oldest_ms != TIME_NONE && pool->oldest_ms < now_ms ? now_ms - pool->oldest_ms : 0;

        buf_printf(out, "belfry_pool_oldest_ready_seconds{pool=\"%.*s\"} %.3f\n", STR_ARGS(pool->name),
                   (double)late_ms / MS_PER_S);
    }
}

static void put_breakers(struct buf *out, const struct metrics *metrics)
{
    metrics_head(out, "breakers_not_closed", "gauge", "Circuit breakers that are open or half open.");
    for (size_t i = 0; i < metrics->breaker_count; i++) {
        const struct view_breaker *breaker = &metrics->breakers[i];

        if (breaker->job == 0) {
            buf_printf(out, "belfry_breakers_not_closed{tenant=\"%.*s\",type=\"%.*s\",state=\"%s\"} 1\n",
                       STR_ARGS(breaker->tenant), STR_ARGS(breaker->type),
                       breaker->state == BREAKER_OPEN ? "open" : "half_open");
        }
    }
    metrics_gauge(out, "breakers_not_closed_count", "How many circuit breakers are not closed.",
                  (double)metrics->breaker_count);
}

static void put_engine(struct buf *out, const struct metrics *metrics, const struct shard_view *view)
{
    const struct engine_figures *figures = &metrics->figures;
    int64_t late_ms = metrics->all.oldest_ms != TIME_NONE && metrics->all.oldest_ms < figures->now_ms
                          ? figures->now_ms - metrics->all.oldest_ms
                          : 0;

    metrics_gauge(out, "jobs", "Definitions that are there.", (double)metrics->all.jobs);
    metrics_gauge(out, "ready", "Everything that is due and not running.", (double)metrics->all.ready);
    metrics_gauge(out, "running", "Attempts that are out.", (double)metrics->all.running);
    metrics_gauge(out, "overdue", "Ready for more than a minute.", (double)metrics->all.overdue);
    metrics_gauge(out, "oldest_ready_seconds", "How long the oldest has been due.", (double)late_ms / MS_PER_S);
    metrics_gauge(out, "workers", "Workers that are there.", (double)metrics->all.workers);
    metrics_gauge(out, "workers_waiting", "Workers that wait for work.", (double)figures->waiting);
    metrics_gauge(out, "worker_capacity", "What workers can hold together.", (double)metrics->all.capacity);
    metrics_gauge(out, "engine_jobs", "Jobs in memory.", (double)figures->jobs);
    metrics_gauge(out, "engine_triggers", "Triggers in memory.", (double)figures->triggers);
    metrics_gauge(out, "engine_definition_bytes", "Definitions in memory.", (double)figures->def_bytes);
    metrics_counter(out, "engine_events_total", "Steps of the engine.", figures->events);
    metrics_counter(out, "engine_decisions_total", "Fires that were decided.", figures->decisions);
    metrics_gauge(out, "clock_held", "Whether a jump of the clock waits to be accepted.",
                  figures->is_clock_held ? 1 : 0);
    metrics_gauge(out, "calls", "Calls under way.", (double)view->calls);
    metrics_gauge(out, "epoch", "Of this server's ownership.", (double)view->epoch);
}

static void put_pacer(struct buf *out, struct pacer *pacer)
{
    struct pacer_figures figures;

    pacer_look(pacer, &figures);
    metrics_gauge(out, "dead_paced_tasks", "Replays and discards with a rate that are under way.",
                  (double)figures.tasks);
    metrics_gauge(out, "dead_paced_waiting", "Dead letters that wait for their turn in one of them.",
                  (double)figures.waiting);
    metrics_counter(out, "dead_paced_replayed_total", "Dead letters replayed with a rate.", figures.replayed);
    metrics_counter(out, "dead_paced_discarded_total", "Dead letters discarded with a rate.", figures.discarded);
    metrics_counter(out, "dead_paced_failed_total", "Dead letters of tasks that were given up.", figures.failed);
}

static void put_retention(struct buf *out, struct retention *retention)
{
    struct retention_figures figures;

    if (retention == NULL) {
        return;
    }
    retention_figures(retention, &figures);
    const struct {
        const char *kind;
        uint64_t count;
    } removed[] = {{"trigger", figures.triggers},
                   {"attempt", figures.attempts},
                   {"skip", figures.skips},
                   {"version", figures.versions},
                   {"answer", figures.idems}};

    metrics_head(out, "retention_removed_total", "counter", "Rows removed for their age, by what they were.");
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
        buf_printf(out, "belfry_retention_removed_total{kind=\"%s\"} %" PRIu64 "\n", removed[i].kind, removed[i].count);
    }
    metrics_counter(out, "retention_failures_total", "Steps of retention that could not be done.", figures.failures);
    metrics_counter(out, "retention_archive_bytes_total", "Compressed bytes written to the archive.",
                    figures.archive_bytes);
    metrics_gauge(out, "retention_last_run_timestamp_seconds", "When retention last ran; 0 where it has not yet.",
                  (double)figures.last_run_ms / MS_PER_S);
}

static void put_zones(struct buf *out, struct rezone *rezone)
{
    struct rezone_figures figures;

    if (rezone == NULL) {
        return;
    }
    rezone_look(rezone, &figures);
    metrics_head(out, "tzdata_info", "gauge", "The version of the time zone data.");
    buf_printf(out, "belfry_tzdata_info{version=\"%s\"} 1\n", figures.version);
    metrics_counter(out, "zone_changes_total", "Time zones that got other rules.", figures.zones);
    metrics_counter(out, "zone_moved_jobs_total", "Jobs moved to the new rules of their time zone.", figures.moved);
    metrics_gauge(out, "zone_waiting_jobs", "Jobs that wait for a due fire before they are moved.",
                  (double)figures.waiting);
}

static void put_relay(struct buf *out, struct relay *relay, const struct shard_view *view)
{
    struct relay_figures figures;

    metrics_gauge(out, "shard_owned", "1 where this server owns the shard.", view->state == SHARD_SERVING ? 1 : 0);
    metrics_gauge(out, "shard_epoch", "How often the shard was taken, as this server knows.", (double)view->epoch);
    if (relay == NULL) {
        return;
    }
    relay_look(relay, &figures);
    metrics_counter(out, "relayed_total", "Requests that were answered by the owner of the shard.", figures.relayed);
    metrics_gauge(out, "relay_held", "Requests that wait for the shard to have an owner.", (double)figures.held);
    metrics_counter(out, "relay_refused_total", "Requests for which no owner was found in time.", figures.refused);
    metrics_counter(out, "relay_unknown_total", "Requests of which nobody knows whether they were applied.",
                    figures.unknown);
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
    metrics_head(&out, "build_info", "gauge", "The version that runs.");
    buf_printf(&out, "belfry_build_info{version=\"%s\"} 1\n", request->config->version);
    metrics_gauge(&out, "start_time_seconds", "When the server started.",
                  (double)request->api->observe->started_ms / MS_PER_S);
    put_engine(&out, metrics, &view);
    metrics_gauge(&out, "dead_letters", "Dead letters that were not replayed, counted up to 10000.",
                  (double)rows.counts[TRIGGER_DEAD]);
    put_pacer(&out, request->api->pacer);
    put_scopes(&out, metrics);
    put_pools(&out, metrics);
    put_breakers(&out, metrics);
    put_totals(request, &out);
    put_store(request, &out, &view);
    put_retention(&out, request->config->retention);
    put_zones(&out, request->config->rezone);
    put_relay(&out, request->api->relay, &view);
    put_net(metrics, &out);
    metrics_gauge(&out, "event_listeners", "Who listens to events.", (double)events.listeners);
    metrics_counter(&out, "events_told_total", "Events told.", events.told);
    metrics_counter(&out, "events_missed_total", "Events that slow listeners missed.", events.missed);
    metrics_gauge(&out, "reads_waiting", "Reads that wait for a thread.",
                  (double)readers_waiting(request->config->readers));
    metrics_counter(&out, "log_dropped_total", "Log records that could not be written.", log_dropped());
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
    struct shard_view view;

    metrics->has_net = api->net != NULL;
    if (metrics->has_net) { /* here, on one of its loops, where it certainly is */
        net_server_figures(api->net, &metrics->net);
    }
    request->state = metrics;
    shard_look(api->config.shard, &view);
    if (view.state == SHARD_SERVING) {
        api_look(request, metrics_look);
    } else {
        api_read(request, metrics_read); /* without an engine there is still a server */
    }
}
