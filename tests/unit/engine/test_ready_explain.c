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

static size_t explain(struct what what, struct ready_reason *reasons)
{
    struct ready_bucket *bucket = world_bucket(&world, what);
    size_t count = ready_explain(world.ready, bucket, world.now_ms, reasons, READY_REASONS_MAX);

    ready_bucket_put(world.ready, bucket);
    return count;
}

static void what_nothing_refuses_has_no_reasons(void **state)
{
    (void)state;
    struct ready_reason reasons[READY_REASONS_MAX];

    world_add(&world, (struct what){0});
    assert_int_equal(explain((struct what){0}, reasons), 0);
}

static void every_gate_that_refuses_is_named(void **state)
{
    (void)state;
    const enum ready_gate gates[] = {READY_GATE_TENANT_PAUSED, READY_GATE_POOL_PAUSED,      READY_GATE_TYPE_PAUSED,
                                     READY_GATE_TYPE_PAUSED,   READY_GATE_TENANT_IN_FLIGHT, READY_GATE_POOL_IN_FLIGHT,
                                     READY_GATE_TYPE_IN_FLIGHT};
    const char *const gate_names[] = {"acme", "main", "mail", "mail", "acme", "main", "mail"};
    struct settings settings = world_paused();
    struct ready_reason reasons[READY_REASONS_MAX];

    world_add(&world, (struct what){0});
    world_set_pair(&world, "acme", "mail", settings);
    settings.max_in_flight = 0;
    world_set(&world, SCOPE_TENANT, "acme", settings);
    world_set(&world, SCOPE_POOL, "main", settings);
    world_set(&world, SCOPE_TYPE, "mail", settings);
    assert_int_equal(explain((struct what){0}, reasons), 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(reasons[i].gate, gates[i]);
        assert_true(str_is(reasons[i].name, gate_names[i]));
        assert_int_equal(reasons[i].clears_ms, READY_NEVER);
    }
}

static void no_more_reasons_are_written_than_there_is_room_for(void **state)
{
    (void)state;
    struct ready_reason reasons[2] = {{.gate = READY_GATE_BREAKER}, {.gate = READY_GATE_BREAKER}};
    struct ready_bucket *bucket = world_bucket(&world, (struct what){0});

    world_set(&world, SCOPE_TENANT, "acme", world_paused());
    world_set(&world, SCOPE_POOL, "main", world_paused());
    assert_int_equal(ready_explain(world.ready, bucket, world.now_ms, reasons, 1), 1);
    assert_int_equal(reasons[0].gate, READY_GATE_TENANT_PAUSED);
    assert_int_equal(reasons[1].gate, READY_GATE_BREAKER);
}

static void a_full_gate_says_how_full_it_is(void **state)
{
    (void)state;
    struct ready_reason reasons[READY_REASONS_MAX];

    world_add_many(&world, (struct what){0}, 4);
    for (int i = 0; i < 3; i++) {
        world_start(&world);
    }
    world_set(&world, SCOPE_TENANT, "acme", world_at_most(2)); /* lowered while three run */
    assert_int_equal(explain((struct what){0}, reasons), 1);
    assert_int_equal(reasons[0].gate, READY_GATE_TENANT_IN_FLIGHT);
    assert_int_equal(reasons[0].running, 3);
    assert_int_equal(reasons[0].max, 2);
}

static void a_rate_says_when_it_clears_and_keeps_its_word(void **state)
{
    (void)state;
    const enum scope scopes[] = {SCOPE_TENANT, SCOPE_POOL, SCOPE_TYPE};
    const char *const rated_names[] = {"acme", "main", "mail"};
    const enum ready_gate gates[] = {READY_GATE_TENANT_RATE, READY_GATE_POOL_RATE, READY_GATE_TYPE_RATE};
    struct ready_reason reasons[READY_REASONS_MAX];

    for (size_t i = 0; i < 3; i++) {
        world_done(&world);
        world_init(&world);
        world_set(&world, scopes[i], rated_names[i], world_per_second(3, 1));
        world_add_many(&world, (struct what){0}, 2);
        world_start(&world);
        assert_int_equal(explain((struct what){0}, reasons), 1);
        assert_int_equal(reasons[0].gate, gates[i]);
        assert_int_equal(reasons[0].clears_ms, world.now_ms + 333);
        world_pass(&world, 333);
        assert_int_equal(explain((struct what){0}, reasons), 0);
        assert_true(world_start(&world) > 0);
    }
}

static void a_breaker_says_until_when_or_that_a_probe_is_out(void **state)
{
    (void)state;
    struct ready_reason reasons[READY_REASONS_MAX];

    world_set(&world, SCOPE_TYPE, "mail", world_breaker());
    world_add_many(&world, (struct what){0}, 4);
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(world_start(&world), i);
        world_end_as(&world, i, READY_FAILED);
    }
    assert_int_equal(explain((struct what){0}, reasons), 1);
    assert_int_equal(reasons[0].gate, READY_GATE_BREAKER);
    assert_int_equal(reasons[0].clears_ms, world.now_ms + 1000);
    world_pass(&world, 1000);
    assert_int_equal(explain((struct what){0}, reasons), 0);
    assert_int_equal(world_start(&world), 3);
    assert_int_equal(explain((struct what){0}, reasons), 1);
    assert_int_equal(reasons[0].clears_ms, READY_NEVER);
}

static void looking_changes_nothing(void **state)
{
    (void)state;
    struct ready_circuit circuit = {
        .tenant = STR_INIT("acme"), .type = STR_INIT("mail"), .state = BREAKER_OPEN, .open_until_ms = WORLD_NOW_MS + 5};
    struct ready_reason reasons[READY_REASONS_MAX];
    struct ready_bucket *bucket = world_bucket(&world, (struct what){0});

    ready_restore_circuit(world.ready, &circuit, world.now_ms);
    assert_int_equal(ready_explain(world.ready, bucket, world.now_ms + 5, reasons, READY_REASONS_MAX), 0);
    assert_int_equal(ready_explain(world.ready, bucket, world.now_ms, reasons, READY_REASONS_MAX), 1);
    assert_false(ready_take_circuit(world.ready, &circuit));
}

#define SENTENCE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENTENCE(what_nothing_refuses_has_no_reasons),
        SENTENCE(every_gate_that_refuses_is_named),
        SENTENCE(no_more_reasons_are_written_than_there_is_room_for),
        SENTENCE(a_full_gate_says_how_full_it_is),
        SENTENCE(a_rate_says_when_it_clears_and_keeps_its_word),
        SENTENCE(a_breaker_says_until_when_or_that_a_probe_is_out),
        SENTENCE(looking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
