#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>

#include "../seed.h"
#include "base/limits.h"
#include "model/retry.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE_MS 60000LL
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Too wide to overflow with any numbers of a retry. */
__extension__ typedef __int128 wide;

static struct retry formula(int64_t base_ms, int64_t factor_milli, int64_t max_ms)
{
    struct retry retry = {
        .max_attempts = 5, .base_ms = base_ms, .factor_milli = factor_milli, .max_ms = max_ms, .jitter_milli = 0};

    assert_int_equal(retry_check(&retry, NULL), ERR_OK);
    return retry;
}

static struct retry list_of_one(int64_t delay_ms, int jitter_milli)
{
    struct retry retry = {.max_attempts = 5, .delay_count = 1, .delays_ms = {delay_ms}, .jitter_milli = jitter_milli};

    assert_int_equal(retry_check(&retry, NULL), ERR_OK);
    return retry;
}

/* ---- the default and lists ---- */

static void the_default_is_the_contracts(void **state)
{
    (void)state;
    const int64_t delays_ms[] = {30000, 120000, 600000, 1800000, 7200000};
    struct retry retry = retry_default();

    assert_int_equal(retry.max_attempts, 5);
    assert_int_equal(retry.delay_count, 5);
    for (size_t i = 0; i < COUNT_OF(delays_ms); i++) {
        assert_int_equal(retry.delays_ms[i], delays_ms[i]);
    }
    assert_int_equal(retry.jitter_milli, 200);
    assert_int_equal(retry_check(&retry, NULL), ERR_OK);
}

static void a_list_repeats_its_last_delay(void **state)
{
    (void)state;
    struct retry retry = {.max_attempts = 1000, .delay_count = 3, .delays_ms = {100, 20, 3000}};
    const int64_t expected_ms[] = {100, 20, 3000, 3000, 3000};

    for (int failures = 1; failures <= 5; failures++) {
        assert_int_equal(retry_delay_ms(&retry, failures, 7), expected_ms[failures - 1]);
    }
    assert_int_equal(retry_delay_ms(&retry, 1000, 7), 3000);
    assert_int_equal(retry_delay_ms(&retry, INT_MAX, 7), 3000);
}

static void a_list_may_be_full(void **state)
{
    (void)state;
    struct retry retry = {.max_attempts = 1000, .delay_count = RETRY_DELAYS_MAX};

    for (int i = 0; i < RETRY_DELAYS_MAX; i++) {
        retry.delays_ms[i] = 1000 + i;
    }
    assert_int_equal(retry_check(&retry, NULL), ERR_OK);
    for (int failures = 1; failures <= RETRY_DELAYS_MAX; failures++) {
        assert_int_equal(retry_delay_ms(&retry, failures, 1), 999 + failures);
    }
    assert_int_equal(retry_delay_ms(&retry, RETRY_DELAYS_MAX + 1, 1), 999 + RETRY_DELAYS_MAX);
}

static void a_list_needs_no_formula(void **state)
{
    (void)state;
    struct retry retry = retry_default();

    retry.base_ms = retry.factor_milli = retry.max_ms = INT64_MIN; /* not looked at */
    retry.jitter_milli = 0;
    assert_int_equal(retry_check(&retry, NULL), ERR_OK);
    assert_int_equal(retry_delay_ms(&retry, 2, 1), 2 * MINUTE_MS);
}

/* ---- the formula ---- */

/* One failure after the other, each step rounded up to a whole millisecond. */
static int64_t plain_formula_ms(const struct retry *retry, int failures)
{
    wide delay_ms = (wide)retry->base_ms;

    for (int i = 1; i < failures && delay_ms < (wide)retry->max_ms; i++) {
        delay_ms = (delay_ms * (wide)retry->factor_milli + 999) / 1000;
    }
    return delay_ms < (wide)retry->max_ms ? (int64_t)delay_ms : retry->max_ms;
}

