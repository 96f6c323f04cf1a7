/* Attempts that are lost or time out, and workers that come back. */
#include "test_checker_story.h"

#define SENT "{'retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}"

static struct try start(struct story *story, const struct job_row *job, uint32_t number)
{
    exchange(story, "w1", 10, NULL, NULL);
    struct try try = claim(story, job->id, job, number, TRIGGER_SCHEDULE, job->created_ms);

    commit(story);
    return try;
}

/* The attempt has ended otherwise than by a report; its trigger waits until due_ms. */
static struct trigger_row *ends(struct story *story, const struct try *try, struct job_row *job,
                                enum attempt_state state, int64_t due_ms)
{
    struct op *row = op(story, try->number == 1 ? OP_TRIGGER_INSERT : OP_TRIGGER_UPDATE);

    row->trigger = row_of(story, try, job, TRIGGER_PENDING);
    row->trigger.due_ms = due_ms;
    row->trigger.last = attempt_of(story, try, state);
    op(story, OP_ATTEMPT_INSERT)->attempt = row->trigger.last;
    op(story, OP_CLAIMS_DELETE)->id = try->claims;
    job->cursor_ms = TIME_NONE;
    job->fired = 1;
    job->wake_ms = due_ms;
    update(story, job);
    return &row->trigger;
}

/* ---- leases ---- */

static void three_are_lost(struct story *story)
{
    struct job_row *job = create(story, SENT); /* 1 to 3 */

    for (uint32_t number = 1; number <= 3; number++) {
        struct try try = start(story, job, number); /* 4 and 5; 8 and 9; 11 and 12 */
        if (number == 1) {
            struct attempt_ref held = {try.trigger, 1};

            pass_ms(story, 20000);
            exchange(story, "w1", 0, &held, NULL); /* 6: it lives for 30 s more */
        }
        pass_ms(story, 30000);
        ends(story, &try, job, ATTEMPT_LOST, story->now_ms)->lost_run = number;
        if (number == 3) {
            struct trigger_row *row = &find_op(story, OP_TRIGGER_UPDATE, 0)->trigger;

            row->state = TRIGGER_DEAD;
            row->reason = STR("crashed_workers");
            row->ended_ms = story->now_ms;
            drop_op(story, OP_ATTEMPT_INSERT);
            job->status = JOB_COMPLETED;
            find_op(story, OP_JOB_UPDATE, 0)->job.status = JOB_COMPLETED;
        }
        commit(story); /* 7, 10, 13 */
    }
}

static void before_its_lease_has_ended(struct story *story)
{
    story->now_ms -= 10000;
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.due_ms -= 10000;
    find_op(story, OP_JOB_UPDATE, 0)->job.wake_ms -= 10000;
    find_op(story, OP_ATTEMPT_INSERT, 0)->attempt.ended_ms -= 10000;
}

static void and_lives_on(struct story *story)
{
    struct trigger_row *row = &find_op(story, OP_TRIGGER_UPDATE, 0)->trigger;

    row->state = TRIGGER_PENDING;
    row->ended_ms = TIME_NONE;
    find_op(story, OP_JOB_UPDATE, 0)->job.status = JOB_ACTIVE;
    op(story, OP_ATTEMPT_INSERT)->attempt = row->last;
}

/* ---- timeouts ---- */

static void one_times_out(struct story *story)
{
    struct job_row *job = create(story, "{'timeout':'20s','retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}");
    struct try try = start(story, job, 1); /* 4 and 5 */
    struct attempt_ref held = {try.trigger, 1};

    story->held = held;
    pass_ms(story, 19000);
    exchange(story, "w1", 0, &held, NULL); /* 6 */
    pass_ms(story, 1000);
    ends(story, &try, job, ATTEMPT_TIMED_OUT, story->now_ms + 29000)->failures = 1;
    commit(story); /* 7 */
    pass_ms(story, 2000);
    exchange(story, "w1", 10, NULL, NULL); /* 8: it has let go */
    struct op *row = op(story, OP_TRIGGER_UPDATE);
    row->trigger = row_of(story, &try, job, TRIGGER_PENDING);
    row->trigger.failures = 1;
    row->trigger.due_ms = story->now_ms - 1000;
    row->trigger.last = attempt_of(story, &try, ATTEMPT_TIMED_OUT);
    (void)claim(story, job->id, job, 2, TRIGGER_SCHEDULE, job->created_ms);
    commit(story); /* 9 */
}

