/* When jobs fire: once, at intervals, by the clock of odd zones; within bounds, with jitter, and never early. */
#include "ledger.h"

#include "model/schedule.h"

static void a_one_time_job_runs_late_unless_it_is_told_to_skip(void **state)
{
    static const char *const misfires[] = {"fire_now", "fire_latest", "backfill"};

    for (size_t i = 0; i < 3; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'run_at':'2026-04-08T09:01:00Z','misfire':'%s'}", misfires[i]);

        rig_down(rig, 2 * DAY);
        const struct grant *grant = take_minute(rig, "w1", 1);
        assert_int_equal(grant->trigger, job);
        rig_succeed(rig, "w1", grant);
        assert_ledger(rig, job, "1");
        assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
        rig_free(rig);
    }
}

static void a_one_time_job_that_misses_under_skip_ends_with_that_skip(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:01:00Z','misfire':'skip'}");

    rig_wait(rig, 2 * MINUTE + 1);
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "misfire(1)");
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    assert_int_equal(rig_job(rig, job)->fired, 0);
    rig_free(rig);
}

static void a_one_time_job_that_expires_ends_with_that_skip(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'delay':'1m','expires_after':'10s'}");

    rig_wait(rig, MINUTE + 10000);
    assert_ledger(rig, job, "expired(1)");
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void nothing_is_given_before_its_time_to_somebody_who_waits(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'run_at':'2026-04-08T09:01:00.007Z'}");
    turn(rig);
    rig_wait(rig, 59990);
    uint64_t token = rig_poll_waiting(rig, "w1", "default", 1, 30000);
    rig_wait(rig, 16);
    assert_true(still_waits(rig, token));
    rig_wait(rig, 1);
    assert_int_equal(given(rig, token)->due_ms, rig_now(rig));
    rig_free(rig);
}

/* ---- jitter ---- */

static struct schedule every_minute(int64_t jitter_ms)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_EVERY);

    schedule.every_ms = MINUTE;
    schedule.first_ms = minute(1);
    schedule.jitter_ms = jitter_ms;
    return schedule;
}

static void jitter_makes_a_fire_due_later_and_keeps_their_order(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','jitter':'10m'}");
    struct schedule schedule = every_minute(10 * MINUTE);
    int64_t last_due_ms = 0;

    for (int64_t i = 1; i <= 20; i++) {
        int64_t due_ms = schedule_due_ms(&schedule, job, minute(i));

        assert_true(due_ms >= minute(i) && due_ms >= last_due_ms);
        last_due_ms = due_ms;
        if (rig_now(rig) < due_ms) {
            rig_wait(rig, due_ms - 1 - rig_now(rig));
            assert_nothing_to_do(rig);
            rig_wait(rig, 1);
        }
        const struct grant *grant = take_minute(rig, "w1", i);
        assert_int_equal(grant->due_ms, due_ms);
        rig_succeed(rig, "w1", grant);
    }
    assert_int_equal(rig_skip_count(rig, job), 0);
    rig_free(rig);
}

static void lateness_and_expiry_count_from_the_due_time(void **state)
{
    for (int64_t later = 0; later <= 1; later++) {
        struct rig *rig = restless_begin(state);
        uint64_t missed = make(rig, "{'every':'1m','jitter':'1m','misfire':'skip'}");
        struct schedule schedule = every_minute(MINUTE);
        int64_t due_ms = schedule_due_ms(&schedule, missed, minute(1));

        assert_true(due_ms > minute(1));
        rig_wait(rig, due_ms + MINUTE + later - rig_now(rig));
        rig_take(rig, "w1");
        assert_int_equal(rig_skip_count(rig, missed) > 0 && rig_skip(rig, missed, 0)->from_ms == minute(1), later);
        rig_free(rig);

        rig = restless_begin(state);
        uint64_t expired = make(rig, "{'every':'1m','jitter':'1m','expires_after':'30s'}");
        due_ms = schedule_due_ms(&schedule, expired, minute(1));
        rig_wait(rig, due_ms + 29999 + later - rig_now(rig));
        assert_int_equal(rig_skip_count(rig, expired), later);
        rig_free(rig);
    }
}

/* ---- bounds ---- */

