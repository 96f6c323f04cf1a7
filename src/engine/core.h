/* core: what the engine holds in memory. For the files of src/engine alone; others see engine.h.
 *
 * A job in memory has all of its living triggers in memory. One that nothing needs before the edge of its place's
 * window leaves again, when its last change is durable.
 *
 * See: engine.h (rules), docs/engine.md (the map of these files)
 */
#ifndef ENGINE_CORE_H
#define ENGINE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/id.h"
#include "base/idmap.h"
#include "base/list.h"
#include "base/map.h"
#include "engine/bug.h"
#include "engine/effects.h"
#include "engine/engine.h"
#include "engine/wheel.h"

struct key_group;
struct job;
struct trigger;
struct lease;
struct worker;
struct key;

/* ---- timers ---- */

enum timer_kind {
    TIMER_NONE,
    TIMER_FIRE,    /* wall: a job's cursor is due, or has expired */
    TIMER_TRIGGER, /* wall: a pending trigger is due, or has expired */
    TIMER_PLACE,   /* wall: jobs behind the edge of a place are to be loaded */
    TIMER_LEASE,   /* mono: a lease ends */
    TIMER_TIMEOUT, /* mono: an attempt has run too long */
    TIMER_WAIT,    /* mono: a worker's exchange has waited enough */
    TIMER_IDLE,    /* mono: a worker has not been heard of for long */
    TIMER_CIRCUIT, /* mono: a job's own breaker may try again */
};

struct timer {
    struct wheel_node node; /* tag: enum timer_kind */
};

/* ---- what can run ---- */

/* A job's cursor fire, or a trigger with a state of its own. */
enum entry_place {
    ENTRY_IDLE,    /* nothing to wait for: no cursor, running, waiting for upstreams, its job paused */
    ENTRY_TIMED,   /* not due: its timer is armed */
    ENTRY_LINE,    /* due, behind others of its job or held by overlap */
    ENTRY_READY,   /* in the ready queue */
    ENTRY_KEYED,   /* due, at the gate of its concurrency key */
    ENTRY_CIRCUIT, /* due, at its job's own breaker */
};

struct entry {
    struct ready_entry ready;
    struct timer timer;    /* due; then expiry */
    struct heap_node node; /* LINE: in the job's line; KEYED: in a key's group; CIRCUIT: in the job's circuit */
    int64_t due_ms;
    bool is_trigger;
    enum entry_place place;
    struct key_group *group; /* KEYED: where it stands; READY: which group woke it; else NULL */
};

/* What jobs have in common; shared by all with equal ones. */
struct policy_body {
    struct retry retry;
    bool is_retry_default, is_timeout_default; /* settings of type and tenant may say otherwise */
    enum job_overlap overlap;
    enum job_misfire misfire;
    int64_t misfire_after_ms;
    int64_t timeout_ms;
    int64_t lease_ms;
    int64_t expires_after_ms; /* 0: never */
    int64_t jitter_ms;
    struct dead_policy dead;
};

struct policy {
    struct map_node node;
    struct policy_body body;
    size_t users;
};

enum job_rhythm {
    RHYTHM_ONCE,     /* one fire, then over */
    RHYTHM_REPEAT,   /* a schedule */
    RHYTHM_FINISH,   /* every ... after finish */
    RHYTHM_UPSTREAM, /* fires when its upstreams have ended; once if they are one-time jobs */
};

/* A job's name in memory. */
struct job_name {
    struct map_node node; /* key: tenant, NUL, name */
    struct job *job;
    struct str name; /* in key */
    char key[];
};

/* The latest run of skipped fires, which the next skip may extend. */
struct last_skip {
    int64_t from_ms, to_ms, count;
    enum skip_reason reason;
    uint32_t version;
    uint64_t blocked_by;
};

/* A breaker of one job. */
struct circuit {
    struct breaker breaker;
    struct timer timer;
    struct heap waiting; /* entries */
    struct job *job;
    struct list_node all; /* in engine.circuits */
};

/* An edge of the graph, from a dependent's side. */
struct upstream {
    struct job *job;
    enum job_edge on;
};

