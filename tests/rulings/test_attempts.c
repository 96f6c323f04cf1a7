/* Attempts: claims, leases, fencing, reports that come late, twice or from strangers. */
#include "story.h"

#define LEASE_MS 30000

static const struct reply *exchange_naming_nothing(struct rig *rig, const char *worker, uint32_t want)
{
    struct str pools[] = {STR("default")};
    struct exchange exchange = {
        .worker = str_from(worker), .seq = -1, .pools = pools, .pool_count = 1, .capacity = 8, .want = want};

    return rig_exchange(rig, &exchange);
}

/* ---- leases ---- */

static void a_lease_ends_a_lease_after_its_last_renewal(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    take(rig, "w1");
    turn(rig);
    rig_wait(rig, 20000);
    rig_renew(rig, "w1");
    turn(rig);
    rig_wait(rig, LEASE_MS - 1);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void a_job_may_have_a_lease_of_its_own(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'lease':'5s'}");
    assert_int_equal(take(rig, "w1")->lease_ms, 5000);
    turn(rig);
    rig_wait(rig, 4999);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void an_attempt_that_is_not_named_within_a_lease_is_lost_and_its_neighbour_is_not(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t a = make(rig, "{}");
    uint64_t b = make(rig, "{}");
    const struct reply *both = rig_poll(rig, "w1", "default", 2);

    assert_int_equal(both->grant_count, 2);
    turn(rig);
    rig_wait(rig, 10000);
    struct attempt_ref named = {.trigger = a, .number = 1};
    struct exchange exchange = {.worker = STR("w1"), .seq = -1, .holding = &named, .holding_count = 1};
    rig_exchange(rig, &exchange);
    rig_wait(rig, 20000);
    const struct grant *lost = take(rig, "w2");
    assert_int_equal(lost->trigger, b);
    assert_int_equal(lost->number, 2);
    assert_null(rig_take(rig, "w3"));
    rig_free(rig);
}

static void an_attempt_sent_again_does_not_get_a_longer_lease(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    turn(rig);
    rig_wait(rig, 20000);
    const struct reply *again = exchange_naming_nothing(rig, "w1", 1);
    assert_int_equal(again->grant_count, 1);
    assert_int_equal(again->grants[0].trigger, grant->trigger);
    assert_int_equal(again->grants[0].number, 1);
    rig_wait(rig, 9999);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void after_a_restart_a_running_attempt_has_a_fresh_lease(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, 25000);
    rig_restart(rig);
    rig_wait(rig, LEASE_MS - 1);
    assert_null(rig_take(rig, "w2"));
    rig_succeed(rig, "w1", grant);
    rig_wait(rig, 1);
    assert_null(rig_take(rig, "w2"));
    rig_free(rig);
}

static void after_a_restart_a_silent_worker_costs_one_lease_from_then_on(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    take(rig, "w1");
    rig_wait(rig, 25000);
    rig_restart(rig);
    rig_wait(rig, LEASE_MS);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void a_worker_goes_on_renewing_after_a_restart(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'timeout':'1h'}");
    const struct grant *grant = take(rig, "w1");

    for (int i = 0; i < 30; i++) {
        rig_wait(rig, 20000);
        assert_int_equal(rig_renew(rig, "w1")->cancel_count, 0);
        turn(rig);
        assert_null(rig_take(rig, "w2"));
    }
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, job)->attempts, 1);
    rig_free(rig);
}

static void a_worker_that_names_an_attempt_of_which_a_newer_one_was_granted_is_told_to_stop(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *old = take(rig, "w1");
    turn(rig);
    rig_wait(rig, LEASE_MS);
    const struct grant *new = take_number(rig, "w2", 2);
    turn(rig);
    const struct reply *reply = rig_renew(rig, "w1");
    assert_true(told_to_stop(reply, old));
    assert_false(told_to_stop(rig_renew(rig, "w2"), new));
    rig_free(rig);
}

