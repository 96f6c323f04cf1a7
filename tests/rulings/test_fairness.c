/* Whose turn it is: tenants by weight, strict priority inside a tenant, then due time, then id. */
#include "story.h"

static void make_many(struct rig *rig, int count, const char *text)
{
    for (int i = 0; i < count; i++) {
        make(rig, "%s", text);
    }
}

/* Takes and ends so many, one by one; how many were this tenant's. */
static int count_of(struct rig *rig, const char *tenant, int taken)
{
    int count = 0;

    for (int i = 0; i < taken; i++) {
        const struct grant *grant = take(rig, "w1");

        count += str_is(grant->place.tenant, tenant);
        rig_succeed(rig, "w1", grant);
    }
    return count;
}

static void tenants_share_a_pool_equally(void **state)
{
    struct rig *rig = story_begin(state);

    make_many(rig, 60, "{'tenant':'acme'}");
    make_many(rig, 60, "{'tenant':'bell'}");
    make_many(rig, 60, "{'tenant':'crown'}");
    assert_in_range(count_of(rig, "bell", 30), 9, 11);
    assert_in_range(count_of(rig, "crown", 30), 9, 11);
    rig_free(rig);
}

static void tenants_share_by_weight(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "acme", "{'weight':3}");
    make_many(rig, 100, "{'tenant':'acme'}");
    make_many(rig, 100, "{'tenant':'bell'}");
    turn(rig);
    assert_in_range(count_of(rig, "acme", 80), 58, 62);
    rig_free(rig);
}

static void a_weight_changed_while_things_wait_holds_from_then_on(void **state)
{
    struct rig *rig = story_begin(state);

    make_many(rig, 100, "{'tenant':'acme'}");
    make_many(rig, 100, "{'tenant':'bell'}");
    assert_in_range(count_of(rig, "acme", 40), 19, 21);
    turn(rig);
    set(rig, SCOPE_TENANT, "", "bell", "{'weight':4}");
    turn(rig);
    assert_in_range(count_of(rig, "acme", 50), 9, 14);
    rig_free(rig);
}

static void one_big_poll_is_shared_like_many_small_ones(void **state)
{
    struct rig *rig = story_begin(state);
    int count = 0;

    set(rig, SCOPE_TENANT, "", "acme", "{'weight':3}");
    make_many(rig, 100, "{'tenant':'acme'}");
    make_many(rig, 100, "{'tenant':'bell'}");
    turn(rig);
    const struct reply *reply = rig_poll(rig, "w1", "default", 80);
    assert_int_equal(reply->grant_count, 80);
    for (size_t i = 0; i < reply->grant_count; i++) {
        count += str_is(reply->grants[i].place.tenant, "acme");
    }
    assert_in_range(count, 58, 62);
    rig_free(rig);
}

static void an_idle_tenant_s_next_job_waits_one_round_whatever_the_others_have(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "acme", "{'weight':2}");
    make_many(rig, 300, "{'tenant':'acme','priority':1}");
    count_of(rig, "acme", 10);
    uint64_t small = make(rig, "{'tenant':'bell','priority':5}");
    turn(rig);
    for (int i = 0; i < 3; i++) {
        const struct grant *grant = take(rig, "w1");
        if (grant->job == small) {
            rig_free(rig);
            return;
        }
    }
    fail_msg("the small tenant waits for more than a round");
}

static void a_tenant_that_rested_has_saved_nothing_up(void **state)
{
    struct rig *rig = story_begin(state);

    make_many(rig, 200, "{'tenant':'acme'}");
    make_many(rig, 1, "{'tenant':'bell'}");
    count_of(rig, "bell", 60);
    make_many(rig, 100, "{'tenant':'bell'}");
    turn(rig);
    assert_in_range(count_of(rig, "bell", 20), 9, 11);
    rig_free(rig);
}

static void a_gated_tenant_costs_the_others_nothing_and_comes_back_as_it_was(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "acme", "{'weight':10}");
    make_many(rig, 100, "{'tenant':'acme'}");
    make_many(rig, 100, "{'tenant':'bell'}");
    rig_pause(rig, SCOPE_TENANT, "", "acme");
    turn(rig);
    assert_int_equal(count_of(rig, "bell", 50), 50);
    rig_resume(rig, SCOPE_TENANT, "", "acme", 0);
    turn(rig);
    assert_in_range(count_of(rig, "bell", 44), 3, 5);
    rig_free(rig);
}

static void priority_is_strict_inside_a_tenant(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t by_priority[6] = {0};

    for (int priority = 5; priority >= 1; priority--) {
        by_priority[priority] = make(rig, "{'priority':%d,'type':'t%d'}", priority, priority % 2);
    }
    for (int priority = 1; priority <= 5; priority++) {
        turn(rig);
        assert_int_equal(take(rig, "w1")->job, by_priority[priority]);
    }
    rig_free(rig);
}

static void a_late_urgent_job_overtakes_what_waits(void **state)
{
    struct rig *rig = story_begin(state);

    make_many(rig, 50, "{'priority':3}");
    count_of(rig, "default", 5);
    rig_wait(rig, 1000);
    uint64_t urgent = make(rig, "{'priority':1,'type':'alarm'}");
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, urgent);
    rig_free(rig);
}

