/* postgres_history: whether a lifecycle costs the same with a long history as with none, and while somebody holds an
 * old snapshot open (a long report, a backup), for which no dead row may be removed. */
#ifndef TESTS_BENCH_POSTGRES_HISTORY_H
#define TESTS_BENCH_POSTGRES_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/* Makes parts for the month of the work and the three before, as they would be there. Before anything is written. */
void bench_history_parts(const char *url);

/* On a shard that is not used: so many lifecycles each time; so many ended triggers, each of a one-time job that is
 * still there, in the three months before. */
void bench_history(const char *url, uint32_t shard, size_t lifecycles, size_t rows);

#endif
