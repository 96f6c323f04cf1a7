/* Retries: backoff, budgets, time-outs, and what becomes of dead letters by themselves. */
#include "story.h"

#define HOUR_MS 3600000

static void fails_and_comes_back_after(struct rig *rig, int64_t ms)
{
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_fail(rig, "w1", grant);
    turn(rig);
    rig_wait(rig, ms - 1);
    assert_null(rig_take(rig, "w1"));
    turn(rig);
    rig_wait(rig, 1);
}

/* ---- backoff ---- */

static void delays_are_taken_one_by_one_and_the_last_repeats(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':5,'delays':['10s','20s'],'jitter':0}}");

    fails_and_comes_back_after(rig, 10000);
    fails_and_comes_back_after(rig, 20000);
    fails_and_comes_back_after(rig, 20000);
    fails_and_comes_back_after(rig, 20000);
    rig_fail(rig, "w1", take_number(rig, "w1", 5));
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    assert_true(str_is(rig_trigger(rig, job)->reason, "exhausted"));
    rig_free(rig);
}

static void a_formula_grows_up_to_its_maximum(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':6,'base':'1s','factor':2,'max':'5s','jitter':0}}");

    fails_and_comes_back_after(rig, 1000);
    fails_and_comes_back_after(rig, 2000);
    fails_and_comes_back_after(rig, 4000);
    fails_and_comes_back_after(rig, 5000);
    fails_and_comes_back_after(rig, 5000);
    rig_fail(rig, "w1", take_number(rig, "w1", 6));
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    rig_free(rig);
}

static void jitter_only_adds_stays_in_its_bound_and_differs(void **state)
{
    struct rig *rig = story_begin(state);
    int64_t least = INT64_MAX;
    int64_t most = 0;

    for (int i = 0; i < 50; i++) {
        uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['10s'],'jitter':0.5}}");
        rig_fail(rig, "w1", take(rig, "w1"));
        int64_t delay = rig_trigger(rig, job)->due_ms - rig_now(rig);

        assert_in_range(delay, 10000, 15000);
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
    }
    turn(rig);
    assert_true(most - least > 1000);
    rig_wait(rig, 9999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 5001);
    assert_int_equal(rig_poll(rig, "w1", "default", 100)->grant_count, 50);
    rig_free(rig);
}

static void a_retry_can_be_pulled_forward_by_hand(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['1h'],'jitter':0}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, 1000);
    assert_int_equal(rig_trigger_command(rig, COMMAND_RETRY, job)->kind, REPLY_TRIGGERS);
    turn(rig);
    take_number(rig, "w1", 2);
    assert_int_equal(rig_trigger_command(rig, COMMAND_RETRY, job)->kind, REPLY_ERROR);
    rig_free(rig);
}

static const struct reply *fail_with(struct rig *rig, const struct grant *grant, bool is_permanent,
                                     int64_t retry_after_ms)
{
    struct report report = {.trigger = grant->trigger,
                            .number = grant->number,
                            .state = ATTEMPT_FAILED,
                            .error_code = STR("http_503"),
                            .error_message = STR("no"),
                            .is_permanent = is_permanent,
                            .retry_after_ms = retry_after_ms};

    return rig_report_full(rig, "w1", &report);
}

