/* What the views of a running engine show. */
#include "engine/view.h"
#include "story.h"

static struct arena arena;

static struct engine *look(struct rig *rig)
{
    if (arena.block_bytes > 0) {
        arena_done(&arena);
    }
    arena_init(&arena, 1 << 16, 1 << 26);
    return rig_engine(rig);
}

static struct view_scope scope_of(struct rig *rig, enum scope scope, const char *tenant, const char *name)
{
    struct view_scope view;

    engine_view_scope(look(rig), scope, str_from(tenant), str_from(name), &view);
    return view;
}

static void ready_and_running_are_counted_for_tenant_pool_and_type(void **state)
{
    struct rig *rig = story_begin(state);

    for (int i = 0; i < 3; i++) {
        make(rig, "{'tenant':'acme','type':'mail'}");
    }
    make(rig, "{'tenant':'globex','type':'mail'}");
    assert_int_equal(scope_of(rig, SCOPE_POOL, "", "default").ready, 4);
    assert_int_equal(scope_of(rig, SCOPE_TENANT, "", "acme").ready, 3);
    assert_int_equal(scope_of(rig, SCOPE_TENANT, "", "acme").jobs, 3);
    assert_int_equal(scope_of(rig, SCOPE_TYPE, "", "mail").ready, 4);
    assert_int_equal(scope_of(rig, SCOPE_TENANT_TYPE, "globex", "mail").ready, 1);
    assert_int_equal(scope_of(rig, SCOPE_TENANT_TYPE, "globex", "crawl").ready, 0);
    take(rig, "w1");
    struct view_scope pool = scope_of(rig, SCOPE_POOL, "", "default");

    assert_int_equal(pool.ready, 3);
    assert_int_equal(pool.running, 1);
    assert_int_equal(pool.workers, 1);
    assert_int_equal(scope_of(rig, SCOPE_POOL, "", "nobody").ready, 0);
    rig_free(rig);
}

static void the_oldest_and_the_overdue_are_found_behind_gates(void **state)
{
    struct rig *rig = story_begin(state);
    int64_t began_ms = rig_now(rig);

    rig_pause(rig, SCOPE_TENANT, "", "acme");
    make(rig, "{'tenant':'acme'}");
    rig_wait(rig, 61000);
    make(rig, "{'tenant':'acme'}");
    struct view_scope pool = scope_of(rig, SCOPE_POOL, "", "default");

    assert_int_equal(pool.oldest_ms, began_ms);
    assert_int_equal(pool.overdue, 1);
    assert_true(scope_of(rig, SCOPE_TENANT, "", "acme").settings.is_paused);
    struct view_scope all;

    engine_view_all(look(rig), &all);
    assert_int_equal(all.overdue, 1);
    assert_int_equal(all.jobs, 2);
    rig_free(rig);
}

static void the_busiest_come_first(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_scope *scopes;

    make(rig, "{'tenant':'a'}");
    make(rig, "{'tenant':'b'}");
    make(rig, "{'tenant':'b'}");
    assert_int_equal(engine_view_scopes(look(rig), SCOPE_TENANT, 10, &arena, &scopes), 2);
    assert_true(str_is(scopes[0].name, "b"));
    assert_int_equal(engine_view_scopes(look(rig), SCOPE_TENANT, 1, &arena, &scopes), 1);
    rig_poll(rig, "w1", "idle", 1);
    assert_int_equal(engine_view_scopes(look(rig), SCOPE_POOL, 10, &arena, &scopes), 2);
    assert_true(str_is(scopes[1].name, "idle")); /* has a worker and nothing to do */
    rig_free(rig);
}

