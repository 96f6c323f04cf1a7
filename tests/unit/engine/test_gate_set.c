/* Settings at their bounds: what a gate and the queue make of numbers that a definition would not have let through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/gate.h"
#include "ready_world.h"

static struct gate gate;

static struct settings per_second(int64_t count, int64_t burst)
{
    return world_per_second(count, burst);
}

static void a_burst_is_one_at_least_and_never_beyond_reckoning(void **state)
{
    (void)state;
    struct settings settings = per_second(1, 0);
    int64_t clears_ms;

    gate_init(&gate);
    gate_set(&gate, &settings, 0, 0);
    assert_int_equal(gate_room(&gate, 0), 1);
    settings.burst = SETTING_NONE;
    gate_set(&gate, &settings, 0, 0);
    assert_int_equal(gate_room(&gate, 0), 1);
    settings.burst = INT64_MAX;
    gate_set(&gate, &settings, 0, 0);
    assert_true(gate_valid(&gate));
    assert_int_equal(gate_room(&gate, 0), SETTING_RATE_MAX);
    assert_true(gate_start(&gate, 0));
    assert_true(gate_allows(&gate, 0, &clears_ms));
}

static void a_large_burst_reaches_back_before_the_beginning_of_time(void **state)
{
    (void)state;
    struct settings settings = per_second(3, 5);
    int64_t clears_ms = 0;

    gate_init(&gate);
    gate_set(&gate, &settings, 0, 0);
    for (int i = 0; i < 5; i++) {
        assert_true(gate_allows(&gate, 0, &clears_ms));
        gate_start(&gate, 0);
    }
    assert_false(gate_allows(&gate, 0, &clears_ms));
    assert_int_equal(clears_ms, 333);
    assert_false(gate_allows(&gate, 332, &clears_ms));
    assert_true(gate_allows(&gate, 333, &clears_ms));
}

static void half_a_ramp_is_none(void **state)
{
    (void)state;
    struct settings settings = settings_none();

    settings.ramp_from_ms = WORLD_WALL_MS;
    gate_init(&gate);
    gate_set(&gate, &settings, WORLD_NOW_MS, WORLD_WALL_MS);
    assert_int_equal(gate_room(&gate, WORLD_NOW_MS), GATE_UNBOUNDED);
    settings.ramp_from_ms = SETTING_NONE;
    settings.ramp_ms = 1000;
    gate_set(&gate, &settings, WORLD_NOW_MS, WORLD_WALL_MS);
    assert_int_equal(gate_room(&gate, WORLD_NOW_MS), GATE_UNBOUNDED);
    settings.ramp_from_ms = WORLD_WALL_MS;
    gate_set(&gate, &settings, WORLD_NOW_MS, WORLD_WALL_MS);
    assert_in_range(gate_room(&gate, WORLD_NOW_MS), 0, 1);
}

static void a_probe_that_ends_when_the_breaker_is_closed_again_is_one_of_many(void **state)
{
    (void)state;
    static struct world world;

    world_init(&world);
    world_set(&world, SCOPE_TYPE, "mail", world_breaker());
    world_add_many(&world, (struct what){0}, 6);
    for (int i = 0; i < 2; i++) {
        world_end_as(&world, world_start(&world), READY_FAILED);
    }
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 1000);
    int probe = world_start(&world);
    assert_true(world_thing(&world, probe)->is_probe);
    assert_int_equal(world_start(&world), 0);
    struct settings off = world_breaker();
    off.breaker.is_off = true;
    world_set(&world, SCOPE_TYPE, "mail", off);
    world_set(&world, SCOPE_TYPE, "mail", world_breaker());
    /* One failure of one: the breaker wants two. */
    world_end_as(&world, probe, READY_FAILED);
    int next = world_start(&world);
    assert_int_not_equal(next, 0);
    assert_false(world_thing(&world, next)->is_probe);
    world_end_as(&world, next, READY_FAILED);
    assert_int_equal(world_start(&world), 0);
    world_done(&world);
}

static void what_is_unknown_counts_nothing(void **state)
{
    (void)state;
    static struct world world;

    ready_free(NULL);
    world_init(&world);
    assert_int_equal(ready_pool_count(world.ready, STR("main")), 0);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_POOL, STR("main")), 0);
    int number = world_add(&world, (struct what){0});
    assert_int_equal(ready_pool_count(world.ready, STR("main")), 1);
    assert_int_equal(ready_pool_count(world.ready, STR("other")), 0);
    assert_int_equal(world_start(&world), number);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_POOL, STR("main")), 1);
    assert_int_equal(ready_pool_count(world.ready, STR("main")), 0);
    world_end(&world, number);
    world_done(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_is_one_at_least_and_never_beyond_reckoning),
        cmocka_unit_test(a_large_burst_reaches_back_before_the_beginning_of_time),
        cmocka_unit_test(half_a_ramp_is_none),
        cmocka_unit_test(a_probe_that_ends_when_the_breaker_is_closed_again_is_one_of_many),
        cmocka_unit_test(what_is_unknown_counts_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
