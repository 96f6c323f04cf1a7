/* Dependencies through the lives of jobs: one-time chains, skips, runs by hand, pause and cancel. */
#include "ledger.h"

#define ONE_TRY "'retry':{'max_attempts':1,'delays':['1s'],'jitter':0}"
#define LONG_RUN "'lease':'1h','timeout':'2h'"

static void finish(struct rig *rig, uint64_t job)
{
    rig_succeed(rig, "w1", take_of(rig, "w1", job));
}

/* ---- once ---- */

static void a_one_time_chain_runs_once_in_its_order(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','delay':'1m'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");
    uint64_t c = make(rig, "{'name':'c','depends_on':['b']}");

    assert_nothing_to_do(rig);
    rig_wait(rig, MINUTE);
    finish(rig, a);
    assert_int_equal(rig_job(rig, b)->status, JOB_ACTIVE);
    finish(rig, b);
    assert_int_equal(rig_job(rig, b)->status, JOB_COMPLETED);
    finish(rig, c);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

#if 1
static void each_job_of_a_one_time_chain_is_completed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','delay':'1m'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");
    uint64_t c = make(rig, "{'name':'c','depends_on':['b']}");

    rig_wait(rig, MINUTE);
    finish(rig, a);
    finish(rig, b);
    finish(rig, c);
    assert_int_equal(rig_job(rig, a)->status, JOB_COMPLETED);
    assert_int_equal(rig_job(rig, b)->status, JOB_COMPLETED);
    assert_int_equal(rig_job(rig, c)->status, JOB_COMPLETED);
    rig_free(rig);
}
#endif

#if 1
static void an_upstream_that_has_ended_before_counts(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t good = make(rig, "{'name':'good'}");

    finish(rig, good);
    uint64_t bad = make(rig, "{'name':'bad'," ONE_TRY "}");
    rig_fail(rig, "w1", take_of(rig, "w1", bad));
    rig_wait(rig, HOUR);
    finish(rig, make(rig, "{'depends_on':['good']}"));
    finish(rig, make(rig, "{'depends_on':['good',{'job':'bad','on':'failure'}]}"));
    finish(rig, make(rig, "{'depends_on':[{'job':'bad','on':'done'}]}"));
    uint64_t never = make(rig, "{'depends_on':['good','bad']}");
    assert_nothing_to_do(rig);
    assert_int_equal(rig_trigger_count(rig, never, TRIGGER_CANCELLED), 1);
    assert_int_equal(rig_job(rig, never)->status, JOB_COMPLETED);
    rig_free(rig);
}
#endif

#if 1
static void a_one_time_upstream_that_is_cancelled_or_skipped_counts_as_cancelled(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','delay':'1m'}");
    uint64_t on_success = make(rig, "{'depends_on':['a']}");
    uint64_t on_done = make(rig, "{'depends_on':[{'job':'a','on':'done'}]}");

    rig_status(rig, a, JOB_CANCELLED);
    finish(rig, on_done);
    assert_int_equal(rig_trigger_count(rig, on_success, TRIGGER_CANCELLED), 1);

    make(rig, "{'name':'b','delay':'1m','expires_after':'10s'}");
    on_success = make(rig, "{'depends_on':['b']}");
    on_done = make(rig, "{'depends_on':[{'job':'b','on':'done'}]}");
    rig_wait(rig, MINUTE + 10000);
    finish(rig, on_done);
    assert_nothing_to_do(rig);
    assert_int_equal(rig_trigger_count(rig, on_success, TRIGGER_CANCELLED), 1);
    rig_free(rig);
}
#endif

/* ---- skips ---- */

