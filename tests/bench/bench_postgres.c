/* bench_postgres: what the PostgreSQL store does with a real server, its fsync included.
 *
 *     ./dev bench postgres                 lifecycles beside a bare loop, with a server that is started for it
 *     ./dev bench postgres LIFECYCLES
 *
 * BELFRY_TEST_POSTGRES may name the database of another server; what it holds is lost. Store and bare loop take turns,
 * a part of the lifecycles at a time, so that both meet the same machine. What to compare: the share of the bare loop's
 * pace, and what the server spends on one lifecycle: microseconds of its processor, bytes of its WAL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "postgres_bare.h"
#include "postgres_gauge.h"
#include "store/postgres/postgres_store.h"
#include "store_work.h"

#define LIFECYCLES 100000
#define TURNS 4

/* One of the two that take turns. */
struct runner {
    const char *name;
    const char *application;
    void (*batch)(struct runner *runner, uint64_t k);
    struct store *store;
    struct bare *bare;
    struct claim *claims;
    size_t count;
    uint64_t done; /* batches */
    double seconds, session_us, wal_bytes;
};

static void want(enum store_outcome outcome, const struct error *error)
{
    if (outcome != STORE_DONE) {
        (void)fprintf(stderr, "bench_postgres: %s: %s\n", store_outcome_text(outcome), error->text);
        exit(1);
    }
}

static struct store *open_shard(const char *url, uint32_t shard)
{
    const struct postgres_options options = {.url = url, .shard = shard};
    const struct store_owner owner = {.name = STR("bench"), .nonce = {1, 2}};
    struct error error = {0};
    struct store *store = NULL;
    uint64_t epoch;

    want(postgres_store_open(&options, &store, &error), &error);
    want(store_acquire(store, &owner, &epoch, &error), &error);
    return store;
}

/* Batch k creates some, claims those of the batch before and finishes those of the one before that. */
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
    want(store_commit(runner->store, &batch, &error), &error);
    batch_done(&batch);
}

static void bare_run(struct runner *runner, uint64_t k)
{
    bare_batch(runner->bare, k);
}

static void take_turn(struct runner *runner, struct gauge *gauge, uint64_t batches)
{
    gauge_read(gauge, runner->application);
    const struct gauge before = *gauge;
    int64_t began_ns = chrono_mono_ns();

    for (uint64_t i = 0; i < batches; i++) {
        runner->batch(runner, runner->done++);
    }
    runner->seconds += (double)(chrono_mono_ns() - began_ns) / 1e9;
    gauge_read(gauge, runner->application);
    runner->session_us += (double)(gauge->session_ns - before.session_ns) / 1e3;
    runner->wal_bytes += (double)(gauge->wal_bytes - before.wal_bytes);
}

static double pace(const struct runner *runner)
{
    return (double)(runner->done * runner->count) / runner->seconds;
}

static void show(const struct runner *runner, double share)
{
    const double lives = (double)(runner->done * runner->count);

    (void)printf("%8zu %-6s %12.0f %12.2f %12.1f %10.0f", runner->count, runner->name, pace(runner),
                 runner->seconds * 1e3 / (double)runner->done, runner->session_us / lives, runner->wal_bytes / lives);
    if (share > 0) {
        (void)printf(" %10.0f %%", 100 * share);
    }
    (void)printf("\n");
}

static void bench(const char *url, struct gauge *gauge, uint32_t shard, size_t count, size_t lifecycles)
{
    struct runner bare = {.name = "bare", .application = "bare", .batch = bare_run, .count = count};
    struct runner store = {.name = "store", .application = "belfry", .batch = store_batch, .count = count};
    const uint64_t batches = lifecycles / count / TURNS + 1;

    bare.bare = bare_open(url, shard, count);
    store.store = open_shard(url, shard + 1);
    store.claims = mem_alloc_array(count, sizeof *store.claims);
    for (int i = 0; i < TURNS; i++) {
        take_turn(&bare, gauge, batches);
        take_turn(&store, gauge, batches);
    }
    show(&bare, 0);
    show(&store, pace(&store) / pace(&bare));
    mem_free(store.claims);
    store_close(store.store);
    bare_close(bare.bare);
}

/* The same again, beside a server of its own. */
static int start_server(char **argv)
{
    static const char script[] = BENCH_WITH_POSTGRES;

    execl(script, script, argv[0], argv[1], (char *)NULL);
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

int main(int argc, char **argv)
{
    const char *url = getenv("BELFRY_TEST_POSTGRES");
    long lifecycles = argc > 1 ? strtol(argv[1], NULL, 10) : LIFECYCLES;
    struct error error = {0};

    if (url == NULL) {
        return start_server(argv);
    }
    if (postgres_store_init(url, 8, &error) != ERR_OK) {
        (void)fprintf(stderr, "bench_postgres: %s\n", error.text);
        return 1;
    }
    bench_lifecycles(url, lifecycles > 0 ? (size_t)lifecycles : LIFECYCLES);
    return 0;
}
