#include "engine/fire.h"

#include <assert.h>

#include "engine/deps.h"
#include "engine/deps_graph.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "engine/timers.h"
#include "engine/trigger.h"

/* ---- fires of a schedule ---- */

/* The fire after nominal_ms, whatever is counted; TIME_NONE. */
static int64_t after(const struct job *job, int64_t nominal_ms)
{
    int64_t next_ms;

    if (job->rhythm != RHYTHM_REPEAT || !schedule_next(job->schedule, nominal_ms, &next_ms)) {
        return TIME_NONE;
    }
    return next_ms;
}

/* The fire before nominal_ms, not before the cursor; TIME_NONE. */
static int64_t before(const struct job *job, int64_t nominal_ms)
{
    int64_t prev_ms;

    if (job->rhythm != RHYTHM_REPEAT || !schedule_prev(job->schedule, nominal_ms, &prev_ms) ||
        prev_ms < job->cursor_ms) {
        return TIME_NONE;
    }
    return prev_ms;
}

int64_t fire_last_due(const struct job *job, int64_t at_ms)
{
    if (job->cursor_ms == TIME_NONE || job_due_ms(job, job->cursor_ms) > at_ms) {
        return TIME_NONE;
    }
    if (job->rhythm != RHYTHM_REPEAT) {
        return job->cursor_ms;
    }
    /* Due times have the order of their fires, and jitter ends before the next fire: at most one step back. */
    int64_t last_ms = before(job, plus_ms(at_ms, 1));

    if (last_ms != TIME_NONE && job_due_ms(job, last_ms) > at_ms) {
        last_ms = before(job, last_ms);
    }
    return last_ms == TIME_NONE ? job->cursor_ms : last_ms;
}

static int64_t count_of(const struct job *job, int64_t from_ms, int64_t to_ms)
{
    return job->rhythm == RHYTHM_REPEAT ? schedule_count(job->schedule, from_ms, to_ms + 1) : 1;
}

/* ---- moving the cursor ---- */

static void cursor_past(struct engine *engine, struct job *job, int64_t nominal_ms)
{
    int64_t next_ms;

    job->cursor_ms = TIME_NONE;
    if (job->rhythm == RHYTHM_REPEAT &&
        schedule_next_counted(job->schedule, nominal_ms, job->fired - (BUG(MAX_FIRES_OFF_BY_ONE) ? 1 : 0), &next_ms)) {
        job->cursor_ms = next_ms;
    }
    if (job->held_to_ms != TIME_NONE && (job->cursor_ms == TIME_NONE || job->cursor_ms > job->held_to_ms)) {
        job->held_to_ms = TIME_NONE;
    }
    if (job->missed_to_ms != TIME_NONE && (job->cursor_ms == TIME_NONE || job->cursor_ms > job->missed_to_ms)) {
        job->missed_to_ms = TIME_NONE;
    }
    engine->decisions++;
}

/* "every ... after finish": the next fire, counted from an end. */
static void finish_next(struct engine *engine, struct job *job, int64_t ended_ms)
{
    int64_t next_ms;

    if (job->rhythm == RHYTHM_FINISH && job->cursor_ms == TIME_NONE && job->status != JOB_CANCELLED &&
        !job->is_ending && job->fired < job->schedule->max_fires &&
        schedule_next_after_finish(job->schedule, ended_ms, &next_ms)) {
        job->cursor_ms = next_ms;
        gather_job(engine, job);
    }
}

/* Whether a new run of skips goes on where the last one ended. */
static bool extends(const struct job *job, int64_t from_ms, enum skip_reason reason, uint64_t blocked_by)
{
    const struct last_skip *last = &job->skip;

    return last->count > 0 && (last->reason == reason || BUG(SKIP_FOREIGN_MERGED)) && last->version == job->version &&
           last->blocked_by == blocked_by && after(job, last->to_ms) == from_ms;
}

/* The fires from the cursor up to to_ms do not run; the cursor moves past them (rule 1). */
static void skip_to(struct engine *engine, struct job *job, int64_t to_ms, enum skip_reason reason, uint64_t blocked_by)
{
    int64_t from_ms = job->cursor_ms;
    int64_t count = count_of(job, from_ms, to_ms);

    assert(from_ms != TIME_NONE && to_ms >= from_ms);
    if (extends(job, from_ms, reason, blocked_by)) {
        job->skip.to_ms = to_ms;
        job->skip.count += count;
    } else {
        job->skip = (struct last_skip){.from_ms = from_ms,
                                       .to_ms = to_ms,
                                       .count = count,
                                       .reason = reason,
                                       .version = job->version,
                                       .blocked_by = blocked_by};
    }
    if (!BUG(SKIP_UNRECORDED)) {
        gather_skip(engine, job);
    }
    gather_job(engine, job);
    cursor_past(engine, job, to_ms);
    finish_next(engine, job, max_ms(engine->now_ms, to_ms)); /* there is no run to wait for */
    deps_skipped(engine, job, from_ms, to_ms);
}

