#include "litesim/ledger.h"

#include <stdio.h>
#include <string.h>

#define VACUUM_AFTER_ROW 10

/* A row spans up to three pages of 1024 bytes. The check at the end computes the same in SQL. */
static int payload_bytes(int row)
{
    return row * 397 % 2500;
}

int ledger_exec(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

int ledger_open(struct disk *disk, const struct ledger_mode *mode, sqlite3 **ret_db)
{
    char sql[200];
    int rc = sqlite3_open_v2(LEDGER_FILE, ret_db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk_vfs_name(disk));

    if (rc != SQLITE_OK) {
        return rc;
    }
    (void)snprintf(sql, sizeof sql, "PRAGMA page_size=1024; PRAGMA journal_mode=%s; PRAGMA synchronous=%s",
                   mode->journal, mode->synchronous);
    return ledger_exec(*ret_db, sql);
}

int ledger_create(sqlite3 *db)
{
    return ledger_exec(
        db, "BEGIN IMMEDIATE;"
            "CREATE TABLE IF NOT EXISTS row(n INTEGER PRIMARY KEY, payload BLOB NOT NULL, is_again INT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS total(n INTEGER NOT NULL);"
            "INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total);"
            "COMMIT");
}

int ledger_add(sqlite3 *db, int row)
{
    char sql[400];
    int rc;

    (void)snprintf(sql, sizeof sql,
                   "BEGIN IMMEDIATE;"
                   "INSERT INTO row VALUES(%d, zeroblob(%d), 0);"
                   "UPDATE row SET payload = zeroblob(length(payload)), is_again = is_again + 1 WHERE n = %d;"
                   "UPDATE total SET n = n + 1;"
                   "COMMIT",
                   row, payload_bytes(row), row / 2);
    rc = ledger_exec(db, sql);
    if (rc != SQLITE_OK && sqlite3_get_autocommit(db) == 0) {
        (void)ledger_exec(db, "ROLLBACK");
    }
    return rc;
}

int ledger_ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int value = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        value = sqlite3_column_int(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return value;
}

/* Checkpoints of all kinds, which do nothing without a WAL, and once a VACUUM, which moves everything and truncates. */
static int tidy_up(sqlite3 *db, int row)
{
    static const char *const kinds[] = {"PASSIVE", "RESTART", "FULL", "TRUNCATE"};
    char sql[60];

    if (row == VACUUM_AFTER_ROW) {
        return ledger_exec(db, "VACUUM");
    }
    if (row % 7 != 0) {
        return SQLITE_OK;
    }
    (void)snprintf(sql, sizeof sql, "PRAGMA wal_checkpoint(%s)", kinds[row / 7 % 4]);
    return ledger_exec(db, sql);
}

static int add_rows(sqlite3 *db, int first, int last)
{
    for (int row = first; row <= last; row++) {
        if (ledger_add(db, row) != SQLITE_OK) {
            return row - 1;
        }
        if (tidy_up(db, row) != SQLITE_OK) {
            return row;
        }
    }
    return last;
}

static int run(struct disk *disk, const struct ledger_mode *mode, int first, int last)
{
    sqlite3 *db = NULL;
    int acked = first - 1;

    if (ledger_open(disk, mode, &db) == SQLITE_OK && (first > 1 || ledger_create(db) == SQLITE_OK)) {
        acked = add_rows(db, first, last);
    }
    (void)sqlite3_close(db);
    return acked;
}

int ledger_run(struct disk *disk, const struct ledger_mode *mode, int rows_count)
{
    return run(disk, mode, 1, rows_count);
}

int ledger_go_on(struct disk *disk, const struct ledger_mode *mode, int first, int rows_count)
{
    return run(disk, mode, first, rows_count);
}

static void problem(struct ledger_state *state, sqlite3 *db, const char *what)
{
    state->is_sound = false;
    (void)snprintf(state->problem, sizeof state->problem, "%s: %s", what, sqlite3_errmsg(db));
}

static void check_integrity(struct ledger_state *state, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW || strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0) {
        problem(state, db, "integrity_check");
    }
    (void)sqlite3_finalize(stmt);
}

static void check_rows(struct ledger_state *state, sqlite3 *db)
{
    int tables = ledger_ask(db, "SELECT count(*) FROM sqlite_schema");

    if (tables == 0) {
        return; /* not even created */
    }
    state->rows_count = ledger_ask(db, "SELECT count(*) FROM row");
    if (tables != 2 || state->rows_count < 0) {
        problem(state, db, "tables");
    } else if (ledger_ask(db, "SELECT coalesce(max(n), 0) FROM row") != state->rows_count ||
               ledger_ask(db, "SELECT coalesce(min(n), 1) FROM row") != 1) {
        problem(state, db, "numbers");
    } else if (ledger_ask(db, "SELECT n FROM total") != state->rows_count ||
               ledger_ask(db, "SELECT count(*) FROM total") != 1) {
        problem(state, db, "total");
    } else if (ledger_ask(db, "SELECT count(*) FROM row WHERE payload <> zeroblob(n * 397 % 2500)") != 0 ||
               ledger_ask(db, "SELECT count(*) FROM row WHERE is_again <> (n * 2 <= (SELECT n FROM total)) +"
                              "(n * 2 + 1 <= (SELECT n FROM total))") != 0) {
        problem(state, db, "contents");
    }
}

struct ledger_state ledger_look(struct disk *disk)
{
    struct ledger_state state = {.is_sound = true};
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(LEDGER_FILE, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk_vfs_name(disk)) !=
        SQLITE_OK) {
        problem(&state, db, "open");
    } else {
        check_integrity(&state, db);
    }
    if (state.is_sound) {
        check_rows(&state, db);
    }
    (void)sqlite3_close(db);
    return state;
}
