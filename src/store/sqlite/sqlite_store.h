/* sqlite_store: a shard in one SQLite file. The door to src/store/sqlite.
 *
 * Owns:  the data file, its -wal and -shm, and FILE.lock, from open to close. Only one process at a time has a file
 * open. Rules: (1) one connection does all writes and all checkpoints: SQLite before 3.51.3 can lose a commit where two
 *            connections do them at one instant. Readers are read-only and never checkpoint.
 *        (2) a commit that is said to be done is on the disk: WAL with synchronous=FULL.
 *        (3) after a failed write, sync or read of the file nothing is acknowledged any more: every later call is
 *            STORE_BROKEN.
 *        (4) the WAL stays below 64 MiB (single batches of that size aside): what reads too long is cut off, with
 *            STORE_AGAIN.
 *        (5) a file that is not Belfry's, of another shard, or of a newer schema is refused and left as it is.
 *        (6) readers are closed before their store.
 * See:   store/store.h, docs/decisions/0006-row-writes.md, tests/contract/, tests/store/
 */
#ifndef STORE_SQLITE_SQLITE_STORE_H
#define STORE_SQLITE_SQLITE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

struct sqlite_options {
    const char *path; /* of the data file; made where there is none */
    /* NULL: the operating system's files. Another VFS's names are not the file system's, so there is no lock file then,
     * and who brings the VFS keeps others off. */
    const char *vfs;
    uint32_t shard;    /* number of the shard whose file this is */
    bool is_test_fast; /* no fsync: a power loss may cost everything */
    bool is_unlocked;  /* no lock file: for tests that open one file twice */
};

/* STORE_FENCED: another process has the file open. STORE_REFUSED: the file is not what it should be (rule 5). */
enum store_outcome sqlite_store_open(const struct sqlite_options *options, struct store **ret_store,
                                     struct error *reterr);

/* Puts a backup in the place of a store that nobody has open, after checking all of it. What was there before is kept
 * as TO.replaced, which must not be there yet. */
enum err sqlite_restore(const char *from, const char *to, struct error *reterr) MUST_CHECK;

/* Of the library. */
const char *sqlite_store_version(void);

#endif