/* Keeps the newest CATCH_UP_MAX of the fires from the cursor to to_ms. */
static void limit_to(struct engine *engine, struct job *job, int64_t to_ms)
{
    int64_t surplus = count_of(job, job->cursor_ms, to_ms) - CATCH_UP_MAX;

    if (surplus <= 0) {
        return;
    }
    /* Counting is cheap and walking is not: halve the stretch until it holds the surplus. */
    int64_t low_ms = job->cursor_ms, high_ms = to_ms;

    while (low_ms < high_ms) {
        int64_t middle_ms = low_ms + (high_ms - low_ms) / 2;

        if (count_of(job, job->cursor_ms, middle_ms) >= surplus) {
            high_ms = middle_ms;
        } else {
            low_ms = middle_ms + 1;
        }
    }
    skip_to(engine, job, low_ms, SKIP_LIMIT, 0);
}

void fire_complete_if_over(struct engine *engine, struct job *job)
{
    bool is_over = job->cursor_ms == TIME_NONE && job->living == 0;

    if (job->rhythm == RHYTHM_UPSTREAM) {
        is_over = is_over && graph_is_once(job) && job->fired > 0;
    }
    if (is_over && !job->is_ending && (job->status == JOB_ACTIVE || job->status == JOB_PAUSED)) {
        assert(job_may_become(job->status, JOB_COMPLETED));
        job->status = JOB_COMPLETED;
        gather_job(engine, job);
        deps_job_over(engine, job);
    }
}

/* ---- deciding ---- */

/* The latest fire that is late by more than by_ms. */
static int64_t last_later_than(const struct engine *engine, const struct job *job, int64_t by_ms)
{
    return fire_last_due(job, engine->now_ms - by_ms - 1);
}

static bool is_held(const struct job *job)
{
    return job->held_to_ms != TIME_NONE && job->cursor_ms <= job->held_to_ms;
}

static bool is_being_backfilled(const struct job *job)
{
    return job->missed_to_ms != TIME_NONE && job->cursor_ms <= job->missed_to_ms;
}

/* Rule 2, first question. An expiry of exactly now is one. */
static bool skip_expired(struct engine *engine, struct job *job)
{
    int64_t expires_ms = job->policy->body.expires_after_ms;
    int64_t last_ms;

    if (expires_ms == 0 || BUG(EXPIRY_IGNORED)) {
        return false;
    }
    last_ms = fire_last_due(job, engine->now_ms - expires_ms);
    if (last_ms == TIME_NONE) {
        return false;
    }
    skip_to(engine, job, last_ms, SKIP_EXPIRED, 0);
    return true;
}

/* What is to become of the cursor's fire. */
enum verdict { VERDICT_RUN, VERDICT_AGAIN }; /* AGAIN: something was skipped; ask anew */

/* The newest fire up to to_ms that is due. A clock that was ahead may have stored a to_ms that is not due yet. */
static int64_t newest_to(const struct engine *engine, const struct job *job, int64_t to_ms)
{
    int64_t newest_ms = before(job, plus_ms(to_ms, 1));
    int64_t last_due_ms = fire_last_due(job, engine->now_ms);

    if (newest_ms == TIME_NONE) {
        newest_ms = job->cursor_ms;
    }
    return newest_ms < last_due_ms ? newest_ms : last_due_ms;
}

static enum verdict decide_held(struct engine *engine, struct job *job)
{
    int64_t newest_ms = newest_to(engine, job, job->held_to_ms);

    switch (job->policy->body.overlap) {
    case OVERLAP_ALLOW:
        return VERDICT_RUN;
    case OVERLAP_QUEUE:
        limit_to(engine, job, newest_ms);
        return VERDICT_RUN;
    case OVERLAP_COLLAPSE:
        if (newest_ms > job->cursor_ms) {
            skip_to(engine, job, before(job, newest_ms), SKIP_COLLAPSED, 0);
        }
        return VERDICT_RUN;
    case OVERLAP_SKIP:
        skip_to(engine, job, newest_ms, SKIP_OVERLAP, 0);
        return VERDICT_AGAIN;
    }
    return VERDICT_RUN;
}

