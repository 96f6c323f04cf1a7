/* Why something does not run: each gate with its numbers, who holds it, since when, and until when. */
#include "ledger.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"

static void a_pause_says_since_when(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'tenant':'acme','type':'mail','pool':'p'}");
    int64_t paused_ms = rig_now(rig);

    rig_pause(rig, SCOPE_TENANT, "", "acme");
    rig_pause(rig, SCOPE_TENANT_TYPE, "acme", "mail");
    rig_wait(rig, MINUTE);
    rig_pause(rig, SCOPE_TENANT, "", "acme"); /* once more changes nothing */
    set(rig, SCOPE_TENANT, "", "acme", "{'max_in_flight':5}");
    const struct reply *why = rig_why(rig, job);
    assert_int_equal(reason_ready(why, READY_GATE_TENANT_PAUSED)->since_ms, paused_ms);
    assert_true(str_is(reason_ready(why, READY_GATE_TYPE_PAUSED)->tenant, "acme"));
    assert_int_equal(reason_ready(why, READY_GATE_TYPE_PAUSED)->since_ms, paused_ms);
    rig_resume(rig, SCOPE_TENANT, "", "acme", 0);
    rig_resume(rig, SCOPE_TENANT_TYPE, "acme", "mail", 0);
    rig_pause(rig, SCOPE_POOL, "", "p");
    why = rig_why(rig, job);
    assert_int_equal(reason_ready(why, READY_GATE_POOL_PAUSED)->since_ms, paused_ms + MINUTE);
    rig_free(rig);
}

static void a_paused_job_says_when_it_was_changed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h'}");

    rig_wait(rig, MINUTE);
    rig_status(rig, job, JOB_PAUSED);
    const struct why_reason *reason = reason_of(rig_why(rig, job), WHY_JOB_PAUSED);
    assert_true(reason->is_job);
    assert_int_equal(reason->since_ms, rig_now(rig));
    rig_free(rig);
}

static void a_rate_says_how_much_it_allows_and_when_the_next_may_start(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'rate':'2/m'}");
    make(rig, "{" LONG_RUN "}");
    uint64_t second = make(rig, "{" LONG_RUN "}");
    take(rig, "w1");
    const struct why_reason *reason = reason_ready(rig_why(rig, second), READY_GATE_TENANT_RATE);
    assert_int_equal(reason->rate_count, 2);
    assert_int_equal(reason->rate_ms, MINUTE);
    assert_int_equal(reason->clears_ms, rig_now(rig) + MINUTE / 2);
    assert_false(reason->is_ramp);
    rig_free(rig);
}

static void a_key_says_who_holds_it(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t first = make(rig, "{'concurrency':{'key':'k','max':1}," LONG_RUN "}");
    uint64_t second = make(rig, "{'concurrency':{'key':'k','max':1}," LONG_RUN "}");
    const struct grant *grant = take_of(rig, "w1", first);
    int64_t started_ms = rig_now(rig);

    rig_wait(rig, MINUTE);
    const struct why_reason *reason = reason_of(rig_why(rig, second), WHY_CONCURRENCY_KEY);
    assert_int_equal(reason->id, grant->trigger);
    assert_true(str_is(reason->worker, "w1"));
    assert_int_equal(reason->since_ms, started_ms);
    assert_true(reason->count == 1 && reason->max == 1);
    rig_free(rig);
}

static void a_run_says_who_has_it(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", job);
    int64_t started_ms = rig_now(rig);
    const struct why_reason *reason = reason_of(rig_why_trigger(rig, grant->trigger), WHY_RUNNING);
    assert_true(str_is(reason->worker, "w1"));
    assert_int_equal(reason->since_ms, started_ms);
    rig_wait(rig, MINUTE);
    turn(rig);
    reason = reason_of(rig_why(rig, job), WHY_OVERLAP);
    assert_true(str_is(reason->worker, "w1"));
    assert_int_equal(reason->since_ms, started_ms);
    assert_false(reason->is_job);
    rig_free(rig);
}

