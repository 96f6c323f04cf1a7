/* What the views show of tenants, pools, types and breakers, beside the usual: idle, equal, filtered, half open. */
#include "base/buf.h"
#include "base/mem.h"
#include "engine/view.h"
#include "ledger.h"

#define TWO "{'breaker':{'min_attempts':2}}"

static struct arena arena;

static int arena_begin(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 16, 1 << 26);
    return 0;
}

static int arena_end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static struct view_scope pool_of(struct rig *rig, const char *name)
{
    struct view_scope view;

    engine_view_scope(rig_engine(rig), SCOPE_POOL, STR(""), str_from(name), &view);
    return view;
}

/* Their names and sums, the busiest first: "b:2 a:1". */
static const char *listed(struct rig *rig, enum scope scope)
{
    SCOPE(buf_done) struct buf text;
    struct view_scope *scopes;
    size_t count = engine_view_scopes(rig_engine(rig), scope, 10, &arena, &scopes);

    buf_init(&text, 1000);
    for (size_t i = 0; i < count; i++) {
        long long sum = scopes[i].ready + scopes[i].running;

        buf_printf(&text, "%s%.*s:%lld", i > 0 ? " " : "", STR_ARGS(scopes[i].name), sum);
    }
    return arena_strdup(&arena, buf_text(&text));
}

static size_t breakers(struct rig *rig, const char *tenant, const char *type, size_t max,
                       struct view_breaker **ret_breakers)
{
    return engine_view_breakers(rig_engine(rig), str_from(tenant), str_from(type), max, &arena, ret_breakers);
}

/* ---- workers of a pool ---- */

static void workers_that_wait_for_work_are_told_from_those_that_only_listen(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_scope all;

    rig_poll_waiting(rig, "w1", "default", 1, 30000);
    rig_poll_waiting(rig, "w2", "default", 0, 30000); /* has its hands full, and waits to be told to stop something */
    rig_poll(rig, "w3", "default", 1);                /* went away with nothing */
    assert_int_equal(pool_of(rig, "default").workers, 3);
    assert_int_equal(pool_of(rig, "default").waiting, 1);
    engine_view_all(rig_engine(rig), &all);
    assert_int_equal(all.waiting, 1);
    rig_free(rig);
}

static void what_nobody_has_heard_of_has_nothing(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_scope view;

    engine_view_scope(rig_engine(rig), SCOPE_TENANT, STR(""), STR("globex"), &view);
    assert_int_equal(view.jobs, 0);
    assert_int_equal(view.ready, 0);
    assert_int_equal(pool_of(rig, "mail").oldest_ms, TIME_NONE);
    assert_int_equal(pool_of(rig, "mail").workers, 0);
    rig_free(rig);
}

static void a_type_in_a_tenant_that_has_none_of_it_has_nothing(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_scope view;

    make(rig, "{'tenant':'acme','type':'mail'}");
    make(rig, "{'tenant':'globex','type':'crawl'}");
    engine_view_scope(rig_engine(rig), SCOPE_TENANT_TYPE, STR("globex"), STR("mail"), &view);
    assert_int_equal(view.ready, 0);
    engine_view_scope(rig_engine(rig), SCOPE_TENANT_TYPE, STR("initech"), STR("mail"), &view);
    assert_int_equal(view.ready, 0);
    rig_free(rig);
}

static void the_oldest_of_one_pool_is_not_that_of_another(void **state)
{
    struct rig *rig = story_begin(state);
    int64_t began_ms = rig_now(rig);

    make(rig, "{'pool':'mail'}");
    rig_wait(rig, 90000);
    make(rig, "{'pool':'crawl'}");
    assert_int_equal(pool_of(rig, "mail").oldest_ms, began_ms);
    assert_int_equal(pool_of(rig, "mail").overdue, 1);
    assert_int_equal(pool_of(rig, "crawl").oldest_ms, began_ms + 90000);
    assert_int_equal(pool_of(rig, "crawl").overdue, 0);
    rig_free(rig);
}

/* ---- lists ---- */

static void equally_busy_ones_come_by_name(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'tenant':'b'}");
    make(rig, "{'tenant':'c'}");
    make(rig, "{'tenant':'a'}");
    make(rig, "{'tenant':'c'}");
    assert_string_equal(listed(rig, SCOPE_TENANT), "c:2 a:1 b:1");
    rig_free(rig);
}

