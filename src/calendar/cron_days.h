/* cron_days: the two day fields of a cron expression, which only make sense together. Used by cron_parse.c alone.
 */
#ifndef CALENDAR_CRON_DAYS_H
#define CALENDAR_CRON_DAYS_H

#include "base/err.h"
#include "calendar/cron.h"
#include "calendar/cron_field.h"

/* Fills in the cron's days: month_days, weekdays, day_rule and what belongs to it, and adds its warnings. */
enum err cron_days_parse(const struct cron_field *month_day, const struct cron_field *weekday, struct cron *cron,
                         struct error *reterr) MUST_CHECK;

#endif
