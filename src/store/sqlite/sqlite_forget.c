/* Removes what sqlite_old.c found, by its keys and not by its age, in a transaction that is fenced like a commit: an
 * owner of before must not remove what its successor has written. */
#include "store/sqlite/sqlite_inside.h"

static enum store_outcome run_for(struct sqlite_store *store, enum sql_statement statement, uint64_t id,
                                  const int64_t *number, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, statement);

    sql_id(&call, id);
    if (number != NULL) {
        sql_int(&call, *number);
    }
    return sql_run(&call, reterr);
}

static enum store_outcome remove_all(struct sqlite_store *store, const struct rows *rows, struct error *reterr)
{
    enum store_outcome outcome = STORE_DONE;

    for (size_t i = 0; outcome == STORE_DONE && i < rows->triggers.count; i++) {
        outcome = run_for(store, SQL_TRIGGER_DELETE, rows->triggers.items[i].id, NULL, reterr);
        if (outcome == STORE_DONE) {
            outcome = run_for(store, SQL_ATTEMPTS_DELETE, rows->triggers.items[i].id, NULL, reterr);
        }
    }
    for (size_t i = 0; outcome == STORE_DONE && i < rows->skips.count; i++) {
        outcome = run_for(store, SQL_SKIP_DELETE, rows->skips.items[i].job, &rows->skips.items[i].from_ms, reterr);
    }
    for (size_t i = 0; outcome == STORE_DONE && i < rows->versions.count; i++) {
        int64_t version = rows->versions.items[i].version;

        outcome = run_for(store, SQL_VERSION_DELETE, rows->versions.items[i].job, &version, reterr);
    }
    for (size_t i = 0; outcome == STORE_DONE && i < rows->idems.count; i++) {
        struct sql_call call = sql_begin(&store->conn, SQL_IDEM_DELETE);

        sql_text(&call, rows->idems.items[i].tenant);
        sql_text(&call, rows->idems.items[i].key);
        outcome = sql_run(&call, reterr);
    }
    return outcome;
}

static enum store_outcome check_owner(struct sqlite_store *store, struct error *reterr)
{
    struct shard_row shard;
    enum store_outcome outcome = sqlite_take_shard(&store->conn, store->shard, &shard, reterr);

    if (outcome == STORE_DONE && (!store->has_acquired || shard.epoch != store->epoch ||
                                  shard.nonce[0] != store->nonce[0] || shard.nonce[1] != store->nonce[1])) {
        (void)err_set(reterr, ERR_CONFLICT, "%s is somebody else's", store->path);
        return STORE_FENCED;
    }
    return outcome;
}

enum store_outcome sqlite_forget(struct store *base, const struct rows *rows, struct error *reterr)
{
    struct sqlite_store *store = sqlite_store_of(base);

    if (store->is_broken) {
        return sqlite_is_broken(store, reterr);
    }
    enum store_outcome outcome = sqlite_begin(store, reterr);

    if (outcome == STORE_DONE) {
        outcome = check_owner(store, reterr);
        if (outcome == STORE_DONE) {
            outcome = remove_all(store, rows, reterr);
        }
        if (outcome == STORE_DONE) {
            outcome = sqlite_commit_end(store, reterr);
        } else {
            sqlite_rollback(store);
        }
    }
    if (outcome == STORE_DONE) {
        sqlite_wal_bound(store);
    }
    return sqlite_note(store, outcome);
}