static void workers_come_by_name_with_what_they_hold(void **state)
{
    struct rig *rig = story_begin(state);
    const struct str pools[] = {STR_INIT("default")};
    struct view_worker *workers;
    bool has_more;

    make(rig, "{'name':'welcome','type':'mail','lease':'20s'}");
    for (int i = 0; i < 3; i++) {
        static const char *const ids[] = {"w-c", "w-a", "w-b"};
        static const char *const names[] = {"first", "second", "second"};
        struct exchange exchange = {.worker = str_from(ids[i]),
                                    .name = str_from(names[i]),
                                    .seq = -1,
                                    .pools = pools,
                                    .pool_count = 1,
                                    .capacity = 7,
                                    .want = 1};

        rig_exchange(rig, &exchange);
    }
    size_t count = engine_view_workers(look(rig), STR(""), STR(""), STR(""), 2, &arena, &workers, &has_more);

    assert_int_equal(count, 2);
    assert_true(has_more);
    assert_true(str_is(workers[0].id, "w-c"));
    assert_true(str_is(workers[1].id, "w-a"));
    assert_int_equal(workers[0].capacity, 7);
    assert_int_equal(workers[0].running, 1);
    assert_true(str_is(workers[0].holding[0].name, "welcome"));
    assert_true(str_is(workers[0].holding[0].type, "mail"));
    assert_int_equal(workers[0].holding[0].lease_until_ms, rig_now(rig) + 20000);
    count = engine_view_workers(look(rig), STR("default"), STR("second"), STR("w-a"), 2, &arena, &workers, &has_more);
    assert_int_equal(count, 1);
    assert_true(str_is(workers[0].id, "w-b"));
    assert_false(has_more);
    assert_int_equal(engine_view_workers(look(rig), STR("mail"), STR(""), STR(""), 2, &arena, &workers, &has_more), 0);
    rig_free(rig);
}

static void a_worker_without_a_name_comes_first(void **state)
{
    struct rig *rig = story_begin(state);
    const struct str pools[] = {STR_INIT("default")};
    struct exchange unnamed = {.worker = STR("w-z"), .seq = -1, .pools = pools, .pool_count = 1, .want = 1};
    struct view_worker *workers;
    bool has_more;

    rig_poll(rig, "w-a", "default", 1);
    rig_exchange(rig, &unnamed);
    assert_int_equal(engine_view_workers(look(rig), STR(""), STR(""), STR(""), 2, &arena, &workers, &has_more), 2);
    assert_true(str_is(workers[0].id, "w-z"));
    assert_true(str_is(workers[0].name, ""));
    rig_free(rig);
}

static void breakers_that_are_not_closed_are_listed(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_breaker *breakers;

    set(rig, SCOPE_TYPE, "", "mail", "{'breaker':{'min_attempts':2}}");
    for (int i = 0; i < 2; i++) {
        make(rig, "{'tenant':'acme','type':'mail','retry':{'max_attempts':1}}");
        rig_fail(rig, "w1", take(rig, "w1"));
    }
    assert_int_equal(engine_view_breakers(look(rig), STR(""), STR(""), 10, &arena, &breakers), 1);
    assert_true(str_is(breakers[0].tenant, "acme"));
    assert_true(str_is(breakers[0].type, "mail"));
    assert_int_equal(breakers[0].open_until_ms, rig_now(rig) + 30000);
    assert_int_equal(engine_view_breakers(look(rig), STR("globex"), STR(""), 10, &arena, &breakers), 0);
    rig_free(rig);
}

static void a_graph_has_upstreams_before_downstreams_and_nobody_else(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_graph graph;

    uint64_t a = make(rig, "{'name':'a','delay':'1h'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");
    uint64_t c = make(rig, "{'name':'c','depends_on':['a']}");
    uint64_t d = make(rig, "{'name':'d','depends_on':['b','c']}");

    assert_true(engine_view_graph(look(rig), b, 100, &arena, &graph));
    assert_int_equal(graph.job_count, 3); /* c is beside it */
    assert_int_equal(graph.jobs[0], a);
    assert_int_equal(graph.jobs[1], b);
    assert_int_equal(graph.jobs[2], d);
    assert_int_equal(graph.edge_count, 2);
    assert_true(engine_view_graph(look(rig), a, 100, &arena, &graph));
    assert_int_equal(graph.job_count, 4);
    assert_int_equal(graph.jobs[3], d);
    assert_int_equal(graph.edge_count, 4);
    assert_true(engine_view_graph(look(rig), c, 1, &arena, &graph));
    assert_true(graph.is_truncated);
    assert_false(engine_view_graph(look(rig), make(rig, "{'delay':'1h'}"), 1, &arena, &graph));
    rig_free(rig);
}

static void running_attempts_of_a_job_are_found(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_held *held;

    uint64_t job = make(rig, "{'every':'1h','overlap':'allow'}");
    uint64_t first = rig_run(rig, job);

    rig_run(rig, job);
    take(rig, "w1");
    assert_int_equal(engine_view_running(look(rig), job, 10, &arena, &held), 1);
    assert_int_equal(held[0].trigger, first);
    assert_int_equal(held[0].number, 1);
    assert_int_equal(engine_view_running(look(rig), job + 1, 10, &arena, &held), 0);
    rig_free(rig);
}

