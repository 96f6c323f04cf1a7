/* store_files: stores in a folder that is thrown away, for bench_store.
 *
 * The folder is below TMPDIR (or /tmp). Whatever fails ends the program.
 */
#ifndef TESTS_BENCH_STORE_FILES_H
#define TESTS_BENCH_STORE_FILES_H

#include <stdbool.h>

#include "store/store.h"
#include "store_work.h"

void bench_folder_make(void);
void bench_folder_remove(void);

/* The path of a file in it; holds until the next call. */
const char *bench_path(const char *name);

/* Ends the program where the outcome is not STORE_DONE. */
void bench_want(enum store_outcome outcome, const struct error *error);

/* store.db or bare.db, acquired. is_fast: without fsync. */
struct store *bench_store_open(const char *name, bool is_fast);

/* Commits and tidies; returns the nanoseconds that took. */
int64_t bench_commit(struct store *store, const struct batch *batch);

/* Batch 1: one job in each place, so that all places are there and have the numbers that the bare loop uses. */
void bench_prepare(struct store *store);

#endif
