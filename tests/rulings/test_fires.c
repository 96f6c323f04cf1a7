/* What becomes of a fire, for every overlap and misfire policy: due while a run goes on, missed while nobody asked, and
 * both. The expectations were worked out by hand from the rulings; ledger.h says how to read them. */
#include "ledger.h"

#include <stdio.h>

static const char *const overlaps[] = {"skip", "queue", "collapse", "allow"};
static const char *const misfires[] = {"fire_now", "fire_latest", "skip", "backfill"};

enum { ALLOW = 3 };

/* A cell that is NULL is not asked. */
typedef void telling(struct rig *rig, bool is_allowed);

static bool tell_one(void **state, telling *tell, size_t overlap, size_t misfire, const char *expected)
{
    if (expected == NULL) {
        return true;
    }
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'%s','misfire':'%s','lease':'1h','timeout':'2h'}",
                        overlaps[overlap], misfires[misfire]);
    char label[64];

    (void)snprintf(label, sizeof label, "overlap %s, misfire %s", overlaps[overlap], misfires[misfire]);
    tell(rig, overlap == ALLOW);
    bool is_right = is_ledger(label, rig, job, expected);
    rig_free(rig);
    return is_right;
}

static void tell_each(void **state, telling *tell, const char *const expected[4][4])
{
    size_t wrong = 0;

    for (size_t overlap = 0; overlap < 4; overlap++) {
        for (size_t misfire = 0; misfire < 4; misfire++) {
            wrong += !tell_one(state, tell, overlap, misfire, expected[overlap][misfire]);
        }
    }
    assert_int_equal(wrong, 0);
}

static void run_what_is_left(struct rig *rig, bool is_allowed)
{
    if (is_allowed) {
        run_all_at_once(rig);
        assert_nothing_to_do(rig);
    } else {
        run_all(rig);
    }
}

/* The first fire runs from 1:00 to 5:30; another worker asks at every fire. */
static void tell_a_long_run(struct rig *rig, bool is_allowed)
{
    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);

    for (int64_t i = 2; i <= 5; i++) {
        rig_wait(rig, MINUTE);
        const struct grant *other = rig_take(rig, "w2");

        assert_int_equal(other != NULL, is_allowed);
        if (other != NULL) {
            assert_int_equal(minutes(other->scheduled_ms), i);
            rig_succeed(rig, "w2", other);
        }
    }
    rig_wait(rig, MINUTE / 2);
    rig_succeed(rig, "w1", grant);
    run_what_is_left(rig, is_allowed);
}

static void a_fire_that_is_due_while_a_run_goes_on_follows_the_overlap_policy_alone(void **state)
{
    static const char *const expected[4][4] = {
        {"1 overlap(2-5 by 1)", "1 overlap(2-5 by 1)", "1 overlap(2-5 by 1)", "1 overlap(2-5 by 1)"},
        {"1 2 3 4 5", "1 2 3 4 5", "1 2 3 4 5", "1 2 3 4 5"},
        {"1 collapsed(2-4) 5", "1 collapsed(2-4) 5", "1 collapsed(2-4) 5", "1 collapsed(2-4) 5"},
        {"1 2 3 4 5", "1 2 3 4 5", "1 2 3 4 5", "1 2 3 4 5"},
    };

    tell_each(state, tell_a_long_run, expected);
}

/* The same when nobody steps the engine while the run goes on, and when the server is down meanwhile. */
static void tell_a_long_run_unseen(struct rig *rig, bool is_allowed)
{
    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);

    rig_sleep(rig, 4 * MINUTE + MINUTE / 2);
    rig_succeed(rig, "w1", grant);
    run_what_is_left(rig, is_allowed);
}

static void tell_a_long_run_in_downtime(struct rig *rig, bool is_allowed)
{
    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);

    rig_down(rig, 4 * MINUTE + MINUTE / 2);
    rig_succeed(rig, "w1", grant);
    run_what_is_left(rig, is_allowed);
}

/* allow is not asked: it has no run to wait for, and nobody asked for its fires in time. */
static void a_run_that_outlives_the_server_blocks_all_the_same(void **state)
{
    static const char *const expected[4][4] = {
        {"1 overlap(2-5 by 1)", "1 overlap(2-5 by 1)", "1 overlap(2-5 by 1)", "1 overlap(2-5 by 1)"},
        {"1 2 3 4 5", "1 2 3 4 5", "1 2 3 4 5", "1 2 3 4 5"},
        {"1 collapsed(2-4) 5", "1 collapsed(2-4) 5", "1 collapsed(2-4) 5", "1 collapsed(2-4) 5"},
        {NULL, NULL, NULL, NULL},
    };

    tell_each(state, tell_a_long_run_unseen, expected);
    tell_each(state, tell_a_long_run_in_downtime, expected);
}

