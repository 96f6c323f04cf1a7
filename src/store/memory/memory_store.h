/* memory_store: a store that remembers as long as its disk object lives. The door to src/store/memory.
 *
 * For simulation and tests: the whole contract of store.h, and nothing that could differ from run to run. The "disk"
 * outlives the stores that are opened on it, so that a crash is closing a store and a takeover is opening another.
 *
 * Owns:  a disk owns every row. A store or reader borrows its disk, which must outlive it.
 * Never: does I/O, reads a clock, draws random numbers, locks: one thread uses a disk and all that is open on it.
 * Rules: (1) every operation of a batch costs O(log n); a load or read what it gives, times log n.
 *        (2) a batch that breaks rule 1 of model/batch.h (an UPDATE of a row that the batch has written) is refused.
 *        (3) store_backup is refused: memory_disk_copy is the backup.
 * See:   store/store.h, tests/contract/
 */
#ifndef STORE_MEMORY_MEMORY_STORE_H
#define STORE_MEMORY_MEMORY_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/batch.h"
#include "model/rows.h"
#include "store/store.h"

struct memory_disk;

struct memory_disk *memory_disk_new(void);

/* Nothing is open on it any more. NULL is fine. */
void memory_disk_free(struct memory_disk *disk);

/* Any number of stores may be open on a disk; the one that acquired last may commit. */
struct store *memory_store_open(struct memory_disk *disk);

/* A disk of its own with the same content, without the observer. */
struct memory_disk *memory_disk_copy(const struct memory_disk *disk);

/* Puts the content of another disk in the place of this one's: a restored backup. Stores stay open, the observer stays.
 */
void memory_disk_restore(struct memory_disk *disk, const struct memory_disk *from);

/* Every row of every kind in the order of its key, and the shard; rows is initialised. */
void memory_disk_dump(const struct memory_disk *disk, struct rows *rows);

/* A number that depends on all rows, id_high_ms and last_batch, and not on how they came to be (nor on owners). O(n).
 */
uint64_t memory_disk_digest(const struct memory_disk *disk);

/* The same number from rows that somebody gathered: each row there is, once. */
uint64_t memory_rows_digest(const struct rows *rows);

/* Told of every operation of a batch, in order, when the whole batch is applied: batch is its number; the row in op is
 * complete (in an UPDATE too), with texts that hold until the callback returns. Rows that go along (the attempts of a
 * deleted trigger) are not told of. The callback does not change the disk. */
typedef void memory_observer(void *ctx, uint64_t batch, const struct op *op);

/* NULL: nobody. */
void memory_disk_set_observer(struct memory_disk *disk, memory_observer *observer, void *ctx);

/* Every index holds what it should and nothing else. O(n log n). */
bool memory_disk_valid(const struct memory_disk *disk);

#endif
