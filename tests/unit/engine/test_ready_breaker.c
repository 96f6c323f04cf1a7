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

static void fail_twice(void)
{
    world_set(&world, SCOPE_TYPE, "mail", world_breaker());
    world_add_many(&world, (struct what){0}, 10);
    int first = world_start(&world);
    int second = world_start(&world);

    world_end_as(&world, first, READY_FAILED);
    world_end_as(&world, second, READY_FAILED);
}

static void a_breaker_opens_for_one_tenant_and_type(void **state)
{
    (void)state;
    fail_twice();
    assert_int_equal(world_start(&world), 0);
    int other_type = world_add(&world, (struct what){.type = "sync"});

    assert_int_equal(world_start(&world), other_type);
    int other_tenant = world_add(&world, (struct what){.tenant = "bolt"});

    assert_int_equal(world_start(&world), other_tenant);
}

static void half_open_it_sends_one_probe_at_a_time(void **state)
{
    (void)state;
    fail_twice();
    assert_int_equal(world_start(&world), 0);
    world_told(&world, "main");
    world_pass(&world, 999);
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 1);
    assert_true(world_told(&world, "main"));
    for (int i = 0; i < 2; i++) {
        int probe = world_start(&world);

        assert_true(probe > 0 && world_thing(&world, probe)->is_probe);
        assert_int_equal(world_start(&world), 0);
        world_end(&world, probe);
    }
    for (int i = 0; i < 3; i++) { /* closed */
        int number = world_start(&world);

        assert_true(number > 0 && !world_thing(&world, number)->is_probe);
    }
}

static void a_failed_probe_opens_it_again(void **state)
{
    (void)state;
    fail_twice();
    world_pass(&world, 1000);
    int probe = world_start(&world);

    world_end_as(&world, probe, READY_FAILED);
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 999);
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 1);
    assert_true(world_start(&world) > 0);
}

static void a_released_probe_lets_the_next_go(void **state)
{
    (void)state;
    fail_twice();
    world_pass(&world, 1000);
    int probe = world_start(&world);

    assert_int_equal(world_start(&world), 0);
    world_end_as(&world, probe, READY_UNCOUNTED);
    probe = world_start(&world);
    assert_true(probe > 0 && world_thing(&world, probe)->is_probe);
}

static void jobs_without_a_type_have_no_breaker_here(void **state)
{
    (void)state;
    struct ready_circuit circuit;

    world_set(&world, SCOPE_TYPE, READY_TYPE_NONE, world_breaker());
    world_add_many(&world, (struct what){.type = READY_TYPE_NONE}, 10);
    for (int i = 0; i < 10; i++) {
        int number = world_start(&world);

        assert_true(number > 0);
        world_end_as(&world, number, READY_FAILED);
    }
    assert_false(ready_take_circuit(world.ready, &circuit));
}

static void a_tenants_own_numbers_come_before_the_types(void **state)
{
    (void)state;
    struct settings off = world_breaker();

    off.breaker = (struct breaker_settings){.is_off = true};
    world_set_pair(&world, "acme", "mail", off);
    fail_twice();
    assert_true(world_start(&world) > 0);
}

static void switching_a_breaker_off_lets_its_waiters_go(void **state)
{
    (void)state;
    struct settings off = world_breaker();

    fail_twice();
    assert_int_equal(world_start(&world), 0);
    off.breaker = (struct breaker_settings){.is_off = true};
    world_set(&world, SCOPE_TYPE, "mail", off);
    assert_true(world_start(&world) > 0);
    assert_true(world_start(&world) > 0);
}

static void a_late_failure_counts_for_the_breaker_alone(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_breaker());
    world_add_many(&world, (struct what){0}, 3);
    int number = world_start(&world);

    ready_late_result(world.ready, world_thing(&world, number)->bucket, READY_FAILED, world.now_ms);
    ready_late_result(world.ready, world_thing(&world, number)->bucket, READY_FAILED, world.now_ms);
    world_check(&world);
    assert_int_equal(ready_in_flight(world.ready, SCOPE_TENANT, STR("acme")), 1);
    assert_int_equal(world_start(&world), 0);
}

static void a_breaker_remembers_while_nothing_is_there(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_breaker());
    for (int i = 0; i < 2; i++) { /* each is the only one of its time */
        int number = world_add(&world, (struct what){0});

        assert_int_equal(world_start(&world), number);
        world_end_as(&world, number, READY_FAILED);
    }
    world_add(&world, (struct what){0});
    assert_int_equal(world_start(&world), 0);
}

/* ---- what outlives a restart ---- */

static void a_circuit_is_told_whenever_its_state_changes(void **state)
{
    (void)state;
    struct ready_circuit circuit;

    fail_twice();
    assert_true(ready_take_circuit(world.ready, &circuit));
    assert_true(str_is(circuit.tenant, "acme") && str_is(circuit.type, "mail"));
    assert_int_equal(circuit.state, BREAKER_OPEN);
    assert_int_equal(circuit.open_until_ms, world.now_ms + 1000);
    assert_false(ready_take_circuit(world.ready, &circuit));
    world_pass(&world, 1000);
    for (int i = 0; i < 2; i++) {
        int probe = world_start(&world);

        assert_int_equal(ready_take_circuit(world.ready, &circuit), i == 0);
        assert_int_equal(circuit.state, BREAKER_HALF_OPEN);
        world_end(&world, probe);
    }
    assert_true(ready_take_circuit(world.ready, &circuit));
    assert_int_equal(circuit.state, BREAKER_CLOSED);
}

