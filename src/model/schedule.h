/* schedule: when a job fires: once, by cron, or every so often, within its bounds.
 *
 * All fire times here are nominal (scheduled_for). When a fire becomes due is nominal time plus jitter, which
 * schedule_due_ms adds; it never comes early.
 *
 * Owns:  nothing; borrows the zone.
 * Never: reads a clock. The same schedule gives the same fires on every server and after every restart.
 * Rules: (1) fires lie in [starts_at_ms, ends_at_ms) and in the years YEAR_MIN to YEAR_MAX.
 *        (2) an interval is aligned to first_ms: a late or missed fire moves no other.
 *        (3) due times have the order of their fires: none is due after the next fire's nominal time.
 * See:   docs/time.md, tests/unit/model/test_schedule.c
 */
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calendar/cron.h"
#include "calendar/cron_fire.h"
#include "calendar/zone.h"

enum schedule_kind {
    SCHEDULE_ONCE,
    SCHEDULE_CRON,
    SCHEDULE_EVERY,
};

/* No bound. */
#define SCHEDULE_NO_START INT64_MIN
#define SCHEDULE_NO_END INT64_MAX
#define SCHEDULE_NO_MAX INT64_MAX

struct schedule {
    enum schedule_kind kind;
    int64_t once_ms;         /* ONCE */
    struct cron cron;        /* CRON */
    const struct zone *zone; /* CRON */
    struct dst dst;          /* CRON */
    int64_t every_ms;        /* EVERY, at least EVERY_MIN_MS */
    int64_t first_ms;        /* EVERY: the first fire: starts_at, else one interval after creation */
    bool after_finish;       /* EVERY: counted from the end of a run, so only the first fire is known beforehand */
    int64_t starts_at_ms;    /* the first instant that may fire */
    int64_t ends_at_ms;      /* the first instant that may not */
    int64_t max_fires;       /* at most so many */
    int64_t jitter_ms;       /* 0: none */
};

/* A schedule without bounds and jitter; the caller fills in what its kind needs. */
struct schedule schedule_unbounded(enum schedule_kind kind);

/* The first fire after an instant, the last before one; false where there is none. Does not count fires. */
bool schedule_next(const struct schedule *schedule, int64_t after_ms, int64_t *ret_ms);
bool schedule_prev(const struct schedule *schedule, int64_t before_ms, int64_t *ret_ms);

/* The next fire of a job that has fired so many times; false when max_fires is reached. */
bool schedule_next_counted(const struct schedule *schedule, int64_t after_ms, int64_t fired, int64_t *ret_ms);

/* The next fire of an after_finish schedule whose run ended at finished_ms. */
bool schedule_next_after_finish(const struct schedule *schedule, int64_t finished_ms, int64_t *ret_ms);

/* How many fires there are from from_ms to before to_ms; the first of them, at most max, and how many those are. */
int64_t schedule_count(const struct schedule *schedule, int64_t from_ms, int64_t to_ms);
size_t schedule_list(const struct schedule *schedule, int64_t from_ms, int64_t to_ms, int64_t *ret_fires_ms,
                     size_t max);

/* When a fire becomes due: nominal time plus jitter. Jitter is the same for ever for a job and a fire, less than
 * jitter_ms, and ends before the next fire (rule 3). */
int64_t schedule_due_ms(const struct schedule *schedule, uint64_t job_id, int64_t nominal_ms);

#endif
