/* postgres_store: shards in a PostgreSQL database, for servers that stand in for each other. The door to
 * src/store/postgres.
 *
 * Owns:  one session for each store and each reader. A store's session is also what owns the shard: it holds an
 * advisory lock as long as it lives, so that a successor need not wait for a dead owner's lease. Rules: (1) nothing is
 * written but in a transaction that holds the shard's fence (postgres_fence.c): a shared advisory lock, and then epoch
 * and nonce. Who acquires takes that lock alone before it raises the epoch. (2) a batch is one pipeline, from BEGIN to
 * COMMIT: the server never waits for us inside of a transaction. (3) every call has a deadline. One that passes it
 * closes the session: STORE_DOWN before COMMIT was sent, STORE_UNKNOWN after. So does a lost connection. (4) after
 * STORE_UNKNOWN nothing is committed before the shard is acquired anew, which ends or waits for what may still be under
 * way; shard.last_batch then says what became of it. (5) a session that is gone is replaced by the next call, at most
 * so often (bounded, with jitter); in between calls are STORE_DOWN at once. (6) acquire is STORE_FENCED, naming the
 * owner, while somebody else owns the shard and lives. (7) store_backup is refused: pg_dump is the backup. See:
 * store/store.h, store/sql/postgres/, docs/decisions/0008-postgresql.md, tests/contract/, tests/store/
 */
#ifndef STORE_POSTGRES_POSTGRES_STORE_H
#define STORE_POSTGRES_POSTGRES_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/store.h"

/* Shards of one database (design: fixed when it is made). */
#define POSTGRES_SHARDS_MAX 256

/* How long an owner counts as alive after its last sign (commit or renewal), where its session did not end: a host that
 * vanished, a process that stands still. */
#define POSTGRES_LEASE_MS 10000

struct postgres_options {
    const char *url; /* postgresql://user@host:port/database?..., or libpq's key=value form */
    uint32_t shard;
    int64_t lease_ms; /* 0: POSTGRES_LEASE_MS. Below 0: over as soon as it is taken, for tests of takeovers */
    int64_t call_ms;  /* every call's deadline; 0: the usual one (10 s) */
};

/* Makes the schema where there is none, and brings an older one up to date. The number of shards is fixed by the first
 * time. */
enum err postgres_store_init(const char *url, uint32_t shards, struct error *reterr) MUST_CHECK;

/* STORE_REFUSED: the database has no schema, or one of another version, or no such shard. */
enum store_outcome postgres_store_open(const struct postgres_options *options, struct store **ret_store,
                                       struct error *reterr);

/* ---- ownership: for who runs the shard; only on stores of this kind ---- */

/* Prolongs the lease, as every commit does; for times without commits. STORE_FENCED: it is somebody else's. */
enum store_outcome postgres_store_renew(struct store *base, struct error *reterr);

/* A planned hand-over: the lease is over and the lock free, so that a successor need not wait. */
enum store_outcome postgres_store_release(struct store *base, struct error *reterr);

/* Until when this store may believe itself to be the owner: counted from before the last successful acquire, commit or
 * renewal was sent, less a margin. Monotonic; 0: never acquired, or no longer. */
int64_t postgres_store_trusted_until_mono_ms(const struct store *base);

/* The database's clock, as last heard. */
struct postgres_clock {
    bool is_known;
    int64_t ahead_of_mono_ms; /* what it said, less chrono_mono_ms() when the answer was there: at least this much */
    int64_t spread_ms;        /* and at most this much more */
};

struct postgres_clock postgres_store_clock(const struct store *base);

/* Who owns a shard, as the database says. */
struct postgres_owner {
    bool is_owned; /* somebody has acquired it, and its lease is not over */
    uint64_t epoch;
    int64_t left_ms; /* of the lease, by the database's clock; negative: over */
    struct str name; /* in the arena that was given */
    struct str url;
    uint64_t last_batch;
    struct str held; /* why nothing is given to workers; empty: it is */
    int64_t id_high_ms;
};

/* Asks with a reader of such a store. */
enum store_outcome postgres_reader_owner(struct store_reader *base, struct arena *arena,
                                         struct postgres_owner *ret_owner, struct error *reterr);

#endif
