#include "rig.h"

static void a_job_for_now_runs_once(void **state)
{
    (void)state;
    struct rig *rig = rig_new("2026-04-08T09:00:00Z");
    uint64_t job = rig_create(rig, "{\"name\":\"welcome\",\"payload\":{\"to\":7}}");
    const struct grant *grant = rig_take(rig, "w1");

    assert_non_null(grant);
    assert_int_equal(grant->job, job);
    assert_int_equal(grant->trigger, job);
    assert_int_equal(grant->number, 1);
    assert_null(rig_take(rig, "w2"));
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_SUCCEEDED);
    assert_int_equal(rig_dump(rig)->claims.count, 0);
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void a_recurring_job_fires_at_its_times(void **state)
{
    (void)state;
    struct rig *rig = rig_new("2026-04-08T09:00:00Z");
    uint64_t job = rig_create(rig, "{\"cron\":\"*/5 * * * *\"}");

    assert_null(rig_take(rig, "w1"));
    for (int i = 1; i <= 20; i++) {
        rig_wait(rig, 299999);
        assert_null(rig_take(rig, "w1"));
        rig_wait(rig, 1);
        const struct grant *grant = rig_take(rig, "w1");
        assert_non_null(grant);
        assert_int_equal(grant->scheduled_ms, rig_now(rig));
        if (i % 3 == 0) {
            rig_restart(rig);
        }
        rig_succeed(rig, "w1", grant);
    }
    assert_int_equal(rig_trigger_count(rig, job, TRIGGER_SUCCEEDED), 20);
    rig_free(rig);
}

static void a_failure_is_tried_again_after_its_backoff(void **state)
{
    (void)state;
    struct rig *rig = rig_new("2026-04-08T09:00:00Z");
    uint64_t job = rig_create(rig, "{\"retry\":{\"max_attempts\":3,\"delays\":[\"10s\",\"20s\"],\"jitter\":0}}");
    const struct grant *grant = rig_take(rig, "w1");

    rig_fail(rig, "w1", grant);
    rig_wait(rig, 9999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    grant = rig_take(rig, "w1");
    assert_int_equal(grant->number, 2);
    assert_int_equal(grant->failures, 1);
    rig_restart(rig);
    rig_fail(rig, "w1", grant);
    rig_wait(rig, 20000);
    grant = rig_take(rig, "w1");
    rig_fail(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void a_worker_that_vanishes_costs_one_lease(void **state)
{
    (void)state;
    struct rig *rig = rig_new("2026-04-08T09:00:00Z");

    rig_create(rig, "{}");
    const struct grant *grant = rig_take(rig, "w1");
    rig_worker_dies(rig, "w1");
    rig_wait(rig, 29999);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 1);
    const struct grant *again = rig_take(rig, "w2");
    assert_non_null(again);
    assert_int_equal(again->number, 2);
    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED)->refused_count, 1);
    rig_succeed(rig, "w2", again);
    rig_free(rig);
}

static void skip_leaves_one_record_for_a_run_of_skips(void **state)
{
    (void)state;
    struct rig *rig = rig_new("2026-04-08T09:00:00Z");
    uint64_t job = rig_create(rig, "{\"every\":\"1m\",\"timeout\":\"1h\"}");

    rig_wait(rig, 60000);
    const struct grant *grant = rig_take(rig, "w1");
    for (int i = 0; i < 50; i++) {
        rig_wait(rig, 10000);
        rig_renew(rig, "w1");
    }
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_skip_count(rig, job), 1);
    assert_int_equal(rig_skip(rig, job, 0)->count, 8);
    assert_int_equal(rig_skip(rig, job, 0)->blocked_by, grant->trigger);
    rig_free(rig);
}

static void a_dependent_runs_when_its_upstream_has_succeeded(void **state)
{
    (void)state;
    struct rig *rig = rig_new("2026-04-08T09:00:00Z");

    rig_create(rig, "{\"name\":\"a\",\"every\":\"1m\"}");
    uint64_t b = rig_create(rig, "{\"name\":\"b\",\"depends_on\":[\"a\"]}");
    rig_wait(rig, 60000);
    const struct grant *grant = rig_take(rig, "w1");
    assert_null(rig_take(rig, "w2"));
    rig_succeed(rig, "w1", grant);
    const struct grant *child = rig_take(rig, "w2");
    assert_non_null(child);
    assert_int_equal(child->job, b);
    assert_int_equal(child->scheduled_ms, grant->scheduled_ms);
    rig_succeed(rig, "w2", child);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_for_now_runs_once),
        cmocka_unit_test(a_recurring_job_fires_at_its_times),
        cmocka_unit_test(a_failure_is_tried_again_after_its_backoff),
        cmocka_unit_test(a_worker_that_vanishes_costs_one_lease),
        cmocka_unit_test(skip_leaves_one_record_for_a_run_of_skips),
        cmocka_unit_test(a_dependent_runs_when_its_upstream_has_succeeded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
