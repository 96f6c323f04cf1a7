/* pacer: replays and discards of many dead letters, spread over time.
 *
 * One background thread hands commands to the shard, a few triggers at a time, so that what a downstream could not take
 * an hour ago does not come back all at once.
 *
 * Owns:  its thread (which starts with the first task), its tasks and their ids. Borrows the shard.
 * Rules: (1) at most PACER_TASKS_MAX tasks and PACER_TRIGGERS_MAX triggers in all; more are refused.
 *        (2) nothing is kept across restarts: what was not done by then is still a dead letter, and can be asked for
 *            again.
 *        (3) a step that fails because the store cannot work is tried again, under a key of its own, so that it is
 *            never done twice; after PACER_TRIES_MAX failures in a row the task ends, and says so in the log. Its key
 *            is the client's and the trigger that it begins with: who asks again gets what is left.
 *        (4) stopped before the shard.
 *        (5) one task at a time for a client's key, which has been checked to be this request's.
 * See:   docs/openapi.yaml (DeadRequest, rate), tests/api/test_dead.py
 */
#ifndef API_PACER_H
#define API_PACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "server/shard.h"

#define PACER_TASKS_MAX 64
#define PACER_TRIGGERS_MAX 200000
#define PACER_TRIES_MAX 600
/* A step takes what the rate gives in this time, at least one. */
#define PACER_STEP_MS 100
#define PACER_STEP_TRIGGERS_MAX 1000

struct pacer;

struct pacer_task {
    enum command_kind kind; /* COMMAND_REPLAY or COMMAND_DISCARD */
    const uint64_t *triggers;
    size_t count;
    bool is_by_filter; /* struct command */
    int64_t rate_count, rate_period_ms;
    struct str tenant; /* whose key it is */
    struct str key;    /* the client's Idempotency-Key; empty: none was given */
    uint64_t hash[2];  /* of its request */
};

struct pacer_figures {
    size_t tasks;      /* under way */
    size_t waiting;    /* triggers that were not handed in yet */
    uint64_t replayed; /* since the start */
    uint64_t discarded;
    uint64_t failed; /* triggers of tasks that were given up, and of steps that were refused */
};

struct pacer *pacer_new(struct shard *shard);
/* Ends what is under way and waits for the step that is out: while the shard still answers. */
void pacer_stop(struct pacer *pacer);
/* After pacer_stop, or where nothing was ever added. */
void pacer_free(struct pacer *pacer);

/* Copies the task and begins it. ERR_OVERLOADED: rule 1. */
MUST_CHECK enum err pacer_add(struct pacer *pacer, const struct pacer_task *task, struct error *reterr);

void pacer_look(struct pacer *pacer, struct pacer_figures *ret_figures);

#endif
