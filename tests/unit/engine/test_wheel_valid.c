/* The self-checks of the wheel and of a gate: a check that cannot fail would prove nothing wherever it is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/gate.h"
#include "engine/wheel.h"
#include "noticed.h"

static struct wheel wheel;

static void a_node_that_stands_wrong_in_the_wheel_is_noticed(void **state)
{
    (void)state;
    struct wheel_node soon = {0}, late = {0};

    wheel_init(&wheel, 1000);
    wheel_add(&wheel, &soon, 1003);
    wheel_add(&wheel, &late, 1000000);
    NOTICED(wheel_valid(&wheel), soon.due_ms, 1000);    /* due already */
    NOTICED(wheel_valid(&wheel), soon.due_ms, 1000000); /* of another level */
    NOTICED(wheel_valid(&wheel), soon.due_ms, 1004);    /* of another slot */
    NOTICED(wheel_valid(&wheel), soon.place, late.place);
    NOTICED(wheel_valid(&wheel), late.due_ms, 1003);
    NOTICED(wheel_valid(&wheel), wheel.now_ms, 1003);
}

static void a_wrong_mark_or_count_of_the_wheel_is_noticed(void **state)
{
    (void)state;
    struct wheel_node soon = {0}, overdue = {0};

    wheel_init(&wheel, 1000);
    wheel_add(&wheel, &soon, 1003);
    wheel_add(&wheel, &overdue, 900);
    NOTICED(wheel_valid(&wheel), wheel.used[0], 0);
    NOTICED(wheel_valid(&wheel), wheel.used[0], UINT64_MAX);
    NOTICED(wheel_valid(&wheel), wheel.used[1], 1);
    NOTICED(wheel_valid(&wheel), wheel.count, 1);
    NOTICED(wheel_valid(&wheel), wheel.count, 3);
}

static void numbers_that_no_gate_can_have_are_noticed(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct gate gate;

    settings.rate_count = 3;
    settings.rate_period_ms = 1000;
    settings.burst = 2;
    gate_init(&gate);
    gate_set(&gate, &settings, 0, 0);
    assert_true(gate_start(&gate, 0));
    NOTICED(gate_valid(&gate), gate.in_flight, -1);
    NOTICED(gate_valid(&gate), gate.in_flight_max, -1);
    NOTICED(gate_valid(&gate), gate.rate_count, 0);
    NOTICED(gate_valid(&gate), gate.period_us, -1);
    NOTICED(gate_valid(&gate), gate.burst, 0);
    NOTICED(gate_valid(&gate), gate.tat_us, -1);
    NOTICED(gate_valid(&gate), gate.tat_part, -1);
    NOTICED(gate_valid(&gate), gate.tat_part, 3); /* a whole microsecond is no part of one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_stands_wrong_in_the_wheel_is_noticed),
        cmocka_unit_test(a_wrong_mark_or_count_of_the_wheel_is_noticed),
        cmocka_unit_test(numbers_that_no_gate_can_have_are_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
