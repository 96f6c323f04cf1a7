/* describe_parts: the pieces describe.c is put together from. Used by the describe files alone.
 */
#ifndef CALENDAR_DESCRIBE_PARTS_H
#define CALENDAR_DESCRIBE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "calendar/cron.h"

/* What the bits from min to max look like to a person. */
enum pattern_kind {
    PATTERN_ALL,
    PATTERN_ONE,   /* first */
    PATTERN_RANGE, /* first to last, without holes, at least three */
    PATTERN_STEP,  /* every step-th from first to the end, at least three, or the two halves of all */
    PATTERN_LIST,  /* anything else */
};

struct pattern {
    enum pattern_kind kind;
    int first;
    int last;
    int step; /* STEP */
};

struct pattern pattern_of(uint64_t mask, int min, int max);

/* How one value of a list is written. */
typedef void describe_value(struct buf *out, int value);

/* The values of a mask as "a, b and c", with ranges of three and more as "a to c"; last is " and " or " or ". */
void describe_list(struct buf *out, uint64_t mask, describe_value *value, const char *last);

/* A plain number. */
void describe_number(struct buf *out, int value);

/* "at 09:00", "every 15 minutes from 09:00 to 17:59". Returns whether it names times of day ("at ..."). */
bool describe_time(const struct cron *cron, struct buf *out);

/* ", Monday to Friday", ", on the 1st of January", ", in 2027"; says "every day" only where names_times. */
void describe_days(const struct cron *cron, bool names_times, struct buf *out);

#endif