static void fires_lie_from_starts_at_to_before_ends_at(void **state)
{
    static const char *const definitions[] = {
        "{'every':'1m','starts_at':'2026-04-08T09:03:00Z','ends_at':'2026-04-08T09:05:00Z'}",
        "{'cron':'* * * * *','starts_at':'2026-04-08T09:03:00Z','ends_at':'2026-04-08T09:05:00Z'}",
    };

    for (size_t i = 0; i < 2; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "%s", definitions[i]);

        for (int k = 0; k < 10; k++) {
            rig_wait(rig, MINUTE);
            run_all(rig);
        }
        assert_ledger(rig, job, "3 4");
        assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
        rig_free(rig);
    }
}

static void max_fires_counts_triggers_and_not_skips(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','max_fires':3,'lease':'1h','timeout':'2h'}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, 3 * MINUTE);
    rig_succeed(rig, "w1", grant);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 5));
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_wait(rig, MINUTE);
    grant = take_minute(rig, "w1", 6);
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_wait(rig, 5 * MINUTE);
    rig_succeed(rig, "w1", grant);
    assert_ledger(rig, job, "1 overlap(2-4 by 1) 5 6");
    assert_int_equal(rig_job(rig, job)->fired, 3);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void max_fires_ends_a_backfill(void **state)
{
    static const char *const overlaps[] = {"skip", "queue", "collapse", "allow"};

    for (size_t i = 0; i < 4; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'every':'1m','max_fires':3,'misfire':'backfill','overlap':'%s'}", overlaps[i]);

        rig_down(rig, 10 * MINUTE);
        assert_int_equal(run_all_at_once(rig) + run_all_at_once(rig) + run_all_at_once(rig), 3);
        assert_ledger(rig, job, "1 2 3");
        assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
        rig_free(rig);
    }
}

/* ---- intervals ---- */

static void intervals_are_counted_from_creation_and_not_from_runs(void **state)
{
    struct rig *rig = restless_begin(state);

    rig_wait(rig, 12345);
    uint64_t job = make(rig, "{'every':'1m'}");
    int64_t created_ms = rig_now(rig);

    for (int64_t i = 1; i <= 5; i++) {
        rig_wait(rig, created_ms + i * MINUTE - 1 - rig_now(rig));
        assert_nothing_to_do(rig);
        rig_wait(rig, 1 + i * 777);
        const struct grant *grant = take(rig, "w1");
        assert_int_equal(grant->scheduled_ms, created_ms + i * MINUTE);
        rig_wait(rig, 1000);
        rig_succeed(rig, "w1", grant);
    }
    assert_int_equal(rig_skip_count(rig, job), 0);
    rig_free(rig);
}

static void after_finish_the_next_fire_is_an_interval_after_the_end(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':{'interval':'5m','after':'finish'},'lease':'1h','timeout':'2h',"
                             "'retry':{'max_attempts':2,'delays':['1m'],'jitter':0}}");

    rig_wait(rig, 5 * MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 5);
    assert_true(rig_job(rig, job)->cursor_ms == TIME_NONE);
    rig_wait(rig, 7 * MINUTE);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 17);
    /* A failure with attempts left is no end: 17 fails, is retried at 18, and dies at 19. */
    rig_wait(rig, 5 * MINUTE);
    rig_fail(rig, "w1", take_minute(rig, "w1", 17));
    assert_true(rig_job(rig, job)->cursor_ms == TIME_NONE);
    rig_wait(rig, MINUTE);
    grant = take_minute(rig, "w1", 17);
    rig_wait(rig, MINUTE);
    rig_fail(rig, "w1", grant);
    assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 24);
    /* A manual run moves nothing. */
    rig_run(rig, job);
    rig_succeed(rig, "w1", take(rig, "w1"));
    assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 24);
    /* A cancelled one has ended too. */
    rig_wait(rig, 5 * MINUTE);
    grant = take_minute(rig, "w1", 24);
    rig_wait(rig, MINUTE);
    rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger);
    assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 30);
    assert_ledger(rig, job, "5 17:dead 24:cancelled");
    rig_free(rig);
}

static void after_finish_counts_its_fires(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':{'interval':'1m','after':'finish'},'max_fires':2}");

    for (int i = 0; i < 5; i++) {
        rig_wait(rig, MINUTE);
        run_all(rig);
    }
    assert_ledger(rig, job, "1 2");
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void after_finish_a_skipped_fire_is_not_the_last(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':{'interval':'5m','after':'finish'},'misfire':'skip'}");

    rig_down(rig, 20 * MINUTE);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "misfire(5)");
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    assert_true(rig_job(rig, job)->cursor_ms != TIME_NONE);
    rig_free(rig);
}

