#include "store/postgres/postgres_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/postgres/postgres_store.h"
#include "store/sql/migrations.h"

/* Making tables on a slow disk takes a while. */
#define INIT_MS 60000

/* ---- looking ---- */

static enum store_outcome refuse(struct pg_conn *conn, const char *format, long long number)
{
    char why[ERROR_TEXT_BYTES_MAX / 2];

    /* The formats are those below. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(why, sizeof why, format, number);
#pragma GCC diagnostic pop
    conn->outcome = STORE_REFUSED;
    (void)err_set(&conn->error, ERR_CONFLICT, "%s %s", conn->shown, why);
    return STORE_REFUSED;
}

static enum store_outcome ask_number(struct pg_conn *conn, const char *sql, long long *ret_number)
{
    const PGresult *answer = pg_simple(conn, sql);

    if (answer == NULL) {
        return conn->outcome;
    }
    *ret_number = PQntuples(answer) == 0 ? 0 : strtoll(PQgetvalue(answer, 0, 0), NULL, 10);
    return STORE_DONE;
}

/* How many migrations it has seen; -1: there is no schema of ours. */
static enum store_outcome look(struct pg_conn *conn, long long *ret_version)
{
    long long is_there = 0;
    enum store_outcome outcome =
        ask_number(conn, "SELECT (to_regclass('belfry.migrations') IS NOT NULL)::int", &is_there);

    if (outcome != STORE_DONE || !is_there) {
        *ret_version = -1;
        return outcome;
    }
    return ask_number(conn, "SELECT count(*) FROM belfry.migrations", ret_version);
}

enum store_outcome postgres_schema_check(struct pg_conn *conn)
{
    long long version = 0;
    enum store_outcome outcome = look(conn, &version);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    if (version < 0) {
        return refuse(conn, "has no schema named belfry. Make it with: belfry init", 0);
    }
    if (version > (long long)postgres_migration_count) {
        return refuse(conn, "has schema version %lld, which is newer than this Belfry. Start the newer one", version);
    }
    if (version < (long long)postgres_migration_count) {
        return refuse(conn,
                      "has schema version %lld, which is older than this Belfry's. Bring it up to date with: "
                      "belfry init",
                      version);
    }
    return STORE_DONE;
}

/* ---- making ---- */

static enum store_outcome run(struct pg_conn *conn, const char *sql)
{
    return pg_simple(conn, sql) != NULL ? STORE_DONE : conn->outcome;
}

static enum store_outcome migrate_step(struct pg_conn *conn, size_t version)
{
    const struct migration *migration = &postgres_migrations[version];
    char log[200];

    (void)snprintf(log, sizeof log, "INSERT INTO belfry.migrations (number, name) VALUES (%zu, '%s')", version + 1,
                   migration->name);
    enum store_outcome outcome = run(conn, "BEGIN");

    if (outcome == STORE_DONE) {
        outcome = run(conn, migration->sql);
    }
    if (outcome == STORE_DONE) {
        outcome = run(conn, log);
    }
    if (outcome == STORE_DONE) {
        outcome = run(conn, "COMMIT");
    }
    if (outcome != STORE_DONE) {
        (void)err_wrap(&conn->error, conn->error.code, "migration %s", migration->name);
    }
    return outcome;
}

static enum store_outcome migrate(struct pg_conn *conn)
{
    long long version = 0;
    enum store_outcome outcome = run(conn, "CREATE SCHEMA IF NOT EXISTS belfry; "
                                           "CREATE TABLE IF NOT EXISTS belfry.migrations (number integer PRIMARY KEY, "
                                           "name text NOT NULL, at timestamptz NOT NULL DEFAULT now())");

    if (outcome == STORE_DONE) {
        outcome = look(conn, &version);
    }
    if (outcome == STORE_DONE && version > (long long)postgres_migration_count) {
        return refuse(conn, "has schema version %lld, which is newer than this Belfry. Nothing was changed", version);
    }
    for (size_t i = (size_t)version; outcome == STORE_DONE && i < postgres_migration_count; i++) {
        outcome = migrate_step(conn, i);
    }
    return outcome;
}

static enum store_outcome add_shards(struct pg_conn *conn, uint32_t shards)
{
    char sql[160];
    long long count = 0;

    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO belfry.shards (number) SELECT generate_series(0, %u) "
                   "WHERE NOT EXISTS (SELECT FROM belfry.shards)",
                   shards - 1);
    enum store_outcome outcome = run(conn, sql);

    if (outcome == STORE_DONE) {
        outcome = ask_number(conn, "SELECT count(*) FROM belfry.shards", &count);
    }
    if (outcome == STORE_DONE && count != (long long)shards) {
        return refuse(conn, "was made with %lld shards, and their number is fixed. Nothing was changed", count);
    }
    return outcome;
}

static enum store_outcome init_locked(struct pg_conn *conn, uint32_t shards)
{
    long long is_ours = 0;
    enum store_outcome outcome = ask_number(conn, "SELECT pg_try_advisory_lock(" PG_LOCK_SCHEMA ", 0)::int", &is_ours);

    if (outcome == STORE_DONE && !is_ours) {
        return refuse(conn, "is being changed by another belfry init. Wait for it", 0);
    }
    if (outcome == STORE_DONE) {
        outcome = migrate(conn);
    }
    return outcome == STORE_DONE ? add_shards(conn, shards) : outcome;
}

enum err postgres_store_init(const char *url, uint32_t shards, struct error *reterr)
{
    struct pg_conn conn;
    struct error error;

    if (shards == 0 || shards > POSTGRES_SHARDS_MAX) {
        return err_set(reterr, ERR_INVALID, "the number of shards is 1 to %d", POSTGRES_SHARDS_MAX);
    }
    enum err err = pg_conn_init(&conn, url, PG_ADMIN, reterr);

    if (err != ERR_OK) {
        return err;
    }
    conn.statement_ms = conn.idle_ms = INIT_MS;
    enum store_outcome outcome = pg_start(&conn, INIT_MS, &error);

    if (outcome == STORE_DONE) {
        outcome = init_locked(&conn, shards);
        error = conn.error;
    }
    pg_conn_done(&conn); /* the lock goes with it, and a transaction that was not ended */
    if (outcome == STORE_DONE) {
        return ERR_OK;
    }
    if (reterr != NULL) {
        *reterr = error;
    }
    return error.code;
}
