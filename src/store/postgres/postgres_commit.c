/* A batch: one pipeline, one transaction. */
#include "store/postgres/postgres_inside.h"
#include "store/postgres/postgres_write.h"

/* So many batches are remembered in batch_log; it is cut each time so many more are there. */
#define LOG_KEPT 1000
#define LOG_CUT_EACH 256

static int64_t id_high_of(const struct batch *batch)
{
    int64_t high_ms = INT64_MIN;

    BATCH_EACH(batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_IDS_RESERVE && chunk->ops[i].ms > high_ms) {
            high_ms = chunk->ops[i].ms;
        }
    }
    return high_ms;
}

static void send_log(struct postgres_store *store, const struct batch *batch)
{
    struct pg_call call;

    pg_call(&call, &store->conn, SQL_LOG);
    pg_int2(&call, store->shard);
    pg_id(&call, batch->number);
    pg_id(&call, store->epoch);
    pg_id(&call, store->nonce[0]);
    pg_id(&call, store->nonce[1]);
    pg_int8(&call, (int64_t)batch->op_count);
    pg_send(&call);
    if (batch->number % LOG_CUT_EACH == 0 && batch->number > LOG_KEPT) {
        pg_call(&call, &store->conn, SQL_LOG_CUT);
        pg_int2(&call, store->shard);
        pg_id(&call, batch->number - LOG_KEPT);
        pg_send(&call);
    }
}

/* Sends all and takes all answers. */
static enum store_outcome write_batch(struct fence *fence, const struct batch *batch, struct error *reterr)
{
    struct postgres_store *store = fence->store;

    pg_again(&store->conn);
    postgres_fence_advance(fence, batch->number, id_high_of(batch));
    postgres_names_send(&store->names, &store->conn, store->shard);
    enum store_outcome outcome = postgres_write_all(store, batch, reterr);

    if (outcome != STORE_DONE) {
        pg_send_plain(&store->conn, SQL_ROLLBACK); /* some of it is sent */
        pg_sync(&store->conn);
        (void)pg_finish(&store->conn, NULL);
        return outcome;
    }
    send_log(store, batch);
    outcome = postgres_fence_end(fence, reterr);
    if (outcome != STORE_DONE) {
        postgres_write_blame(store, batch, reterr);
    }
    return outcome;
}

enum store_outcome postgres_commit(struct store *base, const struct batch *batch, struct error *reterr)
{
    struct postgres_store *store = postgres_store_of(base);
    struct fence fence;
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome == STORE_DONE) {
        outcome = postgres_names_learn(&store->names, &store->conn, store->shard, batch, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = write_batch(&fence, batch, reterr);
        postgres_names_settle(&store->names, outcome == STORE_DONE);
    }
    if (outcome == STORE_DONE) {
        old_round_note(&store->old, batch);
    }
    return outcome;
}
