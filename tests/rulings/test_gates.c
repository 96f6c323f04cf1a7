/* Gates: each holds what it should, says so, and lets it go by itself when it clears: nobody polls anew. */
#include "story.h"

#define WAIT_MS 60000

static uint64_t wait_for_work(struct rig *rig, const char *worker)
{
    return rig_poll_waiting(rig, worker, "default", 1, WAIT_MS);
}

static bool is_runnable_now(struct rig *rig, uint64_t job)
{
    return rig_why(rig, job)->is_runnable;
}

/* ---- pauses ---- */

static void a_pause_holds_and_a_resume_lets_go(struct rig *rig, enum scope scope, const char *tenant, const char *name,
                                               enum ready_gate gate)
{
    uint64_t job = make(rig, "{'tenant':'acme','type':'mail'}");

    assert_int_equal(rig_pause(rig, scope, tenant, name)->kind, REPLY_DONE);
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w1");
    assert_true(still_waits(rig, waiting));
    const struct reply *why = rig_why(rig, job);
    assert_true(names_ready(why, gate));
    assert_false(why->is_runnable);
    assert_int_equal(why->reason_count, 1);
    assert_int_equal(reason_ready(why, gate)->clears_ms, TIME_NONE);
    assert_int_equal(rig_resume(rig, scope, tenant, name, 0)->kind, REPLY_DONE);
    assert_int_equal(given(rig, waiting)->job, job);
}

static void a_paused_tenant_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_pause_holds_and_a_resume_lets_go(rig, SCOPE_TENANT, "", "acme", READY_GATE_TENANT_PAUSED);
    rig_free(rig);
}

static void a_paused_pool_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_pause_holds_and_a_resume_lets_go(rig, SCOPE_POOL, "", "default", READY_GATE_POOL_PAUSED);
    rig_free(rig);
}

static void a_paused_type_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_pause_holds_and_a_resume_lets_go(rig, SCOPE_TYPE, "", "mail", READY_GATE_TYPE_PAUSED);
    rig_free(rig);
}

static void a_paused_type_of_one_tenant_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_pause_holds_and_a_resume_lets_go(rig, SCOPE_TENANT_TYPE, "acme", "mail", READY_GATE_TYPE_PAUSED);
    rig_free(rig);
}

static void a_pause_holds_only_its_own(void **state)
{
    struct rig *rig = story_begin(state);

    rig_pause(rig, SCOPE_TENANT, "", "acme");
    rig_pause(rig, SCOPE_POOL, "", "slow");
    rig_pause(rig, SCOPE_TYPE, "", "mail");
    rig_pause(rig, SCOPE_TENANT_TYPE, "bell", "sms");
    make(rig, "{'tenant':'acme'}");
    make(rig, "{'tenant':'bell','type':'sms'}");
    make(rig, "{'tenant':'bell','type':'mail'}");
    make(rig, "{'pool':'slow'}");
    uint64_t free = make(rig, "{'tenant':'crown','type':'sms'}");
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, free);
    assert_null(rig_take(rig, "w2"));
    assert_null(rig_take_from(rig, "w3", "slow"));
    rig_free(rig);
}

static void a_paused_job_waits(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'delay':'1s'}");

    rig_status(rig, job, JOB_PAUSED);
    turn(rig);
    rig_wait(rig, 1000);
    uint64_t waiting = wait_for_work(rig, "w1");
    assert_true(names(rig_why(rig, job), WHY_JOB_PAUSED));
    rig_wait(rig, 1000);
    assert_true(still_waits(rig, waiting));
    rig_status(rig, job, JOB_ACTIVE);
    assert_int_equal(given(rig, waiting)->job, job);
    rig_free(rig);
}

static void a_pause_of_a_job_holds_its_retries_and_not_its_run(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1h','retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}");

    rig_wait(rig, 3600000);
    const struct grant *grant = take(rig, "w1");
    rig_status(rig, job, JOB_PAUSED);
    turn(rig);
    assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
    rig_fail(rig, "w1", grant);
    turn(rig);
    rig_wait(rig, 5000);
    uint64_t waiting = wait_for_work(rig, "w2");
    assert_true(still_waits(rig, waiting));
    rig_status(rig, job, JOB_ACTIVE);
    assert_int_equal(given(rig, waiting)->number, 2);
    rig_free(rig);
}

