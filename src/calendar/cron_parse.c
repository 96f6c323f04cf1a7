#include "calendar/cron.h"

#include <stdio.h>
#include <string.h>

#include "calendar/cron_field.h"
#include "calendar/cron_local.h"

#define FIELDS_MAX 7
#define ALL_MONTH_DAYS 0xfffffffeU
#define ALL_WEEKDAYS 0x7fU

static const enum cron_field_kind unix_order[] = {CRON_MINUTE, CRON_HOUR, CRON_MONTH_DAY, CRON_MONTH, CRON_WEEKDAY};
static const enum cron_field_kind quartz_order[] = {CRON_SECOND, CRON_MINUTE,  CRON_HOUR, CRON_MONTH_DAY,
                                                    CRON_MONTH,  CRON_WEEKDAY, CRON_YEAR};

struct macro {
    struct str name;
    struct str meaning;
};

static const struct macro macros[] = {
    {{"@yearly", 7}, {"0 0 1 1 *", 9}},   {{"@annually", 9}, {"0 0 1 1 *", 9}}, {{"@monthly", 8}, {"0 0 1 * *", 9}},
    {{"@weekly", 7}, {"0 0 * * 0", 9}},   {{"@daily", 6}, {"0 0 * * *", 9}},    {{"@midnight", 9}, {"0 0 * * *", 9}},
    {{"@hourly", 7}, {"0 * * * *", 9}},
};

/* The fields of an expression, by kind; a kind the expression does not have is empty. */
struct fields {
    enum cron_dialect dialect;
    struct cron_field by_kind[FIELDS_MAX];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts text at its blanks into at most FIELDS_MAX pieces; returns how many there are. */
static size_t cut(struct str text, struct cron_field pieces[FIELDS_MAX])
{
    size_t count = 0;
    size_t at = 0;

    for (;;) {
        while (at < text.len && is_blank(text.ptr[at])) {
            at++;
        }
        if (at == text.len) {
            return count;
        }
        size_t start = at;
        while (at < text.len && !is_blank(text.ptr[at])) {
            at++;
        }
        if (count < FIELDS_MAX) {
            pieces[count].text = (struct str){text.ptr + start, at - start};
            pieces[count].position = (int)start + 1;
        }
        count++;
    }
}

static enum err read_fields(struct str text, struct str seed, struct fields *fields, struct error *reterr)
{
    struct cron_field pieces[FIELDS_MAX] = {0};
    size_t count = cut(text, pieces);

