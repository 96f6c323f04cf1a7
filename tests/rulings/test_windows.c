/* Windows: memory holds a little of the near future, and everything fires all the same: once, in order, on time. */
#include "story.h"

#define TENANTS 3
#define POOLS 2
#define PRIORITIES 3
/* Places of work here; each may have a page in memory. */
#define PLACES (TENANTS * POOLS * PRIORITIES)
#define JOBS_MAX 8
#define PAGE_ROWS 4

static const struct engine_config small = {.seed = 1, .window_ms = 10000, .page_rows = PAGE_ROWS, .jobs_max = JOBS_MAX};

static struct rig *begin_small(void **state)
{
    return story_begin_with(state, &small);
}

static size_t jobs_in_memory(struct rig *rig)
{
    struct engine_figures figures;

    engine_figures(rig_engine(rig), &figures);
    return figures.jobs;
}

/* Takes all that is ready in both pools and ends it; each must be on time. Returns how many. */
static size_t run_all_on_time(struct rig *rig)
{
    static const char *const pools[POOLS] = {"p0", "p1"};
    size_t count = 0;

    for (size_t i = 0; i < POOLS; i++) {
        const struct reply *reply = rig_poll(rig, "w1", pools[i], 1000);

        for (size_t j = 0; j < reply->grant_count; j++) {
            assert_int_equal(reply->grants[j].scheduled_ms, rig_now(rig));
            assert_int_equal(reply->grants[j].number, 1);
            rig_succeed(rig, "w1", &reply->grants[j]);
            count++;
        }
    }
    return count;
}

/* One job a second from ten o'clock on, over all places. */
static void spread(struct rig *rig, int count)
{
    for (int i = 0; i < count; i++) {
        make(rig, "{'tenant':'t%d','pool':'p%d','priority':%d,'run_at':'2026-04-08T10:%02d:%02dZ'}", i % TENANTS,
             i / 3 % POOLS, 1 + i / 6 % PRIORITIES, i / 60, i % 60);
    }
}

/* ---- on time ---- */

static void hundreds_of_jobs_each_fire_once_and_on_time(void **state)
{
    struct rig *rig = begin_small(state);
    size_t count = 0;

    rig_wait(rig, 500);
    spread(rig, 300);
    assert_true(jobs_in_memory(rig) <= JOBS_MAX + PLACES * PAGE_ROWS);
    rig_wait_until(rig, "2026-04-08T09:59:59Z");
    for (int i = 0; i < 310; i++) {
        rig_wait(rig, 1000);
        count += run_all_on_time(rig);
        if (i % 7 == 0) {
            turn(rig);
        }
        assert_true(jobs_in_memory(rig) <= JOBS_MAX + PLACES * PAGE_ROWS);
    }
    assert_int_equal(count, 300);
    rig_free(rig);
}

static void many_jobs_of_one_second_fire_in_that_second(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 200; i++) {
        make(rig, "{'tenant':'t%d','pool':'p%d','run_at':'2026-04-08T10:00:00Z'}", i % TENANTS, i / 3 % POOLS);
    }
    turn(rig);
    rig_wait_until(rig, "2026-04-08T09:59:59.999Z");
    assert_int_equal(run_all_on_time(rig), 0);
    turn(rig);
    rig_wait(rig, 1);
    assert_int_equal(run_all_on_time(rig), 200);
    rig_free(rig);
}

static void recurring_jobs_fire_at_each_of_their_times(void **state)
{
    struct rig *rig = begin_small(state);
    size_t count = 0;

    for (int i = 0; i < 60; i++) {
        make(rig, "{'tenant':'t%d','pool':'p%d','priority':%d,'cron':'%d * * * * ?'}", i % TENANTS, i / 3 % POOLS,
             1 + i / 6 % PRIORITIES, i);
    }
    for (int i = 0; i < 300; i++) {
        rig_wait(rig, 1000);
        count += run_all_on_time(rig);
        if (i % 11 == 0) {
            turn(rig);
        }
    }
    assert_int_equal(count, 300);
    rig_free(rig);
}

