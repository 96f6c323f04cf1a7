#include "model/state.h"

#include <assert.h>
#include <stddef.h>

#define BIT(state) (1U << (state))

/* One row a state: what it may become. */
static const unsigned job_moves[] = {
    [JOB_ACTIVE] = BIT(JOB_PAUSED) | BIT(JOB_CANCELLED) | BIT(JOB_COMPLETED),
    [JOB_PAUSED] = BIT(JOB_ACTIVE) | BIT(JOB_CANCELLED) | BIT(JOB_COMPLETED),
    [JOB_CANCELLED] = 0,
    [JOB_COMPLETED] = BIT(JOB_ACTIVE), /* a changed schedule may have fires again */
};

static const unsigned trigger_moves[] = {
    [TRIGGER_WAITING] = BIT(TRIGGER_PENDING) | BIT(TRIGGER_CANCELLED),
    /* A report that comes after its lease ended finds the trigger pending again, and still counts. */
    [TRIGGER_PENDING] = BIT(TRIGGER_RUNNING) | BIT(TRIGGER_CANCELLED) | BIT(TRIGGER_SUCCEEDED) | BIT(TRIGGER_DEAD),
    [TRIGGER_RUNNING] = BIT(TRIGGER_PENDING) | BIT(TRIGGER_SUCCEEDED) | BIT(TRIGGER_DEAD) | BIT(TRIGGER_CANCELLED),
    [TRIGGER_SUCCEEDED] = 0,
    [TRIGGER_DEAD] = 0, /* a replay is a new trigger */
    [TRIGGER_CANCELLED] = 0,
};

static const unsigned attempt_moves[] = {
    [ATTEMPT_STARTED] = BIT(ATTEMPT_SUCCEEDED) | BIT(ATTEMPT_FAILED) | BIT(ATTEMPT_TIMED_OUT) | BIT(ATTEMPT_LOST) |
                        BIT(ATTEMPT_RELEASED) | BIT(ATTEMPT_CANCELLED),
    [ATTEMPT_SUCCEEDED] = 0,
    [ATTEMPT_FAILED] = 0,
    [ATTEMPT_TIMED_OUT] = 0,
    [ATTEMPT_LOST] = BIT(ATTEMPT_SUCCEEDED) | BIT(ATTEMPT_FAILED) | BIT(ATTEMPT_RELEASED), /* a late report */
    [ATTEMPT_RELEASED] = 0,
    [ATTEMPT_CANCELLED] = 0,
};

static const char *const job_texts[] = {
#define X(name, text) [name] = text,
    JOB_STATUS_TABLE(X)
#undef X
};

static const struct {
    const char *text;
    bool ends;
} trigger_rows[] = {
#define X(name, text, ends) [name] = {text, ends},
    TRIGGER_STATE_TABLE(X)
#undef X
};

static const struct {
    const char *text;
    bool ends;
    bool fails;
} attempt_rows[] = {
#define X(name, text, ends, fails) [name] = {text, ends, fails},
    ATTEMPT_STATE_TABLE(X)
#undef X
};

const char *job_status_text(enum job_status status)
{
    return job_texts[status];
}

const char *trigger_state_text(enum trigger_state state)
{
    return trigger_rows[state].text;
}

const char *attempt_state_text(enum attempt_state state)
{
    return attempt_rows[state].text;
}

const char *trigger_kind_text(enum trigger_kind kind)
{
    static const char *const texts[] = {
        [TRIGGER_SCHEDULE] = "schedule", [TRIGGER_MANUAL] = "manual",         [TRIGGER_BACKFILL] = "backfill",
        [TRIGGER_REPLAY] = "replay",     [TRIGGER_DEPENDENCY] = "dependency",
    };
    return texts[kind];
}

enum err job_status_parse(struct str text, enum job_status *ret_status, struct error *reterr)
{
    for (size_t i = 0; i < sizeof job_texts / sizeof job_texts[0]; i++) {
        if (str_is(text, job_texts[i])) {
            *ret_status = (enum job_status)i;
            return ERR_OK;
        }
    }
    return err_set(reterr, ERR_INVALID,
                   "\"%.*s\" is not a job's status; there are active, paused, cancelled and completed", STR_ARGS(text));
}

enum err trigger_state_parse(struct str text, enum trigger_state *ret_state, struct error *reterr)
{
    for (size_t i = 0; i < sizeof trigger_rows / sizeof trigger_rows[0]; i++) {
        if (str_is(text, trigger_rows[i].text)) {
            *ret_state = (enum trigger_state)i;
            return ERR_OK;
        }
    }
    return err_set(
        reterr, ERR_INVALID,
        "\"%.*s\" is not a trigger's state; there are waiting, pending, running, succeeded, dead and cancelled",
        STR_ARGS(text));
}

bool trigger_ended(enum trigger_state state)
{
    return trigger_rows[state].ends;
}

bool attempt_ended(enum attempt_state state)
{
    return attempt_rows[state].ends;
}

bool attempt_failed(enum attempt_state state)
{
    return attempt_rows[state].fails;
}

bool job_may_become(enum job_status from, enum job_status to)
{
    return (job_moves[from] & BIT(to)) != 0;
}

bool trigger_may_become(enum trigger_state from, enum trigger_state to)
{
    return (trigger_moves[from] & BIT(to)) != 0;
}

bool attempt_may_become(enum attempt_state from, enum attempt_state to)
{
    return (attempt_moves[from] & BIT(to)) != 0;
}

void trigger_move(enum trigger_state *state, enum trigger_state to)
{
    assert(trigger_may_become(*state, to));
    *state = to;
}

void attempt_move(enum attempt_state *state, enum attempt_state to)
{
    assert(attempt_may_become(*state, to));
    *state = to;
}
