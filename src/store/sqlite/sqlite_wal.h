/* sqlite_wal: the log that an earlier process left.
 *
 * After a failed sync the kernel takes the pages for clean: the next process reads frames from memory that the disk
 * does not have, takes them for committed, and writes behind them. A power loss then takes them, and everything
 * acknowledged after them. So what is found is written once more and synced, before SQLite looks at it.
 *
 * See: tests/litesim/test_engine_disk_faults.c
 */
#ifndef STORE_SQLITE_SQLITE_WAL_H
#define STORE_SQLITE_SQLITE_WAL_H

#include "store/store.h"

/* Of the database file at path; vfs may be NULL for SQLite's own. Does nothing where there is no log. The caller holds
 * the store's lock. */
enum store_outcome sqlite_wal_settle(const char *path, const char *vfs, struct error *reterr);

#endif
