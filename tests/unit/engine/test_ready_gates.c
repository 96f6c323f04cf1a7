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

/* ---- pauses ---- */

static void a_paused_tenant_waits_and_others_run(void **state)
{
    (void)state;
    int held = world_add(&world, (struct what){.tenant = "held"});
    int free = world_add(&world, (struct what){.tenant = "free"});

    world_set(&world, SCOPE_TENANT, "held", world_paused());
    assert_int_equal(world_start(&world), free);
    assert_int_equal(world_start(&world), 0);
    world_told(&world, "main");
    world_set(&world, SCOPE_TENANT, "held", settings_none());
    assert_true(world_told(&world, "main"));
    assert_int_equal(world_start(&world), held);
}

static void a_paused_pool_gives_nothing_until_it_is_resumed(void **state)
{
    (void)state;
    int held = world_add(&world, (struct what){0});

    world_set(&world, SCOPE_POOL, "main", world_paused());
    assert_int_equal(world_start(&world), 0);
    world_told(&world, "main");
    world_set(&world, SCOPE_POOL, "main", settings_none());
    assert_true(world_told(&world, "main"));
    assert_int_equal(world_start(&world), held);
}

static void a_paused_type_lets_the_tenants_other_work_run(void **state)
{
    (void)state;
    int held = world_add(&world, (struct what){.type = "mail", .priority = 1});
    int free = world_add(&world, (struct what){.type = "sync", .priority = 5});

    world_set(&world, SCOPE_TYPE, "mail", world_paused());
    assert_int_equal(world_start(&world), free);
    assert_int_equal(world_start(&world), 0);
    world_set(&world, SCOPE_TYPE, "mail", settings_none());
    assert_int_equal(world_start(&world), held);
}

static void a_type_can_be_paused_for_one_tenant_alone(void **state)
{
    (void)state;
    int held = world_add(&world, (struct what){.tenant = "a"});
    int free = world_add(&world, (struct what){.tenant = "b"});

    world_set_pair(&world, "a", "mail", world_paused());
    assert_int_equal(world_start(&world), free);
    assert_int_equal(world_start(&world), 0);
    world_set_pair(&world, "a", "mail", settings_none());
    assert_int_equal(world_start(&world), held);
}

static void what_waits_keeps_its_order_when_it_comes_back(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_paused());
    int low = world_add(&world, (struct what){.priority = 4});
    int high = world_add(&world, (struct what){.priority = 2});

    assert_int_equal(world_start(&world), 0);
    int highest = world_add(&world, (struct what){.priority = 1});

    assert_int_equal(world_start(&world), 0);
    world_set(&world, SCOPE_TYPE, "mail", settings_none());
    assert_int_equal(world_start(&world), highest);
    assert_int_equal(world_start(&world), high);
    assert_int_equal(world_start(&world), low);
}

static void a_resumed_type_wakes_all_that_waited(void **state)
{
    (void)state;
    const char *const tenants[] = {"a", "b", "c", "d"};

    world_set(&world, SCOPE_TYPE, "mail", world_paused());
    for (size_t i = 0; i < 4; i++) {
        world_add(&world, (struct what){.tenant = tenants[i]});
    }
    assert_int_equal(world_start(&world), 0);
    world_add_many(&world, (struct what){.tenant = "busy", .type = "sync"}, 100);
    world_set(&world, SCOPE_TYPE, "mail", settings_none());
    world_start(&world);
    for (size_t i = 0; i < 4; i++) { /* all within one round of the busy one */
        assert_true(str_is(world_tenant(&world, world_start(&world)), tenants[i]));
    }
}

/* ---- in flight ---- */

static void a_full_gate_lets_one_in_for_each_that_ends(void **state)
{
    (void)state;
    const enum scope scopes[] = {SCOPE_TENANT, SCOPE_POOL, SCOPE_TYPE, SCOPE_TENANT_TYPE};
    const char *const full_names[] = {"acme", "main", "mail", "mail"};

    for (size_t i = 0; i < 4; i++) {
        struct settings settings = world_at_most(2);

        world_done(&world);
        world_init(&world);
        ready_set(world.ready, scopes[i], STR("acme"), str_from(full_names[i]), &settings, world.now_ms, WORLD_WALL_MS);
        world_add_many(&world, (struct what){0}, 5);
        int first = world_start(&world);
        int second = world_start(&world);

        assert_true(first > 0 && second > 0);
        assert_int_equal(world_start(&world), 0);
        world_told(&world, "main");
        world_end(&world, second);
        assert_true(world_told(&world, "main"));
        assert_int_equal(world_start(&world), 3);
        assert_int_equal(world_start(&world), 0);
        world_end_as(&world, first, READY_FAILED);
        assert_int_equal(world_start(&world), 4);
    }
}

static void a_raised_maximum_holds_at_once(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TENANT, "acme", world_at_most(0));
    world_add_many(&world, (struct what){0}, 5);
    assert_int_equal(world_start(&world), 0);
    world_set(&world, SCOPE_TENANT, "acme", world_at_most(3));
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(world_start(&world), i);
    }
    assert_int_equal(world_start(&world), 0);
}

static void waiters_of_a_type_come_in_the_order_they_began_to_wait(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    assert_int_equal(world_start(&world), running);
    for (int round = 0; round < 3; round++) {
        world_add(&world, (struct what){.tenant = "a"});
        world_add(&world, (struct what){.tenant = "b"});
        world_add(&world, (struct what){.tenant = "c"});
    }
    assert_int_equal(world_start(&world), 0);
    for (int i = 0; i < 9; i++) {
        const char *const turn[] = {"a", "b", "c"};

        world_end(&world, running);
        running = world_start(&world);
        assert_true(str_is(world_tenant(&world, running), turn[i % 3]));
        assert_int_equal(world_start(&world), 0);
    }
}

