#include "postgres_runner.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "store/postgres/postgres_store.h"

void runner_want(enum store_outcome outcome, const struct error *error)
{
    if (outcome != STORE_DONE) {
        (void)fprintf(stderr, "bench_postgres: %s: %s\n", store_outcome_text(outcome), error->text);
        exit(1);
    }
}

/* ---- batches: the k-th creates some, claims those of the one before and finishes those of the one before that ---- */

static void store_batch(struct runner *runner, uint64_t k)
{
    const size_t count = runner->count;
    struct error error = {0};
    struct batch batch;

    batch_init(&batch, k + 1);
    work_create(&batch, k * count, count, WORK_NOW_MS, 0);
    if (k >= 1) {
        work_claim(&batch, (k - 1) * count, count, runner->claims);
    }
    if (k >= 2) {
        work_finish(&batch, (k - 2) * count, count);
    }
    runner_want(store_commit(runner->store, &batch, &error), &error);
    batch_done(&batch);
}

static void run_bare(struct runner *runner, uint64_t k)
{
    bare_batch(runner->bare, k);
}

/* ---- life ---- */

void runner_open_store(struct runner *runner, const char *url, uint32_t shard, size_t count)
{
    const struct postgres_options options = {.url = url, .shard = shard};
    const struct store_owner owner = {.name = STR("bench"), .nonce = {1, 2}};
    struct error error = {0};
    uint64_t epoch;

    *runner = (struct runner){.name = "store", .application = "belfry", .batch = store_batch, .count = count};
    runner->claims = mem_alloc_array(count, sizeof *runner->claims);
    runner_want(postgres_store_open(&options, &runner->store, &error), &error);
    runner_want(store_acquire(runner->store, &owner, &epoch, &error), &error);
}

void runner_open_bare(struct runner *runner, const char *url, uint32_t shard, size_t count)
{
    *runner = (struct runner){.name = "bare", .application = "bare", .batch = run_bare, .count = count};
    runner->bare = bare_open(url, shard, count);
}

void runner_close(struct runner *runner)
{
    if (runner->store != NULL) {
        store_close(runner->store);
    }
    if (runner->bare != NULL) {
        bare_close(runner->bare);
    }
    mem_free(runner->claims);
    mem_free(runner->took_ns);
}

/* ---- measuring ---- */

static void note_took(struct runner *runner, int64_t took_ns)
{
    if (runner->batches == runner->took_max) {
        runner->took_max = runner->took_max == 0 ? 256 : runner->took_max * 2;
        runner->took_ns = mem_realloc_array(runner->took_ns, runner->took_max, sizeof *runner->took_ns);
    }
    runner->took_ns[runner->batches++] = took_ns;
}

void runner_turn(struct runner *runner, struct gauge *gauge, uint64_t batches)
{
    gauge_read(gauge, runner->application);
    const struct gauge before = *gauge;
    int64_t began_ns = chrono_mono_ns();

    for (uint64_t i = 0; i < batches; i++) {
        int64_t batch_ns = chrono_mono_ns();

        runner->batch(runner, runner->done++);
        note_took(runner, chrono_mono_ns() - batch_ns);
    }
    runner->seconds += (double)(chrono_mono_ns() - began_ns) / 1e9;
    gauge_read(gauge, runner->application);
    runner->session_us += (double)(gauge->session_ns - before.session_ns) / 1e3;
    runner->wal_bytes += (double)(gauge->wal_bytes - before.wal_bytes);
}

void runner_forget(struct runner *runner)
{
    runner->batches = 0;
    runner->seconds = runner->session_us = runner->wal_bytes = 0;
}

double runner_pace(const struct runner *runner)
{
    return (double)(runner->batches * runner->count) / runner->seconds;
}

static int compare(const void *first, const void *second)
{
    int64_t a = *(const int64_t *)first;
    int64_t b = *(const int64_t *)second;

    return a < b ? -1 : a > b;
}

double runner_quantile_ms(struct runner *runner, double part)
{
    qsort(runner->took_ns, runner->batches, sizeof *runner->took_ns, compare);
    return (double)runner->took_ns[(size_t)(part * (double)(runner->batches - 1))] / 1e6;
}