static void the_formula_multiplies_up_to_its_maximum(void **state)
{
    (void)state;
    struct retry doubling = formula(1000, 2000, HOUR_MS);
    const int64_t expected_ms[] = {1000,   2000,   4000,   8000,    16000,   32000,   64000,
                                   128000, 256000, 512000, 1024000, 2048000, 3600000, 3600000};

    for (size_t i = 0; i < COUNT_OF(expected_ms); i++) {
        assert_int_equal(retry_delay_ms(&doubling, (int)i + 1, 1), expected_ms[i]);
    }
    struct retry steady = formula(250, 1000, HOUR_MS);
    assert_int_equal(retry_delay_ms(&steady, 1, 1), 250);
    assert_int_equal(retry_delay_ms(&steady, 999, 1), 250);
    struct retry by_half = formula(1000, 1500, HOUR_MS);
    assert_int_equal(retry_delay_ms(&by_half, 2, 1), 1500);
    assert_int_equal(retry_delay_ms(&by_half, 4, 1), 3375);
    struct retry flat = formula(1000, 100000, 1000);
    assert_int_equal(retry_delay_ms(&flat, 2, 1), 1000);
}

/* Any factor, in steps as wide as the contract allows; base and max up to limit_ms. */
static void compare_with_plain_arithmetic(struct rng *rng, int64_t limit_ms)
{
    int64_t base_ms = rng_between(rng, 1, rng_chance(rng, 1, 2) ? 5000 : limit_ms);
    int64_t factor_milli = rng_between(rng, 1000, rng_chance(rng, 1, 2) ? 3000 : 100000);
    struct retry retry = formula(base_ms, factor_milli, rng_between(rng, base_ms, limit_ms));

    for (int failures = 1; failures <= 40; failures++) {
        int64_t got_ms = retry_delay_ms(&retry, failures, rng_next(rng));
        int64_t expected_ms = plain_formula_ms(&retry, failures);

        if (got_ms != expected_ms) {
            fail_msg("base %lld factor %lld max %lld, failure %d: %lld instead of %lld", (long long)base_ms,
                     (long long)factor_milli, (long long)retry.max_ms, failures, (long long)got_ms,
                     (long long)expected_ms);
        }
    }
}

static void the_formula_agrees_with_plain_arithmetic(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int i = 0; i < 5000; i++) {
        compare_with_plain_arithmetic(&rng, 366 * DAY_MS);
    }
}

static void it_agrees_for_delays_of_years_too(void **state)
{
    (void)state;
    struct retry yearly = formula(400 * DAY_MS, 1500, DURATION_MAX_MS);
    struct rng rng;
    seed_rng(&rng);

    assert_int_equal(retry_delay_ms(&yearly, 2, 1) / DAY_MS, 600);
    assert_int_equal(retry_delay_ms(&yearly, 3, 1) / DAY_MS, 900);
    for (int i = 0; i < 5000; i++) {
        compare_with_plain_arithmetic(&rng, DURATION_MAX_MS);
    }
}

/* base * factor^n against delay * 1000^n, as whole numbers. */
static void rounding_never_shortens_the_exact_product(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int i = 0; i < 2000; i++) {
        struct retry retry = formula(rng_between(&rng, 1, 100000), rng_between(&rng, 1000, 100000), DURATION_MAX_MS);
        wide exact = (wide)retry.base_ms;
        wide scale = 1;

        for (int failures = 1; failures <= 5; failures++) {
            wide delay_ms = (wide)retry_delay_ms(&retry, failures, 1);

            assert_true(delay_ms * scale >= exact || delay_ms == (wide)retry.max_ms);
            assert_true(failures > 2 || delay_ms * scale < exact + scale); /* one step: less than 1 ms more */
            exact *= (wide)retry.factor_milli;
            scale *= 1000;
        }
    }
}

/* ---- jitter ---- */

