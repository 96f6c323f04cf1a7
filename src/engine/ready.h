/* ready: what may run now, and in which order.
 *
 *     pool ── ring of lanes (one for each tenant with something to run; deficit round robin by weight)
 *              └─ lane: priority 1 to 5, strict ── buckets (one for each type), the earliest (due, id) first
 *
 * Work with different kinds of targets (none, http, exec) is for different workers, so each pool has a side for each
 * kind, with a ring of its own: a side is picked from, and told of, as if it were a pool, and its pool's gate governs
 * all three.
 *
 * Entries stand in buckets (pool, tenant, type, priority, kind of target). Gates act on whole groups of them: a pool's
 * on the pool, a tenant's on its lanes, a type's and a breaker's on strands (pool, tenant, type: up to five buckets).
 * What a gate refuses leaves the rings and waits at that gate, and comes back when the gate opens: nothing is asked
 * twice for nothing, whatever number of entries wait.
 *
 * Owns:  pools, tenants, types, lanes, strands and buckets; they come with the first that needs them and go with the
 *        last (settings keep them, too). Borrows entries, which are embedded in their structs.
 * Never: reads a clock. All times here are monotonic milliseconds that never go back.
 * Rules: (1) an entry is in at most one bucket's heap; a bucket with entries stands in its lane, unless its strand
 *            waits, at exactly one gate; a lane with such a bucket is in its pool's ring, unless it waits at its
 *            tenant's gate.
 *        (2) a lane that leaves the ring (empty or gated) loses its deficit and comes back at the tail. A start costs
 *            1, a turn brings weight.
 *        (3) strict inside a lane: no entry starts while one of a smaller priority number stands there. A strand waits
 *            with all its priorities: at a closed gate, or at a type's for its turn among other tenants' (rule 6).
 *        (4) in flight never passes a gate's maximum through ready_start; ready_recount may (limits lowered, restore).
 *        (5) rates are GCRA: one instant for each limiter; a start is allowed at now >= tat - (burst - 1) * interval,
 *            and moves tat to max(now, tat) + interval. It is a start that costs, not a look: all gates are asked
 *            before any is charged.
 *        (6) a tenant's or a pair's gate that opens wakes its waiters, of which each pool has one at most. A type's may
 *            have very many: in each pool it wakes as many as it has room for, the longest waiting first, and keeps
 *            the room for them. One that starts, goes away, waits elsewhere or is not what its lane would start next
 *            hands its chance on. So a pool that is asked gives something whenever it can; and what a pool without
 *            workers was offered is not missing elsewhere.
 *        (7) the work of pick, start, end and of every wake-up is O(log n) amortised in the number of entries, and
 *            does not grow with the number of tenants, types or waiters; a gate that opens looks once at each pool
 *            where somebody waits for it.
 *        (8) what must not be forgotten outlives its last user: a breaker's state and window, a limiter's instant.
 * See:   engine/gate.h, engine/breaker.h, engine/ready_internal.h, tests/unit/engine/test_ready.c (and its
 *        neighbours), tests/bench/bench_ready.c
 */
#ifndef ENGINE_READY_H
#define ENGINE_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/str.h"
#include "engine/breaker.h"
#include "model/job_def.h"
#include "model/settings.h"

#define READY_NEVER INT64_MAX
/* Type of a job that was given none: such jobs have breakers of their own, which are not kept here. */
#define READY_TYPE_NONE "default"
/* Kinds of targets: enum job_target. */
#define READY_TARGETS 3

struct ready;
struct ready_bucket;

/* Which bucket. */
struct ready_place {
    struct str pool;
    struct str tenant;
    struct str type;
    int priority; /* 1 to 5 */
    enum job_target target;
};

/* Embedded in whatever can run. Zeroed: in no bucket. */
struct ready_entry {
    struct heap_node node;
    struct ready_bucket *bucket; /* where it stands; valid while it is in */
    int64_t due_ms;              /* orders inside a bucket, then id; wall time, never compared with now */
    uint64_t id;
};

/* How an attempt ended, for the breaker. */
enum ready_outcome { READY_SUCCEEDED, READY_FAILED, READY_UNCOUNTED };

struct ready *ready_new(uint64_t seed);
void ready_free(struct ready *ready);

/* ---- buckets: got and put back in pairs ---- */

struct ready_bucket *ready_bucket_get(struct ready *ready, const struct ready_place *place);
struct ready_bucket *ready_bucket_again(struct ready_bucket *bucket); /* one more hold on it */
void ready_bucket_put(struct ready *ready, struct ready_bucket *bucket);
struct ready_place ready_bucket_place(const struct ready_bucket *bucket); /* texts live as long as the bucket */

/* A place for the engine to hang its own things on a bucket, the same for all kinds of targets of (pool, tenant, type,
 * priority); NULL at first. Freed by who set it, before the last put. */
void *ready_bucket_user(const struct ready_bucket *bucket);
void ready_bucket_set_user(struct ready_bucket *bucket, void *user);

/* ---- entries ---- */

/* The entry is in no bucket. The bucket must be held by the caller for as long as the entry is in. */
void ready_add(struct ready *ready, struct ready_bucket *bucket, struct ready_entry *entry, int64_t due_ms,
               uint64_t id);