static void naming_a_stranger_s_attempt_does_not_renew_it(void **state)
{
    struct rig *rig = story_begin(state);

    uint64_t job = make(rig, "{}");
    take(rig, "w1");
    turn(rig);
    rig_wait(rig, 20000);
    struct attempt_ref named = {.trigger = job, .number = 1};
    struct exchange exchange = {.worker = STR("w2"), .seq = -1, .holding = &named, .holding_count = 1};
    rig_exchange(rig, &exchange);
    rig_wait(rig, 10000);
    take_number(rig, "w3", 2);
    rig_free(rig);
}

/* ---- reports ---- */

static void the_same_success_again_is_accepted_and_another_word_is_a_conflict(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_succeed(rig, "w1", grant);
    turn(rig);
    rig_succeed(rig, "w1", grant);
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", grant, ATTEMPT_FAILED), REFUSED_CONFLICT));
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", grant, ATTEMPT_RELEASED), REFUSED_CONFLICT));
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_SUCCEEDED);
    assert_int_equal(rig_trigger(rig, job)->attempts, 1);
    rig_free(rig);
}

static void the_same_failure_again_counts_once(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");
    const struct grant *grant = take(rig, "w1");

    rig_fail(rig, "w1", grant);
    int64_t due_ms = rig_now(rig) + 60000;
    turn(rig);
    rig_wait(rig, 5000);
    rig_fail(rig, "w1", grant);
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED), REFUSED_CONFLICT));
    assert_int_equal(rig_trigger(rig, job)->failures, 1);
    assert_int_equal(rig_trigger(rig, job)->due_ms, due_ms);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_PENDING);
    rig_free(rig);
}

static void the_same_release_again_is_accepted_and_counts_once(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_RELEASED)->refused_count, 0);
    turn(rig);
    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_RELEASED)->refused_count, 0);
    assert_int_equal(rig_trigger(rig, job)->released_run, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void the_same_report_twice_in_one_exchange_is_accepted(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    struct report twice[] = {{.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED},
                             {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED}};
    struct exchange exchange = {.worker = STR("w1"), .seq = -1, .reports = twice, .report_count = 2};

    turn(rig);
    assert_int_equal(rig_exchange(rig, &exchange)->refused_count, 0);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_SUCCEEDED);
    rig_free(rig);
}

static void of_two_contradicting_reports_in_one_exchange_the_first_holds(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    struct report both[] = {{.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED},
                            {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_FAILED}};
    struct exchange exchange = {.worker = STR("w1"), .seq = -1, .reports = both, .report_count = 2};

    turn(rig);
    assert_true(refused(rig_exchange(rig, &exchange), REFUSED_CONFLICT));
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_SUCCEEDED);
    rig_free(rig);
}

