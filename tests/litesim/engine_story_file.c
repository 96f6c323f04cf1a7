/* What is in the file, read behind the store's back. */
#include "engine_story.h"

#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "base/hash.h"
#include "store/sqlite/sqlite_inside.h"

static uint64_t row_digest(sqlite3_stmt *row, uint64_t seed)
{
    uint64_t digest = seed;

    for (int i = 0; i < sqlite3_column_count(row); i++) {
        int kind = sqlite3_column_type(row, i);
        const void *bytes = sqlite3_column_blob(row, i); /* of a number its digits */
        int len = sqlite3_column_bytes(row, i);

        digest = hash64(len > 0 ? bytes : "", (size_t)len, digest + (uint64_t)kind);
    }
    return digest;
}

/* A sum over the rows, so that their order does not count. */
static uint64_t select_digest(struct story *story, const char *sql, uint64_t seed)
{
    sqlite3_stmt *rows = NULL;
    uint64_t digest = 0;
    int rc = sqlite3_prepare_v2(sqlite_store_of(story->store)->conn.db, sql, -1, &rows, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(rows);
        digest += rc == SQLITE_ROW ? row_digest(rows, seed) : 0;
    }
    if (rc != SQLITE_DONE) {
        story_wrong(story, "%s: %s", sql, sqlite3_errstr(rc));
    }
    (void)sqlite3_finalize(rows);
    return digest;
}

uint64_t story_digest(struct story *story)
{
    static const char names[] = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'shard'";
    sqlite3_stmt *tables = NULL;
    uint64_t digest = select_digest(story, "SELECT number, id_high_ms, last_batch FROM shard", 1);
    int rc = sqlite3_prepare_v2(sqlite_store_of(story->store)->conn.db, names, -1, &tables, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(tables);
        if (rc == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(tables, 0);
            char sql[128];

            (void)snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", name);
            digest += select_digest(story, sql, hash64(name, strlen(name), 0));
        }
    }
    if (rc != SQLITE_DONE) {
        story_wrong(story, "the list of tables: %s", sqlite3_errstr(rc));
    }
    (void)sqlite3_finalize(tables);
    return digest;
}

int64_t story_count(struct story *story, const char *what)
{
    sqlite3_stmt *row = NULL;
    int64_t count = -1;
    char sql[256];

    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", what);
    if (sqlite3_prepare_v2(sqlite_store_of(story->store)->conn.db, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        count = sqlite3_column_int64(row, 0);
    }
    (void)sqlite3_finalize(row);
    return count;
}

void story_check_file(struct story *story)
{
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_prepare_v2(sqlite_store_of(story->store)->conn.db, "PRAGMA integrity_check(1)", -1, &row, NULL);
    const char *text = "it cannot be read";

    if (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        text = (const char *)sqlite3_column_text(row, 0);
    }
    if (strcmp(text, "ok") != 0) {
        story_wrong(story, "integrity_check: %s", text);
    }
    (void)sqlite3_finalize(row);
}
