#include "calendar/cron_items.h"

#include <assert.h>

#include "base/hash.h"

/* An item of a list: the values from first to last in steps. */
struct item {
    int first;
    int last;
    int step;
    bool star; /* written as a star */
};

/* "/15": Quartz refuses steps longer than the field, but not behind a range or in years; Debian takes them all. */
static enum err read_step(const struct cron_field *field, size_t *at, bool is_range, int *ret_step,
                          struct error *reterr)
{
    const struct cron_shape *shape = cron_field_shape(field);
    size_t start = ++*at;
    char shown[CRON_SHOWN_BYTES];

    if (!cron_field_digit_at(field, start)) {
        return cron_field_error(field, start, reterr, "expected a number after '/' but found %s",
                                cron_field_shown(field, start, shown));
    }
    enum err err = cron_field_number(field, at, ret_step, reterr);
    if (err != ERR_OK) {
        return err;
    }
    if (*ret_step == 0) {
        return cron_field_error(field, start, reterr, "a step must be at least 1");
    }
    bool limited = field->dialect == CRON_QUARTZ && !is_range && field->kind != CRON_YEAR;
    if (limited && *ret_step > shape->max) {
        return cron_field_error(field, start, reterr, "a step of %d is longer than the field; at most %d", *ret_step,
                                shape->max);
    }
    return ERR_OK;
}

/* "(0-29)" behind an H. */
static enum err read_spread_range(const struct cron_field *field, size_t *at, struct item *item, struct error *reterr)
{
    size_t start = ++*at;
    bool named;
    enum err err = cron_field_value(field, at, &item->first, &named, reterr);

