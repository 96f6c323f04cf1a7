/* What the door to all stores asks of one that several servers share. */
#include <stdio.h>

#include "base/arena.h"
#include "store/postgres/postgres_inside.h"

#define ARENA_BLOCK_BYTES 1024
#define ARENA_BYTES_MAX (64 * 1024)

static void note_ownership(const struct postgres_owner *owner, struct store_ownership *ret_ownership)
{
    ret_ownership->is_owned = owner->is_owned;
    ret_ownership->epoch = owner->epoch;
    (void)snprintf(ret_ownership->name, sizeof ret_ownership->name, "%.*s", STR_ARGS(owner->name));
    (void)snprintf(ret_ownership->url, sizeof ret_ownership->url, "%.*s", (int)owner->url.len,
                   owner->url.len > 0 ? owner->url.ptr : "");
    ret_ownership->last_batch = owner->last_batch;
    ret_ownership->id_high_ms = owner->id_high_ms;
    (void)snprintf(ret_ownership->held, sizeof ret_ownership->held, "%.*s", (int)owner->held.len,
                   owner->held.len > 0 ? owner->held.ptr : "");
}

enum store_outcome postgres_look(struct store *base, struct store_ownership *ret_ownership,
                                 struct store_trust *ret_trust, struct error *reterr)
{
    const struct postgres_clock clock = postgres_store_clock(base);
    const struct pg_conn *conn = &postgres_store_of(base)->conn;
    enum store_outcome outcome = STORE_DONE;

    *ret_trust = (struct store_trust){.until_mono_ms = postgres_store_trusted_until_mono_ms(base),
                                      .has_clock = clock.is_known,
                                      .ahead_of_mono_ms = clock.ahead_of_mono_ms,
                                      .timeline = conn->timeline};
    (void)snprintf(ret_trust->system, sizeof ret_trust->system, "%s", conn->system);
    if (ret_ownership != NULL) {
        struct arena arena;
        struct postgres_owner owner;

        arena_init(&arena, ARENA_BLOCK_BYTES, ARENA_BYTES_MAX);
        outcome = postgres_owner_of(postgres_store_of(base), &arena, &owner, reterr);
        if (outcome == STORE_DONE) {
            note_ownership(&owner, ret_ownership);
        }
        arena_done(&arena);
    }
    return outcome;
}

enum store_outcome postgres_set_held(struct store *base, const char *why, struct error *reterr)
{
    struct fence fence;
    struct pg_call call;
    struct postgres_store *store = postgres_store_of(base);
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    fence.is_harmless = true; /* it may be said again */
    postgres_fence_hold(&fence, store->lease_ms);
    pg_call(&call, &store->conn, SQL_HELD_SET);
    pg_int2(&call, store->shard);
    pg_text(&call, str_from(why));
    pg_send(&call);
    return postgres_fence_end(&fence, reterr);
}
