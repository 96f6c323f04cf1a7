#include "checker_state.h"

/* ---- new ones ---- */

static void check_manual(struct checker *checker, struct trigger *trigger)
{
    struct ask_list list = checker_asks_job(checker, trigger->job, COMMAND_RUN);
    struct ask_part *found = NULL;
    bool has_others = false;

    for (size_t i = 0; i < list.count; i++) {
        if (!list.parts[i]->is_used && str_equal(list.parts[i]->ask->command.text, trigger->row.payload)) {
            has_others = has_others || found != NULL;
            found = found != NULL ? found : list.parts[i];
        }
    }
    if (checker_expect(checker, RULE_CHANGE, found != NULL, "%s is there, and nobody asked for a run",
                       checker_trigger_text(trigger))) {
        found->is_used = true;
        trigger->made_by = found;
        checker_use(checker, found->ask, has_others);
    }
}

static bool is_fire_of(const struct job *job, int64_t fire_ms)
{
    for (const struct def_version *def = job->now; def != NULL; def = def->older) {
        if (def->has_schedule && fires_is(def, fire_ms)) {
            return true;
        }
    }
    return false;
}

static void check_backfill(struct checker *checker, const struct trigger *trigger)
{
    struct ask_list list = checker_asks_job(checker, trigger->job, COMMAND_BACKFILL);
    const struct trigger *other = NULL;
    bool is_asked = false;

    for (size_t i = 0; i < list.count; i++) {
        const struct command *command = &list.parts[i]->ask->command;

        if (trigger->scheduled_ms >= command->from_ms && trigger->scheduled_ms < command->to_ms) {
            is_asked = true;
            checker_use(checker, list.parts[i]->ask, list.count > 1);
        }
    }
    checker_expect(checker, RULE_CHANGE, is_asked && is_fire_of(trigger->job, trigger->scheduled_ms),
                   "%s is there, and nobody asked for that time, or it is none", checker_trigger_text(trigger));
    for (struct list_node *node = list_first(&trigger->job->living); node != NULL && other == NULL;
         node = list_next(&trigger->job->living, node)) {
        const struct trigger *living = CONTAINER_OF(node, struct trigger, in_living);

        other = living != trigger && living->scheduled_ms == trigger->scheduled_ms && living->change == NULL ? living
                                                                                                             : NULL;
    }
    checker_expect(checker, RULE_CHANGE, other == NULL, "%s is there, and %s lives", checker_trigger_text(trigger),
                   checker_trigger_text(other));
}

/* Replayed by itself: the policy of the job or its type says so. */
static bool is_replayed_by_policy(struct checker *checker, const struct trigger *trigger, const struct trigger *dead)
{
    const struct def_version *def = trigger->job->now;
    const struct dead_policy *policies[] = {
        &def->def.dead_policy,
        &checker_scope_get(checker, SCOPE_TYPE, STR(""), dead->row.place.type)->settings.dead_policy,
        &checker_scope_get(checker, SCOPE_TENANT_TYPE, dead->row.place.tenant, dead->row.place.type)
             ->settings.dead_policy,
        def->older != NULL ? &def->older->def.dead_policy : &def->def.dead_policy,
    };

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        if (policies[i]->is_set && trigger->row.replays == dead->row.replays + 1 &&
            trigger->row.replays <= (uint32_t)policies[i]->max_replays &&
            trigger->row.due_ms >= dead->row.ended_ms + policies[i]->replay_after_ms &&
            !str_is(dead->row.reason, "permanent")) {
            return true;
        }
    }
    return false;
}

static void check_replay(struct checker *checker, const struct trigger *trigger)
{
    const struct trigger *dead = checker_trigger(checker, trigger->row.replay_of);
    struct ask_list replays = checker_asks_trigger(checker, trigger->row.replay_of, COMMAND_REPLAY);
    struct ask_list retries = checker_asks_trigger(checker, trigger->row.replay_of, COMMAND_RETRY);

    if (!checker_expect(checker, RULE_CHANGE,
                        dead != NULL && dead->row.state == TRIGGER_DEAD && dead->job == trigger->job &&
                            dead->scheduled_ms == trigger->scheduled_ms,
                        "%s replays %s, which is not dead, or not the same", checker_trigger_text(trigger),
                        checker_trigger_text(dead))) {
        return;
    }
    if (is_replayed_by_policy(checker, trigger, dead)) {
        return;
    }
    checker_expect(checker, RULE_CHANGE, replays.count + retries.count > 0,
                   "%s is there, and neither somebody nor a policy asked for it", checker_trigger_text(trigger));
    for (size_t i = 0; i < replays.count; i++) {
        checker_use(checker, replays.parts[i]->ask, replays.count + retries.count > 1);
    }
    for (size_t i = 0; i < retries.count; i++) {
        checker_use(checker, retries.parts[i]->ask, true);
    }
}

