#include "postgres_history.h"

#include <stdio.h>

#include "base/chrono.h"
#include "postgres_runner.h"

#define BATCH 500
#define FILL_STEP 500000

void bench_history_parts(const char *url)
{
    struct gauge gauge;
    char sql[900];

    gauge_open(&gauge, url);
    gauge_run(&gauge, "DROP TABLE IF EXISTS belfry.triggers_past, belfry.attempts_past");
    (void)snprintf(sql, sizeof sql,
                   "DO $$ DECLARE at timestamptz; BEGIN FOR i IN -3..0 LOOP "
                   "at := belfry.month_at(to_timestamp(%lld / 1000.0), i); "
                   "CONTINUE WHEN EXISTS (SELECT FROM belfry.parts WHERE from_id = belfry.id_at(at)); "
                   "PERFORM belfry.part_make(to_char(at AT TIME ZONE 'UTC', 'YYYY_MM'), "
                   "format('FOR VALUES FROM (%%s) TO (%%s)', belfry.id_at(at), belfry.id_at(belfry.month_at(at, 1)))); "
                   "INSERT INTO belfry.parts VALUES (to_char(at AT TIME ZONE 'UTC', 'YYYY_MM'), belfry.id_at(at), "
                   "belfry.id_at(belfry.month_at(at, 1))); END LOOP; END $$",
                   (long long)WORK_NOW_MS);
    gauge_run(&gauge, sql);
    gauge_close(&gauge);
}

/* One row every so often during 90 days. */
static void fill(struct gauge *gauge, uint32_t shard, size_t rows)
{
    const int64_t from_ms = WORK_NOW_MS - INT64_C(90) * 86400000;
    const double each_ms = 90.0 * 86400000 / (double)rows;
    char sql[1500];

    for (size_t done = 0; done < rows; done += FILL_STEP) {
        size_t last = done + FILL_STEP < rows ? done + FILL_STEP : rows;

        (void)snprintf(sql, sizeof sql,
                       "WITH n AS MATERIALIZED (SELECT ((((%lld + n * %.6f)::bigint - 1704067200000) << 22) "
                       "| (n %% 4096)) AS id, (1 + n %% 4) << 32 | (1 + n / 4 %% 4) AS place, "
                       "(%lld + n * %.6f)::bigint AS ms FROM generate_series(%zu::bigint, %zu) n), "
                       "j AS (INSERT INTO belfry.jobs (shard, id, place, fired, anchor_ms, created_ms, updated_ms, "
                       "rules, version, status, def) SELECT %u, id, place, 1, ms, ms, ms, 0, 1, 2, '%s' FROM n) "
                       "INSERT INTO belfry.triggers (shard, id, job, place, scheduled_ms, due_ms, replay_of, "
                       "replayed_by, root, created_ms, ended_ms, last_started_ms, last_ended_ms, version, attempts, "
                       "failures, lost_run, released_run, replays, last_number, kind, state, last_state, target, "
                       "last_worker) SELECT %u, id, id, place, ms, ms, 0, 0, 0, ms, ms + 2, ms + 1, ms + 2, 1, 1, 0, "
                       "0, 0, 0, 1, 0, 3, 1, 0, '%s' FROM n",
                       (long long)from_ms, each_ms, (long long)from_ms, each_ms, done, last - 1, shard, work_def.ptr,
                       shard, work_worker.ptr);
        gauge_run(gauge, sql);
    }
    gauge_run(gauge, "CHECKPOINT");
}

/* The first page of every place, as an engine that knows nothing asks for it; the one that took longest. Later ones go
 * on behind the page before, and meet no dead rows. */
static double longest_look_ms(struct runner *runner)
{
    double longest_ms = 0;

    for (uint64_t i = 0; i < WORK_PLACES; i++) {
        const struct load load = {.kind = LOAD_WINDOW,
                                  .place = work_place(i),
                                  .after_ms = TIME_NONE,
                                  .until_ms = WORK_NOW_MS + 600000,
                                  .limit = 1000};
        struct error error = {0};
        struct rows rows;

        rows_init(&rows);
        int64_t began_ns = chrono_mono_ns();

        runner_want(store_load(runner->store, &load, &rows, &error), &error);
        double took_ms = (double)(chrono_mono_ns() - began_ns) / 1e6;

        longest_ms = took_ms > longest_ms ? took_ms : longest_ms;
        rows_done(&rows);
    }
    return longest_ms;
}

static void measure(struct runner *runner, struct gauge *gauge, const char *name, size_t lifecycles)
{
    runner_forget(runner);
    runner_turn(runner, gauge, lifecycles / BATCH + 2);
    const double lives = (double)(runner->batches * BATCH);

    (void)printf("%-24s %10.0f %10.2f %10.2f %12.1f %10.0f %12.1f\n", name, runner_pace(runner),
                 runner_quantile_ms(runner, 0.5), runner_quantile_ms(runner, 0.99), runner->session_us / lives,
                 runner->wal_bytes / lives, longest_look_ms(runner));
    (void)fflush(stdout);
}

void bench_history(const char *url, uint32_t shard, size_t lifecycles, size_t rows)
{
    struct gauge gauge, old;
    struct runner runner;
    char name[64];

    gauge_open(&gauge, url);
    gauge_open(&old, url);
    runner_open_store(&runner, url, shard, BATCH);
    (void)printf("\nbatches of %d with a history; and how long a new owner's first look at a place takes at most\n",
                 BATCH);
    (void)printf("%-24s %10s %10s %10s %12s %10s %12s\n", "", "a second", "p50 ms", "p99 ms", "server us", "WAL bytes",
                 "look ms");
    measure(&runner, &gauge, "no history", lifecycles);
    fill(&gauge, shard, rows);
    (void)snprintf(name, sizeof name, "%zu rows", 2 * rows);
    measure(&runner, &gauge, name, lifecycles);
    gauge_run(&old, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM belfry.shards");
    measure(&runner, &gauge, "and an old snapshot", lifecycles);
    measure(&runner, &gauge, "and it is still there", lifecycles);
    runner_close(&runner);
    gauge_close(&old);
    gauge_close(&gauge);
}