static void jitter_adds_at_most_its_share(void **state)
{
    (void)state;
    struct retry retry = list_of_one(30000, 200);
    int64_t least_ms = INT64_MAX;
    int64_t most_ms = 0;

    for (uint64_t id = 1; id <= 10000; id++) {
        int64_t delay_ms = retry_delay_ms(&retry, 1, id);

        assert_in_range(delay_ms, 30000, 36000);
        least_ms = delay_ms < least_ms ? delay_ms : least_ms;
        most_ms = delay_ms > most_ms ? delay_ms : most_ms;
    }
    assert_in_range(least_ms, 30000, 30060); /* and uses all of it */
    assert_in_range(most_ms, 35940, 36000);
}

static void a_share_of_a_share_of_a_second_is_added_too(void **state)
{
    (void)state;
    struct retry retry = list_of_one(1999, 500);
    int64_t most_ms = 0;

    for (uint64_t id = 1; id <= 100000; id++) {
        int64_t delay_ms = retry_delay_ms(&retry, 1, id);

        most_ms = delay_ms > most_ms ? delay_ms : most_ms;
    }
    assert_int_equal(most_ms, 1999 + 999);
}

static void jitter_adds_at_most_five_minutes(void **state)
{
    (void)state;
    struct retry retries[] = {list_of_one(2 * HOUR_MS, 200), list_of_one(DURATION_MAX_MS, 1000),
                              formula(DAY_MS, 2000, 7 * DAY_MS)};

    retries[2].jitter_milli = 1000;
    for (size_t i = 0; i < COUNT_OF(retries); i++) {
        struct retry bare = retries[i];
        int64_t most_ms = 0;

        bare.jitter_milli = 0;
        for (uint64_t id = 1; id <= 2000; id++) {
            int64_t added_ms = retry_delay_ms(&retries[i], 3, id) - retry_delay_ms(&bare, 3, id);

            assert_in_range(added_ms, 0, 5 * MINUTE_MS);
            most_ms = added_ms > most_ms ? added_ms : most_ms;
        }
        assert_true(most_ms > 4 * MINUTE_MS);
    }
}

static void without_jitter_nothing_is_added(void **state)
{
    (void)state;
    struct retry retry = list_of_one(30000, 0);
    struct retry tiny = list_of_one(4, 200); /* a fifth of 4 ms is no whole millisecond */

    for (uint64_t id = 0; id < 1000; id++) {
        assert_int_equal(retry_delay_ms(&retry, 1, id), 30000);
        assert_int_equal(retry_delay_ms(&tiny, 1, id), 4);
    }
}

static void triggers_and_failures_are_spread_apart(void **state)
{
    (void)state;
    struct retry retry = list_of_one(HOUR_MS, 200);
    int64_t first_ms = retry_delay_ms(&retry, 1, 1);
    int other_triggers = 0;
    int other_failures = 0;

    for (int i = 2; i <= 1000; i++) {
        other_triggers += retry_delay_ms(&retry, 1, (uint64_t)i) != first_ms;
        other_failures += retry_delay_ms(&retry, i, 1) != first_ms;
    }
    assert_true(other_triggers > 990);
    assert_true(other_failures > 990);
}

/* SipHash-2-4 of (trigger, failures) under the key "retr", modulo the room; computed outside of Belfry. Another value
 * would move retries that are under way when a server is upgraded. */
static void a_triggers_delays_are_the_same_for_ever(void **state)
{
    (void)state;
    const struct {
        uint64_t id;
        int64_t delays_ms[7];
    } rows[] = {
        {1, {30149, 141600, 674040, 1899270, 7208633, 7418122, 7466122}},
        {2, {34880, 124644, 647414, 1834292, 7465108, 7423928, 7467806}},
        {UINT64_C(0x1234567890abcdef), {32976, 128681, 694720, 1983879, 7418923, 7282730, 7223650}},
        {INT64_MAX, {30933, 128869, 665104, 1885271, 7439691, 7222265, 7380905}},
    };
    struct retry retry = retry_default();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int failures = 1; failures <= 7; failures++) {
            assert_int_equal(retry_delay_ms(&retry, failures, rows[i].id), rows[i].delays_ms[failures - 1]);
        }
    }
}

