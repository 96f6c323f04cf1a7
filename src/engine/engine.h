/* engine: decides. The door to src/engine.
 *
 * One event with its time goes in, effects come out: operations for the store, replies, rows to load, when to be woken.
 * Memory runs ahead of the store: what a step decides is gathered in a batch, and every reply that could tell of it is
 * gathered with it and is not given before that batch is durable. If a commit fails, throw the engine away and restore
 * another from the store: there is no other way back.
 *
 * Owns:  everything it was told. Borrows a command from its event until the reply to it is in an outbox.
 * Never: reads a clock, does I/O, locks, draws random numbers. The same config and events give the same effects.
 * Rules: (1) never twice: each nominal time of a job gets one decision, in one batch with the cursor's move past it.
 *        (2) never missed: a cursor that is due is in the ready queue, at a gate, or held by a running trigger; one
 * that is not due is in the wheel, or behind the edge of its place's window with a load armed. (3) never early: nothing
 * is granted before its due time. (4) an attempt is granted to one worker; its number is higher than every earlier one
 * of its trigger. (5) a report is taken for the newest attempt only, once; the same again is accepted, another is
 * refused. (6) a trigger that has not ended is in the wheel, in the ready queue, in its job's line, at a key's gate,
 * waiting for upstreams, or leased to a worker with a timer armed. (7) counts (in flight, per key, per job) are what
 * the triggers say they are. engine_check verifies them over the whole state. See:   docs/ARCHITECTURE.md,
 * docs/engine.md, tests/sim
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "calendar/zone_cache.h"
#include "engine/ready.h"
#include "model/batch.h"
#include "model/job_def.h"
#include "model/load.h"
#include "model/record.h"
#include "model/rows.h"
#include "model/settings.h"

struct engine;

/* Both clocks at once. mono_ms counts suspend (boot time) and never goes back; wall_ms may do anything. */
struct moment {
    int64_t wall_ms;
    int64_t mono_ms;
};

struct engine_config {
    uint32_t shard;
    uint64_t seed;            /* of hash tables: secret in production */
    struct zone_cache *zones; /* borrowed; a zone that is not in it yet is read by it */
    int64_t window_ms;        /* how far ahead jobs are loaded; 0: ENGINE_WINDOW_MS */
    size_t page_rows;         /* jobs asked for in one load; 0: ENGINE_PAGE_ROWS */
    size_t jobs_max;          /* jobs in memory beyond which windows stop growing; 0: ENGINE_JOBS_MAX */
    size_t def_bytes_max;     /* definitions kept in memory, in all; 0: ENGINE_DEF_BYTES_MAX */
    bool accept_clock;        /* do not hold back after a jump of the wall clock */
    bool is_held;             /* grants nothing until COMMAND_ACCEPT_HELD: the store may not know what has run */
    struct moment believed;   /* what an engine before this one believed last, in the same process: it goes on from
                               * there, and a jump that was held is held. mono_ms 0: there was none */
    size_t payload_bytes_max; /* payloads of single runs that have not ended, in all; 0: ENGINE_PAYLOAD_BYTES_MAX */
    size_t workers_max;       /* workers in memory; 0: ENGINE_WORKERS_MAX */
    struct str dead_worker;   /* borrowed: is known to have died before the start; empty: nobody. What it had is lost
                               * at once, without a term to be heard of in */
};

#define ENGINE_WINDOW_MS (10 * 60 * 1000)
#define ENGINE_PAGE_ROWS 1000
#define ENGINE_JOBS_MAX 2000000
#define ENGINE_DEF_BYTES_MAX (64UL * 1024 * 1024)
/* A thousand of the largest. More are refused: what lives is in memory with its payload, and one command, such as the
 * cancelling of a job, may write all of it again in one batch. */
#define ENGINE_PAYLOAD_BYTES_MAX (256UL * 1024 * 1024)
/* A worker costs some kilobytes at most, and a pool that it names half of one. */
#define ENGINE_WORKERS_MAX 100000
/* Wall time that runs ahead of the monotonic clock by more than this is not believed until somebody confirms it. */
#define ENGINE_CLOCK_JUMP_MS 60000

/* ---- events ---- */

