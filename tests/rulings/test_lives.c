/* Pause, cancel, delete, completed; runs by hand, backfills, replays, retries and discards. */
#include "ledger.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"
#define ONE_TRY "'retry':{'max_attempts':1,'delays':['1s'],'jitter':0}"

/* ---- pause ---- */

static void a_resumed_job_follows_its_misfire_policy(void **state)
{
    static const struct {
        const char *misfire;
        const char *expected;
    } cases[] = {
        {"fire_now", "1 misfire(2-4) overlap(5 by 1)"},
        {"fire_latest", "misfire(1-3) 4 overlap(5 by 4)"},
        {"skip", "misfire(1-4) 5"},
        {"backfill", "1 2 3 4 overlap(5 by 4)"},
    };

    for (size_t i = 0; i < 4; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'every':'1m','misfire':'%s'}", cases[i].misfire);

        assert_jobs(rig_status(rig, job, JOB_PAUSED));
        rig_wait(rig, 5 * MINUTE + MINUTE / 2);
        assert_nothing_to_do(rig);
        assert_ledger(rig, job, "");
        assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 1);
        assert_jobs(rig_status(rig, job, JOB_ACTIVE));
        run_all(rig);
        assert_true(is_ledger(cases[i].misfire, rig, job, cases[i].expected));
        rig_free(rig);
    }
}

static void pause_stops_retries_and_not_runs(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','overlap':'allow'," LONG_RUN
                             ",'retry':{'max_attempts':2,'delays':['1m'],'jitter':0}}");

    rig_wait(rig, HOUR);
    rig_fail(rig, "w1", take(rig, "w1"));
    uint64_t run = rig_run(rig, job);
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->trigger, run);
    rig_status(rig, job, JOB_PAUSED);
    rig_wait(rig, 2 * MINUTE);
    assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
    assert_nothing_to_do(rig);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, run)->state, TRIGGER_SUCCEEDED);
    rig_status(rig, job, JOB_ACTIVE);
    assert_int_equal(take_minute(rig, "w1", 60)->number, 2);
    rig_free(rig);
}

static void a_run_that_ends_during_a_pause_holds_what_was_due(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue','misfire':'skip'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, MINUTE / 2);
    rig_status(rig, job, JOB_PAUSED);
    rig_wait(rig, 2 * MINUTE);
    rig_succeed(rig, "w1", grant);
    assert_nothing_to_do(rig);
    assert_int_equal(minutes(rig_job(rig, job)->held_to_ms), 3);
    rig_status(rig, job, JOB_ACTIVE);
    assert_int_equal(run_all(rig), 2);
    assert_ledger(rig, job, "1 2 3");
    rig_free(rig);
}

/* ---- cancel ---- */

static void cancelling_a_job_ends_what_waits_and_stops_what_runs(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    uint64_t run = rig_run(rig, job);
    rig_wait(rig, 2 * MINUTE);
    const struct reply *reply = rig_status(rig, job, JOB_CANCELLED);
    assert_jobs(reply);
    assert_int_equal(reply->jobs[0].status, JOB_CANCELLED);
    assert_int_equal(rig_trigger(rig, run)->state, TRIGGER_CANCELLED);
    assert_int_equal(rig_trigger(rig, grant->trigger)->state, TRIGGER_CANCELLED);
    assert_int_equal(rig_trigger(rig, grant->trigger)->last.state, ATTEMPT_CANCELLED);
    assert_ledger(rig, job, "1:cancelled cancelled(2-3)");
    rig_wait(rig, HOUR / 2);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "1:cancelled cancelled(2-3)");
    rig_free(rig);
}

