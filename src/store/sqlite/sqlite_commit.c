/* Transactions of the writer: whole batches, and taking the shard. */
#include <assert.h>

#include "store/sqlite/sqlite_inside.h"
#include "store/sqlite/sqlite_write.h"

enum store_outcome sqlite_note(struct sqlite_store *store, enum store_outcome outcome)
{
    store->is_broken = store->is_broken || outcome == STORE_BROKEN;
    return outcome;
}

enum store_outcome sqlite_is_broken(const struct sqlite_store *store, struct error *reterr)
{
    (void)err_set(reterr, ERR_CORRUPT, "%s failed before; nothing more is done with it in this process", store->path);
    return STORE_BROKEN;
}

enum store_outcome sqlite_begin(struct sqlite_store *store, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_BEGIN_WRITE);

    return sql_run(&call, reterr);
}

void sqlite_rollback(struct sqlite_store *store)
{
    if (!sqlite3_get_autocommit(store->conn.db)) {
        struct sql_call call = sql_begin(&store->conn, SQL_ROLLBACK);

        /* Some failures have rolled back already, and then this one fails: there is nothing to say about it. */
        (void)sql_run(&call, NULL);
    }
    sqlite_places_settle(&store->conn.places, false);
    assert(sqlite3_get_autocommit(store->conn.db));
}

enum store_outcome sqlite_commit_end(struct sqlite_store *store, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_COMMIT);
    enum store_outcome outcome = sql_run(&call, reterr);

    if (outcome == STORE_DONE) {
        sqlite_places_settle(&store->conn.places, true);
    } else {
        sqlite_rollback(store);
    }
    return outcome;
}

/* Moves the shard on to this batch, if it is still ours and the batch is the next one. */
static enum store_outcome advance(struct sqlite_store *store, uint64_t number, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_SHARD_ADVANCE);
    struct shard_row shard;

    sql_id(&call, number);
    sql_int(&call, store->shard);
    sql_id(&call, store->epoch);
    sql_id(&call, store->nonce[0]);
    sql_id(&call, store->nonce[1]);
    enum store_outcome outcome = sql_run(&call, reterr);

    if (outcome != STORE_DONE || sqlite3_changes64(store->conn.db) == 1) {
        return outcome;
    }
    outcome = sqlite_take_shard(&store->conn, store->shard, &shard, reterr);
    if (outcome != STORE_DONE) {
        return outcome;
    }
    bool is_ours =
        shard.epoch == store->epoch && shard.nonce[0] == store->nonce[0] && shard.nonce[1] == store->nonce[1];

    if (is_ours) {
        (void)err_set(reterr, ERR_CONFLICT, "batch %llu does not follow batch %llu", (unsigned long long)number,
                      (unsigned long long)shard.last_batch);
        return STORE_REFUSED;
    }
    (void)err_set(reterr, ERR_CONFLICT, "%s was taken over (epoch %llu, ours was %llu)", store->path,
                  (unsigned long long)shard.epoch, (unsigned long long)store->epoch);
    return STORE_FENCED;
}

static enum store_outcome apply_all(struct sqlite_store *store, const struct batch *batch, struct error *reterr)
{
    enum store_outcome outcome = advance(store, batch->number, reterr);
    size_t done = 0;

    if (outcome != STORE_DONE) {
        return outcome;
    }
    BATCH_EACH(batch, chunk, i)
    {
        outcome = sqlite_apply(store, &chunk->ops[i], reterr);
        if (outcome != STORE_DONE) {
            if (reterr != NULL) {
                (void)err_wrap(reterr, reterr->code, "batch %llu, operation %zu", (unsigned long long)batch->number,
                               done + 1);
            }
            return outcome;
        }
        done++;
    }
    return STORE_DONE;
}

enum store_outcome sqlite_commit(struct store *base, const struct batch *batch, struct error *reterr)
{
    struct sqlite_store *store = sqlite_store_of(base);

    if (store->is_broken) {
        return sqlite_is_broken(store, reterr);
    }
    if (!store->has_acquired) {
        (void)err_set(reterr, ERR_CONFLICT, "%s was not acquired", store->path);
        return STORE_FENCED;
    }
    enum store_outcome outcome = sqlite_begin(store, reterr);

    if (outcome == STORE_DONE) {
        outcome = apply_all(store, batch, reterr);
        if (outcome == STORE_DONE) {
            outcome = sqlite_commit_end(store, reterr);
        } else {
            sqlite_rollback(store);
        }
    }
    if (outcome == STORE_DONE) {
        old_round_note(&store->old, batch);
        sqlite_wal_bound(store);
    }
    return sqlite_note(store, outcome);
}
