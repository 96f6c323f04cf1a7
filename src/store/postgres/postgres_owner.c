/* Who owns the shard: a session's lock for owners that die, a lease for those that stand still. What keeps an old owner
 * from writing is neither, but the fence. */
#include <poll.h>
#include <string.h>

#include "base/arena.h"
#include "base/chrono.h"
#include "store/postgres/pg_row.h"
#include "store/postgres/postgres_inside.h"

/* How long a session that was ended may take to go, and how often it is looked for. */
#define GOING_MS 2000
#define GOING_LOOK_MS 5

/* Somebody who has the lock and has done nothing for so long (or for a lease) stands still. */
#define STILL_MIN_MS 1000

struct owner {
    bool is_there; /* somebody has acquired it at some time */
    uint64_t epoch;
    uint64_t nonce[2];
    int64_t left_ms;
    struct str name, url; /* as long as the answer */
    uint64_t last_batch;
    struct str held; /* likewise */
    int64_t id_high_ms;
};

static void ask_owner(struct pg_conn *conn, uint32_t shard)
{
    pg_again(conn);
    pg_send_for(conn, SQL_OWNER, shard);
    pg_sync(conn);
}

static struct owner take_owner(struct pg_conn *conn)
{
    const PGresult *answer = pg_answer(conn);
    struct owner owner = {.is_there = false};

    if (answer != NULL && PQntuples(answer) == 1) {
        struct pg_row row = pg_row(answer, 0);

        owner.epoch = pg_take_id(&row);
        owner.nonce[0] = pg_take_id(&row);
        owner.nonce[1] = pg_take_id(&row);
        owner.is_there = !pg_next_is_null(&row);
        owner.left_ms = pg_take_int(&row);
        owner.name = pg_take_text(&row);
        owner.url = pg_take_text(&row);
        owner.last_batch = pg_take_id(&row);
        owner.held = pg_take_text(&row);
        owner.id_high_ms = pg_take_int(&row);
    }
    return owner;
}

/* ---- the lock ---- */

static enum store_outcome try_lock(struct postgres_store *store, bool *ret_has, struct error *reterr)
{
    struct pg_conn *conn = &store->conn;

    *ret_has = false;
    pg_again(conn);
    pg_send_for(conn, SQL_LOCK_TRY, store->shard);
    pg_sync(conn);
    const PGresult *answer = pg_answer(conn);

    if (answer != NULL) {
        struct pg_row row = pg_row(answer, 0);

        *ret_has = pg_take_int(&row) == 1;
    }
    enum store_outcome outcome = pg_finish(conn, reterr);

    if (*ret_has) {
        store->lock_session = conn->session;
    }
    return outcome;
}

/* Ends sessions that are in the way; *ret_count: how many. */
static enum store_outcome end_others(struct postgres_store *store, int64_t still_ms, int *ret_count,
                                     struct error *reterr)
{
    struct pg_call call;

    pg_again(&store->conn);
    pg_call(&call, &store->conn, SQL_LOCKS_END);
    pg_int2(&call, store->shard);
    pg_int8(&call, still_ms);
    pg_id(&call, store->epoch);
    pg_id(&call, store->nonce[0]);
    pg_id(&call, store->nonce[1]);
    pg_send(&call);
    pg_sync(&store->conn);
    const PGresult *answer = pg_answer(&store->conn);

    *ret_count = answer != NULL ? PQntuples(answer) : 0;
    return pg_finish(&store->conn, reterr);
}

static enum store_outcome await_lock(struct postgres_store *store, bool *ret_has, struct error *reterr)
{
    int64_t end_mono_ms = chrono_mono_ms() + GOING_MS;
    enum store_outcome outcome = try_lock(store, ret_has, reterr);

    while (outcome == STORE_DONE && !*ret_has && chrono_mono_ms() < end_mono_ms) {
        (void)poll(NULL, 0, GOING_LOOK_MS);
        outcome = try_lock(store, ret_has, reterr);
    }
    return outcome;
}

/* ---- acquiring ---- */

static enum store_outcome say_owned(const struct postgres_store *store, const struct owner *owner, const char *how,
                                    struct error *reterr)
{
    (void)err_set(reterr, ERR_NO_OWNER, "%s: shard %u %s %.*s (%.*s)", store->conn.shown, store->shard, how,
                  STR_ARGS(owner->name), STR_ARGS(owner->url));
    return STORE_FENCED;
}

/* Somebody else's session has the lock. */
static enum store_outcome take_from(struct postgres_store *store, struct error *reterr)
{
    struct arena arena;
    bool has = false;
    int count = 0;