/* Which job a client means. */
struct job_ref {
    uint64_t id;       /* 0: by name */
    struct str tenant; /* with an id: the job must be this tenant's; empty: anybody's */
    struct str name;
};

enum command_kind {
    COMMAND_CREATE,       /* defs: all or none */
    COMMAND_PATCH,        /* ref, text (a JSON object), if_match */
    COMMAND_STATUS,       /* ref, status: active, paused or cancelled */
    COMMAND_DELETE,       /* ref */
    COMMAND_RUN,          /* ref, text (payload; empty: the definition's) */
    COMMAND_BACKFILL,     /* ref, from_ms, to_ms */
    COMMAND_REPLAY,       /* triggers: those that are dead get a replay, unless another lives; is_by_filter */
    COMMAND_DISCARD,      /* triggers: dead ones go; is_by_filter */
    COMMAND_CANCEL,       /* triggers: one or more */
    COMMAND_RETRY,        /* triggers: one. In backoff: due now; dead: replay; else ERR_CONFLICT */
    COMMAND_SETTINGS,     /* scope, tenant, name, settings (pause and ramp stay as they are) */
    COMMAND_PAUSE,        /* scope, tenant, name */
    COMMAND_RESUME,       /* scope, tenant, name, ramp_ms */
    COMMAND_WHY,          /* ref, or triggers: one */
    COMMAND_ACCEPT_CLOCK, /* the wall clock is right */
    COMMAND_ACCEPT_HELD,  /* what the store says is right: work is given again */
    COMMAND_REZONE,       /* jobs: those that follow former rules of their zone follow the present ones */
};

struct command {
    enum command_kind kind;
    uint64_t token;      /* the shell's; comes back in the reply */
    struct str idem_key; /* CREATE, RUN, BACKFILL, REPLAY; empty: none */
    struct str idem_tenant;
    uint64_t idem_hash[2]; /* of the request */
    struct job_ref ref;
    struct job_def *defs; /* CREATE; read by job_def_read */
    size_t def_count;
    struct str text;
    uint32_t if_match; /* PATCH: the version it must have; 0: any */
    enum job_status status;
    int64_t from_ms, to_ms;
    const uint64_t *triggers;
    size_t trigger_count;
    bool is_by_filter; /* REPLAY, DISCARD: the triggers were on the list of dead letters; who left it stays as it is */
    bool is_promise;   /* REPLAY: only takes the idempotency key, for these triggers; their replays come later */
    const uint64_t *jobs; /* REZONE */
    size_t job_count;
    enum scope scope;
    struct str tenant, name;
    struct settings settings;
    int64_t ramp_ms; /* 0: at once */
};

/* A report of a worker. */
struct report {
    uint64_t trigger;
    uint32_t number;
    enum attempt_state state; /* SUCCEEDED, FAILED or RELEASED */
    struct str error_code, error_message, result;
    bool is_permanent;      /* FAILED: not worth another attempt */
    int64_t retry_after_ms; /* FAILED: not before; 0: the job's own backoff */
};

struct attempt_ref {
    uint64_t trigger;
    uint32_t number;
};

struct exchange {
    uint64_t token; /* the shell's; comes back in the reply */
    struct str worker;
    int64_t seq; /* -1: none was given */
    struct str name;
    const struct str *pools;
    size_t pool_count;
    unsigned targets; /* bits 1 << enum job_target: the kinds of targets it takes; 0: any */
    uint32_t capacity, want;
    int64_t wait_ms;
    const struct attempt_ref *holding;
    size_t holding_count;
    const struct report *reports;
    size_t report_count;
    uint64_t durable; /* the engine's own: what was durable when it came */
};

enum event_kind {
    EVENT_TICK,
    EVENT_COMMAND,   /* command */
    EVENT_EXCHANGE,  /* exchange; borrowed for the step only */
    EVENT_GONE,      /* token: nobody waits for this exchange's answer any more */
    EVENT_LOADED,    /* load_tag, rows: borrowed for the step only. Loads are answered in their order, and before the
                      * COMMITTED of a batch that was committed after the load was read */
    EVENT_COMMITTED, /* batch: it and all before it are durable */
    EVENT_DRAIN,     /* from now on nothing is granted, and workers are told */
    EVENT_LEAVE,     /* another engine goes on: who waits is answered, so that what was reported is not sent twice */
};

