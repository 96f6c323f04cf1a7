/* Fires of a job that repeats every minute: decided once each, and as its policies ask. */
#include "test_checker_story.h"

/* The nominal time of minute n after nine. */
static int64_t minute(int n)
{
    return NINE_MS + n * MINUTE_MS;
}

static void move(struct job_row *job, int cursor)
{
    job->cursor_ms = minute(cursor);
    job->wake_ms = job->cursor_ms;
}

/* Claims minute n now; the cursor goes to the minute given. */
static struct try fire(struct story *story, struct job_row *job, int n, int cursor)
{
    exchange(story, "w1", 10, NULL, NULL);
    uint64_t trigger = new_id(story);
    struct try try = claim(story, trigger, job, 1, TRIGGER_SCHEDULE, minute(n));

    job->fired++;
    move(job, cursor);
    update(story, job);
    return try;
}

static void step_over(struct story *story, const struct job_row *job, int from, int to, enum skip_reason reason,
                      uint64_t blocked_by)
{
    op(story, OP_SKIP_PUT)->skip = (struct skip_row){.job = job->id,
                                                     .from_ms = minute(from),
                                                     .to_ms = minute(to),
                                                     .count = to - from + 1,
                                                     .reason = reason,
                                                     .version = job->version,
                                                     .blocked_by = blocked_by,
                                                     .decided_ms = story->now_ms};
}

static void end_run(struct story *story, const struct try *try, const struct job_row *job)
{
    tell(story, try, ATTEMPT_SUCCEEDED);
    end_trigger(story, try, job, ATTEMPT_SUCCEEDED, TRIGGER_SUCCEEDED);
}

static void at_minute(struct story *story, int n, int64_t ms)
{
    story->now_ms = minute(n) + ms;
}

/* ---- overlap: skip ---- */

static void one_is_skipped_while_another_runs(struct story *story)
{
    struct job_row *job = create(story, "{'every':'1m'}"); /* 1 to 3 */

    at_minute(story, 1, 0);
    struct try try = fire(story, job, 1, 2); /* 4 */
    commit(story);                           /* 5 */
    at_minute(story, 2, 0);
    step_over(story, job, 2, 2, SKIP_OVERLAP, try.trigger);
    move(job, 3);
    update(story, job);
    commit(story); /* 6 */
    at_minute(story, 3, 0);
    step_over(story, job, 2, 3, SKIP_OVERLAP, try.trigger);
    move(job, 4);
    update(story, job);
    commit(story); /* 7 */
    at_minute(story, 3, 30000);
    end_run(story, &try, job); /* 8 */
    commit(story);             /* 9 */
    at_minute(story, 4, 5);
    (void)fire(story, job, 4, 5); /* 10 */
    commit(story);                /* 11 */
}

static void decided_again(struct story *story)
{
    find_claim(story)->scheduled_ms = minute(1);
}

static void left_out(struct story *story)
{
    find_claim(story)->scheduled_ms = minute(2);
}

static void too_early(struct story *story)
{
    find_claim(story)->started_ms -= 1;
}

static void for_another_reason(struct story *story)
{
    find_op(story, OP_SKIP_PUT, 0)->skip.reason = SKIP_MISFIRE;
}

static void by_nobody(struct story *story)
{
    find_op(story, OP_SKIP_PUT, 0)->skip.blocked_by = 42;
}

static void with_its_cursor_elsewhere(struct story *story)
{
    struct job_row *row = &find_op(story, OP_JOB_UPDATE, 0)->job;

    row->cursor_ms += MINUTE_MS;
    row->wake_ms += MINUTE_MS;
}

static void counted_wrong(struct story *story)
{
    find_op(story, OP_SKIP_PUT, 0)->skip.count++;
}

static void merged_with_another_reason(struct story *story)
{
    find_op(story, OP_SKIP_PUT, 0)->skip.reason = SKIP_EXPIRED;
}

static void fired_twice_in_its_row(struct story *story)
{
    find_op(story, OP_JOB_UPDATE, 0)->job.fired++;
}

