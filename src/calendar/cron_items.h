/* cron_items: the list that a field of a cron expression is, from text to bits. Used by the cron readers alone.
 *
 * A field is a list of items: a star, a value, a range, each perhaps with a step; H for a spread value. What is special
 * to Quartz's day fields (? L W #) is not a list and is read by cron_days.c.
 */
#ifndef CALENDAR_CRON_ITEMS_H
#define CALENDAR_CRON_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "calendar/cron.h"
#include "calendar/cron_field.h"

/* Bits of a field's values, counted from 0 for all kinds but the year (from CRON_YEAR_BASE). */
struct cron_bits {
    uint64_t words[CRON_YEAR_WORDS];
    unsigned warnings;
    bool is_spread; /* there is an H in it */
};

enum err cron_items_parse(const struct cron_field *field, struct cron_bits *ret_bits, struct error *reterr) MUST_CHECK;

/* The same for kinds whose bits fit into one word, all but the year. What else was learnt is noted in the cron. */
enum err cron_items_mask(const struct cron_field *field, uint64_t *ret_mask, struct cron *cron,
                         struct error *reterr) MUST_CHECK;

#endif