/* Nobody asks before 5:30. Fires 1 to 4 are missed then, 5 is half a minute late: on time. */
static void tell_no_worker(struct rig *rig, bool is_allowed)
{
    for (int i = 0; i < 11; i++) {
        rig_wait(rig, MINUTE / 2);
    }
    run_what_is_left(rig, is_allowed);
}

static void tell_stopped(struct rig *rig, bool is_allowed)
{
    rig_sleep(rig, 5 * MINUTE + MINUTE / 2);
    run_what_is_left(rig, is_allowed);
}

static void tell_down(struct rig *rig, bool is_allowed)
{
    rig_down(rig, 5 * MINUTE + MINUTE / 2);
    run_what_is_left(rig, is_allowed);
}

static const char *const missed[4][4] = {
    {"1 misfire(2-4) overlap(5 by 1)", "misfire(1-3) 4 overlap(5 by 4)", "misfire(1-4) 5", "1 2 3 4 overlap(5 by 4)"},
    {"1 misfire(2-4) 5", "misfire(1-3) 4 5", "misfire(1-4) 5", "1 2 3 4 5"},
    {"1 misfire(2-4) 5", "misfire(1-3) 4 5", "misfire(1-4) 5", "1 2 3 4 5"},
    {"1 misfire(2-4) 5", "misfire(1-3) 4 5", "misfire(1-4) 5", "1 2 3 4 5"},
};

static void fires_that_no_worker_asked_for_follow_the_misfire_policy(void **state)
{
    tell_each(state, tell_no_worker, missed);
}

static void fires_of_a_stopped_engine_follow_the_misfire_policy(void **state)
{
    tell_each(state, tell_stopped, missed);
}

static void fires_of_a_server_that_was_down_follow_the_misfire_policy(void **state)
{
    tell_each(state, tell_down, missed);
}

/* Nobody asks before 5:30; the run that begins then lasts until 8:30, while another worker asks at every fire. */
static void tell_both(struct rig *rig, bool is_allowed)
{
    rig_sleep(rig, 5 * MINUTE + MINUTE / 2);
    const struct grant *grant = take(rig, "w1");

    if (is_allowed) {
        run_all_at_once(rig);
    }
    rig_wait(rig, MINUTE / 2);
    for (int64_t i = 6; i <= 8; i++) {
        const struct grant *other = rig_take(rig, "w2");

        assert_int_equal(other != NULL, is_allowed);
        if (other != NULL) {
            assert_int_equal(minutes(other->scheduled_ms), i);
            rig_succeed(rig, "w2", other);
        }
        rig_wait(rig, i < 8 ? MINUTE : MINUTE / 2);
    }
    rig_succeed(rig, "w1", grant);
    run_what_is_left(rig, is_allowed);
}

static void missed_fires_and_those_of_a_long_run_each_follow_their_own_policy(void **state)
{
    static const char *const expected[4][4] = {
        {"1 misfire(2-4) overlap(5-8 by 1)", "misfire(1-3) 4 overlap(5-8 by 4)", "misfire(1-4) 5 overlap(6-8 by 5)",
         "1 2 3 4 overlap(5-8 by 4)"},
        {"1 misfire(2-4) 5 6 7 8", "misfire(1-3) 4 5 6 7 8", "misfire(1-4) 5 6 7 8", "1 2 3 4 5 6 7 8"},
        {"1 misfire(2-4) collapsed(5-7) 8", "misfire(1-3) 4 collapsed(5-7) 8", "misfire(1-4) 5 collapsed(6-7) 8",
         "1 2 3 4 collapsed(5-7) 8"},
        {"1 misfire(2-4) 5 6 7 8", "misfire(1-3) 4 5 6 7 8", "misfire(1-4) 5 6 7 8", "1 2 3 4 5 6 7 8"},
    };

    tell_each(state, tell_both, expected);
}

static void a_fire_exactly_misfire_after_late_is_on_time(void **state)
{
    for (int64_t later = 0; later <= 1; later++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'every':'1h','misfire':'skip','misfire_after':'90s'}");

        rig_wait(rig, HOUR + 90000 + later);
        assert_int_equal(run_all(rig), 1 - later);
        assert_ledger(rig, job, later == 0 ? "60" : "misfire(60)");
        rig_free(rig);
    }
}

