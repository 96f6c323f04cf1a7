#include "odd_zones.h"

#include <assert.h>

#include "base/mem.h"
#include "calendar/civil.h"

#define HOUR 3600
#define YEAR_FIRST (YEAR_MIN - 1)
#define YEAR_LAST (YEAR_MAX + 1)
#define SEGMENTS_MAX (1 + 2 * (YEAR_LAST - YEAR_FIRST + 1))

/* Daylight saving every year, from the last Sunday of one month to the last Sunday of another. */
struct yearly {
    const char *name;
    int32_t standard_s; /* offset */
    int32_t saving_s;   /* how far the clock jumps */
    int begin_month;
    int32_t begin_s; /* time of day on the clock before the jump */
    int end_month;
    int32_t end_s;
};

static const struct yearly yearlies[] = {
    {"Odd/Hour", HOUR, HOUR, 3, 2 * HOUR, 10, 3 * HOUR},
    {"Odd/West", -5 * HOUR, HOUR, 4, 2 * HOUR, 11, 2 * HOUR},
    {"Odd/Half", 10 * HOUR + HOUR / 2, HOUR / 2, 10, 2 * HOUR, 4, 2 * HOUR}, /* summer over the new year */
    {"Odd/Two", 0, 2 * HOUR, 3, HOUR, 10, 3 * HOUR},
    {"Odd/Midnight", -4 * HOUR, HOUR, 9, 24 * HOUR, 4, 24 * HOUR},
    {"Odd/Across", 2 * HOUR, HOUR, 4, 23 * HOUR + HOUR / 2, 9, HOUR / 2}, /* gap and fold hold a midnight */
};
#define YEARLIES (sizeof yearlies / sizeof yearlies[0])

/* Changes that come once. */
struct change {
    int64_t start_s; /* 0 ends the list */
    int32_t offset_s;
};

struct history {
    const char *name;
    int32_t first_offset_s;
    struct change changes[5];
};

static const struct history histories[] = {
    {"Odd/Utc", 0, {{0}}},
    {"Odd/Early", 14 * HOUR, {{0}}},
    {"Odd/Late", -12 * HOUR, {{0}}},
    /* A day is left out at the end of 1994 and comes again in 2039. */
    {"Odd/Day", -10 * HOUR, {{788868000, 14 * HOUR}, {2190362400, -10 * HOUR}}},
    /* Local mean time: the clock moves by odd seconds, the last time in the middle of a minute. */
    {"Odd/Seconds", -4 * HOUR - 3362, {{86400, -5 * HOUR}, {1000000000, -5 * HOUR + 1}, {4000000007, -4 * HOUR - 29}}},
    /* Forward and, three hours later, back; ten days later back, and three hours later forward. */
    {"Odd/Quick", 0, {{1600000000, HOUR}, {1600010800, 0}, {1600864000, -HOUR}, {1600874800, 0}}},
};
#define HISTORIES (sizeof histories / sizeof histories[0])

_Static_assert(YEARLIES + HISTORIES == ODD_ZONES, "ODD_ZONES must count both tables");

static void append(struct zone_segment *segments, size_t *count, int64_t start_s, int32_t offset_s)
{
    segments[*count] = (struct zone_segment){.start_s = start_s, .offset_s = offset_s, .abbr = "ODD"};
    ++*count;
}

/* The UTC instant of a time of day on the last Sunday of a month. */
static int64_t change_s(int year, int month, int32_t time_s, int32_t offset_s)
{
    int64_t last_day = civil_day_number(year, month, civil_month_days(year, month));
    int64_t sunday = last_day - civil_weekday(last_day);

    return sunday * SECONDS_PER_DAY + time_s - offset_s;
}

static struct zone *new_yearly(const struct yearly *yearly)
{
    struct zone_segment *segments = mem_alloc_array(SEGMENTS_MAX, sizeof *segments);
    int32_t summer_s = yearly->standard_s + yearly->saving_s;
    bool begins_in_summer = yearly->begin_month > yearly->end_month;
    size_t count = 0;

    append(segments, &count, INT64_MIN, begins_in_summer ? summer_s : yearly->standard_s);
    for (int year = YEAR_FIRST; year <= YEAR_LAST; year++) {
        int64_t begins_s = change_s(year, yearly->begin_month, yearly->begin_s, yearly->standard_s);
        int64_t ends_s = change_s(year, yearly->end_month, yearly->end_s, summer_s);

        if (begins_in_summer) {
            append(segments, &count, ends_s, yearly->standard_s);
            append(segments, &count, begins_s, summer_s);
        } else {
            append(segments, &count, begins_s, summer_s);
            append(segments, &count, ends_s, yearly->standard_s);
        }
    }
    return zone_new(yearly->name, segments, count);
}

static struct zone *new_history(const struct history *history)
{
    struct zone_segment *segments = mem_alloc_array(SEGMENTS_MAX, sizeof *segments);
    size_t count = 0;

    append(segments, &count, INT64_MIN, history->first_offset_s);
    for (const struct change *change = history->changes; change->start_s != 0; change++) {
        append(segments, &count, change->start_s, change->offset_s);
    }
    return zone_new(history->name, segments, count);
}

const struct zone *odd_zone(size_t index)
{
    static struct zone *zones[ODD_ZONES];

    assert(index < ODD_ZONES);
    if (zones[index] == NULL) {
        zones[index] = index < HISTORIES ? new_history(&histories[index]) : new_yearly(&yearlies[index - HISTORIES]);
    }
    return zones[index];
}