    if (count == 0) {
        return err_set_at(reterr, 1, ERR_INVALID_CRON, "the expression is empty; write five fields, such as 0 9 * * 1-5");
    }
    if (count < 5 || count > FIELDS_MAX) {
        return err_set_at(reterr, (int)text.len + 1, ERR_INVALID_CRON,
                          "found %zu field%s; an expression has five (Unix: minute, hour, day of month, month, day of "
                          "week) or six to seven (Quartz: second first, year last)",
                          count, count == 1 ? "" : "s");
    }
    fields->dialect = count == 5 ? CRON_UNIX : CRON_QUARTZ;
    for (size_t i = 0; i < count; i++) {
        enum cron_field_kind kind = count == 5 ? unix_order[i] : quartz_order[i];

        fields->by_kind[kind] = pieces[i];
        fields->by_kind[kind].kind = kind;
        fields->by_kind[kind].dialect = fields->dialect;
        fields->by_kind[kind].seed = seed;
    }
    return ERR_OK;
}

static bool begins_with_star(const struct cron_field *field)
{
    return field->text.ptr[0] == '*' || field->text.ptr[0] == '/'; /* Quartz's "/5" is a star with a step */
}

static char upper_at(const struct cron_field *field, size_t at)
{
    char c = at < field->text.len ? field->text.ptr[at] : '\0';

    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* Masks of one word: all kinds but the year. */
static enum err read_mask(const struct cron_field *field, struct cron *cron, uint64_t *ret_mask, struct error *reterr)
{
    struct cron_bits bits;
    enum err err = cron_field_parse(field, &bits, reterr);

    if (err == ERR_OK) {
        cron->warnings |= bits.warnings;
        *ret_mask = bits.words[0];
    }
    return err;
}

static enum err read_years(const struct cron_field *field, struct cron *cron, struct error *reterr)
{
    struct cron_bits bits;

    if (field->text.len == 0 || str_is(field->text, "*")) {
        for (int bit = 0; bit <= YEAR_MAX + 1 - CRON_YEAR_BASE; bit++) {
            cron->years[bit / 64] |= 1ULL << (bit % 64);
        }
        return ERR_OK;
    }
    enum err err = cron_field_parse(field, &bits, reterr);
    if (err == ERR_OK) {
        memcpy(cron->years, bits.words, sizeof cron->years);
    }
    return err;
}

/* "-3" behind L: how many days before the last one. */
static enum err read_last_offset(const struct cron_field *field, size_t *at, int *ret_offset, struct error *reterr)
{
    int offset = 0;
    size_t start = ++*at;

    for (; upper_at(field, *at) >= '0' && upper_at(field, *at) <= '9' && offset <= 30; ++*at) {
        offset = offset * 10 + (upper_at(field, *at) - '0');
    }
    if (*at == start || offset > 30) {
        return cron_field_error(field, start, reterr, "L- wants the number of days before the last one, 0 to 30");
    }
    *ret_offset = offset;
    return ERR_OK;
}

static enum err behind_special(const struct cron_field *field, size_t at, struct error *reterr)
{
    if (at < field->text.len) {
        return cron_field_error(field, at, reterr,
                                "unexpected '%c': L, W and # stand alone in their field, not in a list or range",
                                field->text.ptr[at]);
    }
    return ERR_OK;
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
    if (upper_at(field, 0) == 'L') {
        at = 1;
        if (upper_at(field, at) == '-') {
            err = read_last_offset(field, &at, &cron->day_number, reterr);
        }
        bool weekday = upper_at(field, at) == 'W';
        cron->day_rule = weekday ? CRON_DAY_LAST_WEEKDAY : CRON_DAY_LAST;
        return err == ERR_OK ? behind_special(field, at + weekday, reterr) : err;
    }
    while (upper_at(field, at) >= '0' && upper_at(field, at) <= '9') {
        at++;
    }
    *ret_special = at > 0 && upper_at(field, at) == 'W';
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
    char digit = upper_at(field, at + 1);

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
    if (upper_at(field, 0) == 'L') { /* alone it is Saturday, the last day of the week, every week */
        *ret_special = true;
        cron->weekdays = 1U << 6;
        return behind_special(field, 1, reterr);
    }
    enum err err = cron_field_value(field, &at, &weekday, &named, reterr);
    mark = upper_at(field, at);
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
static enum err read_quartz_days(const struct fields *fields, struct cron *cron, struct error *reterr)
{
    const struct cron_field *month_day = &fields->by_kind[CRON_MONTH_DAY];
    const struct cron_field *weekday = &fields->by_kind[CRON_WEEKDAY];
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
            err = read_mask(month_day, cron, &mask, reterr);
            cron->month_days = (uint32_t)mask;
        }
    }
    if (err == ERR_OK && !any_weekday) {
        err = read_weekday_special(weekday, cron, &special, reterr);
        if (err == ERR_OK && !special) {
            err = read_mask(weekday, cron, &mask, reterr);
            cron->weekdays = (uint32_t)mask >> 1; /* 1 is Sunday */
        }
    }
    if (err == ERR_OK && !any_month_day && !any_weekday) {
        return cron_field_error(weekday, 0, reterr,
                                "Quartz cannot restrict day of month and day of week together; write ? in one of them");
    }
    return err;
}

static enum err read_unix_days(const struct fields *fields, struct cron *cron, struct error *reterr)
{
    const struct cron_field *month_day = &fields->by_kind[CRON_MONTH_DAY];
    const struct cron_field *weekday = &fields->by_kind[CRON_WEEKDAY];
    uint64_t mask = 0;
    enum err err = read_mask(month_day, cron, &mask, reterr);

    if (err != ERR_OK) {
        return err;
    }
    cron->month_days = (uint32_t)mask;
    err = read_mask(weekday, cron, &mask, reterr);
    cron->weekdays = (uint32_t)((mask | mask >> 7) & ALL_WEEKDAYS); /* 7 is Sunday too */
    bool both = begins_with_star(month_day) || begins_with_star(weekday);
    cron->day_rule = both ? CRON_DAY_BOTH : CRON_DAY_EITHER;
    cron->warnings |= both ? 0 : CRON_WARN_DAY_EITHER;
    return err;
}

static enum err read_times(const struct fields *fields, struct cron *cron, struct error *reterr)
{
    const struct cron_field *second = &fields->by_kind[CRON_SECOND];
    uint64_t mask = 1;
    enum err err = second->text.len == 0 ? ERR_OK : read_mask(second, cron, &mask, reterr);

