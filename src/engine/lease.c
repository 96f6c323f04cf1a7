#include "engine/lease.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/circuit.h"
#include "engine/dead.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/key.h"
#include "engine/line.h"
#include "engine/timers.h"
#include "engine/trigger.h"
#include "engine/worker.h"

/* So many attempts lost in a row: it is the trigger that kills its workers. */
#define LOST_RUN_MAX 3
/* So many given back in a row are no deploy any more: each further one waits. */
#define RELEASED_RUN_MAX 10
#define RELEASED_WAIT_MS 30000
/* A worker may ask for more time than the job's backoff, within reason. */
#define RETRY_AFTER_MAX_MS (24LL * 3600 * 1000)

/* ---- beginning ---- */

static struct claims *claims_now(struct engine *engine)
{
    if (engine->claims == NULL) {
        engine->claims = claims_new(gather_id(engine));
    }
    return engine->claims;
}

static struct lease *make(struct engine *engine, struct trigger *trigger, uint32_t number, struct claims *claims)
{
    struct lease *lease = mem_zalloc(sizeof *lease);

    assert(trigger->lease == NULL); /* rule 1 */
    lease->trigger = trigger;
    lease->number = number;
    lease->bucket = ready_bucket_again(trigger->bucket);
    lease->claims = claims;
    timer_init(&lease->lease_timer, TIMER_LEASE);
    timer_init(&lease->timeout_timer, TIMER_TIMEOUT);
    list_node_init(&lease->of_worker);
    list_node_init(&lease->of_claims);
    list_push_back(&claims->leases, &lease->of_claims);
    claims->count++;
    trigger->lease = lease;
    engine->running++;
    return lease;
}

/* Rule 2. */
static void arm(struct engine *engine, struct lease *lease, int64_t timeout_from_ms)
{
    struct job *job = lease->trigger->job;
    int64_t timeout_ms = plus_ms(timeout_from_ms, job_timeout_ms(engine, job));

    timer_arm_mono(engine, &lease->lease_timer,
                   plus_ms(engine->mono_ms, job->policy->body.lease_ms - (BUG(LEASE_EARLY) ? 200 : 0)));
    timer_arm_mono(engine, &lease->timeout_timer, mono_of_wall(engine, timeout_ms));
}

struct lease *lease_start(struct engine *engine, struct trigger *trigger, struct worker *worker, bool is_probe)
{
    struct job *job = trigger->job;

    entry_park(engine, &trigger->entry);
    struct lease *lease = make(engine, trigger, trigger->attempts + 1, claims_now(engine));

    lease->started_ms = engine->now_ms;
    lease->is_probe = is_probe;
    if (str_is(ready_bucket_place(lease->bucket).type, READY_TYPE_NONE)) {
        lease->circuit = circuit_started(engine, job);
    }
    if (job->key != NULL) {
        lease->key = job->key;
        key_started(lease->key);
    }
    trigger_become(trigger, TRIGGER_RUNNING);
    gather_touch(engine, job);
    worker_take(engine, worker, lease);
    arm(engine, lease, lease->started_ms);
    fire_after_start(engine, job, trigger);
    line_update(engine, job);
    engine->grants++;
    return lease;
}

struct lease *lease_restore(struct engine *engine, struct trigger *trigger, const struct claim *claim,
                            struct claims *claims)
{
    struct job *job = trigger->job;
    struct lease *lease = make(engine, trigger, claim->number, claims);

    lease->started_ms = claim->started_ms;
    lease->is_told = true;
    lease->worker_id = mem_strndup(claim->worker.ptr, claim->worker.len);
    list_push_back(&engine->orphans, &lease->of_worker);
    if (job->key != NULL) {
        lease->key = job->key;
        key_started(lease->key);
    }
    trigger_become(trigger, TRIGGER_RUNNING);
    if (!BUG(CAP_NOT_RESTORED)) {
        ready_recount(engine->ready, lease->bucket);
    }
    arm(engine, lease, lease->started_ms);
    if (!str_empty(claim->worker) && str_equal(claim->worker, engine->config.dead_worker)) {
        timer_arm_mono(engine, &lease->lease_timer, engine->mono_ms);
    }
    if (BUG(RESTORE_OLD_LEASE)) {
        timer_arm_mono(engine, &lease->lease_timer,
                       mono_of_wall(engine, plus_ms(lease->started_ms, job->policy->body.lease_ms)));
    }
    return lease;
}

