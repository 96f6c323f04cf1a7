/* pg_conn: a session with PostgreSQL, in which nothing waits for ever.
 *
 * An exchange is some statements, a sync, and their answers in the same order:
 *
 *     outcome = pg_start(conn, within_ms, reterr);             a session is there, the clock runs
 *     struct pg_call call;
 *     pg_call(&call, conn, SQL_JOBS_BY_ID);                    once for each statement
 *     pg_int2(&call, shard); pg_array(&call, &ids);
 *     pg_send(&call);
 *     pg_sync(conn);
 *     const PGresult *answer = pg_answer(conn);                once for each; NULL: it or an earlier one failed
 *     return pg_finish(conn, reterr);                          DONE, or what failed first
 *
 * Owns:  struct pg_conn owns the connection and the answer that was given last.
 * Rules: (1) a call that passes its deadline closes the connection.
 *        (2) after a failure inside of a transaction pg_finish rolls back, or closes the connection.
 *        (3) a connection that is gone is replaced in pg_start alone, so that no transaction goes on in another
 * session. (4) the password is in no message. (5) a primary that was replaced, and came back, is not worked with: its
 * timeline is lower than one that was seen. See:   pg_session.c (how a session begins), pg_outcome.c (what SQLSTATEs
 * mean)
 */
#ifndef STORE_POSTGRES_PG_CONN_H
#define STORE_POSTGRES_PG_CONN_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "store/postgres/pg_rows.h"
#include "store/postgres/pg_statements.h"
#include "store/store.h"

enum pg_role {
    PG_WRITER,
    PG_READER,
    PG_MEMBER, /* says that its server is there, and asks who is: postgres_members.c */
    PG_ADMIN,  /* makes and migrates the schema */
};

struct pg_conn {
    PGconn *pq; /* NULL: none */
    char *url;
    char *shown; /* the same for people: without user and password */
    enum pg_role role;
    int64_t idle_ms;      /* how long a transaction may stand idle */
    int64_t statement_ms; /* how long a statement may take */
    uint64_t session;     /* counts the sessions there were; 0: none yet */
    char backend_start[40];
    uint32_t row_oids[PG_ROW_TYPES]; /* of the types in pg_rows.h; a writer's session has them */
    size_t host;                     /* of the URL's, the one that was good last */
    char system[STORE_SYSTEM_BYTES]; /* which database of the world it is; "": it does not say */
    uint32_t timeline;               /* and which history of it, of those that forked; only ever higher (rule 5) */

    int64_t deadline_mono_ms;
    PGresult *answer;
    size_t sent, answered; /* statements of this exchange */
    size_t unflushed_bytes;

    enum store_outcome outcome; /* of this exchange, so far */
    size_t failed_at;           /* the statement that failed, from 0; SIZE_MAX where the connection did */
    struct error error;
    bool is_doomed; /* the server said that the session is over */
    bool is_warned; /* a warning without a code of its own (01000) came in this exchange */

    int64_t wait_ms; /* between attempts to connect; 0: the last one went well */
    int64_t next_try_mono_ms;
    struct rng rng;
};

/* Refuses what is no connection string. On failure there is nothing to close. */
enum err pg_conn_init(struct pg_conn *conn, const char *url, enum pg_role role, struct error *reterr) MUST_CHECK;
void pg_conn_done(struct pg_conn *conn);

/* Ends the session; the next pg_start begins another. */
void pg_conn_close(struct pg_conn *conn);

/* ---- exchanges ---- */

/* A session that seems well, and within_ms from now for all that follows. */
enum store_outcome pg_start(struct pg_conn *conn, int64_t within_ms, struct error *reterr);

#define PG_PARAMS_MAX 40

struct pg_call {
    struct pg_conn *conn;
    enum pg_statement statement;
    int count;
    const char *values[PG_PARAMS_MAX];
    int lengths[PG_PARAMS_MAX];
    int formats[PG_PARAMS_MAX];
    char scalars[PG_PARAMS_MAX][sizeof(int64_t)]; /* numbers that values point to: a call is not copied */
};

struct pg_array;

void pg_call(struct pg_call *call, struct pg_conn *conn, enum pg_statement statement);
void pg_int2(struct pg_call *call, uint32_t value);
void pg_int8(struct pg_call *call, int64_t value);
void pg_id(struct pg_call *call, uint64_t value);
void pg_text(struct pg_call *call, struct str text); /* holds until pg_send */
void pg_array(struct pg_call *call, struct pg_array *array);
void pg_rows(struct pg_call *call, struct pg_rows *rows, enum pg_row_type type);

/* Sends it, some time before pg_sync ends. */
void pg_send(struct pg_call *call);

/* A statement without parameters but the shard. */
void pg_send_plain(struct pg_conn *conn, enum pg_statement statement);
void pg_send_for(struct pg_conn *conn, enum pg_statement statement, uint32_t shard);

void pg_sync(struct pg_conn *conn);

/* Holds until the next one. */
const PGresult *pg_answer(struct pg_conn *conn);

enum store_outcome pg_finish(struct pg_conn *conn, struct error *reterr);

/* Begins the next exchange of the same call, in the same session and with the same deadline. */
void pg_again(struct pg_conn *conn);

/* ---- for pg_exchange.c alone ---- */

/* Sends what was gathered, waiting where it must. False: the connection is lost. */
bool pg_flush(struct pg_conn *conn);

/* The next of libpq's results; NULL where it has none, or the connection is lost. */
PGresult *pg_next_result(struct pg_conn *conn);

/* The connection is lost; libpq's words say why. */
void pg_lost_as_said(struct pg_conn *conn);

/* ---- for pg_session.c and postgres_schema.c ---- */

/* Any SQL, several statements too, outside of pipelines; the last answer. */
const PGresult *pg_simple(struct pg_conn *conn, const char *sql);

/* The connection is of no use any more. */
void pg_lost(struct pg_conn *conn, const char *why);

/* Connects, by the deadline; the reason is in conn->error where it fails. pg_connect.c. */
bool pg_connect(struct pg_conn *conn);

/* Connects and sets everything up; the reason is in conn->error where it fails. */
enum store_outcome pg_session_begin(struct pg_conn *conn);

/* What the failed answer means; fills conn->error. */
enum store_outcome pg_judge(struct pg_conn *conn, const PGresult *answer);

/* Whether the server ends the session with this message. */
bool pg_is_fatal(const PGresult *answer);

/* The value of a connection string's option; NULL: it has none. */
const char *pg_option(const PQconninfoOption *options, const char *key);

/* "postgresql://host:port/database" of a connection string, for messages. NULL and *reterr where it is none. */
char *pg_shown(const char *url, struct error *reterr);

#endif
