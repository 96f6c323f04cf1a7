/* The circuit breaker: per (tenant, type), or of a job without a type; when it opens, probes and closes. */
#include "story.h"

#include <string.h>

#define OPEN_MS 30000
#define MAIL "{'tenant':'acme','type':'mail','retry':{'max_attempts':1}}"
/* Four attempts prove something here, so that stories stay short. */
#define FOUR "{'breaker':{'min_attempts':4}}"

static void run_one(struct rig *rig, const char *definition, enum attempt_state end)
{
    uint64_t job = make(rig, "%s", definition);
    const struct grant *grant = take(rig, "w1");

    assert_int_equal(grant->job, job);
    assert_int_equal(rig_report(rig, "w1", grant, end)->refused_count, 0);
}

static void run_many(struct rig *rig, int count, enum attempt_state end)
{
    for (int i = 0; i < count; i++) {
        run_one(rig, MAIL, end);
    }
}

static struct rig *begin_open(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", FOUR);
    run_many(rig, 4, ATTEMPT_FAILED);
    turn(rig);
    return rig;
}

/* ---- opening ---- */

static void half_of_twenty_failing_opens_it(void **state)
{
    struct rig *rig = story_begin(state);

    run_many(rig, 10, ATTEMPT_SUCCEEDED);
    run_many(rig, 10, ATTEMPT_FAILED);
    turn(rig);
    uint64_t job = make(rig, MAIL);
    assert_null(rig_take(rig, "w1"));
    assert_int_equal(reason_ready(rig_why(rig, job), READY_GATE_BREAKER)->clears_ms, rig_now(rig) + OPEN_MS);
    rig_free(rig);
}

static void less_than_half_does_not_open_it(void **state)
{
    struct rig *rig = story_begin(state);

    run_many(rig, 13, ATTEMPT_SUCCEEDED);
    run_many(rig, 12, ATTEMPT_FAILED);
    make(rig, MAIL);
    take(rig, "w1");
    rig_free(rig);
}

static void fewer_than_twenty_prove_nothing(void **state)
{
    struct rig *rig = story_begin(state);

    run_many(rig, 19, ATTEMPT_FAILED);
    run_one(rig, MAIL, ATTEMPT_FAILED);
    make(rig, MAIL);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void what_is_older_than_the_window_does_not_count(void **state)
{
    struct rig *rig = story_begin(state);

    run_many(rig, 19, ATTEMPT_FAILED);
    rig_wait(rig, 400000);
    run_many(rig, 5, ATTEMPT_FAILED);
    make(rig, MAIL);
    take(rig, "w1");
    rig_free(rig);
}

static void its_window_starts_empty_after_a_restart(void **state)
{
    struct rig *rig = story_begin(state);

    run_many(rig, 19, ATTEMPT_FAILED);
    rig_restart(rig);
    run_many(rig, 19, ATTEMPT_FAILED);
    run_one(rig, MAIL, ATTEMPT_FAILED);
    make(rig, MAIL);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void released_and_cancelled_do_not_count(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", FOUR);
    for (int i = 0; i < 6; i++) {
        make(rig, MAIL);
        const struct grant *grant = take(rig, "w1");
        rig_report(rig, "w1", grant, ATTEMPT_RELEASED);
        grant = take(rig, "w1");
        rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger);
        rig_worker_dies(rig, "w1");
    }
    run_many(rig, 3, ATTEMPT_FAILED);
    make(rig, MAIL);
    take(rig, "w1");
    rig_free(rig);
}

static void lost_and_timed_out_count_as_failures(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", FOUR);
    make(rig, "{'tenant':'acme','type':'mail','lease':'5s','pool':'other'}");
    make(rig, "{'tenant':'acme','type':'mail','timeout':'5s','pool':'other','retry':{'max_attempts':1}}");
    rig_poll(rig, "gone", "other", 2);
    rig_wait(rig, 5000);
    run_many(rig, 2, ATTEMPT_FAILED);
    turn(rig);
    make(rig, MAIL);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void it_belongs_to_one_tenant_and_one_type(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, MAIL);
    uint64_t other_type = make(rig, "{'tenant':'acme','type':'sms'}");
    assert_int_equal(take(rig, "w1")->job, other_type);
    uint64_t other_tenant = make(rig, "{'tenant':'bell','type':'mail'}");
    assert_int_equal(take(rig, "w2")->job, other_tenant);
    uint64_t untyped = make(rig, "{'tenant':'acme'}");
    assert_int_equal(take(rig, "w3")->job, untyped);
    assert_null(rig_take(rig, "w4"));
    rig_free(rig);
}

static void it_holds_in_every_pool_and_priority(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, "{'tenant':'acme','type':'mail','pool':'other','priority':1}");
    assert_null(rig_take_from(rig, "w1", "other"));
    rig_free(rig);
}

static void it_can_be_switched_off(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{'breaker':false}");
    run_many(rig, 40, ATTEMPT_FAILED);
    turn(rig);
    make(rig, MAIL);
    take(rig, "w1");
    rig_free(rig);
}

