/* The life of a one-time job that fails once and then succeeds, told right and told wrong. */
#include "test_checker_story.h"

#define SENT "{'name':'mail','retry':{'max_attempts':2,'delays':['30s'],'jitter':0}}"

static struct grant *grants(struct story *story, const struct try *try, const struct job_row *job)
{
    struct grant *grant = arena_zalloc(&story->arena, sizeof *grant);

    *grant = (struct grant){.trigger = try->trigger,
                            .job = job->id,
                            .number = try->number,
                            .failures = try->number - 1,
                            .max_attempts = 2,
                            .version = 1,
                            .scheduled_ms = try->scheduled_ms,
                            .due_ms = try->started_ms,
                            .timeout_ms = JOB_TIMEOUT_DEFAULT_MS,
                            .lease_ms = JOB_LEASE_DEFAULT_MS,
                            .place = job->place,
                            .name = job->name,
                            .def = job->def};
    return grant;
}

/* Claimed and handed out: three steps. */
static struct try start(struct story *story, const struct job_row *job, uint32_t number)
{
    uint64_t token = exchange(story, "w1", 10, NULL, NULL);
    struct try try = claim(story, job->id, job, number, TRIGGER_SCHEDULE, job->created_ms);

    commit(story);
    story->reply = (struct reply){.kind = REPLY_WORK, .grants = grants(story, &try, job), .grant_count = 1};
    answer(story, token);
    return try;
}

static void a_job_fails_once(struct story *story)
{
    struct job_row *job = create(story, SENT); /* 1 to 3 */
    struct try try = start(story, job, 1);     /* 4 to 6 */
    pass_ms(story, 1000);
    uint64_t token = tell(story, &try, ATTEMPT_FAILED); /* 7 */
    struct op *row = op(story, OP_TRIGGER_INSERT);
    row->trigger = row_of(story, &try, job, TRIGGER_PENDING);
    row->trigger.due_ms = story->now_ms + 30000;
    row->trigger.failures = 1;
    row->trigger.last = attempt_of(story, &try, ATTEMPT_FAILED);
    op(story, OP_ATTEMPT_INSERT)->attempt = row->trigger.last;
    op(story, OP_CLAIMS_DELETE)->id = try.claims;
    job->cursor_ms = TIME_NONE;
    job->fired = 1;
    job->wake_ms = row->trigger.due_ms;
    update(story, job);
    commit(story);             /* 8 */
    answer_work(story, token); /* 9 */

    pass_ms(story, 30000);
    try = start(story, job, 2); /* 10 to 12 */
    pass_ms(story, 1000);
    token = tell(story, &try, ATTEMPT_SUCCEEDED); /* 13 */
    end_trigger(story, &try, job, ATTEMPT_SUCCEEDED, TRIGGER_SUCCEEDED);
    find_op(story, OP_TRIGGER_UPDATE, 0)->trigger.failures = 1;
    job->status = JOB_COMPLETED;
    job->wake_ms = TIME_NONE;
    update(story, job);
    commit(story);             /* 14 */
    answer_work(story, token); /* 15 */
    checker_end(story->checker, story->now_ms, story->now_ms);
}

/* ---- what can be wrong with it ---- */

static void of_an_old_epoch(struct story *story)
{
    story->epoch = 0;
}

static void with_a_gap(struct story *story)
{
    story->batch.number += 1;
}

static void inserted_again(struct story *story)
{
    find_op(story, OP_TRIGGER_UPDATE, 0)->kind = OP_TRIGGER_INSERT;
}

static void before_it_is_durable(struct story *story)
{
    story->durable = story->tag - 2;
}

static void to_nobody(struct story *story)
{
    story->reply.token = 999;
}

static void in_the_future(struct story *story)
{
    find_claim(story)->started_ms += HOUR_MS;
}

static void without_reserving_ids(struct story *story)
{
    drop_op(story, OP_IDS_RESERVE);
}

static void in_another_pool(struct story *story)
{
    find_op(story, OP_JOB_INSERT, 0)->job.place.pool = STR("other");
}

static void miscounted(struct story *story)
{
    find_op(story, OP_TENANT_PUT, 0)->tenant.jobs = 5;
}

static void waking_too_late(struct story *story)
{
    find_op(story, OP_JOB_UPDATE, 0)->job.wake_ms += 1;
}

