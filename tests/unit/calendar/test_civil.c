#include "calendar_test.h"

#include "calendar/civil.h"

/* A calendar that knows nothing but how to go on to the next day. */
struct day_counter {
    int64_t day_number;
    int weekday;
    int year;
    int month;
    int day;
};

static int length_of_month(int year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return lengths[month - 1] + (month == 2 && leap ? 1 : 0);
}

static void go_to_next_day(struct day_counter *counter)
{
    counter->day_number++;
    counter->weekday = counter->weekday == 6 ? 0 : counter->weekday + 1;
    counter->day++;
    if (counter->day > length_of_month(counter->year, counter->month)) {
        counter->day = 1;
        counter->month++;
    }
    if (counter->month > 12) {
        counter->month = 1;
        counter->year++;
    }
}

static void assert_is_day(const struct day_counter *counter)
{
    struct civil first = civil_from_local(counter->day_number * SECONDS_PER_DAY);
    struct civil last = civil_from_local(counter->day_number * SECONDS_PER_DAY + SECONDS_PER_DAY - 1);

    assert_int_equal(civil_day_number(counter->year, counter->month, counter->day), counter->day_number);
    assert_int_equal(civil_weekday(counter->day_number), counter->weekday);
    assert_int_equal(civil_month_days(counter->year, counter->month), length_of_month(counter->year, counter->month));
    assert_true(first.year == counter->year && first.month == counter->month && first.day == counter->day);
    assert_true(first.hour == 0 && first.minute == 0 && first.second == 0);
    assert_true(last.year == counter->year && last.month == counter->month && last.day == counter->day);
    assert_true(last.hour == 23 && last.minute == 59 && last.second == 59);
}

static void every_day_from_1968_to_2203_is_the_one_after_the_day_before(void **state)
{
    (void)state;
    struct day_counter counter = {.day_number = -731, .weekday = 1, .year = 1968, .month = 1, .day = 1};

    while (counter.year <= 2203) {
        assert_is_day(&counter);
        go_to_next_day(&counter);
    }
    assert_int_equal(counter.day_number, -731 + 236 * 365 + 57); /* of 236 years 57 were leap years */
}

static void every_year_from_0_to_9999_begins_where_the_one_before_ends(void **state)
{
    (void)state;
    int64_t day_number = -719528; /* 0000-01-01 */

    for (int year = 0; year <= 9999; year++) {
        struct civil eve = civil_from_local(day_number * SECONDS_PER_DAY - 1);

        assert_int_equal(civil_day_number(year, 1, 1), day_number);
        assert_true(eve.year == year - 1 && eve.month == 12 && eve.day == 31 && eve.hour == 23);
        assert_int_equal(civil_is_leap_year(year), length_of_month(year, 2) == 29);
        for (int month = 1; month <= 12; month++) {
            assert_int_equal(civil_day_number(year, month, 1), day_number);
            day_number += length_of_month(year, month);
        }
    }
    assert_int_equal(day_number, 2932897);
}

static void every_second_of_a_day_goes_there_and_back(void **state)
{
    (void)state;
    int64_t start = civil_day_number(2026, 4, 8) * SECONDS_PER_DAY;
    struct civil expected = {.year = 2026, .month = 4, .day = 8};

    for (int64_t at = start; at < start + SECONDS_PER_DAY; at++) {
        struct civil got = civil_from_local(at);

        assert_memory_equal(&got, &expected, sizeof got);
        assert_int_equal(civil_to_local(got), at);
        expected.second++;
        expected.minute += expected.second / 60;
        expected.hour += expected.minute / 60;
        expected.second %= 60;
        expected.minute %= 60;
    }
}

static void known_days_have_their_weekdays(void **state)
{
    (void)state;
    assert_int_equal(civil_weekday(civil_day_number(1970, 1, 1)), 4);
    assert_int_equal(civil_weekday(civil_day_number(1969, 12, 31)), 3);
    assert_int_equal(civil_weekday(civil_day_number(2000, 2, 29)), 2);
    assert_int_equal(civil_weekday(civil_day_number(2026, 4, 8)), 3);
    assert_int_equal(civil_weekday(civil_day_number(2200, 12, 31)), 3);
    assert_int_equal(civil_weekday(civil_day_number(1600, 1, 1)), 6);
}

static void centuries_are_leap_years_only_every_400_years(void **state)
{
    (void)state;
    assert_true(civil_is_leap_year(2000));
    assert_true(civil_is_leap_year(2024));
    assert_false(civil_is_leap_year(1900));
    assert_false(civil_is_leap_year(2100));
    assert_false(civil_is_leap_year(2200));
    assert_false(civil_is_leap_year(2026));
}

static void the_last_second_before_1970_is_minus_one(void **state)
{
    (void)state;
    struct civil expected = {.year = 1969, .month = 12, .day = 31, .hour = 23, .minute = 59, .second = 59};
    struct civil got = civil_from_local(-1);

    assert_memory_equal(&got, &expected, sizeof got);
    assert_int_equal(civil_to_local(expected), -1);
}

static void a_date_and_time_exists_only_within_its_calendar(void **state)
{
    (void)state;
    const struct civil good[] = {
        {0, 1, 1, 0, 0, 0},
        {9999, 12, 31, 23, 59, 59},
        {2024, 2, 29, 12, 0, 0},
        {2026, 4, 30, 0, 0, 0},
    };
    const struct civil bad[] = {
        {-1, 1, 1, 0, 0, 0},    {10000, 1, 1, 0, 0, 0}, {2026, 0, 1, 0, 0, 0},  {2026, 13, 1, 0, 0, 0},
        {2026, 1, 0, 0, 0, 0},  {2026, 1, 32, 0, 0, 0}, {2026, 4, 31, 0, 0, 0}, {2026, 2, 29, 0, 0, 0},
        {2100, 2, 29, 0, 0, 0}, {2026, 1, 1, -1, 0, 0}, {2026, 1, 1, 24, 0, 0}, {2026, 1, 1, 0, -1, 0},
        {2026, 1, 1, 0, 60, 0}, {2026, 1, 1, 0, 0, -1}, {2026, 1, 1, 0, 0, 60},
    };

    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_true(civil_exists(good[i]));
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_false(civil_exists(bad[i]));
    }
}

static void division_rounds_down_on_both_sides_of_zero(void **state)
{
    (void)state;
    assert_int_equal(civil_floor_div(7, 3), 2);
    assert_int_equal(civil_floor_div(6, 3), 2);
    assert_int_equal(civil_floor_div(0, 3), 0);
    assert_int_equal(civil_floor_div(-1, 3), -1);
    assert_int_equal(civil_floor_div(-3, 3), -1);
    assert_int_equal(civil_floor_div(-4, 3), -2);
    assert_int_equal(civil_floor_div(INT64_MIN, 1), INT64_MIN);
    assert_int_equal(civil_floor_div(INT64_MAX, INT64_MAX), 1);
    assert_int_equal(civil_floor_div(INT64_MIN, INT64_MAX), -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_from_1968_to_2203_is_the_one_after_the_day_before),
        cmocka_unit_test(every_year_from_0_to_9999_begins_where_the_one_before_ends),
        cmocka_unit_test(every_second_of_a_day_goes_there_and_back),
        cmocka_unit_test(known_days_have_their_weekdays),
        cmocka_unit_test(centuries_are_leap_years_only_every_400_years),
        cmocka_unit_test(the_last_second_before_1970_is_minus_one),
        cmocka_unit_test(a_date_and_time_exists_only_within_its_calendar),
        cmocka_unit_test(division_rounds_down_on_both_sides_of_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