static enum verdict decide_missed(struct engine *engine, struct job *job, int64_t newest_ms)
{
    switch (job->policy->body.misfire) {
    case MISFIRE_FIRE_NOW:
        return VERDICT_RUN; /* the others of them follow when the cursor moves */
    case MISFIRE_FIRE_LATEST:
        if (newest_ms > job->cursor_ms) {
            skip_to(engine, job, before(job, newest_ms), SKIP_MISFIRE, 0);
        }
        return VERDICT_RUN;
    case MISFIRE_SKIP:
        skip_to(engine, job, newest_ms, SKIP_MISFIRE, 0);
        return VERDICT_AGAIN;
    case MISFIRE_BACKFILL:
        limit_to(engine, job, newest_ms);
        if (job->policy->body.overlap != OVERLAP_ALLOW && newest_ms > job->cursor_ms && !BUG(BACKFILL_SKIPPED)) {
            job->missed_to_ms = newest_ms;
        }
        return VERDICT_RUN;
    }
    return VERDICT_RUN;
}

/* Settles what stands before the fire that is to run; the cursor is then that fire, or not due. */
static bool settle(struct engine *engine, struct job *job, int64_t *ret_missed_to_ms)
{
    *ret_missed_to_ms = TIME_NONE;
    while (job->cursor_ms != TIME_NONE && job_due_ms(job, job->cursor_ms) <= engine->now_ms) {
        if (skip_expired(engine, job)) {
            continue;
        }
        if (is_being_backfilled(job)) {
            limit_to(engine, job, newest_to(engine, job, job->missed_to_ms));
            return true;
        }
        if (is_held(job) && !BUG(HELD_MISFIRES)) {
            if (decide_held(engine, job) == VERDICT_RUN) {
                return true;
            }
            continue;
        }
        int64_t newest_ms = last_later_than(engine, job, job->policy->body.misfire_after_ms);

        if (newest_ms == TIME_NONE) {
            return true;
        }
        if (decide_missed(engine, job, newest_ms) == VERDICT_RUN) {
            if (job->policy->body.misfire == MISFIRE_FIRE_NOW) {
                *ret_missed_to_ms = newest_ms;
            }
            return true;
        }
    }
    return false;
}

bool fire_settle(struct engine *engine, struct job *job, int64_t *ret_missed_to_ms)
{
    if (settle(engine, job, ret_missed_to_ms)) {
        return true;
    }
    fire_arm(engine, job);
    fire_complete_if_over(engine, job);
    return false;
}

struct trigger *fire_make(struct engine *engine, struct job *job, int64_t missed_to_ms)
{
    int64_t nominal_ms = job->cursor_ms;
    /* One that fired before it became a one-time job may have used its own id already. */
    uint64_t id = job->rhythm == RHYTHM_ONCE && job->fired == 0 ? job->id : gather_id(engine);
    struct trigger *trigger = trigger_new(engine, job, id, TRIGGER_SCHEDULE, nominal_ms, job_due_ms(job, nominal_ms));

    job->fired++;
    cursor_past(engine, job, nominal_ms);
    if (missed_to_ms != TIME_NONE && job->cursor_ms != TIME_NONE && job->cursor_ms <= missed_to_ms) {
        skip_to(engine, job, missed_to_ms, SKIP_MISFIRE, 0);
    }
    gather_touch(engine, job);
    if (job->rhythm != RHYTHM_ONCE && !BUG(CURSOR_LATER)) { /* the claim alone says it all of a one-time job */
        gather_job(engine, job);
    }
    return trigger;
}

/* ---- skip by overlap ---- */

static bool skips_while_running(const struct job *job)
{
    return job->policy->body.overlap == OVERLAP_SKIP && job->running > 0 && !is_being_backfilled(job);
}

static uint64_t running_trigger(const struct job *job)
{
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->state == TRIGGER_RUNNING) {
            return trigger->id;
        }
    }
    return 0;
}

static bool is_active(const struct job *job)
{
    return job->status == JOB_ACTIVE && !job->is_ending;
}

void fire_after_start(struct engine *engine, struct job *job, struct trigger *trigger)
{
    if (skips_while_running(job) && is_active(job)) {
        skip_expired(engine, job);
        int64_t last_ms = fire_last_due(job, engine->now_ms);

        /* Missed fires that are to be backfilled wait for their turn. */
        if (last_ms != TIME_NONE && job->policy->body.misfire == MISFIRE_BACKFILL) {
            int64_t missed_ms = last_later_than(engine, job, job->policy->body.misfire_after_ms);

            if (missed_ms != TIME_NONE && !is_held(job)) {
                job->missed_to_ms = missed_ms;
                gather_job(engine, job);
                last_ms = TIME_NONE;
            }
        }
        if (last_ms != TIME_NONE) {
            skip_to(engine, job, last_ms, SKIP_OVERLAP, trigger->id);
        }
    }
    fire_arm(engine, job);
}

