/* cluster_servers: three real servers on one PostgreSQL, for bench_cluster.
 *
 * Owns:  the servers and their folders. Borrows the bench.
 * Never: returns a failure: whatever goes wrong ends the program.
 * See:   bench_cluster.c, server_process.h
 */
#ifndef TESTS_BENCH_CLUSTER_SERVERS_H
#define TESTS_BENCH_CLUSTER_SERVERS_H

#include "server_parts.h"

#define CLUSTER_SERVERS 3

struct cluster {
    const struct bench *bench;
    struct served servers[CLUSTER_SERVERS];
};

/* What the database holds is lost. */
void cluster_reset(const struct bench *bench, uint32_t shards);

/* All serve or stand by. */
void cluster_start(struct cluster *cluster, const struct bench *bench);
void cluster_stop(struct cluster *cluster);

/* Who owns the shard, by the database; waits until it is one of them. */
size_t cluster_owner(const struct cluster *cluster);

/* Starts one again that has ended. */
void cluster_again(struct cluster *cluster, size_t index);

#endif
