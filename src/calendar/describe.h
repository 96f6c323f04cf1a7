/* describe: an expression in plain English: "at 09:00, Monday to Friday, New York time".
 *
 * Works from what the expression means, not from how it is written: 0-59/15 and star/15 read the same.
 *
 * See: describe_time.c (the time of day), describe_day.c (days, months, years), tests/unit/calendar/test_describe.c
 */
#ifndef CALENDAR_DESCRIBE_H
#define CALENDAR_DESCRIBE_H

#include "base/buf.h"
#include "calendar/cron.h"
#include "calendar/expression.h"
#include "calendar/zone.h"

/* Room that any description fits into. */
#define DESCRIBE_BYTES_MAX 4096

/* Appends the description; zone may be NULL where it goes without saying. */
void describe_cron(const struct cron *cron, const struct zone *zone, struct buf *out);

/* The same for any expression; intervals know no zone: "every 1 min 30 s". */
void describe_expression(const struct expression *expression, const struct zone *zone, struct buf *out);

#endif
