#include "calendar_test.h"

#include "calendar/duration.h"

#define MINUTE_MS 60000LL
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

static int64_t duration_of(const char *text)
{
    struct error error = {0};
    int64_t ms = -1;

    if (duration_parse(str_from(text), &ms, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return ms;
}

static void a_number_and_a_unit_are_a_duration(void **state)
{
    (void)state;
    assert_int_equal(duration_of("250ms"), 250);
    assert_int_equal(duration_of("30s"), 30000);
    assert_int_equal(duration_of("5m"), 5 * MINUTE_MS);
    assert_int_equal(duration_of("2h"), 2 * HOUR_MS);
    assert_int_equal(duration_of("7d"), 7 * DAY_MS);
    assert_int_equal(duration_of("0s"), 0);
    assert_int_equal(duration_of("0ms"), 0);
    assert_int_equal(duration_of("007s"), 7000);
    assert_int_equal(duration_of("90s"), 90000);
}

static void units_combine_from_large_to_small(void **state)
{
    (void)state;
    assert_int_equal(duration_of("1h30m"), 90 * MINUTE_MS);
    assert_int_equal(duration_of("1d2h3m4s5ms"), DAY_MS + 2 * HOUR_MS + 3 * MINUTE_MS + 4005);
    assert_int_equal(duration_of("1d1ms"), DAY_MS + 1);
    assert_int_equal(duration_of("1m500ms"), MINUTE_MS + 500);
    assert_int_equal(duration_of("1h0m"), HOUR_MS);
    assert_int_equal(duration_of("1h90m"), 150 * MINUTE_MS);
}

static void assert_refused_at(const char *text, int position, const char *why)
{
    struct error error = {0};
    int64_t ms = 42;

    if (duration_parse(str_from(text), &ms, &error) != ERR_INVALID_TIME) {
        fail_msg("\"%s\" was not refused", text);
    }
    assert_int_equal(error.position, position);
    assert_contains(error.text, why);
    assert_int_equal(ms, 42);
}

static void what_is_not_a_duration_is_refused_with_an_example(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int position;
    } rows[] = {
        {"", 1},       {"5", 1},    {"m", 1},     {"5x", 1},   {"5M", 1},   {"5min", 1},  {"-5m", 1},   {"+5m", 1},
        {" 5m", 1},    {"5m ", 3},  {"5 m", 1},   {"1.5h", 1}, {"1h5", 3},  {"1h-5m", 3}, {"1h30x", 3}, {"1hm", 1},
        {"1m1h", 3},   {"1h1h", 3}, {"1ms1s", 4}, {"1s1m", 3}, {"P1D", 1},  {"1h,5m", 3}, {"5mm", 1},   {"5sm", 1},
        {"5m5s5s", 5}, {"1w", 1},   {"1{", 1},    {"abc", 1},  {"1h\n", 3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_refused_at(rows[i].text, rows[i].position, "is not a duration: write a number and a unit");
    }
}

static void a_hundred_years_are_the_longest(void **state)
{
    (void)state;
    assert_int_equal(duration_of("36600d"), DURATION_MAX_MS);
    assert_int_equal(duration_of("36599d24h"), DURATION_MAX_MS);
    assert_int_equal(duration_of("3162240000000ms"), DURATION_MAX_MS);
    assert_refused_at("36601d", 1, "at most 100 years");
    assert_refused_at("36600d1ms", 7, "at most 100 years");
    assert_refused_at("3162240000001ms", 1, "at most 100 years");
    assert_refused_at("3162240000000d", 1, "at most 100 years");
    assert_refused_at("99999999999999999999999999s", 1, "at most 100 years");
    assert_refused_at("1d99999999999999999999999999s", 3, "at most 100 years");
}

static void endless_text_is_refused_and_shown_in_part(void **state)
{
    (void)state;
    struct error error = {0};
    char text[5000];
    int64_t ms;

    memset(text, 'm', sizeof text);
    assert_int_equal(duration_parse(str_from_bytes(text, sizeof text), &ms, &error), ERR_INVALID_TIME);
    assert_true(strlen(error.text) < 200);
}

static void a_slice_is_not_read_past_its_end(void **state)
{
    (void)state;
    int64_t ms = 0;

    assert_int_equal(duration_parse(str_from_bytes("15msX", 3), &ms, NULL), ERR_OK);
    assert_int_equal(ms, 15 * MINUTE_MS);
    assert_int_equal(duration_parse(str_from_bytes("15msX", 2), &ms, NULL), ERR_INVALID_TIME);
}

static void the_canonical_form_names_each_unit_that_is_not_zero(void **state)
{
    (void)state;
    char out[DURATION_BYTES];

    assert_string_equal(duration_format(0, out), "0s");
    assert_string_equal(duration_format(1, out), "1ms");
    assert_string_equal(duration_format(1000, out), "1s");
    assert_string_equal(duration_format(90000, out), "1m30s");
    assert_string_equal(duration_format(90 * MINUTE_MS, out), "1h30m");
    assert_string_equal(duration_format(DAY_MS + 1, out), "1d1ms");
    assert_string_equal(duration_format(25 * HOUR_MS, out), "1d1h");
    assert_string_equal(duration_format(DURATION_MAX_MS, out), "36600d");
    assert_string_equal(duration_format(INT64_MAX, out), "106751991167d7h12m55s807ms");
}

static void the_canonical_form_reads_back_as_it_was(void **state)
{
    (void)state;
    struct rng rng;
    char out[DURATION_BYTES];

    seed_rng(&rng);
    for (int i = 0; i < 20000; i++) {
        int64_t ms = rng_between(&rng, 0, DURATION_MAX_MS) >> rng_below(&rng, 40);

        assert_int_equal(duration_of(duration_format(ms, out)), ms);
    }
}

static void people_read_two_units_at_most(void **state)
{
    (void)state;
    char out[DURATION_BYTES];

    assert_string_equal(duration_format_short(3 * HOUR_MS + 12 * MINUTE_MS, out), "3 h 12 min");
    assert_string_equal(duration_format_short(3 * HOUR_MS + 12 * MINUTE_MS + 59999, out), "3 h 12 min");
    assert_string_equal(duration_format_short(5 * DAY_MS + 2 * HOUR_MS + MINUTE_MS, out), "5 d 2 h");
    assert_string_equal(duration_format_short(45000, out), "45 s");
    assert_string_equal(duration_format_short(45007, out), "45 s 7 ms");
    assert_string_equal(duration_format_short(250, out), "250 ms");
    assert_string_equal(duration_format_short(0, out), "0 s");
    assert_string_equal(duration_format_short(MINUTE_MS, out), "1 min");
}

static void people_are_not_shown_a_small_unit_behind_a_hole(void **state)
{
    (void)state;
    char out[DURATION_BYTES];

    assert_string_equal(duration_format_short(2 * DAY_MS + 5 * MINUTE_MS, out), "2 d");
    assert_string_equal(duration_format_short(HOUR_MS + 5000, out), "1 h");
}

static void people_are_shown_the_length_of_what_is_past(void **state)
{
    (void)state;
    char out[DURATION_BYTES];

    assert_string_equal(duration_format_short(-90 * MINUTE_MS, out), "1 h 30 min");
    assert_string_equal(duration_format_short(-INT64_MAX, out), "106751991167 d 7 h");
    assert_string_equal(duration_format_short(INT64_MIN, out), "106751991167 d 7 h");
}

static void people_are_shown_every_unit_where_it_matters(void **state)
{
    (void)state;
    char out[DURATION_BYTES];

    assert_string_equal(duration_format_human(DAY_MS + 5 * MINUTE_MS, out), "1 d 5 min");
    assert_string_equal(duration_format_human(HOUR_MS + 30 * MINUTE_MS + 15000, out), "1 h 30 min 15 s");
    assert_string_equal(duration_format_human(250, out), "250 ms");
    assert_string_equal(duration_format_human(0, out), "0 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_and_a_unit_are_a_duration),
        cmocka_unit_test(units_combine_from_large_to_small),
        cmocka_unit_test(what_is_not_a_duration_is_refused_with_an_example),
        cmocka_unit_test(a_hundred_years_are_the_longest),
        cmocka_unit_test(endless_text_is_refused_and_shown_in_part),
        cmocka_unit_test(a_slice_is_not_read_past_its_end),
        cmocka_unit_test(the_canonical_form_names_each_unit_that_is_not_zero),
        cmocka_unit_test(the_canonical_form_reads_back_as_it_was),
        cmocka_unit_test(people_read_two_units_at_most),
        cmocka_unit_test(people_are_not_shown_a_small_unit_behind_a_hole),
        cmocka_unit_test(people_are_shown_the_length_of_what_is_past),
        cmocka_unit_test(people_are_shown_every_unit_where_it_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
