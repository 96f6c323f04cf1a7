#include "store_scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "store_files.h"

/* ---- history ---- */

/* Finishes count jobs that are in no other table: nothing but history. */
static void add_history(struct store *store, uint64_t *number, uint64_t *next, size_t count)
{
    const size_t at_once = 5000;

    for (size_t done = 0; done < count; done += at_once) {
        struct batch batch;
        struct claim none[1];

        batch_init(&batch, ++*number);
        work_create(&batch, *next, at_once, TIME_NONE, 0);
        work_claim(&batch, *next, 0, none);
        work_finish(&batch, *next, at_once);
        (void)bench_commit(store, &batch);
        batch_done(&batch);
        *next += at_once;
    }
}

/* Creates jobs that are due, then, as an engine does, loads them, claims them and finishes them; prints each. */
static void time_claims(struct store *store, uint64_t *number, uint64_t *next, const char *what)
{
    const size_t count = 500;
    const int rounds = 40;
    SCOPE_FREE struct claim *claims = mem_alloc_array(count, sizeof *claims);
    int64_t load_ns = 0;
    int64_t claim_ns = 0;
    int64_t finish_ns = 0;

    for (int round = 0; round < rounds; round++) {
        struct batch batch;
        struct rows rows;
        struct error error = {0};
        const struct load load = {.kind = LOAD_WINDOW,
                                  .place = work_place(*next),
                                  .after_ms = TIME_NONE,
                                  .until_ms = INT64_MAX,
                                  .limit = count};

        batch_init(&batch, ++*number);
        work_create(&batch, *next, count, WORK_NOW_MS, 0);
        (void)bench_commit(store, &batch);
        batch_done(&batch);
        rows_init(&rows);
        load_ns -= chrono_mono_ns();
        bench_want(store_load(store, &load, &rows, &error), &error);
        load_ns += chrono_mono_ns();
        rows_done(&rows);
        batch_init(&batch, ++*number);
        work_claim(&batch, *next, count, claims);
        claim_ns += bench_commit(store, &batch);
        batch_done(&batch);
        batch_init(&batch, ++*number);
        work_finish(&batch, *next, count);
        finish_ns += bench_commit(store, &batch);
        batch_done(&batch);
        *next += count;
    }
    const double each_us = 1e-3 / rounds;

    (void)printf("%-28s %12.0f %12.0f %12.0f\n", what, (double)load_ns * each_us, (double)claim_ns * each_us,
                 (double)finish_ns * each_us);
}

void bench_history(size_t rows)
{
    uint64_t number = 1;
    uint64_t next = WORK_PLACES;
    char what[64];

    bench_folder_make();
    struct store *store = bench_store_open("store.db", false);

    bench_prepare(store);
    (void)printf("%-28s %12s %12s %12s   (us for each 500)\n", "history", "load window", "claim", "finish");
    add_history(store, &number, &next, 10000);
    time_claims(store, &number, &next, "10000 rows");
    add_history(store, &number, &next, rows);
    (void)snprintf(what, sizeof what, "%zu rows", rows + 10000);
    time_claims(store, &number, &next, what);
    store_close(store);
    bench_folder_remove();
}

/* ---- memory ---- */

#define DAY_MS INT64_C(86400000)

static void fill_ahead(size_t jobs)
{
    const size_t at_once = 10000;
    struct store *store = bench_store_open("store.db", true);
    uint64_t number = 0;

    for (size_t done = 0; done < jobs; done += at_once) {
        struct batch batch;

        batch_init(&batch, ++number);
        work_create(&batch, done, at_once, WORK_NOW_MS, DAY_MS);
        (void)bench_commit(store, &batch);
        batch_done(&batch);
    }
    store_close(store);
}

/* In another process, whose memory does not count. */
static void fill_apart(size_t jobs)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        fill_ahead(jobs);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        (void)fprintf(stderr, "bench_store: the jobs could not be made\n");
        exit(1);
    }
}

static long resident_kb(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    long kb = 0;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "VmRSS:", 6) == 0) {
            kb = strtol(line + 6, NULL, 10);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kb;
}

static double since_ms(int64_t began_ns)
{
    return (double)(chrono_mono_ns() - began_ns) / 1e6;
}

/* The first ten minutes of every place, in pages. */
static size_t load_windows(struct store *store, const struct rows *start)
{
    size_t jobs = 0;

    for (size_t i = 0; i < start->places.count; i++) {
        const struct load load = {.kind = LOAD_WINDOW,
                                  .place = start->places.items[i].place,
                                  .after_ms = TIME_NONE,
                                  .until_ms = WORK_NOW_MS + 600000,
                                  .limit = 1000000};
        struct error error = {0};
        struct rows rows;

        rows_init(&rows);
        bench_want(store_load(store, &load, &rows, &error), &error);
        jobs += rows.jobs.count;
        rows_done(&rows);
    }
    return jobs;
}

void bench_memory(size_t jobs)
{
    const struct load load = {.kind = LOAD_START};
    struct error error = {0};
    struct stat file;
    struct rows rows;

    bench_folder_make();
    fill_apart(jobs);
    if (stat(bench_path("store.db"), &file) != 0) {
        perror("store.db");
        exit(1);
    }
    (void)printf("%zu jobs a day ahead: a file of %ld MB\n", jobs, (long)(file.st_size >> 20));
    int64_t began_ns = chrono_mono_ns();
    struct store *store = bench_store_open("store.db", false);

    rows_init(&rows);
    bench_want(store_load(store, &load, &rows, &error), &error);
    double start_ms = since_ms(began_ns);
    size_t loaded = load_windows(store, &rows);
    double window_ms = since_ms(began_ns);

    (void)printf("opened and started after %.0f ms (%zu places); ten minutes loaded (%zu jobs) after %.0f ms; resident "
                 "%ld MB\n",
                 start_ms, rows.places.count, loaded, window_ms, resident_kb() >> 10);
    rows_done(&rows);
    store_close(store);
    bench_folder_remove();
}
