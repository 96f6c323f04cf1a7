#include "store/sqlite/sqlite_sql.h"

#include <assert.h>

#include "base/mem.h"

enum store_outcome sql_conn_open(struct sql_conn *conn, const char *path, int flags, const char *vfs,
                                 struct error *reterr)
{
    *conn = (struct sql_conn){.path = mem_strdup(path)};
    sqlite_places_init(&conn->places);
    int rc = sqlite3_open_v2(path, &conn->db, flags, vfs);

    if (rc == SQLITE_OK) {
        rc = sqlite3_extended_result_codes(conn->db, 1);
    }
    if (rc != SQLITE_OK) {
        enum store_outcome outcome = sql_failed(conn, rc, reterr);

        sql_conn_close(conn);
        return outcome;
    }
    return STORE_DONE;
}

void sql_conn_close(struct sql_conn *conn)
{
    for (size_t i = 0; i < SQL_STATEMENTS; i++) {
        sqlite3_finalize(conn->statements[i]);
    }
    /* Everything is finalized, so it closes. A checkpoint it makes may fail; the next open makes it again. */
    int rc = sqlite3_close(conn->db);

    assert(rc != SQLITE_BUSY);
    sqlite_places_done(&conn->places);
    mem_free(conn->path);
    *conn = (struct sql_conn){0};
}

static int prepare(struct sql_conn *conn, enum sql_statement statement)
{
    if (conn->statements[statement] != NULL) {
        return SQLITE_OK;
    }
    return sqlite3_prepare_v3(conn->db, sql_statement_text(statement), -1, SQLITE_PREPARE_PERSISTENT,
                              &conn->statements[statement], NULL);
}

enum store_outcome sql_prepare_all(struct sql_conn *conn, struct error *reterr)
{
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        int rc = prepare(conn, (enum sql_statement)i);

        if (rc != SQLITE_OK) {
            return sql_failed(conn, rc, reterr);
        }
    }
    return STORE_DONE;
}

enum store_outcome sql_exec(struct sql_conn *conn, const char *sql, struct error *reterr)
{
    int rc = sqlite3_exec(conn->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? STORE_DONE : sql_failed(conn, rc, reterr);
}

enum store_outcome sql_number(struct sql_conn *conn, const char *sql, int64_t *ret_value, struct error *reterr)
{
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v2(conn->db, sql, -1, &stmt, NULL);
    int64_t value = 0;

    if (rc == SQLITE_OK) {
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW) {
            value = sqlite3_column_int64(stmt, 0);
        }
        rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
        sqlite3_finalize(stmt);
    }
    if (rc != SQLITE_OK) {
        return sql_failed(conn, rc, reterr);
    }
    *ret_value = value;
    return STORE_DONE;
}

struct sql_call sql_begin(struct sql_conn *conn, enum sql_statement statement)
{
    struct sql_call call = {.conn = conn, .rc = prepare(conn, statement)};

    call.stmt = conn->statements[statement];
    return call;
}

bool sql_next(struct sql_call *call)
{
    if (call->rc == SQLITE_OK || call->rc == SQLITE_ROW) {
        call->rc = sqlite3_step(call->stmt);
    }
    return call->rc == SQLITE_ROW;
}

enum store_outcome sql_end(struct sql_call *call, struct error *reterr)
{
    bool is_well = call->rc == SQLITE_OK || call->rc == SQLITE_ROW || call->rc == SQLITE_DONE;
    enum store_outcome outcome = is_well ? STORE_DONE : sql_failed(call->conn, call->rc, reterr);

    /* Gives the step's error again, which is known already. */
    (void)sqlite3_reset(call->stmt);
    return outcome;
}

enum store_outcome sql_run(struct sql_call *call, struct error *reterr)
{
    bool has_row = sql_next(call);

    assert(!has_row);
    return sql_end(call, reterr);
}

uint32_t sql_take_below(struct sql_row *row, uint32_t max)
{
    int column = row->taken++;
    int64_t value = sqlite3_column_int64(row->stmt, column);

    if (value < 0 || value > max) {
        if (row->bad == NULL) {
            row->bad = sqlite3_column_name(row->stmt, column);
        }
        return 0;
    }
    return (uint32_t)value;
}

struct str sql_take_text(struct sql_row *row)
{
    int column = row->taken++;
    const void *bytes = sqlite3_column_text(row->stmt, column);
    int len = sqlite3_column_bytes(row->stmt, column);

    return bytes == NULL ? (struct str){"", 0} : (struct str){bytes, (size_t)len};
}

struct str sql_take_blob(struct sql_row *row)
{
    int column = row->taken++;
    const void *bytes = sqlite3_column_blob(row->stmt, column);
    int len = sqlite3_column_bytes(row->stmt, column);

    return bytes == NULL ? (struct str){"", 0} : (struct str){bytes, (size_t)len};
}

enum store_outcome sql_bad_row(const struct sql_conn *conn, const char *table, uint64_t id, const char *what,
                               struct error *reterr)
{
    (void)err_set(reterr, ERR_CORRUPT, "%s is damaged: row %llu of table %s: %s. Restore a backup", conn->path,
                  (unsigned long long)id, table, what);
    return STORE_BROKEN;
}
