/* How a session begins: what is set for all of it, and what must be so. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/postgres/pg_conn.h"
#include "store/postgres/postgres_schema.h"

/* The oldest that has all that is set here. */
#define VERSION_MIN 140000

/* A statement that waits so long for another one's lock is told to try again. */
#define LOCK_MS 2000

#define SETTINGS_BYTES_MAX 4096

/* ---- URLs ---- */

static PQconninfoOption *parse(const char *url, struct error *reterr)
{
    char *why = NULL;
    PQconninfoOption *options = PQconninfoParse(url, &why);

    if (options == NULL) {
        /* Not the text itself, which may quote a password. */
        (void)err_set(reterr, ERR_INVALID,
                      "the database's URL is not one that PostgreSQL knows; it looks like "
                      "postgresql://user@host:5432/database");
        PQfreemem(why);
    }
    return options;
}

const char *pg_option(const PQconninfoOption *options, const char *key)
{
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++) {
        if (strcmp(option->keyword, key) == 0) {
            return option->val;
        }
    }
    return NULL;
}

char *pg_shown(const char *url, struct error *reterr)
{
    PQconninfoOption *options = parse(url, reterr);
    struct buf shown;

    if (options == NULL) {
        return NULL;
    }
    const char *host = pg_option(options, "host");
    const char *port = pg_option(options, "port");
    const char *database = pg_option(options, "dbname");

    buf_init(&shown, SETTINGS_BYTES_MAX);
    buf_printf(&shown, "postgresql://%s%s%s/%s", host != NULL ? host : "", port != NULL ? ":" : "",
               port != NULL ? port : "", database != NULL ? database : "");
    char *text = mem_strdup(buf_text(&shown));

    buf_done(&shown);
    PQconninfoFree(options);
    return text;
}

/* ---- settings ---- */

/* Plans are the same whatever the tables' statistics say (rule 1 of pg_statements.h): a plan that changes its mind
 * under load is how queues in databases die. */
static const char *const settings[][2] = {
    {"search_path", "belfry, pg_temp"},
    {"default_transaction_deferrable", "off"},
    {"client_min_messages", "warning"},
    {"idle_session_timeout", "0"},
    {"tcp_keepalives_idle", "2"},
    {"tcp_keepalives_interval", "1"},
    {"tcp_keepalives_count", "3"},
    {"tcp_user_timeout", "5000"},
    {"enable_seqscan", "off"},
    {"enable_bitmapscan", "off"},
    {"enable_hashjoin", "off"},
    {"enable_mergejoin", "off"},
    {"enable_material", "off"},
    {"enable_memoize", "off"},
    {"jit", "off"},
    {"max_parallel_workers_per_gather", "0"},
    {"plan_cache_mode", "force_generic_plan"},
};

static void put_ms(struct buf *sql, const char *name, int64_t ms)
{
    buf_printf(sql, ", set_config('%s', '%lld', false)", name, (long long)ms);
}

static const char *isolation_of(enum pg_role role)
{
    return role == PG_READER ? "repeatable read" : "read committed";
}

static void put_settings(struct buf *sql, const struct pg_conn *conn)
{
    buf_append_text(sql, "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') "
                         "WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        buf_printf(sql, ", set_config('%s', '%s', false)", settings[i][0], settings[i][1]);
    }
    put_ms(sql, "statement_timeout", conn->statement_ms);
    put_ms(sql, "lock_timeout", LOCK_MS);
    put_ms(sql, "idle_in_transaction_session_timeout", conn->idle_ms);
    /* The fence needs the first; the second makes one snapshot of all that a reader asks at once. */
    buf_printf(sql, ", set_config('default_transaction_isolation', '%s', false)", isolation_of(conn->role));
    if (conn->role == PG_READER) {
        buf_append_text(sql, ", set_config('default_transaction_read_only', 'on', false)");
    }
}

static enum store_outcome refuse(struct pg_conn *conn, enum store_outcome outcome, const char *why)
{
    conn->outcome = outcome;
    (void)err_set(&conn->error, outcome == STORE_REFUSED ? ERR_CONFLICT : ERR_IO, "%s %s", conn->shown, why);
    return outcome;
}

/* Rule 5. A file of the log is named by its timeline: 8 hexadecimal digits, and then others. Which system it is is a
 * question of its own: PostgreSQL refuses a statement that names a function which the role may not call, even where it
 * would not be called. Who may not ask knows all systems by the name "". */
static enum store_outcome check_history(struct pg_conn *conn, bool may_ask_system, const char *wal_file)
{
    const char *system = "";
    char digits[9];

    (void)snprintf(digits, sizeof digits, "%s", wal_file);
    uint32_t timeline = (uint32_t)strtoul(digits, NULL, 16);

    if (may_ask_system) {
        const PGresult *answer = pg_simple(conn, "SELECT system_identifier::text FROM pg_control_system()");

        if (answer == NULL) {
            return conn->outcome;
        }
        system = PQgetvalue(answer, 0, 0);
    }
    if (strcmp(system, conn->system) == 0 && timeline < conn->timeline) {
        return refuse(conn, STORE_DOWN,
                      "is a primary that has been replaced: this server has worked with its successor. Stop it");
    }
    (void)snprintf(conn->system, sizeof conn->system, "%s", system);
    conn->timeline = timeline;
    return STORE_DONE;
}

