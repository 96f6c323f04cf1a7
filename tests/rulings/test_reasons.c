/* More of why something does not run, and of reports that come in odd company. */
#include "ledger.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"

/* ---- why ---- */

static void a_run_by_hand_behind_a_fire_names_the_job(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    uint64_t manual = rig_run(rig, job);
    assert_int_equal(reason_of(rig_why_trigger(rig, manual), WHY_OVERLAP)->id, job);
    const struct grant *grant = take_minute(rig, "w1", 1);
    assert_int_equal(reason_of(rig_why_trigger(rig, manual), WHY_OVERLAP)->id, grant->trigger);
    rig_free(rig);
}

static void a_fire_behind_a_run_by_hand_names_it(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue'," LONG_RUN "}");
    uint64_t manual = rig_run(rig, job);

    rig_wait(rig, MINUTE);
    assert_int_equal(reason_of(rig_why(rig, job), WHY_OVERLAP)->id, manual);
    rig_free(rig);
}

static void a_job_that_may_run_beside_itself_is_not_held_by_its_run(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t alone = make(rig, "{'every':'1m'," LONG_RUN "}");
    uint64_t beside = make(rig, "{'every':'1m','overlap':'allow'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    take(rig, "w1");
    take(rig, "w1");
    turn(rig);
    assert_true(names(rig_why(rig, alone), WHY_RUNNING));
    const struct reply *why = rig_why(rig, beside);
    assert_false(names(why, WHY_RUNNING));
    assert_int_equal(reason_of(why, WHY_NOT_DUE)->clears_ms, minute(2));
    rig_free(rig);
}

static void who_was_given_back_often_waits_and_then_no_longer(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:00:00Z'," LONG_RUN "}");
    uint64_t trigger = 0;

    for (int i = 0; i < 11; i++) {
        const struct grant *grant = take_of(rig, "w1", job);

        trigger = grant->trigger;
        assert_false(names(rig_why_trigger(rig, trigger), WHY_RELEASED_OFTEN));
        rig_report(rig, "w1", grant, ATTEMPT_RELEASED);
    }
    const struct reply *why = rig_why_trigger(rig, trigger);
    assert_int_equal(reason_of(why, WHY_RELEASED_OFTEN)->count, 11);
    assert_false(why->is_runnable);
    assert_nothing_to_do(rig);
    rig_wait(rig, 30000);
    assert_false(names(rig_why_trigger(rig, trigger), WHY_RELEASED_OFTEN));
    take_of(rig, "w1", job);
    rig_free(rig);
}

static void a_paused_job_says_so_beside_everything_else(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','retry':{'max_attempts':3,'delays':['1h'],'jitter':0}}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);
    uint64_t trigger = grant->trigger;
    rig_fail(rig, "w1", grant);
    rig_status(rig, job, JOB_PAUSED);
    const struct reply *why = rig_why_trigger(rig, trigger);
    assert_int_equal(reason_of(why, WHY_JOB_PAUSED)->id, job);
    assert_int_equal(reason_of(why, WHY_BACKOFF)->clears_ms, minute(61));
    rig_status(rig, job, JOB_CANCELLED);
    why = rig_why(rig, job);
    assert_int_equal(reason_of(why, WHY_JOB_ENDED)->id, job);
    assert_int_equal(why->reason_count, 1);
    assert_true(names(rig_why_trigger(rig, trigger), WHY_ENDED));
    rig_free(rig);
}

static void a_fire_in_line_names_the_run_before_it(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);
    rig_wait(rig, MINUTE);
    turn(rig);
    const struct reply *why = rig_why(rig, job);
    assert_int_equal(reason_of(why, WHY_OVERLAP)->id, grant->trigger);
    assert_false(names(why, WHY_NOT_DUE));
    rig_free(rig);
}

static void the_probe_of_an_untyped_job_is_the_run_that_began_last(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "default", "{'breaker':{'min_attempts':4}}");
    uint64_t job = make(
        rig, "{'every':'1h','overlap':'allow','retry':{'max_attempts':1,'delays':['1s'],'jitter':0}," LONG_RUN "}");
    for (int i = 0; i < 8; i++) {
        rig_run(rig, job);
    }
    const struct grant *first = take(rig, "w1"), *last = take(rig, "w1");
    for (int i = 0; i < 4; i++) {
        rig_fail(rig, "w1", take(rig, "w1"));
    }
    assert_nothing_to_do(rig);
    assert_true(reason_ready(rig_why(rig, job), READY_GATE_BREAKER)->clears_ms > rig_now(rig));
    rig_wait(rig, 30000);
    rig_restart(rig);
    /* Half open, and of the two that run one counts as its probe: nothing else starts. */
    assert_nothing_to_do(rig);
    assert_int_equal(reason_ready(rig_why(rig, job), READY_GATE_BREAKER)->clears_ms, TIME_NONE);
    rig_succeed(rig, "w1", first);
    assert_nothing_to_do(rig);
    rig_succeed(rig, "w1", last);
    take(rig, "w1"); /* the next probe */
    assert_nothing_to_do(rig);
    rig_free(rig);
}

