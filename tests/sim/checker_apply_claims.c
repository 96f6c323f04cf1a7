#include "checker_state.h"

/* ---- claims ---- */

struct run *checker_new_run(struct checker *checker, const struct claim *claim, struct claims_group *group)
{
    struct trigger *trigger = checker_trigger_get(checker, claim->trigger);
    struct run *run = arena_zalloc(&checker->forever, sizeof *run);

    checker_meet_trigger(checker, trigger, claim->job, claim->kind, claim->version, claim->scheduled_ms);
    *run = (struct run){
        .trigger = trigger,
        .group = group,
        .worker = checker_worker_get(checker, claim->worker),
        .number = claim->number,
        .version = claim->version,
        .scheduled_ms = claim->scheduled_ms,
        .started_ms = claim->started_ms,
        .batch = checker->view.number,
        .order = ++checker->last_order,
        .word_true_ms = TIME_NONE,
        .named_true_ms = checker->view.true_ms,
        .unnamed_true_ms = TIME_NONE,
    };
    list_node_init(&run->in_job);
    list_node_init(&run->in_worker);
    return run;
}

void checker_add_start(struct checker *checker, struct run *run)
{
    struct start *start = arena_zalloc(&checker->of_batch, sizeof *start);
    struct job_change *change = checker_touch_job(checker, run->trigger->job);

    struct trigger_change *of_trigger = checker_touch_trigger(checker, run->trigger);

    start->run = run;
    start->next_of_job = change->starts;
    change->starts = start;
    start->next_of_trigger = of_trigger->starts;
    of_trigger->starts = start;
}

void checker_touch_group(struct checker *checker, struct claims_group *group)
{
    if (!group->is_touched) {
        group->is_touched = true;
        group->next_touched = checker->view.groups;
        checker->view.groups = group;
    }
}

/* A claim that lives moves into another row, when its old one named a trigger whose row has gone. */
static bool move_claim(struct checker *checker, const struct claim *claim, struct claims_group *group)
{
    struct run *run = checker_trigger_get(checker, claim->trigger)->run;

    if (run == NULL || run->number != claim->number) {
        return false;
    }
    checker_expect(checker, RULE_CLAIMS, run->started_ms == claim->started_ms && run->group != group,
                   "attempt %u of %s is claimed twice", claim->number, checker_trigger_text(run->trigger));
    run->group->living--;
    checker_touch_group(checker, run->group);
    run->group = group;
    return true;
}

static void insert_claims(struct checker *checker, const struct claims_row *row)
{
    struct claims_group *group = checker_group(checker, row->id);

    if (!checker_expect(checker, RULE_GUARD, group == NULL && row->count > 0, "INSERT of claims %llu, which was there",
                        (unsigned long long)row->id)) {
        return;
    }
    checker_expect(checker, RULE_IDS, row->id > checker->last_claims_id, "claims %llu come after %llu",
                   (unsigned long long)row->id, (unsigned long long)checker->last_claims_id);
    checker->last_claims_id = row->id;
    group = arena_zalloc(&checker->forever, sizeof *group);
    group->id = row->id;
    group->is_there = true;
    group->living = row->count;
    (void)map_insert_number(&checker->groups, &group->by_id, row->id);
    checker_touch_group(checker, group);
    for (size_t i = 0; i < row->count; i++) {
        if (!move_claim(checker, &row->claims[i], group)) {
            checker_add_start(checker, checker_new_run(checker, &row->claims[i], group));
        }
    }
}

static void delete_claims(struct checker *checker, uint64_t id)
{
    struct claims_group *group = checker_group(checker, id);

    if (checker_expect(checker, RULE_GUARD, group != NULL && group->is_there, "DELETE of claims %llu, not there",
                       (unsigned long long)id)) {
        group->is_there = false;
        checker_touch_group(checker, group);
    }
}

void checker_apply_claims(struct checker *checker, const struct op *op)
{
    if (op->kind == OP_CLAIMS_INSERT) {
        insert_claims(checker, &op->claims);
    } else {
        delete_claims(checker, op->id);
    }
}
