/* sqlite_files: what there is to do with a store's files before and beside SQLite.
 *
 * Rules: (1) FILE.lock is held (flock) as long as the store is open, and left there when it is closed: whoever removed
 * it could let two processes in. (2) new files are for their owner alone: payloads may hold secrets.
 */
#ifndef STORE_SQLITE_SQLITE_FILES_H
#define STORE_SQLITE_SQLITE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* path with something behind it; freed by mem_free. */
char *sqlite_files_name(const char *path, const char *suffix);

/* Locks path.lock and returns its descriptor; STORE_FENCED, naming the process that has it. */
enum store_outcome sqlite_files_lock(const char *path, int *ret_fd, struct error *reterr);

/* -1 is fine. */
void sqlite_files_unlock(int fd);

/* Refuses file systems of other machines, on which neither locks nor shared memory are to be relied on. */
enum store_outcome sqlite_files_check_place(const char *path, struct error *reterr);

/* An empty file where there is none; what is there is left as it is. */
enum store_outcome sqlite_files_make(const char *path, struct error *reterr);

bool sqlite_files_exists(const char *path);

/* 0 where there is none. */
int64_t sqlite_files_bytes(const char *path);

/* fsync of a file, and of the folder that a file is in. */
enum err sqlite_files_sync(const char *path, struct error *reterr) MUST_CHECK;
enum err sqlite_files_sync_folder(const char *path, struct error *reterr) MUST_CHECK;

/* Copies the bytes into a new file and syncs it. */
enum err sqlite_files_copy(const char *from, const char *to, struct error *reterr) MUST_CHECK;

#endif