static void a_skipped_upstream_counts_as_cancelled(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'," LONG_RUN "}");
    uint64_t success = make(rig, "{'name':'s','pool':'s','depends_on':['a']}");
    uint64_t done = make(rig, "{'name':'d','pool':'d','overlap':'allow','depends_on':[{'job':'a','on':'done'}]}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", a);
    rig_wait(rig, 2 * MINUTE);
    assert_ledger(rig, success, "2:cancelled 3:cancelled");
    for (int64_t i = 2; i <= 3; i++) {
        const struct grant *child = rig_take_from(rig, "w2", "d");
        assert_int_equal(minutes(child->scheduled_ms), i);
        rig_succeed(rig, "w2", child);
    }
    rig_succeed(rig, "w1", grant);
    rig_succeed(rig, "w2", rig_take_from(rig, "w2", "s"));
    assert_ledger(rig, success, "1 2:cancelled 3:cancelled");
    rig_succeed(rig, "w2", rig_take_from(rig, "w2", "d"));
    assert_ledger(rig, done, "1 2 3");
    rig_free(rig);
}

static void a_long_run_of_skips_decides_the_newest_thousand_one_by_one(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1s','misfire':'skip','misfire_after':'0ms'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");

    rig_down(rig, 3000 * 1000 + 500);
    assert_nothing_to_do(rig);
    assert_int_equal(rig_skip(rig, a, 0)->count, 3000);
    assert_int_equal(rig_trigger_count(rig, b, TRIGGER_CANCELLED), 1000);
    int64_t first_ms = INT64_MAX;
    const struct rows *rows = rig_dump(rig);
    for (size_t i = 0; i < rows->triggers.count; i++) {
        first_ms = rows->triggers.items[i].scheduled_ms < first_ms ? rows->triggers.items[i].scheduled_ms : first_ms;
    }
    assert_int_equal((first_ms - minute(0)) / 1000, 2001);
    rig_free(rig);
}

/* ---- by hand ---- */

static void a_run_by_hand_has_children_of_its_own(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1h','overlap':'allow'}");
    uint64_t b = make(rig, "{'name':'b','overlap':'allow','pool':'b','depends_on':['a']}");
    uint64_t c = make(rig, "{'name':'c','overlap':'allow','pool':'c','depends_on':['b']}");
    uint64_t runs[] = {rig_run(rig, a), rig_run(rig, a)};

    for (size_t i = 0; i < 2; i++) {
        const struct grant *grant = take_of(rig, "w1", a);
        assert_int_equal(grant->trigger, runs[i]);
        rig_succeed(rig, "w1", grant);
        const struct grant *child = rig_take_from(rig, "w1", "b");
        assert_non_null(child);
        assert_int_equal(child->kind, TRIGGER_DEPENDENCY);
        rig_succeed(rig, "w1", child);
        assert_int_equal(rig_trigger(rig, child->trigger)->root, runs[i]);
        const struct grant *grandchild = rig_take_from(rig, "w1", "c");
        rig_succeed(rig, "w1", grandchild);
        assert_int_equal(rig_trigger(rig, grandchild->trigger)->root, runs[i]);
    }
    assert_int_equal(rig_trigger_count(rig, b, TRIGGER_SUCCEEDED), 2);
    assert_int_equal(rig_trigger_count(rig, c, TRIGGER_SUCCEEDED), 2);
    rig_free(rig);
}

static void a_run_by_hand_asks_only_what_it_reaches(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'0 * * * *'}");

    make(rig, "{'name':'x','cron':'0 * * * *'}");
    uint64_t c = make(rig, "{'name':'c','depends_on':['a','x']}");
    uint64_t run = rig_run(rig, a);
    finish(rig, a);
    const struct grant *child = take_of(rig, "w1", c);
    rig_succeed(rig, "w1", child);
    assert_int_equal(rig_trigger(rig, child->trigger)->root, run);
    assert_nothing_to_do(rig);
    /* The scheduled fire still asks both. */
    rig_wait(rig, HOUR);
    rig_succeed(rig, "w1", take(rig, "w1"));
    const struct grant *second = take(rig, "w1");
    assert_int_not_equal(second->job, c);
    rig_succeed(rig, "w1", second);
    finish(rig, c);
    rig_free(rig);
}