/* ---- reports ---- */

/* One exchange that reports the same attempt in several ways; the reasons of those that are refused. */
static const struct reply *report_all(struct rig *rig, const char *worker, const struct report *reports, size_t count)
{
    struct exchange exchange = {
        .worker = str_from(worker), .seq = -1, .reports = reports, .report_count = count, .capacity = 1};

    return rig_exchange(rig, &exchange);
}

static void the_first_of_several_reports_in_one_exchange_counts(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:00:00Z'," LONG_RUN "}");
    const struct grant *grant = take_of(rig, "w1", job);
    struct report good = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};
    struct report bad = good, zero = good, next = good;

    bad.state = ATTEMPT_FAILED;
    zero.number = 0;
    next.number = 2;
    const struct reply *reply = report_all(rig, "w1", (const struct report[]){good, good, bad, zero, next}, 5);
    assert_int_equal(reply->refused_count, 3);
    assert_int_equal(reply->refused[0].reason, REFUSED_CONFLICT);
    assert_int_equal(reply->refused[1].reason, REFUSED_UNKNOWN);
    assert_int_equal(reply->refused[2].reason, REFUSED_UNKNOWN);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    /* The same once more, when all of it is stored. */
    reply = report_all(rig, "w1", (const struct report[]){good, bad, zero, next}, 4);
    assert_int_equal(reply->refused_count, 3);
    assert_int_equal(reply->refused[0].reason, REFUSED_CONFLICT);
    assert_int_equal(reply->refused[1].reason, REFUSED_UNKNOWN);
    assert_int_equal(reply->refused[2].reason, REFUSED_UNKNOWN);
    reply = report_all(rig, "w2", &good, 1);
    assert_true(refused(reply, REFUSED_STALE));
    rig_free(rig);
}

static void reports_of_a_trigger_that_goes_on_are_told_apart(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:00:00Z','retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");
    const struct grant *grant = take_of(rig, "w1", job);
    struct report bad = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_FAILED};
    struct report good = bad, zero = bad, next = bad, nobody = bad;

    good.state = ATTEMPT_SUCCEEDED;
    zero.number = 0;
    next.number = 2;
    nobody.trigger++;
    const struct reply *reply = report_all(rig, "w1", (const struct report[]){bad, bad, good, zero, next, nobody}, 6);
    assert_int_equal(reply->refused_count, 4);
    assert_int_equal(reply->refused[0].reason, REFUSED_CONFLICT);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(reply->refused[i].reason, REFUSED_UNKNOWN);
    }
    assert_int_equal(rig_trigger(rig, bad.trigger)->failures, 1);
    assert_true(refused(report_all(rig, "w2", &bad, 1), REFUSED_STALE));
    rig_free(rig);
}

static void a_report_of_what_was_cancelled_is_stale(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", job);
    struct report good = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};
    struct report bad = good;

    bad.state = ATTEMPT_FAILED;
    rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger);
    assert_true(refused(report_all(rig, "w1", &good, 1), REFUSED_STALE));
    assert_true(refused(report_all(rig, "w1", &bad, 1), REFUSED_STALE));
    assert_int_equal(rig_trigger(rig, grant->trigger)->state, TRIGGER_CANCELLED);
    rig_free(rig);
}

static void a_job_that_runs_very_often_names_as_many_runs_as_fit(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','overlap':'allow'," LONG_RUN "}");

    for (int i = 0; i < 50; i++) {
        rig_run(rig, job);
        take_of(rig, "w1", job);
    }
    patch(rig, job, "{'overlap':'skip'}");
    const struct reply *why = rig_why(rig, job);

    assert_false(why->is_runnable);
    assert_true(names(why, WHY_RUNNING));
    assert_in_range(why->reason_count, 20, 49);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_run_by_hand_behind_a_fire_names_the_job),
        STORY(a_fire_behind_a_run_by_hand_names_it),
        STORY(a_job_that_may_run_beside_itself_is_not_held_by_its_run),
        STORY(who_was_given_back_often_waits_and_then_no_longer),
        STORY(a_paused_job_says_so_beside_everything_else),
        STORY(a_fire_in_line_names_the_run_before_it),
        ONCE(the_probe_of_an_untyped_job_is_the_run_that_began_last),
        STORY(the_first_of_several_reports_in_one_exchange_counts),
        STORY(reports_of_a_trigger_that_goes_on_are_told_apart),
        STORY(a_report_of_what_was_cancelled_is_stale),
        STORY(a_job_that_runs_very_often_names_as_many_runs_as_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
