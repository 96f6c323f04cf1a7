#include "base/id.h"
#include "checker_state.h"

/* ---- jobs ---- */

static bool may_become_at_last(enum job_status from, enum job_status to)
{
    static const enum job_status all[] = {JOB_ACTIVE, JOB_PAUSED, JOB_CANCELLED, JOB_COMPLETED};

    if (from == to || job_may_become(from, to)) {
        return true;
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) { /* two steps in one batch */
        if (job_may_become(from, all[i]) && job_may_become(all[i], to)) {
            return true;
        }
    }
    return false;
}

static void check_versions(struct checker *checker, const struct job_change *change)
{
    const struct job *job = change->job;
    uint32_t first = change->def_before != NULL ? change->def_before->version : 1;

    checker_expect(checker, RULE_ROW,
                   job->now != NULL && job->now->version == job->row.version &&
                       str_equal(job->now->text, job->row.def) && job->now->anchor_ms == job->row.anchor_ms,
                   "%s has version %u, and its definition or anchor is another's", checker_job_text(job),
                   job->row.version);
    checker_expect(checker, RULE_ROW, job->row.version >= first, "%s goes back to version %u", checker_job_text(job),
                   job->row.version);
    for (uint32_t version = first; version < job->row.version && !checker_is_failed(checker); version++) {
        const struct def_version *old = checker_version(job, version);

        checker_expect(checker, RULE_ROW, old != NULL && old->has_row, "version %u of %s is not kept", version,
                       checker_job_text(job));
    }
}

static void check_job(struct checker *checker, const struct job_change *change)
{
    const struct job *job = change->job;
    const struct job_row *row = &job->row;

    check_versions(checker, change);
    if (checker_is_failed(checker)) {
        return;
    }
    const struct job_def *def = &job->now->def;
    checker_expect(checker, RULE_ROW,
                   str_equal(row->place.pool, def->pool) && str_equal(row->place.tenant, def->tenant) &&
                       str_equal(row->place.type, def->type) && row->place.priority == def->priority &&
                       str_equal(row->name, def->name),
                   "%s stands where its definition does not say", checker_job_text(job));
    checker_expect(checker, RULE_ROW, checker_not_before(checker, row->updated_ms, row->created_ms) && row->fired >= 0,
                   "%s was created at %s, updated at %s, fired %lld times", checker_job_text(job),
                   checker_time_text(row->created_ms), checker_time_text(row->updated_ms), (long long)row->fired);
    if (change->is_inserted) {
        const struct def_version *first = checker_version(job, 1);

        checker_expect(checker, RULE_ROW, first != NULL && first->anchor_ms == row->created_ms,
                       "%s was created at %s and counts from another time", checker_job_text(job),
                       checker_time_text(row->created_ms));
        return;
    }
    checker_expect(checker, RULE_STATE, may_become_at_last(change->before.status, row->status), "%s was %s and is %s",
                   checker_job_text(job), job_status_text(change->before.status), job_status_text(row->status));
}

/* ---- edges are what definitions say ---- */

static void check_edges(struct checker *checker, const struct job *job)
{
    const struct job_def *def = &job->now->def;
    size_t count = 0;

    for (struct list_node *node = list_first(&job->upstreams); node != NULL; node = list_next(&job->upstreams, node)) {
        const struct edge *edge = CONTAINER_OF(node, struct edge, in_up);
        bool is_named = false;

        for (size_t i = 0; i < def->depends_on_count && !is_named; i++) {
            is_named = def->depends_on[i].on == edge->on &&
                       checker_resolve(checker, job, def->depends_on[i].job) == edge->upstream;
        }
        checker_expect(checker, RULE_EDGE, is_named, "%s does not depend on %s, and there is an edge",
                       checker_job_text(job), checker_job_text(edge->upstream));
        checker_expect(checker, RULE_EDGE, !checker_reaches(checker, job, edge->upstream),
                       "%s depends on itself, through %s", checker_job_text(job), checker_job_text(edge->upstream));
        count++;
    }
    bool is_ended = job->row.status == JOB_COMPLETED || job->row.status == JOB_CANCELLED;
    checker_expect(checker, RULE_EDGE, count == def->depends_on_count || (is_ended && count == 0),
                   "%s depends on %zu jobs and has %zu edges", checker_job_text(job), def->depends_on_count, count);
}

