#include "base/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_quantile_of_nothing_is_none(void **state)
{
    const struct histogram empty = {0};

    (void)state;
    assert_int_equal(histogram_quantile(&empty, 0.5), -1);
    assert_int_equal(histogram_count(&empty), 0);
}

static void a_value_on_a_bound_stands_below_it(void **state)
{
    struct histogram histogram = {0};

    (void)state;
    histogram_add(&histogram, 10);
    histogram_add(&histogram, -3); /* a clock that went back */
    for (size_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
        assert_int_equal(histogram.buckets[i], histogram_bounds_ms[i] == 10 || i == 0 ? 1 : 0);
    }
    assert_int_equal(histogram.sum_ms, 10);
}

static void quantiles_lie_within_the_bounds_of_their_bucket(void **state)
{
    struct histogram histogram = {0};

    (void)state;
    for (int64_t ms = 1; ms <= 1000; ms++) {
        histogram_add(&histogram, ms);
    }
    assert_in_range(histogram_quantile(&histogram, 0.5), 490, 510);
    assert_in_range(histogram_quantile(&histogram, 0.99), 980, 1000);
    histogram_add(&histogram, INT64_MAX / 4);
    assert_int_equal(histogram_quantile(&histogram, 1.0), histogram_bounds_ms[HISTOGRAM_BOUNDS - 1]);
}

static void bounds_grow(void **state)
{
    (void)state;
    for (size_t i = 1; i < HISTOGRAM_BOUNDS; i++) {
        assert_true(histogram_bounds_ms[i] > histogram_bounds_ms[i - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quantile_of_nothing_is_none),
        cmocka_unit_test(a_value_on_a_bound_stands_below_it),
        cmocka_unit_test(quantiles_lie_within_the_bounds_of_their_bucket),
        cmocka_unit_test(bounds_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
