#include "calendar/civil.h"

/* Inside, years begin in March: then the leap day is the last day of its year, and the days before a month follow one
 * straight line, (153 * m + 2) / 5 with m = 0 for March. */
#define DAYS_PER_400_YEARS 146097
#define DAYS_FROM_MARCH_0000_TO_1970 719468

bool civil_is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int civil_month_days(int year, int month)
{
    static const int8_t days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return month == 2 && civil_is_leap_year(year) ? 29 : days[month];
}

int64_t civil_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t civil_day_number(int year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t cycle = civil_floor_div(y, 400);
    int64_t year_of_cycle = y - cycle * 400;
    int64_t march_month = month > 2 ? month - 3 : month + 9;
    int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int64_t day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;

    return cycle * DAYS_PER_400_YEARS + day_of_cycle - DAYS_FROM_MARCH_0000_TO_1970;
}

int civil_weekday(int64_t day_number)
{
    int64_t weekday = (day_number + 4) % 7; /* 1970-01-01 was a Thursday */

    return (int)(weekday < 0 ? weekday + 7 : weekday);
}

const char *civil_weekday_name(int weekday)
{
    static const char *const names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

    return names[weekday];
}

struct civil civil_from_local(int64_t local_s)
{
    int64_t day_number = civil_floor_div(local_s, SECONDS_PER_DAY);
    int32_t time_of_day = (int32_t)(local_s - day_number * SECONDS_PER_DAY);
    int64_t shifted = day_number + DAYS_FROM_MARCH_0000_TO_1970;
    int64_t cycle = civil_floor_div(shifted, DAYS_PER_400_YEARS);
    int32_t day_of_cycle = (int32_t)(shifted - cycle * DAYS_PER_400_YEARS);
    /* Take out the leap days of 4 and 400 years and put back those of 100: what is left divides by 365. */
    int32_t year_of_cycle =
        (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 - day_of_cycle / (DAYS_PER_400_YEARS - 1)) / 365;
    int32_t day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    int32_t march_month = (5 * day_of_year + 2) / 153;
    int32_t month = march_month < 10 ? march_month + 3 : march_month - 9;

    return (struct civil){
        .year = (int)(cycle * 400) + year_of_cycle + (month <= 2),
        .month = month,
        .day = day_of_year - (153 * march_month + 2) / 5 + 1,
        .hour = time_of_day / 3600,
        .minute = time_of_day / 60 % 60,
        .second = time_of_day % 60,
    };
}

int64_t civil_to_local(struct civil civil)
{
    return civil_day_number(civil.year, civil.month, civil.day) * SECONDS_PER_DAY + civil.hour * 3600 +
           civil.minute * 60 + civil.second;
}

bool civil_exists(struct civil civil)
{
    return civil.year >= 0 && civil.year <= 9999 && civil.month >= 1 && civil.month <= 12 && civil.day >= 1 &&
           civil.day <= civil_month_days(civil.year, civil.month) && civil.hour >= 0 && civil.hour <= 23 &&
           civil.minute >= 0 && civil.minute <= 59 && civil.second >= 0 && civil.second <= 59;
}