/* ---- triggers ---- */

static void check_trigger_place(struct checker *checker, const struct trigger *trigger)
{
    const struct job *job = trigger->job;
    const struct def_version *own = checker_version(job, trigger->version);
    const struct def_version *old =
        job->change != NULL && job->change->def_before != NULL ? job->change->def_before : job->now;
    const struct place *place = &trigger->row.place;
    bool is_now = str_equal(place->pool, job->now->def.pool) && place->priority == job->now->def.priority;
    bool is_old = str_equal(place->pool, old->def.pool) && place->priority == old->def.priority;

    if (checker_expect(checker, RULE_ROW, own != NULL, "%s is of version %u, which there is not",
                       checker_trigger_text(trigger), trigger->version)) {
        checker_expect(checker, RULE_ROW,
                       str_equal(place->type, own->def.type) && str_equal(place->tenant, own->def.tenant) &&
                           trigger->row.target == own->def.target_kind && (is_now || is_old),
                       "%s stands where its job does not say", checker_trigger_text(trigger));
    }
}

static void check_trigger_state(struct checker *checker, const struct trigger_change *change)
{
    const struct trigger *trigger = change->trigger;
    const struct trigger_row *row = &trigger->row;

    checker_expect(checker, RULE_STATE, row->state != TRIGGER_RUNNING, "the row of %s says running",
                   checker_trigger_text(trigger));
    if (change->was_row) {
        enum trigger_state before = change->before.state;

        checker_expect(checker, RULE_STATE, !trigger_ended(before), "%s had ended as %s and becomes %s",
                       checker_trigger_text(trigger), trigger_state_text(before), trigger_state_text(row->state));
        checker_expect(checker, RULE_STATE, row->state != TRIGGER_WAITING || before == TRIGGER_WAITING,
                       "%s was %s and waits again", checker_trigger_text(trigger), trigger_state_text(before));
    }
    checker_expect(checker, RULE_STATE, row->state != TRIGGER_WAITING || trigger->kind == TRIGGER_DEPENDENCY,
                   "%s waits for upstreams", checker_trigger_text(trigger));
    checker_expect(checker, RULE_ROW, trigger_ended(row->state) == (row->ended_ms != TIME_NONE), "%s is %s, ended %s",
                   checker_trigger_text(trigger), trigger_state_text(row->state), checker_time_text(row->ended_ms));
}

static void check_trigger(struct checker *checker, const struct trigger_change *change)
{
    const struct trigger *trigger = change->trigger;
    const struct trigger_row *row = &trigger->row;
    const struct def_version *own = checker_version(trigger->job, trigger->version);
    bool is_once = own != NULL && own->has_schedule && own->schedule.kind == SCHEDULE_ONCE;
    bool is_jobs = trigger->id == trigger->job->by_id.key.number;

    check_trigger_state(checker, change);
    check_trigger_place(checker, trigger);
    checker_expect(checker, RULE_ROW,
                   row->last.number == row->attempts || (row->last.number == 0 && row->state == TRIGGER_CANCELLED),
                   "%s is %s after %u attempts, and attempt %u stands in its row", checker_trigger_text(trigger),
                   trigger_state_text(row->state), row->attempts, row->last.number);
    checker_expect(checker, RULE_ROW,
                   (row->replay_of != 0) == (trigger->kind == TRIGGER_REPLAY || row->root != 0) &&
                       (row->root == 0 || trigger->kind == TRIGGER_DEPENDENCY),
                   "%s replays %llu and has root %llu", checker_trigger_text(trigger),
                   (unsigned long long)row->replay_of, (unsigned long long)row->root);
    checker_expect(checker, RULE_IDS, is_jobs == (is_once && trigger->kind == TRIGGER_SCHEDULE),
                   "%s and its job share an id, or do not", checker_trigger_text(trigger));
    checker_expect(checker, RULE_ROW,
                   trigger->kind != TRIGGER_SCHEDULE || row->attempts > 0 || row->state == TRIGGER_CANCELLED ||
                       trigger->version < trigger->job->row.version, /* the job's type may have changed */
                   "%s has a row before its first attempt has ended", checker_trigger_text(trigger));
}

