/* cron_fire: when a cron expression fires in a zone, to the second, through gaps and folds.
 *
 * Rules: (1) A schedule that follows the clock (minute or hour field begins with a star) fires at every instant whose
 *            local time matches: nothing in a gap, both passes of a fold. Every-15-minutes has no hole and no double.
 *        (2) Any other schedule is a list of fixed local times. One in a gap fires as dst.gap says, one in a fold as
 *            dst.fold says. What lands on the same instant fires once.
 *        (3) Fires lie in the years YEAR_MIN to YEAR_MAX, UTC.
 *        (4) A zone's changes lie further apart than the clock moves at them, as all of tzdata's do since 1970 (a unit
 *            test holds it); else which pass is the first would be a matter of taste.
 * Never: reads a clock; zone and instant are arguments.
 * See:   docs/time.md (the rules with odd zones as examples), tests/unit/calendar/test_cron_fire.c, tests/oracle/
 */
#ifndef CALENDAR_CRON_FIRE_H
#define CALENDAR_CRON_FIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calendar/cron.h"
#include "calendar/dst.h"
#include "calendar/zone.h"

/* An expression where and how it is to be read. Borrows all of it. */
struct cron_clock {
    const struct cron *cron;
    const struct zone *zone;
    struct dst dst;
};

/* The first fire after an instant, the last before one; false where there is none. */
bool cron_next(const struct cron_clock *clock, int64_t after_s, int64_t *ret_s);
bool cron_prev(const struct cron_clock *clock, int64_t before_s, int64_t *ret_s);

/* How many fires there are from from_s to before to_s. Costs by the month, and with DST_GAP_SHIFT by the fires inside
 * gaps, not by all fires. */
int64_t cron_count(const struct cron_clock *clock, int64_t from_s, int64_t to_s);

/* The first fires from from_s to before to_s, at most max of them; returns how many. */
size_t cron_list(const struct cron_clock *clock, int64_t from_s, int64_t to_s, int64_t *ret_fires_s, size_t max);

#endif