static void a_worker_that_waits_is_woken_by_a_job_from_beyond_the_window(void **state)
{
    struct rig *rig = begin_small(state);
    uint64_t job = make(rig, "{'delay':'50s'}");

    for (int i = 0; i < 30; i++) {
        make(rig, "{'delay':'1h'}");
    }
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w1", "default", 1, 60000);
    rig_wait(rig, 49999);
    assert_true(still_waits(rig, waiting));
    rig_wait(rig, 1);
    assert_int_equal(given(rig, waiting)->job, job);
    rig_free(rig);
}

static void a_job_created_for_sooner_than_those_that_wait_fires_first(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 40; i++) {
        make(rig, "{'delay':'%ds'}", 8 + i);
    }
    turn(rig);
    rig_wait(rig, 1000);
    uint64_t sooner = make(rig, "{'delay':'2s'}");
    turn(rig);
    rig_wait(rig, 1999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    assert_int_equal(take(rig, "w1")->job, sooner);
    rig_free(rig);
}

/* ---- a backlog ---- */

static void a_backlog_runs_in_order_and_each_once(void **state)
{
    struct rig *rig = begin_small(state);
    int64_t last_ms = 0;

    for (int i = 0; i < 200; i++) {
        make(rig, "{'misfire':'fire_now','misfire_after':'1d','run_at':'2026-04-08T09:%02d:%02dZ'}",
             1 + i * 7 % 200 / 60, i * 7 % 200 % 60);
    }
    rig_wait_until(rig, "2026-04-08T09:10:00Z");
    for (int i = 0; i < 200; i++) {
        if (i % 10 == 0) {
            turn(rig);
        }
        const struct grant *grant = take(rig, "w1");
        assert_true(grant->scheduled_ms >= last_ms);
        last_ms = grant->scheduled_ms;
        rig_succeed(rig, "w1", grant);
    }
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void no_tenant_is_hidden_behind_another_s_backlog(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 200; i++) {
        make(rig, "{'tenant':'big','priority':1}");
    }
    turn(rig);
    uint64_t small_one = make(rig, "{'tenant':'small','priority':5}");
    turn(rig);
    const struct grant *first = take(rig, "w1");
    const struct grant *second = take(rig, "w1");
    assert_true(first->job == small_one || second->job == small_one);
    rig_free(rig);
}

static void no_tenant_is_hidden_when_its_job_becomes_due_behind_a_backlog(void **state)
{
    struct rig *rig = begin_small(state);
    uint64_t small_one = make(rig, "{'tenant':'small','delay':'5m'}");

    for (int i = 0; i < 200; i++) {
        make(rig, "{'tenant':'big'}");
    }
    for (int i = 0; i < 100; i++) {
        make(rig, "{'tenant':'big','delay':'%ds'}", i);
    }
    turn(rig);
    rig_wait(rig, 300000);
    turn(rig);
    const struct grant *first = take(rig, "w1");
    const struct grant *second = take(rig, "w1");
    assert_true(first->job == small_one || second->job == small_one);
    rig_free(rig);
}

/* Each place may have a floor of its own, whatever the maximum says; a backlog of ten times as much changes nothing. */
static void memory_does_not_grow_with_a_backlog(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 1500; i++) {
        make(rig, "{'tenant':'t%d'}", i % 2);
        assert_true(jobs_in_memory(rig) <= 300);
    }
    turn(rig);
    for (int i = 0; i < 1500; i++) {
        rig_succeed(rig, "w1", take(rig, "w1"));
        assert_true(jobs_in_memory(rig) <= 300);
    }
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void an_urgent_job_goes_first_whatever_waits_beyond_the_window(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 100; i++) {
        make(rig, "{'priority':3}");
    }
    uint64_t urgent = make(rig, "{'priority':1}");
    turn(rig);
    assert_int_equal(take(rig, "w1")->job, urgent);
    rig_free(rig);
}

static void one_big_poll_empties_a_backlog_of_many_pages(void **state)
{
    struct rig *rig = begin_small(state);
    size_t count = 0;

    for (int i = 0; i < 100; i++) {
        make(rig, "{'tenant':'t%d'}", i % TENANTS);
    }
    turn(rig);
    for (int i = 0; i < 100 && count < 100; i++) {
        count += rig_poll(rig, "w1", "default", 1000)->grant_count;
    }
    assert_int_equal(count, 100);
    assert_int_equal(rig_poll(rig, "w2", "default", 1000)->grant_count, 0);
    rig_free(rig);
}

