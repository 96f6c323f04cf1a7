/* bench_postgres: what the PostgreSQL store does with a real server, its fsync included.
 *
 *     ./dev bench postgres                        lifecycles beside a bare loop; and with a history
 *     ./dev bench postgres LIFECYCLES [ROWS]      ROWS of history; 0: without that part
 *
 * The server is started for it. BELFRY_TEST_POSTGRES may name the database of another one; what it holds is lost. Store
 * and bare loop take turns, a part of the lifecycles at a time, so that both meet the same machine. What to compare:
 * the share of the bare loop's pace, and what the server spends on one lifecycle: microseconds of its processor, bytes
 * of its WAL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "postgres_history.h"
#include "postgres_runner.h"
#include "store/postgres/postgres_store.h"

#define LIFECYCLES 100000
#define HISTORY_ROWS 1000000
#define SHARDS 7
#define TURNS 4

static void show(const struct runner *runner, double share)
{
    const double lives = (double)(runner->batches * runner->count);

    (void)printf("%8zu %-6s %12.0f %12.2f %12.1f %10.0f", runner->count, runner->name, runner_pace(runner),
                 runner->seconds * 1e3 / (double)runner->batches, runner->session_us / lives,
                 runner->wal_bytes / lives);
    if (share > 0) {
        (void)printf(" %10.0f %%", 100 * share);
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

static void bench(const char *url, struct gauge *gauge, uint32_t shard, size_t count, size_t lifecycles)
{
    const uint64_t batches = lifecycles / count / TURNS + 1;
    struct runner bare, store;

    runner_open_bare(&bare, url, shard, count);
    runner_open_store(&store, url, shard + 1, count);
    for (int i = 0; i < TURNS; i++) {
        runner_turn(&bare, gauge, batches);
        runner_turn(&store, gauge, batches);
    }
    show(&bare, 0);
    show(&store, runner_pace(&store) / runner_pace(&bare));
    runner_close(&store);
    runner_close(&bare);
}

/* The same again, beside a server of its own. */
static int start_server(int argc, char **argv)
{
    static const char script[] = BENCH_WITH_POSTGRES;

    execl(script, script, argv[0], argv[1], argc > 2 ? argv[2] : NULL, (char *)NULL);
    perror(script);
    return 1;
}

static void bench_lifecycles(const char *url, size_t lifecycles)
{
    static const size_t counts[] = {100, 500, 1000};
    struct gauge gauge;

    gauge_open(&gauge, url);
    (void)printf("lifecycles (create, claim, finish, history; synchronous_commit=on)\n");
    (void)printf("%8s %-6s %12s %12s %12s %10s %12s\n", "batch", "", "a second", "ms a batch", "server us", "WAL bytes",
                 "of the bare");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        bench(url, &gauge, (uint32_t)i * 2, counts[i], lifecycles);
    }
    gauge_close(&gauge);
}

static size_t number_of(int argc, char **argv, int at, long usual)
{
    long number = argc > at ? strtol(argv[at], NULL, 10) : usual;

    return number >= 0 ? (size_t)number : (size_t)usual;
}

int main(int argc, char **argv)
{
    const char *url = getenv("BELFRY_TEST_POSTGRES");
    const size_t lifecycles = number_of(argc, argv, 1, LIFECYCLES);
    const size_t rows = number_of(argc, argv, 2, HISTORY_ROWS);
    struct error error = {0};

    if (url == NULL) {
        return start_server(argc, argv);
    }
    if (postgres_store_init(url, SHARDS, &error) != ERR_OK) {
        (void)fprintf(stderr, "bench_postgres: %s\n", error.text);
        return 1;
    }
    bench_history_parts(url);
    bench_lifecycles(url, lifecycles);
    if (rows > 0) {
        bench_history(url, SHARDS - 1, lifecycles, rows);
    }
    return 0;
}
