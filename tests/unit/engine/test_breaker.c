#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/breaker.h"

#define NOW_MS INT64_C(1000000)

/* Opens at half of four; ten seconds of window; open for two. */
static const struct breaker_settings settings = {
    .failure_milli = 500, .min_attempts = 4, .window_ms = 10000, .open_ms = 2000, .closing_successes = 3};

static bool end(struct breaker *breaker, bool is_failure, int64_t now_ms)
{
    return breaker_end(breaker, &settings, true, is_failure, false, now_ms);
}

static bool allows(struct breaker *breaker, int64_t now_ms)
{
    int64_t clears_ms;

    return breaker_allows(breaker, now_ms, &clears_ms);
}

/* One that has just half opened, at NOW_MS + 2000. */
static void half_open(struct breaker *breaker)
{
    breaker_init(breaker);
    for (int i = 0; i < 4; i++) {
        end(breaker, true, NOW_MS);
    }
    assert_true(allows(breaker, NOW_MS + 2000));
    assert_int_equal(breaker->state, BREAKER_HALF_OPEN);
}

static void probe(struct breaker *breaker, bool is_failure, int64_t now_ms)
{
    assert_true(allows(breaker, now_ms));
    assert_true(breaker_start(breaker));
    assert_false(allows(breaker, now_ms));
    breaker_end(breaker, &settings, true, is_failure, true, now_ms);
}

static void it_opens_when_enough_of_enough_have_failed(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    assert_false(end(&breaker, false, NOW_MS));
    assert_false(end(&breaker, false, NOW_MS));
    assert_false(end(&breaker, true, NOW_MS)); /* one of three */
    assert_true(allows(&breaker, NOW_MS));
    assert_true(end(&breaker, true, NOW_MS)); /* two of four */
    assert_int_equal(breaker.state, BREAKER_OPEN);
    assert_int_equal(breaker.open_until_ms, NOW_MS + 2000);
}

static void too_few_prove_nothing(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    for (int i = 0; i < 3; i++) {
        assert_false(end(&breaker, true, NOW_MS));
    }
    assert_true(allows(&breaker, NOW_MS));
}

static void less_than_the_share_does_not_open_it(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    for (int i = 0; i < 1000; i++) {
        assert_false(end(&breaker, i % 10 == 9, NOW_MS + i));
    }
    assert_int_equal(breaker.state, BREAKER_CLOSED);
}

static void what_has_left_the_window_does_not_count(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    for (int i = 0; i < 3; i++) {
        end(&breaker, true, NOW_MS);
    }
    assert_false(end(&breaker, true, NOW_MS + 10000));
    assert_false(end(&breaker, true, NOW_MS + 18000));
    assert_false(end(&breaker, true, NOW_MS + 18999));
    assert_true(end(&breaker, true, NOW_MS + 19000)); /* all but the first three */
}

static void slots_leave_one_by_one(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    end(&breaker, true, NOW_MS);
    end(&breaker, true, NOW_MS + 5000);
    end(&breaker, true, NOW_MS + 9000);
    assert_false(end(&breaker, true, NOW_MS + 10000)); /* the first has left */
    assert_true(end(&breaker, true, NOW_MS + 14999));  /* the second has not */
}

static void uncounted_ends_change_nothing(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    for (int i = 0; i < 100; i++) {
        assert_false(breaker_end(&breaker, &settings, false, true, false, NOW_MS));
    }
    assert_int_equal(breaker_forgets_ms(&breaker, &settings), INT64_MIN);
}

static void open_it_lets_nothing_through_and_says_until_when(void **state)
{
    (void)state;
    struct breaker breaker;
    int64_t clears_ms = 0;

    breaker_init(&breaker);
    for (int i = 0; i < 4; i++) {
        end(&breaker, true, NOW_MS);
    }
    assert_false(breaker_allows(&breaker, NOW_MS + 1999, &clears_ms));
    assert_int_equal(clears_ms, NOW_MS + 2000);
    assert_false(end(&breaker, false, NOW_MS + 100)); /* one that still ran: rule 4 */
    assert_int_equal(breaker.state, BREAKER_OPEN);
}

static void half_open_it_tries_one_at_a_time(void **state)
{
    (void)state;
    struct breaker breaker;
    int64_t clears_ms = 0;

    half_open(&breaker);
    assert_true(breaker_start(&breaker));
    assert_false(breaker_allows(&breaker, NOW_MS + 9999, &clears_ms));
    assert_int_equal(clears_ms, INT64_MAX);
}

static void successes_in_a_row_close_it_with_an_empty_window(void **state)
{
    (void)state;
    struct breaker breaker;

    half_open(&breaker);
    probe(&breaker, false, NOW_MS + 2000);
    probe(&breaker, false, NOW_MS + 2001);
    assert_int_equal(breaker.state, BREAKER_HALF_OPEN);
    probe(&breaker, false, NOW_MS + 2002);
    assert_int_equal(breaker.state, BREAKER_CLOSED);
    for (int i = 0; i < 3; i++) {
        assert_false(end(&breaker, true, NOW_MS + 2003));
    }
    assert_false(breaker_start(&breaker));
}

