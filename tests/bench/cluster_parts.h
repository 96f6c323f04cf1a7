/* cluster_parts: what bench_cluster measures. Rules as in server_parts.h.
 *
 * See:   bench_cluster.c
 */
#ifndef TESTS_BENCH_CLUSTER_PARTS_H
#define TESTS_BENCH_CLUSTER_PARTS_H

#include "server_parts.h"

void part_takeover(const struct bench *bench);
void part_handover(const struct bench *bench);

#endif
