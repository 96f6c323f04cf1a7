/* checker_model: what the checker rebuilds from batches: jobs, triggers, attempts, gates, dependencies; and what was
 * asked.
 *
 * Owns:  everything here lives in the checker's arenas, for ever; reports for an epoch.
 * See:   checker_state.h
 */
#ifndef TESTS_SIM_CHECKER_MODEL_H
#define TESTS_SIM_CHECKER_MODEL_H

#include "base/heap.h"
#include "base/list.h"
#include "base/map.h"
#include "checker.h"

struct circuit_state;
struct job_change;
struct key_state;
struct run;
struct scope_state;
struct trigger_change;

/* ---- jobs ---- */

/* One version of a definition, read again by us. */
struct def_version {
    struct def_version *older;
    uint32_t version;
    int64_t anchor_ms;
    struct str text; /* canonical */
    struct job_def def;
    bool has_schedule; /* not WHEN_UPSTREAM */
    struct schedule schedule;
    bool has_row;             /* as an earlier version */
    struct ask_part *made_by; /* the patch that we think it is; NULL */
};

/* An edge of the graph; in the lists of both ends while it is there. */
struct edge {
    struct list_node in_up;   /* of downstream->upstreams */
    struct list_node in_down; /* of upstream->downstreams */
    struct job *upstream, *downstream;
    enum job_edge on;
    uint64_t since_batch;
};

struct job {
    struct map_node by_id;
    struct map_node by_name; /* tenant and name; linked while it is there and has a name */
    bool is_there;
    bool was_there; /* its row was inserted once */
    struct job_row row;
    struct def_version *now;
    struct skip_row last_skip; /* count 0: none */
    int64_t decided_to_ms;     /* the latest nominal time that was decided, under whatever version */
    struct list living;        /* triggers that have not ended */
    struct list runs;          /* living claims */
    struct list upstreams, downstreams;
    bool was_once;          /* a dependent: what its upstreams are */
    int64_t edges_since_ms; /* fires up to this one, and triggers up to this one, its edges do not watch */
    uint64_t edges_since_id;
    uint64_t inserted_batch;
    struct ask_part *made_by; /* the request that we think asked for it */
    uint64_t mark;            /* of the last walk over the graph that came by */
    struct job *next_marked;
    struct job_change *change; /* of this batch; NULL: not touched */
    struct heap_node by_deadline;
    int64_t deadline_ms; /* when time alone asks for a decision */
};

/* ---- triggers and attempts ---- */

/* An attempt that has ended. */
struct ended {
    struct ended *older; /* by number */
    uint32_t number;
    enum attempt_state state;
    int64_t started_ms, ended_ms;
    struct str worker;
    struct str error_code, error_message, result;
    bool has_row;        /* in a row of its own, not in its trigger's */
    bool is_settled;     /* its start was found */
    uint64_t batch;      /* in which it came or changed */
    uint64_t epoch;      /* likewise */
    bool was_lost;       /* a late report replaced LOST */
    uint64_t lost_batch; /* then: in which it was lost, and when; its slot was free from then on */
    int64_t lost_ms;
};

struct trigger {
    struct map_node by_id;
    struct list_node in_living;
    struct job *job;
    uint64_t id;
    enum trigger_kind kind;
    uint32_t version;
    int64_t scheduled_ms;
    bool has_row;
    bool is_deleted;
    struct trigger_row row;   /* has_row */
    uint32_t granted;         /* highest attempt number that became durable; 0: none */
    struct run *run;          /* living; NULL */
    struct ended *attempts;   /* newest first */
    struct ask_part *made_by; /* the RUN that we think asked for it; NULL */
    uint64_t told;            /* token of what was answered with it; 0: none */
    struct trigger_change *change;
    /* After TIMED_OUT: who has to drop it. */
    uint32_t drop_number; /* 0: nothing to wait for */
    uint64_t drop_epoch;  /* valid in this one */
    struct list_node in_dropping;
    int64_t drop_at_ms;        /* when it timed out */
    int64_t drop_free_true_ms; /* its lease has ended then */
    int64_t dropped_true_ms;   /* last sign that the worker has let go; TIME_NONE */
    bool is_drop_asked;        /* an exchange that does not name it was on its way when it timed out */
};