struct event {
    enum event_kind kind;
    struct moment at;
    const struct command *command;
    const struct exchange *exchange;
    uint64_t token;
    uint64_t load_tag;
    const struct rows *rows;
    uint64_t batch;
};

/* ---- what comes out ---- */

enum reply_kind {
    REPLY_ERROR,    /* error; nothing was changed */
    REPLY_JOBS,     /* CREATE, PATCH, STATUS, DELETE: jobs. REZONE: those that were moved */
    REPLY_TRIGGERS, /* RUN, BACKFILL, REPLAY, DISCARD, CANCEL, RETRY: triggers, and how many were not needed */
    REPLY_DONE,     /* SETTINGS, PAUSE, RESUME, ACCEPT_CLOCK, ACCEPT_HELD */
    REPLY_WHY,      /* gates */
    REPLY_WORK,     /* the answer to an exchange */
};

struct reply_job {
    uint64_t id;
    bool is_existing; /* CREATE: it was there with this definition */
    uint32_t version;
    enum job_status status;
    int64_t next_ms;    /* nominal time of the next fire; TIME_NONE */
    int64_t created_ms; /* TIME_NONE in an answer that is given again */
    int64_t skipped;    /* PATCH: fires already due that were skipped (edited) */
    int64_t skipped_from_ms, skipped_to_ms;
};

/* An attempt for a worker to execute. */
struct grant {
    uint64_t trigger;
    uint64_t job;
    uint32_t number;
    uint32_t failures;
    uint32_t max_attempts;
    uint32_t version; /* of the definition */
    enum trigger_kind kind;
    uint64_t replay_of;
    int64_t scheduled_ms;
    int64_t due_ms;
    int64_t timeout_ms, lease_ms;
    struct place place;
    struct str name;      /* empty: the id */
    struct str payload;   /* of this run only; empty: the definition's */
    bool is_payload_left; /* it has one of its own, which is too large to be carried: read it from the store */
    struct str def;       /* canonical JSON of that version; empty: read it from the store */
};

/* Longer texts are left to who answers: many grants in one batch must not be many times their payloads. */
#define GRANT_TEXT_BYTES_MAX (16 * 1024)

enum refusal { REFUSED_STALE, REFUSED_UNKNOWN, REFUSED_CONFLICT };

struct refused {
    struct attempt_ref attempt;
    enum refusal reason; /* STALE: a newer attempt was granted, or the trigger has ended; UNKNOWN: never granted;
                          * CONFLICT: it was reported as something else before */
};

const char *refusal_text(enum refusal refusal);

enum why_gate {
    WHY_NOT_DUE,
    WHY_JOB_PAUSED,
    WHY_JOB_ENDED, /* cancelled or completed */
    WHY_RUNNING,   /* it runs already */
    WHY_ENDED,     /* the trigger has ended */
    WHY_DEPENDENCIES,
    WHY_OVERLAP,
    WHY_CONCURRENCY_KEY,
    WHY_BACKOFF,
    WHY_NO_WORKER,    /* count: workers of the pool that are there and do not take this kind of target */
    WHY_WORKERS_BUSY, /* those that take it have all they can have */
    WHY_DRAINING,
    WHY_CLOCK_HELD,
    WHY_HELD, /* engine_config.is_held */
    WHY_RELEASED_OFTEN,
    WHY_DROP,         /* the worker of a timed-out attempt has not dropped it yet */
    WHY_READY,        /* one of enum ready_gate: see ready */
    WHY_WAITING_TURN, /* nothing holds it: its turn comes */
};

struct why_reason {
    enum why_gate gate;
    enum ready_gate ready; /* WHY_READY */
    struct str tenant;     /* WHY_READY: of a type's gate in one tenant; else empty */
    struct str name;       /* of what holds it; DEPENDENCIES: of the upstream job, empty where it has none */
    uint64_t id;           /* the job or trigger that holds it; 0 */
    bool is_job;           /* it is a job */
    struct str worker;     /* who has that trigger; empty: nobody, or unknown */
    int64_t since_ms;      /* paused since, running since; a paused job's last change. TIME_NONE: unknown */
    /* Running and allowed, where the gate counts. DEPENDENCIES: ended, of all; BACKOFF: failed, of max_attempts;
     * breaker: probes that succeeded, of those that close it (max 0: it is open, not half open). */
    int64_t count, max;
    int64_t rate_count, rate_ms; /* a rate's gate: so many in this time; rate_ms 0: a ramp alone */
    bool is_ramp;                /* a rate's gate: a ramp goes on */
    int64_t clears_ms;           /* wall time; TIME_NONE: by an event, not by time */
    enum job_target target;      /* NO_WORKER: of the job */
};

