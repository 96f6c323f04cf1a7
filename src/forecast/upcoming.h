/* upcoming: coming fires in buckets of time, with what they are and which of them are herds.
 *
 * Fed from two sides: counts of the jobs that wake in a bucket, which a store gives without reading jobs, and single
 * jobs that were read, whose further fires are reckoned here.
 *
 * Owns:  its buckets, and copies of the names in them. Borrows nothing.
 * Never: reads a clock, touches a store.
 * Rules: (1) bounded: UPCOMING_BUCKETS_MAX buckets, UPCOMING_NAMES_MAX names of types and of tenants (work of others is
 *            counted, and not named), UPCOMING_FIRES_MAX fires reckoned one by one.
 *        (2) complete_to_ms says up to when nothing is missing; behind it a bucket may lack fires, and never has too
 *            many.
 *        (3) a bucket is a herd where it has more than UPCOMING_HERD_MIN fires and more than UPCOMING_HERD_FACTOR times
 *            the median of all buckets.
 * See:   docs/forecast.md, tests/unit/forecast/test_upcoming.c
 */
#ifndef FORECAST_UPCOMING_H
#define FORECAST_UPCOMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/record.h"
#include "model/schedule.h"

#define UPCOMING_BUCKETS_MAX 1500
#define UPCOMING_NAMES_MAX 500
#define UPCOMING_FIRES_MAX 300000
/* Shown of a bucket. */
#define UPCOMING_SHOWN 3
#define UPCOMING_HERD_MIN 50
#define UPCOMING_HERD_FACTOR 5

struct upcoming_share {
    struct str name;
    int64_t count;
};

struct upcoming_example {
    uint64_t job;
    struct str tenant, name; /* name: empty where it has none */
};

struct upcoming_bucket {
    int64_t from_ms;
    int64_t count;
    bool is_herd;                                                         /* from here on after upcoming_settle */
    struct upcoming_share types[UPCOMING_SHOWN], tenants[UPCOMING_SHOWN]; /* the largest first; count 0: none */
    struct upcoming_example examples[UPCOMING_SHOWN];                     /* job 0: none */
};

struct upcoming {
    struct arena arena;
    int64_t now_ms, to_ms, bucket_ms; /* fires in (now, to); the first bucket is cut by now, the last by to */
    size_t bucket_count;
    struct upcoming_bucket *buckets;
    struct upcoming_names *types, *tenants;
    int64_t complete_to_ms; /* rule 2; to_ms: nothing is missing */
    int64_t fires_left;     /* that may still be reckoned */
    size_t jobs;            /* that were looked at */
    int64_t total, median, herd_above;
};

/* Buckets begin at whole multiples of their length. There are not more than UPCOMING_BUCKETS_MAX between the two. */
struct upcoming *upcoming_new(int64_t now_ms, int64_t to_ms, int64_t bucket_ms);
void upcoming_free(struct upcoming *upcoming);

/* So many jobs of a place wake in the bucket that begins (or would, but for now) at from_ms. */
void upcoming_wakes(struct upcoming *upcoming, const struct place *place, int64_t from_ms, int64_t count);

/* A job that was read. Its wake, where it lies within, was counted already; its other fires are added. The schedule is
 * NULL where the job has none. */
void upcoming_job(struct upcoming *upcoming, const struct job_row *job, const struct schedule *schedule);

/* What wakes from here on was not looked at. */
void upcoming_cut(struct upcoming *upcoming, int64_t from_ms);

/* Whether a bucket is a herd, and its largest: after all was added. */
void upcoming_settle(struct upcoming *upcoming);

/* How many jobs of each place may be read so that all together are not more than max: places with fewer give what they
 * do not need to the others. counts are the places' own. */
int64_t upcoming_fair_limit(const int64_t *counts, size_t count, int64_t max);

#endif
