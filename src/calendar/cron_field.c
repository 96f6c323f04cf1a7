#include "calendar/cron_field.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

struct shape {
    const char *name;
    int min;
    int max;
    int spread_max;          /* H picks from min to here: the 29th to 31st do not come every month */
    const char *const names; /* three letters each, the first has the value min; NULL where there are none */
};

#define MONTH_NAMES "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
#define WEEKDAY_NAMES "SUNMONTUEWEDTHUFRISAT"

static const struct shape shapes[][2] = {
    [CRON_SECOND] = {[CRON_UNIX] = {"second", 0, 59, 59, NULL}, [CRON_QUARTZ] = {"second", 0, 59, 59, NULL}},
    [CRON_MINUTE] = {[CRON_UNIX] = {"minute", 0, 59, 59, NULL}, [CRON_QUARTZ] = {"minute", 0, 59, 59, NULL}},
    [CRON_HOUR] = {[CRON_UNIX] = {"hour", 0, 23, 23, NULL}, [CRON_QUARTZ] = {"hour", 0, 23, 23, NULL}},
    [CRON_MONTH_DAY] = {[CRON_UNIX] = {"day of month", 1, 31, 28, NULL},
                        [CRON_QUARTZ] = {"day of month", 1, 31, 28, NULL}},
    [CRON_MONTH] = {[CRON_UNIX] = {"month", 1, 12, 12, MONTH_NAMES}, [CRON_QUARTZ] = {"month", 1, 12, 12, MONTH_NAMES}},
    [CRON_WEEKDAY] = {[CRON_UNIX] = {"day of week", 0, 7, 6, WEEKDAY_NAMES},
                      [CRON_QUARTZ] = {"day of week", 1, 7, 7, WEEKDAY_NAMES}},
    [CRON_YEAR] = {[CRON_UNIX] = {"year", YEAR_MIN, YEAR_MAX, YEAR_MAX, NULL},
                   [CRON_QUARTZ] = {"year", YEAR_MIN, YEAR_MAX, YEAR_MAX, NULL}},
};

/* An item of a list: the values from first to last in steps. */
struct item {
    int first;
    int last;
    int step;
    bool star; /* written as a star */
};

static const struct shape *shape_of(const struct cron_field *field)
{
    return &shapes[field->kind][field->dialect];
}

const char *cron_field_name(enum cron_field_kind kind)
{
    return shapes[kind][CRON_UNIX].name;
}

enum err cron_field_error(const struct cron_field *field, size_t at, struct error *reterr, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_at(reterr, field->position + (int)at, ERR_INVALID_CRON, "%s field: %.400s",
                      cron_field_name(field->kind), text);
}

/* What may stand in the field, for error texts. */
static const char *allowed(const struct cron_field *field)
{
    static const char *const texts[][2] = {
        [CRON_SECOND] = {"0 to 59", "0 to 59"},
        [CRON_MINUTE] = {"0 to 59", "0 to 59"},
        [CRON_HOUR] = {"0 to 23", "0 to 23"},
        [CRON_MONTH_DAY] = {"1 to 31", "1 to 31, ?, L, L-3, LW or 15W"},
        [CRON_MONTH] = {"1 to 12 or JAN to DEC", "1 to 12 or JAN to DEC"},
        [CRON_WEEKDAY] = {"0 to 7 (0 and 7 are Sunday) or SUN to SAT",
                          "1 to 7 (1 is Sunday) or SUN to SAT, ?, L, 6L or 6#3"},
        [CRON_YEAR] = {"", "1970 to 2200"},
    };
    return texts[field->kind][field->dialect];
}

static char char_at(const struct cron_field *field, size_t at)
{
    return at < field->text.len ? field->text.ptr[at] : '\0';
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return upper(c) >= 'A' && upper(c) <= 'Z';
}

/* What stands at `at`, for error texts: a character, or the field's end. */
static const char *shown_at(const struct cron_field *field, size_t at, char out[8])
{
    char c = char_at(field, at);

    if (c == '\0') {
        return "the end of the field";
    }
    (void)snprintf(out, 8, c > ' ' && c < 127 ? "'%c'" : "a byte", c);
    return out;
}