static void one_tenant_may_have_numbers_of_its_own(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{'breaker':{'min_attempts':100}}");
    set(rig, SCOPE_TENANT_TYPE, "acme", "mail", "{'breaker':{'min_attempts':3,'open':'5s'}}");
    turn(rig);
    run_many(rig, 3, ATTEMPT_FAILED);
    turn(rig);
    make(rig, MAIL);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 5000);
    take(rig, "w1");
    rig_free(rig);
}

/* ---- half open ---- */

static void it_lets_one_probe_through_after_its_time(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, MAIL);
    make(rig, MAIL);
    uint64_t waiting = rig_poll_waiting(rig, "w1", "default", 2, 60000);
    rig_wait(rig, OPEN_MS - 1);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    given(rig, waiting);
    uint64_t second = rig_poll_waiting(rig, "w2", "default", 1, 60000);
    assert_true(still_waits(rig, second));
    rig_succeed(rig, "w1", given(rig, waiting));
    given(rig, second);
    rig_free(rig);
}

static void three_successes_close_it(void **state)
{
    struct rig *rig = begin_open(state);

    for (int i = 0; i < 10; i++) {
        make(rig, MAIL);
    }
    turn(rig);
    rig_wait(rig, OPEN_MS);
    for (int i = 0; i < 3; i++) {
        const struct grant *probe = take(rig, "w1");
        assert_null(rig_take(rig, "w2"));
        rig_succeed(rig, "w1", probe);
    }
    turn(rig);
    assert_int_equal(rig_poll(rig, "w1", "default", 100)->grant_count, 7);
    rig_free(rig);
}

static void successes_of_probes_count_over_a_restart_or_begin_anew_but_it_closes(void **state)
{
    struct rig *rig = begin_open(state);
    int probes = 0;

    for (int i = 0; i < 12; i++) {
        make(rig, MAIL);
    }
    rig_wait(rig, OPEN_MS);
    turn(rig);
    rig_succeed(rig, "w1", take(rig, "w1"));
    rig_restart(rig);
    while (rig_dump(rig)->circuits.count > 0) {
        rig_succeed(rig, "w1", take(rig, "w1"));
        probes++;
        assert_true(probes <= 3);
    }
    assert_true(probes >= 2);
    rig_free(rig);
}

static void one_failure_opens_it_again(void **state)
{
    struct rig *rig = begin_open(state);

    for (int i = 0; i < 10; i++) {
        make(rig, MAIL);
    }
    rig_wait(rig, OPEN_MS);
    rig_succeed(rig, "w1", take(rig, "w1"));
    rig_succeed(rig, "w1", take(rig, "w1"));
    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 60000);
    rig_wait(rig, OPEN_MS - 1);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    given(rig, waiting);
    rig_free(rig);
}

static void a_probe_that_is_given_back_lets_the_next_one_try(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, MAIL);
    make(rig, MAIL);
    rig_wait(rig, OPEN_MS);
    const struct grant *probe = take(rig, "w1");
    assert_null(rig_take(rig, "w2"));
    rig_report(rig, "w1", probe, ATTEMPT_RELEASED);
    turn(rig);
    probe = take(rig, "w1");
    assert_null(rig_take(rig, "w2"));
    rig_trigger_command(rig, COMMAND_CANCEL, probe->trigger);
    turn(rig);
    take(rig, "w2");
    rig_free(rig);
}

static void a_probe_that_is_lost_opens_it_again(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, MAIL);
    make(rig, MAIL);
    rig_wait(rig, OPEN_MS);
    take(rig, "gone");
    turn(rig);
    rig_wait(rig, 30000);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, OPEN_MS);
    take(rig, "w2");
    rig_free(rig);
}

static void a_probe_runs_alone_also_after_a_restart(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, MAIL);
    make(rig, MAIL);
    rig_wait(rig, OPEN_MS);
    const struct grant *probe = take(rig, "w1");
    rig_restart(rig);
    assert_null(rig_take(rig, "w2"));
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 9000);
    rig_succeed(rig, "w1", probe);
    given(rig, waiting);
    rig_free(rig);
}

static void it_stays_open_over_restarts_and_no_longer(void **state)
{
    struct rig *rig = begin_open(state);

    make(rig, MAIL);
    for (int i = 0; i < 29; i++) {
        rig_wait(rig, 1000);
        rig_restart(rig);
        assert_null(rig_take(rig, "w1"));
    }
    rig_wait(rig, 1000);
    take(rig, "w1");
    rig_free(rig);
}

static void what_was_running_when_it_opened_may_end_as_it_likes(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", FOUR);
    for (int i = 0; i < 3; i++) {
        make(rig, MAIL);
    }
    const struct reply *early = rig_poll(rig, "w2", "default", 3);
    assert_int_equal(early->grant_count, 3);
    run_many(rig, 4, ATTEMPT_FAILED);
    turn(rig);
    for (size_t i = 0; i < 3; i++) {
        rig_succeed(rig, "w2", &early->grants[i]);
    }
    make(rig, MAIL);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, OPEN_MS);
    take(rig, "w1");
    rig_free(rig);
}

/* ---- jobs without a type ---- */

