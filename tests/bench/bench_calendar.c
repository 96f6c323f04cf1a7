/* bench_calendar: how fast the calendar is, beside its targets.
 *
 *     ./dev bench calendar [PART...]      parts: next prev count parse zone naive worst; without one, all
 *
 * One core; nanoseconds for each call and millions of calls a second. The number of instructions, which no neighbour
 * on the machine can change:
 *
 *     valgrind --tool=callgrind --toggle-collect=cron_next build/tests/bench/bench_calendar next
 *
 * The figure behind "Collected" divided by the number of calls, which the part prints in its last line.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "calendar/cron_fire.h"
#include "calendar/expression.h"
#include "calendar/zone_cache.h"
#include "calendar_runs.h"
#include "measure.h"
#include "naive.h"
#include "worst.h"

/* Many short runs of the same work: one of them is left alone by the rest of the machine. */
#define REPEATS 30
#define CALLS 4096
#define CALLS_COUNT 512
#define CALLS_NAIVE 20
#define REPEATS_SLOW 5
#define TARGET_MILLIONS 2.0
#define TARGET_NS (1000.0 / TARGET_MILLIONS)
#define SEED 20260408

static const char *const expressions[] = {
    "*/15 * * * *",  "* * * * *",    "0 * * * *",      "0 9 * * MON-FRI",  "0 0 1 * *",      "30 2 * * *",
    "0 0 * * 0",     "0 0 1,15 * 5", "0 0 1 1 *",      "*/5 8-18 * * 1-5", "0/10 * * * * ?", "0 0 9 L * ?",
    "0 0 9 ? * 6#3", "0 0 9 LW * ?", "0 30 2 15W * ?", "0 0 12 ? * 6L",
};
#define EXPRESSIONS (sizeof expressions / sizeof expressions[0])

static const char *const zone_names[] = {"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"};
#define ZONES (sizeof zone_names / sizeof zone_names[0])

struct bench {
    struct zone_cache *cache;
    const struct zone *zones[ZONES];
    int64_t instants_s[RANDOM_INSTANTS];
};

/* False, with a message, where the expression cannot be read: a mistake in this file. */
static bool fill_cell(struct cell *cell, const struct bench *bench, const char *text, const struct zone *zone)
{
    struct expression expression;
    struct error error;

    if (expression_parse(str_from(text), STR("seed"), &expression, &error) != ERR_OK) {
        printf("%s: %s\n", text, error.text);
        return false;
    }
    *cell = (struct cell){.text = text, .cron = expression.cron, .instants_s = bench->instants_s};
    cell->clock = (struct cron_clock){.cron = &cell->cron, .zone = zone};
    return true;
}

static void print_head(const char *title)
{
    printf("\n%s\n%-20s", title, "");
    for (size_t i = 0; i < ZONES; i++) {
        printf("%23s", zone_names[i]);
    }
    printf("\n");
}

/* All expressions in all zones; has_target: each cell ought to reach TARGET_MILLIONS. */
static void print_table(const struct bench *bench, const char *title, measured *run, size_t calls, bool has_target)
{
    struct cell cell;
    double slowest_ns = 0;
    const char *slowest = "";

    print_head(title);
    for (size_t e = 0; e < EXPRESSIONS; e++) {
        printf("%-20s", expressions[e]);
        for (size_t z = 0; z < ZONES && fill_cell(&cell, bench, expressions[e], bench->zones[z]); z++) {
            double ns = measure_ns(run, &cell, calls, REPEATS);

            printf("%8.0f ns %7.1f M/s", ns, measure_millions(ns));
            slowest = ns > slowest_ns ? expressions[e] : slowest;
            slowest_ns = ns > slowest_ns ? ns : slowest_ns;
        }
        printf("\n");
    }
    printf("slowest: %.1f M/s, %s", measure_millions(slowest_ns), slowest);
    if (has_target) {
        printf("; target >= %.0f M/s (%.0f ns): %s", TARGET_MILLIONS, TARGET_NS,
               measure_verdict(slowest_ns, TARGET_NS));
    }
    printf("\n");
}

static void bench_next(const struct bench *bench)
{
    run_next_calls = 0;
    print_table(bench, "next fire, each from the one before", run_next_chain, CALLS, true);
    print_table(bench, "next fire after a random instant", run_next_random, CALLS, true);
    printf("%zu calls of cron_next\n", run_next_calls);
}

static void bench_prev(const struct bench *bench)
{
    print_table(bench, "previous fire, each from the one after", run_prev_chain, CALLS, true);
    print_table(bench, "previous fire before a random instant", run_prev_random, CALLS, true);
}

