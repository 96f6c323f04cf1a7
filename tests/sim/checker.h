/* checker: whether what Belfry did is what it promised, asked from outside.
 *
 * A second reading of the contract: it is told what clients and workers asked, what they were answered and which
 * batches became durable, rebuilds from the batches alone what the store holds, and holds every batch and every answer
 * against rules of its own. It knows nothing of how the engine works.
 *
 * Owns:  copies of all it was told; arguments are borrowed for the call only. Borrows the zone cache.
 * Never: reads a clock, draws random numbers, looks at an engine.
 * Rules: (1) tell it things in the order in which they happen in the world; true_ms never goes back.
 *        (2) tokens are unique over the whole run, commands' and exchanges' together; an exchange that the next owner
 * is handed comes again under its token. (3) it stops at the first violation: later calls do nothing, and
 * checker_failed says what it was. (4) the work of a call is in the order of what the call brings, not of what the
 * store holds (checker_end alone looks at everything). See:   checker_model.h (what it rebuilds), checker_state.h
 * (how), test_checker*.c (every rule shown to fail)
 */
#ifndef TESTS_SIM_CHECKER_H
#define TESTS_SIM_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calendar/zone_cache.h"
#include "engine/engine.h"
#include "model/batch.h"

/* name, text */
#define CHECKER_RULE_TABLE(X)                                                                                          \
    X(RULE_FENCE, "fence")               /* batches: epochs never fall, numbers go up by one */                        \
    X(RULE_GUARD, "guard")               /* INSERT of what is not there, UPDATE and DELETE of what is; once a row */   \
    X(RULE_DURABLE, "durable")           /* no answer before its batch is durable */                                   \
    X(RULE_ONE_ANSWER, "one_answer")     /* an answer has a question, which had none before */                         \
    X(RULE_CLOCK, "clock")               /* times in rows are not in the future and, in one epoch, never go back */    \
    X(RULE_IDS, "ids")                   /* new ids go up, and lie below what was reserved */                          \
    X(RULE_ROW, "row")                   /* a row's fields fit together: place, version, counters, fixed fields */     \
    X(RULE_TENANT_COUNT, "tenant_count") /* a tenant's counter is the number of its jobs */                            \
    X(RULE_TWICE, "twice")               /* one decision for each nominal time */                                      \
    X(RULE_MISSED, "missed")             /* a cursor moves over decided times only */                                  \
    X(RULE_EARLY, "early")               /* nothing starts or is skipped before it is due */                           \
    X(RULE_DECISION, "decision")         /* the decision is the one that overlap, misfire, expiry and limit ask */     \
    X(RULE_CURSOR, "cursor")             /* cursor, held_to, missed_to and fired are what the decisions leave */       \
    X(RULE_SKIP_ROW, "skip_row")         /* skips: right count, contiguous, of one reason and version */               \
    X(RULE_WAKE, "wake")                 /* wake_ms is not behind the first instant with something to decide */        \
    X(RULE_COMPLETED,                                                                                                  \
      "completed") /* a job is completed when nothing of it is left, and not before; cancelled with all it has */      \
    X(RULE_OVERLAP, "overlap")       /* no second run beside another unless allowed */                                 \
    X(RULE_QUEUE, "queue")           /* queue: the trigger before has ended; a retry goes first */                     \
    X(RULE_STATE, "state")           /* states change as the tables say; ends are final */                             \
    X(RULE_NUMBER, "number")         /* attempts are numbered by one, each has one end */                              \
    X(RULE_CAUSE, "cause")           /* an attempt ends for a reason that the world saw */                             \
    X(RULE_BUDGET, "budget")         /* failures, LOST and RELEASED in a row; DEAD when and only when spent */         \
    X(RULE_BACKOFF, "backoff")       /* a retry is due when its backoff is over */                                     \
    X(RULE_TIMEOUT, "timeout")       /* TIMED_OUT not before started + timeout; nothing runs far beyond */             \
    X(RULE_LEASE, "lease")           /* LOST not before a lease without a word */                                      \
    X(RULE_DROP, "drop")             /* after TIMED_OUT the next waits for the worker to drop it */                    \
    X(RULE_CLAIMS, "claims")         /* a claims row goes with the end of its last claim */                            \
    X(RULE_CAP, "cap")               /* tenant, pool, type: no claim beyond max_in_flight */                           \
    X(RULE_KEY, "key")               /* concurrency key: running < the job's own max */                                \
    X(RULE_RATE, "rate")             /* starts in any window <= rate * window + burst */                               \
    X(RULE_PAUSE, "pause")           /* no claim of what is paused */                                                  \
    X(RULE_BREAKER, "breaker")       /* no claim while open, one probe at a time while half open */                    \
    X(RULE_DEPENDENCY, "dependency") /* a dependent starts when its edges are met, ends when one cannot be */          \
    X(RULE_EDGE, "edge")             /* edges are what definitions name; no cycle */                                   \
    X(RULE_ANSWER, "answer")         /* an answer says what is durable */                                              \
    X(RULE_CREATE, "create")         /* an acknowledged job is there, as it was sent; all or none */                   \
    X(RULE_IDEM, "idem")             /* one key, one request: the same answer; another request: refused */             \
    X(RULE_CHANGE, "change")         /* a row changes as somebody asked, or by time, and not otherwise */              \
    X(RULE_REPLAY, "replay")         /* a dead one names its newest replay; one lives; no filter finds it again */     \
    X(RULE_REPORT, "report")         /* a report is taken for the newest attempt, once; its effect is there */         \
    X(RULE_GRANT, "grant")           /* what a worker gets is a durable claim of its own, told truly */                \
    X(RULE_TARGET, "target")         /* no claim of a kind of target that its worker never asked for */                \
    X(RULE_DRAIN, "drain")           /* nothing is granted any more, and workers are told */                           \
    X(RULE_LATE, "late")             /* while all is well, due work starts soon */                                     \
    X(RULE_LIVENESS, "liveness")     /* at the end nothing is left undone */

