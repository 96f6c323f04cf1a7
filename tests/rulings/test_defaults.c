/* What tenants and types say for jobs that do not say it themselves: retries and time-outs. */
#include "ledger.h"

#define RETRY(max, delay) "'retry':{'max_attempts':" max ",'delays':['" delay "'],'jitter':0}"

/* Fails the first attempt of a job that is due; how long it waits for the second, -1: it is dead. */
static int64_t backoff_of(struct rig *rig, uint64_t job)
{
    const struct grant *grant = take_of(rig, "w1", job);
    uint64_t trigger = grant->trigger;

    rig_fail(rig, "w1", grant);
    const struct trigger_row *row = rig_trigger(rig, trigger);
    return row->state == TRIGGER_PENDING ? row->due_ms - rig_now(rig) : -1;
}

static void a_job_without_retries_of_its_own_has_its_types(void **state)
{
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{" RETRY("2", "7s") "}");
    assert_int_equal(backoff_of(rig, make(rig, "{'type':'mail'}")), 7000);
    assert_int_equal(backoff_of(rig, make(rig, "{'type':'mail'," RETRY("2", "3s") "}")), 3000);
    assert_in_range(backoff_of(rig, make(rig, "{'type':'other'}")), 24000, 36000); /* 30 s and a fifth of it */
    rig_free(rig);
}

static void the_nearest_settings_hold(void **state)
{
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TENANT, "", "acme", "{" RETRY("2", "9s") "}");
    assert_int_equal(backoff_of(rig, make(rig, "{'tenant':'acme','type':'mail'}")), 9000);
    set(rig, SCOPE_TYPE, "", "mail", "{" RETRY("2", "7s") "}");
    assert_int_equal(backoff_of(rig, make(rig, "{'tenant':'acme','type':'mail'}")), 7000);
    /* Settings that say nothing of it leave it to the next. */
    set(rig, SCOPE_TENANT_TYPE, "acme", "mail", "{'max_in_flight':5}");
    assert_int_equal(backoff_of(rig, make(rig, "{'tenant':'acme','type':'mail'}")), 7000);
    set(rig, SCOPE_TYPE, "", "mail", "{'max_in_flight':5}");
    assert_int_equal(backoff_of(rig, make(rig, "{'tenant':'acme','type':'mail'}")), 9000);
    set(rig, SCOPE_TYPE, "", "mail", "{" RETRY("1", "1s") "}");
    assert_int_equal(backoff_of(rig, make(rig, "{'tenant':'acme','type':'mail'}")), -1);
    rig_free(rig);
}

static void the_budget_of_settings_counts_as_they_are_now(void **state)
{
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{" RETRY("3", "1s") "}");
    uint64_t job = make(rig, "{'type':'mail'}");
    const struct grant *grant = take_of(rig, "w1", job);
    assert_int_equal(grant->max_attempts, 3);
    rig_fail(rig, "w1", grant);
    set(rig, SCOPE_TYPE, "", "mail", "{" RETRY("2", "1s") "}");
    rig_wait(rig, 1000);
    grant = take_of(rig, "w1", job);
    assert_int_equal(grant->max_attempts, 2);
    rig_fail(rig, "w1", grant);
    assert_int_equal(rig_trigger_count(rig, job, TRIGGER_DEAD), 1);
    rig_free(rig);
}

static void a_job_without_a_time_out_of_its_own_has_its_types(void **state)
{
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'timeout':'20s'}");
    assert_int_equal(take_of(rig, "w1", make(rig, "{'type':'mail'}"))->timeout_ms, 20000);
    set(rig, SCOPE_TYPE, "", "mail", "{'timeout':'10s'}");
    assert_int_equal(take_of(rig, "w1", make(rig, "{'type':'mail'}"))->timeout_ms, 10000);
    assert_int_equal(take_of(rig, "w1", make(rig, "{'type':'mail','timeout':'5s'}"))->timeout_ms, 5000);
    assert_int_equal(take_of(rig, "w1", make(rig, "{'type':'other'}"))->timeout_ms, 20000);
    assert_int_equal(take_of(rig, "w1", make(rig, "{'tenant':'x','type':'other'}"))->timeout_ms, 300000);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_job_without_retries_of_its_own_has_its_types),
        STORY(the_nearest_settings_hold),
        STORY(the_budget_of_settings_counts_as_they_are_now),
        STORY(a_job_without_a_time_out_of_its_own_has_its_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