static void what_waits_for_its_next_attempt_is_not_among_those_that_run(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_held *held;

    uint64_t job = make(rig, "{'every':'1h','overlap':'allow'}");

    rig_run(rig, job);
    uint64_t second = rig_run(rig, job);

    rig_fail(rig, "w1", take(rig, "w1"));
    take(rig, "w1");
    assert_int_equal(engine_view_running(look(rig), job, 10, &arena, &held), 1);
    assert_int_equal(held[0].trigger, second);
    rig_free(rig);
}

static void what_a_worker_is_to_drop_is_not_among_what_it_holds(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_worker *workers;
    struct view_health health;
    bool has_more;

    uint64_t kept = make(rig, "{}");

    take(rig, "w1");
    make(rig, "{'timeout':'1s'}");
    take(rig, "w1");
    rig_wait(rig, 1000);
    assert_int_equal(engine_view_workers(look(rig), STR(""), STR(""), STR(""), 2, &arena, &workers, &has_more), 1);
    assert_int_equal(workers[0].running, 1);
    assert_int_equal(workers[0].holding_count, 1);
    assert_int_equal(workers[0].holding[0].job, kept);
    engine_view_health(look(rig), &health);
    assert_int_equal(health.dropping, 1);
    rig_free(rig);
}

static void a_clock_that_is_not_believed_is_shown_with_its_lead(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_health health;

    rig_set_wall(rig, 3600000);
    engine_view_health(look(rig), &health);
    assert_true(health.is_clock_held);
    assert_int_equal(health.clock_ahead_ms, 3600000);
    rig_free(rig);
}

static void a_graph_of_too_many_jobs_is_cut_and_says_so(void **state)
{
    struct rig *rig = story_begin(state);
    const char *definitions[VIEW_MAX];
    struct view_graph graph;

    uint64_t root = make(rig, "{'name':'root','delay':'1h'}");

    for (size_t i = 0; i < VIEW_MAX; i++) {
        definitions[i] = "{\"depends_on\":[\"root\"]}";
    }
    rig_create_many(rig, definitions, VIEW_MAX - 1);
    assert_true(engine_view_graph(look(rig), root, 2 * VIEW_MAX, &arena, &graph));
    assert_int_equal(graph.job_count, VIEW_MAX);
    assert_false(graph.is_truncated);
    rig_create_many(rig, definitions, 1);
    assert_true(engine_view_graph(look(rig), root, 2 * VIEW_MAX, &arena, &graph));
    assert_int_equal(graph.job_count, VIEW_MAX);
    assert_true(graph.is_truncated);
    assert_false(engine_view_graph(look(rig), root - 1, 1, &arena, &graph)); /* there is no such job */
    rig_free(rig);
}

static void attempts_without_their_worker_are_counted_after_a_restart(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_health health;

    make(rig, "{'lease':'20s'}");
    take(rig, "w1");
    rig_restart(rig);
    engine_view_health(look(rig), &health);
    assert_int_equal(health.orphans, 1); /* until its worker is heard of */
    rig_renew(rig, "w1");
    engine_view_health(look(rig), &health);
    assert_int_equal(health.orphans, 0);
    assert_false(health.is_clock_held);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(ready_and_running_are_counted_for_tenant_pool_and_type),
        ONCE(the_oldest_and_the_overdue_are_found_behind_gates),
        ONCE(the_busiest_come_first),
        ONCE(workers_come_by_name_with_what_they_hold),
        ONCE(a_worker_without_a_name_comes_first),
        ONCE(breakers_that_are_not_closed_are_listed),
        ONCE(a_graph_has_upstreams_before_downstreams_and_nobody_else),
        ONCE(a_graph_of_too_many_jobs_is_cut_and_says_so),
        ONCE(running_attempts_of_a_job_are_found),
        ONCE(what_waits_for_its_next_attempt_is_not_among_those_that_run),
        ONCE(what_a_worker_is_to_drop_is_not_among_what_it_holds),
        ONCE(a_clock_that_is_not_believed_is_shown_with_its_lead),
        ONCE(attempts_without_their_worker_are_counted_after_a_restart),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    arena_done(&arena);
    return failed;
}
