/* The machinery: the store, who owns it, loops, connections, housekeeping. */
#include <inttypes.h>

#include "api/alerts.h"
#include "api/inside.h"
#include "api/metrics.h"
#include "api/metrics_text.h"
#include "api/observe.h"
#include "api/pacer.h"
#include "api/relay.h"
#include "api/tracer.h"
#include "base/log.h"

#define US_PER_S 1e6
#define MS_PER_S 1e3

/* ---- the store ---- */

static void put_batches(struct buf *out, struct observe *observe, const struct shard_view *view)
{
    struct counters_batches batches;

    counters_batches(observe->counters, &batches);
    metrics_counter(out, "batches_total", "Batches committed.", batches.batches);
    metrics_counter(out, "operations_total", "Operations in them.", batches.operations);
    metrics_counter(out, "batch_bytes_total", "Memory that they took.", batches.bytes);
    metrics_histogram(out, "batch_operations", "Operations in a batch.", &batches.sizes, 1);
    metrics_histogram(out, "commit_duration_seconds", "How long a commit took.", &batches.commits_us, US_PER_S);
    metrics_gauge(out, "commit_max_seconds", "The longest commit so far.", (double)view->commit_max_us / US_PER_S);
    metrics_head(out, "fires_skipped_by_reason_total", "counter", "Fires that were decided not to run, by why.");
    for (int reason = 0; reason < COUNTERS_SKIP_REASONS; reason++) {
        buf_printf(out, "belfry_fires_skipped_by_reason_total{reason=\"%s\"} %" PRIu64 "\n",
                   skip_reason_text((enum skip_reason)reason), batches.skipped[reason]);
    }
}

static void put_store(struct buf *out, const struct metrics *metrics)
{
    bool is_up = metrics->shard.state == SHARD_STANDBY ||
                 (metrics->shard.state == SHARD_SERVING && (metrics->depths.is_up || !metrics->depths.is_known));

    metrics_gauge(out, "store_up", "1 while the store works.", is_up ? 1 : 0);
    if (metrics->depths.is_known && metrics->depths.has_size) {
        metrics_gauge(out, "store_bytes", "What the store takes on disk.", (double)metrics->depths.store_bytes);
    }
}

static void put_owner(struct buf *out, const struct shard_view *view)
{
    metrics_gauge(out, "shard_owned", "1 where this server owns the shard.", view->state == SHARD_SERVING ? 1 : 0);
    metrics_counter(out, "store_rewinds_total", "Times that the database was behind what had been seen of it.",
                    view->rewinds);
    metrics_counter(out, "store_lost_batches_total", "Batches that were missing then.", view->lost_batches);
    metrics_gauge(out, "shard_epoch", "How often the shard was taken, as this server knows.", (double)view->epoch);
    metrics_counter(out, "engine_restarts_total", "How often the engine was made anew after a failure.",
                    view->restarts);
    metrics_head(out, "owner_errors_total", "counter",
                 "Failures of the store that the owner met in commits, loads, renewals and starts, by kind.");
    for (int outcome = STORE_DOWN; outcome <= STORE_BROKEN; outcome++) {
        buf_printf(out, "belfry_owner_errors_total{kind=\"%s\"} %" PRIu64 "\n",
                   store_outcome_text((enum store_outcome)outcome), view->failures[outcome]);
    }
    metrics_histogram(out, "engine_lag_seconds", "How late the engine was for what the time brings.", &view->lag,
                      MS_PER_S);
    metrics_gauge(out, "calls", "Calls of the engine under way.", (double)view->calls);
}

/* ---- HTTP ---- */

static void put_net(struct buf *out, const struct net_figures *net)
{
    metrics_gauge(out, "http_connections", "Connections that are open.", (double)net->connections_open);
    metrics_counter(out, "http_connections_total", "Connections accepted.", net->connections_total);
    metrics_counter(out, "http_connections_refused_total", "Connections refused by limits.", net->connections_refused);
    metrics_counter(out, "http_requests_total", "Requests read.", net->requests_total);
    metrics_gauge(out, "http_requests_waiting", "Requests that wait for their answer.", (double)net->requests_waiting);
    metrics_counter(out, "http_requests_gone_total", "Clients that went while they waited.", net->requests_gone);
    metrics_counter(out, "http_requests_refused_total", "Requests refused unread.", net->requests_refused);
    metrics_counter(out, "http_timeouts_total", "Connections cut off for being slow.", net->timeouts);
    metrics_gauge(out, "http_streams", "Event streams that are open.", (double)net->streams_open);
    metrics_counter(out, "http_bytes_in_total", "Bytes of bodies received.", net->bytes_in);
    metrics_counter(out, "http_bytes_out_total", "Bytes of bodies sent.", net->bytes_out);
    metrics_histogram(out, "net_lag_seconds", "How late the loops of connections were for their rounds.", &net->lag,
                      MS_PER_S);
}

/* ---- housekeeping ---- */

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

static void put_relay(struct buf *out, struct relay *relay)
{
    struct relay_figures figures;

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

static void put_events(struct buf *out, struct events *events)
{
    struct events_figures figures;

    events_figures(events, &figures);
    metrics_gauge(out, "event_listeners", "Who listens to events.", (double)figures.listeners);
    metrics_counter(out, "events_told_total", "Events told.", figures.told);
    metrics_counter(out, "events_missed_total", "Events that slow listeners missed.", figures.missed);
}

static void put_alerts(struct buf *out, struct alerts *alerts)
{
    struct alerts_view view;

    if (alerts == NULL) {
        return;
    }
    alerts_look(alerts, &view);
    metrics_head(out, "alert_firing", "gauge", "1 for each alert of the server's own that fires.");
    for (int i = 0; i < ALERTS; i++) {
        buf_printf(out, "belfry_alert_firing{alert=\"%s\"} %d\n", alert_rules[i].name,
                   view.states[i].is_firing ? 1 : 0);
    }
    metrics_counter(out, "alerts_sent_total", "Messages that the webhook took.", view.sent);
    metrics_counter(out, "alert_send_failures_total", "Attempts to send one that failed.", view.failed);
    metrics_counter(out, "alerts_dropped_total", "Messages that were given up.", view.dropped);
}

static void put_spans(struct buf *out, struct tracer *tracer)
{
    struct exporter_figures figures;

    tracer_look(tracer, &figures);
    metrics_counter(out, "spans_exported_total", "Spans that the collector took.", figures.sent);
    metrics_counter(out, "spans_dropped_total", "Spans that it never will.", figures.dropped);
    metrics_counter(out, "span_export_failures_total", "Requests to the collector that failed.", figures.failed);
    metrics_gauge(out, "spans_waiting", "Spans that wait to be sent.", (double)figures.queued);
}

void metrics_put_inside(struct buf *out, struct api_request *request, const struct metrics *metrics)
{
    put_store(out, metrics);
    put_owner(out, &metrics->shard);
    put_batches(out, request->api->observe, &metrics->shard);
    put_pacer(out, request->api->pacer);
    put_retention(out, request->config->retention);
    put_zones(out, request->config->rezone);
    put_relay(out, request->api->relay);
    if (metrics->has_net) {
        put_net(out, &metrics->net);
    }
    put_events(out, request->api->observe->events);
    put_alerts(out, request->api->alerts);
    put_spans(out, request->api->tracer);
    metrics_gauge(out, "reads_waiting", "Reads that wait for a thread.",
                  (double)readers_waiting(request->config->readers));
    metrics_counter(out, "log_dropped_total", "Log records that could not be written.", log_dropped());
}
