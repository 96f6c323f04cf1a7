/* Dead triggers and their replays: who names whom, how many live, and what a filter may find. */
#include "test_checker_story.h"

/* A trigger that died, in seven steps. */
static struct try dies(struct story *story, struct job_row *job)
{
    exchange(story, "w1", 10, NULL, NULL); /* 4 */
    struct try try = claim(story, job->id, job, 1, TRIGGER_SCHEDULE, job->created_ms);

    commit(story); /* 5 */
    pass_ms(story, 1000);
    tell(story, &try, ATTEMPT_FAILED); /* 6 */
    end_trigger(story, &try, job, ATTEMPT_FAILED, TRIGGER_DEAD);
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.failures = 1;
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.reason = STR("exhausted");
    job->cursor_ms = TIME_NONE;
    job->wake_ms = TIME_NONE;
    job->fired = 1;
    job->status = JOB_COMPLETED;
    update(story, job);
    commit(story); /* 7 */
    return try;
}

/* A replay in the batch at hand, which the dead one names. */
static struct try replay(struct story *story, const struct try *dead, struct job_row *job)
{
    struct try next = {.trigger = new_id(story),
                       .job = job->id,
                       .kind = TRIGGER_REPLAY,
                       .scheduled_ms = dead->scheduled_ms,
                       .started_ms = story->now_ms};
    struct op *row = op(story, OP_TRIGGER_INSERT);

    row->trigger = row_of(story, &next, job, TRIGGER_PENDING);
    row->trigger.replay_of = dead->trigger;
    op(story, OP_TRIGGER_REPLAYED)->trigger = (struct trigger_row){.id = dead->trigger, .replayed_by = next.trigger};
    job->wake_ms = story->now_ms;
    update(story, job);
    return next;
}

static void answer_with(struct story *story, uint64_t trigger, uint64_t token)
{
    uint64_t *ids = arena_zalloc(&story->arena, sizeof *ids);

    *ids = trigger;
    story->reply = (struct reply){.kind = REPLY_TRIGGERS, .triggers = ids, .trigger_count = 1};
    answer(story, token);
}

static void replayed_cancelled_replayed_and_discarded(struct story *story)
{
    struct job_row *job = create(story, "{'retry':{'max_attempts':1,'delays':['1s']}}"); /* 1 to 3 */
    struct try dead = dies(story, job);                                                  /* 4 to 7 */
    uint64_t token = ask_trigger(story, COMMAND_REPLAY, dead.trigger);                   /* 8 */
    struct try first = replay(story, &dead, job);

    commit(story);                                             /* 9 */
    answer_with(story, first.trigger, token);                  /* 10 */
    token = ask_trigger(story, COMMAND_CANCEL, first.trigger); /* 11 */
    struct op *cancel = op(story, OP_TRIGGER_UPDATE);
    cancel->trigger = row_of(story, &first, job, TRIGGER_CANCELLED);
    cancel->trigger.due_ms = story->now_ms;
    cancel->trigger.replay_of = dead.trigger;
    cancel->trigger.reason = STR("cancelled");
    job->wake_ms = TIME_NONE;
    update(story, job);
    commit(story);                            /* 12 */
    answer_with(story, first.trigger, token); /* 13 */

    token = ask_trigger(story, COMMAND_RETRY, dead.trigger); /* 14 */
    struct try second = replay(story, &dead, job);
    commit(story);                                             /* 15 */
    answer_with(story, second.trigger, token);                 /* 16 */
    token = ask_trigger(story, COMMAND_DISCARD, dead.trigger); /* 17 */
    op(story, OP_TRIGGER_DELETE)->id = dead.trigger;
    commit(story);                           /* 18 */
    answer_with(story, dead.trigger, token); /* 19 */
}

static void without_being_named(struct story *story)
{
    drop_op(story, OP_TRIGGER_REPLAYED);
}

static void naming_itself(struct story *story)
{
    struct trigger_row *row = &find_op(story, OP_TRIGGER_REPLAYED, 0)->trigger;

    row->replayed_by = row->id;
}

static void named_twice(struct story *story)
{
    *op(story, OP_TRIGGER_REPLAYED) = *find_op(story, OP_TRIGGER_REPLAYED, 0);
}

static void beside_another(struct story *story)
{
    struct trigger_row *row = &find_op(story, OP_TRIGGER_INSERT, 0)->trigger;
    uint64_t id = new_id(story);
    struct op *other = op(story, OP_TRIGGER_INSERT);

    other->trigger = *row;
    other->trigger.id = id;
    find_op(story, OP_TRIGGER_REPLAYED, 0)->trigger.replayed_by = id;
}

static void found_by_a_filter(struct story *story)
{
    story->command.kind = story->command.kind == COMMAND_RETRY ? COMMAND_REPLAY : story->command.kind;
    story->command.is_by_filter = true;
}

static const struct spoilt spoilts[] = {
    {"a replay that its dead trigger does not name is found", RULE_REPLAY, replayed_cancelled_replayed_and_discarded, 9,
     without_being_named},
    {"a dead trigger that names something else is found", RULE_REPLAY, replayed_cancelled_replayed_and_discarded, 9,
     naming_itself},
    {"a dead trigger that is written twice is found", RULE_GUARD, replayed_cancelled_replayed_and_discarded, 9,
     named_twice},
    {"a second replay beside the first is found", RULE_REPLAY, replayed_cancelled_replayed_and_discarded, 9,
     beside_another},
    {"a filter that replays again is found", RULE_REPLAY, replayed_cancelled_replayed_and_discarded, 14,
     found_by_a_filter},
    {"a filter that discards what was replayed is found", RULE_REPLAY, replayed_cancelled_replayed_and_discarded, 17,
     found_by_a_filter},
};

static void a_dead_trigger_is_replayed_twice_and_discarded(void **state)
{
    good(state, replayed_cancelled_replayed_and_discarded);
}

int main(void)
{
    const struct CMUnitTest goods[] = {cmocka_unit_test(a_dead_trigger_is_replayed_twice_and_discarded)};

    return run_stories("checker_replays", goods, sizeof goods / sizeof goods[0], spoilts,
                       sizeof spoilts / sizeof spoilts[0]);
}
