/* copy: all that one store remembers, put into another.
 *
 * Owns:  nothing; both stores are the caller's, and nothing else works with them meanwhile.
 * Rules: (1) the source is only read.
 *        (2) the target is written in batches, like by any owner, so that its own rules hold.
 *        (3) until the last step the target is marked as being filled (store_fill_begin): nobody can serve it. A copy
 *            that failed leaves the mark, and the next one empties the target first.
 *        (4) the mark goes after all rows were read back from the target and are the source's: by counts and digest.
 *        (5) at most COPY_PAGE_ROWS rows of a table are in memory at a time, and what is held whole anyway.
 * See:   store/store.h, cli/migrate.c, tests/contract/test_copy.c
 */
#ifndef STORE_COPY_H
#define STORE_COPY_H

#include <stdint.h>

#include "base/err.h"
#include "store/memory/shape.h"
#include "store/store.h"

#define COPY_PAGE_ROWS 500

/* All rows of a store, counted. */
struct copy_tally {
    uint64_t counts[ROW_KINDS];
    uint64_t total;
    uint64_t digest; /* of all of them; their order does not count */
    struct shard_row shard;
};

/* "jobs", "triggers". */
const char *copy_kind_text(enum row_kind kind);

enum copy_stage { COPY_READING, COPY_WRITING, COPY_CHECKING };

/* Told after each page: so many rows of this stage are done. */
struct copy_watch {
    void (*told)(void *context, enum copy_stage stage, uint64_t rows);
    void *context;
};

/* Reads all of a store. */
enum store_outcome copy_tally(struct store *store, const struct copy_watch *watch, enum copy_stage stage,
                              struct copy_tally *ret_tally, struct error *reterr);

/* STORE_REFUSED where there are rows in the store, unless they are what a copy that failed has left. */
enum store_outcome copy_target_check(struct store *to, struct error *reterr);

/* Takes the target for owner (whose nonce is set), and puts all rows of the source into it. */
enum store_outcome copy_all(struct store *from, struct store *to, const struct store_owner *owner,
                            const struct copy_watch *watch, struct copy_tally *ret_tally, struct error *reterr);

/* ---- for copy.c ---- */

/* Sees the rows of a page; anything but STORE_DONE ends the walk. */
typedef enum store_outcome copy_visit(void *context, struct rows *rows, struct error *reterr);

/* Every row of a store once, table by table; the shard's row with the first of them. */
enum store_outcome copy_walk(struct store *store, copy_visit *visit, void *context, struct error *reterr);

#endif