void fire_after_run(struct engine *engine, struct job *job)
{
    int64_t last_ms = fire_last_due(job, engine->now_ms);
    enum job_overlap overlap = job->policy->body.overlap;

    if (job->running > 0 || last_ms == TIME_NONE || overlap == OVERLAP_ALLOW || BUG(HELD_FORGOTTEN)) {
        return;
    }
    if (overlap == OVERLAP_SKIP && is_active(job) && !is_being_backfilled(job)) {
        return; /* what was due while it ran was skipped at its instant */
    }
    if (job->held_to_ms == TIME_NONE || last_ms > job->held_to_ms) {
        job->held_to_ms = last_ms;
        gather_job(engine, job);
    }
}

/* ---- where the fire stands ---- */

void fire_arm(struct engine *engine, struct job *job)
{
    struct entry *fire = &job->fire;

    entry_park(engine, fire);
    if (!is_active(job)) {
        line_update(engine, job);
        return;
    }
    if (job->cursor_ms != TIME_NONE && job_due_ms(job, job->cursor_ms) <= engine->now_ms && skip_expired(engine, job)) {
        fire_complete_if_over(engine, job);
    }
    if (skips_while_running(job)) {
        int64_t last_ms = fire_last_due(job, engine->now_ms);

        if (last_ms != TIME_NONE) {
            skip_to(engine, job, last_ms, SKIP_OVERLAP, running_trigger(job));
        }
    }
    if (job->cursor_ms == TIME_NONE) {
        line_update(engine, job);
        return;
    }
    fire->due_ms = job_due_ms(job, job->cursor_ms);
    if (fire->due_ms > engine->now_ms) {
        fire->place = ENTRY_TIMED;
        timer_arm_wall(engine, &fire->timer, fire->due_ms);
        line_update(engine, job);
        return;
    }
    entry_set_due(engine, fire);
}

void fire_timer(struct engine *engine, struct job *job)
{
    fire_arm(engine, job);
}

void fire_begin(struct engine *engine, struct job *job, int64_t after_ms)
{
    int64_t next_ms;

    (void)engine;
    if (job->rhythm != RHYTHM_REPEAT && job->rhythm != RHYTHM_FINISH) {
        return;
    }
    job->cursor_ms = schedule_next_counted(job->schedule, after_ms, job->fired, &next_ms) ? next_ms : TIME_NONE;
    if (job->rhythm == RHYTHM_FINISH && job->schedule->first_ms <= after_ms && job->fired < job->schedule->max_fires &&
        after_ms < job->schedule->ends_at_ms) {
        job->cursor_ms = after_ms; /* its start is over, and there is no run to count from */
    }
}

void fire_after_end(struct engine *engine, struct job *job, const struct ended *ended)
{
    if (ended->kind == TRIGGER_SCHEDULE) {
        int64_t ended_ms = max_ms(engine->now_ms, ended->scheduled_ms); /* the clock may have been ahead */

        finish_next(engine, job, BUG(FINISH_FROM_START) ? ended->scheduled_ms : ended_ms);
    }
    fire_complete_if_over(engine, job);
    job_rewake(engine, job);
    fire_arm(engine, job);
}

void fire_skip_to(struct engine *engine, struct job *job, int64_t to_ms, enum skip_reason reason)
{
    skip_to(engine, job, to_ms, reason, 0);
}

int64_t fire_last_decided(const struct job *job)
{
    int64_t prev_ms;

    if (job->rhythm != RHYTHM_REPEAT || job->cursor_ms == TIME_NONE ||
        !schedule_prev(job->schedule, job->cursor_ms, &prev_ms)) {
        return TIME_NONE;
    }
    return prev_ms;
}

int64_t fire_skip_due(struct engine *engine, struct job *job, enum skip_reason reason, int64_t *ret_from_ms,
                      int64_t *ret_to_ms)
{
    int64_t last_ms = fire_last_due(job, engine->now_ms);

    if (last_ms == TIME_NONE) {
        return 0;
    }
    int64_t count = count_of(job, job->cursor_ms, last_ms);

    *ret_from_ms = job->cursor_ms;
    *ret_to_ms = last_ms;
    skip_to(engine, job, last_ms, reason, 0);
    return count;
}

bool fire_has_living(const struct job *job)
{
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->kind == TRIGGER_SCHEDULE || (trigger->kind == TRIGGER_DEPENDENCY && trigger->root == 0)) {
            return true;
        }
    }
    return false;
}

bool fire_is_over(const struct job *job)
{
    if (!graph_is_once(job) || fire_has_living(job)) {
        return false;
    }
    if (job->status == JOB_COMPLETED || job->status == JOB_CANCELLED) {
        return true;
    }
    return job->rhythm == RHYTHM_ONCE ? job->cursor_ms == TIME_NONE : job->fired > 0;
}