static void a_permanent_error_is_not_tried_again(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    assert_int_equal(fail_with(rig, grant, true, 0)->refused_count, 0);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    assert_true(str_is(rig_trigger(rig, job)->reason, "permanent"));
    assert_true(str_is(rig_trigger(rig, job)->last.error_code, "http_503"));
    assert_int_equal(rig_trigger(rig, job)->failures, 1);
    turn(rig);
    rig_wait(rig, HOUR_MS);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void retry_after_holds_when_it_is_longer_than_the_backoff(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':9,'delays':['10s'],'jitter':0}}");

    fail_with(rig, take(rig, "w1"), false, 60000);
    assert_int_equal(rig_trigger(rig, job)->due_ms, rig_now(rig) + 60000);
    turn(rig);
    rig_wait(rig, 59999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    fail_with(rig, take(rig, "w1"), false, 1000);
    assert_int_equal(rig_trigger(rig, job)->due_ms, rig_now(rig) + 10000);
    rig_free(rig);
}

static void retry_after_is_at_most_a_day(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':9,'delays':['10s'],'jitter':0}}");

    fail_with(rig, take(rig, "w1"), false, 48LL * HOUR_MS);
    assert_int_equal(rig_trigger(rig, job)->due_ms, rig_now(rig) + 24LL * HOUR_MS);
    turn(rig);
    rig_wait(rig, 24LL * HOUR_MS);
    take_number(rig, "w1", 2);
    rig_free(rig);
}

static void retry_after_does_not_lengthen_the_budget(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':1}}");

    fail_with(rig, take(rig, "w1"), false, 1000);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    rig_free(rig);
}

/* ---- the budget ---- */

static void only_failed_and_timed_out_count_for_the_budget(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'timeout':'10s','lease':'5s','retry':{'max_attempts':2,'delays':['1s'],'jitter':0}}");

    take_number(rig, "gone", 1);
    turn(rig);
    rig_wait(rig, 5000);
    turn(rig);
    rig_report(rig, "w1", take_number(rig, "w1", 2), ATTEMPT_RELEASED);
    turn(rig);
    rig_fail(rig, "w1", take_number(rig, "w1", 3));
    turn(rig);
    rig_wait(rig, 1000);
    take_number(rig, "gone2", 4);
    turn(rig);
    rig_wait(rig, 5000);
    turn(rig);
    const struct grant *last = take_number(rig, "w1", 5);
    assert_int_equal(last->failures, 1);
    turn(rig);
    rig_wait(rig, 4000);
    rig_renew(rig, "w1");
    rig_wait(rig, 4000);
    rig_renew(rig, "w1");
    turn(rig);
    rig_wait(rig, 2000);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    assert_true(str_is(rig_trigger(rig, job)->reason, "exhausted"));
    assert_int_equal(rig_trigger(rig, job)->failures, 2);
    assert_int_equal(rig_trigger(rig, job)->last.state, ATTEMPT_TIMED_OUT);
    rig_free(rig);
}

static void the_budget_follows_the_current_definition(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    patch(rig, job, "{'retry':{'max_attempts':2,'delays':['1s'],'jitter':0}}");
    turn(rig);
    rig_wait(rig, 1000);
    const struct grant *grant = take_number(rig, "w1", 2);
    assert_int_equal(grant->max_attempts, 2);
    rig_fail(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    rig_free(rig);
}

/* ---- time-outs ---- */

#define TIMED "{'timeout':'10s','retry':{'max_attempts':3,'delays':['1s'],'jitter':0}}"

static void an_attempt_times_out_however_it_is_renewed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, TIMED);
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_wait(rig, 9000);
    assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
    turn(rig);
    rig_wait(rig, 1000);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_PENDING);
    assert_int_equal(rig_trigger(rig, job)->failures, 1);
    assert_int_equal(rig_trigger(rig, job)->last.state, ATTEMPT_TIMED_OUT);
    assert_int_equal(rig_trigger(rig, job)->last.ended_ms, rig_now(rig));
    assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
    rig_free(rig);
}

static void a_timeout_counts_from_the_stored_start_after_a_restart(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'timeout':'60s'}");

    take(rig, "w1");
    rig_wait(rig, 25000);
    rig_renew(rig, "w1");
    rig_restart(rig);
    rig_wait(rig, 25000);
    rig_renew(rig, "w1");
    rig_restart(rig);
    rig_wait(rig, 9999);
    assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
    rig_wait(rig, 1);
    assert_int_equal(rig_trigger(rig, job)->last.state, ATTEMPT_TIMED_OUT);
    rig_free(rig);
}

