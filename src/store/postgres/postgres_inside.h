/* postgres_inside: the store and its readers, as the files of this folder see them.
 *
 * Rules: (1) only postgres_fence.c begins and ends transactions that write.
 */
#ifndef STORE_POSTGRES_POSTGRES_INSIDE_H
#define STORE_POSTGRES_POSTGRES_INSIDE_H

#include "base/buf.h"
#include "base/container.h"
#include "store/old_round.h"
#include "store/postgres/pg_conn.h"
#include "store/postgres/postgres_names.h"
#include "store/postgres/postgres_store.h"

/* The usual deadline of a call. A statement ends itself a little earlier, which keeps the session. */
#define CALL_MS 10000
/* A read for people. */
#define READ_MS 2000
#define READ_STATEMENT_MS 1000

struct writer;

struct postgres_store {
    struct store store;
    struct pg_conn conn;
    uint32_t shard;
    int64_t lease_ms;
    int64_t call_ms;
    bool has_acquired;
    bool is_unknown; /* a batch may be under way still: acquire first (rule 4 of the door) */
    uint64_t epoch;  /* ours, or what was ours last; valid once acquired */
    uint64_t nonce[2];
    uint64_t lock_session;           /* the session that holds the owner's lock; 0: none */
    char system[STORE_SYSTEM_BYTES]; /* which copy of the database it was acquired in */
    uint32_t timeline;
    int64_t trusted_until_mono_ms;
    struct postgres_clock clock;
    int64_t clock_mono_ms; /* when it was heard */
    struct names names;
    struct writer *writer;
    struct old_round old;
    int64_t parts_mono_ms; /* when the parts of the history are to be looked after next */
};

struct postgres_reader {
    struct store_reader reader;
    struct pg_conn conn;
    uint32_t shard;
};

static inline struct postgres_store *postgres_store_of(struct store *store)
{
    return CONTAINER_OF(store, struct postgres_store, store);
}

/* ---- postgres_fence.c: transactions that write ---- */

/* A write that is under way. */
struct fence {
    struct postgres_store *store;
    int64_t began_mono_ms;
    size_t commit_at; /* number of the COMMIT in the pipeline */
    bool is_harmless; /* it may as well be applied later, or not: then it is STORE_DOWN and not STORE_UNKNOWN */
};

/* Sends the beginning: only prolongs the lease, or moves on to the next batch as well. The store is ready
 * (postgres_owner_ready). */
void postgres_fence_hold(struct fence *fence, int64_t lease_ms);
void postgres_fence_advance(struct fence *fence, uint64_t batch, int64_t id_high_ms);

/* Sends the end, and takes all answers. */
enum store_outcome postgres_fence_end(struct fence *fence, struct error *reterr);

/* Takes the shard: waits for whoever writes, and raises the epoch. */
enum store_outcome postgres_fence_raise(struct fence *fence, const struct store_owner *owner, uint64_t *ret_epoch,
                                        struct error *reterr);

/* ---- postgres_owner.c ---- */

/* A session is there; and where it is a new one of the owner's, it has the lock again if nobody else does.
 * STORE_FENCED where the shard was not acquired. */
enum store_outcome postgres_owner_ready(struct postgres_store *store, struct fence *fence, struct error *reterr);

/* Who owns the shard, asked with the store's own session. */
enum store_outcome postgres_owner_of(struct postgres_store *store, struct arena *arena,
                                     struct postgres_owner *ret_owner, struct error *reterr);

/* ---- postgres_fill.c ---- */

/* STORE_REFUSED: why the shard could not be taken, though nobody has it. */
enum store_outcome postgres_fill_refuse(struct postgres_store *store, struct error *reterr);

/* ---- methods ---- */

enum store_outcome postgres_fill_begin(struct store *base, struct error *reterr);
enum store_outcome postgres_fill_end(struct store *base, const struct shard_row *shard, struct error *reterr);

enum store_outcome postgres_acquire(struct store *base, const struct store_owner *owner, uint64_t *ret_epoch,
                                    struct error *reterr);
enum store_outcome postgres_commit(struct store *base, const struct batch *batch, struct error *reterr);
enum store_outcome postgres_load(struct store *base, const struct load *load, struct rows *rows, struct error *reterr);
enum store_outcome postgres_old(struct store *base, const struct store_ages *ages, struct rows *rows,
                                bool *ret_has_more, struct error *reterr);
enum store_outcome postgres_forget(struct store *base, const struct rows *rows, struct error *reterr);
enum store_outcome postgres_look(struct store *base, struct store_ownership *ret_ownership,
                                 struct store_trust *ret_trust, struct error *reterr);
enum store_outcome postgres_set_held(struct store *base, const char *why, struct error *reterr);
struct store_members *postgres_members_open(struct store *base);
enum store_outcome postgres_reader_open(struct store *base, struct store_reader **ret_reader, struct error *reterr);

#endif