static void bench_count(const struct bench *bench)
{
    static const char *const asked[] = {"*/15 * * * *", "0 9 * * MON-FRI", "0-59 0-59 0-23 * * ?"};
    struct cell cell;

    print_table(bench, "number of fires in a year", run_count_year, CALLS_COUNT, false);
    printf("\nnumber of fires from %d to %d in America/New_York, gap shift, fold both\n", YEAR_MIN, YEAR_MAX);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0] && fill_cell(&cell, bench, asked[i], bench->zones[1]); i++) {
        cell.clock.dst = (struct dst){.gap = DST_GAP_SHIFT, .fold = DST_FOLD_BOTH};
        printf("%-20s%8.1f us\n", asked[i], measure_ns(run_count_always, &cell, 1, REPEATS_SLOW) / 1000.0);
    }
}

static void bench_parse(const struct bench *bench)
{
    struct cell cell;

    printf("\nparsing an expression\n");
    for (size_t e = 0; e < EXPRESSIONS && fill_cell(&cell, bench, expressions[e], bench->zones[0]); e++) {
        double ns = measure_ns(run_parse, &cell, CALLS, REPEATS);

        printf("%-20s%8.0f ns %7.1f M/s\n", expressions[e], ns, measure_millions(ns));
    }
}

static void bench_zone(const struct bench *bench)
{
    measured *const runs[] = {run_look_up_local, run_look_up_utc};
    const char *const titles[] = {"UTC to local", "local to UTC"};
    struct cell cell;

    print_head("zone look-up of a random instant");
    for (size_t i = 0; i < 2; i++) {
        printf("%-20s", titles[i]);
        for (size_t z = 0; z < ZONES && fill_cell(&cell, bench, expressions[0], bench->zones[z]); z++) {
            double ns = measure_ns(runs[i], &cell, CALLS, REPEATS);

            printf("%8.0f ns %7.1f M/s", ns, measure_millions(ns));
        }
        printf("\n");
    }
}

static bool naive_agrees(const struct cell *cell)
{
    int64_t ours_s = CHAIN_START_S;
    int64_t naive_s = CHAIN_START_S;
    bool agrees = true;

    for (size_t i = 0; agrees && i < CALLS_NAIVE; i++) {
        agrees = cron_next(&cell->clock, ours_s, &ours_s) &&
                 naive_next(&cell->cron, cell->clock.zone, naive_s, &naive_s) && ours_s == naive_s;
    }
    return agrees;
}

/* What the table of next fires is worth: the same question answered minute by minute. */
static void bench_naive(const struct bench *bench)
{
    static const char *const asked[] = {"*/15 * * * *", "0 * * * *", "0 9 * * MON-FRI", "0 9 1 * *"};
    struct cell cell;

    printf("\nnext fire in America/New_York, each from the one before, beside a search minute by minute\n");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0] && fill_cell(&cell, bench, asked[i], bench->zones[1]); i++) {
        double ours_ns = measure_ns(run_next_chain, &cell, CALLS, REPEATS);
        double naive_ns = measure_ns(run_naive_chain, &cell, CALLS_NAIVE, REPEATS_SLOW);

        printf("%-20s%8.0f ns %12.0f ns by the minute, %.0f times as long%s\n", asked[i], ours_ns, naive_ns,
               naive_ns / ours_ns, naive_agrees(&cell) ? "" : "; AND ANOTHER ANSWER");
    }
}

static void bench_worst(const struct bench *bench)
{
    printf("\nthe worst valid expression\n");
    worst_print(bench->cache);
}

static const struct part {
    const char *name;
    void (*run)(const struct bench *bench);
} parts[] = {
    {"next", bench_next}, {"prev", bench_prev},   {"count", bench_count}, {"parse", bench_parse},
    {"zone", bench_zone}, {"naive", bench_naive}, {"worst", bench_worst},
};

static bool is_wanted(const char *name, int argc, char **argv)
{
    bool wanted = argc < 2;

    for (int i = 1; i < argc; i++) {
        wanted |= strcmp(argv[i], name) == 0;
    }
    return wanted;
}

static bool prepare(struct bench *bench)
{
    struct rng rng;
    struct error error;

    rng_init(&rng, SEED);
    for (size_t i = 0; i < RANDOM_INSTANTS; i++) {
        bench->instants_s[i] = rng_between(&rng, TIME_START_S, CHAIN_END_S);
    }
    for (size_t i = 0; i < ZONES; i++) {
        if (zone_cache_get(bench->cache, str_from(zone_names[i]), &bench->zones[i], &error) != ERR_OK) {
            (void)fprintf(stderr, "bench_calendar: %s\n", error.text);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    size_t run = 0;

    bench.cache = zone_cache_new(NULL);
    bool ready = prepare(&bench);
    for (size_t i = 0; ready && i < sizeof parts / sizeof parts[0]; i++) {
        if (is_wanted(parts[i].name, argc, argv)) {
            parts[i].run(&bench);
            run++;
        }
    }
    zone_cache_free(bench.cache);
    if (ready && run == 0) {
        (void)fprintf(stderr, "bench_calendar: no such part; there are next, prev, count, parse, zone, naive, worst\n");
    }
    return run > 0 ? 0 : 1;
}