static void a_timeout_that_passed_while_nobody_looked_is_noticed_after_the_restart(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'timeout':'60s'}");
    const struct grant *grant = take(rig, "w1");

    rig_wait(rig, 25000);
    rig_renew(rig, "w1");
    rig_wait(rig, 25000);
    rig_renew(rig, "w1");
    rig_restart(rig);
    rig_sleep(rig, 20000);
    assert_int_equal(rig_trigger(rig, job)->last.state, ATTEMPT_TIMED_OUT);
    assert_true(refused(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    rig_free(rig);
}

static void the_retry_of_a_timed_out_attempt_waits_until_its_lease_has_ended(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, TIMED);

    take(rig, "w1");
    rig_wait(rig, 5000);
    rig_renew(rig, "w1");
    turn(rig);
    rig_wait(rig, 29999);
    assert_null(rig_take(rig, "w2"));
    assert_true(names(rig_why_trigger(rig, job), WHY_DROP));
    rig_wait(rig, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void the_retry_of_a_timed_out_attempt_is_due_when_its_worker_has_dropped_it(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, TIMED);
    take(rig, "w1");
    turn(rig);
    rig_wait(rig, 12000);
    assert_null(rig_take(rig, "w2"));
    uint64_t waiting = rig_poll_waiting(rig, "w3", "default", 1, 60000);
    assert_true(still_waits(rig, waiting));
    rig_worker_dies(rig, "w1"); /* as far as the rig names things: w1 names nothing now */
    rig_renew(rig, "w1");
    assert_int_equal(given(rig, waiting)->number, 2);
    rig_free(rig);
}

static void a_late_report_of_a_timed_out_attempt_is_stale_and_drops_it(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, TIMED);
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_wait(rig, 12000);
    assert_true(refused(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    assert_int_equal(rig_trigger(rig, job)->failures, 1);
    turn(rig);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void a_dropped_attempt_still_waits_its_backoff(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'timeout':'10s','retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");
    const struct grant *grant = take(rig, "w1");
    turn(rig);
    rig_wait(rig, 10000);
    rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED);
    turn(rig);
    rig_wait(rig, 59999);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void after_a_restart_the_retry_of_a_timed_out_attempt_still_waits_for_the_drop(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, TIMED);
    take(rig, "w1");
    rig_wait(rig, 9000);
    rig_renew(rig, "w1");
    rig_wait(rig, 3000);
    rig_restart(rig);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 20000); /* the lease ends seven seconds later */
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 30000); /* a fresh term, counted from the restart, has ended too */
    take_number(rig, "w2", 2);
    rig_free(rig);
}

/* ---- dead letters ---- */

static void a_dead_letter_is_replayed_by_itself_so_often_and_no_more(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':1},'dead_policy':{'replay_after':'1h','max_replays':2}}");
    uint64_t dead = job;

    rig_fail(rig, "w1", take(rig, "w1"));
    for (int i = 0; i < 2; i++) {
        turn(rig);
        rig_wait(rig, HOUR_MS - 1);
        assert_null(rig_take(rig, "w1"));
        turn(rig);
        rig_wait(rig, 1);
        const struct grant *replay = take_number(rig, "w1", 1);
        assert_int_equal(replay->kind, TRIGGER_REPLAY);
        assert_int_equal(replay->replay_of, dead);
        assert_int_equal(replay->failures, 0);
        assert_true(replay->trigger != dead);
        turn(rig);
        rig_fail(rig, "w1", replay);
        dead = replay->trigger;
    }
    turn(rig);
    rig_wait(rig, 48LL * HOUR_MS);
    assert_null(rig_take(rig, "w1"));
    assert_int_equal(rig_trigger_count(rig, job, TRIGGER_DEAD), 3);
    rig_free(rig);
}

static void an_automatic_replay_that_succeeds_is_the_last(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':1},'dead_policy':{'replay_after':'1m','max_replays':5}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, 60000);
    rig_succeed(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, HOUR_MS);
    assert_null(rig_take(rig, "w1"));
    assert_int_equal(rig_trigger_count(rig, job, TRIGGER_SUCCEEDED), 1);
    rig_free(rig);
}

