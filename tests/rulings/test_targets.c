/* Targets: which kinds of them a worker takes, and what that does to who gets what, and when. */
#include "story.h"

#define WAIT_MS 20000

/* Bits of struct exchange.targets. */
#define NONE (1U << TARGET_NONE)
#define HTTP (1U << TARGET_HTTP)
#define EXEC (1U << TARGET_EXEC)
#define ANY 0U

#define HTTP_JOB "{'target':{'http':{'url':'https://a.example/x'}}}"
#define EXEC_JOB "{'target':{'exec':{'argv':['true']}}}"

static uint64_t ask(struct rig *rig, const char *worker, unsigned targets, uint32_t want, int64_t wait_ms)
{
    struct str pool = STR("default");
    struct exchange exchange = {.worker = str_from(worker),
                                .seq = -1,
                                .name = str_from(worker),
                                .pools = &pool,
                                .pool_count = 1,
                                .targets = targets,
                                .capacity = 100,
                                .want = want,
                                .wait_ms = wait_ms};

    rig_exchange(rig, &exchange);
    return exchange.token;
}

static const struct reply *poll(struct rig *rig, const char *worker, unsigned targets, uint32_t want)
{
    const struct reply *reply = rig_answer(rig, ask(rig, worker, targets, want, 0));

    assert_non_null(reply);
    assert_int_equal(reply->kind, REPLY_WORK);
    return reply;
}

/* ---- who gets what ---- */

static void a_worker_is_given_only_the_targets_it_takes(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t none = make(rig, "{}");
    uint64_t http = make(rig, HTTP_JOB);
    uint64_t exec = make(rig, EXEC_JOB);

    turn(rig);
    const struct reply *reply = poll(rig, "w1", HTTP, 10);
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].job, http);
    turn(rig);
    reply = poll(rig, "w2", NONE, 10);
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].job, none);
    turn(rig);
    reply = poll(rig, "w3", EXEC | HTTP, 10);
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].job, exec);
    rig_free(rig);
}

static void a_worker_that_names_no_targets_takes_any(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    make(rig, HTTP_JOB);
    make(rig, EXEC_JOB);
    turn(rig);
    assert_int_equal(poll(rig, "w1", ANY, 10)->grant_count, 3);
    rig_free(rig);
}

static void kinds_of_targets_are_served_in_rotation(void **state)
{
    struct rig *rig = story_begin(state);

    for (int i = 0; i < 3; i++) {
        make(rig, HTTP_JOB);
    }
    make(rig, "{}");
    turn(rig);
    assert_int_equal(poll(rig, "w1", ANY, 2)->grant_count, 2); /* one of each */
    assert_int_equal(poll(rig, "w2", NONE, 10)->grant_count, 0);
    assert_int_equal(poll(rig, "w3", HTTP, 10)->grant_count, 2);
    rig_free(rig);
}

/* ---- waiting ---- */

static void who_waits_for_another_target_goes_on_waiting(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t first = ask(rig, "w1", EXEC, 1, WAIT_MS);
    uint64_t second = ask(rig, "w2", HTTP, 1, WAIT_MS);
    uint64_t http = make(rig, HTTP_JOB);

    assert_int_equal(given(rig, second)->job, http);
    assert_true(still_waits(rig, first));
    uint64_t exec = make(rig, EXEC_JOB);
    assert_int_equal(given(rig, first)->job, exec);
    rig_free(rig);
}

static void a_worker_that_takes_more_the_next_time_is_given_it(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t exec = make(rig, EXEC_JOB);

    turn(rig);
    assert_int_equal(poll(rig, "w1", HTTP, 1)->grant_count, 0);
    const struct reply *reply = poll(rig, "w1", HTTP | EXEC, 1);
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].job, exec);
    rig_free(rig);
}

static void a_target_that_nobody_takes_is_named(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t exec = make(rig, EXEC_JOB);
    uint64_t waiting = ask(rig, "w1", HTTP | NONE, 1, WAIT_MS);

    assert_true(still_waits(rig, waiting));
    const struct why_reason *reason = reason_of(rig_why(rig, exec), WHY_NO_WORKER);
    assert_int_equal(reason->count, 1); /* there is a worker of the pool */
    assert_int_equal(reason->target, TARGET_EXEC);
    assert_int_equal(given(rig, ask(rig, "w2", EXEC, 1, WAIT_MS))->job, exec);
    rig_free(rig);
}

/* ---- gates are the pool's, the tenant's and the type's, whatever the target ---- */

static void a_pools_cap_counts_all_targets(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_POOL, "", "default", "{'max_in_flight':1}");
    make(rig, HTTP_JOB);
    make(rig, EXEC_JOB);
    turn(rig);
    const struct reply *reply = poll(rig, "w1", HTTP, 1);
    assert_int_equal(reply->grant_count, 1);
    const struct grant *grant = &reply->grants[0];
    assert_int_equal(poll(rig, "w2", EXEC, 1)->grant_count, 0);
    uint64_t waiting = ask(rig, "w2", EXEC, 1, WAIT_MS);
    assert_true(still_waits(rig, waiting));
    rig_succeed(rig, "w1", grant); /* room: the one that waits for exec is told */
    given(rig, waiting);
    rig_free(rig);
}