/* A row of claims. */
struct claims_group {
    struct map_node by_id;
    uint64_t id;
    size_t living;
    bool is_there;
    bool is_touched;
    struct claims_group *next_touched;
};

struct worker {
    struct map_node by_name;
    struct str name;
    struct list runs;
    int64_t last_seq;
    uint64_t epoch;   /* in which the fields around are valid */
    uint64_t wanted;  /* by exchanges that wait */
    uint64_t claimed; /* in claimed_batch */
    uint64_t claimed_batch;
    struct list dropping; /* triggers that it has to let go of */
    unsigned targets;     /* bits 1 << enum job_target: the kinds that it ever asked for; 0: not heard of */
};

/* A renewal. */
struct word {
    int64_t true_ms;
    struct word *older;
};

/* What a claim may have been promised, as things were then. */
#define TERMS_MAX 6
struct terms {
    int64_t timeouts_ms[TERMS_MAX];
    size_t timeout_count;
    int max_attempts[TERMS_MAX];
    size_t attempts_count;
    uint64_t batch;                          /* then */
    const struct scope_state *tenant, *type; /* whose defaults may have counted */
};

enum { RUN_TENANT, RUN_POOL, RUN_TYPE, RUN_TENANT_TYPE, RUN_SCOPES };

/* A claim, living or just ended. */
struct run {
    struct list_node in_job;
    struct list_node in_worker;
    struct trigger *trigger;
    struct claims_group *group; /* NULL: it began and ended in one batch */
    struct worker *worker;
    uint32_t number;
    uint32_t version;
    uint32_t job_version; /* of the job when it began */
    int64_t scheduled_ms;
    int64_t started_ms;
    int64_t due_ms; /* when it could start */
    uint64_t batch;
    uint64_t order;    /* of claims, as they were written */
    uint32_t failures; /* before it */
    struct scope_state *scopes[RUN_SCOPES];
    struct key_state *key; /* NULL: none */
    struct circuit_state *circuit;
    bool is_brief; /* it ended when it began */
    bool is_probe;
    uint64_t probe_epoch; /* no probe is out after a restart */
    bool is_moved;        /* its job was edited: gates may count it elsewhere */
    bool is_uncounted;    /* so no gate counts it here */
    int64_t lease_ms;     /* the shortest it may have had */
    struct terms terms;
    int64_t word_true_ms;    /* last renewal; TIME_NONE: none */
    struct word *words;      /* all of them, the newest first */
    int64_t named_true_ms;   /* last exchange of its worker that named it, whatever became of it; or when it began */
    int64_t unnamed_true_ms; /* last exchange of its worker that did not name it, or reported it; TIME_NONE */
    uint64_t unnamed_token;  /* of that exchange */
    struct heap_node by_deadline;
    int64_t deadline_ms; /* when it times out */
};

/* ---- gates ---- */

/* Settings that held for a part of a batch. */
struct settings_seen {
    struct settings settings;
    struct settings_seen *next;
};

struct scope_state {
    struct map_node by_name;
    struct settings settings, before; /* before: at the beginning of the batch that changed it */
    struct settings_seen *seen;       /* in the batch that changed it, before it was so; the oldest is the last */
    uint64_t changed_batch;
    int64_t most_in_flight; /* the highest maximum that held in that batch; SETTING_NONE: once there was none */
    int64_t in_flight;
    /* The rate, counted again. */
    bool has_tat;
    uint64_t tat_batch; /* when it was last moved */
    int64_t tat;        /* in 1/rate_count ms: fits until 2200 */
    int64_t stored_ms, stored_before_ms;
    bool has_stored, had_stored;
    uint64_t stored_batch;
    uint64_t claimed_batch; /* the latest with a claim */
    int64_t batch_claims;
    int64_t last_claim_ms;
    struct scope_state *next_claimed;
};

struct key_state {
    struct map_node by_name;
    int64_t running;
};