    if (err == ERR_OK && cron_field_char(field, *at) != '-') {
        return cron_field_error(field, *at, reterr, "expected a range such as H(0-29)");
    }
    if (err == ERR_OK) {
        ++*at;
        err = cron_field_value(field, at, &item->last, &named, reterr);
    }
    if (err == ERR_OK && cron_field_char(field, *at) != ')') {
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
    const struct cron_shape *shape = cron_field_shape(field);
    uint64_t hash = hash64(field->seed.ptr, field->seed.len, (uint64_t)field->kind);
    enum err err = ERR_OK;

    if (field->kind == CRON_YEAR) {
        return cron_field_error(field, *at, reterr, "H cannot spread years");
    }
    ++*at;
    bits->is_spread = true;
    item->first = shape->min;
    item->last = shape->spread_max;
    if (cron_field_char(field, *at) == '(') {
        err = read_spread_range(field, at, item, reterr);
    }
    if (err == ERR_OK && cron_field_char(field, *at) == '/') {
        err = read_step(field, at, false, &item->step, reterr);
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

static enum err read_star(const struct cron_field *field, size_t *at, struct item *item, struct error *reterr)
{
    const struct cron_shape *shape = cron_field_shape(field);

    *item = (struct item){.first = shape->min, .last = shape->max, .step = 1, .star = true};
    if (cron_field_char(field, *at) == '*') { /* Quartz also writes "/5" for a star with a step */
        ++*at;
    }
    return cron_field_char(field, *at) == '/' ? read_step(field, at, false, &item->step, reterr) : ERR_OK;
}

/* A range that ends before it begins: Quartz goes round, Unix has no such thing. text is the range as written. */
static enum err check_reversed(const struct cron_field *field, size_t start, struct str text, struct item *item,
                               struct error *reterr)
{
    const struct cron_shape *shape = cron_field_shape(field);
    bool is_weekday = field->kind == CRON_WEEKDAY;
    int max = is_weekday ? shape->spread_max : shape->max; /* 7 is Sunday again */

    if (item->first <= item->last) {
        return ERR_OK;
    }
    if (field->dialect == CRON_UNIX && is_weekday && item->last == 0) {
        return cron_field_error(field, start, reterr,
                                "the range %.*s is reversed, since Sunday at the end of a range is 7; write %d-7",
                                STR_ARGS(text), item->first);
    }
    if (field->dialect == CRON_UNIX) {
        return cron_field_error(field, start, reterr, "the range %.*s is reversed; write %d-%d,%d-%d", STR_ARGS(text),
                                item->first, max, shape->min, item->last);
    }
    if (field->kind == CRON_YEAR) {
        return cron_field_error(field, start, reterr, "the range %.*s is reversed", STR_ARGS(text));
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
    bool is_range = cron_field_char(field, *at) == '-';
    if (is_range) {
        ++*at;
        err = cron_field_value(field, at, &item->last, &named_last, reterr);
        if (err == ERR_OK) {
            err = check_reversed(field, start, (struct str){field->text.ptr + start, *at - start}, item, reterr);
        }
    }
    if (err == ERR_OK && quartz && is_range && named != named_last) {
        return cron_field_error(field, start, reterr, "a range has two names or two numbers, not one of each");
    }
    if (quartz && field->kind == CRON_WEEKDAY && !named) {
        bits->warnings |= CRON_WARN_NUMERIC_WEEKDAY;
    }
    if (err != ERR_OK || cron_field_char(field, *at) != '/') {
        return err;
    }
    if (!quartz && !is_range) {
        return cron_field_error(field, *at, reterr, "a step needs a range or a star before it; write %d-%d%.*s",
                                item->first, cron_field_shape(field)->max,
                                (int)(field->text.len - *at < 8 ? field->text.len - *at : 8), field->text.ptr + *at);
    }
    if (quartz && named) { /* and so is the last, if there is one */
        return cron_field_error(field, *at, reterr, "Quartz ignores a step after names; write numbers or a list");
    }
    if (!is_range) {
        item->last = cron_field_shape(field)->max;
    }
    return read_step(field, at, is_range, &item->step, reterr);
}

static enum err read_item(const struct cron_field *field, size_t *at, struct item *item, struct cron_bits *bits,
                          struct error *reterr)
{
    char c = cron_field_char(field, *at);

    if (c == '*' || (c == '/' && field->dialect == CRON_QUARTZ)) {
        return read_star(field, at, item, reterr);
    }
    if (c == 'H' && !cron_field_letter_at(field, *at + 1)) {
        return read_spread(field, at, item, bits, reterr);
    }
    return read_range(field, at, item, bits, reterr);
}

static void put_item(const struct cron_field *field, const struct item *item, struct cron_bits *bits)
{
    const struct cron_shape *shape = cron_field_shape(field);
    int size = shape->max - shape->min + 1;
    int base = field->kind == CRON_YEAR ? CRON_YEAR_BASE : 0;

    for (int i = item->first; i <= item->last; i += item->step) {
        int bit = (i > shape->max ? i - size : i) - base;

        assert(bit >= 0 && bit < CRON_YEAR_WORDS * 64);
        bits->words[bit / 64] |= 1ULL << (bit % 64);
    }
    if (item->star && item->step > 1 && cron_field_is_day(field)) {
        bits->warnings |= CRON_WARN_DAY_STEP;
    }
    if (item->step > 1 && item->step > item->last - item->first) {
        bits->warnings |= CRON_WARN_LONG_STEP;
    }
}

/* Why an item did not end at a comma or at the field's end. */
static enum err rubbish(const struct cron_field *field, size_t at, struct error *reterr)
{
    char c = cron_field_char(field, at);
    char shown[CRON_SHOWN_BYTES];

    if (cron_field_is_day(field) && (c == 'L' || c == 'W' || c == '#')) {
        return cron_field_mark_error(field, at, reterr);
    }
    return cron_field_error(field, at, reterr, "%s has no place here; allowed is %s",
                            cron_field_shown(field, at, shown), cron_field_shape(field)->allowed);
}

enum err cron_items_parse(const struct cron_field *field, struct cron_bits *ret_bits, struct error *reterr)
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

enum err cron_items_mask(const struct cron_field *field, uint64_t *ret_mask, struct cron *cron, struct error *reterr)
{
    struct cron_bits bits = {0};
    enum err err = cron_items_parse(field, &bits, reterr);

    if (err == ERR_OK) {
        cron->warnings |= bits.warnings;
        cron->is_spread |= bits.is_spread;
        *ret_mask = bits.words[0];
    }
    return err;
}