static void a_report_of_somebody_else_s_attempt_is_refused(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    assert_int_equal(rig_report(rig, "w2", grant, ATTEMPT_SUCCEEDED)->refused_count, 1);
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    turn(rig);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void what_was_never_granted_is_unknown(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    struct grant nobody = {.trigger = 4711, .number = 1};
    struct grant too_new = {.trigger = job, .number = 2};

    assert_true(refused(rig_report(rig, "w1", &nobody, ATTEMPT_SUCCEEDED), REFUSED_UNKNOWN));
    take(rig, "w1");
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", &too_new, ATTEMPT_SUCCEEDED), REFUSED_UNKNOWN));
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_free(rig);
}

static void an_attempt_zero_was_never_granted(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    struct grant none = {.trigger = job, .number = 0};

    take(rig, "w1");
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", &none, ATTEMPT_SUCCEEDED), REFUSED_UNKNOWN));
    rig_free(rig);
}

static void one_exchange_may_bring_good_and_bad_reports_and_only_the_bad_are_refused(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t a = make(rig, "{}");
    uint64_t b = make(rig, "{}");
    const struct reply *both = rig_poll(rig, "w1", "default", 2);
    struct report reports[] = {{.trigger = 4711, .number = 1, .state = ATTEMPT_SUCCEEDED},
                               {.trigger = a, .number = 1, .state = ATTEMPT_SUCCEEDED},
                               {.trigger = b, .number = 9, .state = ATTEMPT_SUCCEEDED},
                               {.trigger = b, .number = 1, .state = ATTEMPT_SUCCEEDED}};
    struct exchange exchange = {.worker = STR("w1"), .seq = -1, .reports = reports, .report_count = 4};

    assert_int_equal(both->grant_count, 2);
    turn(rig);
    const struct reply *reply = rig_exchange(rig, &exchange);
    assert_int_equal(reply->refused_count, 2);
    assert_int_equal(reply->refused[0].attempt.trigger, 4711);
    assert_int_equal(reply->refused[1].attempt.trigger, b);
    assert_int_equal(reply->refused[1].attempt.number, 9);
    assert_int_equal(rig_job(rig, a)->status, JOB_COMPLETED);
    assert_int_equal(rig_job(rig, b)->status, JOB_COMPLETED);
    rig_free(rig);
}

/* ---- late reports ---- */

static void a_late_success_is_taken_while_no_newer_attempt_was_granted(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_wait(rig, LEASE_MS + 5000);
    turn(rig);
    assert_int_equal(rig_trigger(rig, job)->last.state, ATTEMPT_LOST);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_SUCCEEDED);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    turn(rig);
    assert_null(rig_take(rig, "w2"));
    rig_succeed(rig, "w1", grant);
    rig_free(rig);
}

static void a_late_failure_counts_and_waits_its_backoff(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_wait(rig, LEASE_MS + 5000);
    turn(rig);
    rig_fail(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, job)->failures, 1);
    assert_int_equal(rig_trigger(rig, job)->lost_run, 0);
    turn(rig);
    rig_wait(rig, 59999);
    assert_null(rig_take(rig, "w2"));
    rig_wait(rig, 1);
    assert_int_equal(take_number(rig, "w2", 2)->failures, 1);
    rig_free(rig);
}

static void a_late_release_changes_nothing_more(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_wait(rig, LEASE_MS);
    turn(rig);
    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_RELEASED)->refused_count, 0);
    assert_int_equal(rig_trigger(rig, job)->lost_run, 1);
    take_number(rig, "w2", 2);
    rig_free(rig);
}

static void a_late_report_is_stale_once_a_newer_attempt_was_granted(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *old = take(rig, "w1");

    turn(rig);
    rig_wait(rig, LEASE_MS);
    const struct grant *new = take_number(rig, "w2", 2);
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", old, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    turn(rig);
    rig_succeed(rig, "w2", new);
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", old, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    assert_int_equal(rig_trigger(rig, job)->attempts, 2);
    rig_free(rig);
}

static void a_late_report_is_refused_when_it_is_a_stranger_s(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    rig_wait(rig, LEASE_MS);
    turn(rig);
    assert_int_equal(rig_report(rig, "w2", grant, ATTEMPT_SUCCEEDED)->refused_count, 1);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_PENDING);
    rig_free(rig);
}