static void the_worker_of_a_cancelled_job_is_told(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    turn(rig);
    rig_status(rig, job, JOB_CANCELLED);
    assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
    assert_true(refused(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    rig_free(rig);
}

static void cancelled_is_final(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    rig_status(rig, job, JOB_CANCELLED);
    assert_error(rig_status(rig, job, JOB_ACTIVE), ERR_CONFLICT);
    assert_error(rig_status(rig, job, JOB_PAUSED), ERR_CONFLICT);
    patch(rig, job, "{'every':'2m'}");
    assert_int_equal(rig_job(rig, job)->status, JOB_CANCELLED);
    rig_wait(rig, 10 * MINUTE);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void a_one_time_job_is_cancelled_only_before_it_is_claimed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'delay':'1m'}");

    assert_jobs(rig_status(rig, job, JOB_CANCELLED));
    rig_wait(rig, MINUTE);
    assert_nothing_to_do(rig);

    job = make(rig, "{'retry':{'max_attempts':2,'delays':['1m'],'jitter':0}}");
    const struct grant *grant = take_of(rig, "w1", job);
    assert_error(rig_status(rig, job, JOB_CANCELLED), ERR_CONFLICT);
    rig_fail(rig, "w1", grant);
    assert_error(rig_status(rig, job, JOB_CANCELLED), ERR_CONFLICT);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", job));
    assert_error(rig_status(rig, job, JOB_CANCELLED), ERR_CONFLICT);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void a_cancelled_trigger_is_stopped_alone(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    uint64_t run = rig_run(rig, job);
    turn(rig);
    assert_int_equal(rig_trigger_command(rig, COMMAND_CANCEL, run)->trigger_count, 1);
    assert_int_equal(rig_trigger(rig, run)->state, TRIGGER_CANCELLED);
    assert_int_equal(rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger)->trigger_count, 1);
    assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
    turn(rig);
    assert_int_equal(rig_trigger(rig, grant->trigger)->state, TRIGGER_CANCELLED);
    rig_trigger_command(rig, COMMAND_CANCEL, run);
    assert_int_equal(rig_trigger(rig, run)->state, TRIGGER_CANCELLED);
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_wait(rig, MINUTE);
    take_minute(rig, "w2", 2);
    rig_free(rig);
}

/* ---- delete and completed ---- */

static void a_job_goes_at_once_with_what_runs(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'name':'a','every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    uint64_t run = rig_run(rig, job);
    assert_jobs(rig_delete(rig, job));
    assert_null(rig_job(rig, job));
    assert_error(rig_delete(rig, job), ERR_NOT_FOUND);
    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED)->refused_count, 1);
    rig_wait(rig, HOUR);
    assert_nothing_to_do(rig);
    const struct trigger_row *row = rig_trigger(rig, run);
    assert_true(row == NULL || trigger_ended(row->state));
    /* The name is free. */
    uint64_t other = make(rig, "{'name':'a','every':'2m'}");
    assert_int_not_equal(other, job);
    rig_free(rig);
}

static void a_job_that_others_depend_on_stays(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");

    assert_error(rig_delete(rig, a), ERR_CONFLICT);
    assert_jobs(rig_delete(rig, b));
    assert_jobs(rig_delete(rig, a));
    assert_int_equal(rig_dump(rig)->jobs.count, 0);
    rig_free(rig);
}

static void a_job_is_completed_when_its_last_trigger_has_ended(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','max_fires':1," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_run(rig, job);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_succeed(rig, "w1", take(rig, "w1"));
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    /* A run by hand leaves it completed. */
    uint64_t run = rig_run(rig, job);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    grant = take(rig, "w1");
    assert_int_equal(grant->trigger, run);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

/* ---- by hand ---- */

static void runs_by_hand_wait_for_the_run_that_is_out_in_their_order(void **state)
{
    static const char *const overlaps[] = {"skip", "queue", "collapse"};

    for (size_t i = 0; i < 3; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'every':'1h','overlap':'%s'," LONG_RUN "}", overlaps[i]);
        uint64_t runs[3];

        rig_wait(rig, HOUR);
        const struct grant *grant = take(rig, "w1");
        for (size_t k = 0; k < 3; k++) {
            runs[k] = rig_run(rig, job);
            rig_wait(rig, 1);
        }
        assert_nothing_to_do(rig);
        rig_succeed(rig, "w1", grant);
        for (size_t k = 0; k < 3; k++) {
            grant = take(rig, "w1");
            assert_int_equal(grant->trigger, runs[k]);
            assert_nothing_to_do(rig);
            rig_succeed(rig, "w1", grant);
        }
        assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 120);
        assert_int_equal(rig_job(rig, job)->fired, 1);
        rig_free(rig);
    }
}

