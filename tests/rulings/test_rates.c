/* Rates: one instant for each limiter, so restarts neither refill nor starve; and ramps after a resume. */
#include "story.h"

static void make_many(struct rig *rig, int count, const char *text)
{
    for (int i = 0; i < count; i++) {
        make(rig, "%s", text);
    }
}

/* Starts everything that may start now; how many. */
static size_t start_all(struct rig *rig)
{
    const struct reply *reply = rig_poll(rig, "w1", "default", 1000);

    assert_non_null(reply);
    return reply->grant_count;
}

/* Starts within so many seconds from now on, looked at ten times a second. */
static size_t starts_in(struct rig *rig, int seconds)
{
    size_t count = 0;

    for (int i = 0; i < seconds * 10; i++) {
        rig_wait(rig, 100);
        count += start_all(rig);
    }
    return count;
}

static void a_rate_spaces_starts(struct rig *rig, enum scope scope, const char *tenant, const char *name,
                                 enum ready_gate gate)
{
    set(rig, scope, tenant, name, "{'rate':'2/s'}");
    make_many(rig, 6, "{'tenant':'acme','type':'mail'}");
    uint64_t last = make(rig, "{'tenant':'acme','type':'mail'}");
    assert_int_equal(start_all(rig), 1);
    for (int i = 0; i < 5; i++) {
        turn(rig);
        assert_int_equal(reason_ready(rig_why(rig, last), gate)->clears_ms, rig_now(rig) + 500);
        rig_wait(rig, 499);
        assert_int_equal(start_all(rig), 0);
        turn(rig);
        rig_wait(rig, 1);
        assert_int_equal(start_all(rig), 1);
    }
}

static void the_rate_of_a_tenant_spaces_its_starts(void **state)
{
    struct rig *rig = story_begin(state);

    a_rate_spaces_starts(rig, SCOPE_TENANT, "", "acme", READY_GATE_TENANT_RATE);
    rig_free(rig);
}

static void the_rate_of_a_pool_spaces_its_starts(void **state)
{
    struct rig *rig = story_begin(state);

    a_rate_spaces_starts(rig, SCOPE_POOL, "", "default", READY_GATE_POOL_RATE);
    rig_free(rig);
}

static void the_rate_of_a_type_spaces_its_starts(void **state)
{
    struct rig *rig = story_begin(state);

    a_rate_spaces_starts(rig, SCOPE_TYPE, "", "mail", READY_GATE_TYPE_RATE);
    rig_free(rig);
}

static void the_rate_of_a_type_in_one_tenant_spaces_its_starts(void **state)
{
    struct rig *rig = story_begin(state);

    a_rate_spaces_starts(rig, SCOPE_TENANT_TYPE, "acme", "mail", READY_GATE_TYPE_RATE);
    rig_free(rig);
}

static void a_worker_that_waits_is_given_work_when_the_rate_allows(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'6/m'}");
    make_many(rig, 2, "{}");
    take(rig, "w1");
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 60000);
    rig_wait(rig, 9999);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    given(rig, waiting);
    rig_free(rig);
}

static void a_burst_comes_once_after_a_rest(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/s','burst':4}");
    make_many(rig, 20, "{}");
    turn(rig);
    assert_int_equal(start_all(rig), 4);
    turn(rig);
    assert_int_equal(start_all(rig), 0);
    rig_wait(rig, 1000);
    assert_int_equal(start_all(rig), 1);
    turn(rig);
    rig_wait(rig, 2000);
    assert_int_equal(start_all(rig), 2);
    turn(rig);
    rig_sleep(rig, 20000);
    assert_int_equal(start_all(rig), 4);
    rig_free(rig);
}

static void a_restart_neither_refills_nor_starves(void **state)
{
    struct rig *rig = story_begin(state);
    size_t count = 0;

    set(rig, SCOPE_POOL, "", "default", "{'rate':'10/m','burst':2}");
    make_many(rig, 30, "{}");
    for (int i = 0; i < 120; i++) {
        count += start_all(rig);
        rig_wait(rig, 1000);
        rig_restart(rig);
    }
    assert_int_equal(count, 2 + 19);
    rig_free(rig);
}

static void retries_and_manual_runs_cost_like_any_start(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1h','overlap':'allow','retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}");

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/m'}");
    rig_run(rig, job);
    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_wait(rig, 59999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    take_number(rig, "w1", 2);
    rig_run(rig, job);
    turn(rig);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 60000);
    take_number(rig, "w2", 1);
    rig_free(rig);
}

static void an_attempt_sent_again_costs_no_rate(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/m'}");
    make_many(rig, 2, "{}");
    take(rig, "w1");
    rig_worker_dies(rig, "w1");
    turn(rig);
    rig_wait(rig, 20000);
    take_number(rig, "w1", 1); /* the same one, sent again */
    rig_renew(rig, "w1");
    rig_wait(rig, 20000);
    rig_renew(rig, "w1");
    rig_wait(rig, 20000);
    take_number(rig, "w2", 1);
    rig_free(rig);
}

