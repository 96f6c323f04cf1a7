/* raw: files of a disk without SQLite in between, for tests of the disk itself. Results are SQLite's codes.
 *
 * Owns:  nothing; what raw_open gives is closed with raw_close.
 */
#ifndef LITESIM_RAW_H
#define LITESIM_RAW_H

#include <sqlite3.h>

#include "litesim/disk.h"

/* For reading and writing, created where it is not there; flags (SQLITE_OPEN_...) are added. It must work. */
sqlite3_file *raw_open(struct disk *disk, const char *name, int flags) __attribute__((returns_nonnull));

/* Tries, and closes again. */
int raw_try_open(struct disk *disk, const char *name);

void raw_close(sqlite3_file *file);
int raw_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset);
int raw_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset);
int raw_truncate(sqlite3_file *file, sqlite3_int64 bytes);
int raw_sync(sqlite3_file *file);
int raw_delete(struct disk *disk, const char *name, int is_synced);

#endif