static void a_pool_with_work_and_workers_is_listed_once(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'pool':'mail'}");
    make(rig, "{'pool':'crawl'}");
    rig_poll(rig, "w1", "mail", 1);  /* runs what it had */
    rig_poll(rig, "w2", "crawl", 0); /* has something ready */
    rig_poll(rig, "w3", "idle", 1);
    assert_string_equal(listed(rig, SCOPE_POOL), "crawl:1 mail:1 idle:0");
    rig_free(rig);
}

static void who_has_settings_and_no_work_is_not_listed(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "globex", "{'max_in_flight':3}");
    make(rig, "{'tenant':'acme'}");
    assert_string_equal(listed(rig, SCOPE_TENANT), "acme:1");
    rig_free(rig);
}

/* ---- breakers ---- */

/* Two failures of a type in a tenant: enough. */
static void break_type(struct rig *rig, const char *tenant, const char *type)
{
    set(rig, SCOPE_TYPE, "", type, TWO);
    for (int i = 0; i < 2; i++) {
        make(rig, "{'tenant':'%s','type':'%s','retry':{'max_attempts':1}}", tenant, type);
        rig_fail(rig, "w1", take(rig, "w1"));
    }
}

static void breakers_are_filtered_by_tenant_and_type(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_breaker *found;

    break_type(rig, "acme", "mail");
    break_type(rig, "acme", "crawl");
    break_type(rig, "globex", "mail");
    make(rig, "{'tenant':'globex','type':'crawl'}"); /* its breaker is closed */
    rig_succeed(rig, "w1", take(rig, "w1"));
    assert_int_equal(breakers(rig, "", "", 10, &found), 3);
    assert_int_equal(breakers(rig, "", "", 2, &found), 2);
    assert_int_equal(breakers(rig, "", "mail", 10, &found), 2);
    assert_int_equal(breakers(rig, "acme", "crawl", 10, &found), 1);
    assert_true(str_is(found[0].tenant, "acme"));
    assert_true(str_is(found[0].type, "crawl"));
    assert_int_equal(found[0].job, 0);
    assert_int_equal(breakers(rig, "globex", "crawl", 10, &found), 0);
    rig_free(rig);
}

static void a_half_open_breaker_has_no_time_at_which_it_opens(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_breaker *found;

    break_type(rig, "acme", "mail");
    make(rig, "{'tenant':'acme','type':'mail'}");
    rig_wait(rig, 30000);
    take(rig, "w1"); /* the probe */
    assert_int_equal(breakers(rig, "", "", 10, &found), 1);
    assert_int_equal(found[0].state, BREAKER_HALF_OPEN);
    assert_int_equal(found[0].open_until_ms, TIME_NONE);
    rig_free(rig);
}

/* Of a job without a type; it has failed so often. */
static uint64_t failing_job(struct rig *rig, const char *tenant, int failures)
{
    uint64_t job = make(rig, "{'tenant':'%s','every':'1h','retry':{'max_attempts':1}}", tenant);

    for (int i = 0; i < failures; i++) {
        rig_run(rig, job);
        rig_fail(rig, "w1", take(rig, "w1"));
    }
    return job;
}

static void a_job_without_a_type_is_shown_with_its_own_breaker(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_breaker *found;

    set(rig, SCOPE_TYPE, "", "default", TWO);
    uint64_t job = failing_job(rig, "acme", 2);

    failing_job(rig, "acme", 1); /* its breaker has seen too little */
    failing_job(rig, "globex", 2);
    assert_int_equal(breakers(rig, "", "", 10, &found), 2);
    assert_int_equal(breakers(rig, "", "", 1, &found), 1);
    assert_int_equal(breakers(rig, "", "mail", 10, &found), 0);
    assert_int_equal(breakers(rig, "acme", "default", 10, &found), 1);
    assert_int_equal(found[0].job, job);
    assert_int_equal(found[0].state, BREAKER_OPEN);
    assert_int_equal(found[0].open_until_ms, rig_now(rig) + 30000);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(workers_that_wait_for_work_are_told_from_those_that_only_listen),
        ONCE(what_nobody_has_heard_of_has_nothing),
        ONCE(a_type_in_a_tenant_that_has_none_of_it_has_nothing),
        ONCE(the_oldest_of_one_pool_is_not_that_of_another),
        ONCE(equally_busy_ones_come_by_name),
        ONCE(a_pool_with_work_and_workers_is_listed_once),
        ONCE(who_has_settings_and_no_work_is_not_listed),
        ONCE(breakers_are_filtered_by_tenant_and_type),
        ONCE(a_half_open_breaker_has_no_time_at_which_it_opens),
        ONCE(a_job_without_a_type_is_shown_with_its_own_breaker),
    };

    return cmocka_run_group_tests(tests, arena_begin, arena_end);
}
