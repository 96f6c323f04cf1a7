#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/rng.h"

/* Old seeds must show old bugs: a change here is a bug in the code, not in the test. */
static void sequences_never_change(void **state)
{
    (void)state;
    const uint64_t from_0[] = {UINT64_C(0x99ec5f36cb75f2b4), UINT64_C(0xbf6e1f784956452a), UINT64_C(0x1a5f849d4933e6e0),
                               UINT64_C(0x6aa594f1262d2d2c)};
    const uint64_t from_42[] = {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e),
                                UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1)};
    struct rng a, b;
    rng_init(&a, 0);
    rng_init(&b, 42);

    for (size_t i = 0; i < 4; i++) {
        assert_true(rng_next(&a) == from_0[i]);
        assert_true(rng_next(&b) == from_42[i]);
    }
}

/* The numbers that its authors' code gives for this state. */
static void it_is_xoshiro256_starstar(void **state)
{
    (void)state;
    struct rng rng = {{1, 2, 3, 4}};

    assert_true(rng_next(&rng) == 11520);
    assert_true(rng_next(&rng) == 0);
    assert_true(rng_next(&rng) == 1509978240);
    assert_true(rng_next(&rng) == UINT64_C(1215971899390074240));
    assert_true(rng_next(&rng) == UINT64_C(1216172134540287360));
}

static void every_number_below_is_as_likely(void **state)
{
    (void)state;
    int counts[7] = {0};
    struct rng rng;
    rng_init(&rng, 1);

    for (int i = 0; i < 70000; i++) {
        counts[rng_below(&rng, 7)]++;
    }
    for (size_t i = 0; i < 7; i++) {
        assert_in_range(counts[i], 9500, 10500);
    }
    assert_int_equal(rng_below(&rng, 1), 0);
}

/* Three quarters of the 64-bit range: with a bare modulus the lower third would come twice as often. */
static void a_large_bound_has_no_bias(void **state)
{
    (void)state;
    const uint64_t below = UINT64_C(3) << 62;
    int lower = 0;
    struct rng rng;
    rng_init(&rng, 1);

    for (int i = 0; i < 30000; i++) {
        uint64_t value = rng_below(&rng, below);
        assert_true(value < below);
        lower += value < below / 3;
    }
    assert_in_range(lower, 9500, 10500);
}

static void between_includes_both_ends(void **state)
{
    (void)state;
    bool seen[5] = {false};
    struct rng rng;
    rng_init(&rng, 1);

    for (int i = 0; i < 200; i++) {
        seen[rng_between(&rng, -2, 2) + 2] = true;
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(seen[i]);
    }
    assert_int_equal(rng_between(&rng, 5, 5), 5);
    (void)rng_between(&rng, INT64_MIN, INT64_MAX);
    assert_true(rng_between(&rng, INT64_MAX - 1, INT64_MAX) >= INT64_MAX - 1);
    assert_true(rng_between(&rng, INT64_MIN, INT64_MIN + 1) <= INT64_MIN + 1);
}

static void chance_is_p_of_q(void **state)
{
    (void)state;
    int hits = 0;
    struct rng rng;
    rng_init(&rng, 1);

    for (int i = 0; i < 30000; i++) {
        hits += rng_chance(&rng, 1, 3);
        assert_false(rng_chance(&rng, 0, 5));
        assert_true(rng_chance(&rng, 5, 5));
    }
    assert_in_range(hits, 9500, 10500);
}

/* All six orders of three things, each as often. */
static void every_order_is_as_likely(void **state)
{
    (void)state;
    int counts[27] = {0};
    struct rng rng;
    rng_init(&rng, 1);

    for (int i = 0; i < 60000; i++) {
        int things[3] = {0, 1, 2};
        rng_shuffle(&rng, things, 3, sizeof things[0]);
        counts[things[0] * 9 + things[1] * 3 + things[2]]++;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            if (a != b) {
                assert_in_range(counts[a * 9 + b * 3 + (3 - a - b)], 9500, 10500);
            }
        }
    }
    rng_shuffle(&rng, NULL, 0, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_never_change),          cmocka_unit_test(it_is_xoshiro256_starstar),
        cmocka_unit_test(every_number_below_is_as_likely), cmocka_unit_test(a_large_bound_has_no_bias),
        cmocka_unit_test(between_includes_both_ends),      cmocka_unit_test(chance_is_p_of_q),
        cmocka_unit_test(every_order_is_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
