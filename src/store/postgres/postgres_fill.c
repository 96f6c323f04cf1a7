/* A store that is filled with the rows of another: the mark that says so, and emptying one whose filling has failed. */
#include "store/postgres/pg_row.h"
#include "store/postgres/postgres_inside.h"

/* Rows of each table that one step removes. */
#define STEP_ROWS 2000

/* Where SQL_SHARD has the mark. */
enum { COLUMN_FILLING = 5 };

/* The number in a column of the only row; *ret_has_row: there is one. */
static enum store_outcome ask(struct postgres_store *store, enum pg_statement statement, int column, bool *ret_has_row,
                              bool *ret_is_set, struct error *reterr)
{
    pg_again(&store->conn);
    pg_send_for(&store->conn, statement, store->shard);
    pg_sync(&store->conn);
    const PGresult *answer = pg_answer(&store->conn);

    *ret_has_row = answer != NULL && PQntuples(answer) == 1;
    *ret_is_set = false;
    if (*ret_has_row) {
        struct pg_row row = {.answer = answer, .taken = column};

        *ret_is_set = pg_take_int(&row) != 0;
    }
    return pg_finish(&store->conn, reterr);
}

enum store_outcome postgres_fill_refuse(struct postgres_store *store, struct error *reterr)
{
    bool has_row, is_filling;
    enum store_outcome outcome = ask(store, SQL_SHARD, COLUMN_FILLING, &has_row, &is_filling, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    if (has_row) {
        (void)err_set(
            reterr, ERR_CONFLICT,
            "%s is not whole: belfry migrate was begun and did not end. Run it again: it empties the database "
            "and begins anew",
            store->conn.shown);
    } else {
        (void)err_set(reterr, ERR_CONFLICT, "%s has no shard %u", store->conn.shown, store->shard);
    }
    return STORE_REFUSED;
}

static enum store_outcome mark(struct fence *fence, struct error *reterr)
{
    struct postgres_store *store = fence->store;

    pg_again(&store->conn);
    postgres_fence_hold(fence, store->lease_ms);
    pg_send_for(&store->conn, SQL_FILL_BEGIN, store->shard);
    return postgres_fence_end(fence, reterr);
}

static enum store_outcome empty_step(struct fence *fence, struct error *reterr)
{
    struct postgres_store *store = fence->store;
    struct pg_call call;
    bool has_row = false;
    bool is_left = false;

    pg_again(&store->conn);
    postgres_fence_hold(fence, store->lease_ms);
    pg_call(&call, &store->conn, SQL_FILL_EMPTY);
    pg_int2(&call, store->shard);
    pg_int8(&call, STEP_ROWS);
    pg_send(&call);
    enum store_outcome outcome = postgres_fence_end(fence, reterr);

    if (outcome == STORE_DONE) {
        outcome = ask(store, SQL_FILL_LEFT, 0, &has_row, &is_left, reterr);
    }
    return outcome == STORE_DONE && is_left ? STORE_AGAIN : outcome;
}

enum store_outcome postgres_fill_begin(struct store *base, struct error *reterr)
{
    struct postgres_store *store = postgres_store_of(base);
    bool has_row, is_filling;
    struct fence fence;
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome == STORE_DONE) {
        outcome = ask(store, SQL_SHARD, COLUMN_FILLING, &has_row, &is_filling, reterr);
    }
    if (outcome != STORE_DONE) {
        return outcome;
    }
    return is_filling ? empty_step(&fence, reterr) : mark(&fence, reterr);
}

enum store_outcome postgres_fill_end(struct store *base, const struct shard_row *shard, struct error *reterr)
{
    struct postgres_store *store = postgres_store_of(base);
    struct pg_call call;
    struct fence fence;
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    postgres_fence_hold(&fence, store->lease_ms);
    pg_call(&call, &store->conn, SQL_FILL_END);
    pg_int2(&call, store->shard);
    pg_id(&call, shard->last_batch);
    pg_int8(&call, shard->id_high_ms);
    pg_send(&call);
    return postgres_fence_end(&fence, reterr);
}
