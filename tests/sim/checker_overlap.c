#include "checker_state.h"

/* The policy in force is one of those between the versions before and after. */
static bool ever(const struct job_change *change, enum job_overlap overlap)
{
    uint32_t first = change->def_before != NULL ? change->def_before->version : 1;

    for (const struct def_version *def = change->job->now; def != NULL && def->version >= first; def = def->older) {
        if (def->def.overlap == overlap) {
            return true;
        }
    }
    return false;
}

static int64_t stop_ms(const struct stop *stop)
{
    return stop->ended != NULL ? stop->ended->ended_ms : INT64_MIN;
}

/* ---- no second run ---- */

static void check_alone(struct checker *checker, const struct job_change *change, const struct run *run)
{
    const struct run *other = NULL;

    for (struct list_node *node = list_first(&change->job->runs); node != NULL && other == NULL;
         node = list_next(&change->job->runs, node)) {
        const struct run *living = CONTAINER_OF(node, struct run, in_job);
        bool is_same = living->trigger == run->trigger;
        bool is_earlier = living->batch != run->batch || living->started_ms < run->started_ms ||
                          (living->started_ms == run->started_ms && living->order < run->order && !run->is_brief);

        is_earlier = is_same ? living->number < run->number : is_earlier;
        other = living != run && is_earlier ? living : NULL;
    }
    for (const struct stop *stop = change->stops; stop != NULL && other == NULL; stop = stop->next_of_job) {
        other = stop->run != run && stop->run->started_ms <= run->started_ms && stop_ms(stop) > run->started_ms
                    ? stop->run
                    : NULL;
    }
    checker_expect(checker, RULE_OVERLAP, other == NULL, "%s starts at %s while %s runs",
                   checker_trigger_text(run->trigger), checker_time_text(run->started_ms),
                   checker_trigger_text(other != NULL ? other->trigger : NULL));
}

/* ---- queue: the one before has ended ---- */

static void check_queue(struct checker *checker, const struct job_change *change, const struct run *run)
{
    const struct trigger *other = NULL;

    for (struct list_node *node = list_first(&change->job->living); node != NULL && other == NULL;
         node = list_next(&change->job->living, node)) {
        const struct trigger *living = CONTAINER_OF(node, struct trigger, in_living);
        const struct ended *first = checker_ended(living, 1);

        other = living != run->trigger && first != NULL && first->ended_ms <= run->started_ms ? living : NULL;
    }
    checker_expect(checker, RULE_QUEUE, other == NULL, "%s starts at %s, and %s, tried before, has not ended",
                   checker_trigger_text(run->trigger), checker_time_text(run->started_ms), checker_trigger_text(other));
}

/* ---- the line: retries first, then by due time ---- */

/* Whether this one waited, untouched, while the other was let past: with the same gates before both. */
static bool was_passed(const struct trigger *waiting, const struct run *run, int64_t due_ms, bool is_retry)
{
    const struct trigger_row *row = &waiting->row;

    if (waiting == run->trigger || !waiting->has_row || waiting->run != NULL || waiting->change != NULL ||
        row->state != TRIGGER_PENDING || waiting->drop_number != 0 ||
        !str_equal(row->place.type, run->trigger->job->now->def.type)) {
        return false;
    }
    return row->attempts > 0 ? row->due_ms < run->started_ms
                             : !is_retry && row->due_ms < due_ms && row->due_ms < run->started_ms;
}

static void check_line(struct checker *checker, const struct job_change *change, const struct run *run)
{
    bool is_fire = run->number == 1 && run->trigger->kind == TRIGGER_SCHEDULE;
    const struct def_version *own = checker_version(change->job, run->version);
    const struct trigger *other = NULL;
    int64_t due_ms = run->due_ms;

    if (run->number > 1 || !checker_is_unedited(change) || !str_equal(own->def.type, change->job->now->def.type)) {
        return; /* retries among themselves stand by due time, and edits move everything */
    }
    if (is_fire && change->was_there && change->before.cursor_ms != TIME_NONE) {
        due_ms = fires_due_ms(change->job->now, change->job, change->before.cursor_ms); /* the oldest stands in line */
    }
    for (struct list_node *node = list_first(&change->job->living); node != NULL && other == NULL;
         node = list_next(&change->job->living, node)) {
        const struct trigger *living = CONTAINER_OF(node, struct trigger, in_living);

        other = was_passed(living, run, due_ms, false) ? living : NULL;
    }
    checker_expect(checker, RULE_QUEUE, other == NULL, "%s (due %s) starts at %s, before %s (due %s)",
                   checker_trigger_text(run->trigger), checker_time_text(due_ms), checker_time_text(run->started_ms),
                   checker_trigger_text(other), checker_time_text(other != NULL ? other->row.due_ms : TIME_NONE));
}

void checker_overlap(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        if (!change->job->is_there || ever(change, OVERLAP_ALLOW)) {
            continue;
        }
        for (const struct start *start = change->starts; start != NULL; start = start->next_of_job) {
            check_alone(checker, change, start->run);
            if (start->run->number == 1 && change->job->now->def.overlap == OVERLAP_QUEUE &&
                checker_is_unedited(change)) {
                check_queue(checker, change, start->run);
            }
            check_line(checker, change, start->run);
        }
    }
}
