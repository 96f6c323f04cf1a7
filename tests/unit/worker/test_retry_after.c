#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "worker/limits_worker.h"
#include "worker/retry_after.h"

#define NOW_MS INT64_C(784111777000) /* Sun, 06 Nov 1994 08:49:37 GMT */

static int64_t after(const char *value)
{
    return retry_after_ms(str_from(value), NOW_MS);
}

static void seconds_are_seconds(void **state)
{
    (void)state;
    assert_int_equal(after("0"), 0);
    assert_int_equal(after("30"), 30000);
    assert_int_equal(after(" 120\r\n"), 120000);
    assert_int_equal(after("86400"), RETRY_AFTER_MAX_MS);
}

static void a_date_is_counted_from_now(void **state)
{
    (void)state;
    assert_int_equal(after("Sun, 06 Nov 1994 08:50:07 GMT"), 30000);
    assert_int_equal(after("Mon, 07 Nov 1994 08:49:37 GMT"), RETRY_AFTER_MAX_MS);
}

static void absurd_ones_are_cut(void **state)
{
    (void)state;
    assert_int_equal(after("86401"), RETRY_AFTER_MAX_MS);
    assert_int_equal(after("999999999999"), RETRY_AFTER_MAX_MS);
    assert_int_equal(after("99999999999999999999999999999999"), RETRY_AFTER_MAX_MS);
    assert_int_equal(after("Fri, 06 Nov 9999 08:49:37 GMT"), RETRY_AFTER_MAX_MS);
}

static void what_is_past_or_no_time_asks_for_nothing(void **state)
{
    static const char *const values[] = {"",
                                         "-5",
                                         "1.5",
                                         "+3",
                                         "soon",
                                         "1h",
                                         "Sun, 06 Nov 1994 08:49:36 GMT",
                                         "Sun, 31 Feb 1995 08:49:37 GMT",
                                         "Sunday, 06-Nov-94 08:49:37 GMT",
                                         "Sun, 06 Nov 1994 08:49:37 CET",
                                         "Sun, 06 Xyz 1995 08:49:37 GMT",
                                         "Sun, 06 Nov 1995 25:49:37 GMT",
                                         "Sun; 06 Nov 1995 08:49:37 GMT"};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(after(values[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_are_seconds),
        cmocka_unit_test(a_date_is_counted_from_now),
        cmocka_unit_test(absurd_ones_are_cut),
        cmocka_unit_test(what_is_past_or_no_time_asks_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
