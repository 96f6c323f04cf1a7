/* server_main: the command line of the benchmarks that run the real server: which parts, for how long.
 *
 * See:   bench_server.c, bench_cluster.c
 */
#ifndef TESTS_BENCH_SERVER_MAIN_H
#define TESTS_BENCH_SERVER_MAIN_H

#include "server_parts.h"

struct bench_part {
    const char *name;
    void (*run)(const struct bench *bench);
};

struct bench_parts {
    const struct bench_part *parts;
    size_t count;
    const char *store; /* of the servers; NULL: SQLite */
};

/* All of them, or those that are named. */
int bench_main(int argc, char **argv, const struct bench_parts *parts);

#endif