    ask_owner(&store->conn, store->shard);
    struct owner owner = take_owner(&store->conn);

    arena_init(&arena, 1024, 1024 * 1024);
    owner.name = str_from(arena_strdup_str(&arena, owner.name));
    owner.url = str_from(arena_strdup_str(&arena, owner.url));
    enum store_outcome outcome = pg_finish(&store->conn, reterr);
    /* After STORE_UNKNOWN it is our own session of before. */
    bool is_ours =
        owner.epoch == store->epoch && owner.nonce[0] == store->nonce[0] && owner.nonce[1] == store->nonce[1];

    if (outcome == STORE_DONE && owner.is_there && owner.left_ms > 0 && !is_ours) {
        outcome = say_owned(store, &owner, "is owned by", reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = end_others(store, store->lease_ms > STILL_MIN_MS ? store->lease_ms : STILL_MIN_MS, &count, reterr);
    }
    if (outcome ==
        STORE_DONE) { /* where there was nobody to end, it has gone by itself, or somebody else is about to */
        outcome = count > 0 ? await_lock(store, &has, reterr) : try_lock(store, &has, reterr);
    }
    if (outcome == STORE_DONE && !has) {
        outcome =
            say_owned(store, &owner,
                      count > 0 ? "is being left by" : "is being taken by somebody; until now it was owned by", reterr);
    }
    arena_done(&arena);
    return outcome;
}

static enum store_outcome take_lock(struct postgres_store *store, struct error *reterr)
{
    bool has = store->lock_session == store->conn.session;
    enum store_outcome outcome = has ? STORE_DONE : try_lock(store, &has, reterr);

    return outcome == STORE_DONE && !has ? take_from(store, reterr) : outcome;
}

/* The lock is ours. A transaction that stands still with the fence in its hands is ended. */
static enum store_outcome raise_epoch(struct postgres_store *store, const struct store_owner *owner,
                                      uint64_t *ret_epoch, struct error *reterr)
{
    struct fence fence = {.store = store};
    struct error error;
    int ignored;

    pg_again(&store->conn);
    enum store_outcome outcome = postgres_fence_raise(&fence, owner, ret_epoch, &error);

    if (outcome != STORE_DONE && outcome != STORE_AGAIN && reterr != NULL) {
        *reterr = error;
    }
    if (outcome == STORE_AGAIN) {
        outcome = end_others(store, STILL_MIN_MS, &ignored, reterr);
        if (outcome == STORE_DONE) {
            pg_again(&store->conn);
            outcome = postgres_fence_raise(&fence, owner, ret_epoch, reterr);
        }
    }
    return outcome;
}

enum store_outcome postgres_acquire(struct store *base, const struct store_owner *owner, uint64_t *ret_epoch,
                                    struct error *reterr)
{
    struct postgres_store *store = postgres_store_of(base);
    uint64_t epoch = 0;
    enum store_outcome outcome = pg_start(&store->conn, store->call_ms, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    outcome = take_lock(store, reterr);
    if (outcome == STORE_DONE) {
        outcome = raise_epoch(store, owner, &epoch, reterr);
        if (outcome != STORE_DONE) {
            pg_conn_close(&store->conn); /* and with it the lock */
        }
    }
    if (outcome == STORE_DONE) {
        store->has_acquired = true;
        store->is_unknown = false;
        store->epoch = epoch;
        store->nonce[0] = owner->nonce[0];
        store->nonce[1] = owner->nonce[1];
        store->timeline = store->conn.timeline;
        memcpy(store->system, store->conn.system, sizeof store->system);
        *ret_epoch = epoch;
    }
    return outcome;
}

/* ---- owning ---- */

/* The owner has another session than before: its lock, and who may be ended for it. That it is the owner still is for
 * the fence to say. */
static enum store_outcome rejoin(struct fence *fence, struct error *reterr)
{
    struct postgres_store *store = fence->store;
    struct pg_call call;
    bool has;
    enum store_outcome outcome = try_lock(store, &has, reterr);

