#include "checker_state.h"

static const enum scope run_scopes[RUN_SCOPES] = {
    [RUN_TENANT] = SCOPE_TENANT,
    [RUN_POOL] = SCOPE_POOL,
    [RUN_TYPE] = SCOPE_TYPE,
    [RUN_TENANT_TYPE] = SCOPE_TENANT_TYPE,
};

static bool is_changed(const struct checker *checker, const struct scope_state *scope)
{
    return scope->changed_batch == checker->view.number;
}

/* The name of a gate for messages; NULs of its key become slashes. */
static const char *scope_name(struct checker *checker, const struct scope_state *scope)
{
    char *name = arena_strdup_str(&checker->of_batch, scope->by_name.key.text);

    for (size_t i = 0; i + 1 < scope->by_name.key.text.len; i++) {
        name[i] = name[i] == '\0' ? '/' : name[i];
    }
    return name;
}

/* ---- caps ---- */

/* The highest where it was changed in this batch: any of them may have been in force. */
static int64_t max_in_flight(const struct checker *checker, const struct scope_state *scope)
{
    int64_t max = is_changed(checker, scope) ? scope->most_in_flight : scope->settings.max_in_flight;

    return max == SETTING_NONE ? INT64_MAX : max;
}

static void check_caps(struct checker *checker, const struct run *run)
{
    for (size_t i = 0; i < RUN_SCOPES; i++) {
        const struct scope_state *scope = run->scopes[i];
        int64_t max = max_in_flight(checker, scope);

        if (max != INT64_MAX && !run->is_moved) {
            checker_expect(checker, RULE_CAP, scope->in_flight < max, "%s starts at %s, and %s %s has %lld of %lld",
                           checker_trigger_text(run->trigger), checker_time_text(run->started_ms),
                           scope_text(run_scopes[i]), scope_name(checker, scope), (long long)scope->in_flight,
                           (long long)max);
        }
    }
}

static void check_key(struct checker *checker, const struct run *run)
{
    const struct job *job = run->trigger->job;

    if (run->key != NULL && !run->is_moved) {
        checker_expect(checker, RULE_KEY, run->key->running < job->now->def.concurrency_max,
                       "%s starts at %s, and its key has %lld of %lld running", checker_trigger_text(run->trigger),
                       checker_time_text(run->started_ms), (long long)run->key->running,
                       (long long)job->now->def.concurrency_max);
    }
}

/* ---- rates ---- */

static void check_rate(struct checker *checker, const struct run *run, struct scope_state *scope)
{
    const struct settings *settings = &scope->settings;
    int64_t slack_ms = checker_slack_ms(checker);
    int64_t burst = settings->burst == SETTING_NONE ? 1 : settings->burst;

    if (scope->claimed_batch != checker->view.number) {
        scope->claimed_batch = checker->view.number;
        scope->batch_claims = 0;
        scope->next_claimed = checker->view.claimed;
        checker->view.claimed = scope;
    }
    scope->batch_claims++;
    scope->last_claim_ms = run->started_ms;
    if (settings->rate_count == SETTING_NONE || is_changed(checker, scope) || slack_ms == CHECKER_SKEW_ANY) {
        scope->has_tat = false;
        return;
    }
    scope->has_tat = scope->has_tat && scope->tat_batch > scope->changed_batch; /* new numbers, new count */
    scope->tat_batch = checker->view.number;
    int64_t now = run->started_ms * settings->rate_count;
    if (scope->has_tat) {
        int64_t from = scope->tat - (burst - 1) * settings->rate_period_ms;

        checker_expect(checker, RULE_RATE, now + (1 + slack_ms) * settings->rate_count >= from,
                       "%s starts at %s, and %s allows %lld in %lld ms and %lld at once",
                       checker_trigger_text(run->trigger), checker_time_text(run->started_ms),
                       scope_name(checker, scope), (long long)settings->rate_count, (long long)settings->rate_period_ms,
                       (long long)burst);
    }
    scope->tat = (scope->has_tat && scope->tat > now ? scope->tat : now) + settings->rate_period_ms;
    scope->has_tat = true;
}

/* What a new owner will go on from: not less, so that a restart gives nothing away; not much more, so that it starves
 * nobody. */