static void a_gated_urgent_job_does_not_block_the_others(void **state)
{
    struct rig *rig = story_begin(state);

    uint64_t urgent = make(rig, "{'priority':1,'type':'mail'}");
    uint64_t other = make(rig, "{'priority':5,'type':'sms'}");
    rig_pause(rig, SCOPE_TYPE, "", "mail");
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, other);
    rig_resume(rig, SCOPE_TYPE, "", "mail", 0);
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, urgent);
    rig_free(rig);
}

static void of_equal_priority_the_earliest_due_goes_first_whatever_its_type(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t jobs[6];

    for (int i = 0; i < 6; i++) {
        jobs[i] = make(rig, "{'delay':'%ds','type':'t%d'}", 10 - i, i % 3);
    }
    turn(rig);
    rig_wait(rig, 20000);
    for (int i = 5; i >= 0; i--) {
        turn(rig);
        assert_int_equal(take(rig, "w1")->job, jobs[i]);
    }
    rig_free(rig);
}

static void of_equal_due_time_the_older_id_goes_first(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t jobs[6];

    for (int i = 0; i < 6; i++) {
        jobs[i] = make(rig, "{'run_at':'2026-04-08T09:01:00Z','type':'t%d'}", i % 3);
    }
    turn(rig);
    rig_wait(rig, 60000);
    for (int i = 0; i < 6; i++) {
        turn(rig);
        assert_int_equal(take(rig, "w1")->job, jobs[i]);
    }
    rig_free(rig);
}

static void an_edited_priority_changes_the_order_of_what_waits(void **state)
{
    struct rig *rig = story_begin(state);

    make_many(rig, 10, "{}");
    uint64_t last = make(rig, "{}");
    turn(rig);
    patch(rig, last, "{'priority':1}");
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, last);
    rig_free(rig);
}

static void a_retry_goes_ahead(struct rig *rig, const char *overlap)
{
    uint64_t job =
        make(rig, "{'every':'1m','overlap':'%s','retry':{'max_attempts':5,'delays':['30s'],'jitter':0}}", overlap);

    rig_wait(rig, 60000);
    const struct grant *first = take(rig, "w1");
    rig_fail(rig, "w1", first);
    uint64_t manual = rig_run(rig, job);
    turn(rig);
    rig_wait(rig, 30000);
    turn(rig);
    const struct grant *retry = take(rig, "w1");
    assert_int_equal(retry->trigger, first->trigger);
    assert_int_equal(retry->number, 2);
    rig_succeed(rig, "w1", retry);
    turn(rig);
    assert_int_equal(take(rig, "w1")->trigger, manual);
}

static void a_due_retry_goes_ahead_of_a_manual_run_under_skip(void **state)
{
    struct rig *rig = story_begin(state);

    a_retry_goes_ahead(rig, "skip");
    rig_free(rig);
}

static void a_due_retry_goes_ahead_of_a_manual_run_under_queue(void **state)
{
    struct rig *rig = story_begin(state);

    a_retry_goes_ahead(rig, "queue");
    rig_free(rig);
}

#if 0 /* disagrees: under allow they stand in the order of their due time */
static void a_due_retry_goes_ahead_of_a_manual_run_under_allow(void **state)
{
    struct rig *rig = story_begin(state);

    a_retry_goes_ahead(rig, "allow");
    rig_free(rig);
}
#endif

#if 0 /* disagrees: under allow they stand in the order of their due time */
static void a_due_retry_goes_ahead_of_a_new_fire_under_allow(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'every':'10s','overlap':'allow','retry':{'max_attempts':5,'delays':['30s'],'jitter':0}}");
    rig_wait(rig, 10000);
    const struct grant *first = take(rig, "w1");
    rig_fail(rig, "w1", first);
    turn(rig);
    rig_wait(rig, 30000);
    turn(rig);
    assert_int_equal(take(rig, "w1")->trigger, first->trigger);
    rig_free(rig);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(tenants_share_a_pool_equally),
        STORY(tenants_share_by_weight),
        STORY(a_weight_changed_while_things_wait_holds_from_then_on),
        STORY(one_big_poll_is_shared_like_many_small_ones),
        STORY(an_idle_tenant_s_next_job_waits_one_round_whatever_the_others_have),
        STORY(a_tenant_that_rested_has_saved_nothing_up),
        STORY(a_gated_tenant_costs_the_others_nothing_and_comes_back_as_it_was),
        STORY(priority_is_strict_inside_a_tenant),
        STORY(a_late_urgent_job_overtakes_what_waits),
        STORY(a_gated_urgent_job_does_not_block_the_others),
        STORY(of_equal_priority_the_earliest_due_goes_first_whatever_its_type),
        STORY(of_equal_due_time_the_older_id_goes_first),
        STORY(an_edited_priority_changes_the_order_of_what_waits),
        STORY(a_due_retry_goes_ahead_of_a_manual_run_under_skip),
        STORY(a_due_retry_goes_ahead_of_a_manual_run_under_queue),
#if 0 /* disagrees */
        STORY(a_due_retry_goes_ahead_of_a_manual_run_under_allow),
#endif
#if 0 /* disagrees */
        STORY(a_due_retry_goes_ahead_of_a_new_fire_under_allow),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