static void a_type_may_say_that_its_dead_letters_are_replayed(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{'dead_policy':{'replay_after':'1m','max_replays':1}}");
    uint64_t mail = make(rig, "{'type':'mail','retry':{'max_attempts':1}}");
    rig_fail(rig, "w1", take(rig, "w1"));
    make(rig, "{'type':'sms','retry':{'max_attempts':1}}");
    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, 60000);
    const struct grant *replay = take(rig, "w1");
    assert_int_equal(replay->job, mail);
    assert_int_equal(replay->kind, TRIGGER_REPLAY);
    assert_null(rig_take(rig, "w2"));
    rig_free(rig);
}

static void a_job_s_own_dead_policy_comes_before_its_type_s(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{'dead_policy':{'replay_after':'1m','max_replays':1}}");
    make(rig, "{'type':'mail','retry':{'max_attempts':1},'dead_policy':{'replay_after':'10m','max_replays':1}}");
    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, 599999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    take(rig, "w1");
    rig_free(rig);
}

static void a_permanent_error_waits_for_a_person(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'dead_policy':{'replay_after':'1m','max_replays':3}}");

    fail_with(rig, take(rig, "w1"), true, 0);
    turn(rig);
    rig_wait(rig, 24LL * HOUR_MS);
    assert_null(rig_take(rig, "w1"));
    assert_int_equal(rig_trigger_command(rig, COMMAND_REPLAY, job)->trigger_count, 1);
    turn(rig);
    assert_int_equal(take(rig, "w1")->replay_of, job);
    rig_free(rig);
}

static void a_discarded_dead_letter_is_not_replayed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':1},'dead_policy':{'replay_after':'1m','max_replays':3}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    assert_int_equal(rig_trigger_command(rig, COMMAND_DISCARD, job)->kind, REPLY_TRIGGERS);
    turn(rig);
    rig_wait(rig, HOUR_MS);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void a_dead_letter_that_a_person_replayed_is_not_replayed_again_by_itself(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':1},'dead_policy':{'replay_after':'1m','max_replays':3}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_trigger_command(rig, COMMAND_REPLAY, job);
    rig_succeed(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, HOUR_MS);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(delays_are_taken_one_by_one_and_the_last_repeats),
        STORY(a_formula_grows_up_to_its_maximum),
        STORY(jitter_only_adds_stays_in_its_bound_and_differs),
        STORY(a_retry_can_be_pulled_forward_by_hand),
        STORY(a_permanent_error_is_not_tried_again),
        STORY(retry_after_holds_when_it_is_longer_than_the_backoff),
        STORY(retry_after_is_at_most_a_day),
        STORY(retry_after_does_not_lengthen_the_budget),
        STORY(only_failed_and_timed_out_count_for_the_budget),
        STORY(the_budget_follows_the_current_definition),
        STORY(an_attempt_times_out_however_it_is_renewed),
        ONCE(a_timeout_counts_from_the_stored_start_after_a_restart),
        ONCE(a_timeout_that_passed_while_nobody_looked_is_noticed_after_the_restart),
        STORY(the_retry_of_a_timed_out_attempt_waits_until_its_lease_has_ended),
        STORY(the_retry_of_a_timed_out_attempt_is_due_when_its_worker_has_dropped_it),
        STORY(a_late_report_of_a_timed_out_attempt_is_stale_and_drops_it),
        STORY(a_dropped_attempt_still_waits_its_backoff),
        ONCE(after_a_restart_the_retry_of_a_timed_out_attempt_still_waits_for_the_drop),
        STORY(a_dead_letter_is_replayed_by_itself_so_often_and_no_more),
        STORY(an_automatic_replay_that_succeeds_is_the_last),
        STORY(a_type_may_say_that_its_dead_letters_are_replayed),
        STORY(a_job_s_own_dead_policy_comes_before_its_type_s),
        STORY(a_permanent_error_waits_for_a_person),
        STORY(a_discarded_dead_letter_is_not_replayed),
        STORY(a_dead_letter_that_a_person_replayed_is_not_replayed_again_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