/* ---- the rest ---- */

static void check_ids(struct checker *checker)
{
    struct batch_view *view = &checker->view;
    uint64_t high = view->job_high > view->trigger_high ? view->job_high : view->trigger_high;

    if (view->job_low != 0) {
        checker_expect(checker, RULE_IDS, view->job_low > checker->last_job_id, "job id %llu comes after %llu",
                       (unsigned long long)view->job_low, (unsigned long long)checker->last_job_id);
        checker->last_job_id = view->job_high;
    }
    if (view->trigger_low != 0) {
        checker_expect(checker, RULE_IDS, view->trigger_low > checker->last_trigger_id,
                       "trigger id %llu comes after %llu", (unsigned long long)view->trigger_low,
                       (unsigned long long)checker->last_trigger_id);
        checker->last_trigger_id = view->trigger_high;
    }
    if (high != 0) {
        checker_expect(checker, RULE_IDS, id_time_ms(high) < checker->id_high_ms, "id %llu lies behind %s",
                       (unsigned long long)high, checker_time_text(checker->id_high_ms));
    }
}

static void check_tenants(struct checker *checker)
{
    for (struct tenant_state *tenant = checker->view.tenants; tenant != NULL; tenant = tenant->next_touched) {
        int64_t max = tenant->scope->settings.max_jobs;
        bool is_changed = tenant->scope->changed_batch == checker->view.number;

        checker_expect(checker, RULE_TENANT_COUNT, tenant->stored == tenant->jobs,
                       "tenant %.*s has %lld jobs, and its counter says %lld", STR_ARGS(tenant->by_name.key.text),
                       (long long)tenant->jobs, (long long)tenant->stored);
        if (max != SETTING_NONE && !is_changed && tenant->inserted > 0 && tenant->deleted == 0) {
            checker_expect(checker, RULE_CREATE, tenant->jobs <= max, "tenant %.*s has %lld jobs of %lld allowed",
                           STR_ARGS(tenant->by_name.key.text), (long long)tenant->jobs, (long long)max);
        }
    }
}

static void check_clock(struct checker *checker)
{
    const struct batch_view *view = &checker->view;
    int64_t latest_ms = checker->last_start_ms;
    int64_t skew_ms = checker->config.skew_ms;

    for (size_t i = 0; i < view->moment_count; i++) {
        const struct moment_of_run *moment = &view->moments[i];

        if (!moment->is_start) {
            continue;
        }
        checker_expect(checker, RULE_CLOCK, moment->at_ms >= checker->last_start_ms,
                       "%s starts at %s, and another started at %s before", checker_trigger_text(moment->run->trigger),
                       checker_time_text(moment->at_ms), checker_time_text(checker->last_start_ms));
        checker_expect(checker, RULE_CLOCK, skew_ms == CHECKER_SKEW_ANY || moment->at_ms <= view->true_ms + skew_ms,
                       "%s starts at %s, which is in the future", checker_trigger_text(moment->run->trigger),
                       checker_time_text(moment->at_ms));
        latest_ms = moment->at_ms > latest_ms ? moment->at_ms : latest_ms;
    }
    checker->last_start_ms = latest_ms;
}

static void check_groups(struct checker *checker)
{
    for (struct claims_group *group = checker->view.groups; group != NULL; group = group->next_touched) {
        checker_expect(checker, RULE_CLAIMS, group->is_there == (group->living > 0),
                       "%zu of claims %llu live, and it is %s", group->living, (unsigned long long)group->id,
                       group->is_there ? "there" : "gone");
    }
}

void checker_rows(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        if (change->is_written && change->job->is_there && !checker_is_failed(checker)) {
            check_job(checker, change);
        }
        if (change->job->is_there && (change->is_edges_changed || change->is_inserted) && !checker_is_failed(checker)) {
            check_edges(checker, change->job);
        }
    }
    for (struct trigger_change *change = checker->view.triggers; change != NULL; change = change->next) {
        if (change->is_written && change->trigger->has_row && change->trigger->job->now != NULL) {
            check_trigger(checker, change);
        }
    }
    check_ids(checker);
    check_tenants(checker);
    check_clock(checker);
    check_groups(checker);
}
