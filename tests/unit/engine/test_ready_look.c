#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/ready_look.h"
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

static void what_became_due_before_an_instant_is_counted(void **state)
{
    (void)state;
    size_t before;

    for (int64_t due_ms = 1; due_ms <= 100; due_ms++) {
        world_add(&world, (struct what){.due_ms = due_ms, .priority = 1 + (int)due_ms % 5});
    }
    assert_int_equal(ready_look_oldest(world.ready, STR("main"), 41, 1000, &before), 1);
    assert_int_equal(before, 40);
    assert_int_equal(ready_look_oldest(world.ready, STR("main"), 1, 1000, &before), 1);
    assert_int_equal(before, 0);
}

static void counting_ends_at_the_maximum(void **state)
{
    (void)state;
    size_t before;

    world_add_many(&world, (struct what){.priority = 1}, 50);
    world_add_many(&world, (struct what){.priority = 2}, 50);
    ready_look_oldest(world.ready, STR(""), 1000, 70, &before);
    assert_int_equal(before, 70); /* in the midst of a bucket */
    ready_look_oldest(world.ready, STR(""), 1000, 50, &before);
    assert_int_equal(before, 50); /* with one bucket, and another left */
}

static void no_more_strands_are_looked_at_than_the_maximum(void **state)
{
    (void)state;
    size_t before;

    world_add(&world, (struct what){.type = "mail"});
    world_add(&world, (struct what){.type = "crawl"});
    world_add(&world, (struct what){.type = "sms"});
    ready_look_oldest(world.ready, STR(""), 1000, 2, &before);
    assert_int_equal(before, 2);
}

static void a_pool_that_is_empty_has_no_oldest(void **state)
{
    (void)state;
    size_t before;

    world_add(&world, (struct what){0});
    assert_int_equal(ready_look_oldest(world.ready, STR("other"), 1000, 10, &before), INT64_MAX);
    assert_int_equal(before, 0);
    world_remove(&world, 1);
    assert_int_equal(ready_look_oldest(world.ready, STR("main"), 1000, 10, &before), INT64_MAX);
}

static void a_strand_all_of_whose_work_runs_has_no_oldest(void **state)
{
    (void)state;
    size_t before;
    int64_t running;

    world_add(&world, (struct what){.priority = 2});
    world_add(&world, (struct what){.priority = 3});
    assert_int_equal(world_start(&world), 1);
    assert_int_equal(ready_look_oldest(world.ready, STR("main"), 1000, 10, &before), 2);
    assert_int_equal(before, 1); /* the other's bucket is empty */
    assert_int_equal(world_start(&world), 2);
    assert_int_equal(ready_look_oldest(world.ready, STR("main"), 1000, 10, &before), INT64_MAX);
    assert_int_equal(ready_look_count(world.ready, SCOPE_TENANT_TYPE, STR("acme"), STR("mail"), &running), 0);
    assert_int_equal(running, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_became_due_before_an_instant_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counting_ends_at_the_maximum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_more_strands_are_looked_at_than_the_maximum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pool_that_is_empty_has_no_oldest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_strand_all_of_whose_work_runs_has_no_oldest, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
