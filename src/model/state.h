/* state: the lives of jobs, triggers and attempts, as tables.
 *
 * Every change of state goes through trigger_move and attempt_move, which assert the table: a move that is not in it is
 * a bug, not a surprise for the store.
 *
 * See: docs/state-machine.md, tests/unit/model/test_state.c
 */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* name, text */
#define JOB_STATUS_TABLE(X)                                                                                            \
    X(JOB_ACTIVE, "active")       /* fires */                                                                          \
    X(JOB_PAUSED, "paused")       /* keeps its cursor, makes no claims */                                              \
    X(JOB_CANCELLED, "cancelled") /* final */                                                                          \
    X(JOB_COMPLETED, "completed") /* no fire is left */

/* name, text, whether it is an end */
#define TRIGGER_STATE_TABLE(X)                                                                                         \
    X(TRIGGER_WAITING, "waiting", false) /* for what it depends on */                                                  \
    X(TRIGGER_PENDING, "pending", false) /* to be claimed, now or when its backoff is over */                          \
    X(TRIGGER_RUNNING, "running", false) /* an attempt is out */                                                       \
    X(TRIGGER_SUCCEEDED, "succeeded", true)                                                                            \
    X(TRIGGER_DEAD, "dead", true) /* a dead letter: out of attempts, or not worth another */                           \
    X(TRIGGER_CANCELLED, "cancelled", true)

/* name, text, whether it is an end, whether it counts as a failure (for the breaker) */
#define ATTEMPT_STATE_TABLE(X)                                                                                         \
    X(ATTEMPT_STARTED, "started", false, false)                                                                        \
    X(ATTEMPT_SUCCEEDED, "succeeded", true, false)                                                                     \
    X(ATTEMPT_FAILED, "failed", true, true)                                                                            \
    X(ATTEMPT_TIMED_OUT, "timed_out", true, true)                                                                      \
    X(ATTEMPT_LOST, "lost", true, true)          /* its lease ended without a word */                                  \
    X(ATTEMPT_RELEASED, "released", true, false) /* given back; costs nothing */                                       \
    X(ATTEMPT_CANCELLED, "cancelled", true, false)

enum job_status {
#define X(name, text) name,
    JOB_STATUS_TABLE(X)
#undef X
};

enum trigger_state {
#define X(name, text, ends) name,
    TRIGGER_STATE_TABLE(X)
#undef X
};

enum attempt_state {
#define X(name, text, ends, fails) name,
    ATTEMPT_STATE_TABLE(X)
#undef X
};

/* Where a trigger comes from. Only scheduled ones move the cursor, and only they are unique by (job, scheduled_for). */
enum trigger_kind {
    TRIGGER_SCHEDULE,
    TRIGGER_MANUAL,
    TRIGGER_BACKFILL,
    TRIGGER_REPLAY,
    TRIGGER_DEPENDENCY,
};

const char *job_status_text(enum job_status status);
const char *trigger_state_text(enum trigger_state state);
const char *attempt_state_text(enum attempt_state state);
const char *trigger_kind_text(enum trigger_kind kind);

/* The words back; ERR_INVALID names those there are. */
enum err job_status_parse(struct str text, enum job_status *ret_status, struct error *reterr) MUST_CHECK;
enum err trigger_state_parse(struct str text, enum trigger_state *ret_state, struct error *reterr) MUST_CHECK;

bool trigger_ended(enum trigger_state state);
bool attempt_ended(enum attempt_state state);
bool attempt_failed(enum attempt_state state);

/* Whether the tables allow it. */
bool job_may_become(enum job_status from, enum job_status to);
bool trigger_may_become(enum trigger_state from, enum trigger_state to);
bool attempt_may_become(enum attempt_state from, enum attempt_state to);

/* The only way a state changes; asserts the table. */
void trigger_move(enum trigger_state *state, enum trigger_state to);
void attempt_move(enum attempt_state *state, enum attempt_state to);

#endif
