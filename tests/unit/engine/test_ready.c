#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ready_world.h"

static struct world world;

static int set_up(void **state)
{
    (void)state;
    world_init(&world);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_done(&world);
    return 0;
}

/* ---- order inside a lane ---- */

static void an_empty_queue_gives_nothing(void **state)
{
    (void)state;
    assert_int_equal(world_start(&world), 0);
    assert_int_equal(ready_next_ms(world.ready), READY_NEVER);
    assert_int_equal(ready_count(world.ready), 0);
}

static void the_earliest_due_comes_first_then_the_smaller_id(void **state)
{
    (void)state;
    int late = world_add(&world, (struct what){.due_ms = 30});
    int early = world_add(&world, (struct what){.due_ms = 10});
    int twin = world_add(&world, (struct what){.due_ms = 10});

    assert_int_equal(world_start(&world), early);
    assert_int_equal(world_start(&world), twin);
    assert_int_equal(world_start(&world), late);
    assert_int_equal(world_start(&world), 0);
}

static void types_of_one_priority_are_in_one_line(void **state)
{
    (void)state;
    int third = world_add(&world, (struct what){.type = "mail", .due_ms = 30});
    int first = world_add(&world, (struct what){.type = "report", .due_ms = 10});
    int second = world_add(&world, (struct what){.type = "sync", .due_ms = 20});
    int fourth = world_add(&world, (struct what){.type = "report", .due_ms = 40});

    assert_int_equal(world_start(&world), first);
    assert_int_equal(world_start(&world), second);
    assert_int_equal(world_start(&world), third);
    assert_int_equal(world_start(&world), fourth);
}

static void priority_is_strict_within_a_tenant(void **state)
{
    (void)state;
    int low = world_add(&world, (struct what){.priority = 5, .due_ms = 1});
    int middle = world_add(&world, (struct what){.priority = 3, .due_ms = 2});
    int high = world_add(&world, (struct what){.priority = 1, .due_ms = 3, .type = "sync"});

    assert_int_equal(world_start(&world), high);
    assert_int_equal(world_start(&world), middle);
    high = world_add(&world, (struct what){.priority = 2, .due_ms = 9});
    assert_int_equal(world_start(&world), high);
    assert_int_equal(world_start(&world), low);
}

static void what_is_removed_is_never_started(void **state)
{
    (void)state;
    int first = world_add(&world, (struct what){0});
    int second = world_add(&world, (struct what){0});
    int third = world_add(&world, (struct what){0});

    world_remove(&world, second);
    world_remove(&world, first);
    ready_remove(world.ready, &world_thing(&world, first)->entry); /* once more does no harm */
    assert_int_equal(world_start(&world), third);
    assert_int_equal(world_start(&world), 0);
}

static void a_picked_one_may_be_removed_instead_of_started(void **state)
{
    (void)state;
    int first = world_add(&world, (struct what){0});
    int second = world_add(&world, (struct what){0});
    struct ready_entry *picked = ready_pick(world.ready, STR("main"), TARGET_NONE, world.now_ms);

    assert_ptr_equal(picked, &world_thing(&world, first)->entry);
    world_remove(&world, first);
    assert_int_equal(world_start(&world), second);
}

/* ---- tenants ---- */

static void no_tenant_gains_by_claiming_high_priorities(void **state)
{
    (void)state;
    world_add_many(&world, (struct what){.tenant = "loud", .priority = 1}, 100);
    int quiet = world_add(&world, (struct what){.tenant = "quiet", .priority = 5});

    world_start(&world);
    assert_int_equal(world_start(&world), quiet); /* one round */
}

static void tenants_take_turns(void **state)
{
    (void)state;
    const char *const tenants[] = {"a", "b", "c"};

    for (size_t i = 0; i < 3; i++) {
        world_add_many(&world, (struct what){.tenant = tenants[i]}, 10);
    }
    for (size_t i = 0; i < 30; i++) {
        assert_true(str_is(world_tenant(&world, world_start(&world)), tenants[i % 3]));
    }
}

static void a_turn_is_as_long_as_the_weight(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TENANT, "heavy", world_weight(3));
    world_add_many(&world, (struct what){.tenant = "heavy"}, 30);
    world_add_many(&world, (struct what){.tenant = "light"}, 10);
    for (int i = 0; i < 40; i++) {
        assert_true(str_is(world_tenant(&world, world_start(&world)), i % 4 < 3 ? "heavy" : "light"));
    }
}

static void a_lowered_weight_holds_at_once(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TENANT, "heavy", world_weight(100));
    world_add_many(&world, (struct what){.tenant = "heavy"}, 30);
    world_add_many(&world, (struct what){.tenant = "light"}, 10);
    world_start(&world);
    world_set(&world, SCOPE_TENANT, "heavy", settings_none());
    assert_true(str_is(world_tenant(&world, world_start(&world)), "heavy"));
    for (int i = 0; i < 8; i++) {
        assert_true(str_is(world_tenant(&world, world_start(&world)), i % 2 == 0 ? "light" : "heavy"));
    }
}

