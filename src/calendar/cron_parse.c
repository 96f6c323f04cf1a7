#include "calendar/cron.h"

#include <string.h>

#include "calendar/cron_days.h"
#include "calendar/cron_items.h"
#include "calendar/cron_local.h"

#define FIELDS_MAX 7
#define ALL_HOURS 0xffffffU

static const enum cron_field_kind unix_order[] = {CRON_MINUTE, CRON_HOUR, CRON_MONTH_DAY, CRON_MONTH, CRON_WEEKDAY};
static const enum cron_field_kind quartz_order[] = {CRON_SECOND, CRON_MINUTE,  CRON_HOUR, CRON_MONTH_DAY,
                                                    CRON_MONTH,  CRON_WEEKDAY, CRON_YEAR};

struct macro {
    struct str name;
    struct str meaning;
};

static const struct macro macros[] = {
    {{"@yearly", 7}, {"0 0 1 1 *", 9}}, {{"@annually", 9}, {"0 0 1 1 *", 9}}, {{"@monthly", 8}, {"0 0 1 * *", 9}},
    {{"@weekly", 7}, {"0 0 * * 0", 9}}, {{"@daily", 6}, {"0 0 * * *", 9}},    {{"@midnight", 9}, {"0 0 * * *", 9}},
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
        return err_set_at(reterr, 1, ERR_INVALID_CRON,
                          "the expression is empty; write five fields, such as 0 9 * * 1-5");
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

static enum err read_years(const struct cron_field *field, struct cron *cron, struct error *reterr)
{
    struct cron_bits bits;

    if (field->text.len == 0 || str_is(field->text, "*")) {
        for (int bit = 0; bit <= YEAR_MAX + 1 - CRON_YEAR_BASE; bit++) {
            cron->years[bit / 64] |= 1ULL << (bit % 64);
        }
        return ERR_OK;
    }
    enum err err = cron_items_parse(field, &bits, reterr);
    if (err == ERR_OK) {
        memcpy(cron->years, bits.words, sizeof cron->years);
    }
    return err;
}

static enum err read_times(const struct fields *fields, struct cron *cron, struct error *reterr)
{
    const struct cron_field *second = &fields->by_kind[CRON_SECOND];
    uint64_t mask = 1;
    enum err err = second->text.len == 0 ? ERR_OK : cron_items_mask(second, &mask, cron, reterr);

    cron->seconds = mask;
    if (err == ERR_OK) {
        err = cron_items_mask(&fields->by_kind[CRON_MINUTE], &cron->minutes, cron, reterr);
    }
    if (err == ERR_OK) {
        err = cron_items_mask(&fields->by_kind[CRON_HOUR], &mask, cron, reterr);
        cron->hours = (uint32_t)mask;
    }
    cron->follows_clock = cron_field_begins_with_star(&fields->by_kind[CRON_MINUTE]) ||
                          cron_field_begins_with_star(&fields->by_kind[CRON_HOUR]);
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
    *cron = (struct cron){.dialect = fields.dialect};
    err = read_times(&fields, cron, reterr);
    if (err == ERR_OK) {
        err = cron_days_parse(&fields.by_kind[CRON_MONTH_DAY], &fields.by_kind[CRON_WEEKDAY], cron, reterr);
    }
    if (err == ERR_OK) {
        err = cron_items_mask(&fields.by_kind[CRON_MONTH], &mask, cron, reterr);
        cron->months = (uint32_t)mask;
    }
    if (err == ERR_OK) {
        err = read_years(&fields.by_kind[CRON_YEAR], cron, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    if (!cron->follows_clock && cron->hours == ALL_HOURS) {
        cron->warnings |= CRON_WARN_FIXED_HOURS;
    }
    spread_weekdays(cron);
    if (!cron_local_has_day(cron)) {
        return err_set_at(reterr, fields.by_kind[CRON_MONTH_DAY].position, ERR_NEVER_FIRES,
                          "day of month field: this expression can never fire: no such day comes between %d and %d",
                          YEAR_MIN, YEAR_MAX);
    }
    return ERR_OK;
}

static enum err unknown_macro(struct str word, int position, struct error *reterr)
{
    static const char *const names[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                        "@daily",  "@midnight", "@hourly",  NULL};
    const char *nearest = str_nearest(word, names);

    if (nearest != NULL) {
        return err_set_at(reterr, position, ERR_INVALID_CRON, "\"%.*s\" is not known; did you mean %s?", STR_ARGS(word),
                          nearest);
    }
    return err_set_at(reterr, position, ERR_INVALID_CRON,
                      "\"%.*s\" is not known; there are @yearly, @monthly, @weekly, @daily, @hourly and @every 90s",
                      STR_ARGS(word));
}

/* text is trimmed and begins with @ at the given position. */
static enum err parse_macro(struct str text, int position, struct str seed, struct cron *cron, struct error *reterr)
{
    struct str word = text;

    for (size_t i = 0; i < text.len && word.len == text.len; i++) {
        word.len = is_blank(text.ptr[i]) ? i : text.len;
    }
    if (str_equal_nocase(word, STR("@reboot"))) {
        return err_set_at(reterr, position, ERR_INVALID_CRON,
                          "@reboot names no time: Belfry's jobs do not depend on when a machine starts");
    }
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
        if (!str_equal_nocase(macros[i].name, word)) {
            continue;
        }
        if (word.len < text.len) {
            return err_set_at(reterr, position + (int)word.len + 1, ERR_INVALID_CRON,
                              "%.*s stands alone; leave out what is behind it", STR_ARGS(word));
        }
        return parse_fields(macros[i].meaning, seed, cron, reterr);
    }
    return unknown_macro(word, position, reterr);
}

/* Somebody may have pasted a whole line of a crontab: then the five fields before its command are good by themselves,
 * and the error lies behind them. Adds to the error what to do then. */
static void hint_at_crontab(struct str text, struct str seed, struct error *reterr)
{
    struct cron_field words[FIELDS_MAX] = {0};
    struct cron cron;
    size_t count = cut(text, words);

    if (count < 6 || reterr->position < words[5].position) {
        return;
    }
    struct str five = {text.ptr, (size_t)(words[4].text.ptr + words[4].text.len - text.ptr)};
    if (parse_fields(five, seed, &cron, NULL) != ERR_OK) {
        return;
    }
    if (count > FIELDS_MAX) {
        (void)err_set_at(
            reterr, words[5].position, ERR_INVALID_CRON,
            "found %zu fields; this looks like a line of a crontab: the expression is \"%.*s\", leave out the "
            "rest",
            count, STR_ARGS(five));
        return;
    }
    (void)err_add(reterr, reterr->code,
                  " (%zu fields are read as Quartz's; if this is a line of a crontab, the expression is \"%.*s\")",
                  count, STR_ARGS(five));
}

static struct str trim_blanks(struct str text)
{
    while (text.len > 0 && is_blank(text.ptr[0])) {
        text = str_skip(text, 1);
    }
    while (text.len > 0 && is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

enum err cron_parse(struct str text, struct str seed, struct cron *ret_cron, struct error *reterr)
{
    struct str word = trim_blanks(text);
    struct cron cron;
    enum err err;

    if (text.len > CRON_EXPR_BYTES_MAX) {
        return err_set_at(reterr, CRON_EXPR_BYTES_MAX + 1, ERR_TOO_LARGE,
                          "the expression has %zu characters; at most %d are allowed", text.len, CRON_EXPR_BYTES_MAX);
    }
    if (word.len > 0 && word.ptr[0] == '@') {
        err = parse_macro(word, (int)(word.ptr - text.ptr) + 1, seed, &cron, reterr);
    } else {
        err = parse_fields(text, seed, &cron, reterr);
        if (err != ERR_OK && reterr != NULL) {
            hint_at_crontab(text, seed, reterr);
        }
    }
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
    case CRON_WARN_FIXED_HOURS:
        return "all hours are written out, so these are fixed times, and none comes while the clock repeats an hour in "
               "autumn: write * for the hour to follow the clock";
    case CRON_WARN_LONG_STEP:
        return "a step is longer than its field, so that only the first value is left";
    }
    return "";
}
