/* record: what stores remember, one struct for each kind of row.
 *
 * Engine and stores share these words and nothing else. Texts are borrowed: who fills a row says how long they live.
 *
 * Rules: (1) a trigger's row is never RUNNING: a living claim is what says so. So a claim writes no trigger row, and a
 *            scheduled trigger's first row is written when its first attempt ends (or when a change of its job's type
 *            would make the claim forget its own).
 *        (2) a claim lives as long as its trigger has not ended and no attempt of that number or a higher one has: for
 * a trigger with a row, while number > attempts and the row is not terminal; for one without a row, while its job's row
 * is there and (for a one-time job) is not completed or cancelled. (3) the attempt that ended a trigger stands in the
 * trigger's row (last); earlier ones have rows of their own. While a trigger lives, last names its latest attempt
 * (number, state, start, worker), without texts. (4) a one-time job's scheduled trigger has the job's id. (5) wake_ms
 * is not later than the first instant at which something of the job is to be decided: its cursor's due time, or the due
 * time of a pending trigger, whichever is earlier; TIME_NONE only where there is nothing to wait for (paused,
 * cancelled, ended, or everything it has is running). A claim alone does not rewrite it. See:   model/batch.h (how rows
 * change), store/store.h, docs/decisions/0006-row-writes.md
 */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/job_def.h"
#include "model/settings.h"
#include "model/state.h"

/* No instant. */
#define TIME_NONE INT64_MIN

/* Where ready work stands, and by which stores find it: (pool, tenant, type, priority). */
struct place {
    struct str pool;
    struct str tenant;
    struct str type;
    int priority;
};

static inline bool place_equal(const struct place *a, const struct place *b)
{
    return str_equal(a->pool, b->pool) && str_equal(a->tenant, b->tenant) && str_equal(a->type, b->type) &&
           a->priority == b->priority;
}

struct job_row {
    uint64_t id;
    struct place place; /* of the current version; tenant never changes */
    struct str name;    /* empty: the client gave none */
    enum job_status status;
    uint32_t version;     /* 1 at first */
    int64_t cursor_ms;    /* nominal time of the earliest undecided fire; TIME_NONE */
    int64_t wake_ms;      /* rule 5 */
    int64_t held_to_ms;   /* fires up to here became due while a trigger ran: never misfires; TIME_NONE */
    int64_t missed_to_ms; /* fires up to here were missed and are being backfilled one by one; TIME_NONE */
    int64_t fired;        /* scheduled triggers so far: what max_fires counts */
    int64_t anchor_ms;    /* created, or the schedule last changed: where delay and every count from */
    int64_t created_ms;
    int64_t updated_ms;
    uint64_t rules; /* rules_row of the zone its fires follow; 0: none. Stays in an update without def */
    struct str def; /* canonical JSON of the current version; empty in an update that does not change it */
};

/* An earlier version of a definition, kept for triggers of that time and for audits. */
struct version_row {
    uint64_t job;
    uint32_t version;
    int64_t from_ms; /* since when it held */
    int64_t anchor_ms;
    uint64_t rules; /* as in struct job_row */
    struct str def;
};

/* The rules of a time zone, kept as they were for the versions that were decided by them. */
struct rules_row {
    uint64_t hash; /* struct zone's rules_hash; the key */
    struct str zone;
    struct str text; /* calendar/zone_text.h */
};

/* One execution. */
struct attempt_row {
    uint64_t trigger;
    uint32_t number; /* 1 for the first; 0: no attempt */
    enum attempt_state state;
    int64_t started_ms;
    int64_t ended_ms; /* TIME_NONE while STARTED */
    struct str worker;
    struct str error_code;
    struct str error_message;
    struct str result; /* JSON or output's tail; empty: none */
};

struct trigger_row {
    uint64_t id;
    uint64_t job;
    struct place place; /* type is its version's, the rest the job's when the row was written */
    enum trigger_kind kind;
    enum trigger_state state;
    uint32_t version;       /* of the definition it runs */
    enum job_target target; /* that version's */
    int64_t scheduled_ms;
    int64_t due_ms;        /* PENDING: may start from here on */
    uint32_t attempts;     /* number of the last attempt that ended; 0: none */
    uint32_t failures;     /* FAILED and TIMED_OUT so far: the budget */
    uint32_t lost_run;     /* LOST in a row */
    uint32_t released_run; /* RELEASED in a row */
    uint32_t replays;      /* how many automatic replays led here */
    uint64_t replay_of;    /* REPLAY: the dead trigger. DEPENDENCY with a root: the root's job */
    uint64_t replayed_by;  /* DEAD: its newest replay, which takes it off the list of dead letters; 0: none */
    uint64_t root;         /* DEPENDENCY: the manual, backfill or replay trigger it follows; 0: keyed by scheduled_ms */
    int64_t created_ms;
    int64_t ended_ms;        /* TIME_NONE while it lives */
    struct str reason;       /* why it is DEAD or CANCELLED, why it waits: a stable word; empty: none */
    struct str payload;      /* of this run only; empty: the definition's */
    struct attempt_row last; /* rule 3; number 0: none */
};