static void a_fire_is_undecided_until_somebody_claims_it(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','misfire':'skip'}");

    rig_wait(rig, 10 * MINUTE);
    assert_ledger(rig, job, "");
    assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 1);
    assert_int_equal(run_all(rig), 1);
    /* 9 is exactly a minute late: not missed, but due when the run for it is asked for; so is 10. */
    assert_ledger(rig, job, "misfire(1-8) 9 overlap(10 by 9)");
    assert_int_equal(minutes(rig_job(rig, job)->cursor_ms), 11);
    rig_free(rig);
}

static void the_end_of_a_run_stores_which_fires_were_held(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue','misfire':'skip','lease':'1h','timeout':'2h'}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, 2 * MINUTE + 1);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(minutes(rig_job(rig, job)->held_to_ms), 3);
    /* Held fires never become misfires, however late they are claimed; 4 to 8 became due while nothing ran. */
    rig_wait(rig, 6 * MINUTE);
    grant = take_minute(rig, "w1", 2);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(trigger_of(rig, job, 2)->state, TRIGGER_SUCCEEDED);
    take_minute(rig, "w1", 3);
    rig_free(rig);
}

static void a_backfill_stores_how_far_it_goes(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','misfire':'backfill','lease':'1h','timeout':'2h'}");

    rig_sleep(rig, 5 * MINUTE + MINUTE / 2);
    const struct grant *grant = take_minute(rig, "w1", 1);
    assert_int_equal(minutes(rig_job(rig, job)->missed_to_ms), 4);
    rig_wait(rig, 3 * MINUTE);
    rig_succeed(rig, "w1", grant);
    take_minute(rig, "w1", 2);
    rig_free(rig);
}

static void a_retry_goes_ahead_of_new_fires_and_waits_for_the_run_that_is_out(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','lease':'1h','timeout':'2h',"
                             "'retry':{'max_attempts':2,'delays':['90s'],'jitter':0}}");

    rig_wait(rig, MINUTE);
    rig_fail(rig, "w1", take_minute(rig, "w1", 1));
    /* A trigger in backoff does not count: 2 runs. */
    rig_wait(rig, MINUTE);
    const struct grant *second = take_minute(rig, "w1", 2);
    rig_wait(rig, 2 * MINUTE);
    assert_nothing_to_do(rig);
    rig_succeed(rig, "w1", second);
    const struct grant *again = take_minute(rig, "w1", 1);
    assert_int_equal(again->number, 2);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", again);
    assert_ledger(rig, job, "1 2 overlap(3-4 by 2) overlap(5 by 1)");
    rig_free(rig);
}

static void under_queue_the_previous_trigger_must_have_ended_for_good(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job =
        make(rig, "{'every':'1m','overlap':'queue','retry':{'max_attempts':2,'delays':['150s'],'jitter':0}}");

    rig_wait(rig, MINUTE);
    rig_fail(rig, "w1", take_minute(rig, "w1", 1));
    rig_wait(rig, 149999);
    assert_nothing_to_do(rig);
    rig_wait(rig, 1);
    const struct grant *again = take_minute(rig, "w1", 1);
    assert_int_equal(again->number, 2);
    rig_succeed(rig, "w1", again);
    assert_int_equal(run_all(rig), 2);
    assert_ledger(rig, job, "1 2 3");
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_fire_that_is_due_while_a_run_goes_on_follows_the_overlap_policy_alone),
        STORY(a_run_that_outlives_the_server_blocks_all_the_same),
        STORY(fires_that_no_worker_asked_for_follow_the_misfire_policy),
        STORY(fires_of_a_stopped_engine_follow_the_misfire_policy),
        STORY(fires_of_a_server_that_was_down_follow_the_misfire_policy),
        STORY(missed_fires_and_those_of_a_long_run_each_follow_their_own_policy),
        STORY(a_fire_exactly_misfire_after_late_is_on_time),
        STORY(a_fire_is_undecided_until_somebody_claims_it),
        STORY(the_end_of_a_run_stores_which_fires_were_held),
        STORY(a_backfill_stores_how_far_it_goes),
        STORY(a_retry_goes_ahead_of_new_fires_and_waits_for_the_run_that_is_out),
        STORY(under_queue_the_previous_trigger_must_have_ended_for_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