void lease_renew(struct engine *engine, struct lease *lease)
{
    assert(!lease->is_dropping); /* rule 4 */
    engine->renewals++;
    timer_arm_mono(engine, &lease->lease_timer, plus_ms(engine->mono_ms, lease->trigger->job->policy->body.lease_ms));
    if (BUG(TIMEOUT_FROM_RENEWAL)) {
        arm(engine, lease, engine->now_ms);
    }
}

void lease_retime(struct engine *engine, struct trigger *trigger)
{
    if (trigger->lease != NULL) {
        int64_t ends_ms = plus_ms(trigger->lease->started_ms, job_timeout_ms(engine, trigger->job));

        timer_arm_mono(engine, &trigger->lease->timeout_timer, mono_of_wall(engine, ends_ms));
    }
}

void lease_retime_all(struct engine *engine)
{
    struct trigger_walk walk = {0};
    struct trigger *trigger;

    while ((trigger = trigger_walk_next(engine, &walk)) != NULL) {
        lease_retime(engine, trigger);
    }
}

/* ---- ending ---- */

static void free_lease(struct engine *engine, struct lease *lease)
{
    timer_stop(engine, &lease->lease_timer);
    timer_stop(engine, &lease->timeout_timer);
    list_remove(&lease->of_worker);
    ready_bucket_put(engine->ready, lease->bucket);
    mem_free(lease->worker_id);
    mem_free(lease);
}

/* Rule 3. */
static void leave_claims(struct engine *engine, struct lease *lease)
{
    struct claims *claims = lease->claims;

    list_remove(&lease->of_claims);
    lease->claims = NULL;
    if (--claims->count == 0 && claims->is_stored) {
        gather_op(engine, OP_CLAIMS_DELETE)->id = claims->id;
        claims_free(claims);
    }
}

static enum ready_outcome outcome_of(enum attempt_state state)
{
    if (attempt_failed(state)) {
        return READY_FAILED;
    }
    return state == ATTEMPT_SUCCEEDED ? READY_SUCCEEDED : READY_UNCOUNTED;
}

/* What the attempt was: its row. */
static struct attempt_row row_of(const struct engine *engine, const struct lease *lease, enum attempt_state state,
                                 const struct report *report)
{
    struct attempt_row row = {
        .trigger = lease->trigger->id,
        .number = lease->number,
        .state = state,
        .started_ms = lease->started_ms,
        .ended_ms = engine->now_ms,
        .worker = lease->worker != NULL ? str_from(lease->worker->id) : str_from(lease->worker_id),
        .error_code = STR(""),
        .error_message = STR(""),
        .result = STR(""),
    };

    if (report != NULL) {
        row.error_code = report->error_code;
        row.error_message = report->error_message;
        row.result = report->result;
    } else if (state == ATTEMPT_LOST) {
        row.error_code = STR("lost");
        row.error_message = STR("the worker's lease ended without a word from it");
    } else if (state == ATTEMPT_TIMED_OUT) {
        row.error_code = STR("timeout");
        row.error_message = STR("it ran longer than its timeout");
    }
    return row;
}

/* Takes the lease off its trigger, and counts. The trigger is then neither running nor anything else yet. */
static void release(struct engine *engine, struct lease *lease, enum attempt_state state)
{
    struct trigger *trigger = lease->trigger;

    leave_claims(engine, lease);
    gather_touch(engine, trigger->job);
    trigger->lease = NULL;
    trigger->attempts = lease->number - (BUG(NUMBER_REUSED) && state == ATTEMPT_LOST ? 1 : 0);
    trigger->last_state = state;
    trigger->last_started_ms = lease->started_ms;
    mem_free(trigger->last_worker);
    trigger->last_worker = mem_strdup(lease->worker != NULL ? lease->worker->id : lease->worker_id);
    engine->running--;
    ready_end(engine->ready, lease->bucket, outcome_of(state), lease->is_probe, engine->mono_ms);
    if (str_is(ready_bucket_place(lease->bucket).type, READY_TYPE_NONE)) {
        circuit_ended(engine, trigger->job, outcome_of(state), lease->circuit != NULL);
    }
    if (lease->key != NULL && !BUG(KEY_LEAKS)) {
        key_ended(engine, lease->key);
    }
}