static void a_run_by_hand_may_have_a_payload_of_its_own(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','payload':{'n':1}}");
    struct command command = {.kind = COMMAND_RUN, .ref = {.id = job}, .text = STR("{\"n\": 20000000000000000001}")};

    assert_int_equal(rig_command(rig, &command)->kind, REPLY_TRIGGERS);
    const struct grant *grant = take(rig, "w1");
    assert_true(str_equal(grant->payload, STR("{\"n\": 20000000000000000001}")));
    rig_free(rig);
}

static void a_backfill_fills_what_has_neither_succeeded_nor_lives(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * *','overlap':'skip'," LONG_RUN "," ONE_TRY "}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 1));
    rig_wait(rig, MINUTE);
    rig_fail(rig, "w1", take_minute(rig, "w1", 2));
    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 3);
    rig_wait(rig, MINUTE); /* 4 is skipped */
    rig_succeed(rig, "w1", grant);
    rig_wait(rig, MINUTE);
    grant = take_minute(rig, "w1", 5);
    rig_wait(rig, MINUTE / 4);
    /* Wanted: 2 and 4. Not: 1 and 3, which succeeded, and 5, which runs. */
    const struct reply *reply = rig_backfill(rig, job, "2026-04-08T09:00:30Z", "2026-04-08T09:05:10Z");
    assert_int_equal(reply->kind, REPLY_TRIGGERS);
    assert_int_equal(reply->trigger_count, 2);
    assert_int_equal(reply->not_needed, 3);
    assert_int_equal(minutes(rig_trigger(rig, reply->triggers[0])->scheduled_ms), 2);
    assert_int_equal(minutes(rig_trigger(rig, reply->triggers[1])->scheduled_ms), 4);
    assert_int_equal(rig_trigger(rig, reply->triggers[1])->kind, TRIGGER_BACKFILL);
    /* The same again finds them alive; and succeeded. */
    reply = rig_backfill(rig, job, "2026-04-08T09:00:30Z", "2026-04-08T09:05:10Z");
    assert_int_equal(reply->trigger_count, 0);
    assert_int_equal(reply->not_needed, 5);
    rig_succeed(rig, "w1", grant);
    take_minute(rig, "w1", 2);
    rig_free(rig);
}

static void a_backfill_reaches_back_before_the_job_was_made(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * *'}");
    const struct reply *reply = rig_backfill(rig, job, "2026-04-08T07:00:30Z", "2026-04-08T07:10:30Z");

    assert_int_equal(reply->trigger_count, 10);
    assert_int_equal(reply->not_needed, 0);
    for (int64_t i = -119; i < -109; i++) {
        const struct grant *grant = take_minute(rig, "w1", i);
        assert_int_equal(grant->kind, TRIGGER_BACKFILL);
        assert_nothing_to_do(rig);
        rig_succeed(rig, "w1", grant);
    }
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(1));
    rig_free(rig);
}

static void a_replay_is_a_new_trigger_with_a_fresh_budget(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','retry':{'max_attempts':2,'delays':['1s'],'jitter':0}}");

    rig_wait(rig, HOUR);
    const struct grant *grant = take(rig, "w1");
    rig_fail(rig, "w1", grant);
    rig_wait(rig, 1000);
    rig_fail(rig, "w1", take(rig, "w1"));
    assert_ledger(rig, job, "60:dead");
    const struct reply *reply = rig_trigger_command(rig, COMMAND_REPLAY, grant->trigger);
    assert_int_equal(reply->trigger_count, 1);
    const struct grant *replay = take_minute(rig, "w1", 60);
    assert_int_equal(replay->trigger, reply->triggers[0]);
    assert_int_not_equal(replay->trigger, grant->trigger);
    assert_int_equal(replay->kind, TRIGGER_REPLAY);
    assert_int_equal(replay->replay_of, grant->trigger);
    assert_int_equal(replay->failures, 0);
    assert_int_equal(replay->number, 1);
    assert_int_equal(rig_trigger_command(rig, COMMAND_REPLAY, replay->trigger)->not_needed, 1);
    rig_succeed(rig, "w1", replay);
    assert_int_equal(rig_trigger_command(rig, COMMAND_REPLAY, replay->trigger)->not_needed, 1);
    assert_ledger(rig, job, "60:dead");
    rig_free(rig);
}