static void the_same_worker_may_take_the_next_attempt_and_its_old_number_is_stale(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'retry':{'max_attempts':3,'delays':['1s'],'jitter':0}}");
    const struct grant *first = take(rig, "w1");
    rig_fail(rig, "w1", first);
    turn(rig);
    rig_wait(rig, 1000);
    const struct grant *second = take_number(rig, "w1", 2);
    turn(rig);
    assert_true(refused(rig_report(rig, "w1", first, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    turn(rig);
    rig_succeed(rig, "w1", second);
    rig_free(rig);
}

/* ---- lost ---- */

static void lose(struct rig *rig, uint32_t number)
{
    take_number(rig, "gone", number);
    rig_worker_dies(rig, "gone");
    turn(rig);
    rig_wait(rig, LEASE_MS);
    turn(rig);
}

static void three_lost_in_a_row_make_a_dead_letter(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':10}}");

    lose(rig, 1);
    lose(rig, 2);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_PENDING);
    assert_int_equal(rig_trigger(rig, job)->failures, 0);
    lose(rig, 3);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    assert_true(str_is(rig_trigger(rig, job)->reason, "crashed_workers"));
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    assert_null(rig_take(rig, "w2"));
    struct grant third = {.trigger = job, .number = 3};
    assert_true(refused(rig_report(rig, "gone", &third, ATTEMPT_SUCCEEDED), REFUSED_STALE));
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    rig_free(rig);
}

static void lost_counts_in_a_row_whatever_is_released_in_between(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");

    lose(rig, 1);
    rig_report(rig, "w1", take_number(rig, "w1", 2), ATTEMPT_RELEASED);
    turn(rig);
    lose(rig, 3);
    rig_report(rig, "w1", take_number(rig, "w1", 4), ATTEMPT_RELEASED);
    turn(rig);
    lose(rig, 5);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    rig_free(rig);
}

static void a_failure_ends_a_run_of_lost(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}");

    lose(rig, 1);
    lose(rig, 2);
    rig_fail(rig, "w1", take_number(rig, "w1", 3));
    turn(rig);
    rig_wait(rig, 1000);
    lose(rig, 4);
    lose(rig, 5);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_PENDING);
    lose(rig, 6);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_DEAD);
    rig_free(rig);
}

/* ---- released ---- */

static void what_is_released_is_due_at_once_and_costs_nothing(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':1}}");

    rig_report(rig, "w1", take_number(rig, "w1", 1), ATTEMPT_RELEASED);
    turn(rig);
    const struct grant *grant = take_number(rig, "w2", 2);
    assert_int_equal(grant->failures, 0);
    assert_int_equal(grant->max_attempts, 1);
    turn(rig);
    rig_succeed(rig, "w2", grant);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_SUCCEEDED);
    rig_free(rig);
}

/* The tenth itself may be read either way, and is not asked here. */
static void after_ten_releases_in_a_row_each_waits_thirty_seconds(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    uint32_t number = 1;

    for (; number <= 10; number++) {
        rig_report(rig, "w1", take_number(rig, "w1", number), ATTEMPT_RELEASED);
        turn(rig);
    }
    rig_wait(rig, 30000);
    for (; number <= 13; number++) {
        rig_report(rig, "w1", take_number(rig, "w1", number), ATTEMPT_RELEASED);
        turn(rig);
        rig_wait(rig, 29999);
        assert_null(rig_take(rig, "w1"));
        assert_true(names(rig_why_trigger(rig, job), WHY_RELEASED_OFTEN));
        rig_wait(rig, 1);
    }
    rig_succeed(rig, "w1", take_number(rig, "w1", number));
    rig_free(rig);
}

static void a_failure_ends_a_run_of_releases_and_lost_does_not(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':5,'delays':['1s'],'jitter':0}}");
    uint32_t number = 1;

    for (; number <= 8; number++) {
        rig_report(rig, "w1", take_number(rig, "w1", number), ATTEMPT_RELEASED);
    }
    turn(rig);
    lose(rig, number++);
    assert_int_equal(rig_trigger(rig, job)->released_run, 8);
    rig_fail(rig, "w1", take_number(rig, "w1", number++));
    turn(rig);
    rig_wait(rig, 1000);
    for (int i = 0; i < 9; i++) {
        rig_report(rig, "w1", take_number(rig, "w1", number++), ATTEMPT_RELEASED);
        turn(rig);
    }
    rig_succeed(rig, "w1", take_number(rig, "w1", number));
    rig_free(rig);
}

/* ---- cancel ---- */

static void a_cancelled_run_ends_at_once_and_its_worker_is_told(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'tenant':'acme'}");

    set(rig, SCOPE_TENANT, "", "acme", "{'max_in_flight':1}");
    const struct grant *grant = take(rig, "w1");
    uint64_t next = make(rig, "{'tenant':'acme'}");
    assert_null(rig_take(rig, "w2"));
    turn(rig);
    assert_int_equal(rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger)->kind, REPLY_TRIGGERS);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_CANCELLED);
    assert_int_equal(rig_trigger(rig, job)->last.state, ATTEMPT_CANCELLED);
    assert_int_equal(take(rig, "w2")->job, next);
    assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
    turn(rig);
    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED)->refused_count, 1);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_CANCELLED);
    rig_free(rig);
}