static void a_circuit_that_closed_is_told_though_nobody_uses_it(void **state)
{
    (void)state;
    struct ready_circuit circuit = {.tenant = STR_INIT("acme"), .type = STR_INIT("mail"), .state = BREAKER_HALF_OPEN};

    ready_restore_circuit(world.ready, &circuit, world.now_ms);
    for (int i = 1; i <= breaker_settings_default().closing_successes; i++) {
        world_add(&world, (struct what){0});
        assert_int_equal(world_start(&world), i);
        world_end(&world, i);
    }
    assert_true(ready_take_circuit(world.ready, &circuit));
    assert_int_equal(circuit.state, BREAKER_CLOSED);
}

static void a_circuit_that_was_open_is_open_after_a_restart(void **state)
{
    (void)state;
    struct ready_circuit circuit = {.tenant = STR_INIT("acme"),
                                    .type = STR_INIT("mail"),
                                    .state = BREAKER_OPEN,
                                    .open_until_ms = WORLD_NOW_MS + 700};

    ready_restore_circuit(world.ready, &circuit, world.now_ms);
    world_add(&world, (struct what){0});
    assert_int_equal(world_start(&world), 0);
    world_pass(&world, 700);
    int probe = world_start(&world);

    assert_true(probe > 0 && world_thing(&world, probe)->is_probe);
}

static void a_half_open_circuit_has_no_probe_out_after_a_restart(void **state)
{
    (void)state;
    struct ready_circuit circuit = {
        .tenant = STR_INIT("acme"), .type = STR_INIT("mail"), .state = BREAKER_HALF_OPEN, .open_until_ms = 0};

    ready_restore_circuit(world.ready, &circuit, world.now_ms);
    world_add_many(&world, (struct what){0}, 2);
    int probe = world_start(&world);

    assert_true(probe > 0 && world_thing(&world, probe)->is_probe);
    assert_int_equal(world_start(&world), 0);
}

static void the_attempt_that_was_the_probe_before_a_restart_is_it_again(void **state)
{
    (void)state;
    struct ready_circuit circuit = {.tenant = STR_INIT("acme"), .type = STR_INIT("mail"), .state = BREAKER_HALF_OPEN};
    struct ready_bucket *bucket = world_bucket(&world, (struct what){0});

    ready_recount(world.ready, bucket);
    assert_false(ready_recount_probe(world.ready, bucket)); /* closed */
    ready_restore_circuit(world.ready, &circuit, world.now_ms);
    assert_true(ready_recount_probe(world.ready, bucket));
    assert_false(ready_recount_probe(world.ready, bucket)); /* there is one */
    world_add(&world, (struct what){0});
    assert_int_equal(world_start(&world), 0);
    ready_end(world.ready, bucket, READY_SUCCEEDED, true, world.now_ms);
    assert_true(world_start(&world) > 0);
}

static void a_circuit_that_closed_for_good_is_forgotten_once_it_was_told(void **state)
{
    (void)state;
    struct settings off = world_breaker();
    struct ready_circuit circuit = {
        .tenant = STR_INIT("acme"), .type = STR_INIT("mail"), .state = BREAKER_OPEN, .open_until_ms = INT64_C(1) << 40};

    ready_restore_circuit(world.ready, &circuit, world.now_ms);
    off.breaker = (struct breaker_settings){.is_off = true};
    world_set(&world, SCOPE_TYPE, "mail", off);
    assert_true(ready_take_circuit(world.ready, &circuit));
    assert_true(str_is(circuit.tenant, "acme") && circuit.state == BREAKER_CLOSED);
    world_pass(&world, 0);
    assert_int_equal(ready_next_ms(world.ready), READY_NEVER);
}

#define SENTENCE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENTENCE(a_breaker_opens_for_one_tenant_and_type),
        SENTENCE(half_open_it_sends_one_probe_at_a_time),
        SENTENCE(a_failed_probe_opens_it_again),
        SENTENCE(a_released_probe_lets_the_next_go),
        SENTENCE(jobs_without_a_type_have_no_breaker_here),
        SENTENCE(a_tenants_own_numbers_come_before_the_types),
        SENTENCE(switching_a_breaker_off_lets_its_waiters_go),
        SENTENCE(a_late_failure_counts_for_the_breaker_alone),
        SENTENCE(a_breaker_remembers_while_nothing_is_there),
        SENTENCE(a_circuit_is_told_whenever_its_state_changes),
        SENTENCE(a_circuit_that_was_open_is_open_after_a_restart),
        SENTENCE(a_half_open_circuit_has_no_probe_out_after_a_restart),
        SENTENCE(a_circuit_that_closed_for_good_is_forgotten_once_it_was_told),
        SENTENCE(a_circuit_that_closed_is_told_though_nobody_uses_it),
        SENTENCE(the_attempt_that_was_the_probe_before_a_restart_is_it_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
