/* The jobs of a forecast. */
#include <stdlib.h>

#include "api/forecast.h"
#include "api/coming.h"
#include "api/scheduled.h"
#include "base/chrono.h"
#include "base/mem.h"

#define HOUR_MS (INT64_C(3600) * 1000)
/* Counted to know how many of each place to read. */
#define WAKES_MAX 100000
/* A definition while it is read; what is kept of it is less than a kilobyte. */
#define READING_BYTES_MAX (8 * 1024 * 1024)

static struct str keep(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

/* Of a row that can be read, what the forecast needs. */
static void take_job(struct api_request *request, const struct job_row *row, struct arena *reading,
                     struct forecast_input *input, struct forecast_job *jobs)
{
    struct scheduled scheduled;

    if (input->job_count == FORECAST_JOBS_MAX || row->cursor_ms == TIME_NONE || row->status != JOB_ACTIVE) {
        return;
    }
    arena_reset(reading);
    if (scheduled_read(row, request->config->zones, reading, &scheduled, NULL) != ERR_OK || !scheduled.has_schedule) {
        return;
    }
    struct schedule *schedule = arena_alloc(request->arena, sizeof *schedule);

    *schedule = scheduled.schedule;
    jobs[input->job_count++] = (struct forecast_job){.id = row->id,
                                                     .tenant = keep(request->arena, row->place.tenant),
                                                     .name = keep(request->arena, row->name),
                                                     .type = keep(request->arena, row->place.type),
                                                     .pool = keep(request->arena, row->place.pool),
                                                     .schedule = schedule,
                                                     .overlap = scheduled.def.overlap,
                                                     .cursor_ms = row->cursor_ms,
                                                     .fired = row->fired};
}

static int earliest_first(const void *key_a, const void *key_b)
{
    const struct job_row *a = key_a, *b = key_b;

    return a->wake_ms != b->wake_ms ? (a->wake_ms > b->wake_ms) - (a->wake_ms < b->wake_ms)
                                    : (a->id > b->id) - (a->id < b->id);
}

static void take_rows(struct api_request *request, struct rows *rows, struct forecast_input *input,
                      struct forecast_job *jobs)
{
    SCOPE(arena_done) struct arena reading;

    arena_init(&reading, 16 * 1024, READING_BYTES_MAX);
    if (rows->jobs.count > 0) {
        qsort(rows->jobs.items, rows->jobs.count, sizeof *rows->jobs.items, earliest_first);
    }
    for (size_t i = 0; i < rows->jobs.count; i++) {
        take_job(request, &rows->jobs.items[i], &reading, input, jobs);
    }
    for (size_t i = 0; i < rows->places.count; i++) {
        int64_t wake_ms = rows->places.items[i].wake_ms;

        input->cut_ms = wake_ms < input->cut_ms ? wake_ms : input->cut_ms;
    }
}

bool forecast_read_jobs(struct api_request *request, struct store_reader *reader, struct forecast_input *input)
{
    const struct coming coming = {.now_ms = input->now_ms,
                                  .to_ms = input->to_ms,
                                  .step_ms = HOUR_MS,
                                  .wakes_max = WAKES_MAX,
                                  .jobs_max = FORECAST_JOBS_MAX - 1000,
                                  .begun_mono_ms = chrono_mono_ms()};
    struct forecast_job *jobs = arena_alloc_array(request->arena, FORECAST_JOBS_MAX, sizeof *jobs);
    SCOPE(coming_done) struct coming_rows rows;
    struct error error = {0};

    coming_init(&rows);
    input->jobs = jobs;
    input->cut_ms = input->to_ms;
    enum store_outcome outcome = coming_read(reader, &coming, &rows, &error);

    if (outcome != STORE_DONE) {
        api_refuse_read(request, outcome, &error);
        return false;
    }
    take_rows(request, &rows.overdue, input, jobs);
    take_rows(request, &rows.jobs, input, jobs);
    if (rows.wakes.has_more) {
        input->cut_ms = input->now_ms;
    }
    return forecast_read_runs(request, reader, jobs, input->job_count, input->now_ms);
}
