/* bench_cluster: several real servers on a real PostgreSQL, fsync and all; clients, servers and database share the
 * machine.
 *
 *     ./dev bench cluster [--times N] [--seconds N] [--data DIR] [--belfry FILE] [PART...]
 *
 *     lifecycle    jobs created, claimed and finished, in batches: by a bare loop of the same statements, through the
 *                  owner, and through a server that stands by
 *     takeover     the owner is killed, N times (50): until the next one grants
 *     handover     the owner is told to go, N times: the time without grants, and attempts that were made twice
 *     herd         100,000 jobs due at one instant
 *
 * A PostgreSQL server is started for it, and goes with it; BELFRY_TEST_POSTGRES may name the database of another: what
 * it holds is lost. Nothing fails because of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cluster_parts.h"
#include "cluster_servers.h"
#include "postgres_bare.h"
#include "server_main.h"

#define LIFECYCLE_GOAL 15000
#define HERD_JOBS 100000
#define HERD_GOAL_S 10

static const size_t batches[] = {100, 500};

/* ---- lifecycles ---- */

/* Batch by batch, each when the one before is durable. */
static void measure_bare(const struct bench *bench, size_t batch)
{
    cluster_reset(bench, 1);
    struct bare *bare = bare_open(bench->store, 0, batch);
    int64_t began_ns = chrono_mono_ns();
    double took_s = 0;
    uint64_t done = 0;

    while (took_s < bench->seconds) {
        bare_batch(bare, done++);
        took_s = (double)(chrono_mono_ns() - began_ns) / 1e9;
    }
    (void)printf("lifecycle, bare: batches of %-18zu %10.0f jobs/s\n", batch, (double)(done * batch) / took_s);
    (void)fflush(stdout);
    bare_close(bare);
}

/* The owner's processor is measured, whoever is asked. */
static void measure_through(const struct cluster *cluster, bool is_owner, size_t batch)
{
    size_t owner = cluster_owner(cluster);
    const struct served *asked = &cluster->servers[is_owner ? owner : (owner + 1) % CLUSTER_SERVERS];
    struct run run = {.bench = cluster->bench, .served = cluster->servers[owner]};

    run.client = http_client_new(asked->port, asked->token);
    measure_lives(&run, &(struct lives_plan){.name = is_owner ? "lifecycle, owner" : "lifecycle, standby",
                                             .batch = batch,
                                             .goal = LIFECYCLE_GOAL});
    http_client_free(run.client);
}

static void part_cluster_lifecycle(const struct bench *bench)
{
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        struct cluster cluster;

        measure_bare(bench, batches[i]);
        cluster_reset(bench, 1);
        cluster_start(&cluster, bench);
        measure_through(&cluster, true, batches[i]);
        measure_through(&cluster, false, batches[i]);
        cluster_stop(&cluster);
    }
}

/* ---- the others ---- */

static void part_cluster_herd(const struct bench *bench)
{
    cluster_reset(bench, 1);
    measure_herd(bench, HERD_JOBS, HERD_GOAL_S);
}

/* The same again, beside a database of its own. */
static int start_database(int argc, char **argv)
{
    static char script[] = BENCH_WITH_POSTGRES;
    char **words = mem_alloc_array((size_t)argc + 2, sizeof *words);

    words[0] = script;
    for (int i = 0; i <= argc; i++) {
        words[i + 1] = argv[i];
    }
    (void)execv(script, words);
    perror(script);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct bench_part parts[] = {
        {"lifecycle", part_cluster_lifecycle},
        {"takeover", part_takeover},
        {"handover", part_handover},
        {"herd", part_cluster_herd},
    };
    const char *store = getenv("BELFRY_TEST_POSTGRES");

    if (store == NULL) {
        return start_database(argc, argv);
    }
    return bench_main(argc, argv,
                      &(struct bench_parts){.parts = parts, .count = sizeof parts / sizeof parts[0], .store = store});
}