enum checker_rule {
#define X(name, text) name,
    CHECKER_RULE_TABLE(X)
#undef X
        RULE_COUNT
};

struct checker_config {
    struct zone_cache *zones; /* borrowed */
    uint64_t seed;            /* of hash tables */
    int64_t skew_ms;          /* an owner's wall clock is at most so far from true time; CHECKER_SKEW_ANY: unknown */
};

#define CHECKER_SKEW_ANY INT64_MAX

struct checker;

struct checker *checker_new(const struct checker_config *config);
void checker_free(struct checker *checker);

/* ---- what happens ---- */

/* A client sends a command (whether or not it ever reaches an owner). */
void checker_command(struct checker *checker, int64_t true_ms, const struct command *command);

/* The engine of the current owner gets an exchange. */
void checker_exchange(struct checker *checker, int64_t true_ms, const struct exchange *exchange);

/* A reply reaches whoever asked. batch is the number of the outbox it came in, durable the highest batch number that
 * its owner knew to be durable when it let the reply go. */
void checker_reply(struct checker *checker, int64_t true_ms, const struct reply *reply, uint64_t batch,
                   uint64_t durable);

/* The store has committed a batch of the owner of this epoch (also where the owner never hears of it). Empty ones too,
 * if the store is given them. */
void checker_batch(struct checker *checker, int64_t true_ms, uint64_t epoch, const struct batch *batch);

/* An owner has built an engine from the store, under a new epoch. Call it before its first batch. */
void checker_restart(struct checker *checker, int64_t true_ms, uint64_t epoch);

/* The current owner is told to drain; gathering is the number of the batch that it is gathering at that moment. */
void checker_drain(struct checker *checker, int64_t true_ms, uint64_t gathering);

/* True time goes on. While is_well (somebody owns the shard, its store answers, its clock is right, it is not
 * draining), nothing that time alone decides may stay undone for longer than slack_ms: timeouts, expiries, skips by
 * overlap. */
void checker_now(struct checker *checker, int64_t true_ms, bool is_well, int64_t slack_ms);

/* The world was healed and has had time enough: somebody owns the shard, every pool has willing workers, everything was
 * resumed and every limit lifted. What was due at end_ms must not be left undecided, PENDING, running, or WAITING with
 * every upstream ended; jobs that are paused, and fires that wait in a queue behind a retry to come, may. */
void checker_end(struct checker *checker, int64_t true_ms, int64_t end_ms);

/* ---- what it found ---- */

/* NULL: everything so far was right. Else which rule, job, trigger and times. Lives as long as the checker. */
const char *checker_failed(const struct checker *checker);

/* The rule that failed; RULE_COUNT: none. */
enum checker_rule checker_failed_rule(const struct checker *checker);

const char *checker_rule_text(enum checker_rule rule);

/* How often each rule compared something, so that a run which proved nothing can be told. */
void checker_counts(const struct checker *checker, uint64_t ret_counts[RULE_COUNT]);

/* The state that the batches add up to, as figures: for the world's own checks. */
struct checker_figures {
    uint64_t batches, ops;
    uint64_t jobs, living_triggers, living_claims;
    uint64_t commands, exchanges, replies;
    uint64_t fires, skips; /* scheduled triggers claimed; nominal times skipped */
    uint64_t indefinite;   /* commands whose owner went before it answered */
};

void checker_figures(const struct checker *checker, struct checker_figures *ret_figures);

#endif