static void check_limiter(struct checker *checker, const struct scope_state *scope)
{
    const struct settings *settings = &scope->settings;
    int64_t slack_ms = checker_slack_ms(checker);

    if (settings->rate_count == SETTING_NONE || is_changed(checker, scope) || slack_ms == CHECKER_SKEW_ANY) {
        return;
    }
    checker_expect(checker, RULE_RATE, scope->stored_batch == checker->view.number,
                   "%s has a rate, and its instant is not stored with its %lld claims", scope_name(checker, scope),
                   (long long)scope->batch_claims);
    checker_expect(checker, RULE_RATE,
                   !scope->has_tat || (scope->stored_ms + 1 + slack_ms) * settings->rate_count >= scope->tat,
                   "%s stores %s as its instant, which is too early", scope_name(checker, scope),
                   checker_time_text(scope->stored_ms));
    int64_t from_ms = scope->had_stored && scope->stored_before_ms > scope->last_claim_ms ? scope->stored_before_ms
                                                                                          : scope->last_claim_ms;
    int64_t most_ms = from_ms + scope->batch_claims * (settings->rate_period_ms / settings->rate_count + 1) + 1;
    bool is_ramping = settings->ramp_ms != SETTING_NONE;

    checker_expect(checker, RULE_RATE, is_ramping || scope->stored_ms <= most_ms + slack_ms,
                   "%s stores %s as its instant, which is too late", scope_name(checker, scope),
                   checker_time_text(scope->stored_ms));
}

/* ---- pauses and ends ---- */

static void check_pause(struct checker *checker, const struct run *run)
{
    const struct job *job = run->trigger->job;
    const struct job_change *change = job->change;
    bool is_asked = checker_is_asked_job(checker, job, COMMAND_STATUS);

    for (size_t i = 0; i < RUN_SCOPES; i++) {
        const struct scope_state *scope = run->scopes[i];

        checker_expect(checker, RULE_PAUSE, !scope->settings.is_paused || is_changed(checker, scope) || run->is_moved,
                       "%s starts at %s, and %s %s is paused", checker_trigger_text(run->trigger),
                       checker_time_text(run->started_ms), scope_text(run_scopes[i]), scope_name(checker, scope));
    }
    if (change->was_there && change->before.status != JOB_ACTIVE && change->before.status == job->row.status) {
        bool is_run_after = job->row.status == JOB_COMPLETED && run->trigger->kind != TRIGGER_SCHEDULE;

        checker_expect(checker, RULE_PAUSE, is_run_after || is_asked || run->is_moved,
                       "%s starts at %s, and its job is %s", checker_trigger_text(run->trigger),
                       checker_time_text(run->started_ms), job_status_text(job->row.status));
    }
}

static void check_drain(struct checker *checker, const struct run *run)
{
    if (checker->is_draining) {
        checker_expect(checker, RULE_DRAIN, checker->view.number <= checker->drain_batch,
                       "%s starts at %s, and the owner drains", checker_trigger_text(run->trigger),
                       checker_time_text(run->started_ms));
    }
}

/* A claim is for a worker that waits, and no more than it wanted. */
static void check_wanted(struct checker *checker, const struct run *run)
{
    struct worker *worker = run->worker;

    if (worker->claimed_batch != checker->view.number) {
        worker->claimed_batch = checker->view.number;
        worker->claimed = 0;
    }
    worker->claimed++;
    checker_expect(checker, RULE_GRANT, worker->epoch == checker->epoch && worker->claimed <= worker->wanted,
                   "%s is claimed by %.*s, its %lluth of this batch, and it wanted %llu",
                   checker_trigger_text(run->trigger), STR_ARGS(worker->name), (unsigned long long)worker->claimed,
                   (unsigned long long)(worker->epoch == checker->epoch ? worker->wanted : 0));
}

/* ---- all, in the order of time ---- */

static void count(const struct run *run, int64_t by)
{
    for (size_t i = 0; i < RUN_SCOPES; i++) {
        run->scopes[i]->in_flight += by;
    }
    if (run->key != NULL) {
        run->key->running += by;
    }
}

static void check_start(struct checker *checker, struct run *run)
{
    check_caps(checker, run);
    check_key(checker, run);
    check_pause(checker, run);
    check_drain(checker, run);
    check_wanted(checker, run);
    for (size_t i = 0; i < RUN_SCOPES; i++) {
        check_rate(checker, run, run->scopes[i]);
    }
    if (!run->is_brief) {
        count(run, 1);
    }
}

/* What runs on while its job moves to another pool or key counts nowhere any more: contracts and restarts may count it
 * in either. */
static void uncount_moved(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        if (change->def_before == NULL || change->def_before == change->job->now) {
            continue;
        }
        for (struct list_node *node = list_first(&change->job->runs); node != NULL;
             node = list_next(&change->job->runs, node)) {
            struct run *run = CONTAINER_OF(node, struct run, in_job);

            if (!run->is_uncounted) {
                run->is_uncounted = true;
                run->is_moved = true;
                count(run, -1);
            }
        }
    }
}

void checker_gates(struct checker *checker)
{
    const struct batch_view *view = &checker->view;

    for (size_t i = 0; i < view->moment_count && !checker_is_failed(checker); i++) {
        struct run *run = view->moments[i].run;

        if (view->moments[i].is_start) {
            check_start(checker, run);
        } else if (!run->is_uncounted) {
            count(run, -1);
        }
    }
    for (struct scope_state *scope = view->claimed; scope != NULL; scope = scope->next_claimed) {
        check_limiter(checker, scope);
    }
    uncount_moved(checker);
}
