#include "calendar/describe_parts.h"

/* More times of day than this are described by their pattern. */
#define TIMES_MAX 6

static void put_clock(struct buf *out, int hour, int minute, int second, bool with_seconds)
{
    buf_printf(out, "%02d:%02d", hour, minute);
    if (with_seconds) {
        buf_printf(out, ":%02d", second);
    }
}

static int count_times(const struct cron *cron)
{
    return __builtin_popcount(cron->hours) * __builtin_popcountll(cron->minutes) * __builtin_popcountll(cron->seconds);
}

/* "at 09:00, 09:30 and 17:00" */
static void put_times(const struct cron *cron, struct buf *out)
{
    bool with_seconds = cron->seconds != 1;
    int left = count_times(cron);

    buf_append_text(out, "at ");
    for (int time = 0; time < 86400 && left > 0; time++) {
        int hour = time / 3600;
        int minute = time / 60 % 60;
        int second = time % 60;

        if ((cron->hours >> hour & 1) != 0 && (cron->minutes >> minute & 1) != 0 &&
            (cron->seconds >> second & 1) != 0) {
            put_clock(out, hour, minute, second, with_seconds);
            left--;
            buf_append_text(out, left > 1 ? ", " : left == 1 ? " and " : "");
        }
    }
}

/* "every 15 minutes", "every minute from minute 30 to 45 of the hour", "at minutes 5 and 20 of the hour". */
static void put_unit(struct buf *out, uint64_t mask, const char *unit, const char *of)
{
    struct pattern pattern = pattern_of(mask, 0, 59);

    switch (pattern.kind) {
    case PATTERN_ALL:
        buf_printf(out, "every %s", unit);
        break;
    case PATTERN_STEP:
        buf_printf(out, "every %d %ss", pattern.step, unit);
        if (pattern.first != 0) {
            buf_printf(out, " from %s %d of the %s", unit, pattern.first, of);
        } else if (60 % pattern.step != 0) {
            buf_printf(out, " from the start of each %s", of); /* the last gap is shorter */
        }
        break;
    case PATTERN_RANGE:
        buf_printf(out, "every %s from %s %d to %d of the %s", unit, unit, pattern.first, pattern.last, of);
        break;
    case PATTERN_ONE:
        buf_printf(out, "at %s %d of the %s", unit, pattern.first, of);
        break;
    case PATTERN_LIST:
        buf_printf(out, "at %ss ", unit);
        describe_list(out, mask, describe_number, " and ");
        buf_printf(out, " of the %s", of);
        break;
    }
}

/* Which hours, behind a phrase about minutes: " from 09:00 to 17:59". */
static void put_hours(const struct cron *cron, struct buf *out)
{
    struct pattern pattern = pattern_of(cron->hours, 0, 23);

    switch (pattern.kind) {
    case PATTERN_ALL:
        break;
    case PATTERN_ONE:
    case PATTERN_RANGE:
        buf_printf(out, ", from %02d:00 to %02d:59", pattern.first, pattern.last);
        break;
    case PATTERN_STEP:
        buf_printf(out, ", in every %d%s hour from %02d:00", pattern.step,
                   pattern.step == 2   ? "nd"
                   : pattern.step == 3 ? "rd"
                                       : "th",
                   pattern.first);
        break;
    case PATTERN_LIST:
        buf_append_text(out, ", in the hours ");
        describe_list(out, cron->hours, describe_number, " and ");
        break;
    }
}

/* One minute of many hours: "every 2 hours", "every hour from 08:30 to 18:30", "at minute 5 of every hour". */
static bool put_hourly(const struct cron *cron, int minute, struct buf *out)
{
    struct pattern pattern = pattern_of(cron->hours, 0, 23);

    if (pattern.kind == PATTERN_LIST || pattern.kind == PATTERN_ONE) {
        return false;
    }
    if (pattern.kind == PATTERN_STEP) {
        buf_printf(out, "every %d hours", pattern.step);
    } else {
        buf_append_text(out, "every hour");
    }
    bool whole_day =
        pattern.kind == PATTERN_ALL || (pattern.kind == PATTERN_STEP && pattern.first == 0 && 24 % pattern.step == 0);
    if (!whole_day) {
        buf_printf(out, " from %02d:%02d to %02d:%02d", pattern.first, minute, pattern.last, minute);
    } else if (minute != 0) {
        buf_printf(out, " at minute %d", minute);
    }
    return true;
}

bool describe_time(const struct cron *cron, struct buf *out)
{
    struct pattern minutes = pattern_of(cron->minutes, 0, 59);

    if (count_times(cron) <= TIMES_MAX) {
        put_times(cron, out);
        return true;
    }
    if (cron->seconds == 1 && minutes.kind == PATTERN_ONE && put_hourly(cron, minutes.first, out)) {
        return false;
    }
    if (cron->seconds != 1) {
        put_unit(out, cron->seconds, "second", "minute");
        if (minutes.kind != PATTERN_ALL) {
            buf_append_text(out, ", ");
        }
    }
    if (cron->seconds == 1 || minutes.kind != PATTERN_ALL) {
        put_unit(out, cron->minutes, "minute", "hour");
    }
    put_hours(cron, out);
    return false;
}
