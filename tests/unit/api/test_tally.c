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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_attempts_are_not_executed_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