/* Digits at *at as a number; the caller has seen that there is one. More than max is an error that says so. */
static enum err read_digits(const struct cron_field *field, size_t *at, int *ret_number, struct error *reterr)
{
    const int number_max = 99999; /* larger than any value or step that makes sense, small enough never to overflow */
    size_t start = *at;
    int number = 0;

    for (; is_digit(char_at(field, *at)); (*at)++) {
        number = number * 10 + (char_at(field, *at) - '0');
        if (number > number_max) {
            return cron_field_error(field, start, reterr, "the number is too large; allowed is %s", allowed(field));
        }
    }
    *ret_number = number;
    return ERR_OK;
}

/* What stands at `at` is no value: say what it is, and what would be one. */
static enum err not_a_value(const struct cron_field *field, size_t at, struct error *reterr)
{
    bool day_field = field->kind == CRON_MONTH_DAY || field->kind == CRON_WEEKDAY;
    char shown[8];
    size_t len = 0;

    while (is_letter(char_at(field, at + len))) {
        len++;
    }
    if (day_field && len <= 2 && char_at(field, at) != '\0' && strchr("?LW#", upper(char_at(field, at))) != NULL) {
        return cron_field_error(field, at, reterr, "'%c' %s", char_at(field, at),
                                field->dialect == CRON_UNIX ? "is Quartz's and needs six or seven fields"
                                                            : "must stand alone in its field, not in a list or range");
    }
    if (len > 0) {
        return cron_field_error(field, at, reterr, "\"%.*s\" is not known here; allowed is %s",
                                (int)(len < 20 ? len : 20), field->text.ptr + at, allowed(field));
    }
    return cron_field_error(field, at, reterr, "expected a value but found %s; allowed is %s",
                            shown_at(field, at, shown), allowed(field));
}

static enum err read_name(const struct cron_field *field, size_t *at, int *ret_value, struct error *reterr)
{
    const struct shape *shape = shape_of(field);
    size_t len = 0;

    while (is_letter(char_at(field, *at + len))) {
        len++;
    }
    for (size_t i = 0; shape->names != NULL && shape->names[3 * i] != '\0'; i++) {
        const char *name = shape->names + 3 * i;
        const char *text = field->text.ptr + *at;

        /* Quartz puts an L behind a weekday's name (FRIL); anything else longer than three letters is no name. */
        bool ends = len == 3 || (len == 4 && field->kind == CRON_WEEKDAY && field->dialect == CRON_QUARTZ &&
                                 upper(text[3]) == 'L');
        if (ends && upper(text[0]) == name[0] && upper(text[1]) == name[1] && upper(text[2]) == name[2]) {
            *at += 3;
            *ret_value = shape->min + (int)i;
            return ERR_OK;
        }
    }
    return not_a_value(field, *at, reterr);
}

enum err cron_field_value(const struct cron_field *field, size_t *at, int *ret_value, bool *ret_named,
                          struct error *reterr)
{
    const struct shape *shape = shape_of(field);
    size_t start = *at;
    int value = 0;

    *ret_named = is_letter(char_at(field, *at));
    if (*ret_named) {
        return read_name(field, at, ret_value, reterr);
    }
    if (!is_digit(char_at(field, *at))) {
        return not_a_value(field, *at, reterr);
    }
    enum err err = read_digits(field, at, &value, reterr);
    if (err != ERR_OK) {
        return err;
    }
    if (value < shape->min || value > shape->max) {
        return cron_field_error(field, start, reterr, "%d is out of range; allowed is %s", value, allowed(field));
    }
    *ret_value = value;
    return ERR_OK;
}

/* "/15": Quartz refuses steps longer than the field, Debian takes them. */
static enum err read_step(const struct cron_field *field, size_t *at, int *ret_step, struct cron_bits *bits,
                          struct error *reterr)
{
    const struct shape *shape = shape_of(field);
    size_t start = ++*at;
    char shown[8];

