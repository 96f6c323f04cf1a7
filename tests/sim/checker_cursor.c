#include "checker_state.h"

/* ---- the cursor ---- */

static void check_cursor(struct checker *checker, const struct job_change *change)
{
    const struct job *job = change->job;
    const struct job_row *row = &job->row;
    bool is_cancelled = row->status == JOB_CANCELLED;
    bool is_edited = !checker_is_unedited(change);

    if (change->is_cursor_known) {
        checker_expect(
            checker, RULE_CURSOR,
            row->cursor_ms == change->cursor_ms ||
                ((is_cancelled || (is_edited && row->status == JOB_COMPLETED)) && row->cursor_ms == TIME_NONE),
            "%s has its cursor at %s, and its first undecided fire is %s", checker_job_text(job),
            checker_time_text(row->cursor_ms), checker_time_text(change->cursor_ms));
    }
    checker_expect(checker, RULE_CURSOR,
                   !job->now->has_schedule || row->fired == change->fired || (is_edited && row->fired <= change->fired),
                   "%s has fired %lld times, and says %lld", checker_job_text(job), (long long)change->fired,
                   (long long)row->fired);
    if (is_cancelled && change->before.status != JOB_CANCELLED && change->is_cursor_known && job->now->has_schedule &&
        change->cursor_ms != TIME_NONE && change->was_there) {
        checker_expect(checker, RULE_MISSED, fires_due_ms(job->now, job, change->cursor_ms) > row->updated_ms,
                       "%s is cancelled at %s, and its fire of %s, due then, was not decided", checker_job_text(job),
                       checker_time_text(row->updated_ms), checker_time_text(change->cursor_ms));
    }
}

/* ---- held_to and missed_to: only what lies at or behind the cursor means anything ---- */

static int64_t in_force(int64_t to_ms, int64_t cursor_ms)
{
    return cursor_ms != TIME_NONE && to_ms != TIME_NONE && to_ms >= cursor_ms ? to_ms : TIME_NONE;
}

/* Until when the last run went on; whether somebody told us of its end, so that it was then. */
static int64_t last_stop_ms(const struct job_change *change, bool *ret_is_told)
{
    int64_t last_ms = TIME_NONE;

    *ret_is_told = true;
    for (const struct stop *stop = change->stops; stop != NULL; stop = stop->next_of_job) {
        if (stop->ended == NULL) {
            *ret_is_told = false;
            continue;
        }
        last_ms = stop->ended->ended_ms > last_ms ? stop->ended->ended_ms : last_ms;
        *ret_is_told = *ret_is_told && stop->ended->state != ATTEMPT_LOST && stop->ended->state != ATTEMPT_TIMED_OUT;
    }
    return last_ms;
}

static void check_held(struct checker *checker, const struct job_change *change)
{
    const struct job *job = change->job;
    int64_t cursor_ms = job->row.cursor_ms;
    int64_t held = in_force(job->row.held_to_ms, cursor_ms);
    int64_t before = in_force(change->was_there ? change->before.held_to_ms : TIME_NONE, cursor_ms);
    bool is_told;
    int64_t stop_ms = last_stop_ms(change, &is_told);

    if (change->late_ms != TIME_NONE) { /* it ended then, or when it was lost */
        int64_t late = in_force(fires_last_due(job->now, job, change->late_ms), cursor_ms);

        if (held == late) {
            return;
        }
    }
    if (held == before && !list_empty(&job->runs)) {
        return; /* others run on: it is stored when the last of them ends */
    }
    if (change->stops == NULL) {
        checker_expect(checker, RULE_CURSOR, held == before, "%s: no run ended, and held_to moves from %s to %s",
                       checker_job_text(job), checker_time_text(before), checker_time_text(held));
        return;
    }
    int64_t least = in_force(stop_ms != TIME_NONE ? fires_last_due(job->now, job, stop_ms) : TIME_NONE, cursor_ms);
    least = least > before ? least : before;
    checker_expect(checker, RULE_CURSOR, is_told ? held == least : held >= least,
                   "%s: a run ended at %s, and held_to is %s, not %s", checker_job_text(job),
                   checker_time_text(stop_ms), checker_time_text(held), checker_time_text(least));
    if (held != TIME_NONE && held != before && checker->config.skew_ms != CHECKER_SKEW_ANY) {
        checker_expect(checker, RULE_CURSOR,
                       fires_due_ms(job->now, job, held) <= checker->view.true_ms + checker->config.skew_ms,
                       "%s: held_to is %s, which is not due", checker_job_text(job), checker_time_text(held));
    }
}

