/* Exchanges: statements are sent, and their answers taken in the same order. */
#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "store/postgres/pg_array.h"
#include "store/postgres/pg_conn.h"

/* What is gathered before the socket is waited for. */
#define FLUSH_BYTES (256 * 1024)

/* Answers to look at behind the last one that is expected: libpq makes some up when a connection fails. */
#define STRAY_ANSWERS_MAX 16

/* ---- sending ---- */

void pg_call(struct pg_call *call, struct pg_conn *conn, enum pg_statement statement)
{
    call->conn = conn;
    call->statement = statement;
    call->count = 0;
}

static void put(struct pg_call *call, const void *bytes, size_t len)
{
    assert(call->count < PG_PARAMS_MAX);
    call->values[call->count] = bytes;
    call->lengths[call->count] = (int)len;
    call->formats[call->count] = 1;
    call->count++;
}

void pg_int2(struct pg_call *call, uint32_t value)
{
    uint16_t big = htobe16((uint16_t)value);

    put(call, memcpy(call->scalars[call->count], &big, sizeof big), sizeof big);
}

void pg_int8(struct pg_call *call, int64_t value)
{
    uint64_t big = htobe64((uint64_t)value);

    put(call, memcpy(call->scalars[call->count], &big, sizeof big), sizeof big);
}

void pg_id(struct pg_call *call, uint64_t value)
{
    pg_int8(call, (int64_t)value);
}

void pg_text(struct pg_call *call, struct str text)
{
    put(call, text.len > 0 ? text.ptr : "", text.len);
}

void pg_array(struct pg_call *call, struct pg_array *array)
{
    struct str bytes = pg_array_bytes(array);

    put(call, bytes.ptr, bytes.len);
}

void pg_rows(struct pg_call *call, struct pg_rows *rows, enum pg_row_type type)
{
    struct str bytes = pg_rows_bytes(rows, call->conn->row_oids[type]);

    put(call, bytes.ptr, bytes.len);
}

void pg_send(struct pg_call *call)
{
    struct pg_conn *conn = call->conn;
    char name[16];

    conn->sent++;
    if (conn->pq == NULL) {
        return;
    }
    for (int i = 0; i < call->count; i++) {
        conn->unflushed_bytes += (size_t)call->lengths[i];
    }
    (void)snprintf(name, sizeof name, "s%d", (int)call->statement);
    if (PQsendQueryPrepared(conn->pq, name, call->count, call->values, call->lengths, call->formats, 1) == 0) {
        pg_lost_as_said(conn);
    } else if (conn->unflushed_bytes >= FLUSH_BYTES) {
        (void)pg_flush(conn);
    }
}

void pg_send_plain(struct pg_conn *conn, enum pg_statement statement)
{
    struct pg_call call;

    pg_call(&call, conn, statement);
    pg_send(&call);
}

void pg_send_for(struct pg_conn *conn, enum pg_statement statement, uint32_t shard)
{
    struct pg_call call;

    pg_call(&call, conn, statement);
    pg_int2(&call, shard);
    pg_send(&call);
}

void pg_sync(struct pg_conn *conn)
{
    if (conn->pq != NULL && PQpipelineSync(conn->pq) == 0) {
        pg_lost_as_said(conn);
    }
}

/* ---- answers ---- */

/* Remembers what went wrong first. */
static void note_failure(struct pg_conn *conn, const PGresult *failed)
{
    bool is_over = pg_is_fatal(failed) || PQresultErrorField(failed, PG_DIAG_SQLSTATE) == NULL;

    if (conn->outcome == STORE_DONE) {
        conn->failed_at = conn->answered - 1;
        conn->outcome = pg_judge(conn, failed);
        if (PQresultErrorField(failed, PG_DIAG_SQLSTATE) == NULL) { /* libpq's own: the connection failed */
            conn->failed_at = SIZE_MAX;
        }
    }
    if (is_over || PQstatus(conn->pq) != CONNECTION_OK) {
        pg_conn_close(conn);
    }
}

/* Takes what ends a statement's results. */
static void take_end(struct pg_conn *conn)
{
    for (int i = 0; conn->pq != NULL && i < STRAY_ANSWERS_MAX; i++) {
        PGresult *more = pg_next_result(conn);

        if (more == NULL) {
            return;
        }
        if (PQresultStatus(more) == PGRES_FATAL_ERROR) {
            note_failure(conn, more);
        }
        PQclear(more);
    }
    if (conn->pq != NULL) {
        pg_lost(conn, "the answers do not end");
    }
}

const PGresult *pg_answer(struct pg_conn *conn)
{
    PQclear(conn->answer);
    conn->answer = NULL;
    conn->answered++;
    PGresult *result = pg_next_result(conn);

    if (result == NULL) {
        if (conn->pq != NULL) {
            pg_lost_as_said(conn);
        }
        return NULL;
    }
    ExecStatusType status = PQresultStatus(result);

    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        take_end(conn);
        if (conn->outcome == STORE_DONE) {
            conn->answer = result;
            return result;
        }
    } else if (status == PGRES_PIPELINE_ABORTED) {
        take_end(conn);
    } else {
        note_failure(conn, result);
        take_end(conn);
    }
    PQclear(result);
    return NULL;
}

/* The answer to pg_sync. */
static void take_sync(struct pg_conn *conn)
{
    PGresult *result = pg_next_result(conn);

    if (result != NULL && PQresultStatus(result) == PGRES_FATAL_ERROR) {
        note_failure(conn, result);
    }
    if (conn->pq != NULL && (result == NULL || PQresultStatus(result) != PGRES_PIPELINE_SYNC)) {
        pg_lost(conn, "the answers are not those of the questions");
    }
    PQclear(result);
}

/* Rule 2. */
static void roll_back(struct pg_conn *conn)
{
    enum store_outcome outcome = conn->outcome;
    size_t failed_at = conn->failed_at;
    struct error error = conn->error;

    pg_again(conn);
    pg_send_plain(conn, SQL_ROLLBACK);
    pg_sync(conn);
    (void)pg_answer(conn);
    if (conn->pq != NULL) {
        take_sync(conn);
    }
    if (conn->outcome != STORE_DONE) {
        pg_conn_close(conn);
    }
    conn->outcome = outcome;
    conn->failed_at = failed_at;
    conn->error = error;
}

enum store_outcome pg_finish(struct pg_conn *conn, struct error *reterr)
{
    while (conn->pq != NULL && conn->answered < conn->sent) {
        (void)pg_answer(conn);
    }
    if (conn->pq != NULL) {
        take_sync(conn);
    }
    if (conn->pq != NULL && conn->outcome != STORE_DONE && PQtransactionStatus(conn->pq) != PQTRANS_IDLE) {
        roll_back(conn);
    }
    PQclear(conn->answer);
    conn->answer = NULL;
    if (conn->outcome != STORE_DONE && reterr != NULL) {
        *reterr = conn->error;
    }
    return conn->outcome;
}

const PGresult *pg_simple(struct pg_conn *conn, const char *sql)
{
    PGresult *last = NULL;

    PQclear(conn->answer);
    conn->answer = NULL;
    if (conn->pq == NULL || PQsendQuery(conn->pq, sql) == 0) {
        pg_lost_as_said(conn);
        return NULL;
    }
    for (PGresult *result = pg_next_result(conn); result != NULL; result = pg_next_result(conn)) {
        PQclear(last);
        last = result;
        if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK) {
            conn->answered = 1;
            note_failure(conn, result);
        }
    }
    if (conn->outcome != STORE_DONE) {
        PQclear(last);
        return NULL;
    }
    conn->answer = last;
    return last;
}