static void a_pause_of_a_tenant_does_not_stop_what_runs(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    rig_pause(rig, SCOPE_TENANT, "", "default");
    turn(rig);
    assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
    rig_succeed(rig, "w1", grant);
    rig_free(rig);
}

static void two_pauses_hold_until_both_are_lifted(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'type':'mail'}");

    rig_pause(rig, SCOPE_TENANT, "", "default");
    rig_pause(rig, SCOPE_TYPE, "", "mail");
    rig_pause(rig, SCOPE_POOL, "", "default");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w1");
    const struct reply *why = rig_why(rig, job);
    assert_true(names_ready(why, READY_GATE_TENANT_PAUSED));
    assert_true(names_ready(why, READY_GATE_TYPE_PAUSED));
    assert_true(names_ready(why, READY_GATE_POOL_PAUSED));
    rig_resume(rig, SCOPE_TYPE, "", "mail", 0);
    assert_true(still_waits(rig, waiting));
    rig_resume(rig, SCOPE_TENANT, "", "default", 0);
    assert_true(still_waits(rig, waiting));
    rig_resume(rig, SCOPE_POOL, "", "default", 0);
    given(rig, waiting);
    rig_free(rig);
}

static void settings_do_not_lift_a_pause(void **state)
{
    struct rig *rig = story_begin(state);

    rig_pause(rig, SCOPE_TENANT, "", "default");
    turn(rig);
    set(rig, SCOPE_TENANT, "", "default", "{'max_in_flight':7}");
    turn(rig);
    make(rig, "{}");
    assert_null(rig_take(rig, "w1"));
    rig_resume(rig, SCOPE_TENANT, "", "default", 0);
    turn(rig);
    take(rig, "w1");
    rig_free(rig);
}

/* ---- in flight ---- */

static void a_cap_holds_and_an_end_lets_go(struct rig *rig, enum scope scope, const char *tenant, const char *name,
                                           enum ready_gate gate)
{
    set(rig, scope, tenant, name, "{'max_in_flight':2}");
    make(rig, "{'tenant':'acme','type':'mail'}");
    make(rig, "{'tenant':'acme','type':'mail'}");
    uint64_t third = make(rig, "{'tenant':'acme','type':'mail'}");
    const struct grant *first = take(rig, "w1");
    take(rig, "w2");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w3");
    assert_true(still_waits(rig, waiting));
    const struct why_reason *reason = reason_ready(rig_why(rig, third), gate);
    assert_int_equal(reason->count, 2);
    assert_int_equal(reason->max, 2);
    rig_fail(rig, "w1", first);
    assert_int_equal(given(rig, waiting)->job, third);
    assert_null(rig_take(rig, "w4"));
}

static void a_tenant_at_its_cap_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_cap_holds_and_an_end_lets_go(rig, SCOPE_TENANT, "", "acme", READY_GATE_TENANT_IN_FLIGHT);
    rig_free(rig);
}

static void a_pool_at_its_cap_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_cap_holds_and_an_end_lets_go(rig, SCOPE_POOL, "", "default", READY_GATE_POOL_IN_FLIGHT);
    rig_free(rig);
}

static void a_type_at_its_cap_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_cap_holds_and_an_end_lets_go(rig, SCOPE_TYPE, "", "mail", READY_GATE_TYPE_IN_FLIGHT);
    rig_free(rig);
}

static void a_type_of_one_tenant_at_its_cap_waits(void **state)
{
    struct rig *rig = story_begin(state);

    a_cap_holds_and_an_end_lets_go(rig, SCOPE_TENANT_TYPE, "acme", "mail", READY_GATE_TYPE_IN_FLIGHT);
    rig_free(rig);
}

static void a_cap_of_zero_lets_nothing_run_until_it_is_raised(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_POOL, "", "default", "{'max_in_flight':0}");
    make(rig, "{}");
    make(rig, "{}");
    turn(rig);
    uint64_t one = wait_for_work(rig, "w1");
    uint64_t two = wait_for_work(rig, "w2");
    assert_true(still_waits(rig, one));
    set(rig, SCOPE_POOL, "", "default", "{'max_in_flight':1}");
    assert_true(still_waits(rig, one) != still_waits(rig, two));
    set(rig, SCOPE_POOL, "", "default", "{}");
    given(rig, one);
    given(rig, two);
    rig_free(rig);
}