/* The run ends, and what came due meanwhile is still there. */
static void not_skipped(struct story *story)
{
    struct job_row *row = &find_op(story, OP_JOB_UPDATE, 0)->job;

    row->cursor_ms = minute(3);
    row->wake_ms = minute(3);
    drop_op(story, OP_SKIP_PUT);
}

/* ---- two at once ---- */

static void a_second_claim(struct story *story)
{
    struct job_row row = find_op(story, OP_JOB_UPDATE, 0)->job;
    struct op *second;

    drop_op(story, OP_SKIP_PUT);
    exchange(story, "w1", 10, NULL, NULL);
    (void)claim(story, new_id(story), &row, 1, TRIGGER_SCHEDULE, minute(2));
    second = find_op(story, OP_JOB_UPDATE, 0);
    second->job.fired = 2;
}

/* ---- after a downtime from 9:00 to 9:10:30 ---- */

static struct job_row *return_after(struct story *story, const char *policies)
{
    struct job_row *job = create(story, policies); /* 1 to 3 */

    at_minute(story, 10, 30000);
    return job;
}

static void the_newest_missed_runs(struct story *story)
{
    struct job_row *job = return_after(story, "{'every':'1m'}");

    step_over(story, job, 1, 8, SKIP_MISFIRE, 0); /* 9:09 is late by 90 s, 9:10 by 30 */
    struct try try = fire(story, job, 9, 11);
    step_over(story, job, 10, 10, SKIP_OVERLAP, try.trigger);
    commit(story); /* 5 */
}

static void the_oldest_missed_runs(struct story *story)
{
    struct job_row *job = return_after(story, "{'every':'1m','misfire':'fire_now','overlap':'queue'}");

    (void)fire(story, job, 1, 10);
    step_over(story, job, 2, 9, SKIP_MISFIRE, 0);
    commit(story); /* 5 */
}

static void no_missed_one_runs(struct story *story)
{
    struct job_row *job = return_after(story, "{'every':'1m','misfire':'skip'}");

    step_over(story, job, 1, 9, SKIP_MISFIRE, 0);
    (void)fire(story, job, 10, 11);
    commit(story); /* 5 */
}

static void every_missed_one_runs(struct story *story)
{
    struct job_row *job = return_after(story, "{'every':'1m','misfire':'backfill'}");

    job->missed_to_ms = minute(9);
    struct try try = fire(story, job, 1, 2); /* 4 */
    commit(story);                           /* 5 */
    end_run(story, &try, job);               /* 6 */
    commit(story);                           /* 7 */
    (void)fire(story, job, 2, 3);            /* 8 */
    commit(story);                           /* 9 */
}

static void what_is_too_old_expires(struct story *story)
{
    struct job_row *job = return_after(story, "{'every':'1m','misfire_after':'1h','expires_after':'90s'}");

    step_over(story, job, 1, 9, SKIP_EXPIRED, 0);
    (void)fire(story, job, 10, 11);
    commit(story); /* 5 */
}

static void running_an_older_one(struct story *story)
{
    struct claim *one = find_claim(story);
    struct skip_row *row = &find_op(story, OP_SKIP_PUT, 0)->skip;

    one->scheduled_ms -= MINUTE_MS;
    row->to_ms -= MINUTE_MS;
    row->count--;
    find_op(story, OP_SKIP_PUT, 1)->skip.from_ms -= MINUTE_MS;
    find_op(story, OP_SKIP_PUT, 1)->skip.count++;
}

static void leaving_some_of_them(struct story *story)
{
    struct skip_row *row = &find_op(story, OP_SKIP_PUT, 0)->skip;
    struct job_row *job = &find_op(story, OP_JOB_UPDATE, 0)->job;

    row->to_ms -= MINUTE_MS;
    row->count--;
    job->cursor_ms -= MINUTE_MS;
    job->wake_ms -= MINUTE_MS;
}

static void forgetting_what_was_missed(struct story *story)
{
    find_op(story, OP_JOB_UPDATE, 0)->job.missed_to_ms = TIME_NONE;
}

