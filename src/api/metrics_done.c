/* What was done since the start, by tenant, type and pool. */
#include <inttypes.h>

#include "api/inside.h"
#include "api/metrics.h"
#include "api/metrics_text.h"
#include "api/observe.h"

#define MS_PER_S 1e3

/* Names need no escapes: model/name.h lets in nothing that does. The first row has none: it is of all who came when
 * there were COUNTERS_SERIES_MAX already. */
static void put_labels(struct buf *out, const char *name, const struct counters_row *row)
{
    const struct str other = STR(METRICS_OTHER);
    bool is_other = str_empty(row->place.tenant);

    buf_printf(out, "belfry_%s{tenant=\"%.*s\",type=\"%.*s\",pool=\"%.*s\"", name,
               STR_ARGS(is_other ? other : row->place.tenant), STR_ARGS(is_other ? other : row->place.type),
               STR_ARGS(is_other ? other : row->place.pool));
}

static void put_series(struct buf *out, const char *name, const char *help, const struct counters_row *rows,
                       size_t count, uint64_t (*value)(const struct tally *tally))
{
    metrics_head(out, name, "counter", help);
    for (size_t i = 0; i < count; i++) {
        put_labels(out, name, &rows[i]);
        buf_printf(out, "} %" PRIu64 "\n", value(&rows[i].tally));
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

/* Success and failure are always there, so that the first of them is seen as a change; the others where they were. */
static void put_attempts(struct buf *out, const struct counters_row *rows, size_t count)
{
    metrics_head(out, "attempts_finished_total", "counter", "Attempts that ended, by how they did.");
    for (size_t i = 0; i < count; i++) {
        for (int state = ATTEMPT_SUCCEEDED; state <= ATTEMPT_CANCELLED; state++) {
            uint64_t number = rows[i].tally.attempts[state];

            if (number > 0 || state == ATTEMPT_SUCCEEDED || state == ATTEMPT_FAILED) {
                put_labels(out, "attempts_finished_total", &rows[i]);
                buf_printf(out, ",status=\"%s\"} %" PRIu64 "\n", attempt_state_text((enum attempt_state)state), number);
            }
        }
    }
}

void metrics_put_done(struct buf *out, struct api_request *request, const struct metrics *metrics)
{
    struct counters_row *rows;
    size_t count = counters_rows(request->api->observe->counters, request->arena, &rows);
    struct tally all = {0};

    put_series(out, "jobs_created_total", "Jobs created.", rows, count, value_of_created);
    put_series(out, "triggers_created_total", "Triggers made, of any kind.", rows, count, value_of_fired);
    put_series(out, "claims_total", "Attempts that workers were given.", rows, count, value_of_started);
    put_series(out, "retries_total", "Attempts that were not the first of their trigger.", rows, count,
               value_of_retried);
    put_series(out, "dead_lettered_total", "Triggers that became dead letters.", rows, count, value_of_dead);
    put_series(out, "fires_skipped_total", "Fires that were decided not to run.", rows, count, value_of_skipped);
    put_attempts(out, rows, count);
    for (size_t i = 0; i < count; i++) {
        tally_merge(&all, &rows[i].tally);
    }
    metrics_histogram(out, "trigger_lag_seconds", "From due to the start of the first attempt.", &all.lag, MS_PER_S);
    metrics_histogram(out, "attempt_duration_seconds", "How long attempts took.", &all.duration, MS_PER_S);
    metrics_counter(out, "lease_expirations_total", "Attempts whose lease ended without a word.",
                    all.attempts[ATTEMPT_LOST]);
    if (metrics->depths.is_known) {
        metrics_gauge(out, "dead_letters", "Dead letters that were not replayed, counted up to 10000.",
                      (double)metrics->depths.dead);
    }
}
