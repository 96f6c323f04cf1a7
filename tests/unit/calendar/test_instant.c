#include "calendar_test.h"

#include "calendar/instant.h"

struct reading {
    const char *text;
    int64_t ms;
};

static void rfc_3339_times_are_read_with_any_offset(void **state)
{
    (void)state;
    const struct reading readings[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-04-08T09:00:00Z", 1775638800000},
        {"2026-04-08T09:00:00.000Z", 1775638800000},
        {"2026-04-08t09:00:00z", 1775638800000},
        {"2026-04-08 09:00:00Z", 1775638800000},
        {"2026-04-08T11:00:00+02:00", 1775638800000},
        {"2026-04-08T04:00:00-05:00", 1775638800000},
        {"2026-04-08T14:45:00+05:45", 1775638800000},
        {"2026-04-08T09:00:00+00:00", 1775638800000},
        {"2026-04-08T09:00:00-00:00", 1775638800000},
        {"2026-04-09T08:59:00+23:59", 1775638800000},
        {"2026-04-07T09:01:00-23:59", 1775638800000},
        {"2026-04-08T09:00:00.5Z", 1775638800500},
        {"2026-04-08T09:00:00.05Z", 1775638800050},
        {"2026-04-08T09:00:00.250+00:00", 1775638800250},
        {"2000-02-29T23:59:59Z", 951868799000},
        {"2024-02-29T00:00:00Z", 1709164800000},
    };

    for (size_t i = 0; i < COUNT_OF(readings); i++) {
        assert_int_equal(utc_ms(readings[i].text), readings[i].ms);
    }
}

static void digits_finer_than_milliseconds_are_cut_off_not_rounded(void **state)
{
    (void)state;
    assert_int_equal(utc_ms("2026-04-08T09:00:00.9999Z"), 1775638800999);
    assert_int_equal(utc_ms("2026-04-08T09:00:00.000999Z"), 1775638800000);
    assert_int_equal(utc_ms("2026-04-08T09:00:00.123456789Z"), 1775638800123);
}

static void time_begins_with_1970_and_ends_with_2200(void **state)
{
    (void)state;
    assert_int_equal(utc_ms("1970-01-01T00:00:00.000Z"), 0);
    assert_int_equal(utc_ms("1969-12-31T23:00:00-01:00"), 0);
    assert_int_equal(utc_ms("2200-12-31T23:59:59.999Z"), TIME_END_S * 1000 - 1);
    assert_int_equal(utc_ms("2201-01-01T00:59:59.999+01:00"), TIME_END_S * 1000 - 1);
}

static void assert_refused(const char *text, const char *why)
{
    struct error error = {0};
    int64_t ms = 42;

    if (instant_parse(str_from(text), &ms, &error) != ERR_INVALID_TIME) {
        fail_msg("\"%s\" was not refused", text);
    }
    assert_int_equal(error.code, ERR_INVALID_TIME);
    assert_contains(error.text, why);
    assert_contains(error.text, text);
    assert_int_equal(ms, 42);
}

static void what_is_not_rfc_3339_is_refused_with_an_example(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "now",
        "2026",
        "2026-04-08",
        "26-04-08T09:00:00Z",
        "2026-4-08T09:00:00Z",
        "2026-04-8T09:00:00Z",
        "2026/04/08T09:00:00Z",
        "2026-04/08T09:00:00Z",
        "20260408T090000Z",
        "2026-04-08_09:00:00Z",
        "2026-04-08T9:00:00Z",
        "2026-04-08T09-00:00Z",
        "2026-04-08T09:0:00Z",
        "2026-04-08T09:00-00Z",
        "2026-04-08T09:00Z",
        "2026-04-08T09:00:0Z",
        "2026-04-08T09:00:00.Z",
        "2026-04-08T09:00:00,5Z",
        "2026-04-08T09:00:00ZZ",
        "2026-04-08T09:00:00Z ",
        " 2026-04-08T09:00:00Z",
        "2026-04-08T09:00:00UTC",
        "2026-04-08T09:00:00+0200",
        "2026-04-08T09:00:00+02",
        "2026-04-08T09:00:00+2:00",
        "2026-04-08T09:00:00+02:0",
        "2026-04-08T09:00:00+24:00",
        "2026-04-08T09:00:00+02:60",
        "2026-04-08T09:00:00*02:00",
        "+2026-04-08T09:00:00Z",
        "-2026-04-08T09:00:00Z",
        "2026-04-08T09:00:+1Z",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_refused(texts[i], "2026-04-08T09:00:00+02:00");
    }
}

static void a_time_without_an_offset_says_what_is_missing(void **state)
{
    (void)state;
    assert_refused("2026-04-08T09:00:00", "names no offset from UTC");
    assert_refused("2026-04-08T09:00:00.125", "names no offset from UTC");
}

static void what_the_calendar_does_not_have_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2026-00-08T09:00:00Z", "2026-13-08T09:00:00Z", "2026-04-00T09:00:00Z", "2026-04-31T09:00:00Z",
        "2026-02-29T09:00:00Z", "2100-02-29T09:00:00Z", "2026-04-08T24:00:00Z", "2026-04-08T09:60:00Z",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_refused(texts[i], "not a date and time of the calendar");
    }
}

static void a_leap_second_is_refused(void **state)
{
    (void)state;
    assert_refused("2016-12-31T23:59:60Z", "not a date and time of the calendar");
}

