#include "calendar_test.h"

#include "calendar/tzrule.h"

static struct tzrule rule_of(const char *text)
{
    struct error error = {0};
    struct tzrule rule = {0};

    if (tzrule_parse(text, strlen(text), &rule, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return rule;
}

static void assert_year(const char *text, int year, const char *begins, const char *ends)
{
    struct tzrule rule = rule_of(text);

    assert_true(rule.has_dst);
    assert_same_instant(tzrule_dst_begins_s(&rule, year), utc_s(begins));
    assert_same_instant(tzrule_dst_ends_s(&rule, year), utc_s(ends));
}

static void a_rule_without_daylight_saving_is_an_abbreviation_and_an_offset(void **state)
{
    (void)state;
    struct tzrule rule = rule_of("EST5");

    assert_string_equal(rule.standard.abbr, "EST");
    assert_int_equal(rule.standard.offset_s, -5 * 3600);
    assert_false(rule.has_dst);
}

static void offsets_count_westward_in_hours_minutes_and_seconds(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int32_t offset_s;
    } rows[] = {
        {"UTC0", 0},
        {"UTC-0", 0},
        {"CET-1", 3600},
        {"CET+1", -3600},
        {"CET-01", 3600},
        {"NPT-5:45", 5 * 3600 + 45 * 60},
        {"<-0330>3:30", -(3 * 3600 + 30 * 60)},
        {"LMT-0:09:21", 9 * 60 + 21},
        {"LMT0:00:01", -1},
        {"FAR24", -24 * 3600},
        {"FAR-24:59:59", 24 * 3600 + 59 * 60 + 59},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(rule_of(rows[i].text).standard.offset_s, rows[i].offset_s);
    }
}

static void abbreviations_stand_in_angle_brackets_unless_they_are_letters(void **state)
{
    (void)state;
    assert_string_equal(rule_of("<-03>3").standard.abbr, "-03");
    assert_string_equal(rule_of("<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45").dst.abbr, "+1345");
    assert_string_equal(rule_of("<EST>5").standard.abbr, "EST");
    assert_string_equal(rule_of("<Ab9>5").standard.abbr, "Ab9");
    assert_string_equal(rule_of("abcdefghijklmno5").standard.abbr, "abcdefghijklmno");
}

static void daylight_saving_is_one_hour_ahead_unless_it_says_otherwise(void **state)
{
    (void)state;
    assert_int_equal(rule_of("EST5EDT,M3.2.0,M11.1.0").dst.offset_s, -4 * 3600);
    assert_int_equal(rule_of("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").dst.offset_s, 11 * 3600);
    assert_int_equal(rule_of("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3").dst.offset_s, 2 * 3600);
    assert_int_equal(rule_of("IST-1GMT0,M10.5.0,M3.5.0/1").dst.offset_s, 0);
}

static void changes_are_at_two_o_clock_on_the_clock_before_them(void **state)
{
    (void)state;
    assert_year("EST5EDT,M3.2.0,M11.1.0", 2026, "2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z");
    assert_year("EST5EDT,M3.2.0,M11.1.0", 2199, "2199-03-10T07:00:00Z", "2199-11-03T06:00:00Z");
    assert_year("CET-1CEST,M3.5.0,M10.5.0/3", 2026, "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z");
}

static void on_the_southern_half_summer_ends_before_it_begins(void **state)
{
    (void)state;
    assert_year("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026, "2026-10-03T15:30:00Z", "2026-04-04T15:00:00Z");
    assert_year("<-04>4<-03>,M9.1.6/24,M4.1.6/24", 2026, "2026-09-06T04:00:00Z", "2026-04-05T03:00:00Z");
}

static void dublin_saves_daylight_backwards_in_winter(void **state)
{
    (void)state;
    assert_year("IST-1GMT0,M10.5.0,M3.5.0/1", 2026, "2026-10-25T01:00:00Z", "2026-03-29T01:00:00Z");
}

static void week_five_is_the_last_one_whether_the_month_has_five_or_four(void **state)
{
    (void)state;
    /* Sundays of August 2026: 2, 9, 16, 23, 30; of February 2026: 1, 8, 15, 22; of February 2032: 1 to 29, five. */
    assert_year("AAA0BBB,M8.5.0/0,M2.5.0/1", 2026, "2026-08-30T00:00:00Z", "2026-02-22T00:00:00Z");
    assert_year("AAA0BBB,M8.4.0/0,M2.4.0/1", 2026, "2026-08-23T00:00:00Z", "2026-02-22T00:00:00Z");
    assert_year("AAA0BBB,M8.1.0/0,M2.5.0/1", 2032, "2032-08-01T00:00:00Z", "2032-02-29T00:00:00Z");
}

static void each_weekday_is_found_on_and_after_the_first_of_a_month(void **state)
{
    (void)state;
    /* April 2026 begins on a Wednesday. */
    assert_year("AAA0BBB,M4.1.3/0,M4.1.2/1", 2026, "2026-04-01T00:00:00Z", "2026-04-07T00:00:00Z");
    assert_year("AAA0BBB,M4.1.4/0,M4.1.0/1", 2026, "2026-04-02T00:00:00Z", "2026-04-05T00:00:00Z");
    assert_year("AAA0BBB,M4.2.6/0,M4.3.1/1", 2026, "2026-04-11T00:00:00Z", "2026-04-20T00:00:00Z");
}

static void julian_days_never_count_the_leap_day(void **state)
{
    (void)state;
    assert_year("AAA0BBB,J1/0,J59/1", 2026, "2026-01-01T00:00:00Z", "2026-02-28T00:00:00Z");
    assert_year("AAA0BBB,J60/0,J365/1", 2026, "2026-03-01T00:00:00Z", "2026-12-31T00:00:00Z");
    assert_year("AAA0BBB,J1/0,J59/1", 2028, "2028-01-01T00:00:00Z", "2028-02-28T00:00:00Z");
    assert_year("AAA0BBB,J60/0,J365/1", 2028, "2028-03-01T00:00:00Z", "2028-12-31T00:00:00Z");
}

static void days_of_the_year_count_from_zero_and_with_the_leap_day(void **state)
{
    (void)state;
    assert_year("AAA0BBB,0/0,58/1", 2026, "2026-01-01T00:00:00Z", "2026-02-28T00:00:00Z");
    assert_year("AAA0BBB,59/0,364/1", 2026, "2026-03-01T00:00:00Z", "2026-12-31T00:00:00Z");
    assert_year("AAA0BBB,59/0,365/1", 2028, "2028-02-29T00:00:00Z", "2028-12-31T00:00:00Z");
}

static void times_reach_from_a_week_before_the_day_to_a_week_after(void **state)
{
    (void)state;
    /* Nuuk: an hour before the last Sunday. Jerusalem: 26 o'clock on the fourth Thursday is Friday. Gaza: Saturday. */
    assert_year("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z");
    assert_year("IST-2IDT,M3.4.4/26,M10.5.0", 2026, "2026-03-27T00:00:00Z", "2026-10-24T23:00:00Z");
    assert_year("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, "2026-03-28T00:00:00Z", "2026-10-23T23:00:00Z");
    assert_year("AAA0BBB,M4.1.3/-167,M4.1.3/167", 2026, "2026-03-25T01:00:00Z", "2026-04-07T22:00:00Z");
}

static void times_have_minutes_and_seconds(void **state)
{
    (void)state;
    assert_year("AAA0BBB,M4.1.3/1:02:03,M5.1.5/+1:30", 2026, "2026-04-01T01:02:03Z", "2026-05-01T00:30:00Z");
    assert_year("AAA0BBB,M4.1.3/-0:00:01,M5.1.5/-1:30", 2026, "2026-03-31T23:59:59Z", "2026-04-30T21:30:00Z");
}

static void what_is_not_a_rule_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "5",
        "EST",
        "ES5",
        "<ES>5",
        "<-03",
        "<-033",
        "<-0_3>3",
        "E1T5",
        "abcdefghijklmnop5",
        "<abcdefghijklmnop>5",
        "EST25",
        "EST5:60",
        "EST5:00:60",
        "EST5:",
        "EST5:1:",
        "EST--5",
        "EST+-5",
        "EST 5",
        " EST5",
        "EST5 ",
        "EST5,",
        "EST5EDT",
        "EST5ED,M3.2.0,M11.1.0",
        "EST5EDT4",
        "EST5EDT_,M3.2.0,M11.1.0",
        "EST5EDT25,M3.2.0,M11.1.0",
        "EST5EDT,",
        "EST5EDT,M3.2.0",
        "EST5EDT,M3.2.0,",
        "EST5EDT,M3.2.0,M11.1.0,",
        "EST5EDT,M3.2.0,M11.1.0x",
        "EST5EDT,M0.2.0,M11.1.0",
        "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,M3.0.0,M11.1.0",
        "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0",
        "EST5EDT,M3-2.0,M11.1.0",
        "EST5EDT,M3.2-0,M11.1.0",
        "EST5EDT,M.2.0,M11.1.0",
        "EST5EDT,M3..0,M11.1.0",
        "EST5EDT,M3.2.,M11.1.0",
        "EST5EDT,J0,M11.1.0",
        "EST5EDT,J366,M11.1.0",
        "EST5EDT,J,M11.1.0",
        "EST5EDT,366,M11.1.0",
        "EST5EDT,-1,M11.1.0",
        "EST5EDT,M3.2.0/,M11.1.0",
        "EST5EDT,M3.2.0/168,M11.1.0",
        "EST5EDT,M3.2.0/-168,M11.1.0",
        "EST5EDT,M3.2.0/2:60,M11.1.0",
        "EST5EDT,M3.2.0/99999999999999999999,M11.1.0",
        "EST5EDT;M3.2.0;M11.1.0",
        ":America/New_York",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct error error = {0};
        struct tzrule rule = {.standard.offset_s = 42};

        if (tzrule_parse(texts[i], strlen(texts[i]), &rule, &error) != ERR_CORRUPT) {
            fail_msg("\"%s\" was not refused", texts[i]);
        }
        assert_contains(error.text, texts[i]);
        assert_true(error.position >= 1 && error.position <= (int)strlen(texts[i]) + 1);
        assert_int_equal(rule.standard.offset_s, 42);
    }
}

static void every_beginning_of_a_rule_is_refused_or_a_rule_by_itself(void **state)
{
    (void)state;
    const char *text = "<+1245>-12:45:59<+1345>-13:45,M9.5.0/-167:59:59,M4.1.0/3:45";
    /* The ones that end after an offset without daylight saving, or after the last number has begun. */
    const size_t whole[] = {9, 10, 12, 13, 15, 16};
    size_t accepted = 0;

    for (size_t len = 0; len < strlen(text); len++) {
        struct tzrule rule;

        if (tzrule_parse(text, len, &rule, NULL) != ERR_OK) {
            continue;
        }
        if (rule.has_dst) {
            assert_true(len >= strlen("<+1245>-12:45:59<+1345>-13:45,M9.5.0/-167:59:59,M4.1.0"));
        } else {
            assert_true(accepted < COUNT_OF(whole));
            assert_int_equal(len, whole[accepted++]);
        }
    }
    assert_int_equal(accepted, COUNT_OF(whole));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_without_daylight_saving_is_an_abbreviation_and_an_offset),
        cmocka_unit_test(offsets_count_westward_in_hours_minutes_and_seconds),
        cmocka_unit_test(abbreviations_stand_in_angle_brackets_unless_they_are_letters),
        cmocka_unit_test(daylight_saving_is_one_hour_ahead_unless_it_says_otherwise),
        cmocka_unit_test(changes_are_at_two_o_clock_on_the_clock_before_them),
        cmocka_unit_test(on_the_southern_half_summer_ends_before_it_begins),
        cmocka_unit_test(dublin_saves_daylight_backwards_in_winter),
        cmocka_unit_test(week_five_is_the_last_one_whether_the_month_has_five_or_four),
        cmocka_unit_test(each_weekday_is_found_on_and_after_the_first_of_a_month),
        cmocka_unit_test(julian_days_never_count_the_leap_day),
        cmocka_unit_test(days_of_the_year_count_from_zero_and_with_the_leap_day),
        cmocka_unit_test(times_reach_from_a_week_before_the_day_to_a_week_after),
        cmocka_unit_test(times_have_minutes_and_seconds),
        cmocka_unit_test(what_is_not_a_rule_is_refused),
        cmocka_unit_test(every_beginning_of_a_rule_is_refused_or_a_rule_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
