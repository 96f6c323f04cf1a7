/* Replays: a dead trigger names the newest of them, one lives at a time, and a filter finds none of them again. */
#include "checker_state.h"

/* Somebody who waits for an answer has named the trigger himself; a filter finds what was never replayed. */
static bool is_asked_by_name(struct checker *checker, const struct trigger *dead, enum command_kind kind)
{
    struct ask_list list = checker_asks_trigger(checker, dead->id, kind);

    for (size_t i = 0; i < list.count; i++) {
        if (!list.parts[i]->ask->command.is_by_filter) {
            return true;
        }
    }
    return false;
}

/* What a trigger names is a replay of it that came with this batch. */
static void check_named(struct checker *checker, const struct trigger_change *change)
{
    const struct trigger *dead = change->trigger;
    const struct trigger *replay = checker_trigger(checker, dead->row.replayed_by);

    if (dead->row.replayed_by == (change->was_row ? change->before.replayed_by : 0)) {
        return;
    }
    checker_expect(checker, RULE_REPLAY,
                   dead->row.state == TRIGGER_DEAD && replay != NULL && replay->change != NULL &&
                       replay->change->is_inserted && replay->kind == TRIGGER_REPLAY &&
                       replay->row.replay_of == dead->id,
                   "%s says that it is replayed by %s", checker_trigger_text(dead), checker_trigger_text(replay));
}

static const struct trigger *other_living(const struct trigger *replay)
{
    const struct list *living = &replay->job->living;

    for (struct list_node *node = list_first(living); node != NULL; node = list_next(living, node)) {
        const struct trigger *other = CONTAINER_OF(node, struct trigger, in_living);

        if (other != replay && other->kind == TRIGGER_REPLAY && other->row.replay_of == replay->row.replay_of) {
            return other;
        }
    }
    return NULL;
}

static void check_replay(struct checker *checker, const struct trigger *replay)
{
    const struct trigger *dead = checker_trigger(checker, replay->row.replay_of); /* it is there: RULE_CHANGE */
    const struct trigger *other = trigger_ended(replay->row.state) ? NULL : other_living(replay);

    checker_expect(checker, RULE_REPLAY, dead->change != NULL && dead->row.replayed_by >= replay->id,
                   "%s is a replay of %s, which names %llu", checker_trigger_text(replay), checker_trigger_text(dead),
                   (unsigned long long)dead->row.replayed_by);
    checker_expect(checker, RULE_REPLAY, other == NULL, "%s is there, and %s lives", checker_trigger_text(replay),
                   checker_trigger_text(other));
    if (dead->change != NULL && dead->change->was_row && dead->change->before.replayed_by != 0) {
        checker_expect(checker, RULE_REPLAY,
                       is_asked_by_name(checker, dead, COMMAND_REPLAY) ||
                           is_asked_by_name(checker, dead, COMMAND_RETRY),
                       "%s is replayed again, and nobody named it", checker_trigger_text(dead));
    }
}

void checker_replays(struct checker *checker)
{
    for (struct trigger_change *change = checker->view.triggers; change != NULL && !checker_is_failed(checker);
         change = change->next) {
        const struct trigger *trigger = change->trigger;

        if (trigger->job == NULL || !trigger->job->is_there) {
            continue;
        }
        check_named(checker, change);
        if (change->is_inserted && trigger->kind == TRIGGER_REPLAY) {
            check_replay(checker, trigger);
        }
        if (change->is_deleted && trigger->row.replayed_by != 0) {
            checker_expect(checker, RULE_REPLAY, is_asked_by_name(checker, trigger, COMMAND_DISCARD),
                           "%s was replayed and is discarded, and nobody named it", checker_trigger_text(trigger));
        }
    }
}