/* ---- the clocks of odd zones ---- */

static void assert_fires(void **state, const char *begin, const char *definition, const char *const *expected)
{
    struct rig *rig = rig_new(begin);

    rig_restart_often(rig, story_restarts());
    make(rig, "%s", definition);
    (void)state;
    for (; *expected != NULL; expected++) {
        rig_wait(rig, rig_instant(*expected) - 1 - rig_now(rig));
        assert_nothing_to_do(rig);
        rig_wait(rig, 1);
        const struct grant *grant = take(rig, "w1");
        assert_int_equal(grant->scheduled_ms, rig_instant(*expected));
        rig_succeed(rig, "w1", grant);
    }
    rig_free(rig);
}

#define FIRES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_time_that_a_gap_swallows_fires_as_the_job_asks(void **state)
{
    rig_free(restless_begin(state));
    assert_fires(state, "2026-03-28T12:00:00Z", "{'cron':'30 2 * * *','timezone':'Europe/Berlin'}",
                 FIRES("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"));
    assert_fires(state, "2026-03-28T12:00:00Z",
                 "{'cron':'30 2 * * *','timezone':'Europe/Berlin','dst':{'gap':'shift','fold':'first'}}",
                 FIRES("2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"));
    assert_fires(state, "2026-03-28T12:00:00Z",
                 "{'cron':'30 2 * * *','timezone':'Europe/Berlin','dst':{'gap':'skip','fold':'first'}}",
                 FIRES("2026-03-30T00:30:00Z"));
    /* Half an hour on Lord Howe Island, two hours at Troll. */
    assert_fires(state, "2026-10-03T00:00:00Z", "{'cron':'15 2 * * *','timezone':'Australia/Lord_Howe'}",
                 FIRES("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"));
    assert_fires(state, "2026-03-28T12:00:00Z", "{'cron':'30 1 * * *','timezone':'Antarctica/Troll'}",
                 FIRES("2026-03-29T01:00:00Z", "2026-03-29T23:30:00Z"));
}

static void a_time_that_comes_twice_fires_as_the_job_asks(void **state)
{
    rig_free(restless_begin(state));
    assert_fires(state, "2026-10-24T12:00:00Z", "{'cron':'30 2 * * *','timezone':'Europe/Berlin'}",
                 FIRES("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"));
    assert_fires(state, "2026-10-24T12:00:00Z",
                 "{'cron':'30 2 * * *','timezone':'Europe/Berlin','dst':{'gap':'after','fold':'both'}}",
                 FIRES("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"));
    assert_fires(state, "2026-04-04T00:00:00Z",
                 "{'cron':'45 1 * * *','timezone':'Australia/Lord_Howe','dst':{'gap':'after','fold':'second'}}",
                 FIRES("2026-04-04T15:15:00Z", "2026-04-05T15:15:00Z"));
}

static void what_follows_the_clock_goes_on_through_gap_and_fold(void **state)
{
    rig_free(restless_begin(state));
    assert_fires(state, "2026-10-24T23:45:00Z", "{'cron':'*/30 * * * *','timezone':'Europe/Berlin'}",
                 FIRES("2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_one_time_job_runs_late_unless_it_is_told_to_skip),
        STORY(a_one_time_job_that_misses_under_skip_ends_with_that_skip),
        STORY(a_one_time_job_that_expires_ends_with_that_skip),
        STORY(nothing_is_given_before_its_time_to_somebody_who_waits),
        STORY(jitter_makes_a_fire_due_later_and_keeps_their_order),
        STORY(lateness_and_expiry_count_from_the_due_time),
        STORY(fires_lie_from_starts_at_to_before_ends_at),
        STORY(max_fires_counts_triggers_and_not_skips),
        STORY(max_fires_ends_a_backfill),
        STORY(intervals_are_counted_from_creation_and_not_from_runs),
        STORY(after_finish_the_next_fire_is_an_interval_after_the_end),
        STORY(after_finish_counts_its_fires),
        STORY(after_finish_a_skipped_fire_is_not_the_last),
        STORY(a_time_that_a_gap_swallows_fires_as_the_job_asks),
        STORY(a_time_that_comes_twice_fires_as_the_job_asks),
        STORY(what_follows_the_clock_goes_on_through_gap_and_fold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