/* What everything else relies on. */
static enum store_outcome check(struct pg_conn *conn)
{
    const PGresult *answer =
        pg_simple(conn, "SELECT pg_is_in_recovery(), current_setting('server_encoding'), "
                        "current_setting('transaction_isolation'), "
                        "(SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()), "
                        "has_function_privilege('pg_control_system()', 'EXECUTE'), "
                        "CASE WHEN pg_is_in_recovery() THEN '' ELSE pg_walfile_name(pg_current_wal_lsn()) END");

    if (answer == NULL) {
        return conn->outcome;
    }
    if (strcmp(PQgetvalue(answer, 0, 0), "f") != 0) {
        return refuse(conn, STORE_DOWN, "is a standby; the primary is needed");
    }
    if (strcmp(PQgetvalue(answer, 0, 1), "UTF8") != 0) {
        return refuse(conn, STORE_REFUSED,
                      "is a database in another encoding than UTF8. Make one with ENCODING 'UTF8'");
    }
    if (strcmp(PQgetvalue(answer, 0, 2), isolation_of(conn->role)) != 0) {
        return refuse(conn, STORE_DOWN, "does not give transactions of the isolation that was asked for");
    }
    (void)snprintf(conn->backend_start, sizeof conn->backend_start, "%s", PQgetvalue(answer, 0, 3));
    return check_history(conn, strcmp(PQgetvalue(answer, 0, 4), "t") == 0, PQgetvalue(answer, 0, 5));
}

static enum store_outcome set_up(struct pg_conn *conn)
{
    SCOPE(buf_done) struct buf sql;

    buf_init(&sql, SETTINGS_BYTES_MAX);
    if (PQserverVersion(conn->pq) < VERSION_MIN) {
        return refuse(conn, STORE_REFUSED, "is older than PostgreSQL 14");
    }
    put_settings(&sql, conn);
    if (pg_simple(conn, buf_text(&sql)) == NULL) {
        return conn->outcome;
    }
    return check(conn);
}

/* ---- statements ---- */

static bool is_for(enum pg_role role, int statement)
{
    if (role == PG_MEMBER) {
        return statement >= SQL_MEMBER_SAY;
    }
    return role == PG_WRITER ? statement < SQL_MEMBER_SAY : statement < SQL_READ_STATEMENTS;
}

/* Said at the start: a month without a part is noticed much later. */
static enum store_outcome check_rights(struct pg_conn *conn)
{
    const PGresult *answer =
        pg_simple(conn, "SELECT has_function_privilege('belfry.parts_ahead(timestamptz)', 'EXECUTE') "
                        "AND has_function_privilege('belfry.parts_drop(bigint)', 'EXECUTE')");

    if (answer == NULL) {
        return conn->outcome;
    }
    if (strcmp(PQgetvalue(answer, 0, 0), "t") != 0) {
        return refuse(conn, STORE_DOWN,
                      "does not let this role make parts of the history. Let it: "
                      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA belfry TO the servers' role");
    }
    return STORE_DONE;
}

/* The numbers of the types that rows are sent as. */
static enum store_outcome learn_types(struct pg_conn *conn)
{
#define X(name, text) ", '" text "'::regtype::oid"
    const PGresult *answer = pg_simple(conn, "SELECT 0" PG_ROW_TABLE(X));
#undef X

    if (answer == NULL) {
        return conn->outcome;
    }
    for (int i = 0; i < PG_ROW_TYPES; i++) {
        conn->row_oids[i] = (uint32_t)strtoul(PQgetvalue(answer, 0, i + 1), NULL, 10);
    }
    return STORE_DONE;
}

/* All of them at once, so that a table that is not as it should be shows now. */
static enum store_outcome prepare(struct pg_conn *conn)
{
    if (PQenterPipelineMode(conn->pq) == 0) {
        return refuse(conn, STORE_DOWN, "does not take pipelines");
    }
    pg_again(conn);
    for (int i = 0; i < SQL_STATEMENTS && conn->pq != NULL; i++) {
        char name[16];

        if (is_for(conn->role, i)) {
            (void)snprintf(name, sizeof name, "s%d", i);
            conn->sent++;
            if (PQsendPrepare(conn->pq, name, pg_statement_text((enum pg_statement)i), 0, NULL) == 0) {
                pg_lost(conn, "the connection failed at its beginning");
            }
        }
    }
    pg_sync(conn);
    return pg_finish(conn, NULL);
}

enum store_outcome pg_session_begin(struct pg_conn *conn)
{
    if (!pg_connect(conn)) {
        conn->outcome = STORE_DOWN;
        conn->failed_at = SIZE_MAX;
        return STORE_DOWN;
    }
    enum store_outcome outcome = set_up(conn);

    if (outcome == STORE_DONE && conn->role != PG_ADMIN) {
        outcome = postgres_schema_check(conn);
        if (outcome == STORE_DONE && conn->role == PG_WRITER) {
            outcome = check_rights(conn);
        }
        if (outcome == STORE_DONE && conn->role == PG_WRITER) {
            outcome = learn_types(conn);
        }
        if (outcome == STORE_DONE) {
            outcome = prepare(conn);
        }
    }
    if (outcome != STORE_DONE) {
        conn->host++; /* one that takes connections and is of no use is not the only one */
    }
    return outcome;
}
