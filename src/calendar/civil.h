/* civil: dates and times of day of the Gregorian calendar, as plain counts.
 *
 * A day number counts days since 1970-01-01. A local time (local_s) counts seconds since 1970-01-01T00:00:00 on
 * some wall clock, as if that clock had no zone; zone.h turns it into instants.
 *
 * Never: knows of zones, reads a clock, allocates.
 * See:   tests/unit/calendar/test_civil.c
 */
#ifndef CALENDAR_CIVIL_H
#define CALENDAR_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

#define SECONDS_PER_DAY 86400

struct civil {
    int year;
    int month;  /* 1 to 12 */
    int day;    /* 1 to 31 */
    int hour;   /* 0 to 23 */
    int minute; /* 0 to 59 */
    int second; /* 0 to 59: Unix time has no leap seconds */
};

bool civil_is_leap_year(int year);

/* 28 to 31. */
int civil_month_days(int year, int month);

/* The day number of a date. Month and day must be in range; year 0 to 9999. */
int64_t civil_day_number(int year, int month, int day);

/* 0 = Sunday to 6 = Saturday. */
int civil_weekday(int64_t day_number);

/* "Sunday" for 0 to "Saturday" for 6. */
const char *civil_weekday_name(int weekday);

/* Local seconds to date and time of day, and back. Years 0 to 9999. */
struct civil civil_from_local(int64_t local_s);
int64_t civil_to_local(struct civil civil);

/* Whether year (0 to 9999), month, day, hour, minute and second name a date and time that exist in the calendar. */
bool civil_exists(struct civil civil);

static inline int64_t civil_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t civil_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* floor(a / b) for b > 0: C's division rounds towards zero, time before 1970 must not. */
int64_t civil_floor_div(int64_t a, int64_t b);

#endif
