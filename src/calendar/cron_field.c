#include "calendar/cron_field.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MONTH_NAMES "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
#define WEEKDAY_NAMES "SUNMONTUEWEDTHUFRISAT"

/* By kind and dialect. Five fields have neither second nor year. */
static const struct cron_shape shapes[][2] = {
    [CRON_SECOND] = {[CRON_QUARTZ] = {"second", 0, 59, 59, NULL, "0 to 59"}},
    [CRON_MINUTE] =
        {[CRON_UNIX] = {"minute", 0, 59, 59, NULL, "0 to 59"}, [CRON_QUARTZ] = {"minute", 0, 59, 59, NULL, "0 to 59"}},
    [CRON_HOUR] =
        {[CRON_UNIX] = {"hour", 0, 23, 23, NULL, "0 to 23"}, [CRON_QUARTZ] = {"hour", 0, 23, 23, NULL, "0 to 23"}},
    [CRON_MONTH_DAY] = {[CRON_UNIX] = {"day of month", 1, 31, 28, NULL, "1 to 31"},
                        [CRON_QUARTZ] = {"day of month", 1, 31, 28, NULL, "1 to 31, ?, L, L-3, LW or 15W"}},
    [CRON_MONTH] = {[CRON_UNIX] = {"month", 1, 12, 12, MONTH_NAMES, "1 to 12 or JAN to DEC"},
                    [CRON_QUARTZ] = {"month", 1, 12, 12, MONTH_NAMES, "1 to 12 or JAN to DEC"}},
    [CRON_WEEKDAY] = {[CRON_UNIX] = {"day of week", 0, 7, 6, WEEKDAY_NAMES,
                                     "0 to 7 (0 and 7 are Sunday) or SUN to SAT"},
                      [CRON_QUARTZ] = {"day of week", 1, 7, 7, WEEKDAY_NAMES,
                                       "1 to 7 (1 is Sunday) or SUN to SAT, ?, L, 6L or 6#3"}},
    [CRON_YEAR] = {[CRON_QUARTZ] = {"year", YEAR_MIN, YEAR_MAX, YEAR_MAX, NULL, "1970 to 2200"}},
};

const struct cron_shape *cron_field_shape(const struct cron_field *field)
{
    return &shapes[field->kind][field->dialect];
}

enum err cron_field_error(const struct cron_field *field, size_t at, struct error *reterr, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_at(reterr, field->position + (int)at, ERR_INVALID_CRON, "%s field: %.400s",
                      cron_field_shape(field)->name, text);
}

