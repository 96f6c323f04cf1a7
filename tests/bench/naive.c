#include "naive.h"

#include "calendar/civil.h"

static bool day_matches(const struct cron *cron, const struct civil *civil)
{
    int weekday = civil_weekday(civil_day_number(civil->year, civil->month, civil->day));
    bool by_month = (cron->month_days >> civil->day & 1) != 0;
    bool by_week = (cron->weekdays >> weekday & 1) != 0;

    return cron->day_rule == CRON_DAY_EITHER ? by_month || by_week : by_month && by_week;
}

static bool matches(const struct cron *cron, int64_t local_s)
{
    struct civil civil = civil_from_local(local_s);

    return (cron->minutes >> civil.minute & 1) != 0 && (cron->hours >> civil.hour & 1) != 0 &&
           (cron->months >> civil.month & 1) != 0 && day_matches(cron, &civil);
}

bool naive_next(const struct cron *cron, const struct zone *zone, int64_t after_s, int64_t *ret_s)
{
    for (int64_t utc_s = after_s - after_s % 60 + 60; utc_s < TIME_END_S; utc_s += 60) {
        if (matches(cron, zone_to_local(zone, utc_s))) {
            *ret_s = utc_s;
            return true;
        }
    }
    return false;
}