static void one_failure_opens_it_again_and_the_row_begins_anew(void **state)
{
    (void)state;
    struct breaker breaker;

    half_open(&breaker);
    probe(&breaker, false, NOW_MS + 2000);
    probe(&breaker, false, NOW_MS + 2000);
    probe(&breaker, true, NOW_MS + 2500);
    assert_false(allows(&breaker, NOW_MS + 4499));
    probe(&breaker, false, NOW_MS + 4500);
    assert_int_equal(breaker.state, BREAKER_HALF_OPEN);
}

static void a_probe_that_proves_nothing_lets_the_next_one_go(void **state)
{
    (void)state;
    struct breaker breaker;

    half_open(&breaker);
    assert_true(breaker_start(&breaker));
    assert_false(breaker_end(&breaker, &settings, false, false, true, NOW_MS + 2001));
    assert_true(allows(&breaker, NOW_MS + 2001));
    assert_int_equal(breaker.successes, 0);
}

static void others_results_do_not_count_while_it_is_half_open(void **state)
{
    (void)state;
    struct breaker breaker;

    half_open(&breaker);
    for (int i = 0; i < 10; i++) {
        assert_false(end(&breaker, i % 2 == 0, NOW_MS + 2000));
    }
    assert_int_equal(breaker.state, BREAKER_HALF_OPEN);
    assert_int_equal(breaker.successes, 0);
}

static void a_probe_that_ends_after_the_time_counts_whether_or_not_somebody_asked(void **state)
{
    (void)state;
    struct breaker breaker;

    breaker_init(&breaker);
    breaker.state = BREAKER_OPEN; /* as restored */
    breaker.open_until_ms = NOW_MS;
    assert_true(breaker_end(&breaker, &settings, true, false, true, NOW_MS));
    assert_int_equal(breaker.state, BREAKER_HALF_OPEN);
    assert_int_equal(breaker.successes, 1);
    breaker.state = BREAKER_OPEN;
    assert_true(breaker_end(&breaker, &settings, true, true, true, NOW_MS)); /* open still, but for longer */
    assert_int_equal(breaker.open_until_ms, NOW_MS + 2000);
}

static void switched_off_it_counts_nothing(void **state)
{
    (void)state;
    struct breaker_settings off = {.is_off = true};
    struct breaker breaker;

    breaker_init(&breaker);
    for (int i = 0; i < 100; i++) {
        assert_false(breaker_end(&breaker, &off, true, true, false, NOW_MS));
    }
    assert_true(allows(&breaker, NOW_MS));
}

static void another_length_of_the_window_empties_it(void **state)
{
    (void)state;
    struct breaker_settings longer = settings;
    struct breaker breaker;

    longer.window_ms = 60000;
    breaker_init(&breaker);
    for (int i = 0; i < 3; i++) {
        end(&breaker, true, NOW_MS);
    }
    assert_false(breaker_end(&breaker, &longer, true, true, false, NOW_MS));
    assert_false(end(&breaker, true, NOW_MS));
}

static void it_says_when_it_may_be_forgotten(void **state)
{
    (void)state;
    struct breaker breaker;
    struct breaker fresh;
    int64_t forgets_ms;

    breaker_init(&breaker);
    breaker_init(&fresh);
    for (int i = 0; i < 3; i++) {
        end(&breaker, true, NOW_MS + 1);
    }
    forgets_ms = breaker_forgets_ms(&breaker, &settings);
    assert_in_range(forgets_ms, NOW_MS + 9001, NOW_MS + 10001);
    for (int i = 0; i < 4; i++) { /* from then on it cannot be told from a new one */
        assert_int_equal(end(&breaker, true, forgets_ms), end(&fresh, true, forgets_ms));
    }
    assert_int_equal(breaker_forgets_ms(&breaker, &settings), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_opens_when_enough_of_enough_have_failed),
        cmocka_unit_test(too_few_prove_nothing),
        cmocka_unit_test(less_than_the_share_does_not_open_it),
        cmocka_unit_test(what_has_left_the_window_does_not_count),
        cmocka_unit_test(slots_leave_one_by_one),
        cmocka_unit_test(uncounted_ends_change_nothing),
        cmocka_unit_test(open_it_lets_nothing_through_and_says_until_when),
        cmocka_unit_test(half_open_it_tries_one_at_a_time),
        cmocka_unit_test(successes_in_a_row_close_it_with_an_empty_window),
        cmocka_unit_test(one_failure_opens_it_again_and_the_row_begins_anew),
        cmocka_unit_test(a_probe_that_proves_nothing_lets_the_next_one_go),
        cmocka_unit_test(others_results_do_not_count_while_it_is_half_open),
        cmocka_unit_test(switched_off_it_counts_nothing),
        cmocka_unit_test(another_length_of_the_window_empties_it),
        cmocka_unit_test(it_says_when_it_may_be_forgotten),
        cmocka_unit_test(a_probe_that_ends_after_the_time_counts_whether_or_not_somebody_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
