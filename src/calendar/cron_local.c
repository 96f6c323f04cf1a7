#include "calendar/cron_local.h"

#include "calendar/civil.h"

#define YEAR_LAST (YEAR_MAX + 1)
/* The local times that can match: all of the years CRON_YEAR_BASE to YEAR_LAST, none of which is a leap year. */
#define FIRST_S (TIME_START_S - 365LL * SECONDS_PER_DAY)
#define LAST_S (TIME_END_S + 365LL * SECONDS_PER_DAY - 1)

/* The lowest bit set at or above from, the highest at or below; -1 where there is none. from is 0 to 63. */
static int bit_from(uint64_t mask, int from)
{
    uint64_t rest = mask >> from;

    return rest == 0 ? -1 : from + __builtin_ctzll(rest);
}

static int bit_down_from(uint64_t mask, int from)
{
    uint64_t rest = mask << (63 - from);

    return rest == 0 ? -1 : from - __builtin_clzll(rest);
}

static bool has_year(const struct cron *cron, int year)
{
    unsigned bit = (unsigned)(year - CRON_YEAR_BASE);

    return bit < CRON_YEAR_WORDS * 64 && (cron->years[bit / 64] >> (bit % 64) & 1) != 0;
}

static uint32_t bits_to(int last_day)
{
    return (uint32_t)((2ULL << last_day) - 2); /* bits 1 to last_day */
}

/* The day nearest to day that is Monday to Friday, without leaving the month. */
static int nearest_weekday(int day, int first_weekday, int last_day)
{
    int weekday = (first_weekday + day - 1) % 7;

    if (weekday == 6) {
        return day == 1 ? 3 : day - 1;
    }
    if (weekday == 0) {
        return day == last_day ? day - 2 : day + 1;
    }
    return day;
}

/* One special day of a month as a bit; 0 where the month does not have it. */
static uint32_t special_day(const struct cron *cron, int first_weekday, int last_day)
{
    int day = 0;
    int first = 1 + (cron->day_weekday - first_weekday + 7) % 7; /* the first day_weekday of the month */

    switch (cron->day_rule) {
    case CRON_DAY_LAST:
        day = last_day - cron->day_number;
        break;
    case CRON_DAY_LAST_WEEKDAY:
        day = last_day - cron->day_number;
        day = day >= 1 ? nearest_weekday(day, first_weekday, last_day) : day;
        break;
    case CRON_DAY_NEAREST_WEEKDAY:
        day = cron->day_number <= last_day ? nearest_weekday(cron->day_number, first_weekday, last_day) : 0;
        break;
    case CRON_DAY_NTH:
        day = first + 7 * (cron->day_number - 1);
        break;
    case CRON_DAY_LAST_OF:
        day = first + (last_day - first) / 7 * 7;
        break;
    case CRON_DAY_BOTH:
    case CRON_DAY_EITHER:
        break;
    }
    return day >= 1 && day <= last_day ? 1U << day : 0;
}

/* The matching days of a month as bits 1 to 31; first_day is the day number of its first. */
static uint32_t days_of_month(const struct cron *cron, int year, int month, int64_t first_day)
{
    int last_day = civil_month_days(year, month);
    int first_weekday = civil_weekday(first_day);

    if (cron->day_rule == CRON_DAY_BOTH) {
        return cron->month_days & cron->by_first[first_weekday] & bits_to(last_day);
    }
    if (cron->day_rule == CRON_DAY_EITHER) {
        return (cron->month_days | cron->by_first[first_weekday]) & bits_to(last_day);
    }
    return special_day(cron, first_weekday, last_day);
}

static int32_t time_of(int hour, int minute, int second)
{
    return hour * 3600 + minute * 60 + second;
}