/* ---- what makes sense ---- */

static void assert_wrong(const struct retry *retry, const char *field)
{
    struct error error = {0};

    assert_int_equal(retry_check(retry, &error), ERR_INVALID);
    assert_string_equal(error.field, field);
    assert_string_not_equal(error.text, "");
    assert_int_equal(retry_check(retry, NULL), ERR_INVALID);
}

static void check_accepts_the_whole_range(void **state)
{
    (void)state;
    const struct retry rows[] = {
        {.max_attempts = 1, .delay_count = 1, .delays_ms = {0}, .jitter_milli = 0},
        {.max_attempts = 1000, .delay_count = 1, .delays_ms = {DURATION_MAX_MS}, .jitter_milli = 1000},
        {.max_attempts = 1, .base_ms = 1, .factor_milli = 1000, .max_ms = 1},
        {.max_attempts = 1, .base_ms = DURATION_MAX_MS, .factor_milli = 100000, .max_ms = DURATION_MAX_MS},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(retry_check(&rows[i], NULL), ERR_OK);
    }
}

static void check_names_the_number_that_is_wrong(void **state)
{
    (void)state;
    const struct retry good = formula(1000, 2000, HOUR_MS);
    const int counts[] = {0, -1, 1001, INT_MIN, INT_MAX};
    const int shares[] = {-1, 1001, INT_MIN, INT_MAX};
    const int64_t factors[] = {999, 0, -2000, 100001, INT64_MIN, INT64_MAX};
    const int64_t bases[] = {0, -1, INT64_MIN};

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct retry retry = good;
        retry.max_attempts = counts[i];
        assert_wrong(&retry, "max_attempts");
    }
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        struct retry retry = good;
        retry.jitter_milli = shares[i];
        assert_wrong(&retry, "jitter");
    }
    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        struct retry retry = good;
        retry.factor_milli = factors[i];
        assert_wrong(&retry, "factor");
    }
    for (size_t i = 0; i < COUNT_OF(bases); i++) {
        struct retry retry = good;
        retry.base_ms = bases[i];
        assert_wrong(&retry, "base");
    }
    struct retry retry = good;
    retry.max_ms = 999;
    assert_wrong(&retry, "max");
}

static void check_looks_at_every_delay(void **state)
{
    (void)state;
    struct retry too_many = {.max_attempts = 5, .delay_count = RETRY_DELAYS_MAX + 1};
    struct retry negative = {.max_attempts = 5, .delay_count = 2, .delays_ms = {1000, -1}};
    struct retry too_long = {.max_attempts = 5, .delay_count = 2, .delays_ms = {1000, DURATION_MAX_MS + 1}};
    struct retry less_than_none = formula(1000, 2000, HOUR_MS);

    less_than_none.delay_count = -1;
    assert_wrong(&too_many, "delays");
    assert_wrong(&negative, "delays");
    assert_wrong(&too_long, "delays");
    assert_wrong(&less_than_none, "delays");
}

static void check_knows_how_long_a_duration_may_be(void **state)
{
    (void)state;
    struct retry long_base = {
        .max_attempts = 5, .base_ms = DURATION_MAX_MS + 1, .factor_milli = 2000, .max_ms = DURATION_MAX_MS + 1};
    struct retry long_max = {.max_attempts = 5, .base_ms = 1, .factor_milli = 2000, .max_ms = DURATION_MAX_MS + 1};

    assert_wrong(&long_base, "base");
    assert_wrong(&long_max, "max");
}

