#include "store_bare.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/sqlite/sqlite_statements.h"
#include "store_work.h"

#define CHECKPOINT_BYTES (4 << 20)
#define PAGE_BYTES 4096
/* What a claim takes in store/claims_pack.h, and the beginning with one worker. */
#define CLAIM_BYTES 45
#define CLAIMS_HEAD_BYTES 34

struct bare {
    sqlite3 *db;
    sqlite3_stmt *statements[SQL_STATEMENTS];
    int wal_pages;
    char *claims;
    size_t claims_room;
};

static void want(struct bare *bare, bool is_well)
{
    if (!is_well) {
        (void)fprintf(stderr, "bench_store: %s\n", sqlite3_errmsg(bare->db));
        exit(1);
    }
}

static int committed(void *context, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct bare *)context)->wal_pages = pages;
    return SQLITE_OK;
}

struct bare *bare_open(const char *path)
{
    struct bare *bare = mem_zalloc(sizeof *bare);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

    want(bare, sqlite3_open_v2(path, &bare->db, flags, NULL) == SQLITE_OK);
    want(bare, sqlite3_exec(bare->db,
                            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
                            "PRAGMA cache_size = -65536; PRAGMA secure_delete = OFF",
                            NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        want(bare, sqlite3_prepare_v3(bare->db, sql_statement_text((enum sql_statement)i), -1,
                                      SQLITE_PREPARE_PERSISTENT, &bare->statements[i], NULL) == SQLITE_OK);
    }
    (void)sqlite3_wal_hook(bare->db, committed, bare);
    return bare;
}

void bare_close(struct bare *bare)
{
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        sqlite3_finalize(bare->statements[i]);
    }
    sqlite3_close(bare->db);
    mem_free(bare->claims);
    mem_free(bare);
}

static void run(struct bare *bare, sqlite3_stmt *stmt)
{
    want(bare, sqlite3_step(stmt) == SQLITE_DONE);
    sqlite3_reset(stmt);
}

static void run_plain(struct bare *bare, enum sql_statement statement)
{
    run(bare, bare->statements[statement]);
}

static void advance(struct bare *bare, uint64_t number)
{
    sqlite3_stmt *stmt = bare->statements[SQL_SHARD_ADVANCE];
    const int64_t values[] = {(int64_t)number, 0, 1, 1, 2};

    for (int i = 0; i < 5; i++) {
        sqlite3_bind_int64(stmt, i + 1, values[i]);
    }
    run(bare, stmt);
}

static void create(struct bare *bare, uint64_t i)
{
    sqlite3_stmt *stmt = bare->statements[SQL_JOB_INSERT];

    sqlite3_bind_int64(stmt, 1, (int64_t)work_id(i));
    sqlite3_bind_int64(stmt, 2, 1 + (int64_t)(i % WORK_PLACES));
    sqlite3_bind_int64(stmt, 3, JOB_ACTIVE);
    sqlite3_bind_int64(stmt, 4, 1);
    sqlite3_bind_int64(stmt, 5, WORK_NOW_MS);
    sqlite3_bind_int64(stmt, 6, WORK_NOW_MS);
    sqlite3_bind_null(stmt, 7);
    sqlite3_bind_null(stmt, 8);
    sqlite3_bind_int64(stmt, 9, 0);
    sqlite3_bind_int64(stmt, 10, WORK_NOW_MS);
    sqlite3_bind_int64(stmt, 11, WORK_NOW_MS);
    sqlite3_bind_int64(stmt, 12, WORK_NOW_MS);
    sqlite3_bind_null(stmt, 13);
    sqlite3_bind_text(stmt, 14, work_def.ptr, (int)work_def.len, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 15, 0);
    sqlite3_bind_null(stmt, 16);
    run(bare, stmt);
}

