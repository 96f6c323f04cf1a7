/* postgres_bare: the same lifecycles by the same statements, straight through libpq: what the store could reach at
 * best.
 *
 * No operations, no guards of ours, no names, no claims to pack: rows are made once and only their ids change, and a
 * batch is one pipeline of prepared statements.
 */
#ifndef TESTS_BENCH_POSTGRES_BARE_H
#define TESTS_BENCH_POSTGRES_BARE_H

#include <stddef.h>
#include <stdint.h>

struct bare;

/* Takes a shard that nobody has; count jobs in each batch. Batch numbers begin with 1. */
struct bare *bare_open(const char *url, uint32_t shard, size_t count);
void bare_close(struct bare *bare);

/* The k-th batch, from 0, as store_work.h describes it. */
void bare_batch(struct bare *bare, uint64_t k);

#endif
