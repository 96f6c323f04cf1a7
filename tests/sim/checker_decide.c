#include <assert.h>
#include <stdlib.h>

#include "checker_state.h"

/* A walk over the nominal times that a batch decided, from the old cursor to the new one. */
struct walk {
    struct checker *checker;
    struct job_change *change;
    struct job *job;
    const struct def_version *def;
    int64_t at_ms; /* the next nominal time to be decided; TIME_NONE: none is left */
    bool is_any;   /* the contract does not say which it is */
    int64_t fired;
};

/* ---- where it begins ---- */

static int64_t after_finish_ms(const struct walk *walk, const struct trigger *trigger)
{
    int64_t next_ms;
    /* By a clock that is behind the one that decided it, it ended before it was due. */
    int64_t ended_ms = trigger->row.ended_ms > trigger->scheduled_ms ? trigger->row.ended_ms : trigger->scheduled_ms;

    if (!trigger->has_row || !trigger_ended(trigger->row.state) || walk->fired >= walk->def->schedule.max_fires ||
        !schedule_next_after_finish(&walk->def->schedule, ended_ms, &next_ms)) {
        return TIME_NONE;
    }
    return next_ms;
}

/* The first fire of a new job: one-time jobs have theirs whenever it was; others begin now, or right after. */
static int64_t first_fire_ms(const struct walk *walk, int64_t seen_ms)
{
    const struct def_version *def = walk->def;

    if (def == NULL || !def->has_schedule) {
        return TIME_NONE;
    }
    if (def->schedule.kind == SCHEDULE_ONCE) {
        return fires_next(def, INT64_MIN, 0);
    }
    if (def->schedule.kind == SCHEDULE_EVERY && def->def.starts_at_ms != SCHEDULE_NO_START &&
        seen_ms == def->schedule.first_ms) {
        return seen_ms;
    }
    return fires_next(def, seen_ms == def->anchor_ms ? def->anchor_ms - 1 : def->anchor_ms, 0);
}

static void begin_walk(struct walk *walk, const struct piece *pieces, size_t count)
{
    const struct job_change *change = walk->change;

    if (change->was_there) {
        walk->def = change->def_before;
        walk->at_ms = change->before.cursor_ms;
        walk->fired = change->before.fired;
        if (walk->at_ms == TIME_NONE && fires_after_finish(walk->def) && change->finished != NULL) {
            walk->at_ms = after_finish_ms(walk, change->finished);
        }
        return;
    }
    walk->def = checker_version(walk->job, 1);
    walk->is_any = walk->def != NULL && fires_after_finish(walk->def) &&
                   walk->def->schedule.first_ms < walk->def->anchor_ms; /* it began in the past: now, or then */
    walk->at_ms = first_fire_ms(walk, count > 0 ? pieces[0].from_ms : walk->job->row.cursor_ms);
}

/* ---- edits ---- */

/* From one version to the next: fires due at the edit are decided, then it goes on behind it. */
static void cross_edit(struct walk *walk, const struct def_version *next)
{
    const struct def_version *old = walk->def;
    int64_t edit_ms = next->anchor_ms;

    walk->def = next;
    if (fires_same(old, next)) {
        return;
    }
    if (!walk->is_any && walk->at_ms != TIME_NONE && old->has_schedule &&
        walk->change->before.status != JOB_CANCELLED) {
        checker_expect(walk->checker, RULE_MISSED, fires_due_ms(old, walk->job, walk->at_ms) > edit_ms,
                       "%s was edited at %s, and its fire of %s, due then, was not decided",
                       checker_job_text(walk->job), checker_time_text(edit_ms), checker_time_text(walk->at_ms));
    }
    walk->is_any = next->has_schedule && (next->schedule.kind == SCHEDULE_ONCE || fires_after_finish(next) ||
                                          next->schedule.max_fires != SCHEDULE_NO_MAX ||
                                          walk->job->decided_to_ms > edit_ms /* by a clock that was ahead */);
    walk->at_ms = next->has_schedule ? fires_next(next, edit_ms, walk->fired) : TIME_NONE;
}

static void cross_edits(struct walk *walk, uint32_t version)
{
    while (walk->def->version < version) {
        const struct def_version *next = checker_version(walk->job, walk->def->version + 1);

        if (next == NULL) {
            return;
        }
        cross_edit(walk, next);
    }
}

/* ---- steps ---- */

static void step_claim(struct walk *walk, const struct piece *piece)
{
    const struct run *run = piece->run;
    int64_t due_ms = fires_due_ms(walk->def, walk->job, piece->from_ms);
    bool is_once = walk->def->schedule.kind == SCHEDULE_ONCE;

    checker_expect(walk->checker, RULE_EARLY, run->started_ms >= due_ms, "%s starts at %s and is due at %s",
                   checker_trigger_text(run->trigger), checker_time_text(run->started_ms), checker_time_text(due_ms));
    checker_expect(walk->checker, RULE_IDS, is_once == (run->trigger->id == walk->job->by_id.key.number),
                   "%s and its job share an id, or do not", checker_trigger_text(run->trigger));
    walk->checker->figures.fires++;
    walk->fired++;
    walk->at_ms = fires_after_finish(walk->def) ? after_finish_ms(walk, run->trigger)
                                                : fires_next(walk->def, piece->to_ms, walk->fired);
}

