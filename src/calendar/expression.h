/* expression: what a person writes for "when": a cron expression or an interval, perhaps with its zone.
 *
 *     0 9 * * MON-FRI      TZID=America/New_York:0 9 * * MON-FRI      @daily      @every 90s
 *
 * Owns:  nothing; an expression is a plain value.
 * See:   cron.h, duration.h
 */
#ifndef CALENDAR_EXPRESSION_H
#define CALENDAR_EXPRESSION_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "calendar/cron.h"

enum expression_kind {
    EXPRESSION_CRON,
    EXPRESSION_EVERY,
};

struct expression {
    enum expression_kind kind;
    char zone[ZONE_NAME_BYTES_MAX + 1]; /* as TZID= names it, not yet looked up; "" where it does not */
    int zone_position;                  /* 1-based, where the zone's name stands; 0 without one */
    struct cron cron;                   /* CRON */
    int64_t every_ms;                   /* EVERY */
};

/* The seed spreads H, see cron_parse. Errors name the position in text. */
enum err expression_parse(struct str text, struct str seed, struct expression *ret_expression,
                          struct error *reterr) MUST_CHECK;

#endif
