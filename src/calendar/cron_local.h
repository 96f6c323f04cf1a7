/* cron_local: which local times match a cron expression. No zone, no instant: a wall clock that never jumps.
 *
 * Every search goes month by month with bit masks, at most once through the years of CRON_YEAR_BASE to YEAR_MAX + 1, so
 * its cost is bounded whatever the expression.
 *
 * See: cron_fire.h for instants; tests/unit/calendar/test_cron_local.c
 */
#ifndef CALENDAR_CRON_LOCAL_H
#define CALENDAR_CRON_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "calendar/cron.h"

/* No match: later than every local time, or earlier. */
#define CRON_LOCAL_NEVER INT64_MAX
#define CRON_LOCAL_NEVER_BEFORE INT64_MIN

/* Whether any day between YEAR_MIN and YEAR_MAX matches. */
bool cron_local_has_day(const struct cron *cron);

bool cron_local_matches(const struct cron *cron, int64_t local_s);

/* The first match at or after local_s, or CRON_LOCAL_NEVER. */
int64_t cron_local_next(const struct cron *cron, int64_t local_s);

/* The last match at or before local_s, or CRON_LOCAL_NEVER_BEFORE. */
int64_t cron_local_prev(const struct cron *cron, int64_t local_s);

/* How many matches there are from from_s to before to_s. */
int64_t cron_local_count(const struct cron *cron, int64_t from_s, int64_t to_s);

#endif