static void workers_that_wait_drain_a_backlog_of_many_pages(void **state)
{
    struct rig *rig = begin_small(state);
    int done = 0;

    for (int i = 0; i < 100; i++) {
        make(rig, "{'delay':'30s'}");
    }
    turn(rig);
    rig_wait(rig, 29000);
    uint64_t waiting = rig_poll_waiting(rig, "w1", "default", 1, 60000);
    rig_wait(rig, 1000);
    while (!still_waits(rig, waiting)) {
        rig_succeed(rig, "w1", given(rig, waiting));
        done++;
        waiting = rig_poll_waiting(rig, "w1", "default", 1, 60000);
    }
    assert_int_equal(done, 100);
    rig_free(rig);
}

static void a_gated_backlog_does_not_keep_other_work_out_of_memory(void **state)
{
    struct rig *rig = begin_small(state);

    rig_pause(rig, SCOPE_TYPE, "", "mail");
    for (int i = 0; i < 100; i++) {
        make(rig, "{'type':'mail'}");
    }
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w1", "default", 1, 60000);
    uint64_t other = make(rig, "{'type':'sms','delay':'20s'}");
    rig_wait(rig, 20000);
    assert_int_equal(given(rig, waiting)->job, other);
    rig_free(rig);
}

static void a_backlog_behind_one_key_does_not_hide_what_has_another(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 50; i++) {
        make(rig, "{'concurrency':{'key':'k','max':1}}");
    }
    take(rig, "w1");
    uint64_t other = make(rig, "{'concurrency':{'key':'l','max':1}}");
    turn(rig);
    uint64_t waiting = rig_poll_waiting(rig, "w2", "default", 1, 9000);
    assert_int_equal(given(rig, waiting)->job, other);
    rig_free(rig);
}

static void a_backlog_behind_one_key_runs_one_by_one(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 50; i++) {
        make(rig, "{'concurrency':{'key':'k','max':1}}");
    }
    for (int i = 0; i < 50; i++) {
        const struct grant *grant = take(rig, "w1");
        assert_null(rig_take(rig, "w2"));
        turn(rig);
        rig_succeed(rig, "w1", grant);
    }
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

static void retries_come_back_from_beyond_the_window(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 60; i++) {
        make(rig, "{'retry':{'max_attempts':3,'delays':['10m'],'jitter':0}}");
        rig_fail(rig, "w1", take(rig, "w1"));
    }
    turn(rig);
    rig_wait(rig, 599999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    for (int i = 0; i < 60; i++) {
        rig_succeed(rig, "w1", take_number(rig, "w1", 2));
    }
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

/* ---- edits of what is not in memory ---- */

static uint64_t one_far_away(struct rig *rig)
{
    uint64_t job = make(rig, "{'name':'far','delay':'1h'}");

    for (int i = 0; i < 40; i++) {
        make(rig, "{'delay':'%ds'}", 1800 + i);
    }
    turn(rig);
    return job;
}

static void a_job_that_is_far_away_can_be_pulled_near(void **state)
{
    struct rig *rig = begin_small(state);
    uint64_t job = one_far_away(rig);

    assert_int_equal(patch(rig, job, "{'delay':'5s'}")->kind, REPLY_JOBS);
    turn(rig);
    rig_wait(rig, 4999);
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    assert_int_equal(take(rig, "w1")->job, job);
    rig_free(rig);
}

static void a_job_that_is_near_can_be_pushed_away(void **state)
{
    struct rig *rig = begin_small(state);
    uint64_t job = make(rig, "{'delay':'5s'}");

    turn(rig);
    assert_int_equal(patch(rig, job, "{'delay':null,'run_at':'2026-04-08T10:00:00Z'}")->kind, REPLY_JOBS);
    turn(rig);
    rig_wait_until(rig, "2026-04-08T09:59:59.999Z");
    assert_null(rig_take(rig, "w1"));
    rig_wait(rig, 1);
    assert_int_equal(take(rig, "w1")->job, job);
    rig_free(rig);
}

static void a_job_that_is_far_away_can_be_run_paused_cancelled_and_deleted(void **state)
{
    struct rig *rig = begin_small(state);
    uint64_t job = one_far_away(rig);
    uint64_t trigger = rig_run(rig, job);

    turn(rig);
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->trigger, trigger);
    rig_succeed(rig, "w1", grant);
    turn(rig);
    assert_int_equal(rig_status(rig, job, JOB_PAUSED)->kind, REPLY_JOBS);
    turn(rig);
    assert_true(names(rig_why(rig, job), WHY_JOB_PAUSED));
    assert_int_equal(rig_status(rig, job, JOB_ACTIVE)->kind, REPLY_JOBS);
    turn(rig);
    assert_int_equal(reason_of(rig_why(rig, job), WHY_NOT_DUE)->clears_ms, rig_instant("2026-04-08T10:00:00Z"));
    assert_int_equal(rig_status(rig, job, JOB_CANCELLED)->kind, REPLY_JOBS);
    turn(rig);
    assert_int_equal(rig_delete(rig, job)->kind, REPLY_JOBS);
    turn(rig);
    assert_null(rig_job(rig, job));
    rig_free(rig);
}