static void a_dependent_names_what_has_not_ended_and_counts_what_has(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t first = make(rig, "{'name':'a','run_at':'2026-04-08T09:00:00Z'}");
    uint64_t second = make(rig, "{'name':'b','run_at':'2026-04-08T10:00:00Z'}");
    uint64_t child = make(rig, "{'name':'c','depends_on':['a','b']}");

    rig_succeed(rig, "w1", take_of(rig, "w1", first));
    const struct why_reason *reason = reason_of(rig_why(rig, child), WHY_DEPENDENCIES);
    assert_int_equal(reason->id, second);
    assert_true(reason->is_job && str_is(reason->name, "b"));
    assert_int_equal(reason->count, 1);
    assert_int_equal(reason->max, 2);
    rig_free(rig);
}

static void a_backoff_says_how_much_of_the_budget_is_left(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['1h'],'jitter':0}}");

    rig_fail(rig, "w1", take_of(rig, "w1", job));
    const struct why_reason *reason = reason_of(rig_why(rig, job), WHY_BACKOFF);
    assert_int_equal(reason->count, 1);
    assert_int_equal(reason->max, 3);
    assert_int_equal(reason->id, job); /* its own trigger has its id */
    assert_int_equal(reason->clears_ms, rig_now(rig) + HOUR);
    rig_free(rig);
}

static void what_timed_out_and_is_held_says_by_whom_and_until_when(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'lease':'10m','timeout':'5m','retry':{'max_attempts':3,'delays':['1s'],'jitter':0}}");
    const struct grant *grant = take(rig, "w1");
    uint64_t trigger = grant->trigger;
    int64_t taken_ms = rig_now(rig);

    assert_int_equal(grant->job, job);
    rig_wait(rig, 6 * MINUTE);
    const struct why_reason *reason = reason_of(rig_why_trigger(rig, trigger), WHY_DROP);
    assert_true(str_is(reason->worker, "w1"));
    assert_int_equal(reason->clears_ms, taken_ms + 10 * MINUTE);
    rig_free(rig);
}

static void what_may_expire_says_when(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T12:00:00Z','expires_after':'10m'}");
    uint64_t other = make(rig, "{'run_at':'2026-04-08T12:00:00Z'}");

    assert_int_equal(rig_why(rig, job)->expires_ms, rig_instant("2026-04-08T12:10:00Z"));
    assert_int_equal(rig_why(rig, other)->expires_ms, TIME_NONE);
    rig_free(rig);
}

static void what_has_ended_says_how_and_when(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", job);
    uint64_t trigger = grant->trigger;
    rig_succeed(rig, "w1", grant);
    const struct why_reason *reason = reason_of(rig_why_trigger(rig, trigger), WHY_ENDED);
    assert_true(str_is(reason->name, "succeeded"));
    assert_int_equal(reason->since_ms, rig_now(rig));
    rig_free(rig);
}

static void a_half_open_breaker_counts_its_successes(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{'breaker':{'min_attempts':2,'closing_successes':3}}");
    uint64_t job = make(rig, "{'type':'mail','every':'1h','overlap':'allow','retry':{'max_attempts':1,'delays':['1s'],"
                             "'jitter':0}," LONG_RUN "}");
    for (int i = 0; i < 6; i++) {
        rig_run(rig, job);
    }
    rig_fail(rig, "w1", take(rig, "w1"));
    rig_fail(rig, "w1", take(rig, "w1"));
    const struct why_reason *reason = reason_ready(rig_why(rig, job), READY_GATE_BREAKER);
    assert_int_equal(reason->clears_ms, rig_now(rig) + 30000);
    assert_int_equal(reason->max, 0);
    rig_wait(rig, 30000);
    rig_succeed(rig, "w1", take(rig, "w1"));
    take(rig, "w1"); /* the next probe */
    reason = reason_ready(rig_why(rig, job), READY_GATE_BREAKER);
    assert_int_equal(reason->clears_ms, TIME_NONE);
    assert_int_equal(reason->count, 1);
    assert_int_equal(reason->max, 3);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_pause_says_since_when),
        STORY(a_paused_job_says_when_it_was_changed),
        ONCE(a_rate_says_how_much_it_allows_and_when_the_next_may_start),
        STORY(a_key_says_who_holds_it),
        STORY(a_run_says_who_has_it),
        STORY(a_dependent_names_what_has_not_ended_and_counts_what_has),
        STORY(a_backoff_says_how_much_of_the_budget_is_left),
        ONCE(what_timed_out_and_is_held_says_by_whom_and_until_when),
        STORY(what_may_expire_says_when),
        STORY(what_has_ended_says_how_and_when),
        ONCE(a_half_open_breaker_counts_its_successes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
