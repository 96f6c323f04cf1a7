#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "worker/outcome.h"

static void exit_codes_mean_what_the_contract_says(void **state)
{
    (void)state;
    assert_int_equal(outcome_of_exit(0).status, OUTCOME_SUCCEEDED);
    for (int code = 1; code < 256; code++) {
        bool is_permanent = (code >= 64 && code <= 74) || (code >= 76 && code <= 78);
        struct outcome outcome = outcome_of_exit(code);

        assert_int_equal(outcome.status, OUTCOME_FAILED);
        assert_int_equal(outcome.is_retryable, !is_permanent);
    }
    assert_string_equal(outcome_of_exit(3).code, "exit_3");
}

static void every_signal_is_retried(void **state)
{
    (void)state;
    for (int number = 1; number < 65; number++) {
        assert_true(outcome_of_signal(number).is_retryable);
    }
    assert_string_equal(outcome_of_signal(9).code, "signal_9");
    assert_string_equal(outcome_of_signal(9).message, "the program was ended by signal 9 (KILL)");
}

static void statuses_mean_what_the_contract_says(void **state)
{
    (void)state;
    for (long status = 100; status < 600; status++) {
        struct outcome outcome = outcome_of_status(status, 5000);
        bool is_retryable = status == 408 || status == 425 || status == 429 || status >= 500;

        if (status >= 200 && status < 300) {
            assert_int_equal(outcome.status, OUTCOME_SUCCEEDED);
            continue;
        }
        assert_int_equal(outcome.status, OUTCOME_FAILED);
        assert_int_equal(outcome.is_retryable, is_retryable);
        assert_int_equal(outcome.retry_after_ms, is_retryable ? 5000 : 0);
    }
    assert_string_equal(outcome_of_status(404, 0).code, "http_404");
}

static void a_timeout_says_how_long_it_was(void **state)
{
    (void)state;
    assert_string_equal(outcome_timeout(90000).code, "timeout");
    assert_string_equal(outcome_timeout(90000).message, "it did not end within its timeout of 1m30s");
    assert_true(outcome_timeout(90000).is_retryable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes_mean_what_the_contract_says),
        cmocka_unit_test(every_signal_is_retried),
        cmocka_unit_test(statuses_mean_what_the_contract_says),
        cmocka_unit_test(a_timeout_says_how_long_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