static void running_what_has_expired(struct story *story)
{
    struct skip_row *row = &find_op(story, OP_SKIP_PUT, 0)->skip;
    struct op *rest = op(story, OP_SKIP_PUT);

    find_claim(story)->scheduled_ms -= MINUTE_MS;
    row->to_ms -= MINUTE_MS;
    row->count--;
    rest->skip = *row;
    rest->skip.from_ms = minute(10);
    rest->skip.to_ms = minute(10);
    rest->skip.count = 1;
    rest->skip.reason = SKIP_OVERLAP;
    rest->skip.blocked_by = find_claim(story)->trigger;
}

/* ---- held: queue and collapse ---- */

static struct try run_until_half_past_three(struct story *story, struct job_row *job)
{
    at_minute(story, 1, 0);
    struct try try = fire(story, job, 1, 2); /* 4 */
    commit(story);                           /* 5 */
    at_minute(story, 3, 30000);
    end_run(story, &try, job); /* 6 */
    job->held_to_ms = minute(3);
    update(story, job);
    commit(story); /* 7 */
    return try;
}

static void held_fires_run_one_by_one(struct story *story)
{
    struct job_row *job = create(story, "{'every':'1m','overlap':'queue','misfire':'skip','misfire_after':'1s'}");

    (void)run_until_half_past_three(story, job);
    (void)fire(story, job, 2, 3); /* 8 */
    commit(story);                /* 9 */
}

static void held_fires_become_one(struct story *story)
{
    struct job_row *job = create(story, "{'every':'1m','overlap':'collapse','misfire':'skip','misfire_after':'1s'}");

    (void)run_until_half_past_three(story, job);
    step_over(story, job, 2, 2, SKIP_COLLAPSED, 0);
    (void)fire(story, job, 3, 4); /* 8 */
    commit(story);                /* 9 */
}

static void not_held(struct story *story)
{
    find_op(story, OP_JOB_UPDATE, 0)->job.held_to_ms = TIME_NONE;
}

static void taken_for_missed(struct story *story)
{
    struct job_row *job = &find_op(story, OP_JOB_UPDATE, 0)->job;

    step_over(story, job, 2, 2, SKIP_MISFIRE, 0);
    find_claim(story)->scheduled_ms = minute(3);
    job->cursor_ms = minute(4);
    job->wake_ms = minute(4);
}

static void the_oldest_of_them(struct story *story)
{
    struct job_row *job = &find_op(story, OP_JOB_UPDATE, 0)->job;

    drop_op(story, OP_SKIP_PUT);
    find_claim(story)->scheduled_ms = minute(2);
    job->cursor_ms = minute(3);
    job->wake_ms = minute(3);
}

/* ---- queue: a retry goes first ---- */

static void a_retry_goes_before_new_fires(struct story *story)
{
    struct job_row *job =
        create(story, "{'every':'1m','overlap':'queue','retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");

    at_minute(story, 1, 0);
    struct try try = fire(story, job, 1, 2); /* 4 */
    commit(story);                           /* 5 */
    at_minute(story, 1, 5000);
    tell(story, &try, ATTEMPT_FAILED); /* 6 */
    struct op *row = op(story, OP_TRIGGER_INSERT);
    row->trigger = row_of(story, &try, job, TRIGGER_PENDING);
    row->trigger.failures = 1;
    row->trigger.due_ms = story->now_ms + MINUTE_MS;
    row->trigger.last = attempt_of(story, &try, ATTEMPT_FAILED);
    op(story, OP_ATTEMPT_INSERT)->attempt = row->trigger.last;
    op(story, OP_CLAIMS_DELETE)->id = try.claims;
    commit(story); /* 7 */
    at_minute(story, 2, 5000);
    exchange(story, "w1", 10, NULL, NULL); /* 8 */
    (void)claim(story, try.trigger, job, 2, TRIGGER_SCHEDULE, minute(1));
    commit(story); /* 9 */
}

static void the_new_one_first(struct story *story)
{
    struct claim *one = find_claim(story);

    one->trigger = new_id(story);
    one->number = 1;
    one->scheduled_ms = minute(2);
    struct op *change = op(story, OP_JOB_UPDATE);
    change->job =
        *new_row(story, "{'every':'1m','overlap':'queue','retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");
    change->job.id = one->job;
    change->job.anchor_ms = NINE_MS;
    change->job.cursor_ms = minute(3);
    change->job.wake_ms = minute(2);
    change->job.fired = 2;
    change->job.def = STR("");
}