static void retry_is_for_backoff_and_for_the_dead(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','retry':{'max_attempts':2,'delays':['20m'],'jitter':0}}");

    rig_wait(rig, HOUR);
    const struct grant *grant = take(rig, "w1");
    assert_error(rig_trigger_command(rig, COMMAND_RETRY, grant->trigger), ERR_CONFLICT);
    rig_fail(rig, "w1", grant);
    assert_nothing_to_do(rig);
    assert_int_equal(rig_trigger_command(rig, COMMAND_RETRY, grant->trigger)->triggers[0], grant->trigger);
    const struct grant *again = take(rig, "w1");
    assert_int_equal(again->trigger, grant->trigger);
    assert_int_equal(again->number, 2);
    rig_fail(rig, "w1", again);
    uint64_t replay = rig_trigger_command(rig, COMMAND_RETRY, grant->trigger)->triggers[0];
    assert_int_not_equal(replay, grant->trigger);
    assert_error(rig_trigger_command(rig, COMMAND_RETRY, replay), ERR_CONFLICT);
    again = take(rig, "w1");
    assert_int_equal(again->replay_of, grant->trigger);
    rig_succeed(rig, "w1", again);
    assert_error(rig_trigger_command(rig, COMMAND_RETRY, replay), ERR_CONFLICT);
    (void)job;
    rig_free(rig);
}

static void a_discarded_dead_letter_is_gone(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," ONE_TRY "}");

    rig_wait(rig, MINUTE);
    const struct grant *dead = take(rig, "w1");
    rig_fail(rig, "w1", dead);
    rig_wait(rig, MINUTE);
    const struct grant *good = take(rig, "w1");
    rig_succeed(rig, "w1", good);
    struct command command = {
        .kind = COMMAND_DISCARD, .triggers = (const uint64_t[]){dead->trigger, good->trigger}, .trigger_count = 2};
    const struct reply *reply = rig_command(rig, &command);
    assert_int_equal(reply->trigger_count, 1);
    assert_int_equal(reply->not_needed, 1);
    assert_null(rig_trigger(rig, dead->trigger));
    assert_ledger(rig, job, "2");
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_resumed_job_follows_its_misfire_policy),
        STORY(pause_stops_retries_and_not_runs),
        STORY(a_run_that_ends_during_a_pause_holds_what_was_due),
        STORY(cancelling_a_job_ends_what_waits_and_stops_what_runs),
        STORY(the_worker_of_a_cancelled_job_is_told),
        STORY(cancelled_is_final),
        STORY(a_one_time_job_is_cancelled_only_before_it_is_claimed),
        STORY(a_cancelled_trigger_is_stopped_alone),
        STORY(a_job_goes_at_once_with_what_runs),
        STORY(a_job_that_others_depend_on_stays),
        STORY(a_job_is_completed_when_its_last_trigger_has_ended),
        STORY(runs_by_hand_wait_for_the_run_that_is_out_in_their_order),
        STORY(a_run_by_hand_may_have_a_payload_of_its_own),
        STORY(a_backfill_fills_what_has_neither_succeeded_nor_lives),
        STORY(a_backfill_reaches_back_before_the_job_was_made),
        STORY(a_replay_is_a_new_trigger_with_a_fresh_budget),
        STORY(retry_is_for_backoff_and_for_the_dead),
        STORY(a_discarded_dead_letter_is_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