static void a_lowered_cap_stops_nothing_and_holds_what_comes(void **state)
{
    struct rig *rig = story_begin(state);
    const struct grant *out[4];

    for (int i = 0; i < 5; i++) {
        make(rig, "{}");
    }
    for (int i = 0; i < 4; i++) {
        out[i] = take(rig, "w1");
    }
    set(rig, SCOPE_TENANT, "", "default", "{'max_in_flight':2}");
    turn(rig);
    assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
    uint64_t waiting = wait_for_work(rig, "w2");
    for (int i = 0; i < 3; i++) {
        assert_true(still_waits(rig, waiting));
        rig_succeed(rig, "w1", out[i]);
    }
    given(rig, waiting);
    rig_free(rig);
}

static void a_lost_attempt_gives_its_slot_back(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'max_in_flight':1}");
    uint64_t first = make(rig, "{'priority':5}");
    take(rig, "gone");
    uint64_t second = make(rig, "{'priority':1}");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w1");
    rig_wait(rig, 29999);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    assert_int_equal(given(rig, waiting)->job, second);
    rig_succeed(rig, "w1", given(rig, waiting));
    assert_int_equal(take(rig, "w2")->job, first);
    rig_free(rig);
}

/* ---- the concurrency key ---- */

static void a_key_is_shared_by_the_jobs_of_a_tenant(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'tenant':'acme','concurrency':{'key':'k','max':1}}");
    const struct grant *first = take(rig, "w1");
    uint64_t second = make(rig, "{'tenant':'acme','type':'mail','concurrency':{'key':'k','max':1}}");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    assert_true(still_waits(rig, waiting));
    const struct why_reason *reason = reason_of(rig_why(rig, second), WHY_CONCURRENCY_KEY);
    assert_int_equal(reason->count, 1);
    assert_int_equal(reason->max, 1);
    uint64_t elsewhere = make(rig, "{'tenant':'bell','concurrency':{'key':'k','max':1}}");
    assert_int_equal(given(rig, waiting)->job, elsewhere);
    waiting = wait_for_work(rig, "w3");
    rig_succeed(rig, "w1", first);
    assert_int_equal(given(rig, waiting)->job, second);
    rig_free(rig);
}

static void each_job_asks_the_key_for_its_own_maximum(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'concurrency':{'key':'k','max':3}}");
    const struct grant *first = take(rig, "w1");
    uint64_t narrow = make(rig, "{'concurrency':{'key':'k','max':1}}");
    uint64_t wide = make(rig, "{'concurrency':{'key':'k','max':3}}");
    turn(rig);
    const struct grant *second = take(rig, "w2");
    assert_int_equal(second->job, wide);
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w3");
    rig_succeed(rig, "w1", first);
    assert_true(still_waits(rig, waiting));
    rig_succeed(rig, "w2", second);
    assert_int_equal(given(rig, waiting)->job, narrow);
    rig_free(rig);
}

static void those_who_wait_for_a_key_go_in_the_order_of_their_due_time(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t jobs[5];

    make(rig, "{'concurrency':{'key':'k','max':1}}");
    const struct grant *grant = take(rig, "w1");
    for (int i = 0; i < 5; i++) {
        jobs[i] = make(rig, "{'delay':'%ds','concurrency':{'key':'k','max':1}}", 10 - i);
    }
    turn(rig);
    rig_wait(rig, 12000);
    for (int i = 4; i >= 0; i--) {
        turn(rig);
        rig_succeed(rig, "w1", grant);
        grant = take(rig, "w1");
        assert_int_equal(grant->job, jobs[i]);
    }
    rig_free(rig);
}

static void a_key_is_free_again_after_a_cancel_a_loss_and_a_delete(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t jobs[4];

    for (int i = 0; i < 4; i++) {
        jobs[i] = make(rig, "{'retry':{'max_attempts':1},'concurrency':{'key':'k','max':1}}");
    }
    assert_int_equal(take(rig, "w1")->job, jobs[0]);
    uint64_t waiting = wait_for_work(rig, "w2");
    rig_trigger_command(rig, COMMAND_CANCEL, jobs[0]);
    assert_int_equal(given(rig, waiting)->job, jobs[1]);
    turn(rig);
    waiting = wait_for_work(rig, "w3");
    rig_delete(rig, jobs[1]);
    assert_int_equal(given(rig, waiting)->job, jobs[2]);
    turn(rig);
    rig_wait(rig, 30000);
    take(rig, "w4");
    rig_free(rig);
}

