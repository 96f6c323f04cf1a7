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

static void a_rate_wakes_its_waiters_when_the_time_has_come(void **state)
{
    (void)state;
    const enum scope scopes[] = {SCOPE_TENANT, SCOPE_POOL, SCOPE_TYPE, SCOPE_TENANT_TYPE};
    const char *const rated_names[] = {"acme", "main", "mail", "mail"};

    for (size_t i = 0; i < 4; i++) {
        struct settings settings = world_per_second(10, 2);

        world_done(&world);
        world_init(&world);
        ready_set(world.ready, scopes[i], STR("acme"), str_from(rated_names[i]), &settings, world.now_ms,
                  WORLD_WALL_MS);
        world_add_many(&world, (struct what){0}, 5);
        assert_true(world_start(&world) > 0);
        assert_true(world_start(&world) > 0);
        assert_int_equal(world_start(&world), 0);
        world_told(&world, "main");
        while (world.now_ms < WORLD_NOW_MS + 100) { /* no earlier than needed, and not for nothing */
            assert_false(world_told(&world, "main"));
            assert_in_range(ready_next_ms(world.ready), world.now_ms + 1, WORLD_NOW_MS + 100);
            world_pass(&world, ready_next_ms(world.ready) - world.now_ms);
        }
        assert_true(world_told(&world, "main"));
        assert_int_equal(world_start(&world), 3);
        assert_int_equal(world_start(&world), 0);
    }
}

static void a_rate_is_for_all_tenants_of_a_type_together(void **state)
{
    (void)state;
    int count = 0;

    world_set(&world, SCOPE_TYPE, "mail", world_per_second(100, 1));
    world_add_many(&world, (struct what){.tenant = "a"}, 100);
    world_add_many(&world, (struct what){.tenant = "b"}, 100);
    for (int i = 0; i < 1000; i++) {
        while (world_start(&world) > 0) {
            count++;
        }
        world_pass(&world, 1);
    }
    assert_int_equal(count, 100);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_TENANT, STR("a")), 50);
}

static void a_resumed_tenant_ramps_up(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    int count = 0;

    settings.ramp_from_ms = WORLD_WALL_MS;
    settings.ramp_ms = 2000;
    world_add_many(&world, (struct what){0}, WORLD_ENTRIES - 1);
    world_set(&world, SCOPE_TENANT, "acme", settings);
    assert_true(world_start(&world) > 0);
    assert_int_equal(world_start(&world), 0);
    for (int ms = 0; ms < 1999; ms++) {
        world_pass(&world, 1);
        while (ms % 100 == 0 && world_start(&world) > 0) {
            count++;
        }
    }
    assert_in_range(count, 5, 20); /* asked ten times a second, no burst */
    world_pass(&world, 1);
    for (int i = 0; i < 500; i++) { /* the ramp is over */
        assert_true(world_start(&world) > 0);
    }
}

/* ---- what outlives a restart ---- */

static void a_limiter_is_told_once_for_each_time_it_moved(void **state)
{
    (void)state;
    struct ready_limiter limiter;

    world_set_pair(&world, "acme", "mail", world_per_second(10, 1));
    world_add_many(&world, (struct what){0}, 2);
    assert_false(ready_take_limiter(world.ready, &limiter));
    world_start(&world);
    assert_true(ready_take_limiter(world.ready, &limiter));
    assert_int_equal(limiter.scope, SCOPE_TENANT_TYPE);
    assert_true(str_is(limiter.tenant, "acme") && str_is(limiter.name, "mail"));
    assert_int_equal(limiter.tat_ms, world.now_ms + 100);
    assert_false(ready_take_limiter(world.ready, &limiter));
}

static void a_restart_neither_refills_nor_starves(void **state)
{
    (void)state;
    struct ready_limiter limiter = {.scope = SCOPE_TYPE, .name = STR_INIT("mail"), .tat_ms = WORLD_NOW_MS + 500};

    ready_restore_limiter(world.ready, &limiter);
    world_check(&world);
    world_set(&world, SCOPE_TYPE, "mail", world_per_second(1, 1));
    world_add(&world, (struct what){0});
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 499);
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 1);
    assert_true(world_start(&world) > 0);
}

static void a_restored_limiter_that_nobody_needs_is_forgotten_in_time(void **state)
{
    (void)state;
    struct ready_limiter limiter = {.scope = SCOPE_POOL, .name = STR_INIT("gone"), .tat_ms = WORLD_NOW_MS + 500};

    ready_restore_limiter(world.ready, &limiter);
    assert_in_range(ready_next_ms(world.ready), world.now_ms + 1, WORLD_NOW_MS + 500);
    world_pass(&world, 500);
    assert_int_equal(ready_next_ms(world.ready), READY_NEVER);
}

#define SENTENCE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENTENCE(a_rate_wakes_its_waiters_when_the_time_has_come),
        SENTENCE(a_rate_is_for_all_tenants_of_a_type_together),
        SENTENCE(a_resumed_tenant_ramps_up),
        SENTENCE(a_limiter_is_told_once_for_each_time_it_moved),
        SENTENCE(a_restart_neither_refills_nor_starves),
        SENTENCE(a_restored_limiter_that_nobody_needs_is_forgotten_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
