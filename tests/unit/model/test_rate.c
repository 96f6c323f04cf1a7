#include "job_def_test.h"

#include "model/settings.h"

static void a_rate_is_a_number_in_a_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t count;
        int64_t period_ms;
    } rates[] = {
        {"1/s", 1, 1000},
        {"100/m", 100, MINUTE_MS},
        {"60/h", 60, HOUR_MS},
        {"1000000/d", 1000000, DAY_MS},
    };

    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        char text[RATE_BYTES];
        int64_t count = 0;
        int64_t period_ms = 0;

        assert_int_equal(rate_parse(str_from(rates[i].text), &count, &period_ms, NULL), ERR_OK);
        assert_int_equal(count, rates[i].count);
        assert_int_equal(period_ms, rates[i].period_ms);
        assert_string_equal(rate_format(count, period_ms, text), rates[i].text);
    }
}

static void anything_else_is_refused_with_the_forms_there_are(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",       "/",      "/s",    "5",         "5/",
                                        "5/S",    "5/min",  "5/ s",  "5 /s",      " 5/s",
                                        "5/s ",   "5//s",   "5/s/s", "-5/s",      "0/s",
                                        "+5/s",   "0x10/s", "1.5/s", "1e3/s",     "5/w",
                                        "five/s", "5s",     "s/5",   "1000001/s", "99999999999999999999/s"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct error error = {0};
        int64_t count = 42;
        int64_t period_ms = 43;

        if (rate_parse(str_from(wrong[i]), &count, &period_ms, &error) != ERR_INVALID) {
            fail_msg("\"%s\" is not refused", wrong[i]);
        }
        assert_non_null(strstr(error.text, "100/s, 100/m, 100/h or 100/d"));
        assert_int_equal(count, 42);
        assert_int_equal(period_ms, 43);
        assert_int_equal(rate_parse(str_from(wrong[i]), &count, &period_ms, NULL), ERR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_a_number_in_a_time),
        cmocka_unit_test(anything_else_is_refused_with_the_forms_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