char cron_field_char(const struct cron_field *field, size_t at)
{
    char c = at < field->text.len ? field->text.ptr[at] : '\0';

    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool cron_field_begins_with_star(const struct cron_field *field)
{
    return cron_field_char(field, 0) == '*' || cron_field_char(field, 0) == '/';
}

bool cron_field_is_day(const struct cron_field *field)
{
    return field->kind == CRON_MONTH_DAY || field->kind == CRON_WEEKDAY;
}

bool cron_field_digit_at(const struct cron_field *field, size_t at)
{
    char c = cron_field_char(field, at);

    return c >= '0' && c <= '9';
}

bool cron_field_letter_at(const struct cron_field *field, size_t at)
{
    char c = cron_field_char(field, at);

    return c >= 'A' && c <= 'Z';
}

const char *cron_field_shown(const struct cron_field *field, size_t at, char out[CRON_SHOWN_BYTES])
{
    char c = at < field->text.len ? field->text.ptr[at] : '\0';

    if (at >= field->text.len) {
        return "the end of the field";
    }
    if (c < ' ' || c == 127) { /* char may be signed: what is beyond ASCII comes here too */
        return "an unprintable character";
    }
    (void)snprintf(out, CRON_SHOWN_BYTES, "'%c'", c);
    return out;
}

enum err cron_field_number(const struct cron_field *field, size_t *at, int *ret_number, struct error *reterr)
{
    const int number_max = 99999; /* larger than any value or step that makes sense, small enough never to overflow */
    size_t start = *at;
    int number = 0;

    for (; cron_field_digit_at(field, *at); (*at)++) {
        number = number * 10 + (cron_field_char(field, *at) - '0');
        if (number > number_max) {
            return cron_field_error(field, start, reterr, "the number is too large; allowed is %s",
                                    cron_field_shape(field)->allowed);
        }
    }
    *ret_number = number;
    return ERR_OK;
}

static size_t letters_at(const struct cron_field *field, size_t at)
{
    size_t len = 0;

    while (cron_field_letter_at(field, at + len)) {
        len++;
    }
    return len;
}

enum err cron_field_mark_error(const struct cron_field *field, size_t at, struct error *reterr)
{
    static const char *const places[] = {
        "L stands alone in a day of month (the last day; L-3, LW) or behind one weekday (6L)",
        "W stands behind one day of month (15W) or behind L",
        "# stands between one weekday and a number from 1 to 5 (6#3)",
    };
    char mark = cron_field_char(field, at);
    const char *place = places[mark == 'L' ? 0 : mark == 'W' ? 1 : 2];

    if (field->dialect == CRON_UNIX) {
        return cron_field_error(field, at, reterr, "'%c' is Quartz's and needs six or seven fields; allowed is %s",
                                field->text.ptr[at], cron_field_shape(field)->allowed);
    }
    return cron_field_error(field, at, reterr, "%s, and in no list or range; allowed is %s", place,
                            cron_field_shape(field)->allowed);
}

/* What stands at `at` is no value: say what it is, and what would be one. */
static enum err not_a_value(const struct cron_field *field, size_t at, struct error *reterr)
{
    char c = cron_field_char(field, at);
    char shown[CRON_SHOWN_BYTES];
    size_t len = letters_at(field, at);

    if (cron_field_is_day(field) && c == '?') {
        return cron_field_error(field, at, reterr, "'?' %s; allowed is %s",
                                field->dialect == CRON_UNIX ? "is Quartz's and needs six or seven fields"
                                                            : "stands alone in its field",
                                cron_field_shape(field)->allowed);
    }
    if (cron_field_is_day(field) && len <= 2 && (c == 'L' || c == 'W' || c == '#')) {
        return cron_field_mark_error(field, at, reterr);
    }
    if (len > 0) {
        return cron_field_error(field, at, reterr, "\"%.*s\" is not known here; allowed is %s",
                                (int)(len < 20 ? len : 20), field->text.ptr + at, cron_field_shape(field)->allowed);
    }
    return cron_field_error(field, at, reterr, "expected a value but found %s; allowed is %s",
                            cron_field_shown(field, at, shown), cron_field_shape(field)->allowed);
}

static enum err read_name(const struct cron_field *field, size_t *at, int *ret_value, struct error *reterr)
{
    const struct cron_shape *shape = cron_field_shape(field);
    size_t len = letters_at(field, *at);
    bool takes_last = field->kind == CRON_WEEKDAY && field->dialect == CRON_QUARTZ;
    /* Quartz puts an L behind a weekday's name (FRIL); anything else longer than three letters is no name. */
    bool fits = len == 3 || (len == 4 && takes_last && cron_field_char(field, *at + 3) == 'L');
    struct str text = {field->text.ptr + *at, 3};

    for (int i = 0; fits && shape->names != NULL && shape->names[3 * i] != '\0'; i++) {
        if (str_equal_nocase(text, (struct str){shape->names + 3 * i, 3})) {
            *at += 3;
            *ret_value = shape->min + i;
            return ERR_OK;
        }
    }
    return not_a_value(field, *at, reterr);
}

enum err cron_field_value(const struct cron_field *field, size_t *at, int *ret_value, bool *ret_named,
                          struct error *reterr)
{
    const struct cron_shape *shape = cron_field_shape(field);
    size_t start = *at;
    int value = 0;

    *ret_named = cron_field_letter_at(field, *at);
    if (*ret_named) {
        return read_name(field, at, ret_value, reterr);
    }
    if (!cron_field_digit_at(field, *at)) {
        return not_a_value(field, *at, reterr);
    }
    enum err err = cron_field_number(field, at, &value, reterr);
    if (err != ERR_OK) {
        return err;
    }
    if (value < shape->min || value > shape->max) {
        return cron_field_error(field, start, reterr, "%d is out of range; allowed is %s", value,
                                cron_field_shape(field)->allowed);
    }
    *ret_value = value;
    return ERR_OK;
}
