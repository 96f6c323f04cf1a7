#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "checker_state.h"

/* One reading of a batch's decisions about a job. */
struct policy {
    uint64_t batch; /* at hand */
    const struct job_change *change;
    const struct job *job;
    const struct def_version *def;
    const struct piece *pieces;
    size_t count;
    bool is_generous;  /* fires were held up to where the new row says, not only to the end of the run */
    int64_t missed_ms; /* fires up to here are being backfilled, as of the piece at hand */
    char why[600];
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct policy *policy, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(policy->why, sizeof policy->why, format, args);
    va_end(args);
    return false;
}

static int64_t due_ms(const struct policy *policy, int64_t fire_ms)
{
    return fires_due_ms(policy->def, policy->job, fire_ms);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- what is known at an instant ---- */

static int64_t last_missed_ms(const struct policy *policy, int64_t now_ms)
{
    return fires_last_due(policy->def, policy->job, now_ms - policy->def->def.misfire_after_ms - 1);
}

/* With "after finish" there is one fire at a time: the cursor. */
static int64_t last_due_ms(const struct policy *policy, int64_t at_ms)
{
    int64_t cursor_ms = policy->change->was_there ? policy->change->before.cursor_ms : TIME_NONE;

    if (!fires_after_finish(policy->def)) {
        return fires_last_due(policy->def, policy->job, at_ms);
    }
    return cursor_ms != TIME_NONE && due_ms(policy, cursor_ms) <= at_ms ? cursor_ms : TIME_NONE;
}

/* Fires up to here became due while a trigger ran. */
static int64_t held_ms(const struct policy *policy, int64_t now_ms)
{
    const struct job_change *change = policy->change;
    int64_t held = change->was_there ? change->before.held_to_ms : TIME_NONE;
    bool holds = policy->def->def.overlap == OVERLAP_QUEUE || policy->def->def.overlap == OVERLAP_COLLAPSE;

    if (!holds) {
        return held;
    }
    for (const struct stop *stop = change->stops; stop != NULL; stop = stop->next_of_job) {
        if (stop->ended != NULL && stop->ended->ended_ms <= now_ms) {
            held = later(held, last_due_ms(policy, stop->ended->ended_ms));
        }
    }
    held = policy->is_generous ? later(held, policy->job->row.held_to_ms) : held;
    return held > now_ms ? fires_last_due(policy->def, policy->job, now_ms) : held; /* by a clock that was ahead */
}

static bool is_expired(const struct policy *policy, int64_t fire_ms, int64_t now_ms)
{
    int64_t after_ms = policy->def->def.expires_after_ms;

    return after_ms > 0 && now_ms >= due_ms(policy, fire_ms) + after_ms;
}

static const struct piece *claim_behind(const struct policy *policy, size_t i)
{
    return i + 1 < policy->count && policy->pieces[i + 1].run != NULL ? &policy->pieces[i + 1] : NULL;
}

static bool is_in_limit(struct policy *policy, int64_t fire_ms, int64_t to_ms)
{
    int64_t count = fires_count(policy->def, fire_ms, to_ms);

    return count <= CATCH_UP_MAX || wrong(policy, "%s runs, and %lld fires follow it up to %s",
                                          checker_time_text(fire_ms), (long long)count, checker_time_text(to_ms));
}

/* ---- claims ---- */

static bool held_claim_ok(struct policy *policy, int64_t fire_ms, int64_t held)
{
    if (policy->def->def.overlap == OVERLAP_QUEUE) {
        return is_in_limit(policy, fire_ms, held);
    }
    if (policy->def->def.overlap == OVERLAP_COLLAPSE && fire_ms != fires_last(policy->def, held)) {
        return wrong(policy, "%s runs, and the newest that was held is %s", checker_time_text(fire_ms),
                     checker_time_text(fires_last(policy->def, held)));
    }
    return true;
}

/* fire_now: the oldest runs, and all missed ones behind it are skipped with it. */
static bool oldest_ok(struct policy *policy, size_t i, int64_t last_ms)
{
    const struct piece *piece = &policy->pieces[i];
    const struct piece *before = i > 0 && policy->pieces[i - 1].skip != NULL ? &policy->pieces[i - 1] : NULL;
    const struct piece *behind = i + 1 < policy->count ? &policy->pieces[i + 1] : NULL;

    if (before != NULL && before->skip->row.reason == SKIP_MISFIRE &&
        before->skip->row.decided_ms == piece->run->started_ms) {
        return wrong(policy, "%s runs, which is not the oldest missed", checker_time_text(piece->from_ms));
    }
    if (last_ms <= piece->from_ms || policy->def->schedule.max_fires != SCHEDULE_NO_MAX) {
        return true;
    }
    bool is_rest =
        behind != NULL && behind->skip != NULL && behind->skip->row.reason == SKIP_MISFIRE && behind->to_ms == last_ms;
    return is_rest || wrong(policy, "%s runs as the oldest missed, and the others up to %s are not skipped",
                            checker_time_text(piece->from_ms), checker_time_text(last_ms));
}

static bool missed_claim_ok(struct policy *policy, size_t i)
{
    const struct piece *piece = &policy->pieces[i];
    int64_t last_ms = last_missed_ms(policy, piece->run->started_ms);

    switch (policy->def->def.misfire) {
    case MISFIRE_SKIP:
        return wrong(policy, "%s was missed, and missed fires do not run", checker_time_text(piece->from_ms));
    case MISFIRE_FIRE_NOW:
        return fires_after_finish(policy->def) || oldest_ok(policy, i, last_ms);
    case MISFIRE_FIRE_LATEST:
        return fires_after_finish(policy->def) || piece->from_ms == last_ms ||
               wrong(policy, "%s runs, and the newest missed is %s", checker_time_text(piece->from_ms),
                     checker_time_text(last_ms));
    case MISFIRE_BACKFILL:
        policy->missed_ms = later(policy->missed_ms, last_ms);
        return fires_after_finish(policy->def) || is_in_limit(policy, piece->from_ms, last_ms);
    }
    return true;
}

static bool is_steady(const struct policy *policy)
{
    return (!policy->change->was_there || policy->change->before.status == JOB_ACTIVE) &&
           policy->job->row.status != JOB_PAUSED && policy->job->row.status != JOB_CANCELLED;
}

/* overlap: skip. What was due while another ran is not there to run any more. */
static bool not_overlapped(struct policy *policy, const struct piece *piece)
{
    for (const struct stop *stop = policy->change->stops; stop != NULL; stop = stop->next_of_job) {
        if (stop->run != piece->run && stop->ended != NULL && stop->ended->ended_ms <= piece->run->started_ms &&
            !stop->run->is_brief && due_ms(policy, piece->from_ms) < stop->ended->ended_ms) {
            return wrong(policy, "%s runs, which was due while %s ran until %s", checker_time_text(piece->from_ms),
                         checker_trigger_text(stop->run->trigger), checker_time_text(stop->ended->ended_ms));
        }
    }
    return true;
}

static bool claim_ok(struct policy *policy, size_t i)
{
    const struct piece *piece = &policy->pieces[i];
    const struct job_def *def = &policy->def->def;
    int64_t now_ms = piece->run->started_ms;
    int64_t held = held_ms(policy, now_ms);
    bool is_missed = now_ms - due_ms(policy, piece->from_ms) > def->misfire_after_ms;

    if (is_expired(policy, piece->from_ms, now_ms)) {
        return wrong(policy, "%s runs at %s, when it had expired", checker_time_text(piece->from_ms),
                     checker_time_text(now_ms));
    }
    if (piece->from_ms <= policy->missed_ms) { /* being backfilled: whatever was held since */
        return is_in_limit(policy, piece->from_ms, policy->missed_ms);
    }
    if (piece->from_ms <= held) {
        return fires_after_finish(policy->def) || held_claim_ok(policy, piece->from_ms, held);
    }
    if (def->overlap == OVERLAP_SKIP && is_steady(policy) && !(is_missed && def->misfire == MISFIRE_BACKFILL) &&
        !not_overlapped(policy, piece)) {
        return false;
    }
    return !is_missed || missed_claim_ok(policy, i);
}

/* ---- skips ---- */

static bool misfire_ok(struct policy *policy, size_t i)
{
    const struct piece *piece = &policy->pieces[i];
    int64_t now_ms = piece->skip->row.decided_ms;
    int64_t last_ms = fires_after_finish(policy->def) ? piece->to_ms : last_missed_ms(policy, now_ms);
    enum job_misfire misfire = policy->def->def.misfire;
    const struct piece *behind = claim_behind(policy, i);
    const struct piece *before = i > 0 && policy->pieces[i - 1].run != NULL ? &policy->pieces[i - 1] : NULL;

    if (piece->from_ms <= held_ms(policy, now_ms) || piece->from_ms <= policy->missed_ms) {
        return wrong(policy, "%s was held or is backfilled, and is skipped as missed",
                     checker_time_text(piece->from_ms));
    }
    if (now_ms - due_ms(policy, piece->to_ms) <= policy->def->def.misfire_after_ms) {
        return wrong(policy, "%s is skipped as missed at %s, in time", checker_time_text(piece->to_ms),
                     checker_time_text(now_ms));
    }
    if (misfire != MISFIRE_SKIP && is_expired(policy, piece->from_ms, now_ms)) {
        return wrong(policy, "%s is skipped as missed, and had expired", checker_time_text(piece->from_ms));
    }
    if (misfire == MISFIRE_SKIP) {
        return piece->to_ms == last_ms || wrong(policy, "missed fires are skipped up to %s, not up to %s",
                                                checker_time_text(piece->to_ms), checker_time_text(last_ms));
    }
    if (misfire == MISFIRE_FIRE_LATEST) {
        return (behind != NULL && behind->run->started_ms == now_ms) ||
               wrong(policy, "%s is skipped as missed, and none runs for it", checker_time_text(piece->to_ms));
    }
    return (misfire == MISFIRE_FIRE_NOW && before != NULL && before->run->started_ms == now_ms) ||
           wrong(policy, "%s is skipped as missed, and none runs for it", checker_time_text(piece->from_ms));
}

static bool collapsed_ok(struct policy *policy, size_t i)
{
    const struct piece *piece = &policy->pieces[i];
    const struct piece *behind = claim_behind(policy, i);

    if (policy->def->def.overlap != OVERLAP_COLLAPSE || behind == NULL || piece->from_ms <= policy->missed_ms) {
        return wrong(policy, "%s is collapsed into nothing", checker_time_text(piece->to_ms));
    }
    if (is_expired(policy, piece->from_ms, behind->run->started_ms)) {
        return wrong(policy, "%s is collapsed, and had expired", checker_time_text(piece->from_ms));
    }
    return behind->from_ms <= held_ms(policy, behind->run->started_ms) ||
           wrong(policy, "%s is collapsed into %s, which was not held", checker_time_text(piece->to_ms),
                 checker_time_text(behind->from_ms));
}

static bool limit_ok(struct policy *policy, size_t i)
{
    const struct piece *behind = claim_behind(policy, i);

    if (behind == NULL) {
        return wrong(policy, "%s is beyond the limit, and none runs", checker_time_text(policy->pieces[i].to_ms));
    }
    int64_t now_ms = behind->run->started_ms;
    int64_t held = held_ms(policy, now_ms);
    int64_t missed = behind->from_ms <= policy->missed_ms ? policy->missed_ms : last_missed_ms(policy, now_ms);
    bool is_queue = policy->def->def.overlap == OVERLAP_QUEUE && behind->from_ms <= held;
    bool is_backfill = policy->def->def.misfire == MISFIRE_BACKFILL && behind->from_ms <= missed;

    return (is_queue && fires_count(policy->def, behind->from_ms, held) == CATCH_UP_MAX) ||
           (is_backfill && fires_count(policy->def, behind->from_ms, missed) == CATCH_UP_MAX) ||
           wrong(policy, "%s is beyond the limit, and the next is %s", checker_time_text(policy->pieces[i].to_ms),
                 checker_time_text(behind->from_ms));
}

/* Whether the skipped fires fell into the time of this run, or were due when it began. */
static bool covers(const struct policy *policy, const struct run *run, int64_t ended_ms, const struct piece *piece)
{
    bool is_own = run->batch == policy->batch && run->number == 1 && run->trigger->kind == TRIGGER_SCHEDULE &&
                  run->scheduled_ms > piece->from_ms;

    bool has_begun = run->started_ms <= piece->skip->row.decided_ms || run->batch < policy->batch;

    return !is_own && has_begun && ended_ms >= due_ms(policy, piece->to_ms);
}

static bool overlap_ok(struct policy *policy, const struct piece *piece)
{
    const struct skip_row *row = &piece->skip->row;
    bool is_covered = false;
    bool is_blocker = piece->skip->is_longer;

    for (struct list_node *node = list_first(&policy->job->runs); node != NULL;
         node = list_next(&policy->job->runs, node)) {
        const struct run *run = CONTAINER_OF(node, struct run, in_job);

        is_covered = is_covered || covers(policy, run, INT64_MAX, piece);
        is_blocker = is_blocker || run->trigger->id == row->blocked_by;
    }
    for (const struct stop *stop = policy->change->stops; stop != NULL; stop = stop->next_of_job) {
        int64_t ended_ms = stop->ended != NULL ? stop->ended->ended_ms : INT64_MAX;

        is_covered = is_covered || covers(policy, stop->run, ended_ms, piece);
        is_blocker = is_blocker || stop->run->trigger->id == row->blocked_by;
    }
    if (policy->def->def.overlap != OVERLAP_SKIP || piece->from_ms <= policy->missed_ms) {
        return wrong(policy, "%s is skipped by overlap, which its policies do not ask",
                     checker_time_text(piece->from_ms));
    }
    if (piece->to_ms <= held_ms(policy, row->decided_ms)) {
        return true; /* due while one ran, which a pause or another policy kept from being said then */
    }
    return (is_covered && is_blocker) ||
           wrong(policy, "%s is skipped by overlap at %s, and %llu did not run then", checker_time_text(piece->to_ms),
                 checker_time_text(row->decided_ms), (unsigned long long)row->blocked_by);
}

static bool skip_ok(struct policy *policy, size_t i)
{
    const struct piece *piece = &policy->pieces[i];

    assert(piece->skip != NULL); /* who comes here is no claim */
    switch (piece->skip->row.reason) {
    case SKIP_OVERLAP:
        return overlap_ok(policy, piece);
    case SKIP_COLLAPSED:
        return collapsed_ok(policy, i);
    case SKIP_MISFIRE:
        return misfire_ok(policy, i);
    case SKIP_EXPIRED:
        return is_expired(policy, piece->to_ms, piece->skip->row.decided_ms) ||
               wrong(policy, "%s is skipped as expired at %s, in time", checker_time_text(piece->to_ms),
                     checker_time_text(piece->skip->row.decided_ms));
    case SKIP_EDITED:
        return wrong(policy, "%s is skipped as edited, and nobody edited", checker_time_text(piece->to_ms));
    case SKIP_MOVED:
        return wrong(policy, "%s is skipped as moved, and no zone has other rules", checker_time_text(piece->to_ms));
    case SKIP_LIMIT:
        return limit_ok(policy, i);
    case SKIP_CANCELLED:
        return policy->job->row.status == JOB_CANCELLED ||
               wrong(policy, "%s is skipped as cancelled, and it is not", checker_time_text(piece->to_ms));
    }
    return true;
}

/* ---- what must have been decided ---- */

/* overlap: skip. Nothing that was due when a run began, or while it went on, is left undecided. */
static bool nothing_left(struct policy *policy)
{
    int64_t cursor_ms = policy->job->row.cursor_ms;
    bool backfills = policy->def->def.misfire == MISFIRE_BACKFILL;

    if (policy->def->def.overlap != OVERLAP_SKIP || cursor_ms == TIME_NONE || !is_steady(policy) ||
        cursor_ms <= policy->job->row.missed_to_ms || fires_after_finish(policy->def)) {
        return true;
    }
    int64_t due = due_ms(policy, cursor_ms);
    for (const struct start *start = policy->change->starts; start != NULL; start = start->next_of_job) {
        bool is_own = start->run->number == 1 && start->run->trigger->kind == TRIGGER_SCHEDULE;

        if ((is_own || !backfills) && due <= start->run->started_ms) {
            return wrong(policy, "%s is left, due when %s started at %s", checker_time_text(cursor_ms),
                         checker_trigger_text(start->run->trigger), checker_time_text(start->run->started_ms));
        }
    }
    for (const struct stop *stop = policy->change->stops; stop != NULL; stop = stop->next_of_job) {
        if (stop->ended != NULL && due < stop->ended->ended_ms && (!backfills || due > stop->run->started_ms)) {
            return wrong(policy, "%s is left, due while %s ran until %s", checker_time_text(cursor_ms),
                         checker_trigger_text(stop->run->trigger), checker_time_text(stop->ended->ended_ms));
        }
    }
    return true;
}

static bool is_right(struct policy *policy)
{
    bool is_paused = policy->change->was_there && policy->change->before.status == JOB_PAUSED &&
                     policy->job->row.status == JOB_PAUSED;

    policy->missed_ms = policy->change->was_there ? policy->change->before.missed_to_ms : TIME_NONE;
    for (size_t i = 0; i < policy->count; i++) {
        if (is_paused && policy->pieces[i].skip != NULL) {
            return wrong(policy, "%s is decided while it is paused", checker_time_text(policy->pieces[i].to_ms));
        }
        if (policy->pieces[i].run != NULL ? !claim_ok(policy, i) : !skip_ok(policy, i)) {
            return false;
        }
    }
    return nothing_left(policy);
}

void checker_policy(struct checker *checker, const struct job_change *change, const struct piece *pieces, size_t count)
{
    struct policy policy = {.batch = checker->view.number,
                            .change = change,
                            .job = change->job,
                            .def = change->job->now,
                            .pieces = pieces,
                            .count = count};

    if (count == 0 && change->starts == NULL && change->stops == NULL) {
        return;
    }
    bool ok = is_right(&policy);
    if (!ok) {
        struct policy again = policy;

        again.is_generous = true;
        ok = is_right(&again);
    }
    checker_expect(checker, RULE_DECISION, ok, "%s: %s", checker_job_text(change->job), policy.why);
}