static void work_that_nobody_takes_keeps_no_room_of_its_type(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TYPE, "", "mail", "{'max_in_flight':1}");
    make(rig, "{'type':'mail','tenant':'a','target':{'exec':{'argv':['true']}}}");
    uint64_t b = make(rig, "{'type':'mail','tenant':'b'}");
    uint64_t c = make(rig, "{'type':'mail','tenant':'c'}");
    turn(rig);
    const struct reply *reply = poll(rig, "w1", NONE, 10);
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].job, b);
    const struct grant *grant = &reply->grants[0];
    uint64_t waiting = ask(rig, "w2", NONE, 1, WAIT_MS);
    assert_true(still_waits(rig, waiting));
    rig_succeed(rig, "w1", grant);
    assert_int_equal(given(rig, waiting)->job, c);
    rig_free(rig);
}

static void a_paused_tenant_has_no_target_that_runs(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, HTTP_JOB);

    rig_pause(rig, SCOPE_TENANT, "", "default");
    turn(rig);
    uint64_t waiting = ask(rig, "w1", HTTP, 1, WAIT_MS);
    assert_true(still_waits(rig, waiting));
    rig_resume(rig, SCOPE_TENANT, "", "default", 0);
    assert_int_equal(given(rig, waiting)->job, job);
    rig_free(rig);
}

/* ---- versions: a trigger keeps its version's target ---- */

static void a_retry_keeps_its_versions_target(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1h','overlap':'allow','target':{'http':{'url':'https://a.example/x'}}}");

    rig_wait(rig, 3600 * 1000);
    const struct reply *reply = poll(rig, "w1", HTTP, 1);
    assert_int_equal(reply->grant_count, 1);
    const struct grant *grant = &reply->grants[0];
    rig_fail(rig, "w1", grant);
    turn(rig);
    assert_int_equal(patch(rig, job, "{'target':{'exec':{'argv':['true']}}}")->kind, REPLY_JOBS);
    turn(rig);
    rig_wait(rig, 60 * 1000);
    assert_int_equal(poll(rig, "w2", EXEC, 1)->grant_count, 0);
    reply = poll(rig, "w2", HTTP, 1);
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].trigger, grant->trigger);
    assert_int_equal(reply->grants[0].version, 1);
    rig_wait(rig, 3600 * 1000);
    reply = poll(rig, "w3", EXEC, 1); /* the next fire is the new version's */
    assert_int_equal(reply->grant_count, 1);
    assert_int_equal(reply->grants[0].version, 2);
    rig_free(rig);
}

static void what_runs_through_a_change_of_target_is_retried_as_it_was(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1h','target':{'http':{'url':'https://a.example/x'}}}");

    rig_wait(rig, 3600 * 1000);
    const struct reply *reply = poll(rig, "w1", HTTP, 1);
    assert_int_equal(reply->grant_count, 1);
    const struct grant *grant = &reply->grants[0];
    assert_int_equal(patch(rig, job, "{'target':null}")->kind, REPLY_JOBS);
    turn(rig); /* known by its claim before the change, by its row since */
    rig_fail(rig, "w1", grant);
    rig_wait(rig, 60 * 1000);
    assert_int_equal(poll(rig, "w2", NONE, 1)->grant_count, 0);
    assert_int_equal(poll(rig, "w2", HTTP, 1)->grant_count, 1);
    rig_free(rig);
}

static void a_replay_keeps_its_dead_triggers_target(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1h','retry':{'max_attempts':1,'delays':['1s']},"
                             "'target':{'http':{'url':'https://a.example/x'}}}");

    rig_wait(rig, 3600 * 1000);
    const struct reply *reply = poll(rig, "w1", HTTP, 1);
    assert_int_equal(reply->grant_count, 1);
    uint64_t dead = reply->grants[0].trigger;
    rig_fail(rig, "w1", &reply->grants[0]);
    assert_int_equal(patch(rig, job, "{'target':null}")->kind, REPLY_JOBS);
    turn(rig);
    assert_int_equal(rig_trigger_command(rig, COMMAND_REPLAY, dead)->trigger_count, 1);
    turn(rig);
    assert_int_equal(poll(rig, "w2", NONE, 1)->grant_count, 0);
    assert_int_equal(poll(rig, "w2", HTTP, 1)->grant_count, 1);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_worker_is_given_only_the_targets_it_takes),
        STORY(a_worker_that_names_no_targets_takes_any),
        STORY(kinds_of_targets_are_served_in_rotation),
        STORY(who_waits_for_another_target_goes_on_waiting),
        STORY(a_worker_that_takes_more_the_next_time_is_given_it),
        STORY(a_target_that_nobody_takes_is_named),
        STORY(a_pools_cap_counts_all_targets),
        STORY(work_that_nobody_takes_keeps_no_room_of_its_type),
        STORY(a_paused_tenant_has_no_target_that_runs),
        STORY(a_retry_keeps_its_versions_target),
        STORY(what_runs_through_a_change_of_target_is_retried_as_it_was),
        STORY(a_replay_keeps_its_dead_triggers_target),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
