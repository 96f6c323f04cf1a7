/* sqlite_sql: a connection with its prepared statements: how the other files of this folder speak to SQLite.
 *
 *     struct sql_call call = sql_begin(conn, SQL_JOB_BY_ID);
 *     sql_id(&call, id);
 *     while (sql_next(&call)) {
 *         struct sql_row row = sql_row(&call);
 *         ... sql_take_int(&row) ...
 *     }
 *     return sql_end(&call, reterr);
 *
 * Owns:  struct sql_conn owns the connection, its statements (prepared once, kept for life) and its places.
 * Rules: (1) parameters and columns are given and taken in their order; who forgets one is found by the contract suite.
 *        (2) texts are bound where they stand (SQLITE_STATIC): they live until sql_end.
 *        (3) a statement is used by one call at a time.
 *        (4) TIME_NONE and NULL are the same, and so are the empty text and NULL, where the function says so.
 * See:   sqlite_statements.c (all SQL there is), sqlite_outcome.c (what a result code means)
 */
#ifndef STORE_SQLITE_SQLITE_SQL_H
#define STORE_SQLITE_SQLITE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"
#include "store/sqlite/sqlite_places.h"
#include "store/sqlite/sqlite_statements.h"
#include "store/store.h"

struct sql_conn {
    sqlite3 *db;
    char *path; /* for messages */
    sqlite3_stmt *statements[SQL_STATEMENTS];
    struct places places;
};

/* flags are sqlite3_open_v2's. On failure there is nothing to close. */
enum store_outcome sql_conn_open(struct sql_conn *conn, const char *path, int flags, const char *vfs,
                                 struct error *reterr);
void sql_conn_close(struct sql_conn *conn);

/* Prepares every statement that is not prepared yet, so that a table that is not as it should be shows at once. */
enum store_outcome sql_prepare_all(struct sql_conn *conn, struct error *reterr);

/* Statements that take nothing and give nothing: pragmas, migrations. */
enum store_outcome sql_exec(struct sql_conn *conn, const char *sql, struct error *reterr);

/* The number a pragma (or any statement of one row and one column) gives. */
enum store_outcome sql_number(struct sql_conn *conn, const char *sql, int64_t *ret_value, struct error *reterr);

/* What a failed call of SQLite means for the store, and a text that says so. NOMEM ends the process. */
enum store_outcome sql_failed(struct sql_conn *conn, int rc, struct error *reterr);

/* ---- calls ---- */

struct sql_call {
    struct sql_conn *conn;
    sqlite3_stmt *stmt; /* NULL: it could not be prepared */
    int bound;          /* parameters given so far */
    int rc;             /* of what went wrong first; else of the last step */
};

struct sql_call sql_begin(struct sql_conn *conn, enum sql_statement statement);

static inline void sql_keep(struct sql_call *call, int rc)
{
    if (rc != SQLITE_OK && call->rc == SQLITE_OK) {
        call->rc = rc;
    }
}

static inline void sql_int(struct sql_call *call, int64_t value)
{
    sql_keep(call, sqlite3_bind_int64(call->stmt, ++call->bound, value));
}

/* Numbers of 64 bits without a sign: ids, nonces, hashes. */
static inline void sql_id(struct sql_call *call, uint64_t value)
{
    sql_int(call, (int64_t)value);
}

static inline void sql_null(struct sql_call *call)
{
    sql_keep(call, sqlite3_bind_null(call->stmt, ++call->bound));
}

static inline void sql_time(struct sql_call *call, int64_t ms)
{
    if (ms == TIME_NONE) {
        sql_null(call);
    } else {
        sql_int(call, ms);
    }
}

/* The empty text stays the empty text. */
static inline void sql_text(struct sql_call *call, struct str text)
{
    sql_keep(call, sqlite3_bind_text64(call->stmt, ++call->bound, text.len > 0 ? text.ptr : "", text.len, SQLITE_STATIC,
                                       SQLITE_UTF8));
}

/* The empty text is NULL. */
static inline void sql_text_opt(struct sql_call *call, struct str text)
{
    if (text.len == 0) {
        sql_null(call);
    } else {
        sql_text(call, text);
    }
}

static inline void sql_blob(struct sql_call *call, const void *bytes, size_t len)
{
    sql_keep(call, sqlite3_bind_blob64(call->stmt, ++call->bound, len > 0 ? bytes : "", len, SQLITE_STATIC));
}

/* One more row? */
bool sql_next(struct sql_call *call);

/* Ends the call; a row that is being looked at is gone. */
enum store_outcome sql_end(struct sql_call *call, struct error *reterr);

/* Runs a call that gives no rows, to its end. */
enum store_outcome sql_run(struct sql_call *call, struct error *reterr);

/* ---- columns ---- */

struct sql_row {
    sqlite3_stmt *stmt;
    int taken;       /* columns so far */
    const char *bad; /* the first column whose value makes no sense; NULL: all is well */
};

static inline struct sql_row sql_row(const struct sql_call *call)
{
    return (struct sql_row){.stmt = call->stmt};
}

static inline int64_t sql_take_int(struct sql_row *row)
{
    return sqlite3_column_int64(row->stmt, row->taken++);
}

static inline uint64_t sql_take_id(struct sql_row *row)
{
    return (uint64_t)sql_take_int(row);
}

static inline int64_t sql_take_time(struct sql_row *row)
{
    int column = row->taken++;

    return sqlite3_column_type(row->stmt, column) == SQLITE_NULL ? TIME_NONE : sqlite3_column_int64(row->stmt, column);
}

/* A number from 0 to max; anything else makes the row bad. */
uint32_t sql_take_below(struct sql_row *row, uint32_t max);

static inline uint32_t sql_take_u32(struct sql_row *row)
{
    return sql_take_below(row, UINT32_MAX);
}

/* Holds until the next row; NULL is the empty text. */
struct str sql_take_text(struct sql_row *row);
struct str sql_take_blob(struct sql_row *row);

/* STORE_BROKEN, naming the table, the row and the column that makes no sense. */
enum store_outcome sql_bad_row(const struct sql_conn *conn, const char *table, uint64_t id, const char *what,
                               struct error *reterr);

#endif
