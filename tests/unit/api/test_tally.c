#include "api/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void released_attempts_are_not_executed_ones(void **state)
{
    struct tally tally = {0}, sum = {0};

    (void)state;
    assert_true(tally_success_rate(&tally) < 0);
    tally.attempts[ATTEMPT_SUCCEEDED] = 3;
    tally.attempts[ATTEMPT_LOST] = 1;
    tally.attempts[ATTEMPT_RELEASED] = 5;
    tally_merge(&sum, &tally);
    tally_merge(&sum, &tally);
    assert_int_equal(tally_executed(&sum), 8);
    assert_int_equal(tally_failed(&sum), 2);
    assert_true(tally_success_rate(&sum) == 0.75);
}

static void cancelled_attempts_are_executed_and_neither_succeed_nor_fail(void **state)
{
    struct tally tally = {.attempts = {[ATTEMPT_CANCELLED] = 40}};

    (void)state;
    assert_int_equal(tally_executed(&tally), 40);
    assert_int_equal(tally_judged(&tally), 0);
    assert_true(tally_success_rate(&tally) < 0);
    assert_true(tally_failure_rate(&tally) < 0);
    tally.attempts[ATTEMPT_SUCCEEDED] = 3;
    tally.attempts[ATTEMPT_TIMED_OUT] = 1;
    assert_int_equal(tally_judged(&tally), 4);
    assert_true(tally_success_rate(&tally) == 0.75);
    assert_true(tally_failure_rate(&tally) == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_attempts_are_not_executed_ones),
        cmocka_unit_test(cancelled_attempts_are_executed_and_neither_succeed_nor_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
