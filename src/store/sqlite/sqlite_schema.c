#include "store/sqlite/sqlite_schema.h"

#include <stdio.h>

#include "store/sql/migrations.h"

static enum store_outcome refuse_foreign(const struct sql_conn *conn, struct error *reterr)
{
    (void)err_set(reterr, ERR_CONFLICT, "%s is not a Belfry store. Nothing was changed; give another path", conn->path);
    return STORE_REFUSED;
}

enum store_outcome sqlite_schema_look(struct sql_conn *conn, int64_t *ret_version, struct error *reterr)
{
    int64_t application = 0;
    int64_t version = 0;
    int64_t tables = 0;
    enum store_outcome outcome = sql_number(conn, "PRAGMA application_id", &application, reterr);

    if (outcome == STORE_DONE) {
        outcome = sql_number(conn, "PRAGMA user_version", &version, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = sql_number(conn, "SELECT count(*) FROM sqlite_schema", &tables, reterr);
    }
    if (outcome == STORE_BROKEN && (sqlite3_errcode(conn->db) & 0xff) == SQLITE_NOTADB) {
        return refuse_foreign(conn, reterr);
    }
    if (outcome != STORE_DONE) {
        return outcome;
    }
    bool is_new = application == 0 && version == 0 && tables == 0;

    if (!is_new && application != SCHEMA_APPLICATION_ID) {
        return refuse_foreign(conn, reterr);
    }
    if (version < 0 || (uint64_t)version > sqlite_migration_count) {
        (void)err_set(
            reterr, ERR_CONFLICT,
            "%s has schema version %lld; this Belfry knows up to %zu. Start the newer Belfry that wrote it, or "
            "restore a backup from before",
            conn->path, (long long)version, sqlite_migration_count);
        return STORE_REFUSED;
    }
    *ret_version = version;
    return STORE_DONE;
}

static enum store_outcome add_shard(struct sql_conn *conn, uint32_t shard, struct error *reterr)
{
    char sql[160];

    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO shard (number, id_high_ms, last_batch, epoch, nonce_0, nonce_1) "
                   "VALUES (%u, 0, 0, 0, 0, 0)",
                   shard);
    return sql_exec(conn, sql, reterr);
}

/* Migration number version + 1, inside of a transaction. */
static enum store_outcome migrate_step(struct sql_conn *conn, size_t version, uint32_t shard, struct error *reterr)
{
    char pragmas[100];
    enum store_outcome outcome = sql_exec(conn, sqlite_migrations[version].sql, reterr);

    (void)snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %zu",
                   SCHEMA_APPLICATION_ID, version + 1);
    if (outcome == STORE_DONE) {
        outcome = sql_exec(conn, pragmas, reterr);
    }
    if (outcome == STORE_DONE && version == 0) {
        outcome = add_shard(conn, shard, reterr);
    }
    return outcome;
}

enum store_outcome sqlite_schema_migrate(struct sql_conn *conn, int64_t version, uint32_t shard, struct error *reterr)
{
    for (size_t i = (size_t)version; i < sqlite_migration_count; i++) {
        enum store_outcome outcome = sql_exec(conn, "BEGIN IMMEDIATE", reterr);

        if (outcome == STORE_DONE) {
            outcome = migrate_step(conn, i, shard, reterr);
        }
        if (outcome == STORE_DONE) {
            outcome = sql_exec(conn, "COMMIT", reterr);
        }
        if (outcome != STORE_DONE) {
            if (!sqlite3_get_autocommit(conn->db)) {
                (void)sql_exec(conn, "ROLLBACK", NULL);
            }
            if (reterr != NULL) {
                (void)err_wrap(reterr, reterr->code, "migration %s", sqlite_migrations[i].name);
            }
            return outcome;
        }
    }
    return STORE_DONE;
}

enum store_outcome sqlite_schema_check_shard(struct sql_conn *conn, uint32_t shard, struct error *reterr)
{
    int64_t number = -1;
    int64_t count = 0;
    enum store_outcome outcome = sql_number(conn, "SELECT count(*) FROM shard", &count, reterr);

    if (outcome == STORE_DONE) {
        outcome = sql_number(conn, "SELECT number FROM shard", &number, reterr);
    }
    if (outcome != STORE_DONE) {
        return outcome;
    }
    if (count != 1) {
        return sql_bad_row(conn, "shard", shard, "there is not exactly one row", reterr);
    }
    if (number != shard) {
        (void)err_set(reterr, ERR_CONFLICT, "%s is the file of shard %lld, not of shard %u", conn->path,
                      (long long)number, shard);
        return STORE_REFUSED;
    }
    return STORE_DONE;
}
