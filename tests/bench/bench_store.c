/* bench_store: what the SQLite store does with real files, fsync and checkpoints included.
 *
 *     ./dev bench store                    lifecycles, beside a bare loop of the same statements in the same run
 *     ./dev bench store history [ROWS]     whether that much history (5 million) makes claims slower
 *     ./dev bench store memory [JOBS]      ten million jobs a day ahead: start-up time and memory
 *
 * Files go to a folder of their own below TMPDIR (or /tmp), which is removed at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "store_bare.h"
#include "store_files.h"
#include "store_scale.h"

#define NOT_NOW UINT64_MAX
#define LIFECYCLES 200000
#define HISTORY_ROWS 5000000
#define JOBS_AHEAD 10000000

struct race {
    struct store *store;
    struct bare *bare;
    size_t count; /* jobs in a batch */
    struct claim *claims;
    int64_t store_ns;
    int64_t bare_ns;
};

/* Batch k of one side: what it creates, claims and finishes. The first two have nothing to finish yet. */
static uint64_t from(const struct race *race, uint64_t k, uint64_t back)
{
    return k < back ? NOT_NOW : WORK_PLACES + (k - back) * race->count;
}

static void store_step(struct race *race, uint64_t k)
{
    struct batch batch;

    batch_init(&batch, k + 2);
    work_create(&batch, from(race, k, 0), race->count, WORK_NOW_MS, 0);
    if (k >= 1) {
        work_claim(&batch, from(race, k, 1), race->count, race->claims);
    }
    if (k >= 2) {
        work_finish(&batch, from(race, k, 2), race->count);
    }
    race->store_ns += bench_commit(race->store, &batch);
    batch_done(&batch);
}

static void bare_step(struct race *race, uint64_t k)
{
    int64_t began_ns = chrono_mono_ns();

    bare_batch(race->bare, k + 2, race->count, from(race, k, 0), from(race, k, 1), from(race, k, 2));
    race->bare_ns += chrono_mono_ns() - began_ns;
}

/* Both by turns, some batches each, so that what else the machine does strikes both alike. */
static void run_race(struct race *race, size_t lifecycles)
{
    const uint64_t turn = 10;
    const uint64_t turns = (lifecycles / race->count + turn - 1) / turn;

    for (uint64_t k = 0; k < turns * turn; k += turn) {
        for (uint64_t i = k; i < k + turn; i++) {
            store_step(race, i);
        }
        for (uint64_t i = k; i < k + turn; i++) {
            bare_step(race, i);
        }
    }
    double done = (double)(turns * turn * race->count);
    double store_rate = done * 1e9 / (double)race->store_ns;
    double bare_rate = done * 1e9 / (double)race->bare_ns;

    (void)printf("%8zu %14.0f %14.0f %9.0f %%\n", race->count, store_rate, bare_rate, 100 * store_rate / bare_rate);
}

static void bench_lifecycles(size_t lifecycles)
{
    const size_t counts[] = {100, 500, 1000};

    (void)printf("lifecycles a second (create, claim, finish, history; WAL, synchronous=FULL, checkpoints at 4 MiB)\n");
    (void)printf("%8s %14s %14s %11s\n", "batch", "store", "bare loop", "ratio");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        bench_folder_make();
        struct store *shape = bench_store_open("bare.db", true);

        bench_prepare(shape);
        store_close(shape);
        struct race race = {.store = bench_store_open("store.db", false), .bare = bare_open(bench_path("bare.db"))};

        bench_prepare(race.store);
        race.count = counts[i];
        race.claims = mem_alloc_array(counts[i], sizeof *race.claims);
        run_race(&race, lifecycles);
        mem_free(race.claims);
        store_close(race.store);
        bare_close(race.bare);
        bench_folder_remove();
    }
}

static size_t number_at(int argc, char **argv, int at, size_t usual)
{
    long number = argc > at ? strtol(argv[at], NULL, 10) : 0;

    return number > 0 ? (size_t)number : usual;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "lifecycles";

    if (strcmp(what, "lifecycles") == 0) {
        bench_lifecycles(number_at(argc, argv, 2, LIFECYCLES));
    } else if (strcmp(what, "history") == 0) {
        bench_history(number_at(argc, argv, 2, HISTORY_ROWS));
    } else if (strcmp(what, "memory") == 0) {
        bench_memory(number_at(argc, argv, 2, JOBS_AHEAD));
    } else {
        (void)fprintf(stderr, "bench_store: lifecycles, history or memory, and how many\n");
        return 2;
    }
    return 0;
}