static void a_key_that_is_edited_away_holds_no_longer(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'concurrency':{'key':'k','max':1}}");
    take(rig, "w1");
    uint64_t job = make(rig, "{'concurrency':{'key':'k','max':1}}");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    assert_true(still_waits(rig, waiting));
    assert_int_equal(patch(rig, job, "{'concurrency':null}")->kind, REPLY_JOBS);
    assert_int_equal(given(rig, waiting)->job, job);
    rig_free(rig);
}

/* ---- single triggers ---- */

static void a_manual_run_waits_for_the_run_before_it(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1h'}");

    rig_wait(rig, 3600000);
    const struct grant *first = take(rig, "w1");
    uint64_t manual = rig_run(rig, job);
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    assert_true(still_waits(rig, waiting));
    assert_int_equal(reason_of(rig_why_trigger(rig, manual), WHY_OVERLAP)->id, first->trigger);
    rig_succeed(rig, "w1", first);
    assert_int_equal(given(rig, waiting)->trigger, manual);
    rig_free(rig);
}

static void a_retry_waits_for_its_backoff_and_runs_when_it_is_over(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['10s'],'jitter':0}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    assert_int_equal(reason_of(rig_why_trigger(rig, job), WHY_BACKOFF)->clears_ms, rig_now(rig) + 10000);
    assert_true(names(rig_why(rig, job), WHY_BACKOFF));
    rig_wait(rig, 9999);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    assert_int_equal(given(rig, waiting)->number, 2);
    rig_free(rig);
}

static void a_job_that_is_not_due_says_when_it_will_be(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'delay':'1h'}");

    turn(rig);
    const struct reply *why = rig_why(rig, job);
    assert_int_equal(reason_of(why, WHY_NOT_DUE)->clears_ms, rig_now(rig) + 3600000);
    assert_false(why->is_runnable);
    rig_free(rig);
}

static void a_dependent_job_waits_for_its_upstream(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'name':'up'}");
    uint64_t down = make(rig, "{'depends_on':['up']}");
    const struct grant *grant = take(rig, "w1");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    assert_true(still_waits(rig, waiting));
    assert_true(names(rig_why(rig, down), WHY_DEPENDENCIES));
    rig_succeed(rig, "w1", grant);
    assert_int_equal(given(rig, waiting)->job, down);
    rig_free(rig);
}

static void a_pool_that_nobody_serves_is_named(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'pool':'lonely'}");

    turn(rig);
    uint64_t elsewhere = wait_for_work(rig, "w1");
    assert_int_equal(reason_of(rig_why(rig, job), WHY_NO_WORKER)->count, 0);
    assert_true(still_waits(rig, elsewhere));
    given(rig, rig_poll_waiting(rig, "w2", "lonely", 1, WAIT_MS));
    rig_free(rig);
}

static void workers_that_have_all_they_can_have_are_named(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    turn(rig);
    const struct grant *first = &rig_poll(rig, "w1", "default", 1)->grants[0];
    uint64_t due = make(rig, "{}");
    uint64_t later = make(rig, "{'delay':'1h'}");
    turn(rig);
    const struct why_reason *reason = reason_of(rig_why(rig, due), WHY_WORKERS_BUSY);
    assert_true(str_is(reason->name, "default"));
    assert_int_equal(reason->count, 1);
    assert_int_equal(reason->max, 1);
    assert_false(rig_why(rig, due)->is_runnable);
    assert_false(names(rig_why(rig, later), WHY_WORKERS_BUSY)); /* who knows who is busy in an hour */
    /* A report that asks for nothing more: the worker goes. */
    rig_succeed(rig, "w1", first);
    assert_int_equal(reason_of(rig_why(rig, due), WHY_NO_WORKER)->count, 0);
    assert_false(names(rig_why(rig, due), WHY_WORKERS_BUSY));
    rig_free(rig);
}

static void a_worker_that_has_fallen_silent_serves_nobody(void **state)
{
    struct rig *rig = story_begin(state);

    assert_int_equal(rig_poll(rig, "w1", "default", 1)->grant_count, 0);
    uint64_t job = make(rig, "{}");
    turn(rig);
    assert_true(is_runnable_now(rig, job));
    rig_wait(rig, 90000);
    assert_int_equal(reason_of(rig_why(rig, job), WHY_NO_WORKER)->count, 0);
    rig_free(rig);
}