    cron->seconds = mask;
    if (err == ERR_OK) {
        err = read_mask(&fields->by_kind[CRON_MINUTE], cron, &cron->minutes, reterr);
    }
    if (err == ERR_OK) {
        err = read_mask(&fields->by_kind[CRON_HOUR], cron, &mask, reterr);
        cron->hours = (uint32_t)mask;
    }
    cron->follows_clock =
        begins_with_star(&fields->by_kind[CRON_MINUTE]) || begins_with_star(&fields->by_kind[CRON_HOUR]);
    return err;
}

/* weekdays as days of a month, once for each weekday its first day can be. */
static void spread_weekdays(struct cron *cron)
{
    for (int first = 0; first < 7; first++) {
        for (int day = 1; day <= 31; day++) {
            int weekday = (first + day - 1) % 7;

            cron->by_first[first] |= (cron->weekdays >> weekday & 1U) << day;
        }
    }
}

static enum err parse_fields(struct str text, struct str seed, struct cron *cron, struct error *reterr)
{
    struct fields fields = {0};
    uint64_t mask = 0;
    enum err err = read_fields(text, seed, &fields, reterr);

    if (err != ERR_OK) {
        return err;
    }
    *cron = (struct cron){.dialect = fields.dialect, .month_days = ALL_MONTH_DAYS, .weekdays = ALL_WEEKDAYS};
    err = read_times(&fields, cron, reterr);
    if (err == ERR_OK) {
        bool is_unix = fields.dialect == CRON_UNIX;

        err = is_unix ? read_unix_days(&fields, cron, reterr) : read_quartz_days(&fields, cron, reterr);
    }
    if (err == ERR_OK) {
        err = read_mask(&fields.by_kind[CRON_MONTH], cron, &mask, reterr);
        cron->months = (uint32_t)mask;
    }
    if (err == ERR_OK) {
        err = read_years(&fields.by_kind[CRON_YEAR], cron, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    spread_weekdays(cron);
    if (!cron_local_has_day(cron)) {
        return err_set_at(reterr, fields.by_kind[CRON_MONTH_DAY].position, ERR_NEVER_FIRES,
                          "day of month field: this expression can never fire: no such day comes between %d and %d",
                          YEAR_MIN, YEAR_MAX);
    }
    return ERR_OK;
}

static enum err parse_macro(struct str text, struct str seed, struct cron *cron, struct error *reterr)
{
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
        if (str_equal_nocase(macros[i].name, text)) {
            return parse_fields(macros[i].meaning, seed, cron, reterr);
        }
    }
    if (str_equal_nocase(text, STR("@reboot"))) {
        return err_set_at(reterr, 1, ERR_INVALID_CRON, "@reboot names no time; create a job that runs now instead");
    }
    return err_set_at(reterr, 1, ERR_INVALID_CRON,
                      "\"%.*s\" is not known; there are @yearly, @monthly, @weekly, @daily, @hourly and @every 90s",
                      STR_ARGS(text));
}

enum err cron_parse(struct str text, struct str seed, struct cron *ret_cron, struct error *reterr)
{
    struct cron cron;

    if (text.len > CRON_EXPR_BYTES_MAX) {
        return err_set_at(reterr, CRON_EXPR_BYTES_MAX + 1, ERR_TOO_LARGE, "the expression has %zu characters; at most %d are allowed", text.len,
                       CRON_EXPR_BYTES_MAX);
    }
    struct str trimmed = str_trim(text);
    bool macro = trimmed.len > 0 && trimmed.ptr[0] == '@';
    enum err err = macro ? parse_macro(trimmed, seed, &cron, reterr) : parse_fields(text, seed, &cron, reterr);

    if (err == ERR_OK) {
        *ret_cron = cron;
    }
    return err;
}

const char *cron_warning_text(enum cron_warning warning)
{
    switch (warning) {
    case CRON_WARN_NUMERIC_WEEKDAY:
        return "in the six-field form weekday 1 is Sunday (Quartz), in the five-field form it is Monday: names such as "
               "MON are clear in both";
    case CRON_WARN_DAY_STEP:
        return "a star with a step in a day field starts again with each month or week, and other schedulers combine "
               "the two day fields differently";
    case CRON_WARN_DAY_EITHER:
        return "both day fields are set: it fires when the day of month or the day of week matches";
    case CRON_WARN_LONG_STEP:
        return "a step is longer than its field, so that only the first value is left";
    }
    return "";
}