static void backfills_and_replays_have_children_of_their_own(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'0 * * * *'," ONE_TRY "}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");

    rig_wait(rig, HOUR);
    const struct grant *dead = take_of(rig, "w1", a);
    rig_fail(rig, "w1", dead);
    assert_ledger(rig, b, "60:cancelled");
    uint64_t replay = rig_trigger_command(rig, COMMAND_REPLAY, dead->trigger)->triggers[0];
    finish(rig, a);
    const struct grant *child = take_of(rig, "w1", b);
    rig_succeed(rig, "w1", child);
    assert_int_equal(rig_trigger(rig, child->trigger)->root, replay);

    uint64_t fill = rig_backfill(rig, a, "2026-04-08T05:30:00Z", "2026-04-08T06:30:00Z")->triggers[0];
    finish(rig, a);
    child = take_of(rig, "w1", b);
    rig_succeed(rig, "w1", child);
    assert_int_equal(rig_trigger(rig, child->trigger)->root, fill);
    rig_free(rig);
}

/* ---- pause and cancel ---- */

static void a_paused_dependent_runs_when_it_is_resumed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");

    rig_status(rig, b, JOB_PAUSED);
    for (int i = 0; i < 3; i++) {
        rig_wait(rig, MINUTE);
        finish(rig, a);
        assert_nothing_to_do(rig);
    }
    rig_status(rig, b, JOB_ACTIVE);
    assert_int_equal(run_all(rig), 3);
    assert_ledger(rig, b, "1 2 3");
    rig_free(rig);
}

#if 1
static void a_cancelled_job_in_the_middle_counts_as_cancelled(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");
    uint64_t success = make(rig, "{'name':'c','depends_on':['b']}");
    uint64_t done = make(rig, "{'name':'d','depends_on':[{'job':'b','on':'done'}]}");

    rig_status(rig, b, JOB_CANCELLED);
    rig_wait(rig, MINUTE);
    finish(rig, a);
    finish(rig, done);
    assert_nothing_to_do(rig);
    assert_ledger(rig, success, "1:cancelled");
    rig_free(rig);
}
#endif

static void a_cancelled_root_counts_as_cancelled_for_the_fires_of_the_other(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'* * * * *'}");
    uint64_t b = make(rig, "{'name':'b','cron':'* * * * *'}");
    uint64_t success = make(rig, "{'name':'c','depends_on':['a','b']}");
    uint64_t done = make(rig, "{'name':'d','depends_on':['a',{'job':'b','on':'done'}]}");

    rig_status(rig, b, JOB_CANCELLED);
    rig_wait(rig, MINUTE);
    finish(rig, a);
    finish(rig, done);
    assert_nothing_to_do(rig);
    assert_ledger(rig, success, "1:cancelled");
    rig_free(rig);
}

static void cancelling_a_job_cancels_what_waited_for_its_runs(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'," LONG_RUN "}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");
    uint64_t c = make(rig, "{'name':'c','depends_on':[{'job':'b','on':'done'}]}");

    rig_wait(rig, MINUTE);
    take_of(rig, "w1", a);
    rig_status(rig, a, JOB_CANCELLED);
    rig_worker_dies(rig, "w1");
    assert_ledger(rig, b, "1:cancelled");
    finish(rig, c);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_one_time_chain_runs_once_in_its_order),
#if 1
        STORY(each_job_of_a_one_time_chain_is_completed),
#endif
#if 1
        STORY(an_upstream_that_has_ended_before_counts),
#endif
#if 1
        STORY(a_one_time_upstream_that_is_cancelled_or_skipped_counts_as_cancelled),
#endif
        STORY(a_skipped_upstream_counts_as_cancelled),
        STORY(a_long_run_of_skips_decides_the_newest_thousand_one_by_one),
        STORY(a_run_by_hand_has_children_of_its_own),
        STORY(a_run_by_hand_asks_only_what_it_reaches),
        STORY(backfills_and_replays_have_children_of_their_own),
        STORY(a_paused_dependent_runs_when_it_is_resumed),
#if 1
        STORY(a_cancelled_job_in_the_middle_counts_as_cancelled),
#endif
        STORY(a_cancelled_root_counts_as_cancelled_for_the_fires_of_the_other),
        STORY(cancelling_a_job_cancels_what_waited_for_its_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