static void check_missed(struct checker *checker, const struct job_change *change)
{
    const struct job *job = change->job;
    const struct job_def *def = &job->now->def;
    int64_t cursor_ms = job->row.cursor_ms;
    int64_t missed = in_force(job->row.missed_to_ms, cursor_ms);
    int64_t before_ms = change->was_there ? change->before.missed_to_ms : TIME_NONE;
    int64_t held_ms = change->was_there ? change->before.held_to_ms : TIME_NONE;
    int64_t expected = before_ms;
    int64_t other = before_ms;
    bool has_held = change->stops != NULL; /* then it may have been held, not missed */

    for (const struct start *start = change->starts; start != NULL; start = start->next_of_job) {
        const struct run *run = start->run;
        bool is_fire = run->number == 1 && run->trigger->kind == TRIGGER_SCHEDULE;
        int64_t late_ms = run->started_ms - def->misfire_after_ms - 1;

        if (def->misfire == MISFIRE_BACKFILL) { /* any claim may save what was missed by then from overlap */
            int64_t saved_ms = fires_last_due(job->now, job, late_ms);

            other = saved_ms > other ? saved_ms : other;
        }
        bool is_late = is_fire && run->started_ms - run->due_ms > def->misfire_after_ms;

        if (is_late && def->misfire == MISFIRE_BACKFILL && run->scheduled_ms > before_ms &&
            run->scheduled_ms > held_ms) {
            int64_t last_ms = fires_last_due(job->now, job, late_ms);

            expected = last_ms > expected ? last_ms : expected;
        }
    }
    expected = in_force(expected, cursor_ms);
    checker_expect(checker, RULE_CURSOR,
                   missed == expected || missed == in_force(other, cursor_ms) ||
                       (missed == TIME_NONE && def->overlap == OVERLAP_ALLOW) ||
                       (has_held && missed == in_force(before_ms, cursor_ms)),
                   "%s: missed_to is %s, not %s", checker_job_text(job), checker_time_text(missed),
                   checker_time_text(expected));
}

/* ---- wake ---- */

static int64_t first_wake_ms(const struct job *job)
{
    const struct job_row *row = &job->row;
    int64_t wake = TIME_NONE;

    if (row->status == JOB_PAUSED || row->status == JOB_CANCELLED) {
        return TIME_NONE;
    }
    if (row->status == JOB_ACTIVE && row->cursor_ms != TIME_NONE && job->now->has_schedule) {
        wake = fires_due_ms(job->now, job, row->cursor_ms);
    }
    for (struct list_node *node = list_first(&job->living); node != NULL; node = list_next(&job->living, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, in_living);
        bool waits = trigger->has_row && trigger->row.state == TRIGGER_PENDING && trigger->run == NULL;

        if (waits && (wake == TIME_NONE || trigger->row.due_ms < wake)) {
            wake = trigger->row.due_ms;
        }
    }
    return wake;
}

/* ---- completed ---- */

/* Whether something of it lives that was not started by hand in this batch: after it had completed, perhaps. */
static bool has_old_trigger(const struct job *job)
{
    for (struct list_node *node = list_first(&job->living); node != NULL; node = list_next(&job->living, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, in_living);
        bool is_by_hand =
            trigger->kind == TRIGGER_MANUAL || trigger->kind == TRIGGER_BACKFILL || trigger->kind == TRIGGER_REPLAY;

        if (!is_by_hand || trigger->change == NULL || !trigger->change->is_new) {
            return true;
        }
    }
    return false;
}

static void check_completed(struct checker *checker, const struct job_change *change)
{
    const struct job *job = change->job;
    const struct job_row *row = &job->row;
    bool is_over = row->cursor_ms == TIME_NONE && list_empty(&job->living);
    bool may_be_over = row->cursor_ms == TIME_NONE && !has_old_trigger(job);
    bool was_completed = change->was_there && change->before.status == JOB_COMPLETED;

    if (row->status == JOB_COMPLETED && !was_completed) {
        checker_expect(checker, RULE_COMPLETED, may_be_over, "%s is completed, with its cursor at %s and %s",
                       checker_job_text(job), checker_time_text(row->cursor_ms),
                       list_empty(&job->living) ? "no trigger" : "a living trigger");
    }
    if (row->status == JOB_CANCELLED) {
        checker_expect(checker, RULE_COMPLETED, list_empty(&job->living), "%s is cancelled, and something of it lives",
                       checker_job_text(job));
    }
    if (row->status == JOB_ACTIVE && job->now->has_schedule) {
        checker_expect(checker, RULE_COMPLETED, !is_over, "%s is active, and nothing of it is left",
                       checker_job_text(job));
    }
}

/* ---- all ---- */

void checker_cursor(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        const struct job *job = change->job;

        if (!job->is_there || checker_is_failed(checker)) {
            continue;
        }
        enum job_overlap overlap = job->now->def.overlap;
        bool repeats = job->now->has_schedule && !fires_after_finish(job->now);

        check_cursor(checker, change);
        if (repeats && checker_is_unedited(change) && job->row.status != JOB_CANCELLED) {
            if (overlap == OVERLAP_QUEUE || overlap == OVERLAP_COLLAPSE) {
                check_held(checker, change);
            }
            check_missed(checker, change);
        }
        int64_t first_ms = first_wake_ms(job);
        checker_expect(checker, RULE_WAKE,
                       first_ms == TIME_NONE || (job->row.wake_ms != TIME_NONE && job->row.wake_ms <= first_ms),
                       "%s is to wake at %s, and it says %s", checker_job_text(job), checker_time_text(first_ms),
                       checker_time_text(job->row.wake_ms));
        check_completed(checker, change);
    }
}
