#include "calendar/civil.h"
#include "calendar/describe_parts.h"

#define ALL_MONTHS 0x1ffeU

static void put_month(struct buf *out, int month)
{
    static const char *const names[] = {"",     "January", "February",  "March",   "April",    "May",     "June",
                                        "July", "August",  "September", "October", "November", "December"};

    buf_append_text(out, names[month]);
}

/* Weeks begin on Monday here, so that Saturday and Sunday stand together: 0 is Monday. */
static void put_weekday(struct buf *out, int day_from_monday)
{
    buf_append_text(out, civil_weekday_name((day_from_monday + 1) % 7));
}

static void put_ordinal(struct buf *out, int number)
{
    bool teen = number >= 11 && number <= 13;
    const char *ending = teen               ? "th"
                         : number % 10 == 1 ? "st"
                         : number % 10 == 2 ? "nd"
                         : number % 10 == 3 ? "rd"
                                            : "th";

    buf_printf(out, "%d%s", number, ending);
}

static bool any_month(const struct cron *cron)
{
    return (cron->months & ALL_MONTHS) == ALL_MONTHS;
}

/* " of the month", " of January and July" */
static void put_of_month(const struct cron *cron, struct buf *out)
{
    buf_append_text(out, " of ");
    if (any_month(cron)) {
        buf_append_text(out, "the month");
    } else {
        describe_list(out, cron->months, put_month, " and ");
    }
}

static void put_month_days(const struct cron *cron, struct buf *out)
{
    struct pattern pattern = pattern_of(cron->month_days, 1, 31);

    if (pattern.kind == PATTERN_STEP) {
        buf_printf(out, "every %d days from the ", pattern.step);
        put_ordinal(out, pattern.first);
    } else {
        buf_append_text(out, "on the ");
        describe_list(out, cron->month_days, put_ordinal, " and ");
    }
    put_of_month(cron, out);
}

/* "Monday to Friday"; a single one with what stands before it: "every Monday", "a Monday". */
static void put_weekdays(const struct cron *cron, const char *before_one, const char *last, struct buf *out)
{
    uint64_t from_monday = (cron->weekdays >> 1) | (cron->weekdays & 1) << 6;

    if ((from_monday & (from_monday - 1)) == 0) {
        buf_append_text(out, before_one);
    }
    describe_list(out, from_monday, put_weekday, last);
}

static void put_special_day(const struct cron *cron, struct buf *out)
{
    static const char *const nth[] = {"", "first", "second", "third", "fourth", "fifth"};
    const char *days = cron->day_number == 1 ? "day" : "days";

    if (cron->day_rule == CRON_DAY_NTH) {
        buf_printf(out, "on the %s %s", nth[cron->day_number], civil_weekday_name(cron->day_weekday));
    } else if (cron->day_rule == CRON_DAY_LAST_OF) {
        buf_printf(out, "on the last %s", civil_weekday_name(cron->day_weekday));
    } else if (cron->day_rule == CRON_DAY_NEAREST_WEEKDAY) {
        buf_append_text(out, "on the working day (Monday to Friday) nearest to the ");
        put_ordinal(out, cron->day_number);
    } else if (cron->day_rule == CRON_DAY_LAST_WEEKDAY && cron->day_number == 0) {
        buf_append_text(out, "on the last working day (Monday to Friday)");
    } else if (cron->day_rule == CRON_DAY_LAST_WEEKDAY) {
        buf_printf(out, "on the working day (Monday to Friday) nearest to %d %s before the last day", cron->day_number,
                   days);
    } else if (cron->day_number == 0) {
        buf_append_text(out, "on the last day");
    } else {
        buf_printf(out, "%d %s before the last day", cron->day_number, days);
    }
    put_of_month(cron, out);
}

/* The day fields, and the months with them where the phrase has a place for them. Returns whether it had. */
static bool put_day_fields(const struct cron *cron, bool names_times, struct buf *out)
{
    bool any_month_day = (cron->month_days & CRON_ALL_MONTH_DAYS) == CRON_ALL_MONTH_DAYS;
    bool any_weekday = (cron->weekdays & CRON_ALL_WEEKDAYS) == CRON_ALL_WEEKDAYS;

    if (cron->day_rule != CRON_DAY_BOTH && cron->day_rule != CRON_DAY_EITHER) {
        buf_append_text(out, ", ");
        put_special_day(cron, out);
        return true;
    }
    bool either = cron->day_rule == CRON_DAY_EITHER;
    if ((any_month_day && any_weekday) || (either && (any_month_day || any_weekday))) {
        buf_append_text(out, names_times ? ", every day" : "");
        return false;
    }
    buf_append_text(out, ", ");
    if (any_month_day) {
        put_weekdays(cron, "every ", " and ", out);
        return false;
    }
    put_month_days(cron, out);
    if (!any_weekday) {
        buf_append_text(out, either ? " or " : " if that is ");
        put_weekdays(cron, either ? "every " : "a ", either ? " and " : " or ", out);
    }
    return !either; /* "or every Monday" needs its months again */
}

static bool has_year(const struct cron *cron, int year)
{
    int bit = year - CRON_YEAR_BASE;

    return (cron->years[bit / 64] >> (bit % 64) & 1) != 0;
}

/* The first year from year on that is set, or is not; YEAR_MAX + 1 at the end. */
static int next_year(const struct cron *cron, int year, bool is_set)
{
    while (year <= YEAR_MAX && has_year(cron, year) != is_set) {
        year++;
    }
    return year;
}

/* The step of three and more years at one distance, as in 2026/2; 0 where they are no such row. */
static int year_step(const struct cron *cron, int first, int *ret_last)
{
    int second = next_year(cron, first + 1, true);
    int count = 0;

    for (int year = first; year <= YEAR_MAX; year++) {
        if (has_year(cron, year)) {
            if ((year - first) % (second - first) != 0 || year != first + count * (second - first)) {
                return 0;
            }
            *ret_last = year;
            count++;
        }
    }
    return count >= 3 ? second - first : 0;
}

/* "2027", "2027, 2029 to 2031" */
static void put_year_list(const struct cron *cron, struct buf *out)
{
    int first = next_year(cron, YEAR_MIN, true);

    for (int year = first; year <= YEAR_MAX; year = next_year(cron, year, true)) {
        int end = next_year(cron, year, false);

        buf_append_text(out, year == first ? "" : ", ");
        buf_append_int(out, year);
        if (end - year > 1) {
            buf_printf(out, end - year > 2 ? " to %d" : ", %d", end - 1);
        }
        year = end;
    }
}

static void put_years(const struct cron *cron, struct buf *out)
{
    int first = next_year(cron, YEAR_MIN, true);
    int last = first;
    int step = year_step(cron, first, &last);

    if (has_year(cron, CRON_YEAR_BASE)) { /* the year before YEAR_MIN is set only where no year is named */
        return;
    }
    if (step > 1) {
        buf_printf(out, ", every %d years from %d to %d", step, first, last);
    } else {
        buf_append_text(out, ", in ");
        put_year_list(cron, out);
    }
}

void describe_days(const struct cron *cron, bool names_times, struct buf *out)
{
    bool months_told = put_day_fields(cron, names_times, out);

    if (!months_told && !any_month(cron)) {
        buf_append_text(out, ", in ");
        describe_list(out, cron->months, put_month, " and ");
    }
    put_years(cron, out);
}
