#include "checker_state.h"

bool checker_run_before(const struct heap_node *a, const struct heap_node *b)
{
    return CONTAINER_OF_CONST(a, struct run, by_deadline)->deadline_ms <
           CONTAINER_OF_CONST(b, struct run, by_deadline)->deadline_ms;
}

bool checker_job_before(const struct heap_node *a, const struct heap_node *b)
{
    return CONTAINER_OF_CONST(a, struct job, by_deadline)->deadline_ms <
           CONTAINER_OF_CONST(b, struct job, by_deadline)->deadline_ms;
}

/* ---- when time alone decides ---- */

static int64_t longest_timeout_ms(struct checker *checker, const struct run *run)
{
    struct checker_policies policies;
    int64_t most_ms = 0;

    checker_policies(checker, run->trigger->job, run->job_version, &policies);
    for (size_t i = 0; i < policies.timeout_count; i++) {
        most_ms = policies.timeouts_ms[i] > most_ms ? policies.timeouts_ms[i] : most_ms;
    }
    for (size_t i = 0; i < run->terms.timeout_count; i++) {
        most_ms = run->terms.timeouts_ms[i] > most_ms ? run->terms.timeouts_ms[i] : most_ms;
    }
    return most_ms;
}

static int64_t longest_lease_ms(const struct run *run)
{
    int64_t most_ms = 0;

    for (const struct def_version *def = run->trigger->job->now; def != NULL; def = def->older) {
        most_ms = def->def.lease_ms > most_ms ? def->def.lease_ms : most_ms;
        if (def->version <= run->job_version) {
            break;
        }
    }
    return most_ms + most_ms / 1000 + 2; /* clocks drift */
}

/* It times out, or is lost when its worker has not named it for a lease. */
static int64_t run_deadline_ms(struct checker *checker, const struct run *run)
{
    int64_t timeout_ms = run->started_ms + longest_timeout_ms(checker, run);
    int64_t named_ms = run->batch <= checker->restart_batch && checker->restart_true_ms > run->named_true_ms
                           ? checker->restart_true_ms
                           : run->named_true_ms;
    int64_t lease_ms = named_ms + longest_lease_ms(run);

    return timeout_ms < lease_ms ? timeout_ms : lease_ms;
}

/* The first instant at which a fire is skipped by overlap, or something expires. */
static int64_t job_deadline_ms(const struct job *job)
{
    const struct job_def *def = &job->now->def;
    int64_t cursor_ms = job->row.cursor_ms;
    int64_t deadline_ms = INT64_MAX;

    if (!job->is_there || job->row.status != JOB_ACTIVE) {
        return INT64_MAX;
    }
    if (cursor_ms != TIME_NONE && job->now->has_schedule) {
        int64_t due_ms = fires_due_ms(job->now, job, cursor_ms);

        /* What is being backfilled waits for its turn, also where an edit has taken the policy away since. */
        bool is_backfilled = def->misfire == MISFIRE_BACKFILL || cursor_ms <= job->row.missed_to_ms;

        if (def->overlap == OVERLAP_SKIP && !is_backfilled && !list_empty(&job->runs)) {
            deadline_ms = due_ms;
        } else if (def->expires_after_ms > 0) {
            deadline_ms = due_ms + def->expires_after_ms;
        }
    }
    for (struct list_node *node = list_first(&job->living); node != NULL && def->expires_after_ms > 0;
         node = list_next(&job->living, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, in_living);
        int64_t end_ms = trigger->row.due_ms + def->expires_after_ms;
        bool waits = trigger->has_row && trigger->row.state == TRIGGER_PENDING && trigger->granted == 0;

        deadline_ms = waits && end_ms < deadline_ms ? end_ms : deadline_ms;
    }
    return deadline_ms;
}

void checker_watch(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        struct job *job = change->job;
        int64_t deadline_ms = job->now != NULL ? job_deadline_ms(job) : INT64_MAX;

        if (heap_linked(&job->by_deadline)) {
            heap_remove(&checker->job_deadlines, &job->by_deadline);
        }
        job->deadline_ms = deadline_ms;
        if (deadline_ms != INT64_MAX) {
            heap_push(&checker->job_deadlines, &job->by_deadline);
        }
        for (struct start *start = change->starts; start != NULL; start = start->next_of_job) {
            struct run *run = start->run;

            if (list_linked(&run->in_job)) {
                run->deadline_ms = run_deadline_ms(checker, run);
                heap_push(&checker->run_deadlines, &run->by_deadline);
            }
        }
    }
}

/* ---- time goes on ---- */