static void check_new(struct checker *checker, struct trigger *trigger)
{
    switch (trigger->kind) {
    case TRIGGER_SCHEDULE:
        checker_expect(checker, RULE_TWICE, trigger->granted > 0, "%s is there, and no attempt of it ever started",
                       checker_trigger_text(trigger));
        break;
    case TRIGGER_MANUAL:
        check_manual(checker, trigger);
        break;
    case TRIGGER_BACKFILL:
        check_backfill(checker, trigger);
        break;
    case TRIGGER_REPLAY:
        check_replay(checker, trigger);
        break;
    case TRIGGER_DEPENDENCY: /* checker_deps.c */
        break;
    }
}

/* ---- the end of one ---- */

static bool is_expired(const struct trigger *trigger)
{
    const struct trigger_row *row = &trigger->row;

    for (const struct def_version *def = trigger->job->now; def != NULL; def = def->older) {
        if (def->def.expires_after_ms > 0 && row->ended_ms >= row->due_ms + def->def.expires_after_ms) {
            return row->attempts == 0;
        }
    }
    return false;
}

/* A replay that was to come by itself: a person's took its place, or its dead letter was discarded. */
static bool is_given_up_replay(const struct trigger *trigger)
{
    return trigger->kind == TRIGGER_REPLAY && trigger->row.replays > 0 && trigger->row.attempts == 0 &&
           (str_is(trigger->row.reason, "replayed") || str_is(trigger->row.reason, "discarded"));
}

static void check_cancelled(struct checker *checker, const struct trigger *trigger)
{
    struct ask_list list = checker_asks_trigger(checker, trigger->id, COMMAND_CANCEL);
    bool is_said_expired = str_is(trigger->row.reason, "expired");

    if (is_said_expired) {
        checker_expect(checker, RULE_CHANGE, is_expired(trigger), "%s (due %s) is cancelled as expired at %s",
                       checker_trigger_text(trigger), checker_time_text(trigger->row.due_ms),
                       checker_time_text(trigger->row.ended_ms));
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        checker_use(checker, list.parts[i]->ask, list.count > 1);
    }
    checker_expect(checker, RULE_CHANGE,
                   list.count > 0 || trigger->job->row.status == JOB_CANCELLED || trigger->kind == TRIGGER_DEPENDENCY ||
                       is_given_up_replay(trigger),
                   "%s is cancelled (%.*s), and nobody asked for it", checker_trigger_text(trigger),
                   STR_ARGS(trigger->row.reason));
}

static void check_deleted(struct checker *checker, const struct trigger_change *change)
{
    const struct trigger *trigger = change->trigger;
    struct ask_list list = checker_asks_trigger(checker, trigger->id, COMMAND_DISCARD);

    if (!trigger->job->is_there) {
        return; /* history of a job that is gone */
    }
    checker_expect(checker, RULE_CHANGE, list.count > 0 && change->before.state == TRIGGER_DEAD,
                   "%s is deleted, and nobody discarded it, or it was not dead", checker_trigger_text(trigger));
    for (size_t i = 0; i < list.count; i++) {
        checker_use(checker, list.parts[i]->ask, list.count > 1);
    }
}

/* ---- the due time of one that waits ---- */

static void check_moved(struct checker *checker, const struct trigger_change *change)
{
    const struct trigger *trigger = change->trigger;
    bool is_still = change->was_row && change->before.state == TRIGGER_PENDING &&
                    trigger->row.state == TRIGGER_PENDING && change->before.attempts == trigger->row.attempts;
    const struct ended *last = checker_ended(trigger, trigger->row.attempts);
    bool is_late = last != NULL && last->was_lost && last->batch == checker->view.number;
    struct ask_list list = checker_asks_trigger(checker, trigger->id, COMMAND_RETRY);

    if (list.count == 0 && trigger->kind == TRIGGER_REPLAY) { /* that the dead one be replayed now */
        list = checker_asks_trigger(checker, trigger->row.replay_of, COMMAND_RETRY);
    }
    if (!is_still || is_late || trigger->row.due_ms == change->before.due_ms) {
        return;
    }
    /* A worker that drops a timed-out attempt early brings the next one forward, to the end of a backoff that was
     * reckoned by the policy of its time. */
    bool is_dropped = last != NULL && last->state == ATTEMPT_TIMED_OUT && trigger->row.due_ms >= last->ended_ms;

    checker_expect(checker, RULE_CHANGE, list.count > 0 || is_dropped,
                   "%s was due at %s and is at %s, and nobody asked for it", checker_trigger_text(trigger),
                   checker_time_text(change->before.due_ms), checker_time_text(trigger->row.due_ms));
    for (size_t i = 0; i < list.count; i++) {
        checker_use(checker, list.parts[i]->ask, list.count > 1 || is_dropped);
    }
}

void checker_change_triggers(struct checker *checker)
{
    for (struct trigger_change *change = checker->view.triggers; change != NULL && !checker_is_failed(checker);
         change = change->next) {
        struct trigger *trigger = change->trigger;

        if (change->is_deleted) {
            check_deleted(checker, change);
        }
        if (!trigger->has_row || !change->is_written || !trigger->job->is_there) {
            continue;
        }
        if (change->is_inserted) {
            check_new(checker, trigger);
        }
        if (trigger->row.state == TRIGGER_CANCELLED) {
            check_cancelled(checker, trigger);
        }
        check_moved(checker, change);
    }
}