/* Counts what the attempt means for the budget. */
static void count(struct trigger *trigger, enum attempt_state state)
{
    switch (state) {
    case ATTEMPT_FAILED:
    case ATTEMPT_TIMED_OUT:
        trigger->failures++;
        trigger->lost_run = 0;
        trigger->released_run = 0;
        break;
    case ATTEMPT_LOST:
        trigger->lost_run++;
        break;
    case ATTEMPT_RELEASED:
        trigger->released_run++;
        trigger->failures += BUG(RELEASED_COUNTS) ? 1 : 0;
        break;
    case ATTEMPT_SUCCEEDED:
    case ATTEMPT_CANCELLED:
    case ATTEMPT_STARTED:
        break;
    }
}

/* Why no further attempt is worth it; empty: it is. */
static struct str death(const struct engine *engine, const struct trigger *trigger, enum attempt_state state,
                        const struct report *report)
{
    if (state == ATTEMPT_LOST) {
        return trigger->lost_run >= LOST_RUN_MAX && !BUG(LOST_FOR_EVER) ? STR("crashed_workers") : STR("");
    }
    if (state != ATTEMPT_FAILED && state != ATTEMPT_TIMED_OUT) {
        return STR("");
    }
    if (report != NULL && report->is_permanent) {
        return STR("permanent");
    }
    uint32_t budget = (uint32_t)job_retry(engine, trigger->job)->max_attempts + (BUG(BUDGET_OFF_BY_ONE) ? 1 : 0);
    bool is_exhausted = trigger->failures >= budget;

    return is_exhausted ? STR("exhausted") : STR("");
}

static int64_t next_due_ms(const struct engine *engine, const struct trigger *trigger, enum attempt_state state,
                           const struct report *report)
{
    int64_t wait_ms = 0;

    if (state == ATTEMPT_FAILED || state == ATTEMPT_TIMED_OUT) {
        wait_ms = retry_delay_ms(job_retry(engine, trigger->job), (int)trigger->failures, trigger->id);
        if (report != NULL && report->retry_after_ms > 0) {
            wait_ms = max_ms(wait_ms, min_ms(report->retry_after_ms, RETRY_AFTER_MAX_MS));
        }
        if (BUG(NO_BACKOFF)) {
            wait_ms = 0;
        }
    } else if (state == ATTEMPT_RELEASED && trigger->released_run > RELEASED_RUN_MAX) {
        wait_ms = RELEASED_WAIT_MS;
    }
    return plus_ms(engine->now_ms, wait_ms);
}

/* The attempt did not end its trigger: it waits for the next one. */
static void again(struct engine *engine, struct trigger *trigger, const struct attempt_row *row, int64_t due_ms)
{
    struct job *job = trigger->job;

    trigger->backoff_ms = due_ms;
    if (trigger->dropping != NULL) {
        due_ms = max_ms(due_ms, wall_of_mono(engine, trigger->dropping->lease_timer.node.due_ms));
    }
    trigger->entry.due_ms = due_ms;
    if (trigger->state != TRIGGER_PENDING) { /* a late report finds it there */
        trigger_become(trigger, TRIGGER_PENDING);
    }
    gather_attempt(engine, row);
    gather_trigger(engine, trigger, NULL, row->error_code);
    fire_after_run(engine, job);
    if (job->rhythm == RHYTHM_ONCE) {
        gather_job(engine, job); /* its cursor is behind it for good, and it wakes for the retry */
    }
    job_rewake(engine, job);
    entry_set_trigger(engine, trigger);
    fire_arm(engine, job);
}

static enum trigger_state end_of(enum attempt_state state)
{
    if (state == ATTEMPT_SUCCEEDED) {
        return TRIGGER_SUCCEEDED;
    }
    return state == ATTEMPT_CANCELLED ? TRIGGER_CANCELLED : TRIGGER_DEAD;
}

/* What the trigger becomes after an attempt; it is not running any more. */
static void conclude(struct engine *engine, struct trigger *trigger, const struct attempt_row *row,
                     const struct report *report, struct str reason)
{
    struct job *job = trigger->job;
    enum attempt_state state = row->state;

    count(trigger, state);
    if (str_empty(reason)) {
        reason = death(engine, trigger, state, report);
    }
    if (state == ATTEMPT_SUCCEEDED || state == ATTEMPT_CANCELLED || !str_empty(reason)) {
        if (job->rhythm == RHYTHM_ONCE) {
            gather_job(engine, job);
        }
        if (end_of(state) == TRIGGER_DEAD) {
            dead_policy_apply(engine, trigger, reason);
        }
        trigger_end(engine, trigger, end_of(state), row, reason);
        return;
    }
    again(engine, trigger, row, next_due_ms(engine, trigger, state, report));
}