    if (!is_digit(char_at(field, start))) {
        return cron_field_error(field, start, reterr, "expected a number after '/' but found %s",
                                shown_at(field, start, shown));
    }
    enum err err = read_digits(field, at, ret_step, reterr);
    if (err != ERR_OK) {
        return err;
    }
    int step_max = field->kind == CRON_YEAR ? shape->max - shape->min : shape->max;
    if (*ret_step == 0) {
        return cron_field_error(field, start, reterr, "a step must be at least 1");
    }
    if (*ret_step > step_max) {
        if (field->dialect == CRON_QUARTZ) {
            return cron_field_error(field, start, reterr, "a step of %d is longer than the field; at most %d",
                                    *ret_step, step_max);
        }
        bits->warnings |= CRON_WARN_LONG_STEP;
    }
    return ERR_OK;
}

/* "(0-29)" behind an H. */
static enum err read_spread_range(const struct cron_field *field, size_t *at, struct item *item, struct error *reterr)
{
    size_t start = ++*at;
    bool named;
    enum err err = cron_field_value(field, at, &item->first, &named, reterr);

    if (err == ERR_OK && char_at(field, *at) != '-') {
        return cron_field_error(field, *at, reterr, "expected a range such as H(0-29)");
    }
    if (err == ERR_OK) {
        ++*at;
        err = cron_field_value(field, at, &item->last, &named, reterr);
    }
    if (err == ERR_OK && char_at(field, *at) != ')') {
        return cron_field_error(field, *at, reterr, "expected ')' after the range of H");
    }
    if (err == ERR_OK && item->first > item->last) {
        return cron_field_error(field, start, reterr, "the range of H is reversed");
    }
    ++*at;
    return err;
}

/* "H", "H(0-29)", "H/15", "H(0-29)/10": the hash of seed and field picks the value, or where the steps begin. */
static enum err read_spread(const struct cron_field *field, size_t *at, struct item *item, struct cron_bits *bits,
                            struct error *reterr)
{
    const struct shape *shape = shape_of(field);
    uint64_t hash = hash64(field->seed.ptr, field->seed.len, (uint64_t)field->kind);
    enum err err = ERR_OK;

    if (field->kind == CRON_YEAR) {
        return cron_field_error(field, *at, reterr, "H cannot spread years");
    }
    ++*at;
    item->first = shape->min;
    item->last = shape->spread_max;
    if (char_at(field, *at) == '(') {
        err = read_spread_range(field, at, item, reterr);
    }
    if (err == ERR_OK && char_at(field, *at) == '/') {
        err = read_step(field, at, &item->step, bits, reterr);
    }
    if (err == ERR_OK) {
        int size = item->last - item->first + 1;

        if (item->step == 0 || item->step > size) {
            item->first += (int)(hash % (uint64_t)size);
            item->last = item->first;
            item->step = 1;
        } else {
            item->first += (int)(hash % (uint64_t)item->step);
        }
    }
    return err;
}

static enum err read_star(const struct cron_field *field, size_t *at, struct item *item, struct cron_bits *bits,
                          struct error *reterr)
{
    const struct shape *shape = shape_of(field);

    *item = (struct item){.first = shape->min, .last = shape->max, .step = 1, .star = true};
    if (char_at(field, *at) == '*') { /* Quartz also writes "/5" for a star with a step */
        ++*at;
    }
    return char_at(field, *at) == '/' ? read_step(field, at, &item->step, bits, reterr) : ERR_OK;
}

/* A range that ends before it begins: Quartz goes round, Unix has no such thing. */
static enum err check_reversed(const struct cron_field *field, size_t start, struct item *item, struct error *reterr)
{
    const struct shape *shape = shape_of(field);

    if (item->first <= item->last) {
        return ERR_OK;
    }
    if (field->dialect == CRON_UNIX && field->kind == CRON_WEEKDAY && item->last == 0) {
        return cron_field_error(field, start, reterr,
                                "the range %d-0 is reversed, since Sunday at the end of a range is 7; write %d-7",
                                item->first, item->first);
    }
    if (field->dialect == CRON_UNIX) {
        return cron_field_error(field, start, reterr, "the range %d-%d is reversed; write %d-%d,%d-%d", item->first,
                                item->last, item->first, shape->max, shape->min, item->last);
    }
    if (field->kind == CRON_YEAR) {
        return cron_field_error(field, start, reterr, "the range %d-%d is reversed", item->first, item->last);
    }
    item->last += shape->max - shape->min + 1; /* put_item folds it back */
    return ERR_OK;
}

