#include "forecast/forecast.h"

#include <assert.h>

#include "base/mem.h"
#include "forecast/inside.h"
#include "model/rows.h"

/* Lists at their maxima with names of 400 bytes take 2 MiB; runs that go on at once 4 MiB for each pool. */
#define BYTES_MAX (512UL * 1024 * 1024)

struct str forecast_keep(struct forecast *forecast, struct str text)
{
    return (struct str){arena_strdup_str(&forecast->arena, text), text.len};
}

struct forecast_name forecast_name_of(struct forecast *forecast, const struct forecast_job *job)
{
    return (struct forecast_name){
        .job = job->id, .tenant = forecast_keep(forecast, job->tenant), .name = forecast_keep(forecast, job->name)};
}

static void count_sources(struct forecast *forecast, const struct forecast_input *input)
{
    for (size_t i = 0; i < input->job_count; i++) {
        switch (input->jobs[i].source) {
        case FORECAST_UNKNOWN:
            forecast->unknown++;
            break;
        case FORECAST_BY_TYPE:
            forecast->by_type++;
            break;
        case FORECAST_MEASURED:
            forecast->measured++;
            break;
        }
    }
}

struct forecast *forecast_new(const struct forecast_input *input)
{
    struct forecast *forecast = mem_zalloc(sizeof *forecast);
    struct forecast_minutes minutes = {.from_ms = wake_step(input->now_ms, FORECAST_MINUTE_MS)};

    assert(input->to_ms > input->now_ms && input->job_count <= FORECAST_JOBS_MAX &&
           input->pool_count <= FORECAST_POOLS_MAX);
    arena_init(&forecast->arena, 256 * 1024, BYTES_MAX);
    forecast->now_ms = input->now_ms;
    forecast->to_ms = input->to_ms;
    forecast->complete_to_ms = input->cut_ms < input->to_ms ? input->cut_ms : input->to_ms;
    if (forecast->complete_to_ms < input->now_ms) { /* what is overdue was cut */
        forecast->complete_to_ms = input->now_ms;
    }
    forecast->jobs = input->job_count;
    count_sources(forecast, input);
    minutes.count = (size_t)((input->to_ms - minutes.from_ms) / FORECAST_MINUTE_MS) + 1;
    minutes.counts = arena_zalloc(&forecast->arena, minutes.count * sizeof *minutes.counts);
    forecast_play(forecast, input, &minutes);
    forecast_find_herds(forecast, input, &minutes);
    forecast_find_changes(forecast, input);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    arena_done(&forecast->arena);
    mem_free(forecast);
}