static void before_its_time(struct story *story)
{
    story->now_ms -= 5000;
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.last.ended_ms -= 5000;
    find_op(story, OP_ATTEMPT_INSERT, 0)->attempt.ended_ms -= 5000;
}

/* The worker names it still when it asks for more. */
static void while_it_is_held(struct story *story)
{
    struct attempt_ref *held = arena_zalloc(&story->arena, sizeof *held);

    *held = story->held;
    story->exchange.holding = held;
    story->exchange.holding_count = 1;
}

/* ---- an attempt that its worker does not know of ---- */

static void one_is_sent_again(struct story *story)
{
    struct job_row *job = create(story, SENT); /* 1 to 3 */
    struct try try = start(story, job, 1);     /* 4 and 5 */
    struct grant *grant = arena_zalloc(&story->arena, sizeof *grant);

    pass_ms(story, 1000);
    uint64_t token = exchange(story, "w1", 5, NULL, NULL); /* 6 */
    *grant = (struct grant){.trigger = try.trigger,
                            .job = job->id,
                            .number = 1,
                            .max_attempts = 5,
                            .version = 1,
                            .scheduled_ms = try.scheduled_ms,
                            .due_ms = try.started_ms,
                            .timeout_ms = JOB_TIMEOUT_DEFAULT_MS,
                            .lease_ms = JOB_LEASE_DEFAULT_MS,
                            .place = job->place};
    story->reply = (struct reply){.kind = REPLY_WORK, .grants = grant, .grant_count = 1};
    answer(story, token); /* 7 */
}

static void not_sent(struct story *story)
{
    story->reply.grant_count = 0;
}

static void told_to_stop_it(struct story *story)
{
    struct attempt_ref *stop = arena_zalloc(&story->arena, sizeof *stop);

    *stop = (struct attempt_ref){story->reply.grants[0].trigger, 1};
    story->reply.cancel = stop;
    story->reply.cancel_count = 1;
}

static void drained_without_a_word(struct story *story)
{
    checker_drain(story->checker, story->now_ms, story->number + 1);
}

static void for_http_alone(struct story *story)
{
    story->exchange.targets = 1U << TARGET_HTTP;
}

static const struct spoilt spoilts[] = {
    {"an attempt that is lost within its lease is found", RULE_LEASE, three_are_lost, 7, before_its_lease_has_ended},
    {"a trigger that survives three lost attempts is found", RULE_BUDGET, three_are_lost, 13, and_lives_on},
    {"a timeout before its time is found", RULE_TIMEOUT, one_times_out, 7, before_its_time},
    {"a retry while the worker still holds the old attempt is found", RULE_DROP, one_times_out, 8, while_it_is_held},
    {"an attempt that is not sent again is found", RULE_GRANT, one_is_sent_again, 7, not_sent},
    {"a worker told to stop what runs is found", RULE_GRANT, one_is_sent_again, 7, told_to_stop_it},
    {"a worker that is given what it did not ask for is found", RULE_TARGET, three_are_lost, 4, for_http_alone},
    {"a worker that is not told of a drain is found", RULE_DRAIN, one_is_sent_again, 6, drained_without_a_word},
};

static void three_lost_attempts_are_the_end(void **state)
{
    good(state, three_are_lost);
}

static void an_attempt_that_times_out_is_tried_again_when_it_was_dropped(void **state)
{
    good(state, one_times_out);
}

static void an_attempt_that_its_worker_does_not_name_is_sent_again(void **state)
{
    good(state, one_is_sent_again);
}

int main(void)
{
    const struct CMUnitTest goods[] = {
        cmocka_unit_test(three_lost_attempts_are_the_end),
        cmocka_unit_test(an_attempt_that_times_out_is_tried_again_when_it_was_dropped),
        cmocka_unit_test(an_attempt_that_its_worker_does_not_name_is_sent_again),
    };

    return run_stories("checker_work", goods, sizeof goods / sizeof goods[0], spoilts,
                       sizeof spoilts / sizeof spoilts[0]);
}
