#include <stdlib.h>

#include "checker_state.h"

/* ---- which attempts began and ended ---- */

/* Rule 2 of record.h; and what a deleted job had has ended with it. */
static bool is_over(const struct run *run)
{
    const struct trigger *trigger = run->trigger;
    const struct job *job = trigger->job;

    if (!job->is_there || trigger->is_deleted) {
        return true;
    }
    if (trigger->has_row) {
        return trigger_ended(trigger->row.state) || trigger->row.attempts >= run->number;
    }
    return job->now->has_schedule && job->now->schedule.kind == SCHEDULE_ONCE &&
           (job->row.status == JOB_COMPLETED || job->row.status == JOB_CANCELLED);
}

/* Rule 3 of record.h: the attempt that ended a trigger stands in its row alone; while it lives, its row names the
 * latest, which has a row of its own. */
static void take_last(struct checker *checker, const struct trigger_change *change)
{
    struct trigger *trigger = change->trigger;
    const struct attempt_row *last = &trigger->row.last;

    if (!change->is_written || !trigger->has_row || last->number == 0) {
        return;
    }
    const struct ended *ended = checker_ended(trigger, last->number);
    if (trigger_ended(trigger->row.state) && (ended == NULL || !ended->has_row)) {
        checker_take_attempt(checker, trigger, last, false);
        return;
    }
    checker_expect(checker, RULE_ROW,
                   ended != NULL && ended->has_row && ended->state == last->state &&
                       ended->started_ms == last->started_ms && str_equal(ended->worker, last->worker),
                   "the row of %s names attempt %u, which is not there or another", checker_trigger_text(trigger),
                   last->number);
}

static bool has_start(const struct trigger_change *change, uint32_t number)
{
    for (const struct start *start = change->starts; start != NULL; start = start->next_of_trigger) {
        if (start->run->number == number) {
            return true;
        }
    }
    return false;
}

/* Attempts that began and ended in this batch need not have been claims. */
static void find_brief_runs(struct checker *checker, struct trigger_change *change)
{
    struct trigger *trigger = change->trigger;

    for (struct ended *ended = trigger->attempts; ended != NULL && ended->number > change->granted_before;
         ended = ended->older) {
        if (!has_start(change, ended->number)) {
            struct claim claim = {
                .trigger = trigger->id,
                .job = trigger->job->by_id.key.number,
                .number = ended->number,
                .version = trigger->version,
                .kind = trigger->kind,
                .scheduled_ms = trigger->scheduled_ms,
                .started_ms = ended->started_ms,
                .worker = ended->worker,
            };
            checker_add_start(checker, checker_new_run(checker, &claim, NULL));
        }
    }
}

/* What its trigger was when it began. */
static void fill_before(struct run *run, const struct trigger_change *change)
{
    const struct trigger *trigger = run->trigger;
    const struct def_version *def = checker_version(trigger->job, run->version);

    run->failures = UINT32_MAX;
    run->due_ms = TIME_NONE;
    if (trigger->has_row && trigger->row.attempts == run->number - 1) {
        run->failures = trigger->row.failures;
        run->due_ms = trigger->row.due_ms;
    } else if (change->was_row && change->before.attempts == run->number - 1) {
        run->failures = change->before.failures;
        run->due_ms = change->before.due_ms;
    } else if (run->number == 1) {
        run->failures = 0;
    }
    if (run->number == 1 && trigger->kind == TRIGGER_SCHEDULE && def != NULL && def->has_schedule) {
        run->due_ms = fires_due_ms(def, trigger->job, run->scheduled_ms);
    }
}

static void fill_terms(struct checker *checker, struct run *run)
{
    struct checker_policies policies;
    struct terms *terms = &run->terms;

    terms->batch = checker->view.number;
    terms->tenant = run->scopes[RUN_TENANT];
    terms->type = run->scopes[RUN_TYPE];
    checker_policies(checker, run->trigger->job, 0, &policies);
    for (size_t i = 0; i < policies.timeout_count && i < TERMS_MAX; i++) {
        terms->timeouts_ms[terms->timeout_count++] = policies.timeouts_ms[i];
    }
    for (size_t i = 0; i < policies.retry_count && i < TERMS_MAX; i++) {
        terms->max_attempts[terms->attempts_count++] = policies.retries[i].max_attempts;
    }
}