/* How an attempt ended, for a breaker. */
struct result {
    struct result *newer;
    int64_t ended_ms;
    uint64_t batch;
    bool is_failure;
};

struct circuit_state {
    struct map_node by_name;
    struct scope_state *type_scope, *tenant_type_scope; /* NULL until an attempt ran */
    bool is_there;
    bool is_half_open;
    int64_t open_until_ms;
    bool was_there, was_half_open; /* before the batch that changed it */
    int64_t was_until_ms;
    uint64_t changed_batch;
    int64_t probes;
    uint64_t probe_epoch;           /* in which they went out */
    struct result *oldest, *newest; /* of the window */
    uint64_t failures;              /* among them */
    uint64_t epoch;                 /* in which the window began */
    struct job *job;                /* whose own it is; NULL */
    uint64_t looked_batch;
};

/* ---- dependencies ---- */

#define DEP_KEY_WORDS 3

/* A fire of a job by (job, time, root): what it came to, and, where the job is a dependent, its trigger. */
struct fire {
    struct map_node by_key;
    uint64_t key[DEP_KEY_WORDS];
    bool is_claimed; /* by a scheduled trigger */
    bool has_ended;
    enum trigger_state state; /* has_ended */
    uint64_t ended_batch;     /* likewise */
    struct trigger *child;    /* kind DEPENDENCY; NULL */
    bool has_wait;
    bool is_over;
    size_t wait_ended;
    bool is_stopped; /* it was cancelled, for whatever reason */
    uint64_t checked_batch;
};

/* ---- what was asked ---- */

struct ask;

/* One thing that a command is about, found by its name. */
struct ask_part {
    struct list_node in_subject;
    struct ask *ask;
    struct subject *subject;
    struct str def;  /* CREATE: canonical */
    struct str name; /* CREATE: empty: none */
    struct str tenant;
    struct job *job; /* CREATE: what it became */
    bool is_used;
};

struct subject {
    struct map_node by_name;
    struct list parts; /* of asks without an answer */
    uint64_t asking;   /* how many those are */
    uint64_t asked;    /* ever */
};

struct ask {
    struct map_node by_token;
    struct command command; /* texts copied; defs gone */
    struct ask_part *parts;
    size_t part_count;
    struct job *job; /* that it named when it was sent; NULL: there was none */
    bool is_used;    /* a batch has its effect */
    bool is_unsure;  /* it might as well have been another's */
    uint64_t used_batch;
    uint32_t used_version; /* PATCH */
    int64_t edited;        /* PATCH: fires that were skipped for it */
    bool was_alone;        /* nobody else was asking when it was sent */
    uint64_t asked;        /* of its subjects, when it was sent */
    bool was_claimed;      /* a one-time job, when it was sent */
    uint32_t version;      /* of the job, when it was sent */
    struct ask *next_used;
    bool is_listed;
};

struct idem {
    struct map_node by_key;
    uint64_t hash[2];
    int64_t created_ms;
    uint64_t batch;
    bool has_ids;
    uint64_t *ids;
    size_t id_count;
};

/* ---- what workers said ---- */

struct said {
    struct said *older;
    uint32_t number;
    enum attempt_state state;
    struct str error_code, error_message, result;
    bool is_permanent;
    int64_t retry_after_ms;
};

/* All reports about a trigger in this epoch. */
struct said_of {
    struct map_node by_trigger;
    struct said *newest;
};

struct exchange_part {
    uint64_t trigger;
    uint32_t number;
    enum attempt_state state;
    bool is_same; /* it was durable already as this very end, and its trigger's latest */
    bool is_new;  /* no such attempt was durable when the exchange came */
    bool is_over; /* HOLDING: it had ended already, in this epoch, and was not reported with this exchange */
};

struct swap {
    struct map_node by_token;
    struct worker *worker;
    bool is_refused; /* its seq is not higher: refused, unless its worker was forgotten meanwhile */
    bool is_after_drain;
    uint64_t epoch;
    uint64_t want;
    struct exchange_part *reports, *holding, *again;
    size_t report_count, holding_count, again_count;
};

#endif