static void after_a_restart_the_worker_of_a_cancelled_run_is_still_told(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = take(rig, "w1");
    rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger);
    rig_restart(rig);
    assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
    rig_free(rig);
}

static void the_worker_of_a_deleted_job_is_told_to_stop_and_its_report_is_refused(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = take(rig, "w1");

    turn(rig);
    assert_int_equal(rig_delete(rig, job)->kind, REPLY_JOBS);
    turn(rig);
    assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
    assert_int_equal(rig_report(rig, "w1", grant, ATTEMPT_SUCCEEDED)->refused_count, 1);
    assert_null(rig_job(rig, job));
    rig_free(rig);
}

static void a_trigger_that_waits_for_its_retry_can_be_cancelled(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");

    rig_fail(rig, "w1", take(rig, "w1"));
    turn(rig);
    rig_trigger_command(rig, COMMAND_CANCEL, job);
    turn(rig);
    rig_wait(rig, 120000);
    assert_null(rig_take(rig, "w1"));
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_CANCELLED);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_lease_ends_a_lease_after_its_last_renewal),
        STORY(a_job_may_have_a_lease_of_its_own),
        STORY(an_attempt_that_is_not_named_within_a_lease_is_lost_and_its_neighbour_is_not),
        STORY(an_attempt_sent_again_does_not_get_a_longer_lease),
        ONCE(after_a_restart_a_running_attempt_has_a_fresh_lease),
        ONCE(after_a_restart_a_silent_worker_costs_one_lease_from_then_on),
        STORY(a_worker_goes_on_renewing_after_a_restart),
        STORY(a_worker_that_names_an_attempt_of_which_a_newer_one_was_granted_is_told_to_stop),
        STORY(naming_a_stranger_s_attempt_does_not_renew_it),
        STORY(the_same_success_again_is_accepted_and_another_word_is_a_conflict),
        STORY(the_same_failure_again_counts_once),
        STORY(the_same_release_again_is_accepted_and_counts_once),
        STORY(the_same_report_twice_in_one_exchange_is_accepted),
        STORY(of_two_contradicting_reports_in_one_exchange_the_first_holds),
        STORY(a_report_of_somebody_else_s_attempt_is_refused),
        STORY(what_was_never_granted_is_unknown),
        STORY(an_attempt_zero_was_never_granted),
        STORY(one_exchange_may_bring_good_and_bad_reports_and_only_the_bad_are_refused),
        STORY(a_late_success_is_taken_while_no_newer_attempt_was_granted),
        STORY(a_late_failure_counts_and_waits_its_backoff),
        STORY(a_late_release_changes_nothing_more),
        STORY(a_late_report_is_stale_once_a_newer_attempt_was_granted),
        STORY(a_late_report_is_refused_when_it_is_a_stranger_s),
        STORY(the_same_worker_may_take_the_next_attempt_and_its_old_number_is_stale),
        STORY(three_lost_in_a_row_make_a_dead_letter),
        STORY(lost_counts_in_a_row_whatever_is_released_in_between),
        STORY(a_failure_ends_a_run_of_lost),
        STORY(what_is_released_is_due_at_once_and_costs_nothing),
        STORY(after_ten_releases_in_a_row_each_waits_thirty_seconds),
        STORY(a_failure_ends_a_run_of_releases_and_lost_does_not),
        STORY(a_cancelled_run_ends_at_once_and_its_worker_is_told),
        ONCE(after_a_restart_the_worker_of_a_cancelled_run_is_still_told),
        STORY(the_worker_of_a_deleted_job_is_told_to_stop_and_its_report_is_refused),
        STORY(a_trigger_that_waits_for_its_retry_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