/* Dependencies of a job that has some, in either direction. */
struct graph_node {
    struct upstream *up;
    size_t up_count;
    struct job **down;
    size_t down_count, down_cap;
    struct list joins; /* of this job as a dependent */
    bool is_once;      /* its upstreams are one-time jobs */
    int64_t since_ms;  /* as in struct edge_row, the same for all its upstreams */
    uint64_t since_id;
    uint32_t mark; /* of the last walk that came by */
};

/* What a dependent waits for, for one fire of its root. */
struct join {
    struct list_node link; /* in graph_node.joins */
    struct job *job;
    int64_t scheduled_ms;
    uint64_t root;
    struct trigger *trigger; /* while it is WAITING; NULL: it went on, or is over */
    uint64_t trigger_id;
    uint64_t *ended;
    size_t ended_count;
    bool is_stored; /* its row is in the store, or in an operation */
    struct op *op;
    uint64_t op_batch;
};

struct job {
    uint64_t id;
    struct entry fire;           /* its cursor */
    struct ready_bucket *bucket; /* held */
    struct list_node of_window;  /* in window.members */
    struct policy *policy;
    struct schedule *schedule; /* REPEAT and FINISH; NULL else */
    struct job_name *name;     /* NULL: none was given */
    char *def;                 /* canonical JSON of the current version; NULL: only in the store */
    uint32_t def_len;
    uint32_t version;
    enum job_status status;
    enum job_rhythm rhythm;
    int64_t cursor_ms, held_to_ms, missed_to_ms; /* as in struct job_row */
    int64_t fired, anchor_ms, created_ms, updated_ms;
    int64_t wake_ms;      /* as it is in the store, or will be with this batch */
    struct list triggers; /* that live */
    struct trigger *own;  /* the one of them that has the job's id; NULL: none */
    struct heap *line;    /* due triggers that wait for their turn; NULL: none yet */
    struct entry *front;  /* unless overlap is allow: the one of the job that stands in the ready queue or at a gate */
    uint32_t running;
    uint32_t living;   /* triggers that have not ended */
    uint32_t retrying; /* of them: not running, with an attempt behind them */
    uint32_t pins;     /* commands at work on it */
    struct key *key;   /* NULL: none */
    int64_t key_max;
    struct circuit *circuit;  /* NULL: has not failed, or has a type */
    struct graph_node *graph; /* NULL: no dependencies; a job with one stays in memory */
    struct last_skip skip;    /* count 0: none known */
    struct op *op;            /* its operation in batch op_batch */
    uint64_t op_batch;
    struct list_node touched; /* in engine.touched until that batch is durable */
    uint64_t touched_batch;
    bool is_in_store; /* its row is there, or in an operation */
    bool is_ending;   /* it is being cancelled or deleted: nothing of it begins any more */
};

/* ---- triggers and leases ---- */

struct trigger {
    uint64_t id;
    struct job *job;
    struct list_node link; /* in job.triggers */
    struct entry entry;
    struct ready_bucket *bucket; /* held; of its version's type */
    enum trigger_kind kind;
    enum trigger_state state;
    uint32_t version;
    uint32_t attempts, failures, lost_run, released_run, replays;
    enum attempt_state last_state; /* of attempt number attempts, if there was one; LOST: a late report may come */
    bool has_row;
    uint32_t payload_len;
    char *payload; /* NULL: the definition's */
    int64_t scheduled_ms, created_ms;
    uint64_t replay_of, root;
    uint64_t replayed_by;    /* about to be DEAD: the replay that the policy made; 0: none */
    struct lease *lease;     /* RUNNING */
    struct lease *dropping;  /* timed out, and its worker may still be at it */
    int64_t backoff_ms;      /* while dropping: when the backoff alone would be over */
    struct join *join;       /* WAITING */
    int64_t last_started_ms; /* of attempt number attempts */
    char *last_worker;       /* NULL: no attempt has ended */
    struct op *op;
    uint64_t op_batch;
};