/* The first matching time of day at or after the given one, in seconds; -1 where the day has none left. */
static int32_t time_next(const struct cron *cron, int hour, int minute, int second)
{
    if ((cron->hours >> hour & 1) != 0) {
        if ((cron->minutes >> minute & 1) != 0) {
            int same_minute = bit_from(cron->seconds, second);

            if (same_minute >= 0) {
                return time_of(hour, minute, same_minute);
            }
        }
        int same_hour = bit_from(cron->minutes, minute + 1);
        if (same_hour >= 0) {
            return time_of(hour, same_hour, bit_from(cron->seconds, 0));
        }
    }
    int later = bit_from(cron->hours, hour + 1);
    return later < 0 ? -1 : time_of(later, bit_from(cron->minutes, 0), bit_from(cron->seconds, 0));
}

/* The last matching time of day at or before the given one; -1 where there is none. */
static int32_t time_prev(const struct cron *cron, int hour, int minute, int second)
{
    if ((cron->hours >> hour & 1) != 0) {
        if ((cron->minutes >> minute & 1) != 0) {
            int same_minute = bit_down_from(cron->seconds, second);

            if (same_minute >= 0) {
                return time_of(hour, minute, same_minute);
            }
        }
        int same_hour = minute > 0 ? bit_down_from(cron->minutes, minute - 1) : -1;
        if (same_hour >= 0) {
            return time_of(hour, same_hour, bit_down_from(cron->seconds, 63));
        }
    }
    int earlier = hour > 0 ? bit_down_from(cron->hours, hour - 1) : -1;
    return earlier < 0 ? -1 : time_of(earlier, bit_down_from(cron->minutes, 63), bit_down_from(cron->seconds, 63));
}

/* How many matching times of day come before the given one. */
static int64_t times_before(const struct cron *cron, int hour, int minute, int second)
{
    int64_t seconds = __builtin_popcountll(cron->seconds);
    int64_t per_hour = __builtin_popcountll(cron->minutes) * seconds;
    int64_t count = __builtin_popcountll(cron->hours & ((1ULL << hour) - 1)) * per_hour;

    if ((cron->hours >> hour & 1) != 0) {
        count += __builtin_popcountll(cron->minutes & ((1ULL << minute) - 1)) * seconds;
        if ((cron->minutes >> minute & 1) != 0) {
            count += __builtin_popcountll(cron->seconds & ((1ULL << second) - 1));
        }
    }
    return count;
}

bool cron_local_matches(const struct cron *cron, int64_t local_s)
{
    if (local_s < FIRST_S || local_s > LAST_S) {
        return false;
    }
    struct civil c = civil_from_local(local_s);
    return has_year(cron, c.year) && (cron->months >> c.month & 1) != 0 && (cron->hours >> c.hour & 1) != 0 &&
           (cron->minutes >> c.minute & 1) != 0 && (cron->seconds >> c.second & 1) != 0 &&
           (days_of_month(cron, c.year, c.month, civil_day_number(c.year, c.month, 1)) >> c.day & 1) != 0;
}

/* The day number of the first matching day at or after the given date; INT64_MAX where there is none. */
static int64_t day_next(const struct cron *cron, int year, int month, int day)
{
    for (; year <= YEAR_LAST; year++, month = 1, day = 1) {
        if (!has_year(cron, year)) {
            continue;
        }
        for (int m = bit_from(cron->months, month); m >= 0; m = bit_from(cron->months, m + 1)) {
            int64_t first_day = civil_day_number(year, m, 1);
            int found = bit_from(days_of_month(cron, year, m, first_day), m == month ? day : 1);

            if (found >= 0) {
                return first_day + found - 1;
            }
        }
    }
    return INT64_MAX;
}

/* The day number of the last matching day at or before the given date; INT64_MIN where there is none. */
static int64_t day_prev(const struct cron *cron, int year, int month, int day)
{
    for (; year >= CRON_YEAR_BASE; year--, month = 12, day = 31) {
        if (!has_year(cron, year)) {
            continue;
        }
        for (int m = bit_down_from(cron->months, month); m >= 1; m = bit_down_from(cron->months, m - 1)) {
            int64_t first_day = civil_day_number(year, m, 1);
            int found = bit_down_from(days_of_month(cron, year, m, first_day), m == month ? day : 31);

            if (found >= 1) {
                return first_day + found - 1;
            }
        }
    }
    return INT64_MIN;
}