static void claim_all(struct bare *bare, uint64_t first, size_t count)
{
    sqlite3_stmt *stmt = bare->statements[SQL_CLAIMS_INSERT];
    size_t bytes = CLAIMS_HEAD_BYTES + count * CLAIM_BYTES;

    if (bytes > bare->claims_room) {
        mem_free(bare->claims);
        bare->claims = mem_zalloc(bytes);
        bare->claims_room = bytes;
    }
    sqlite3_bind_int64(stmt, 1, (int64_t)first + 1);
    sqlite3_bind_blob(stmt, 2, bare->claims, (int)bytes, SQLITE_STATIC);
    run(bare, stmt);
}

static void end_job(struct bare *bare, uint64_t i)
{
    sqlite3_stmt *stmt = bare->statements[SQL_JOB_UPDATE];

    sqlite3_bind_int64(stmt, 1, JOB_COMPLETED);
    sqlite3_bind_int64(stmt, 2, 1);
    for (int at = 3; at <= 6; at++) {
        sqlite3_bind_null(stmt, at);
    }
    sqlite3_bind_int64(stmt, 7, 1);
    sqlite3_bind_int64(stmt, 8, WORK_NOW_MS);
    sqlite3_bind_int64(stmt, 9, WORK_NOW_MS + 2);
    sqlite3_bind_int64(stmt, 10, (int64_t)work_id(i));
    sqlite3_bind_int64(stmt, 11, 1 + (int64_t)(i % WORK_PLACES));
    run(bare, stmt);
}

static void end_trigger(struct bare *bare, uint64_t i)
{
    sqlite3_stmt *stmt = bare->statements[SQL_TRIGGER_INSERT];
    const int64_t id = (int64_t)work_id(i);
    const int64_t values[] = {id,
                              id,
                              1 + (int64_t)(i % WORK_PLACES),
                              TRIGGER_SCHEDULE,
                              TRIGGER_SUCCEEDED,
                              1,
                              WORK_NOW_MS,
                              WORK_NOW_MS,
                              1,
                              0,
                              0,
                              0,
                              0,
                              0,
                              0,
                              WORK_NOW_MS + 1,
                              WORK_NOW_MS + 2};
    const int count = (int)(sizeof values / sizeof values[0]);

    for (int at = 0; at < count; at++) {
        sqlite3_bind_int64(stmt, at + 1, values[at]);
    }
    sqlite3_bind_null(stmt, 18);
    sqlite3_bind_int64(stmt, 19, 1);
    sqlite3_bind_int64(stmt, 20, ATTEMPT_SUCCEEDED);
    sqlite3_bind_int64(stmt, 21, WORK_NOW_MS + 1);
    sqlite3_bind_int64(stmt, 22, WORK_NOW_MS + 2);
    sqlite3_bind_text(stmt, 23, work_worker.ptr, (int)work_worker.len, SQLITE_STATIC);
    for (int at = 24; at <= 27; at++) {
        sqlite3_bind_null(stmt, at);
    }
    sqlite3_bind_int64(stmt, 28, 0); /* no target */
    sqlite3_bind_int64(stmt, 29, 0); /* no replay */
    run(bare, stmt);
}

static void finish_all(struct bare *bare, uint64_t first, size_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        end_job(bare, i);
        end_trigger(bare, i);
    }
    sqlite3_bind_int64(bare->statements[SQL_CLAIMS_DELETE], 1, (int64_t)first + 1);
    run(bare, bare->statements[SQL_CLAIMS_DELETE]);
}

void bare_batch(struct bare *bare, uint64_t number, size_t count, uint64_t create_from, uint64_t claim_from,
                uint64_t finish_from)
{
    run_plain(bare, SQL_BEGIN_WRITE);
    advance(bare, number);
    for (uint64_t i = create_from; create_from != UINT64_MAX && i < create_from + count; i++) {
        create(bare, i);
    }
    if (claim_from != UINT64_MAX) {
        claim_all(bare, claim_from, count);
    }
    if (finish_from != UINT64_MAX) {
        finish_all(bare, finish_from, count);
    }
    run_plain(bare, SQL_COMMIT);
    if (bare->wal_pages * PAGE_BYTES >= CHECKPOINT_BYTES) {
        want(bare, sqlite3_wal_checkpoint_v2(bare->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK);
    }
}
