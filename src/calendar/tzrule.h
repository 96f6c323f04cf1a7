/* tzrule: the rule for ever, the line that ends a TZif file.
 *
 * POSIX's TZ notation with the extension of TZif version 3 (hours from -167 to 167): "EST5EDT,M3.2.0,M11.1.0" says
 * standard time and its offset, daylight saving time, and when each year it begins and ends.
 *
 * Owns:  nothing; a rule is a plain value.
 * See:   tzif.h, tests/unit/calendar/test_tzrule.c
 */
#ifndef CALENDAR_TZRULE_H
#define CALENDAR_TZRULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "calendar/zone.h"

enum tzrule_form {
    TZRULE_JULIAN,      /* Jn: day 1 to 365, February 29 is never counted */
    TZRULE_DAY_OF_YEAR, /* n: day 0 to 365, February 29 is counted */
    TZRULE_MONTH_WEEK,  /* Mm.w.d: weekday d of week w (5: the last) of month m */
};

struct tzrule_when {
    enum tzrule_form form;
    int month;      /* MONTH_WEEK: 1 to 12 */
    int week;       /* MONTH_WEEK: 1 to 5 */
    int day;        /* as the form says */
    int32_t time_s; /* on the wall clock that is in force before the change */
};

struct tzrule_time {
    int32_t offset_s; /* local = UTC + offset: the opposite sign of the notation's */
    char abbr[ZONE_ABBR_BYTES];
};

struct tzrule {
    struct tzrule_time standard;
    bool has_dst; /* the rest is valid only then */
    struct tzrule_time dst;
    struct tzrule_when dst_begins;
    struct tzrule_when dst_ends;
};

/* Reads len bytes of text, all of them. */
enum err tzrule_parse(const char *text, size_t len, struct tzrule *ret_rule, struct error *reterr) MUST_CHECK;

/* The instants at which daylight saving begins and ends in a year. Only for rules with has_dst. */
int64_t tzrule_dst_begins_s(const struct tzrule *rule, int year);
int64_t tzrule_dst_ends_s(const struct tzrule *rule, int year);

#endif