static void room_is_kept_for_who_waited_not_for_who_comes_late(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    assert_int_equal(world_start(&world), running);
    int waiting = world_add(&world, (struct what){.tenant = "patient"});

    assert_int_equal(world_start(&world), 0);
    int other = world_add(&world, (struct what){.tenant = "late", .type = "sync", .priority = 5});

    world_add(&world, (struct what){.tenant = "late"}); /* stands before the patient one in the ring */
    world_end(&world, running);
    assert_int_equal(world_start(&world), other);
    assert_int_equal(world_start(&world), waiting);
}

static void several_gates_must_all_agree_before_any_is_charged(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_per_second(1, 1));
    world_set(&world, SCOPE_TENANT, "acme", world_at_most(1));
    world_add_many(&world, (struct what){.type = "sync"}, 1);
    world_add_many(&world, (struct what){.type = "mail"}, 2);
    int sync = world_start(&world);

    assert_int_equal(world_start(&world), 0); /* the tenant's gate; the rate was not asked for anything */
    world_end(&world, sync);
    int mail = world_start(&world);

    assert_true(mail > 0);
    world_end(&world, mail);
    assert_int_equal(world_start(&world), 0); /* now it is the rate */
    world_pass(&world, 1000);
    assert_true(world_start(&world) > 0);
}

/* ---- chances are handed on (rule 6) ---- */

static void who_waits_elsewhere_hands_its_chance_on(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    world_start(&world);
    world_add(&world, (struct what){.tenant = "a"});
    int b = world_add(&world, (struct what){.tenant = "b"});

    assert_int_equal(world_start(&world), 0);
    world_set(&world, SCOPE_TENANT, "a", world_paused());
    world_end(&world, running);
    assert_int_equal(world_start(&world), b);
}

static void who_is_taken_away_hands_its_chance_on(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    world_start(&world);
    int a = world_add(&world, (struct what){.tenant = "a"});
    int b = world_add(&world, (struct what){.tenant = "b"});

    assert_int_equal(world_start(&world), 0);
    world_end(&world, running); /* wakes a */
    world_remove(&world, a);
    assert_int_equal(world_start(&world), b);
}

static void who_has_something_better_to_do_hands_its_chance_on(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    world_start(&world);
    world_add(&world, (struct what){.tenant = "a", .priority = 5});
    int b = world_add(&world, (struct what){.tenant = "b"});

    assert_int_equal(world_start(&world), 0);
    world_add_many(&world, (struct what){.tenant = "a", .type = "sync", .priority = 1}, 100);
    world_end(&world, running);
    world_start(&world);
    assert_int_equal(world_start(&world), b); /* not after a hundred of a's */
}

static void a_pool_that_nobody_asks_does_not_hold_a_types_room(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    world_start(&world);
    world_add(&world, (struct what){.tenant = "a", .pool = "deserted"});
    int b = world_add(&world, (struct what){.tenant = "b", .pool = "main"});

    assert_int_equal(world_start_in(&world, "deserted"), 0); /* so it waits before the other */
    assert_int_equal(world_start(&world), 0);
    world_end(&world, running);
    assert_int_equal(world_start(&world), b);
}

static void who_was_woken_for_nothing_is_still_the_first(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int running = world_add(&world, (struct what){.tenant = "z"});

    world_start(&world);
    int first = world_add(&world, (struct what){.tenant = "a"});

    world_add(&world, (struct what){.tenant = "b"});
    assert_int_equal(world_start(&world), 0);
    int elsewhere = world_add(&world, (struct what){.tenant = "c", .pool = "other"});

    world_end(&world, running);
    assert_int_equal(world_start_in(&world, "other"), elsewhere);
    assert_int_equal(world_start(&world), 0); /* it was woken, but the other pool was quicker */
    world_end(&world, elsewhere);
    assert_int_equal(world_start(&world), first);
}

static void a_tenants_room_is_open_to_all_its_pools(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TENANT, "acme", world_at_most(1));
    int running = world_add(&world, (struct what){0});

    world_start(&world);
    world_add(&world, (struct what){.pool = "deserted"});
    int here = world_add(&world, (struct what){.pool = "main"});

    assert_int_equal(world_start_in(&world, "deserted"), 0);
    assert_int_equal(world_start(&world), 0);
    world_end(&world, running);
    assert_int_equal(world_start(&world), here);
    assert_int_equal(world_start_in(&world, "deserted"), 0);
}

#define SENTENCE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENTENCE(a_paused_tenant_waits_and_others_run),
        SENTENCE(a_paused_pool_gives_nothing_until_it_is_resumed),
        SENTENCE(a_paused_type_lets_the_tenants_other_work_run),
        SENTENCE(a_type_can_be_paused_for_one_tenant_alone),
        SENTENCE(what_waits_keeps_its_order_when_it_comes_back),
        SENTENCE(a_resumed_type_wakes_all_that_waited),
        SENTENCE(a_full_gate_lets_one_in_for_each_that_ends),
        SENTENCE(a_raised_maximum_holds_at_once),
        SENTENCE(waiters_of_a_type_come_in_the_order_they_began_to_wait),
        SENTENCE(room_is_kept_for_who_waited_not_for_who_comes_late),
        SENTENCE(several_gates_must_all_agree_before_any_is_charged),
        SENTENCE(who_waits_elsewhere_hands_its_chance_on),
        SENTENCE(who_is_taken_away_hands_its_chance_on),
        SENTENCE(who_has_something_better_to_do_hands_its_chance_on),
        SENTENCE(a_pool_that_nobody_asks_does_not_hold_a_types_room),
        SENTENCE(a_tenants_room_is_open_to_all_its_pools),
        SENTENCE(who_was_woken_for_nothing_is_still_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