static const struct spoilt spoilts[] = {
    {"a fire that is decided twice is found", RULE_TWICE, one_is_skipped_while_another_runs, 11, decided_again},
    {"a fire that is left out is found", RULE_MISSED, one_is_skipped_while_another_runs, 5, left_out},
    {"a fire before its time is found", RULE_EARLY, one_is_skipped_while_another_runs, 5, too_early},
    {"a skip for the wrong reason is found", RULE_DECISION, one_is_skipped_while_another_runs, 6, for_another_reason},
    {"a skip that nobody blocked is found", RULE_DECISION, one_is_skipped_while_another_runs, 6, by_nobody},
    {"a fire that ought to be skipped is found", RULE_DECISION, one_is_skipped_while_another_runs, 7, not_skipped},
    {"a cursor that moves too far is found", RULE_CURSOR, one_is_skipped_while_another_runs, 5,
     with_its_cursor_elsewhere},
    {"a wrong count of fires is found", RULE_CURSOR, one_is_skipped_while_another_runs, 5, fired_twice_in_its_row},
    {"a skip that counts wrong is found", RULE_SKIP_ROW, one_is_skipped_while_another_runs, 6, counted_wrong},
    {"a skip that joins another reason is found", RULE_SKIP_ROW, one_is_skipped_while_another_runs, 7,
     merged_with_another_reason},
    {"a second run beside the first is found", RULE_OVERLAP, one_is_skipped_while_another_runs, 6, a_second_claim},
    {"fire_latest that runs an older one is found", RULE_DECISION, the_newest_missed_runs, 5, running_an_older_one},
    {"fire_now that leaves missed ones is found", RULE_DECISION, the_oldest_missed_runs, 5, leaving_some_of_them},
    {"misfire skip that runs a missed one is found", RULE_DECISION, no_missed_one_runs, 5, running_what_has_expired},
    {"backfill that forgets what was missed is found", RULE_DECISION, every_missed_one_runs, 5,
     forgetting_what_was_missed},
    {"a run of what has expired is found", RULE_DECISION, what_is_too_old_expires, 5, running_what_has_expired},
    {"a run whose end holds nothing is found", RULE_CURSOR, held_fires_run_one_by_one, 7, not_held},
    {"a held fire taken for a missed one is found", RULE_DECISION, held_fires_run_one_by_one, 9, taken_for_missed},
    {"collapse that runs the oldest is found", RULE_DECISION, held_fires_become_one, 9, the_oldest_of_them},
    {"a new fire before a retry is found", RULE_QUEUE, a_retry_goes_before_new_fires, 9, the_new_one_first},
};

#define GOOD(story)                                                                                                    \
    static void story##_is_right(void **state)                                                                         \
    {                                                                                                                  \
        good(state, story);                                                                                            \
    }
GOOD(one_is_skipped_while_another_runs)
GOOD(the_newest_missed_runs)
GOOD(the_oldest_missed_runs)
GOOD(no_missed_one_runs)
GOOD(every_missed_one_runs)
GOOD(what_is_too_old_expires)
GOOD(held_fires_run_one_by_one)
GOOD(held_fires_become_one)
GOOD(a_retry_goes_before_new_fires)

int main(void)
{
    const struct CMUnitTest goods[] = {
        cmocka_unit_test(one_is_skipped_while_another_runs_is_right),
        cmocka_unit_test(the_newest_missed_runs_is_right),
        cmocka_unit_test(the_oldest_missed_runs_is_right),
        cmocka_unit_test(no_missed_one_runs_is_right),
        cmocka_unit_test(every_missed_one_runs_is_right),
        cmocka_unit_test(what_is_too_old_expires_is_right),
        cmocka_unit_test(held_fires_run_one_by_one_is_right),
        cmocka_unit_test(held_fires_become_one_is_right),
        cmocka_unit_test(a_retry_goes_before_new_fires_is_right),
    };

    return run_stories("checker_fires", goods, sizeof goods / sizeof goods[0], spoilts,
                       sizeof spoilts / sizeof spoilts[0]);
}