static void fill_run(struct checker *checker, struct run *run, const struct trigger_change *change)
{
    struct job *job = run->trigger->job;
    const struct def_version *own = checker_version(job, run->version);
    const struct def_version *old = job->change->def_before;

    if (!checker_expect(checker, RULE_ROW, own != NULL && job->now != NULL, "%s runs version %u, which there is not",
                        checker_trigger_text(run->trigger), run->version)) {
        return;
    }
    const struct job_def *def = &job->now->def;
    struct str type = own->def.type;
    bool is_typed = !str_is(type, READY_TYPE_NONE);

    fill_before(run, change);
    run->job_version = old != NULL ? old->version : job->now->version;
    run->lease_ms = old != NULL && old->def.lease_ms < def->lease_ms ? old->def.lease_ms : def->lease_ms;
    run->scopes[RUN_TENANT] = checker_scope_get(checker, SCOPE_TENANT, STR(""), def->tenant);
    run->scopes[RUN_POOL] = checker_scope_get(checker, SCOPE_POOL, STR(""), def->pool);
    run->scopes[RUN_TYPE] = checker_scope_get(checker, SCOPE_TYPE, STR(""), type);
    run->scopes[RUN_TENANT_TYPE] = checker_scope_get(checker, SCOPE_TENANT_TYPE, def->tenant, type);
    run->key = str_empty(def->concurrency_key) ? NULL : checker_key_get(checker, def->tenant, def->concurrency_key);
    run->circuit = checker_circuit_get(checker, def->tenant, type, is_typed ? 0 : job->by_id.key.number);
    run->circuit->job = is_typed ? NULL : job;
    run->circuit->type_scope = run->scopes[RUN_TYPE];
    run->circuit->tenant_type_scope = run->scopes[RUN_TENANT_TYPE];
    run->is_moved = old != NULL && old->version != job->now->version;
    fill_terms(checker, run);
}

static void stop_run(struct checker *checker, struct run *run)
{
    struct stop *stop = arena_zalloc(&checker->of_batch, sizeof *stop);
    struct job_change *change = checker_touch_job(checker, run->trigger->job);

    stop->run = run;
    stop->ended = checker_ended(run->trigger, run->number);
    stop->next_of_job = change->stops;
    change->stops = stop;
    if (list_linked(&run->in_job)) {
        list_remove(&run->in_job);
        list_remove(&run->in_worker);
        checker->figures.living_claims--;
    }
    if (heap_linked(&run->by_deadline)) {
        heap_remove(&checker->run_deadlines, &run->by_deadline);
    }
    if (run->group != NULL) {
        run->group->living--;
        checker_touch_group(checker, run->group);
    }
}

/* The claim of a one-time job alone decides its fire: its row need not be written before it ends. We read it as if. */
static void read_fired(struct run *run)
{
    struct job *job = run->trigger->job;

    if (run->trigger->id == job->by_id.key.number && run->number == 1 && !job->change->is_written) {
        job->row.cursor_ms = TIME_NONE;
        job->row.fired = 1;
    }
}

static void settle_run(struct checker *checker, struct run *run)
{
    struct trigger *trigger = run->trigger;

    trigger->granted = run->number > trigger->granted ? run->number : trigger->granted;
    if (is_over(run)) {
        stop_run(checker, run);
        return;
    }
    checker_expect(checker, RULE_NUMBER, trigger->run == NULL, "attempts %u and %u of %s both run", run->number,
                   trigger->run != NULL ? trigger->run->number : 0, checker_trigger_text(trigger));
    trigger->run = run;
    if (!list_linked(&run->in_job)) {
        list_push_back(&trigger->job->runs, &run->in_job);
        list_push_back(&run->worker->runs, &run->in_worker);
        checker->figures.living_claims++;
    }
}

