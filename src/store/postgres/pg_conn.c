#include "store/postgres/pg_conn.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"

/* Between attempts to connect: this long at first, twice as long each time, and at most so long. */
#define WAIT_FIRST_MS 50
#define WAIT_MAX_MS 5000

enum err pg_conn_init(struct pg_conn *conn, const char *url, enum pg_role role, struct error *reterr)
{
    char *shown = pg_shown(url, reterr);

    if (shown == NULL) {
        return reterr != NULL ? reterr->code : ERR_INVALID;
    }
    *conn = (struct pg_conn){.url = mem_strdup(url), .shown = shown, .role = role};
    rng_init(&conn->rng, (uint64_t)chrono_mono_ns() ^ (uint64_t)getpid() << 32);
    return ERR_OK;
}

void pg_conn_close(struct pg_conn *conn)
{
    PQclear(conn->answer);
    conn->answer = NULL;
    PQfinish(conn->pq);
    conn->pq = NULL;
}

void pg_conn_done(struct pg_conn *conn)
{
    pg_conn_close(conn);
    mem_free(conn->url);
    mem_free(conn->shown);
    *conn = (struct pg_conn){0};
}

void pg_lost(struct pg_conn *conn, const char *why)
{
    if (conn->outcome == STORE_DONE) {
        conn->outcome = STORE_DOWN;
        conn->failed_at = SIZE_MAX;
        (void)err_set(&conn->error, ERR_IO, "%s: %s", conn->shown, why);
    }
    pg_conn_close(conn);
}

void pg_lost_as_said(struct pg_conn *conn)
{
    char text[ERROR_TEXT_BYTES_MAX];

    (void)snprintf(text, sizeof text, "%s", conn->pq != NULL ? PQerrorMessage(conn->pq) : "there is no connection");
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    pg_lost(conn, text);
}

/* ---- waiting ---- */

/* Until the socket can be read (or written). False: the deadline has passed, or there is no socket. */
static bool wait_socket(struct pg_conn *conn, bool is_writing)
{
    struct pollfd fd = {.fd = PQsocket(conn->pq), .events = (short)(is_writing ? POLLIN | POLLOUT : POLLIN)};
    int64_t left_ms = conn->deadline_mono_ms - chrono_mono_ms();
    int ready = fd.fd < 0 || left_ms < 0 ? 0 : poll(&fd, 1, (int)left_ms);

    if (ready == 0) {
        pg_lost(conn, fd.fd < 0 ? "the connection is gone" : "no answer in time");
        return false;
    }
    /* Interrupted, or something to read, which may be the end. */
    if ((ready < 0 || (fd.revents & (POLLIN | POLLHUP | POLLERR)) != 0) && PQconsumeInput(conn->pq) == 0) {
        pg_lost_as_said(conn);
        return false;
    }
    return true;
}

bool pg_flush(struct pg_conn *conn)
{
    for (;;) {
        int left = PQflush(conn->pq);

        if (left == 0) {
            conn->unflushed_bytes = 0;
            return true;
        }
        if (left < 0) {
            pg_lost_as_said(conn);
            return false;
        }
        if (!wait_socket(conn, true)) {
            return false;
        }
    }
}

PGresult *pg_next_result(struct pg_conn *conn)
{
    if (conn->pq == NULL || !pg_flush(conn)) {
        return NULL;
    }
    while (PQisBusy(conn->pq)) {
        if (!wait_socket(conn, false)) {
            return NULL;
        }
    }
    return PQgetResult(conn->pq);
}

/* ---- beginning ---- */

static void receive_notice(void *context, const PGresult *notice)
{
    struct pg_conn *conn = context;
    const char *state = PQresultErrorField(notice, PG_DIAG_SQLSTATE);

    conn->is_doomed = conn->is_doomed || pg_is_fatal(notice);
    conn->is_warned = conn->is_warned || (state != NULL && strcmp(state, "01000") == 0);
}

/* What an idle session has said meanwhile: that it is over, mostly. */
static bool is_alive(struct pg_conn *conn)
{
    struct pollfd fd = {.fd = conn->pq != NULL ? PQsocket(conn->pq) : -1, .events = POLLIN};

    if (fd.fd < 0 || conn->is_doomed || PQstatus(conn->pq) != CONNECTION_OK) {
        return false;
    }
    if (poll(&fd, 1, 0) == 0) {
        return true;
    }
    bool is_well = PQconsumeInput(conn->pq) == 1 && PQisBusy(conn->pq) == 0;

    return is_well && !conn->is_doomed && PQstatus(conn->pq) == CONNECTION_OK;
}

void pg_again(struct pg_conn *conn)
{
    conn->sent = conn->answered = 0;
    conn->outcome = STORE_DONE;
    conn->failed_at = SIZE_MAX;
    conn->is_warned = false;
}

/* Rule 5 of the door. */
static enum store_outcome connect_again(struct pg_conn *conn, struct error *reterr)
{
    int64_t now_mono_ms = chrono_mono_ms();

    if (conn->wait_ms > 0 && now_mono_ms < conn->next_try_mono_ms) {
        struct error last = conn->error;

        (void)err_set(reterr, ERR_IO, "%s (the next attempt is in %lld ms)", last.text,
                      (long long)(conn->next_try_mono_ms - now_mono_ms));
        return STORE_DOWN;
    }
    conn->is_doomed = false;
    enum store_outcome outcome = pg_session_begin(conn);

    if (outcome == STORE_DONE) {
        conn->wait_ms = 0;
        conn->session++;
        (void)PQsetNoticeReceiver(conn->pq, receive_notice, conn);
        return STORE_DONE;
    }
    pg_conn_close(conn);
    conn->wait_ms = conn->wait_ms == 0 ? WAIT_FIRST_MS : conn->wait_ms * 2;
    conn->wait_ms = conn->wait_ms < WAIT_MAX_MS ? conn->wait_ms : WAIT_MAX_MS;
    conn->next_try_mono_ms = chrono_mono_ms() + rng_between(&conn->rng, conn->wait_ms / 2, conn->wait_ms);
    if (reterr != NULL) {
        *reterr = conn->error;
    }
    return outcome;
}

enum store_outcome pg_start(struct pg_conn *conn, int64_t within_ms, struct error *reterr)
{
    enum store_outcome outcome = STORE_DONE;

    if (!is_alive(conn)) {
        pg_conn_close(conn);
        pg_again(conn);
        conn->deadline_mono_ms = chrono_mono_ms() + within_ms;
        outcome = connect_again(conn, reterr);
    }
    pg_again(conn);
    conn->deadline_mono_ms = chrono_mono_ms() + within_ms;
    return outcome;
}