static void look_at_runs(struct checker *checker, int64_t before_ms)
{
    struct heap_node *node;

    while ((node = heap_first(&checker->run_deadlines)) != NULL) {
        struct run *run = CONTAINER_OF(node, struct run, by_deadline);

        if (run->deadline_ms >= before_ms) {
            return;
        }
        int64_t deadline_ms = run_deadline_ms(checker, run);
        if (!checker_expect(checker, RULE_LATE, deadline_ms > run->deadline_ms,
                            "attempt %u of %s started at %s, was to time out or be lost at %s, and runs", run->number,
                            checker_trigger_text(run->trigger), checker_time_text(run->started_ms),
                            checker_time_text(deadline_ms))) {
            return;
        }
        run->deadline_ms = deadline_ms; /* it was renewed or edited */
        heap_update(&checker->run_deadlines, node);
    }
}

static void look_at_jobs(struct checker *checker, int64_t before_ms)
{
    struct heap_node *node = heap_first(&checker->job_deadlines);

    if (node != NULL) {
        const struct job *job = CONTAINER_OF(node, struct job, by_deadline);

        checker_expect(checker, RULE_LATE, job->deadline_ms >= before_ms,
                       "%s (cursor at %s) was to be decided by time at %s, and is not", checker_job_text(job),
                       checker_time_text(job->row.cursor_ms), checker_time_text(job->deadline_ms));
    }
}

void checker_now(struct checker *checker, int64_t true_ms, bool is_well, int64_t slack_ms)
{
    int64_t skew_ms = checker_slack_ms(checker);

    if (!checker_begin(checker, true_ms)) {
        return;
    }
    if (!is_well) {
        checker->well_since_true_ms = TIME_NONE;
        return;
    }
    if (checker->well_since_true_ms == TIME_NONE) {
        checker->well_since_true_ms = true_ms;
    }
    if (skew_ms != CHECKER_SKEW_ANY && true_ms - checker->well_since_true_ms > slack_ms) {
        look_at_runs(checker, true_ms - slack_ms - skew_ms);
        look_at_jobs(checker, true_ms - slack_ms - skew_ms);
    }
    arena_reset(&checker->of_batch);
}

/* ---- the end ---- */

/* Fires that wait for a run to end, or under queue for a retry whose time has not come. */
static bool is_held_back(const struct job *job)
{
    enum job_overlap overlap = job->now->def.overlap;

    for (struct list_node *node = list_first(&job->living); node != NULL && overlap == OVERLAP_QUEUE;
         node = list_next(&job->living, node)) {
        if (CONTAINER_OF(node, struct trigger, in_living)->granted > 0) {
            return true;
        }
    }
    return overlap != OVERLAP_ALLOW && !list_empty(&job->runs);
}

static void end_trigger(struct checker *checker, const struct trigger *trigger, int64_t end_ms)
{
    const struct trigger_row *row = &trigger->row;

    checker_expect(checker, RULE_LIVENESS, trigger->run == NULL || trigger->run->started_ms > end_ms,
                   "at the end attempt %u of %s runs, since %s", trigger->run != NULL ? trigger->run->number : 0,
                   checker_trigger_text(trigger),
                   checker_time_text(trigger->run != NULL ? trigger->run->started_ms : TIME_NONE));
    if (!trigger->has_row || trigger->run != NULL || checker_is_failed(checker)) {
        return;
    }
    bool is_behind = row->attempts == 0 && is_held_back(trigger->job);

    checker_expect(checker, RULE_LIVENESS, row->state != TRIGGER_PENDING || row->due_ms > end_ms || is_behind,
                   "at the end %s is pending, due at %s", checker_trigger_text(trigger),
                   checker_time_text(row->due_ms));
    if (row->state == TRIGGER_WAITING) {
        enum dep_state state = checker_dep_state(checker, trigger);

        checker_expect(checker, RULE_LIVENESS, state != DEP_MET && state != DEP_IMPOSSIBLE,
                       "at the end %s waits, and every upstream has ended", checker_trigger_text(trigger));
    }
}

static void end_job(struct checker *checker, const struct job *job, int64_t end_ms)
{
    if (!job->is_there || job->row.status == JOB_PAUSED) {
        return;
    }
    if (job->row.status == JOB_ACTIVE && job->row.cursor_ms != TIME_NONE && !is_held_back(job)) {
        int64_t due_ms = fires_due_ms(job->now, job, job->row.cursor_ms);

        checker_expect(checker, RULE_LIVENESS, due_ms > end_ms, "at the end %s has its cursor at %s, due at %s",
                       checker_job_text(job), checker_time_text(job->row.cursor_ms), checker_time_text(due_ms));
    }
    for (struct list_node *node = list_first(&job->living); node != NULL && !checker_is_failed(checker);
         node = list_next(&job->living, node)) {
        end_trigger(checker, CONTAINER_OF(node, struct trigger, in_living), end_ms);
    }
}

void checker_end(struct checker *checker, int64_t true_ms, int64_t end_ms)
{
    if (!checker_begin(checker, true_ms)) {
        return;
    }
    for (struct map_node *node = map_first(&checker->jobs); node != NULL && !checker_is_failed(checker);
         node = map_next(&checker->jobs, node)) {
        end_job(checker, CONTAINER_OF(node, struct job, by_id), end_ms);
    }
    arena_reset(&checker->of_batch);
}