    pg_again(&store->conn);
    if (outcome != STORE_DONE || !has) {
        return outcome;
    }
    fence->is_harmless = true;
    postgres_fence_hold(fence, store->lease_ms);
    pg_call(&call, &store->conn, SQL_REJOIN);
    pg_int2(&call, store->shard);
    pg_text(&call, str_from(store->conn.backend_start));
    pg_send(&call);
    outcome = postgres_fence_end(fence, reterr);
    if (outcome == STORE_FENCED) {
        pg_conn_close(&store->conn); /* the lock belongs to somebody else */
    }
    pg_again(&store->conn);
    fence->is_harmless = false;
    return outcome;
}

enum store_outcome postgres_owner_ready(struct postgres_store *store, struct fence *fence, struct error *reterr)
{
    *fence = (struct fence){.store = store};
    if (!store->has_acquired) {
        (void)err_set(reterr, ERR_CONFLICT, "%s: shard %u %s", store->conn.shown, store->shard,
                      store->is_unknown ? "must be acquired anew: what became of its last batch is not known"
                                        : "was not acquired");
        return STORE_FENCED;
    }
    enum store_outcome outcome = pg_start(&store->conn, store->call_ms, reterr);

    if (outcome != STORE_DONE || store->lock_session == store->conn.session) {
        return outcome;
    }
    if (store->timeline != store->conn.timeline || strcmp(store->system, store->conn.system) != 0) {
        /* Epoch and nonce are ours there, too; but the last of what was committed may not be. */
        store->has_acquired = false;
        store->trusted_until_mono_ms = 0;
        (void)err_set(reterr, ERR_CONFLICT, "%s: another copy of the database took over; shard %u is acquired anew",
                      store->conn.shown, store->shard);
        return STORE_FENCED;
    }
    return rejoin(fence, reterr);
}

enum store_outcome postgres_store_renew(struct store *base, struct error *reterr)
{
    struct fence fence;
    struct postgres_store *store = postgres_store_of(base);
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    fence.is_harmless = true;
    postgres_fence_hold(&fence, store->lease_ms);
    return postgres_fence_end(&fence, reterr);
}

enum store_outcome postgres_store_release(struct store *base, struct error *reterr)
{
    struct fence fence;
    struct postgres_store *store = postgres_store_of(base);
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome == STORE_DONE) {
        fence.is_harmless = true;
        postgres_fence_hold(&fence, 0);
        outcome = postgres_fence_end(&fence, reterr);
    }
    if (outcome == STORE_DONE) {
        pg_again(&store->conn);
        pg_send_for(&store->conn, SQL_LOCK_FREE, store->shard);
        pg_sync(&store->conn);
        outcome = pg_finish(&store->conn, reterr);
    }
    store->has_acquired = false;
    store->lock_session = 0;
    store->trusted_until_mono_ms = 0;
    return outcome;
}

int64_t postgres_store_trusted_until_mono_ms(const struct store *base)
{
    return CONTAINER_OF_CONST(base, struct postgres_store, store)->trusted_until_mono_ms;
}

struct postgres_clock postgres_store_clock(const struct store *base)
{
    return CONTAINER_OF_CONST(base, struct postgres_store, store)->clock;
}

static enum store_outcome find_owner(struct pg_conn *conn, uint32_t shard, struct arena *arena,
                                     struct postgres_owner *ret_owner, struct error *reterr)
{
    ask_owner(conn, shard);
    struct owner owner = take_owner(conn);
    struct postgres_owner found = {.is_owned = owner.is_there && owner.left_ms > 0,
                                   .epoch = owner.epoch,
                                   .left_ms = owner.left_ms,
                                   .name = str_from(arena_strdup_str(arena, owner.name)),
                                   .url = str_from(arena_strdup_str(arena, owner.url)),
                                   .last_batch = owner.last_batch,
                                   .held = str_from(arena_strdup_str(arena, owner.held)),
                                   .id_high_ms = owner.id_high_ms};

    enum store_outcome outcome = pg_finish(conn, reterr);
    if (outcome == STORE_DONE) {
        *ret_owner = found;
    }
    return outcome;
}

enum store_outcome postgres_reader_owner(struct store_reader *base, struct arena *arena,
                                         struct postgres_owner *ret_owner, struct error *reterr)
{
    struct postgres_reader *reader = CONTAINER_OF(base, struct postgres_reader, reader);
    enum store_outcome outcome = pg_start(&reader->conn, READ_MS, reterr);

    return outcome == STORE_DONE ? find_owner(&reader->conn, reader->shard, arena, ret_owner, reterr) : outcome;
}

enum store_outcome postgres_owner_of(struct postgres_store *store, struct arena *arena,
                                     struct postgres_owner *ret_owner, struct error *reterr)
{
    enum store_outcome outcome = pg_start(&store->conn, store->call_ms, reterr);

    return outcome == STORE_DONE ? find_owner(&store->conn, store->shard, arena, ret_owner, reterr) : outcome;
}