static void active_still(struct story *story)
{
    find_op(story, OP_JOB_UPDATE, 0)->job.status = JOB_ACTIVE;
}

static void running_in_its_row(struct story *story)
{
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.state = TRIGGER_RUNNING;
}

static void by_the_wrong_number(struct story *story)
{
    find_claim(story)->number = 3;
}

static void for_no_reason(struct story *story)
{
    find_op(story, OP_ATTEMPT_INSERT, 0)->attempt.error_code = STR("other");
}

static void for_free(struct story *story)
{
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.failures = 0;
}

static void given_up_too_early(struct story *story)
{
    struct trigger_row *row = &find_op(story, OP_TRIGGER_INSERT, 0)->trigger;

    row->state = TRIGGER_DEAD;
    row->reason = STR("exhausted");
    row->ended_ms = story->now_ms;
    find_op(story, OP_JOB_UPDATE, 0)->job.status = JOB_COMPLETED;
    drop_op(story, OP_ATTEMPT_INSERT);
}

static void due_at_once(struct story *story)
{
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.due_ms = story->now_ms;
    find_op(story, OP_JOB_UPDATE, 0)->job.wake_ms = story->now_ms;
}

static void before_its_backoff_is_over(struct story *story)
{
    find_claim(story)->started_ms -= 1;
}

static void with_claims_left_behind(struct story *story)
{
    drop_op(story, OP_CLAIMS_DELETE);
}

static void told_another_time(struct story *story)
{
    story->reply.grants[0].scheduled_ms += 1;
}

static void granted_but_not_durable(struct story *story)
{
    story->reply.grants[0].number = 7;
}

static void granted_to_another(struct story *story)
{
    find_claim(story)->worker = STR("w2");
}

static void refused(struct story *story)
{
    struct refused *refused_one = arena_zalloc(&story->arena, sizeof *refused_one);

    *refused_one = (struct refused){.attempt = {story->exchange.reports[0].trigger, 1}, .reason = REFUSED_UNKNOWN};
    story->reply.refused = refused_one;
    story->reply.refused_count = 1;
}

static void lost_after_being_accepted(struct story *story)
{
    batch_done(&story->batch);
    batch_init(&story->batch, story->number + 1);
}

static void acknowledged_but_not_there(struct story *story)
{
    story->reply.jobs[0].id++;
}

static void not_as_it_was_sent(struct story *story)
{
    struct job_def *def = read_def(story, "{'name':'mail'}");

    find_op(story, OP_JOB_INSERT, 0)->job.def = canonical(story, def);
}

static void answered_with_triggers(struct story *story)
{
    story->reply.kind = REPLY_TRIGGERS;
}

static void refused_though_done(struct story *story)
{
    story->reply = (struct reply){.kind = REPLY_ERROR, .token = story->reply.token, .error = {.code = ERR_LIMIT}};
}

static void paused_by_nobody(struct story *story)
{
    struct job_row *row = &find_op(story, OP_JOB_UPDATE, 0)->job;

    row->status = JOB_PAUSED;
}

static void never_ended(struct story *story)
{
    checker_end(story->checker, story->now_ms, story->now_ms);
}

static void running_for_ever(struct story *story)
{
    checker_now(story->checker, story->now_ms, true, 1000);
    pass_ms(story, HOUR_MS);
    checker_now(story->checker, story->now_ms, true, 1000);
}

static void while_it_drains(struct story *story)
{
    checker_drain(story->checker, story->now_ms, story->number);
}