static uint64_t fail_untyped_twenty_times(struct rig *rig)
{
    uint64_t job = make(rig, "{'retry':{'max_attempts':100,'delays':['1s'],'jitter':0}}");

    for (int i = 0; i < 20; i++) {
        const struct grant *grant = take(rig, "w1");
        assert_int_equal(grant->job, job);
        rig_fail(rig, "w1", grant);
        rig_wait(rig, 1000);
    }
    return job;
}

static void a_job_without_a_type_has_a_breaker_of_its_own(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = fail_untyped_twenty_times(rig);

    turn(rig);
    assert_null(rig_take(rig, "w1"));
    assert_true(names_ready(rig_why(rig, job), READY_GATE_BREAKER));
    uint64_t other = make(rig, "{}");
    assert_int_equal(take(rig, "w2")->job, other);
    uint64_t waiting = rig_poll_waiting(rig, "w3", "default", 1, 60000);
    rig_wait(rig, OPEN_MS - 1001);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    assert_int_equal(given(rig, waiting)->job, job);
    rig_free(rig);
}

static void what_its_key_let_go_and_its_own_breaker_stops_hands_its_turn_on(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "default", "{'breaker':{'min_attempts':1}}");
    uint64_t job = make(rig, "{'every':'1h','overlap':'allow','concurrency':{'key':'k'}}");
    const struct grant *grant = NULL;

    rig_run(rig, job);
    rig_run(rig, job);
    uint64_t other = make(rig, "{'concurrency':{'key':'k'}}");

    grant = take(rig, "w1");
    assert_null(rig_take(rig, "w2")); /* both wait at the key */
    rig_fail(rig, "w1", grant);       /* lets the second go, and opens the breaker */
    assert_int_equal(take(rig, "w1")->job, other);
    assert_true(names_ready(rig_why(rig, job), READY_GATE_BREAKER));
    rig_free(rig);
}

static void the_breaker_of_an_untyped_job_stays_open_over_restarts_and_no_longer(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = fail_untyped_twenty_times(rig);

    for (int i = 0; i < 28; i++) {
        rig_restart(rig);
        assert_null(rig_take(rig, "w1"));
        rig_wait(rig, 1000);
    }
    rig_restart(rig);
    rig_wait(rig, 1000);
    assert_int_equal(take(rig, "w1")->job, job);
    rig_free(rig);
}

static void an_untyped_job_s_probes(struct rig *rig, const char *every)
{
    uint64_t job = make(rig, "{'every':'%s','overlap':'allow','retry':{'max_attempts':1}}", every);

    for (int i = 0; i < 20; i++) {
        rig_run(rig, job);
        rig_fail(rig, "w1", take(rig, "w1"));
    }
    for (int i = 0; i < 6; i++) {
        rig_run(rig, job);
    }
    turn(rig);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, OPEN_MS);
    for (int i = 0; i < 3; i++) {
        const struct grant *probe = take(rig, "w1");
        assert_null(rig_take(rig, "w2"));
        rig_succeed(rig, "w1", probe);
    }
    turn(rig);
    assert_int_equal(rig_poll(rig, "w1", "default", 100)->grant_count, 3);
}

static void an_untyped_job_probes_one_at_a_time(void **state)
{
    struct rig *rig = story_begin(state);

    an_untyped_job_s_probes(rig, "5m");
    rig_free(rig);
}

static void the_breaker_of_an_untyped_job_remembers_while_the_job_is_out_of_the_window(void **state)
{
    struct rig *rig = story_begin(state);

    an_untyped_job_s_probes(rig, "1h");
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(half_of_twenty_failing_opens_it),
        ONCE(less_than_half_does_not_open_it),
        ONCE(fewer_than_twenty_prove_nothing),
        ONCE(what_is_older_than_the_window_does_not_count),
        ONCE(its_window_starts_empty_after_a_restart),
        ONCE(released_and_cancelled_do_not_count),
        STORY(lost_and_timed_out_count_as_failures),
        STORY(it_belongs_to_one_tenant_and_one_type),
        STORY(it_holds_in_every_pool_and_priority),
        STORY(it_can_be_switched_off),
        STORY(one_tenant_may_have_numbers_of_its_own),
        STORY(it_lets_one_probe_through_after_its_time),
        STORY(three_successes_close_it),
        STORY(successes_of_probes_count_over_a_restart_or_begin_anew_but_it_closes),
        STORY(one_failure_opens_it_again),
        STORY(a_probe_that_is_given_back_lets_the_next_one_try),
        STORY(a_probe_that_is_lost_opens_it_again),
        STORY(a_probe_runs_alone_also_after_a_restart),
        STORY(it_stays_open_over_restarts_and_no_longer),
        STORY(what_was_running_when_it_opened_may_end_as_it_likes),
        STORY(a_job_without_a_type_has_a_breaker_of_its_own),
        STORY(what_its_key_let_go_and_its_own_breaker_stops_hands_its_turn_on),
        STORY(the_breaker_of_an_untyped_job_stays_open_over_restarts_and_no_longer),
        STORY(an_untyped_job_probes_one_at_a_time),
        STORY(the_breaker_of_an_untyped_job_remembers_while_the_job_is_out_of_the_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
