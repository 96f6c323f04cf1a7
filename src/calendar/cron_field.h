/* cron_field: a field of a cron expression, and one value in it. Used by the cron readers alone.
 *
 * See: cron_items.h (lists of values), cron_days.h (the day fields), cron_parse.c (the whole)
 */
#ifndef CALENDAR_CRON_FIELD_H
#define CALENDAR_CRON_FIELD_H

#include <stdbool.h>
#include <stddef.h>

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
    struct str seed; /* for H */
};

/* What a kind of field may hold in a dialect. */
struct cron_shape {
    const char *name; /* "day of month" */
    int min;
    int max;
    int spread_max;      /* H picks from min to here: the 29th to 31st do not come every month */
    const char *names;   /* three letters each, the first has the value min; NULL where there are none */
    const char *allowed; /* for error texts */
};

const struct cron_shape *cron_field_shape(const struct cron_field *field);

/* The character at an offset into the field, in upper case; '\0' behind its end. */
char cron_field_char(const struct cron_field *field, size_t at);

bool cron_field_digit_at(const struct cron_field *field, size_t at);
bool cron_field_letter_at(const struct cron_field *field, size_t at);

/* Whether the field begins with a star; Quartz's "/5" is one with a step. */
bool cron_field_begins_with_star(const struct cron_field *field);

bool cron_field_is_day(const struct cron_field *field);

/* What stands at an offset, for error texts: 'x', or the end of the field. */
#define CRON_SHOWN_BYTES 8
const char *cron_field_shown(const struct cron_field *field, size_t at, char out[CRON_SHOWN_BYTES]);

/* An error at an offset; its text begins with the field's name. */
enum err cron_field_error(const struct cron_field *field, size_t at, struct error *reterr, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The error for an L, W or # at an offset where it has no place: says where it has one. */
enum err cron_field_mark_error(const struct cron_field *field, size_t at, struct error *reterr);

/* Reads the digits at *at, of which there must be one, and moves *at behind them. */
enum err cron_field_number(const struct cron_field *field, size_t *at, int *ret_number,
                           struct error *reterr) MUST_CHECK;

/* Reads one value at *at, a number in range or a name, and moves *at behind it. Weekdays come as the dialect numbers
 * them. */
enum err cron_field_value(const struct cron_field *field, size_t *at, int *ret_value, bool *ret_named,
                          struct error *reterr) MUST_CHECK;

#endif
