#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/when.h"

#define S 1000LL
#define MIN (60 * S)
#define H (60 * MIN)
#define D (24 * H)

static void one_unit_says_how_far_away_it_is(void **state)
{
    (void)state;
    const int64_t now_ms = 100 * D;
    const struct {
        int64_t away_ms;
        const char *text;
    } cases[] = {
        {0, "now"},
        {999, "now"},
        {-999, "now"},
        {S, "in 1 s"},
        {-S, "1 s ago"},
        {59 * S, "in 59 s"},
        {MIN, "in 1 min"},
        {4 * MIN + 59 * S, "in 4 min"},
        {-2 * H - 1, "2 h ago"},
        {23 * H, "in 23 h"},
        {D, "in 1 d"},
        {-99 * D, "99 d ago"},
    };
    char out[WHEN_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(when_relative(now_ms + cases[i].away_ms, now_ms, out), cases[i].text);
    }
    assert_string_equal(when_relative(WHEN_NONE, now_ms, out), "-");
}

static void lengths_are_as_exact_as_they_are_short(void **state)
{
    (void)state;
    char out[WHEN_BYTES];

    assert_string_equal(when_length(0, out), "0 ms");
    assert_string_equal(when_length(999, out), "999 ms");
    assert_string_equal(when_length(1250, out), "1.2 s");
    assert_string_equal(when_length(59999, out), "59.9 s");
    assert_string_equal(when_length(125 * S, out), "2 min 5 s");
    assert_string_equal(when_length(-1, out), "-");
}

static void instants_read_well(void **state)
{
    (void)state;
    char out[WHEN_BYTES];

    assert_string_equal(when_exact(0, out), "1970-01-01 00:00:00Z");
    assert_string_equal(when_exact(1, out), "1970-01-01 00:00:00.001Z");
    assert_string_equal(when_exact(WHEN_NONE, out), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_unit_says_how_far_away_it_is),
        cmocka_unit_test(lengths_are_as_exact_as_they_are_short),
        cmocka_unit_test(instants_read_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