static enum err read_range(const struct cron_field *field, size_t *at, struct item *item, struct cron_bits *bits,
                           struct error *reterr)
{
    bool quartz = field->dialect == CRON_QUARTZ;
    size_t start = *at;
    bool named;
    bool named_last = false;
    enum err err = cron_field_value(field, at, &item->first, &named, reterr);

    if (err != ERR_OK) {
        return err;
    }
    item->last = item->first;
    item->step = 1;
    bool is_range = char_at(field, *at) == '-';
    if (is_range) {
        ++*at;
        err = cron_field_value(field, at, &item->last, &named_last, reterr);
        if (err == ERR_OK) {
            err = check_reversed(field, start, item, reterr);
        }
    }
    if (quartz && field->kind == CRON_WEEKDAY && (!named || (is_range && !named_last))) {
        bits->warnings |= CRON_WARN_NUMERIC_WEEKDAY;
    }
    if (err != ERR_OK || char_at(field, *at) != '/') {
        return err;
    }
    if (!quartz && !is_range) {
        return cron_field_error(field, *at, reterr, "a step needs a range or a star before it; write %d-%d%.*s",
                                item->first, shape_of(field)->max,
                                (int)(field->text.len - *at < 8 ? field->text.len - *at : 8), field->text.ptr + *at);
    }
    if (quartz && (named || named_last)) {
        return cron_field_error(field, *at, reterr, "Quartz ignores a step after names; write numbers or a list");
    }
    if (!is_range) {
        item->last = shape_of(field)->max;
    }
    return read_step(field, at, &item->step, bits, reterr);
}

static enum err read_item(const struct cron_field *field, size_t *at, struct item *item, struct cron_bits *bits,
                          struct error *reterr)
{
    char c = char_at(field, *at);

    if (c == '*' || (c == '/' && field->dialect == CRON_QUARTZ)) {
        return read_star(field, at, item, bits, reterr);
    }
    if (c == 'H' && !is_letter(char_at(field, *at + 1))) {
        return read_spread(field, at, item, bits, reterr);
    }
    return read_range(field, at, item, bits, reterr);
}

static void put_item(const struct cron_field *field, const struct item *item, struct cron_bits *bits)
{
    const struct shape *shape = shape_of(field);
    int size = shape->max - shape->min + 1;
    int base = field->kind == CRON_YEAR ? CRON_YEAR_BASE : 0;

    for (int i = item->first; i <= item->last; i += item->step) {
        int bit = (i > shape->max ? i - size : i) - base;

        bits->words[bit / 64] |= 1ULL << (bit % 64);
    }
    bool day_field = field->kind == CRON_MONTH_DAY || field->kind == CRON_WEEKDAY;
    if (item->star && item->step > 1 && day_field) {
        bits->warnings |= CRON_WARN_DAY_STEP;
    }
}

/* Why an item did not end at a comma or at the field's end. */
static enum err rubbish(const struct cron_field *field, size_t at, struct error *reterr)
{
    char c = upper(char_at(field, at));
    char shown[8];
    bool day_field = field->kind == CRON_MONTH_DAY || field->kind == CRON_WEEKDAY;

    if (day_field && (c == 'L' || c == 'W' || c == '#')) {
        return cron_field_error(field, at, reterr, "'%c' %s", c,
                                field->dialect == CRON_UNIX ? "is Quartz's and needs six or seven fields"
                                                            : "stands with one single value, not in a list or range");
    }
    return cron_field_error(field, at, reterr, "unexpected %s; allowed is %s", shown_at(field, at, shown),
                            allowed(field));
}

enum err cron_field_parse(const struct cron_field *field, struct cron_bits *ret_bits, struct error *reterr)
{
    struct cron_bits bits = {0};
    size_t at = 0;

    for (;;) {
        struct item item = {0};
        enum err err = read_item(field, &at, &item, &bits, reterr);

        if (err != ERR_OK) {
            return err;
        }
        put_item(field, &item, &bits);
        if (at == field->text.len) {
            break;
        }
        if (field->text.ptr[at] != ',') {
            return rubbish(field, at, reterr);
        }
        at++;
    }
    *ret_bits = bits;
    return ERR_OK;
}
