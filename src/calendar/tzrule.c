#include "calendar/tzrule.h"

#include <string.h>

#include "calendar/civil.h"

/* What is left to read. A reader that fails says so by returning false; tzrule_parse makes the one error text. */
struct cursor {
    const char *at;
    const char *end;
};

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at < cursor->end && *cursor->at == c) {
        cursor->at++;
        return true;
    }
    return false;
}

static bool at_digit(const struct cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static bool read_number(struct cursor *cursor, int max, int *ret_number)
{
    int number = 0;

    if (!at_digit(cursor)) {
        return false;
    }
    while (at_digit(cursor)) {
        number = number * 10 + (*cursor->at++ - '0');
        if (number > max) {
            return false;
        }
    }
    *ret_number = number;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_quoted_abbr(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-';
}

/* "EST", or "<-03>" where it is not only letters. */
static bool read_abbr(struct cursor *cursor, char abbr[ZONE_ABBR_BYTES])
{
    bool quoted = take(cursor, '<');
    size_t len = 0;

    while (cursor->at < cursor->end && (quoted ? is_quoted_abbr(*cursor->at) : is_letter(*cursor->at))) {
        if (len + 1 >= ZONE_ABBR_BYTES) {
            return false;
        }
        abbr[len++] = *cursor->at++;
    }
    abbr[len] = '\0';
    return len >= 3 && (!quoted || take(cursor, '>'));
}

/* [+-]hh[:mm[:ss]] */
static bool read_time(struct cursor *cursor, int hours_max, int32_t *ret_s)
{
    bool negative = take(cursor, '-');
    int hours = 0;
    int minutes = 0;
    int seconds = 0;

    if (!negative) {
        (void)take(cursor, '+');
    }
    if (!read_number(cursor, hours_max, &hours)) {
        return false;
    }
    if (take(cursor, ':')) {
        if (!read_number(cursor, 59, &minutes) || (take(cursor, ':') && !read_number(cursor, 59, &seconds))) {
            return false;
        }
    }
    int32_t total_s = hours * 3600 + minutes * 60 + seconds;
    *ret_s = negative ? -total_s : total_s;
    return true;
}

static bool read_when(struct cursor *cursor, struct tzrule_when *when)
{
    bool ok;

    if (take(cursor, 'M')) {
        when->form = TZRULE_MONTH_WEEK;
        ok = read_number(cursor, 12, &when->month) && when->month >= 1 && take(cursor, '.') &&
             read_number(cursor, 5, &when->week) && when->week >= 1 && take(cursor, '.') &&
             read_number(cursor, 6, &when->day);
    } else if (take(cursor, 'J')) {
        when->form = TZRULE_JULIAN;
        ok = read_number(cursor, 365, &when->day) && when->day >= 1;
    } else {
        when->form = TZRULE_DAY_OF_YEAR;
        ok = read_number(cursor, 365, &when->day);
    }
    when->time_s = 2 * 3600;
    return ok && (!take(cursor, '/') || read_time(cursor, 167, &when->time_s));
}

static bool read_rule(struct cursor *cursor, struct tzrule *rule)
{
    if (!read_abbr(cursor, rule->standard.abbr) || !read_time(cursor, 24, &rule->standard.offset_s)) {
        return false;
    }
    rule->standard.offset_s = -rule->standard.offset_s;
    if (cursor->at == cursor->end) {
        return true;
    }
    rule->has_dst = true;
    if (!read_abbr(cursor, rule->dst.abbr)) {
        return false;
    }
    rule->dst.offset_s = rule->standard.offset_s + 3600;
    if (cursor->at < cursor->end && *cursor->at != ',') {
        if (!read_time(cursor, 24, &rule->dst.offset_s)) {
            return false;
        }
        rule->dst.offset_s = -rule->dst.offset_s;
    }
    return take(cursor, ',') && read_when(cursor, &rule->dst_begins) && take(cursor, ',') &&
           read_when(cursor, &rule->dst_ends);
}

enum err tzrule_parse(const char *text, size_t len, struct tzrule *ret_rule, struct error *reterr)
{
    struct tzrule rule = {0};
    struct cursor cursor = {.at = text, .end = text + len};

    if (!read_rule(&cursor, &rule) || cursor.at != cursor.end) {
        return err_set_at(reterr, (int)(cursor.at - text) + 1, ERR_CORRUPT, "not a POSIX time zone rule: \"%.*s\"",
                          (int)(len < 80 ? len : 80), text);
    }
    *ret_rule = rule;
    return ERR_OK;
}

static int64_t day_number_of(const struct tzrule_when *when, int year)
{
    int64_t new_year = civil_day_number(year, 1, 1);

    if (when->form == TZRULE_DAY_OF_YEAR) {
        return new_year + when->day;
    }
    if (when->form == TZRULE_JULIAN) {
        return new_year + when->day - 1 + (civil_is_leap_year(year) && when->day >= 60);
    }
    int64_t first = civil_day_number(year, when->month, 1);
    int ahead = (when->day - civil_weekday(first) + 7) % 7;
    int day = 1 + ahead + 7 * (when->week - 1);

    return first + (day > civil_month_days(year, when->month) ? day - 7 : day) - 1;
}

int64_t tzrule_dst_begins_s(const struct tzrule *rule, int year)
{
    return day_number_of(&rule->dst_begins, year) * SECONDS_PER_DAY + rule->dst_begins.time_s - rule->standard.offset_s;
}

int64_t tzrule_dst_ends_s(const struct tzrule *rule, int year)
{
    return day_number_of(&rule->dst_ends, year) * SECONDS_PER_DAY + rule->dst_ends.time_s - rule->dst.offset_s;
}