static void finish(struct engine *engine, struct lease *lease, enum attempt_state state, const struct report *report,
                   struct str reason)
{
    struct trigger *trigger = lease->trigger;
    struct attempt_row row = row_of(engine, lease, state, report);

    release(engine, lease, state);
    row.worker = str_from(trigger->last_worker);
    if (state == ATTEMPT_TIMED_OUT && !BUG(DROP_NOT_AWAITED)) {
        /* The worker may still be at it: keep the lease's term as the time the next attempt waits (rule 4). */
        lease->is_dropping = true;
        timer_stop(engine, &lease->timeout_timer);
        trigger->dropping = lease;
    } else {
        free_lease(engine, lease);
    }
    conclude(engine, trigger, &row, report, reason);
}

void lease_report(struct engine *engine, struct lease *lease, const struct report *report)
{
    finish(engine, lease, report->state, report, STR(""));
}

void lease_expired(struct engine *engine, struct lease *lease)
{
    if (lease->is_dropping) {
        lease_dropped(engine, lease->trigger);
        return;
    }
    if (BUG(LEASE_FOR_EVER)) {
        return;
    }
    worker_missed(engine, lease);
    worker_tell(engine, lease);
    finish(engine, lease, ATTEMPT_LOST, NULL, STR(""));
}

void lease_timed_out(struct engine *engine, struct lease *lease)
{
    worker_tell(engine, lease);
    finish(engine, lease, ATTEMPT_TIMED_OUT, NULL, STR(""));
}

void lease_cancel(struct engine *engine, struct trigger *trigger, struct str reason)
{
    worker_tell(engine, trigger->lease);
    finish(engine, trigger->lease, ATTEMPT_CANCELLED, NULL, reason);
}

void lease_late_report(struct engine *engine, struct trigger *trigger, const struct report *report,
                       struct worker *worker)
{
    struct attempt_row row = {
        .trigger = trigger->id,
        .number = trigger->attempts,
        .state = report->state,
        .started_ms = trigger->last_started_ms,
        .ended_ms = engine->now_ms,
        .worker = str_from(worker->id),
        .error_code = report->error_code,
        .error_message = report->error_message,
        .result = report->result,
    };
    struct op *op = gather_op(engine, OP_ATTEMPT_DELETE);

    op->attempt = (struct attempt_row){.trigger = trigger->id, .number = trigger->attempts};
    entry_park(engine, &trigger->entry);
    trigger->last_state = report->state;
    trigger->lost_run--; /* it was not lost after all */
    ready_late_result(engine->ready, trigger->bucket, outcome_of(report->state), engine->mono_ms);
    if (str_is(ready_bucket_place(trigger->bucket).type, READY_TYPE_NONE)) {
        circuit_ended(engine, trigger->job, outcome_of(report->state), false);
    }
    conclude(engine, trigger, &row, report, STR(""));
}

/* ---- dropping ---- */

void lease_drop(struct engine *engine, struct trigger *trigger)
{
    struct lease *lease = trigger->dropping;

    if (lease != NULL) {
        trigger->dropping = NULL;
        free_lease(engine, lease);
    }
}

void lease_dropped(struct engine *engine, struct trigger *trigger)
{
    lease_drop(engine, trigger);
    assert(trigger->state == TRIGGER_PENDING); /* rule 4: the next attempt waits for this */
    entry_park(engine, &trigger->entry);
    if (trigger->backoff_ms < trigger->entry.due_ms && trigger->entry.due_ms > engine->now_ms) {
        trigger->entry.due_ms = max_ms(trigger->backoff_ms, engine->now_ms);
        gather_trigger(engine, trigger, NULL, STR("timeout"));
        job_rewake(engine, trigger->job);
    }
    entry_set_trigger(engine, trigger);
    line_update(engine, trigger->job);
}

void lease_forget(struct engine *engine, struct trigger *trigger)
{
    struct lease *lease = trigger->lease;

    lease_drop(engine, trigger);
    if (lease == NULL) {
        return;
    }
    struct claims *claims = lease->claims;

    list_remove(&lease->of_claims);
    if (--claims->count == 0 && claims != engine->claims) {
        claims_free(claims);
    }
    trigger->lease = NULL;
    trigger->state = TRIGGER_PENDING;
    trigger->job->running--;
    if (trigger_is_retry(trigger)) {
        trigger->job->retrying++;
    }
    if (lease->key != NULL) {
        lease->key->running--;
        key_put(engine, lease->key);
    }
    free_lease(engine, lease);
}