void ready_remove(struct ready *ready, struct ready_entry *entry); /* does nothing where it is in none */

static inline bool ready_linked(const struct ready_entry *entry)
{
    return heap_linked(&entry->node);
}

/* The entry of this side of a pool whose turn it is and which every gate lets through now; NULL where there is none. It
 * stays where it is: start it, or remove it, before the next pick. */
struct ready_entry *ready_pick(struct ready *ready, struct str pool, enum job_target target, int64_t now_ms);

/* Takes the picked entry out and counts it: deficit, in flight, rates, breaker. Returns whether it is a probe of a half
 * open breaker; give that and the bucket (held until then) to ready_end. */
bool ready_start(struct ready *ready, struct ready_entry *entry, int64_t now_ms);
void ready_end(struct ready *ready, struct ready_bucket *bucket, enum ready_outcome outcome, bool is_probe,
               int64_t now_ms);

/* Counts an attempt that is running already (after a restore); asks no gate and costs no rate. */
void ready_recount(struct ready *ready, struct ready_bucket *bucket);

/* Whether the breaker is half open and knows of no probe: then the attempt (counted already) is taken for it. */
bool ready_recount_probe(struct ready *ready, struct ready_bucket *bucket);

/* A report that came after its attempt had been counted as failed (lost): the breaker sees one more result, nothing
 * else changes. */
void ready_late_result(struct ready *ready, struct ready_bucket *bucket, enum ready_outcome outcome, int64_t now_ms);

/* ---- gates ---- */

/* What an operator set; name is the tenant's, pool's or type's; tenant only for SCOPE_TENANT_TYPE. wall_ms is the wall
 * time of now_ms (settings carry wall times). Wakes and parks as the new settings ask. */
void ready_set(struct ready *ready, enum scope scope, struct str tenant, struct str name,
               const struct settings *settings, int64_t now_ms, int64_t wall_ms);

/* Moves time on: gates whose time has come open. */
void ready_advance(struct ready *ready, int64_t now_ms);
int64_t ready_next_ms(const struct ready *ready); /* when to call it next; READY_NEVER */

/* Sides of pools in which something may have become startable since they were last returned; each once. False: no more.
 * The text lives until the next call. */
bool ready_take_changed_pool(struct ready *ready, struct str *ret_pool, enum job_target *ret_target);
/* One that was taken is to be taken again. */
void ready_return_changed_pool(struct ready *ready, struct str pool, enum job_target target);

/* ---- what must be remembered across restarts ---- */

struct ready_limiter {
    enum scope scope;
    struct str tenant; /* SCOPE_TENANT_TYPE only */
    struct str name;
    int64_t tat_ms; /* monotonic */
};

struct ready_circuit {
    struct str tenant;
    struct str type;
    enum breaker_state state;
    int64_t open_until_ms; /* monotonic; valid while open */
};

/* Limiters and breakers changed since they were last taken; each once. Texts live until the next call. */
bool ready_take_limiter(struct ready *ready, struct ready_limiter *ret_limiter);
bool ready_take_circuit(struct ready *ready, struct ready_circuit *ret_circuit);
void ready_restore_limiter(struct ready *ready, const struct ready_limiter *limiter);
void ready_restore_circuit(struct ready *ready, const struct ready_circuit *circuit, int64_t now_ms);

/* ---- explaining ---- */

enum ready_gate {
    READY_GATE_TENANT_PAUSED,
    READY_GATE_POOL_PAUSED,
    READY_GATE_TYPE_PAUSED, /* of the type, or of the type in this tenant */
    READY_GATE_TENANT_IN_FLIGHT,
    READY_GATE_POOL_IN_FLIGHT,
    READY_GATE_TYPE_IN_FLIGHT,
    READY_GATE_TENANT_RATE,
    READY_GATE_POOL_RATE,
    READY_GATE_TYPE_RATE,
    READY_GATE_BREAKER,
};

struct ready_reason {
    enum ready_gate gate;
    enum scope scope;  /* whose gate it is; a breaker is a SCOPE_TENANT_TYPE's */
    struct str tenant; /* SCOPE_TENANT_TYPE; else empty */
    struct str name;
    int64_t running, max;     /* in flight gates */
    int64_t rate_count;       /* rate gates: so many starts ... */
    int64_t rate_ms;          /* ... in this time; 0: no rate, a ramp alone */
    bool is_ramp, is_probing; /* rate gates: a ramp goes on; breaker: half open, and its probe runs */
    int successes;            /* half open: probes in a row that succeeded */
    int64_t clears_ms;        /* monotonic; READY_NEVER: by an event, not by time */
};

/* Every gate that would refuse this bucket's first entry now (at most max of them; there are at most
 * READY_REASONS_MAX); how many. */
#define READY_REASONS_MAX 16
size_t ready_explain(const struct ready *ready, const struct ready_bucket *bucket, int64_t now_ms,
                     struct ready_reason *ret_reasons, size_t max);

/* Figures for statistics; 0 for what is unknown. */
size_t ready_count(const struct ready *ready);
size_t ready_pool_count(const struct ready *ready, struct str pool);
int64_t ready_in_flight(const struct ready *ready, enum scope scope, struct str name);

/* Whether all the rules hold. O(everything). */
bool ready_valid(const struct ready *ready, int64_t now_ms);

#endif