static void step_skip(struct walk *walk, const struct piece *piece)
{
    const struct skipped *skip = piece->skip;

    assert(skip != NULL); /* who comes here is no claim */
    bool is_single = fires_after_finish(walk->def);
    int64_t count = is_single ? 1 : fires_count(walk->def, piece->from_ms, piece->to_ms);
    int64_t due_ms = fires_due_ms(walk->def, walk->job, piece->to_ms);

    checker_expect(
        walk->checker, RULE_SKIP_ROW, skip->count == count && (is_single || fires_is(walk->def, piece->to_ms)),
        "%lld fires of %s from %s to %s, of which there are %lld", (long long)skip->count, checker_job_text(walk->job),
        checker_time_text(piece->from_ms), checker_time_text(piece->to_ms), (long long)count);
    checker_expect(walk->checker, RULE_EARLY, skip->row.decided_ms >= due_ms,
                   "%s is skipped for %s at %s and is due at %s", checker_job_text(walk->job),
                   checker_time_text(piece->to_ms), checker_time_text(skip->row.decided_ms), checker_time_text(due_ms));
    walk->is_any = is_single;
    walk->at_ms = is_single ? TIME_NONE : fires_next(walk->def, piece->to_ms, walk->fired);
}

/* An edit brings other fires; those that it has in common with what was decided stay decided. */
static void check_first(struct walk *walk, const struct piece *piece)
{
    const struct skip_row *skip = &walk->change->skip_before;
    const struct def_version *def = skip->count > 0 ? checker_version(walk->job, skip->version) : NULL;
    struct fire *fire = checker_fire(walk->checker, walk->job, piece->from_ms, 0);
    bool is_skipped = def != NULL && def->has_schedule && piece->from_ms >= skip->from_ms &&
                      piece->from_ms <= skip->to_ms && fires_is(def, piece->from_ms);

    checker_expect(walk->checker, RULE_TWICE, !fire->is_claimed && !is_skipped,
                   "%s: %s is decided (%s) and was before, as %s", checker_job_text(walk->job),
                   checker_time_text(piece->from_ms), piece->run != NULL ? "claim" : "skip",
                   fire->is_claimed ? "claim" : "skip");
    fire->is_claimed = piece->run != NULL;
}

static void step(struct walk *walk, const struct piece *piece)
{
    struct checker *checker = walk->checker;

    cross_edits(walk, piece->version);
    if (!checker_expect(
            checker, RULE_TWICE,
            walk->def->has_schedule && (walk->is_any || (walk->at_ms != TIME_NONE && piece->from_ms >= walk->at_ms)),
            "%s: %s is decided (%s) and was before: the next is %s", checker_job_text(walk->job),
            checker_time_text(piece->from_ms), piece->run != NULL ? "claim" : "skip", checker_time_text(walk->at_ms))) {
        return;
    }
    if (!checker_expect(checker, piece->skip != NULL && piece->skip->is_longer ? RULE_SKIP_ROW : RULE_MISSED,
                        walk->is_any || piece->from_ms == walk->at_ms, "%s: %s is decided, and %s, before it, is not",
                        checker_job_text(walk->job), checker_time_text(piece->from_ms),
                        checker_time_text(walk->at_ms))) {
        return;
    }
    check_first(walk, piece);
    if (piece->to_ms > walk->job->decided_to_ms) {
        walk->job->decided_to_ms = piece->to_ms;
    }
    walk->is_any = false;
    if (piece->run != NULL) {
        step_claim(walk, piece);
    } else {
        step_skip(walk, piece);
    }
}

/* ---- pieces ---- */

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a;
    const struct piece *y = b;

    return x->from_ms < y->from_ms ? -1 : x->from_ms > y->from_ms;
}

static bool is_fire(const struct run *run)
{
    return run->number == 1 && run->trigger->kind == TRIGGER_SCHEDULE;
}

static struct piece *collect(struct checker *checker, const struct job_change *change, size_t *ret_count)
{
    size_t count = 0;
    size_t max = 0;

    for (const struct skipped *skip = change->skips; skip != NULL; skip = skip->next) {
        max++;
    }
    for (const struct start *start = change->starts; start != NULL; start = start->next_of_job) {
        max++;
    }
    struct piece *pieces = arena_alloc_array(&checker->of_batch, max, sizeof *pieces);
    for (const struct skipped *skip = change->skips; skip != NULL; skip = skip->next) {
        pieces[count++] = (struct piece){
            .from_ms = skip->from_ms, .to_ms = skip->row.to_ms, .version = skip->row.version, .skip = skip};
    }
    for (const struct start *start = change->starts; start != NULL; start = start->next_of_job) {
        if (is_fire(start->run)) {
            int64_t fire_ms = start->run->scheduled_ms;

            pieces[count++] =
                (struct piece){.from_ms = fire_ms, .to_ms = fire_ms, .version = start->run->version, .run = start->run};
        }
    }
    if (count > 1) {
        qsort(pieces, count, sizeof *pieces, compare_pieces);
    }
    *ret_count = count;
    return pieces;
}

/* ---- a job ---- */

static void decide_job(struct checker *checker, struct job_change *change)
{
    struct walk walk = {.checker = checker, .change = change, .job = change->job};
    size_t count;
    struct piece *pieces = collect(checker, change, &count);

    begin_walk(&walk, pieces, count);
    if (!checker_expect(checker, RULE_ROW, walk.def != NULL, "the first version of %s is not known",
                        checker_job_text(change->job))) {
        return;
    }
    for (size_t i = 0; i < count && !checker_is_failed(checker); i++) {
        step(&walk, &pieces[i]);
    }
    if (checker_is_failed(checker)) {
        return;
    }
    cross_edits(&walk, change->job->row.version);
    change->is_cursor_known = !walk.is_any;
    change->cursor_ms = walk.at_ms;
    change->fired = walk.fired;
    if (checker_is_unedited(change) && walk.def->has_schedule) {
        checker_policy(checker, change, pieces, count);
    }
}

void checker_decide(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        if (change->job->is_there && !checker_is_failed(checker)) {
            decide_job(checker, change);
        }
    }
}