/* A worker's right to an attempt, durable from the claim on. */
struct claim {
    uint64_t trigger;
    uint64_t job;
    uint32_t number;
    uint32_t version;
    enum trigger_kind kind;
    int64_t scheduled_ms;
    int64_t started_ms;
    struct str worker;
};

/* What a claim does not say and who watches wants to know. */
struct claim_note {
    bool is_new; /* the attempt begins with this batch; else its claim only moves */
    struct place place;
    struct str name; /* the job's; empty: none was given */
    int64_t due_ms;
};

/* The claims of one batch, stored as one row; deleted when the last of them has ended. */
struct claims_row {
    uint64_t id; /* increasing */
    const struct claim *claims;
    size_t count;
    const struct claim_note *notes; /* one for each, in a batch of the engine's; no store keeps them. Else NULL */
};

/* Fires that were decided not to run: a run of them is one row. */
#define SKIP_REASON_TABLE(X)                                                                                           \
    X(SKIP_OVERLAP, "overlap")     /* a trigger of the job was running */                                              \
    X(SKIP_COLLAPSED, "collapsed") /* a newer fire stands for it (overlap: collapse) */                                \
    X(SKIP_MISFIRE, "misfire")     /* missed, and the misfire policy does not run it */                                \
    X(SKIP_EXPIRED, "expired")     /* not started within expires_after */                                              \
    X(SKIP_EDITED, "edited")       /* due when the schedule was changed */                                             \
    X(SKIP_LIMIT, "limit")         /* further back than queue and backfill go */                                       \
    X(SKIP_CANCELLED, "cancelled") /* due when the job was cancelled */                                                \
    X(SKIP_MOVED, "moved")         /* its local time was decided by the zone's former rules */

enum skip_reason {
#define X(name, text) name,
    SKIP_REASON_TABLE(X)
#undef X
};

const char *skip_reason_text(enum skip_reason reason);

struct skip_row {
    uint64_t job;
    int64_t from_ms; /* nominal time of the first; with job the key */
    int64_t to_ms;   /* of the last */
    int64_t count;
    enum skip_reason reason;
    uint32_t version;
    uint64_t blocked_by; /* the running trigger; 0: none */
    int64_t decided_ms;  /* of the latest of them */
};

/* What a dependent job still waits for, for one fire of its root. Goes when every upstream has ended. */
struct wait_row {
    uint64_t job; /* the dependent; key with scheduled_ms and root */
    int64_t scheduled_ms;
    uint64_t root;         /* 0: keyed by scheduled_ms alone */
    uint64_t trigger;      /* the dependent's */
    bool is_over;          /* the trigger has left WAITING already */
    const uint64_t *ended; /* upstream jobs that have ended for this fire */
    size_t ended_count;
};

/* An edge of the dependency graph. */
struct edge_row {
    uint64_t upstream;
    uint64_t downstream;
    enum job_edge on;
    int64_t since_ms;  /* fires up to this one, */
    uint64_t since_id; /* and triggers up to this one, came before the edge and are none of its business */
};

struct setting_row {
    enum scope scope;
    struct str tenant; /* SCOPE_TENANT_TYPE only */
    struct str name;
    struct str text; /* settings_write with is_stored */
};

/* A rate's GCRA instant. */
struct limiter_row {
    enum scope scope;
    struct str tenant; /* SCOPE_TENANT_TYPE only */
    struct str name;
    int64_t tat_ms; /* wall time */
};

/* A breaker that is not closed. */
struct circuit_row {
    struct str tenant;
    struct str type;
    uint64_t job; /* a job without a type has its own; else 0 */
    bool is_half_open;
    int64_t open_until_ms; /* wall time */
};

/* An answer given under a client's Idempotency-Key. */
struct idem_row {
    struct str tenant;
    struct str key;
    uint64_t hash[2];  /* of the request */
    struct str result; /* what the answer is rendered from */
    int64_t created_ms;
};

/* Per-tenant counts. */
struct tenant_row {
    struct str tenant;
    int64_t jobs; /* definitions that are there */
};

/* One row for the shard. */
struct shard_row {
    int64_t id_high_ms;  /* every id given lies before */
    uint64_t last_batch; /* number of the last batch committed */
    uint64_t epoch;
    uint64_t nonce[2]; /* of the acquisition that wrote last */
    bool is_filling;   /* a copy of another store was begun and has not ended: not all rows are there */
};

#endif
