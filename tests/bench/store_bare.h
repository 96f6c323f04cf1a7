/* store_bare: the same lifecycles by the same statements, straight against SQLite: what a store could reach at best.
 *
 * No operations, no guards, no places, no claims to pack: numbers and texts go from constants into the statements.
 */
#ifndef TESTS_BENCH_STORE_BARE_H
#define TESTS_BENCH_STORE_BARE_H

#include <stddef.h>
#include <stdint.h>

struct bare;

/* Opens a file that the store has made (and acquired, with these nonces), which nobody else has open. */
struct bare *bare_open(const char *path);
void bare_close(struct bare *bare);

/* One batch: creates count jobs from create on, claims those from claim on, finishes those from finish on; UINT64_MAX:
 * not this time. And a checkpoint, when it is due. */
void bare_batch(struct bare *bare, uint64_t number, size_t count, uint64_t create, uint64_t claim, uint64_t finish);

#endif