/* A claims row, while one of its claims lives. */
struct claims {
    uint64_t id;
    struct list leases; /* living ones, in the order of their grants */
    size_t count;
    bool is_stored;  /* its row is in a batch that was cut */
    uint64_t *named; /* triggers that the stored row names, ended or not */
    size_t named_count;
    struct list_node all; /* in engine.all_claims, while stored */
};

struct lease {
    struct trigger *trigger;
    struct worker *worker;      /* NULL: its worker has not been heard of since the restore */
    char *worker_id;            /* while worker is NULL */
    struct list_node of_worker; /* in worker.leases, or engine.orphans */
    struct list_node of_claims; /* in claims.leases */
    struct claims *claims;
    struct ready_bucket *bucket; /* held: where it counts */
    struct key *key;             /* held, NULL: none */
    struct circuit *circuit;     /* whose probe it is; NULL */
    uint32_t number;
    bool is_probe;
    bool is_dropping;
    bool is_told;           /* a batch has said that it began */
    int64_t started_ms;     /* wall */
    uint64_t granted_round; /* which exchange of its worker that was, counted by arrival */
    uint64_t named_round;   /* the last of its exchanges that named it */
    uint64_t told_batch;    /* the worker is told of it when this is durable */
    struct timer lease_timer, timeout_timer;
};

/* ---- workers ---- */

struct wait_link {
    struct list_node link; /* in waiting_pool.waiting, of one kind of targets */
    struct worker *worker;
};

struct waiting_pool {
    struct map_node node;
    struct list waiting[READY_TARGETS];
    size_t users; /* workers that named it in their last exchange */
    char name[];
};

struct worker {
    struct map_node node;
    struct list_node heard; /* in engine.heard */
    char *id;
    char *name;        /* for people, as it last said; NULL: none */
    uint32_t capacity; /* likewise */
    int64_t seq;       /* highest seen; -1 */
    uint64_t round;    /* exchanges so far */
    struct list leases;
    struct waiting_pool **pools;
    unsigned targets;             /* bits 1 << enum job_target: what it takes; never 0 once it has pools */
    struct wait_link *links;      /* READY_TARGETS for each pool; those that it takes are linked while it waits */
    size_t pool_count, next_slot; /* whose turn it is: a pool and a kind of targets, counted as links are */
    bool is_waiting;
    bool is_gone;   /* it wanted nothing more and holds nothing: it has said goodbye, and is not counted */
    uint64_t token; /* of the waiting exchange */
    uint32_t want;
    struct timer wait_timer, idle_timer;
    int64_t seen_mono_ms;
    bool is_silent; /* a lease of it ended unrenewed since it was last heard of */
};

/* ---- concurrency keys ---- */

/* Entries that wait at a key, of one bucket and one maximum: what lets one of them start lets any. */
struct key_group {
    struct list_node link; /* in key.groups */
    struct key *key;
    struct ready_bucket *bucket; /* held */
    int64_t max;
    struct heap waiting;
    struct entry *awake; /* one that was let go and has not started */
};

struct key {
    struct map_node node; /* key: tenant, NUL, key */
    int64_t running;
    size_t users; /* jobs and leases */
    struct list groups;
    size_t name_at; /* where in text the key begins */
    size_t text_len;
    char text[];
};

/* ---- places: windows of jobs ---- */

struct window {
    struct ready_bucket *bucket; /* held */
    struct timer timer;
    struct list_node dirty;   /* in engine.dirty_windows */
    struct list_node starved; /* in engine.starved */
    int64_t edge_ms;          /* every job of this place with (wake, id) <= edge is in memory */
    uint64_t edge_id;
    int64_t next_ms;     /* wake of the first job behind that may not be; TIME_NONE */
    struct list members; /* jobs in memory, of this place */
    size_t jobs;         /* so many */
    bool is_cut;         /* memory was full and the edge came back: jobs behind it may go */
    uint64_t tag;        /* of the load under way; 0: none */
    int64_t asked_ms;    /* its edge: what lies behind it comes */
    uint64_t asked_id;
    int64_t asked_until_ms;
    struct place said; /* as the batch said_batch has it: texts are copied once for each */
    uint64_t said_batch;
    struct list_node all; /* in engine.windows */
};