static void who_leaves_the_ring_comes_back_at_the_tail_without_deficit(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TENANT, "a", world_weight(5));
    world_add(&world, (struct what){.tenant = "a"});
    world_add_many(&world, (struct what){.tenant = "b"}, 2);
    assert_true(str_is(world_tenant(&world, world_start(&world)), "a")); /* four left in this turn, but no work */
    world_add_many(&world, (struct what){.tenant = "a"}, 10);
    assert_true(str_is(world_tenant(&world, world_start(&world)), "b"));
    for (int i = 0; i < 5; i++) {
        assert_true(str_is(world_tenant(&world, world_start(&world)), "a"));
    }
    assert_true(str_is(world_tenant(&world, world_start(&world)), "b"));
}

static void pools_know_nothing_of_each_other(void **state)
{
    (void)state;
    int here = world_add(&world, (struct what){.pool = "here"});
    int there = world_add(&world, (struct what){.pool = "there"});

    assert_int_equal(ready_pool_count(world.ready, STR("here")), 1);
    assert_int_equal(world_start_in(&world, "there"), there);
    assert_int_equal(world_start_in(&world, "there"), 0);
    assert_int_equal(world_start_in(&world, "here"), here);
    assert_int_equal(world_start_in(&world, "nowhere"), 0);
}

/* ---- what is told, and what is kept ---- */

static void a_pool_that_got_work_is_told_once(void **state)
{
    (void)state;
    world_add(&world, (struct what){0});
    world_add(&world, (struct what){.tenant = "other"});
    assert_true(world_told(&world, "main"));
    assert_false(world_told(&world, "main"));
    world_start(&world);
    assert_false(world_told(&world, "main"));
    world_add(&world, (struct what){0});
    assert_true(world_told(&world, "main"));
}

static void a_bucket_knows_its_place_and_carries_what_it_is_given(void **state)
{
    (void)state;
    struct ready_bucket *bucket =
        world_bucket(&world, (struct what){.pool = "p", .tenant = "t", .type = "y", .priority = 4});
    struct ready_place place = ready_bucket_place(bucket);

    assert_true(str_is(place.pool, "p") && str_is(place.tenant, "t") && str_is(place.type, "y"));
    assert_int_equal(place.priority, 4);
    assert_null(ready_bucket_user(bucket));
    ready_bucket_set_user(bucket, &world);
    assert_ptr_equal(world_bucket(&world, (struct what){.pool = "p", .tenant = "t", .type = "y", .priority = 4}),
                     bucket);
    assert_ptr_equal(ready_bucket_user(bucket), &world);
    ready_bucket_put(world.ready, bucket);
    ready_bucket_put(world.ready, ready_bucket_again(bucket));
    assert_true(str_is(ready_bucket_place(bucket).tenant, "t")); /* still held once */
    ready_bucket_put(world.ready, bucket);
    world_check(&world);
    assert_null(ready_bucket_user(world_bucket(&world, (struct what){.pool = "p"})));
}

static void in_flight_is_counted_everywhere(void **state)
{
    (void)state;
    world_add_many(&world, (struct what){0}, 3);
    int first = world_start(&world);

    world_start(&world);
    ready_recount(world.ready, world_thing(&world, 3)->bucket);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_TENANT, STR("acme")), 3);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_POOL, STR("main")), 3);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_TYPE, STR("mail")), 3);
    world_end(&world, first);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_TENANT, STR("acme")), 2);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_TENANT, STR("nobody")), 0);
}

#define SENTENCE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENTENCE(an_empty_queue_gives_nothing),
        SENTENCE(the_earliest_due_comes_first_then_the_smaller_id),
        SENTENCE(types_of_one_priority_are_in_one_line),
        SENTENCE(priority_is_strict_within_a_tenant),
        SENTENCE(what_is_removed_is_never_started),
        SENTENCE(a_picked_one_may_be_removed_instead_of_started),
        SENTENCE(no_tenant_gains_by_claiming_high_priorities),
        SENTENCE(tenants_take_turns),
        SENTENCE(a_turn_is_as_long_as_the_weight),
        SENTENCE(a_lowered_weight_holds_at_once),
        SENTENCE(who_leaves_the_ring_comes_back_at_the_tail_without_deficit),
        SENTENCE(pools_know_nothing_of_each_other),
        SENTENCE(a_pool_that_got_work_is_told_once),
        SENTENCE(a_bucket_knows_its_place_and_carries_what_it_is_given),
        SENTENCE(in_flight_is_counted_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
