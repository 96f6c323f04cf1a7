/* store_test: what the tests of the SQLite store share: a folder of their own, stores in it, batches.
 *
 * Whatever fails here fails the test.
 */
#ifndef TESTS_STORE_STORE_TEST_H
#define TESTS_STORE_STORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>

#include "model/batch.h"
#include "model/rows.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

#define NOW_MS INT64_C(1775638800000)

/* ---- files: for cmocka_unit_test_setup_teardown ---- */

int folder_make(void **state);
int folder_remove(void **state);

/* A path in the folder; holds until the test ends. */
const char *path_of(const char *name);
bool is_there(const char *name);
int64_t bytes_of(const char *name);

/* The whole content; freed by the caller. */
char *content_of(const char *name, size_t *ret_len);
void write_file(const char *name, const void *bytes, size_t len);

/* ---- stores ---- */

/* store.db of the folder, shard 3, without fsync. */
struct sqlite_options options_of(const char *name);

enum store_outcome try_open(const struct sqlite_options *options, struct store **ret_store, struct error *error);
struct store *open_options(const struct sqlite_options *options);
struct store *open_store(void);

/* Acquires and returns the shard's row. */
struct shard_row acquire(struct store *store);
struct store *open_acquired(const char *name);
struct store_reader *open_reader(struct store *store);

/* Fails the test with the error's text where the outcome is another one. */
void want(enum store_outcome outcome, enum store_outcome wanted, const struct error *error);

/* ---- batches ---- */

struct job_row job_of(uint64_t id);
struct trigger_row trigger_of(uint64_t id, uint64_t job, enum trigger_state state);

/* The next batch of the store, empty. */
void batch_next(struct store *store, struct batch *batch);

/* Commits a batch of jobs first to first + count - 1 whose definitions have so many bytes. */
void commit_jobs(struct store *store, uint64_t first, size_t count, size_t def_bytes);
enum store_outcome try_commit_jobs(struct store *store, uint64_t number, uint64_t first, size_t count, size_t def_bytes,
                                   struct error *error);

/* How many jobs there are, and that they are all those from 1 on. */
size_t count_jobs(struct store *store);

struct shard_row shard_of(struct store *store);

/* ---- SQL behind the store's back ---- */

sqlite3 *raw_open(const char *name);
void raw_exec(const char *name, const char *sql);
int64_t raw_number(sqlite3 *db, const char *sql);

#endif
