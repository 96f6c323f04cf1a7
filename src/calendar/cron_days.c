#include "calendar/cron_days.h"

#include "calendar/cron_items.h"

/* "-3" behind L: how many days before the last one. */
static enum err read_last_offset(const struct cron_field *field, size_t *at, int *ret_offset, struct error *reterr)
{
    int offset = 0;
    size_t start = ++*at;

    for (; cron_field_digit_at(field, *at) && offset <= 30; ++*at) {
        offset = offset * 10 + (cron_field_char(field, *at) - '0');
    }
    if (*at == start || offset > 30) {
        return cron_field_error(field, start, reterr, "L- wants the number of days before the last one, 0 to 30");
    }
    *ret_offset = offset;
    return ERR_OK;
}

/* Nothing may stand behind a special day. */
static enum err behind_special(const struct cron_field *field, size_t at, struct error *reterr)
{
    char shown[CRON_SHOWN_BYTES];

    if (at == field->text.len) {
        return ERR_OK;
    }
    return cron_field_error(field, at, reterr,
                            "%s has no place here: L, W and # stand alone in their field, in no list or range; allowed "
                            "is %s",
                            cron_field_shown(field, at, shown), cron_field_shape(field)->allowed);
}

/* L, L-3, LW, L-3W, 15W. Returns with *ret_special false where the field is an ordinary list. */
static enum err read_month_day_special(const struct cron_field *field, struct cron *cron, bool *ret_special,
                                       struct error *reterr)
{
    size_t at = 0;
    bool named;
    int day = 0;
    enum err err = ERR_OK;

    *ret_special = true;
    if (cron_field_char(field, 0) == 'L') {
        at = 1;
        if (cron_field_char(field, at) == '-') {
            err = read_last_offset(field, &at, &cron->day_number, reterr);
        }
        bool weekday = cron_field_char(field, at) == 'W';
        cron->day_rule = weekday ? CRON_DAY_LAST_WEEKDAY : CRON_DAY_LAST;
        return err == ERR_OK ? behind_special(field, at + weekday, reterr) : err;
    }
    while (cron_field_digit_at(field, at)) {
        at++;
    }
    *ret_special = at > 0 && cron_field_char(field, at) == 'W';
    if (!*ret_special) {
        return ERR_OK;
    }
    at = 0;
    err = cron_field_value(field, &at, &day, &named, reterr);
    cron->day_rule = CRON_DAY_NEAREST_WEEKDAY;
    cron->day_number = day;
    return err == ERR_OK ? behind_special(field, at + 1, reterr) : err;
}

/* "#3" behind a weekday. */
static enum err read_nth(const struct cron_field *field, size_t at, struct cron *cron, struct error *reterr)
{
    char digit = cron_field_char(field, at + 1);

    if (digit < '1' || digit > '5') {
        return cron_field_error(field, at + 1, reterr, "# wants which one of the month: 1 to 5, such as 6#3");
    }
    cron->day_rule = CRON_DAY_NTH;
    cron->day_number = digit - '0';
    return behind_special(field, at + 2, reterr);
}

/* L, 6L, FRIL, 6#3, FRI#3. Returns with *ret_special false where the field is an ordinary list. */
static enum err read_weekday_special(const struct cron_field *field, struct cron *cron, bool *ret_special,
                                     struct error *reterr)
{
    size_t at = 0;
    bool named;
    int weekday = 0;
    char mark;

    *ret_special = false;
    if (cron_field_char(field, 0) == 'L') { /* alone it is Saturday, the last day of the week, every week */
        *ret_special = true;
        cron->weekdays = 1U << 6;
        return behind_special(field, 1, reterr);
    }
    enum err err = cron_field_value(field, &at, &weekday, &named, reterr);
    mark = cron_field_char(field, at);
    if (err != ERR_OK || (mark != 'L' && mark != '#')) {
        return ERR_OK; /* the list's reader finds the same error and says it */
    }
    *ret_special = true;
    cron->day_weekday = weekday - 1;
    cron->warnings |= named ? 0 : CRON_WARN_NUMERIC_WEEKDAY;
    if (mark == '#') {
        return read_nth(field, at, cron, reterr);
    }
    cron->day_rule = CRON_DAY_LAST_OF;
    return behind_special(field, at + 1, reterr);
}

/* Quartz: one of the day fields is ?, or a star that stands for it. */
static enum err read_quartz_days(const struct cron_field *month_day, const struct cron_field *weekday,
                                 struct cron *cron, struct error *reterr)
{
    bool any_month_day = str_is(month_day->text, "?") || str_is(month_day->text, "*");
    bool any_weekday = str_is(weekday->text, "?") || str_is(weekday->text, "*");
    bool special = false;
    uint64_t mask = 0;
    enum err err = ERR_OK;

    if (str_is(month_day->text, "?") && str_is(weekday->text, "?")) {
        return cron_field_error(weekday, 0, reterr, "only one of day of month and day of week can be ?; write * here");
    }
    cron->day_rule = CRON_DAY_BOTH;
    if (!any_month_day) {
        err = read_month_day_special(month_day, cron, &special, reterr);
        if (err == ERR_OK && !special) {
            err = cron_items_mask(month_day, &mask, cron, reterr);
            cron->month_days = (uint32_t)mask;
        }
    }
    if (err == ERR_OK && !any_weekday) {
        err = read_weekday_special(weekday, cron, &special, reterr);
        if (err == ERR_OK && !special) {
            err = cron_items_mask(weekday, &mask, cron, reterr);
            cron->weekdays = (uint32_t)mask >> 1; /* 1 is Sunday */
        }
    }
    if (err == ERR_OK && !any_month_day && !any_weekday) {
        return cron_field_error(weekday, 0, reterr,
                                "Quartz cannot restrict day of month and day of week together; write ? in one of them");
    }
    return err;
}

static enum err read_unix_days(const struct cron_field *month_day, const struct cron_field *weekday, struct cron *cron,
                               struct error *reterr)
{
    uint64_t mask = 0;
    enum err err = cron_items_mask(month_day, &mask, cron, reterr);

    if (err != ERR_OK) {
        return err;
    }
    cron->month_days = (uint32_t)mask;
    err = cron_items_mask(weekday, &mask, cron, reterr);
    cron->weekdays = (uint32_t)((mask | mask >> 7) & CRON_ALL_WEEKDAYS); /* 7 is Sunday too */
    bool both = cron_field_begins_with_star(month_day) || cron_field_begins_with_star(weekday);
    cron->day_rule = both ? CRON_DAY_BOTH : CRON_DAY_EITHER;
    cron->warnings |= both ? 0 : CRON_WARN_DAY_EITHER;
    return err;
}

enum err cron_days_parse(const struct cron_field *month_day, const struct cron_field *weekday, struct cron *cron,
                         struct error *reterr)
{
    cron->month_days = CRON_ALL_MONTH_DAYS;
    cron->weekdays = CRON_ALL_WEEKDAYS;
    return cron->dialect == CRON_UNIX ? read_unix_days(month_day, weekday, cron, reterr)
                                      : read_quartz_days(month_day, weekday, cron, reterr);
}