/* Whatever check lets through can be computed: neither negative nor longer than its maximum and the jitter. */
static void extreme_numbers_are_refused_or_computed(void **state)
{
    (void)state;
    const int64_t extremes[] = {1,
                                2,
                                999,
                                1000,
                                DURATION_MAX_MS / 100,
                                DURATION_MAX_MS / 100 + 1,
                                DAY_MS,
                                INT64_MAX,
                                INT64_MAX - 1,
                                DURATION_MAX_MS,
                                INT64_MAX / 1000};
    const int64_t factors[] = {1000, 1001, 2000, 99999, 100000};
    const int failures[] = {1, 2, 3, 1000, INT_MAX};

    for (size_t i = 0; i < COUNT_OF(extremes) * COUNT_OF(extremes) * COUNT_OF(factors); i++) {
        struct retry retry = {
            .max_attempts = 1000,
            .base_ms = extremes[i % COUNT_OF(extremes)],
            .max_ms = extremes[i / COUNT_OF(extremes) % COUNT_OF(extremes)],
            .factor_milli = factors[i / COUNT_OF(extremes) / COUNT_OF(extremes)],
            .jitter_milli = 1000,
        };

        for (size_t j = 0; retry_check(&retry, NULL) == ERR_OK && j < COUNT_OF(failures); j++) {
            int64_t delay_ms = retry_delay_ms(&retry, failures[j], UINT64_MAX);

            assert_true(delay_ms >= retry.base_ms);
            assert_true(delay_ms - retry.max_ms <= RETRY_JITTER_MAX_MS);
        }
    }
}

static void retries_are_equal_in_their_own_form_alone(void **state)
{
    (void)state;
    struct retry list = retry_default();
    struct retry formula = retry_default_formula();
    struct retry other = list;

    assert_true(retry_equal(&list, &other));
    assert_false(retry_equal(&list, &formula));
    other.base_ms = 5; /* a list has no use for it */
    assert_true(retry_equal(&list, &other));
    other.max_attempts++;
    assert_false(retry_equal(&list, &other));
    assert_true(retry_equal_delays(&list, &other));
    other = list;
    other.delays_ms[4]++;
    assert_false(retry_equal_delays(&list, &other));
    other = list;
    other.delay_count--;
    assert_false(retry_equal_delays(&list, &other));
    other = formula;
    assert_true(retry_equal(&formula, &other));
    other.max_ms++;
    assert_false(retry_equal(&formula, &other));
}

static void the_formula_of_who_names_none_makes_sense(void **state)
{
    (void)state;
    struct retry formula = retry_default_formula();

    assert_int_equal(retry_check(&formula, NULL), ERR_OK);
    assert_int_equal(formula.delay_count, 0);
    assert_int_equal(formula.base_ms, 1000);
    assert_int_equal(formula.factor_milli, 2000);
    assert_int_equal(formula.max_ms, 3600 * 1000);
    assert_int_equal(formula.max_attempts, 5);
    assert_int_equal(formula.jitter_milli, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_the_contracts),
        cmocka_unit_test(a_list_repeats_its_last_delay),
        cmocka_unit_test(a_list_may_be_full),
        cmocka_unit_test(a_list_needs_no_formula),
        cmocka_unit_test(the_formula_multiplies_up_to_its_maximum),
        cmocka_unit_test(the_formula_agrees_with_plain_arithmetic),
        cmocka_unit_test(it_agrees_for_delays_of_years_too),
        cmocka_unit_test(rounding_never_shortens_the_exact_product),
        cmocka_unit_test(jitter_adds_at_most_its_share),
        cmocka_unit_test(a_share_of_a_share_of_a_second_is_added_too),
        cmocka_unit_test(jitter_adds_at_most_five_minutes),
        cmocka_unit_test(without_jitter_nothing_is_added),
        cmocka_unit_test(triggers_and_failures_are_spread_apart),
        cmocka_unit_test(a_triggers_delays_are_the_same_for_ever),
        cmocka_unit_test(check_accepts_the_whole_range),
        cmocka_unit_test(check_names_the_number_that_is_wrong),
        cmocka_unit_test(check_looks_at_every_delay),
        cmocka_unit_test(check_knows_how_long_a_duration_may_be),
        cmocka_unit_test(extreme_numbers_are_refused_or_computed),
        cmocka_unit_test(retries_are_equal_in_their_own_form_alone),
        cmocka_unit_test(the_formula_of_who_names_none_makes_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
