/* How long jobs run: by their own newest runs, else by those of their type. */
#include <stdlib.h>

#include "api/counters.h"
#include "api/forecast.h"
#include "api/inside.h"
#include "api/observe.h"
#include "base/chrono.h"
#include "base/mem.h"

/* Jobs whose own history is read, and how much of it; together well under a second. */
#define MEASURED_MAX 500
#define RUNS_MAX 20
#define READING_MAX_MS 500
/* Fewer runs say little about the slowest of them. */
#define RUNS_MIN 1
#define DAY_MS (INT64_C(24) * 3600 * 1000)

static int shorter_first(const void *key_a, const void *key_b)
{
    int64_t a = *(const int64_t *)key_a, b = *(const int64_t *)key_b;

    return (a > b) - (a < b);
}

/* What ended well: what failed at once or was cut off says nothing of the next run. */
static bool measure(struct api_request *request, struct store_reader *reader, struct forecast_job *job)
{
    const struct query query = {
        .kind = QUERY_TRIGGERS, .id = job->id, .limit = RUNS_MAX, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    SCOPE(rows_done) struct rows rows;
    int64_t runs_ms[RUNS_MAX];
    size_t count = 0;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    for (size_t i = 0; i < rows.triggers.count && count < RUNS_MAX; i++) {
        const struct attempt_row *last = &rows.triggers.items[i].last;

        if (rows.triggers.items[i].state == TRIGGER_SUCCEEDED && last->number > 0 && last->started_ms != TIME_NONE &&
            last->ended_ms >= last->started_ms) {
            runs_ms[count++] = last->ended_ms - last->started_ms;
        }
    }
    if (count >= RUNS_MIN) {
        qsort(runs_ms, count, sizeof runs_ms[0], shorter_first);
        job->source = FORECAST_MEASURED;
        job->median_ms = runs_ms[count / 2];
        job->p95_ms = runs_ms[(count * 95 + 99) / 100 - 1];
    }
    return true;
}

static void measure_by_type(const struct counters_row *types, size_t type_count, struct forecast_job *job)
{
    for (size_t i = 0; i < type_count && job->source == FORECAST_UNKNOWN; i++) {
        const struct histogram *duration = &types[i].tally.duration;

        if (str_equal(types[i].place.type, job->type) && histogram_count(duration) > 0) {
            job->source = FORECAST_BY_TYPE;
            job->median_ms = histogram_quantile(duration, 0.5);
            job->p95_ms = histogram_quantile(duration, 0.95);
        }
    }
}

bool forecast_read_runs(struct api_request *request, struct store_reader *reader, struct forecast_job *jobs,
                        size_t count, int64_t now_ms)
{
    const struct counters_filter everything = {0};
    int64_t end_mono_ms = chrono_mono_ms() + READING_MAX_MS;
    struct counters_row *types;
    size_t type_count = counters_rows_by(request->api->observe->counters, COUNTERS_BY_TYPE, &everything,
                                         now_ms - DAY_MS, now_ms + 1, request->arena, &types);
    size_t measured = 0;

    for (size_t i = 0; i < count; i++) {
        bool may_measure =
            jobs[i].schedule->kind != SCHEDULE_ONCE && measured < MEASURED_MAX && chrono_mono_ms() < end_mono_ms;

        if (may_measure) {
            measured++;
            if (!measure(request, reader, &jobs[i])) {
                return false;
            }
        }
        measure_by_type(types, type_count, &jobs[i]);
    }
    return true;
}
