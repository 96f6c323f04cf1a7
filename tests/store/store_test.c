#include "store_test.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define PATHS_MAX 64

static char folder[64];
static char paths[PATHS_MAX][512];
static size_t path_count;

/* ---- files ---- */

int folder_make(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/belfry-store-XXXXXX");
    path_count = 0;
    return mkdtemp(folder) != NULL ? 0 : 1;
}

int folder_remove(void **state)
{
    DIR *dir = opendir(folder);

    (void)state;
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return rmdir(folder);
}

const char *path_of(const char *name)
{
    char path[512];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    for (size_t i = 0; i < path_count; i++) {
        if (strcmp(paths[i], path) == 0) {
            return paths[i];
        }
    }
    assert_true(path_count < PATHS_MAX);
    memcpy(paths[path_count], path, sizeof path);
    return paths[path_count++];
}

bool is_there(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

int64_t bytes_of(const char *name)
{
    struct stat facts;

    return stat(path_of(name), &facts) == 0 ? (int64_t)facts.st_size : -1;
}

char *content_of(const char *name, size_t *ret_len)
{
    size_t len = (size_t)bytes_of(name);
    char *bytes = mem_alloc(len + 1);
    FILE *file = fopen(path_of(name), "re");

    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    *ret_len = len;
    return bytes;
}

void write_file(const char *name, const void *bytes, size_t len)
{
    FILE *file = fopen(path_of(name), "we");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* ---- stores ---- */

void want(enum store_outcome outcome, enum store_outcome wanted, const struct error *error)
{
    if (outcome != wanted) {
        fail_msg("%s instead of %s: %s", store_outcome_text(outcome), store_outcome_text(wanted), error->text);
    }
    if (wanted != STORE_DONE) {
        assert_int_not_equal(error->code, ERR_OK);
        assert_true(error->text[0] != '\0');
    }
}

struct sqlite_options options_of(const char *name)
{
    return (struct sqlite_options){.path = path_of(name), .shard = 3, .is_test_fast = true};
}

enum store_outcome try_open(const struct sqlite_options *options, struct store **ret_store, struct error *error)
{
    *error = (struct error){0};
    return sqlite_store_open(options, ret_store, error);
}

struct store *open_options(const struct sqlite_options *options)
{
    struct store *store = NULL;
    struct error error;

    want(try_open(options, &store, &error), STORE_DONE, &error);
    return store;
}

struct store *open_store(void)
{
    struct sqlite_options options = options_of("store.db");

    return open_options(&options);
}

struct shard_row shard_of(struct store *store)
{
    const struct load load = {.kind = LOAD_START};
    struct error error = {0};
    struct shard_row shard;
    struct rows rows;

    rows_init(&rows);
    want(store_load(store, &load, &rows, &error), STORE_DONE, &error);
    shard = rows.shard;
    rows_done(&rows);
    return shard;
}

struct shard_row acquire(struct store *store)
{
    static uint64_t nonce = 1;
    const struct store_owner owner = {STR("test"), STR(""), {nonce++, UINT64_MAX}};
    struct error error = {0};
    uint64_t epoch;

    want(store_acquire(store, &owner, &epoch, &error), STORE_DONE, &error);
    return shard_of(store);
}

struct store *open_acquired(const char *name)
{
    struct sqlite_options options = options_of(name);
    struct store *store = open_options(&options);

    (void)acquire(store);
    return store;
}

struct store_reader *open_reader(struct store *store)
{
    struct store_reader *reader = NULL;
    struct error error = {0};

    want(store_reader_open(store, &reader, &error), STORE_DONE, &error);
    return reader;
}

/* ---- batches ---- */

struct job_row job_of(uint64_t id)
{
    return (struct job_row){
        .id = id,
        .place = {STR("mail"), STR("acme"), STR("send"), 3},
        .version = 1,
        .cursor_ms = NOW_MS,
        .wake_ms = NOW_MS + (int64_t)id,
        .held_to_ms = TIME_NONE,
        .missed_to_ms = TIME_NONE,
        .anchor_ms = NOW_MS,
        .created_ms = NOW_MS,
        .updated_ms = NOW_MS,
        .def = STR("{}"),
    };
}

struct trigger_row trigger_of(uint64_t id, uint64_t job, enum trigger_state state)
{
    return (struct trigger_row){
        .id = id,
        .job = job,
        .place = {STR("mail"), STR("acme"), STR("send"), 3},
        .kind = TRIGGER_MANUAL,
        .state = state,
        .version = 1,
        .scheduled_ms = NOW_MS,
        .due_ms = NOW_MS,
        .created_ms = NOW_MS,
        .ended_ms = TIME_NONE,
    };
}

void batch_next(struct store *store, struct batch *batch)
{
    batch_init(batch, shard_of(store).last_batch + 1);
}

enum store_outcome try_commit_jobs(struct store *store, uint64_t number, uint64_t first, size_t count, size_t def_bytes,
                                   struct error *error)
{
    SCOPE_FREE char *def = mem_alloc(def_bytes + 1);
    SCOPE(batch_done) struct batch batch;

    memset(def, 'x', def_bytes);
    batch_init(&batch, number);
    for (uint64_t id = first; id < first + count; id++) {
        struct job_row *job = &batch_add(&batch, OP_JOB_INSERT)->job;

        *job = job_of(id);
        job->def = (struct str){def, def_bytes};
    }
    *error = (struct error){0};
    return store_commit(store, &batch, error);
}

void commit_jobs(struct store *store, uint64_t first, size_t count, size_t def_bytes)
{
    struct error error;

    want(try_commit_jobs(store, shard_of(store).last_batch + 1, first, count, def_bytes, &error), STORE_DONE, &error);
}

size_t count_jobs(struct store *store)
{
    const struct place place = job_of(1).place;
    const struct load load = {
        .kind = LOAD_WINDOW, .place = place, .after_ms = TIME_NONE, .until_ms = INT64_MAX, .limit = SIZE_MAX / 2};
    struct error error = {0};
    struct rows rows;

    rows_init(&rows);
    want(store_load(store, &load, &rows, &error), STORE_DONE, &error);
    size_t count = rows.jobs.count;

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows.jobs.items[i].id, i + 1);
    }
    rows_done(&rows);
    return count;
}

/* ---- SQL behind the store's back ---- */

sqlite3 *raw_open(const char *name)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path_of(name), &db), SQLITE_OK);
    return db;
}

void raw_exec(const char *name, const char *sql)
{
    sqlite3 *db = raw_open(name);
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        fail_msg("%s: %s", sql, why);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int64_t raw_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt;
    int64_t value;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    value = sqlite3_column_int64(stmt, 0);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    return value;
}
