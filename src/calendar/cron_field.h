/* cron_field: one field of a cron expression, from text to bits. Used by cron_parse.c alone.
 *
 * A field is a list of items: a star, a value, a range, each perhaps with a step; H for a spread value. What is special
 * to Quartz's day fields (? L W #) is not a list and is read by cron_parse.c.
 */
#ifndef CALENDAR_CRON_FIELD_H
#define CALENDAR_CRON_FIELD_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "calendar/cron.h"

enum cron_field_kind {
    CRON_SECOND,
    CRON_MINUTE,
    CRON_HOUR,
    CRON_MONTH_DAY,
    CRON_MONTH,
    CRON_WEEKDAY,
    CRON_YEAR,
};

struct cron_field {
    enum cron_field_kind kind;
    enum cron_dialect dialect;
    struct str text; /* not empty, no white space */
    int position;    /* 1-based, of text in the whole expression */
    struct str seed;
};

/* Bits of a field's values, counted from 0 for all kinds but the year (from CRON_YEAR_BASE). */
struct cron_bits {
    uint64_t words[CRON_YEAR_WORDS];
    unsigned warnings;
};

/* "day of month" and so on, for people. */
const char *cron_field_name(enum cron_field_kind kind);

enum err cron_field_parse(const struct cron_field *field, struct cron_bits *ret_bits, struct error *reterr) MUST_CHECK;

/* Reads one value at *at (a number or a name) and moves *at behind it; range-checked. Weekdays come as the dialect
 * numbers them. */
enum err cron_field_value(const struct cron_field *field, size_t *at, int *ret_value, bool *ret_named,
                          struct error *reterr) MUST_CHECK;

/* An error at text[at] of the field that begins with the field's name. */
enum err cron_field_error(const struct cron_field *field, size_t at, struct error *reterr, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
