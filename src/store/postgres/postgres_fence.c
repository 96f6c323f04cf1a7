/* The fence: every transaction that writes begins and ends here (rule 1 of the door), and so does taking a shard.
 *
 * Lock and look are two statements, and the transaction is READ COMMITTED: the second one sees what was committed while
 * the first one waited. A look without the lock, or in the same statement, lets an old owner in. */
#include <assert.h>

#include "base/chrono.h"
#include "store/postgres/pg_row.h"
#include "store/postgres/postgres_inside.h"

/* Of the lease, what is not believed: clocks drift, threads wait. A tenth. */
#define MARGIN_PART 10

/* A clock that was heard so long ago is not better than one just heard less exactly. */
#define CLOCK_OLD_MS 60000

/* Answers before those of the caller's own statements: BEGIN, the lock, the look. */
enum { LOOK_AT = 2 };

static void send_owner(struct postgres_store *store, struct pg_call *call)
{
    pg_int2(call, store->shard);
    pg_id(call, store->epoch);
    pg_id(call, store->nonce[0]);
    pg_id(call, store->nonce[1]);
}

static void begin(struct fence *fence)
{
    fence->began_mono_ms = chrono_mono_ms();
    assert(fence->store->conn.sent == 0);
    pg_send_plain(&fence->store->conn, SQL_BEGIN_WRITE);
}

void postgres_fence_hold(struct fence *fence, int64_t lease_ms)
{
    struct postgres_store *store = fence->store;
    struct pg_call call;

    begin(fence);
    pg_send_for(&store->conn, SQL_FENCE_SHARED, store->shard);
    pg_call(&call, &store->conn, SQL_HOLD);
    send_owner(store, &call);
    pg_int8(&call, lease_ms);
    pg_send(&call);
}

void postgres_fence_advance(struct fence *fence, uint64_t batch, int64_t id_high_ms)
{
    struct postgres_store *store = fence->store;
    struct pg_call call;

    begin(fence);
    pg_send_for(&store->conn, SQL_FENCE_SHARED, store->shard);
    pg_call(&call, &store->conn, SQL_ADVANCE);
    send_owner(store, &call);
    pg_int8(&call, store->lease_ms);
    pg_id(&call, batch);
    pg_int8(&call, id_high_ms);
    pg_send(&call);
}

/* ---- ending ---- */

/* It said so some time between sending and hearing: at least what it said is over now. The millisecond is what the own
 * clock may have left of its last one: without it the database's clock would be run ahead of by that. */
static void hear_clock(struct postgres_store *store, int64_t began_mono_ms, int64_t said_ms)
{
    int64_t now_mono_ms = chrono_mono_ms();
    const struct postgres_clock heard = {true, said_ms - now_mono_ms - 1, now_mono_ms - began_mono_ms};

    if (!store->clock.is_known || heard.spread_ms <= store->clock.spread_ms ||
        now_mono_ms - store->clock_mono_ms > CLOCK_OLD_MS) {
        store->clock = heard;
        store->clock_mono_ms = now_mono_ms;
    }
}

/* Trust counts from before the request was sent, not from its answer. */
static void trust(struct postgres_store *store, int64_t began_mono_ms)
{
    store->trusted_until_mono_ms = began_mono_ms + store->lease_ms - store->lease_ms / MARGIN_PART;
}

/* What a failed write means. Answers come in the order of the statements: one that failed before COMMIT was answered
 * says that nothing was applied, even if the server ended the session with it. Without such an answer nobody knows. */
static bool may_be_applied(const struct fence *fence, bool is_sent)
{
    const struct pg_conn *conn = &fence->store->conn;
    bool is_commit = conn->failed_at == fence->commit_at && conn->pq == NULL;

    return is_sent && !fence->is_harmless && (conn->failed_at == SIZE_MAX || is_commit);
}

static enum store_outcome doubt(struct postgres_store *store, struct error *reterr)
{
    if (reterr != NULL) {
        (void)err_set(reterr, ERR_IO, "%s: whether the batch was stored is not known (%s)", store->conn.shown,
                      store->conn.outcome != STORE_DONE ? store->conn.error.text
                                                        : "it may be on the primary alone, without its standby");
    }
    store->is_unknown = true;
    store->has_acquired = false;
    store->trusted_until_mono_ms = 0;
    return STORE_UNKNOWN;
}

/* Sends COMMIT and takes the answers up to the look's, which is given. */
static const PGresult *commit(struct fence *fence, bool *ret_is_sent)
{
    struct pg_conn *conn = &fence->store->conn;

    *ret_is_sent = conn->pq != NULL;
    fence->commit_at = conn->sent;
    pg_send_plain(conn, SQL_COMMIT);
    pg_sync(conn);
    for (size_t i = 0; i < LOOK_AT; i++) {
        (void)pg_answer(conn);
    }
    return pg_answer(conn);
}

enum store_outcome postgres_fence_end(struct fence *fence, struct error *reterr)
{
    struct postgres_store *store = fence->store;
    int64_t clock_ms = TIME_NONE;
    bool is_sent;
    const PGresult *look = commit(fence, &is_sent);

    if (look != NULL && PQntuples(look) == 1) {
        struct pg_row row = pg_row(look, 0);

        clock_ms = pg_take_time(&row);
    }
    enum store_outcome outcome = pg_finish(&store->conn, reterr);

    if (outcome == STORE_DONE ? store->conn.is_warned : may_be_applied(fence, is_sent)) {
        return doubt(store, reterr);
    }
    if (outcome == STORE_DONE) {
        hear_clock(store, fence->began_mono_ms, clock_ms);
        trust(store, fence->began_mono_ms);
    } else if (outcome == STORE_FENCED) {
        store->trusted_until_mono_ms = 0;
    }
    return outcome;
}

/* ---- taking the shard ---- */

/* Everybody else's writes end before this one begins, and are fenced from here on. */
enum store_outcome postgres_fence_raise(struct fence *fence, const struct store_owner *owner, uint64_t *ret_epoch,
                                        struct error *reterr)
{
    struct postgres_store *store = fence->store;
    struct pg_call call;
    bool is_sent;
    uint64_t epoch = 0;
    int64_t clock_ms = TIME_NONE;

    begin(fence);
    pg_send_for(&store->conn, SQL_FENCE_ALONE, store->shard);
    pg_call(&call, &store->conn, SQL_RAISE);
    pg_int2(&call, store->shard);
    pg_id(&call, owner->nonce[0]);
    pg_id(&call, owner->nonce[1]);
    pg_int8(&call, store->lease_ms);
    pg_text(&call, owner->name);
    pg_text(&call, owner->url);
    pg_text(&call, str_from(store->conn.backend_start));
    pg_int2(&call, owner->is_filling ? 1 : 0);
    pg_send(&call);
    const PGresult *raised = commit(fence, &is_sent);

    if (raised != NULL && PQntuples(raised) == 1) {
        struct pg_row row = pg_row(raised, 0);

        epoch = pg_take_id(&row);
        clock_ms = pg_take_int(&row);
    }
    enum store_outcome outcome = pg_finish(&store->conn, reterr);

    if (outcome == STORE_DONE ? store->conn.is_warned : may_be_applied(fence, is_sent)) {
        return doubt(store, reterr);
    }
    if (outcome == STORE_DONE && epoch == 0) {
        return postgres_fill_refuse(store, reterr);
    }
    if (outcome == STORE_DONE) {
        hear_clock(store, fence->began_mono_ms, clock_ms);
        trust(store, fence->began_mono_ms);
        *ret_epoch = epoch;
    }
    return outcome;
}