static void what_runs_and_what_has_ended_say_so(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    assert_true(names(rig_why_trigger(rig, job), WHY_RUNNING));
    rig_succeed(rig, "w1", grant);
    turn(rig);
    assert_true(names(rig_why_trigger(rig, job), WHY_ENDED));
    assert_true(names(rig_why(rig, job), WHY_JOB_ENDED));
    rig_free(rig);
}

static void what_nothing_holds_is_runnable(void **state)
{
    struct rig *rig = story_begin(state);

    rig_poll(rig, "w1", "default", 1);
    uint64_t job = make(rig, "{}");
    assert_true(is_runnable_now(rig, job));
    rig_free(rig);
}

/* ---- changes while things wait ---- */

static void a_job_that_is_moved_out_of_a_paused_pool_runs(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'pool':'slow'}");

    rig_pause(rig, SCOPE_POOL, "", "slow");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w1");
    assert_int_equal(patch(rig, job, "{'pool':'default'}")->kind, REPLY_JOBS);
    assert_int_equal(given(rig, waiting)->job, job);
    rig_free(rig);
}

static void a_retry_follows_its_job_to_another_pool_and_priority(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'pool':'slow','retry':{'max_attempts':5,'delays':['10s'],'jitter':0}}");

    rig_fail(rig, "w1", rig_take_from(rig, "w1", "slow"));
    turn(rig);
    patch(rig, job, "{'pool':'default','priority':1}");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    rig_wait(rig, 10000);
    assert_int_equal(given(rig, waiting)->number, 2);
    assert_int_equal(given(rig, waiting)->place.priority, 1);
    rig_free(rig);
}

static void a_cancelled_job_leaves_the_gate_to_the_next(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'max_in_flight':1}");
    make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    uint64_t dropped = make(rig, "{}");
    uint64_t next = make(rig, "{}");
    turn(rig);
    uint64_t waiting = wait_for_work(rig, "w2");
    rig_status(rig, dropped, JOB_CANCELLED);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(given(rig, waiting)->job, next);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_paused_tenant_waits),
        STORY(a_paused_pool_waits),
        STORY(a_paused_type_waits),
        STORY(a_paused_type_of_one_tenant_waits),
        STORY(a_pause_holds_only_its_own),
        STORY(a_paused_job_waits),
        STORY(a_pause_of_a_job_holds_its_retries_and_not_its_run),
        STORY(a_pause_of_a_tenant_does_not_stop_what_runs),
        STORY(two_pauses_hold_until_both_are_lifted),
        STORY(settings_do_not_lift_a_pause),
        STORY(a_tenant_at_its_cap_waits),
        STORY(a_pool_at_its_cap_waits),
        STORY(a_type_at_its_cap_waits),
        STORY(a_type_of_one_tenant_at_its_cap_waits),
        STORY(a_cap_of_zero_lets_nothing_run_until_it_is_raised),
        STORY(a_lowered_cap_stops_nothing_and_holds_what_comes),
        STORY(a_lost_attempt_gives_its_slot_back),
        STORY(a_key_is_shared_by_the_jobs_of_a_tenant),
        STORY(each_job_asks_the_key_for_its_own_maximum),
        STORY(those_who_wait_for_a_key_go_in_the_order_of_their_due_time),
        STORY(a_key_is_free_again_after_a_cancel_a_loss_and_a_delete),
        STORY(a_key_that_is_edited_away_holds_no_longer),
        STORY(a_manual_run_waits_for_the_run_before_it),
        STORY(a_retry_waits_for_its_backoff_and_runs_when_it_is_over),
        STORY(a_job_that_is_not_due_says_when_it_will_be),
        STORY(a_dependent_job_waits_for_its_upstream),
        STORY(a_pool_that_nobody_serves_is_named),
        ONCE(workers_that_have_all_they_can_have_are_named),
        ONCE(a_worker_that_has_fallen_silent_serves_nobody),
        STORY(what_runs_and_what_has_ended_say_so),
        ONCE(what_nothing_holds_is_runnable),
        STORY(a_job_that_is_moved_out_of_a_paused_pool_runs),
        STORY(a_retry_follows_its_job_to_another_pool_and_priority),
        STORY(a_cancelled_job_leaves_the_gate_to_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