static const struct spoilt spoilts[] = {
    {"a batch of an old epoch is found", RULE_FENCE, a_job_fails_once, 5, of_an_old_epoch},
    {"a missing batch is found", RULE_FENCE, a_job_fails_once, 5, with_a_gap},
    {"an INSERT of a row that is there is found", RULE_GUARD, a_job_fails_once, 14, inserted_again},
    {"an answer before its batch is durable is found", RULE_DURABLE, a_job_fails_once, 6, before_it_is_durable},
    {"an answer to nobody is found", RULE_ONE_ANSWER, a_job_fails_once, 9, to_nobody},
    {"a start in the future is found", RULE_CLOCK, a_job_fails_once, 5, in_the_future},
    {"an id that was not reserved is found", RULE_IDS, a_job_fails_once, 2, without_reserving_ids},
    {"a row that is not what its definition says is found", RULE_ROW, a_job_fails_once, 2, in_another_pool},
    {"a wrong counter is found", RULE_TENANT_COUNT, a_job_fails_once, 2, miscounted},
    {"a job that would sleep too long is found", RULE_WAKE, a_job_fails_once, 8, waking_too_late},
    {"a job that does not complete is found", RULE_COMPLETED, a_job_fails_once, 14, active_still},
    {"a row that says running is found", RULE_STATE, a_job_fails_once, 8, running_in_its_row},
    {"a wrong attempt number is found", RULE_NUMBER, a_job_fails_once, 11, by_the_wrong_number},
    {"an end that nobody reported is found", RULE_CAUSE, a_job_fails_once, 8, for_no_reason},
    {"a failure that is not counted is found", RULE_BUDGET, a_job_fails_once, 8, for_free},
    {"a trigger that dies too early is found", RULE_BUDGET, a_job_fails_once, 8, given_up_too_early},
    {"a retry that is due at once is found", RULE_BACKOFF, a_job_fails_once, 8, due_at_once},
    {"a retry before its backoff is over is found", RULE_BACKOFF, a_job_fails_once, 11, before_its_backoff_is_over},
    {"claims that are left behind are found", RULE_CLAIMS, a_job_fails_once, 14, with_claims_left_behind},
    {"a grant of another time is found", RULE_GRANT, a_job_fails_once, 6, told_another_time},
    {"a grant without a claim is found", RULE_GRANT, a_job_fails_once, 6, granted_but_not_durable},
    {"a grant to another worker than its claim's is found", RULE_GRANT, a_job_fails_once, 5, granted_to_another},
    {"a report that is refused and taken is found", RULE_REPORT, a_job_fails_once, 9, refused},
    {"a report that is accepted and lost is found", RULE_REPORT, a_job_fails_once, 8, lost_after_being_accepted},
    {"an acknowledged job that is not durable is found", RULE_CREATE, a_job_fails_once, 3, acknowledged_but_not_there},
    {"a job that nobody sent is found", RULE_CREATE, a_job_fails_once, 2, not_as_it_was_sent},
    {"an answer of the wrong kind is found", RULE_ANSWER, a_job_fails_once, 3, answered_with_triggers},
    {"a refusal of what was done is found", RULE_ANSWER, a_job_fails_once, 3, refused_though_done},
    {"a change that nobody asked for is found", RULE_CHANGE, a_job_fails_once, 8, paused_by_nobody},
    {"an attempt that never ends is found at the end", RULE_LIVENESS, a_job_fails_once, 12, never_ended},
    {"an attempt that does not time out is found", RULE_LATE, a_job_fails_once, 12, running_for_ever},
    {"a grant of an owner that drains is found", RULE_DRAIN, a_job_fails_once, 5, while_it_drains},
};

static void a_job_that_fails_once_and_then_succeeds_is_right(void **state)
{
    good(state, a_job_fails_once);
}

static void every_comparison_is_counted(void **state)
{
    (void)state;
    struct story story;
    uint64_t counts[RULE_COUNT];
    const enum checker_rule used[] = {RULE_FENCE,  RULE_GUARD,   RULE_DURABLE, RULE_TWICE,  RULE_EARLY, RULE_DECISION,
                                      RULE_CURSOR, RULE_BACKOFF, RULE_CAUSE,   RULE_BUDGET, RULE_GRANT, RULE_CREATE};

    story_begin(&story, NULL);
    a_job_fails_once(&story);
    checker_counts(story.checker, counts);
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        if (counts[used[i]] == 0) {
            fail_msg("%s compared nothing", checker_rule_text(used[i]));
        }
    }
    assert_int_equal(counts[RULE_RATE], 0);
    story_end(&story);
}

int main(void)
{
    const struct CMUnitTest goods[] = {
        cmocka_unit_test(a_job_that_fails_once_and_then_succeeds_is_right),
        cmocka_unit_test(every_comparison_is_counted),
    };

    return run_stories("checker", goods, sizeof goods / sizeof goods[0], spoilts, sizeof spoilts / sizeof spoilts[0]);
}