static void the_rate_of_one_tenant_does_not_hold_another(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "acme", "{'rate':'1/h'}");
    make_many(rig, 5, "{'tenant':'acme'}");
    make_many(rig, 5, "{'tenant':'bell'}");
    turn(rig);
    assert_int_equal(start_all(rig), 6);
    rig_free(rig);
}

static void a_rate_that_is_raised_or_taken_away_lets_go_at_once(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/d'}");
    make_many(rig, 3, "{}");
    take(rig, "w1");
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 60000);
    rig_wait(rig, 5000);
    assert_true(still_waits(rig, waiting));
    set(rig, SCOPE_TENANT, "", "default", "{}");
    given(rig, waiting);
    take(rig, "w3");
    rig_free(rig);
}

static void a_raised_rate_holds_no_longer_than_its_own_interval(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/d'}");
    make_many(rig, 3, "{}");
    take(rig, "w1");
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 60000);
    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/s'}");
    rig_wait(rig, 1000);
    given(rig, waiting);
    rig_free(rig);
}

static void a_job_that_is_taken_away_costs_no_rate(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/m'}");
    uint64_t dropped = make(rig, "{}");
    uint64_t next = make(rig, "{}");
    assert_int_equal(rig_status(rig, dropped, JOB_CANCELLED)->kind, REPLY_JOBS);
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, next);
    rig_free(rig);
}

static void a_rate_and_a_cap_hold_together(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'1/s','max_in_flight':2}");
    make_many(rig, 5, "{}");
    const struct grant *first = take(rig, "w1");
    turn(rig);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1000);
    take(rig, "w1");
    turn(rig);
    rig_wait(rig, 5000);
    assert_null(rig_take(rig, "w1"));
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 60000);
    rig_succeed(rig, "w1", first);
    given(rig, waiting);
    rig_free(rig);
}

/* ---- ramps ---- */

static void a_resumed_gate_ramps_up(struct rig *rig, enum scope scope, const char *tenant, const char *name)
{
    set(rig, scope, tenant, name, "{'rate':'10/s'}");
    rig_pause(rig, scope, tenant, name);
    make_many(rig, 600, "{'tenant':'acme','type':'mail','timeout':'1h','lease':'30m'}");
    rig_wait(rig, 60000);
    assert_int_equal(start_all(rig), 0);
    rig_resume(rig, scope, tenant, name, 60000);
    turn(rig);
    size_t first = start_all(rig) + starts_in(rig, 15);
    turn(rig);
    size_t second = starts_in(rig, 15);
    turn(rig);
    size_t third = starts_in(rig, 15);
    turn(rig);
    size_t fourth = starts_in(rig, 15);
    assert_true(first > 0);
    assert_true(first < second && second < third && third < fourth);
    assert_true(first < 75); /* half of what the full rate gives */
    assert_true(fourth <= 151);
    assert_in_range(first + second + third + fourth, 200, 400); /* the area under a ramp is a half: 300 */
    turn(rig);
    assert_in_range(starts_in(rig, 10), 99, 101);
}

static void a_resumed_tenant_ramps_up(void **state)
{
    struct rig *rig = story_begin(state);

    a_resumed_gate_ramps_up(rig, SCOPE_TENANT, "", "acme");
    rig_free(rig);
}

static void a_resumed_pool_ramps_up(void **state)
{
    struct rig *rig = story_begin(state);

    a_resumed_gate_ramps_up(rig, SCOPE_POOL, "", "default");
    rig_free(rig);
}

static void a_resumed_type_ramps_up(void **state)
{
    struct rig *rig = story_begin(state);

    a_resumed_gate_ramps_up(rig, SCOPE_TYPE, "", "mail");
    rig_free(rig);
}

static void a_resume_without_a_ramp_has_the_full_rate_at_once(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'10/s'}");
    rig_pause(rig, SCOPE_TENANT, "", "default");
    make_many(rig, 100, "{'timeout':'1h','lease':'30m'}");
    rig_wait(rig, 1000);
    rig_resume(rig, SCOPE_TENANT, "", "default", 0);
    turn(rig);
    assert_in_range(start_all(rig) + starts_in(rig, 5), 50, 51);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(the_rate_of_a_tenant_spaces_its_starts),
        STORY(the_rate_of_a_pool_spaces_its_starts),
        STORY(the_rate_of_a_type_spaces_its_starts),
        STORY(the_rate_of_a_type_in_one_tenant_spaces_its_starts),
        STORY(a_worker_that_waits_is_given_work_when_the_rate_allows),
        STORY(a_burst_comes_once_after_a_rest),
        ONCE(a_restart_neither_refills_nor_starves),
        STORY(retries_and_manual_runs_cost_like_any_start),
        STORY(an_attempt_sent_again_costs_no_rate),
        STORY(the_rate_of_one_tenant_does_not_hold_another),
        STORY(a_rate_that_is_raised_or_taken_away_lets_go_at_once),
        STORY(a_raised_rate_holds_no_longer_than_its_own_interval),
        STORY(a_job_that_is_taken_away_costs_no_rate),
        STORY(a_rate_and_a_cap_hold_together),
        STORY(a_resumed_tenant_ramps_up),
        STORY(a_resumed_pool_ramps_up),
        STORY(a_resumed_type_ramps_up),
        STORY(a_resume_without_a_ramp_has_the_full_rate_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