struct reply {
    struct reply *next;
    uint64_t token;
    enum reply_kind kind;
    struct error error; /* REPLY_ERROR */
    size_t at_def;      /* REPLY_ERROR of a CREATE: which definition is meant, from 1; else 0 */
    struct reply_job *jobs;
    size_t job_count;
    uint64_t *triggers;
    size_t trigger_count;
    int64_t not_needed; /* BACKFILL: nominal times that have a trigger; REPLAY, DISCARD, CANCEL: not in that state;
                         * REZONE: jobs that follow the present rules, or are gone */
    int64_t waiting;    /* REZONE: jobs whose due fires have to be decided first; ask again later */
    struct why_reason *reasons;
    size_t reason_count;
    bool is_runnable;
    int64_t expires_ms; /* REPLY_WHY: not started by then it never will be; TIME_NONE: no such limit */
    /* REPLY_WORK */
    struct grant *grants;
    size_t grant_count;
    struct refused *refused;
    size_t refused_count;
    struct attempt_ref *cancel;
    size_t cancel_count;
    bool is_draining;
};

/* A batch and the replies that wait for it. */
struct outbox {
    uint64_t number; /* what EVENT_COMMITTED says when this and all before it are durable */
    struct batch
        batch; /* without operations it has no number and is not committed: its replies wait for those before */
    struct reply *first, *last;
};

void outbox_free(struct outbox *outbox);

struct effects {
    struct arena arena; /* of the loads; reset it when they have been read */
    struct load *loads; /* in order */
    size_t load_count, load_cap;
    int64_t wake_mono_ms; /* when to send a TICK at the latest; INT64_MAX */
};

void effects_init(struct effects *effects);
void effects_reset(struct effects *effects);
void effects_done(struct effects *effects);

/* ---- the engine ---- */

/* An engine of what a LOAD_START gave. Everything that lives is found again; every running attempt gets a fresh lease
 * from at on. */
enum err engine_new(const struct engine_config *config, const struct rows *rows, struct moment at,
                    struct engine **ret_engine, struct error *reterr) MUST_CHECK;
void engine_free(struct engine *engine);

void engine_step(struct engine *engine, const struct event *event, struct effects *effects);

/* Takes what was gathered, to be committed; NULL where nothing was. */
struct outbox *engine_cut(struct engine *engine, struct moment at);

/* How much has been gathered: operations and bytes, for deciding when to cut. */
size_t engine_gathered(const struct engine *engine);

/* Whether every rule holds over the whole state; names the first that does not. O(everything). */
bool engine_check(const struct engine *engine, struct error *reterr);

/* The time that an engine which believed the one moment believes at the other. */
int64_t engine_believes_ms(const struct engine_config *config, struct moment believed, struct moment at,
                           bool *ret_is_held);

/* Live figures. */
struct engine_figures {
    int64_t now_ms;  /* the time that the engine believes */
    int64_t mono_ms; /* when it did */
    bool is_clock_held;
    bool is_held;    /* nothing is granted until somebody accepts it */
    size_t jobs;     /* in memory */
    size_t triggers; /* likewise */
    size_t running;
    size_t ready;
    size_t workers, waiting;
    size_t def_bytes;
    uint64_t events, decisions, grants;
    uint64_t renewals;         /* of leases */
    uint64_t renewals_refused; /* what a worker named as held was not its own any more */
    uint64_t silences;         /* workers that went without a word: their leases ended, or they were idle for long */
};

void engine_figures(const struct engine *engine, struct engine_figures *ret_figures);

/* Whether the exchange waits for work: after an EVENT_GONE nothing will be replied to it. */
bool engine_waits(const struct engine *engine, uint64_t token);

#endif
