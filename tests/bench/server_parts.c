#include "server_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "measure.h"
#include "server_crew.h"

/* What everything that was sent takes to arrive and be waited for. */
#define SETTLE_MS 1000

/* ---- runs ---- */

void run_start(struct run *run, const struct bench *bench)
{
    *run = (struct run){.bench = bench, .served.store = bench->store};
    served_make_folder(&run->served, bench->below);
    served_start(&run->served, bench->binary);
    run->client = http_client_new(run->served.port, run->served.token);
    run_mark(run);
}

void run_stop(struct run *run)
{
    http_client_free(run->client);
    served_stop(&run->served);
    served_remove_folder(&run->served);
}

void run_mark(struct run *run)
{
    run->server_from = served_usage(&run->served);
    run->own_from = own_usage();
}

void run_settle(const struct run *run)
{
    for (int64_t until_ms = chrono_mono_ms() + SETTLE_MS; chrono_mono_ms() < until_ms;) {
        http_run(run->client, SETTLE_MS / 10);
    }
}

double run_wall_s(const struct run *run)
{
    return (double)chrono_mono_ns() / 1e9 - run->server_from.wall_s;
}

void run_tell(const struct run *run, const char *what, double figure, const char *unit, enum goal kind, double goal,
              double count)
{
    struct usage server = served_usage(&run->served);
    struct usage own = own_usage();
    double cpu_s = server.cpu_s - run->server_from.cpu_s;
    bool is_min = kind == GOAL_AT_LEAST;
    const char *verdict = is_min ? measure_verdict(goal, figure) : measure_verdict(figure, goal);

    (void)printf("%-44s %10.*f %-7s goal %s %g: %-6s | %6.2f s wall, server %6.2f s cpu", what, figure < 1000 ? 2 : 0,
                 figure, unit, is_min ? ">=" : "<=", goal, verdict, server.wall_s - run->server_from.wall_s, cpu_s);
    if (count > 0) {
        (void)printf(" (%.1f us each)", cpu_s * 1e6 / count);
    }
    (void)printf(", client %.2f s cpu\n", own.cpu_s - run->own_from.cpu_s);
    (void)fflush(stdout);
}

/* ---- samples ---- */

void samples_add(struct samples *samples, double ms)
{
    if (samples->count == samples->room) {
        samples->room = samples->room == 0 ? 1024 : samples->room * 2;
        samples->ms = mem_realloc_array(samples->ms, samples->room, sizeof *samples->ms);
    }
    samples->ms[samples->count++] = ms;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double samples_at(struct samples *samples, double portion)
{
    if (samples->count == 0) {
        return 0;
    }
    qsort(samples->ms, samples->count, sizeof *samples->ms, by_size);
    size_t at = (size_t)(portion * (double)samples->count);

    return samples->ms[at < samples->count ? at : samples->count - 1];
}

void samples_done(struct samples *samples)
{
    mem_free(samples->ms);
    *samples = (struct samples){0};
}

/* ---- time ---- */

double precise_wall_ms(void)
{
    static double offset_ms;

    if (offset_ms == 0) { /* the moment at which a new millisecond begins */
        int64_t before_ms = chrono_wall_ms();
        int64_t now_ms = before_ms;

        while (now_ms == before_ms) {
            now_ms = chrono_wall_ms();
        }
        offset_ms = (double)now_ms - (double)chrono_mono_ns() / 1e6;
    }
    return offset_ms + (double)chrono_mono_ns() / 1e6;
}

double attempt_lag_ms(struct str attempt)
{
    double now_ms = precise_wall_ms();
    int64_t scheduled_ms;
    struct error error;

    if (instant_parse(crew_field(attempt, "scheduled_for"), &scheduled_ms, &error) != ERR_OK) {
        (void)fprintf(stderr, "bench_server: an attempt without scheduled_for: %s\n", error.text);
        exit(1);
    }
    return now_ms - (double)scheduled_ms;
}