static void a_name_that_is_far_away_is_found_when_it_is_created_again(void **state)
{
    struct rig *rig = begin_small(state);
    uint64_t job = one_far_away(rig);
    const struct reply *again = rig_create_reply(rig, "{\"name\":\"far\",\"delay\":\"1h\"}");

    assert_int_equal(again->kind, REPLY_JOBS);
    assert_int_equal(again->jobs[0].id, job);
    assert_true(again->jobs[0].is_existing);
    assert_int_equal(rig_create_reply(rig, "{\"name\":\"far\",\"delay\":\"2h\"}")->kind, REPLY_ERROR);
    rig_free(rig);
}

static void a_job_in_a_backlog_that_is_moved_runs_in_its_new_place(void **state)
{
    struct rig *rig = begin_small(state);

    for (int i = 0; i < 60; i++) {
        make(rig, "{}");
    }
    uint64_t job = make(rig, "{}");
    turn(rig);
    assert_int_equal(patch(rig, job, "{'pool':'other'}")->kind, REPLY_JOBS);
    turn(rig);
    const struct grant *grant = rig_take_from(rig, "w1", "other");
    assert_non_null(grant);
    assert_int_equal(grant->job, job);
    rig_succeed(rig, "w1", grant);
    for (int i = 0; i < 60; i++) {
        rig_succeed(rig, "w1", take(rig, "w1"));
    }
    assert_null(rig_take(rig, "w1"));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(hundreds_of_jobs_each_fire_once_and_on_time),
        STORY(many_jobs_of_one_second_fire_in_that_second),
        STORY(recurring_jobs_fire_at_each_of_their_times),
        STORY(a_worker_that_waits_is_woken_by_a_job_from_beyond_the_window),
        STORY(a_job_created_for_sooner_than_those_that_wait_fires_first),
        STORY(a_backlog_runs_in_order_and_each_once),
        STORY(no_tenant_is_hidden_behind_another_s_backlog),
        STORY(no_tenant_is_hidden_when_its_job_becomes_due_behind_a_backlog),
        STORY(memory_does_not_grow_with_a_backlog),
        STORY(an_urgent_job_goes_first_whatever_waits_beyond_the_window),
        STORY(one_big_poll_empties_a_backlog_of_many_pages),
        STORY(workers_that_wait_drain_a_backlog_of_many_pages),
        STORY(a_gated_backlog_does_not_keep_other_work_out_of_memory),
        STORY(a_backlog_behind_one_key_does_not_hide_what_has_another),
        STORY(a_backlog_behind_one_key_runs_one_by_one),
        STORY(retries_come_back_from_beyond_the_window),
        STORY(a_job_that_is_far_away_can_be_pulled_near),
        STORY(a_job_that_is_near_can_be_pushed_away),
        STORY(a_job_that_is_far_away_can_be_run_paused_cancelled_and_deleted),
        STORY(a_name_that_is_far_away_is_found_when_it_is_created_again),
        STORY(a_job_in_a_backlog_that_is_moved_runs_in_its_new_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