static void years_before_1970_and_after_2200_are_refused(void **state)
{
    (void)state;
    assert_refused("1969-12-31T23:59:59.999Z", "outside the years 1970 to 2200");
    assert_refused("1970-01-01T00:00:00+00:01", "outside the years 1970 to 2200");
    assert_refused("2201-01-01T00:00:00Z", "outside the years 1970 to 2200");
    assert_refused("2200-12-31T23:59:00-00:01", "outside the years 1970 to 2200");
    assert_refused("0000-01-01T00:00:00Z", "outside the years 1970 to 2200");
    assert_refused("9999-12-31T23:59:59Z", "outside the years 1970 to 2200");
}

static void errors_point_at_what_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int position;
    } rows[] = {
        {"", 1},
        {"x026-04-08T09:00:00Z", 1},
        {"2026.04-08T09:00:00Z", 5},
        {"2026-04-08X09:00:00Z", 11},
        {"2026-04-08T09:00:00Zz", 21},
        {"2026-04-08T09:00:00", 20},
        {"2026-04-08T09:00:00?02:00", 20},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error error = {0};
        int64_t ms;

        assert_int_equal(instant_parse(str_from(rows[i].text), &ms, &error), ERR_INVALID_TIME);
        assert_int_equal(error.position, rows[i].position);
    }
}

static void endless_text_is_refused_and_shown_in_part(void **state)
{
    (void)state;
    struct error error = {0};
    char text[5000];
    int64_t ms;

    memset(text, '9', sizeof text);
    assert_int_equal(instant_parse(str_from_bytes(text, sizeof text), &ms, &error), ERR_INVALID_TIME);
    assert_true(strlen(error.text) < 200);
}

static void a_slice_is_not_read_past_its_end(void **state)
{
    (void)state;
    const char *text = "2026-04-08T09:00:00Z and more";
    int64_t ms = 0;

    for (size_t len = 0; len < 20; len++) {
        assert_int_equal(instant_parse(str_from_bytes(text, len), &ms, NULL), ERR_INVALID_TIME);
    }
    assert_int_equal(instant_parse(str_from_bytes(text, 20), &ms, NULL), ERR_OK);
    assert_int_equal(ms, 1775638800000);
}

static void instants_are_written_in_utc_with_milliseconds(void **state)
{
    (void)state;
    char out[INSTANT_BYTES];

    assert_string_equal(instant_format(1775638800000, out), "2026-04-08T09:00:00.000Z");
    assert_string_equal(instant_format(1775638800007, out), "2026-04-08T09:00:00.007Z");
    assert_string_equal(instant_format(0, out), "1970-01-01T00:00:00.000Z");
    assert_string_equal(instant_format(-1, out), "1969-12-31T23:59:59.999Z");
    assert_string_equal(instant_format(TIME_END_S * 1000 - 1, out), "2200-12-31T23:59:59.999Z");
}

static void the_short_form_leaves_out_milliseconds_that_are_zero(void **state)
{
    (void)state;
    char out[INSTANT_BYTES];

    assert_string_equal(instant_format_short(1775638800000, out), "2026-04-08T09:00:00Z");
    assert_string_equal(instant_format_short(1775638800120, out), "2026-04-08T09:00:00.120Z");
    assert_string_equal(instant_format_short(-1000, out), "1969-12-31T23:59:59Z");
}

static void a_local_time_has_no_z(void **state)
{
    (void)state;
    char out[INSTANT_BYTES];

    assert_string_equal(instant_format_local(1775638800, out), "2026-04-08T09:00:00");
    assert_string_equal(instant_format_local(-1, out), "1969-12-31T23:59:59");
}

static void what_is_written_reads_back_as_it_was(void **state)
{
    (void)state;
    struct rng rng;
    char out[INSTANT_BYTES];

    seed_rng(&rng);
    for (int i = 0; i < 20000; i++) {
        int64_t ms = rng_between(&rng, 0, TIME_END_S * 1000 - 1);

        assert_int_equal(utc_ms(instant_format(ms, out)), ms);
        assert_int_equal(utc_ms(instant_format_short(ms, out)), ms);
        assert_int_equal(utc_ms(instant_format_short(ms / 1000 * 1000, out)), ms / 1000 * 1000);
        assert_int_equal(local_s(instant_format_local(ms / 1000, out)), ms / 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_3339_times_are_read_with_any_offset),
        cmocka_unit_test(digits_finer_than_milliseconds_are_cut_off_not_rounded),
        cmocka_unit_test(time_begins_with_1970_and_ends_with_2200),
        cmocka_unit_test(what_is_not_rfc_3339_is_refused_with_an_example),
        cmocka_unit_test(a_time_without_an_offset_says_what_is_missing),
        cmocka_unit_test(what_the_calendar_does_not_have_is_refused),
        cmocka_unit_test(a_leap_second_is_refused),
        cmocka_unit_test(years_before_1970_and_after_2200_are_refused),
        cmocka_unit_test(errors_point_at_what_is_wrong),
        cmocka_unit_test(endless_text_is_refused_and_shown_in_part),
        cmocka_unit_test(a_slice_is_not_read_past_its_end),
        cmocka_unit_test(instants_are_written_in_utc_with_milliseconds),
        cmocka_unit_test(the_short_form_leaves_out_milliseconds_that_are_zero),
        cmocka_unit_test(a_local_time_has_no_z),
        cmocka_unit_test(what_is_written_reads_back_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