bool cron_local_has_day(const struct cron *cron)
{
    int64_t day = day_next(cron, YEAR_MIN, 1, 1);

    return day != INT64_MAX && day < civil_day_number(YEAR_LAST, 1, 1);
}

int64_t cron_local_next(const struct cron *cron, int64_t local_s)
{
    if (local_s > LAST_S) {
        return CRON_LOCAL_NEVER;
    }
    struct civil c = civil_from_local(local_s < FIRST_S ? FIRST_S : local_s);
    int64_t today = civil_day_number(c.year, c.month, c.day);
    int64_t day = day_next(cron, c.year, c.month, c.day);

    if (day == today) {
        int32_t time = time_next(cron, c.hour, c.minute, c.second);

        if (time >= 0) {
            return day * SECONDS_PER_DAY + time;
        }
        day = day_next(cron, c.year, c.month, c.day + 1); /* bit 32 is never set, so the 32nd moves to the next month */
    }
    return day == INT64_MAX ? CRON_LOCAL_NEVER
                            : day * SECONDS_PER_DAY + time_of(bit_from(cron->hours, 0), bit_from(cron->minutes, 0),
                                                              bit_from(cron->seconds, 0));
}

int64_t cron_local_prev(const struct cron *cron, int64_t local_s)
{
    if (local_s < FIRST_S) {
        return CRON_LOCAL_NEVER_BEFORE;
    }
    struct civil c = civil_from_local(local_s > LAST_S ? LAST_S : local_s);
    int64_t today = civil_day_number(c.year, c.month, c.day);
    int64_t day = day_prev(cron, c.year, c.month, c.day);

    if (day == today) {
        int32_t time = time_prev(cron, c.hour, c.minute, c.second);

        if (time >= 0) {
            return day * SECONDS_PER_DAY + time;
        }
        day = day_prev(cron, c.year, c.month, c.day - 1); /* bit 0 is never set */
    }
    return day == INT64_MIN
               ? CRON_LOCAL_NEVER_BEFORE
               : day * SECONDS_PER_DAY + time_of(bit_down_from(cron->hours, 63), bit_down_from(cron->minutes, 63),
                                                 bit_down_from(cron->seconds, 63));
}

/* How many matches there are before local_s within its own month. */
static int64_t count_in_month(const struct cron *cron, const struct civil *c, int64_t per_day)
{
    if (!has_year(cron, c->year) || (cron->months >> c->month & 1) == 0) {
        return 0;
    }
    uint32_t days = days_of_month(cron, c->year, c->month, civil_day_number(c->year, c->month, 1));
    int64_t count = __builtin_popcount(days & (uint32_t)((1ULL << c->day) - 1)) * per_day;

    return (days >> c->day & 1) == 0 ? count : count + times_before(cron, c->hour, c->minute, c->second);
}

int64_t cron_local_count(const struct cron *cron, int64_t from_s, int64_t to_s)
{
    from_s = from_s < FIRST_S ? FIRST_S : from_s;
    to_s = to_s > LAST_S ? LAST_S + 1 : to_s;
    if (from_s >= to_s) {
        return 0;
    }
    int64_t per_day = (int64_t)__builtin_popcount(cron->hours) * __builtin_popcountll(cron->minutes) *
                      __builtin_popcountll(cron->seconds);
    struct civil from = civil_from_local(from_s);
    struct civil to = civil_from_local(to_s);
    int64_t count = count_in_month(cron, &to, per_day) - count_in_month(cron, &from, per_day);

    for (int year = from.year; year <= to.year; year++) {
        int month = year == from.year ? from.month : 1;
        int end = year == to.year ? to.month : 13;

        for (month = has_year(cron, year) ? bit_from(cron->months, month) : -1; month >= 0 && month < end;
             month = bit_from(cron->months, month + 1)) {
            count += __builtin_popcount(days_of_month(cron, year, month, civil_day_number(year, month, 1))) * per_day;
        }
    }
    return count;
}