/* ---- commands ---- */

struct request;

struct reservation {
    struct map_node node;
    struct request *owner;
    struct list waiting; /* requests */
};

/* ---- settings ---- */

struct held_settings {
    struct map_node node; /* key: scope, tenant, NUL, name */
    enum scope scope;
    struct settings settings;
    char key[];
};

struct tenant_count {
    struct map_node node;
    int64_t jobs;
    int64_t coming; /* of the request at hand, so far */
    struct op *op;
    uint64_t op_batch;
    char name[];
};

/* ---- the engine ---- */

struct engine {
    struct engine_config config;
    struct ready *ready;
    struct wheel wall, mono;
    int64_t now_ms; /* the wall time it believes */
    int64_t mono_ms;
    int64_t wall_ms; /* what the clock said last */
    bool is_clock_held;
    bool is_held; /* nothing is granted until COMMAND_ACCEPT_HELD */
    bool is_draining;
    struct id_gen ids;
    int64_t ids_reserved_ms;

    struct idmap jobs;     /* by id */
    struct map names;      /* struct job_name */
    struct idmap triggers; /* by id; those that have their job's are found through it */
    struct map policies;
    struct map keys;
    struct map workers;
    struct list heard;   /* workers, about in the order in which they were last heard of */
    size_t worker_pools; /* that they name, in all */
    size_t gone_workers; /* those of them that have said goodbye */
    struct map pools;    /* struct waiting_pool */
    struct map settings;
    struct map tenants;  /* struct tenant_count */
    int64_t tenant_jobs; /* of all of them */
    struct map reservations;
    struct idmap requests;  /* by load tag */
    struct idmap exchanges; /* requests that are exchanges, by token */
    struct idmap windows_by_tag;
    struct idmap waits; /* workers that wait, by token */
    struct list windows, dirty_windows, starved;
    struct list parked; /* requests that wait for the next commit */
    struct list recent_ends, recent_idems, recent_deletes, recent_replays;
    struct idmap ends;    /* struct recent_end, by trigger */
    struct idmap deletes; /* struct recent_delete, by job */
    struct idmap replays; /* struct recent_replay, by dead trigger */
    struct map idems;     /* struct recent_idem */
    struct list circuits;
    struct list all_claims; /* stored ones */
    struct list orphans;    /* leases whose worker has not been heard of */
    struct list touched;    /* jobs, by touched_batch */
    size_t living;          /* triggers */
    size_t running;
    size_t waiting;
    size_t def_bytes;
    size_t payload_bytes; /* of triggers that have one of their own */
    size_t timeouts_set;  /* settings that have a time-out of their own */
    uint64_t next_tag;
    uint32_t walk; /* mark of the last walk through the graph */

    struct outbox *outbox;        /* being gathered; NULL: nothing yet */
    uint64_t batch;               /* its number */
    uint64_t durable;             /* highest committed */
    uint64_t store_batch;         /* the number that the store gives the next batch; empty ones have none */
    struct claims *claims;        /* of the batch being gathered; NULL */
    struct effects *effects;      /* of the step at hand */
    struct arena scratch;         /* of the step at hand */
    struct idmap stored_circuits; /* struct circuit_row, by job: of jobs that are not in memory */
    struct idmap rules;           /* hashes of the zones' rules that the store has */
    size_t unreadable;            /* jobs that could not be read back */
    uint64_t events, decisions, grants;
    uint64_t renewals, renewals_refused, silences; /* see engine_figures */
};

/* ---- small things everybody uses ---- */

static inline int64_t min_ms(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_ms(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a before b, where TIME_NONE is after everything. */
static inline int64_t earlier_or_none(int64_t a, int64_t b)
{
    if (a == TIME_NONE) {
        return b;
    }
    return b == TIME_NONE ? a : min_ms(a, b);
}

/* Sum without overflow: far ends are ends. */
static inline int64_t plus_ms(int64_t at_ms, int64_t more_ms)
{
    int64_t sum;

    return __builtin_add_overflow(at_ms, more_ms, &sum) ? INT64_MAX : sum;
}

#endif
