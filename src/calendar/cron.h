/* cron: a cron expression, ready to be asked for fire times.
 *
 * Five fields are Unix, as Debian's cron reads them but strict; six or seven are Quartz. Both end up as the same value:
 * one bit per allowed second, minute, hour, day, month, weekday and year, and a rule for the days.
 *
 * Owns:  nothing; a cron is a plain value that may be copied.
 * Rules: (1) every mask has at least one bit, and at least one day between YEAR_MIN and YEAR_MAX matches: an expression
 *            that can never fire is refused by cron_parse.
 * See:   cron_local.h (matching local times), cron_fire.h (instants, gaps and folds), docs/time.md
 */
#ifndef CALENDAR_CRON_H
#define CALENDAR_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum cron_dialect {
    CRON_UNIX,
    CRON_QUARTZ,
};

/* Which days of a month match. */
enum cron_day_rule {
    CRON_DAY_BOTH,            /* day of month and day of week */
    CRON_DAY_EITHER,          /* day of month or day of week: Unix, when neither field begins with a star */
    CRON_DAY_LAST,            /* L, L-3: day_number before the last day of the month */
    CRON_DAY_LAST_WEEKDAY,    /* LW, L-3W: the weekday (Monday to Friday) nearest to that day */
    CRON_DAY_NEAREST_WEEKDAY, /* 15W: the weekday nearest to day_number, within the month */
    CRON_DAY_NTH,             /* 6#3: the day_number-th of day_weekday in the month */
    CRON_DAY_LAST_OF,         /* 6L: the last day_weekday of the month */
};

/* What the author may not have meant; one bit each. */
enum cron_warning {
    CRON_WARN_NUMERIC_WEEKDAY = 1 << 0, /* Quartz form with a number for a weekday: 1 is Sunday there */
    CRON_WARN_DAY_STEP = 1 << 1,        /* a star with a step in a day field */
    CRON_WARN_DAY_EITHER = 1 << 2,      /* Unix form with both day fields set: fires when one of them matches */
    CRON_WARN_LONG_STEP = 1 << 3,       /* a step longer than its field: only the first value is left */
    CRON_WARN_FIXED_HOURS = 1 << 4, /* every hour, but written out: fixed times, which stop while the clock goes back */
};
#define CRON_WARNINGS 5

/* Every day of a month, every weekday. */
#define CRON_ALL_MONTH_DAYS 0xfffffffeU
#define CRON_ALL_WEEKDAYS 0x7fU

/* Years are kept as bits from here on: a year more on each side than Belfry promises, since a local year may begin
 * before or end after the one in UTC. */
#define CRON_YEAR_BASE (YEAR_MIN - 1)
#define CRON_YEAR_WORDS 4

struct cron {
    enum cron_dialect dialect;
    bool follows_clock;   /* minute or hour begins with a star: runs through gaps and folds as the clock does */
    uint64_t seconds;     /* bits 0 to 59 */
    uint64_t minutes;     /* bits 0 to 59 */
    uint32_t hours;       /* bits 0 to 23 */
    uint32_t month_days;  /* bits 1 to 31 */
    uint32_t months;      /* bits 1 to 12 */
    uint32_t weekdays;    /* bits 0 (Sunday) to 6 */
    uint32_t by_first[7]; /* weekdays as days of a month (bits 1 to 31), by the weekday of its first day */
    uint64_t years[CRON_YEAR_WORDS]; /* bit n is CRON_YEAR_BASE + n */
    enum cron_day_rule day_rule;
    int day_number;    /* valid as day_rule says */
    int day_weekday;   /* 0 (Sunday) to 6, valid as day_rule says */
    unsigned warnings; /* enum cron_warning */
    bool is_spread;    /* has an H: the times depend on the seed */
};

/* Parses an expression of five, six or seven fields, or a macro such as @daily. The seed spreads H: the same seed gives
 * the same times for ever. Errors name the field, the 1-based position in text, and what is allowed. */
enum err cron_parse(struct str text, struct str seed, struct cron *ret_cron, struct error *reterr) MUST_CHECK;

/* The warning with this one bit as a sentence. */
const char *cron_warning_text(enum cron_warning warning);

#endif