static void settle_trigger(struct checker *checker, struct trigger_change *change)
{
    struct trigger *trigger = change->trigger;

    if (!checker_expect(checker, RULE_ROW, trigger->job != NULL && trigger->job->was_there,
                        "trigger %llu is of a job that there never was", (unsigned long long)trigger->id)) {
        return;
    }
    struct job_change *of_job = checker_touch_job(checker, trigger->job);
    bool has_lived = change->was_row ? !trigger_ended(change->before.state) : change->run_before != NULL;

    take_last(checker, change);
    find_brief_runs(checker, change);
    trigger->run = NULL;
    if (change->run_before != NULL) {
        settle_run(checker, change->run_before);
    }
    for (struct start *start = change->starts; start != NULL; start = start->next_of_trigger) {
        fill_run(checker, start->run, change);
        read_fired(start->run);
        settle_run(checker, start->run);
    }
    bool lives = !trigger->is_deleted && trigger->job->is_there &&
                 (trigger->has_row ? !trigger_ended(trigger->row.state) : trigger->run != NULL);
    if (lives != list_linked(&trigger->in_living)) {
        if (lives) {
            list_push_back(&trigger->job->living, &trigger->in_living);
        } else {
            list_remove(&trigger->in_living);
        }
        checker->figures.living_triggers += lives ? 1 : UINT64_MAX;
    }
    const struct ended *last = trigger->attempts;
    if (last != NULL && last->was_lost && last->batch == checker->view.number && last->ended_ms > of_job->late_ms) {
        of_job->late_ms = last->ended_ms;
    }
    if (has_lived && !lives && trigger->kind == TRIGGER_SCHEDULE) {
        of_job->finished = trigger;
    }
}

/* What ends with its job. */
static void touch_ended_jobs(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        struct job *job = change->job;

        if (job->is_there && job->row.status != JOB_CANCELLED && job->row.status != JOB_COMPLETED) {
            continue;
        }
        for (struct list_node *node = list_first(&job->living); node != NULL; node = list_next(&job->living, node)) {
            (void)checker_touch_trigger(checker, CONTAINER_OF(node, struct trigger, in_living));
        }
    }
}

/* ---- in the order of time ---- */

static int compare_moments(const void *a, const void *b)
{
    const struct moment_of_run *x = a;
    const struct moment_of_run *y = b;

    if (x->at_ms != y->at_ms) {
        return x->at_ms < y->at_ms ? -1 : 1;
    }
    if (x->is_start != y->is_start) {
        return x->is_start ? 1 : -1; /* a slot is free before it is taken */
    }
    if (x->run->is_brief != y->run->is_brief) {
        return x->run->is_brief ? -1 : 1; /* its slot was free again: when in this instant is not known */
    }
    return x->run->order < y->run->order ? -1 : x->run->order > y->run->order;
}

static bool is_brief(const struct run *run, const struct ended *ended, uint64_t number)
{
    return run->batch == number && (ended == NULL || ended->ended_ms <= run->started_ms);
}

static int64_t freed_ms(const struct stop *stop)
{
    if (stop->ended == NULL) {
        return INT64_MIN;
    }
    return stop->ended->was_lost ? stop->ended->lost_ms : stop->ended->ended_ms;
}

/* Those that took no time at all only begin: they hold no slot. */
static void order_moments(struct checker *checker)
{
    struct batch_view *view = &checker->view;
    size_t count = 0;

    for (struct job_change *change = view->jobs; change != NULL; change = change->next) {
        for (struct start *start = change->starts; start != NULL; start = start->next_of_job) {
            count++;
        }
        for (struct stop *stop = change->stops; stop != NULL; stop = stop->next_of_job) {
            count++;
        }
    }
    view->moments = arena_alloc_array(&checker->of_batch, count, sizeof *view->moments);
    for (struct job_change *change = view->jobs; change != NULL; change = change->next) {
        for (struct stop *stop = change->stops; stop != NULL; stop = stop->next_of_job) {
            stop->run->is_brief = is_brief(stop->run, stop->ended, view->number);
            if (!stop->run->is_brief) {
                view->moments[view->moment_count++] =
                    (struct moment_of_run){.at_ms = freed_ms(stop), .run = stop->run, .stop = stop};
            }
        }
        for (struct start *start = change->starts; start != NULL; start = start->next_of_job) {
            view->moments[view->moment_count++] = (struct moment_of_run){
                .at_ms = start->run->started_ms, .is_start = true, .run = start->run, .start = start};
        }
    }
    if (view->moment_count > 1) {
        qsort(view->moments, view->moment_count, sizeof *view->moments, compare_moments);
    }
}

void checker_settle_runs(struct checker *checker)
{
    touch_ended_jobs(checker);
    for (struct trigger_change *change = checker->view.triggers; change != NULL; change = change->next) {
        settle_trigger(checker, change);
    }
    if (!checker_is_failed(checker)) {
        order_moments(checker);
    }
}
