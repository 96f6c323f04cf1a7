/* bench_postgres: what the PostgreSQL store does with a real server, its fsync included.
 *
 *     ./dev bench postgres                 lifecycles, with a server that is started for it
 *     ./dev bench postgres LIFECYCLES
 *
 * BELFRY_TEST_POSTGRES may name the database of another server; what it holds is lost. The last column is the share of
 * the time in which this program's thread worked and did not wait for the server: the rest is what a bare loop of the
 * same statements would take.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "store/postgres/postgres_store.h"
#include "store_work.h"

#define LIFECYCLES 200000

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
static void step(struct store *store, uint64_t k, size_t count, struct claim *claims)
{
    struct error error = {0};
    struct batch batch;

    batch_init(&batch, k + 1);
    work_create(&batch, k * count, count, WORK_NOW_MS, 0);
    if (k >= 1) {
        work_claim(&batch, (k - 1) * count, count, claims);
    }
    if (k >= 2) {
        work_finish(&batch, (k - 2) * count, count);
    }
    want(store_commit(store, &batch, &error), &error);
    batch_done(&batch);
}

static double cpu_seconds(void)
{
    struct rusage used;

    (void)getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void bench(const char *url, uint32_t shard, size_t count, size_t lifecycles)
{
    struct store *store = open_shard(url, shard);
    struct claim *claims = mem_alloc_array(count, sizeof *claims);
    const uint64_t batches = lifecycles / count + 1;
    double began_cpu = cpu_seconds();
    int64_t began_ns = chrono_mono_ns();

    for (uint64_t k = 0; k < batches; k++) {
        step(store, k, count, claims);
    }
    double took = (double)(chrono_mono_ns() - began_ns) / 1e9;
    double cpu = cpu_seconds() - began_cpu;

    (void)printf("%8zu %14.0f %14.2f %11.0f %%\n", count, (double)(batches * count) / took,
                 took * 1e3 / (double)batches, 100 * cpu / took);
    mem_free(claims);
    store_close(store);
}

/* The same again, beside a server of its own. */
static int start_server(char **argv)
{
    static const char script[] = BENCH_WITH_POSTGRES;

    execl(script, script, argv[0], argv[1], (char *)NULL);
    perror(script);
    return 1;
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {100, 500, 1000};
    const char *url = getenv("BELFRY_TEST_POSTGRES");
    long lifecycles = argc > 1 ? strtol(argv[1], NULL, 10) : LIFECYCLES;
    struct error error = {0};

    if (url == NULL) {
        return start_server(argv);
    }
    if (postgres_store_init(url, sizeof counts / sizeof counts[0], &error) != ERR_OK) {
        (void)fprintf(stderr, "bench_postgres: %s\n", error.text);
        return 1;
    }
    (void)printf("lifecycles a second (create, claim, finish, history; synchronous_commit=on)\n");
    (void)printf("%8s %14s %14s %13s\n", "batch", "a second", "ms a batch", "our share");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        bench(url, (uint32_t)i, counts[i], lifecycles > 0 ? (size_t)lifecycles : LIFECYCLES);
    }
    return 0;
}
