/* forecast: the coming days, played through on a clock of its own: herds, overlaps, clock changes, pools that are too
 * small, and what would help.
 *
 * Jobs fire in the order of time; a run takes the job's median; a pool has so many places, and who finds none waits for
 * the first that becomes free. What fires very often is not played fire by fire: it takes its share of its pool for
 * good.
 *
 * Owns:  struct forecast owns its lists and the names in them. Borrows nothing once it is made.
 * Never: reads a clock, touches a store.
 * Rules: (1) bounded: FORECAST_FIRES_MAX fires in the order of time, so what is left out lies behind complete_to_ms;
 * each list has its maximum, and keeps the worst. (2) a minute is a herd where more fires come in it than
 * UPCOMING_HERD_MIN and than UPCOMING_HERD_FACTOR times the median of all minutes. (3) jobs without measured runs end
 * at once: they count in herds, and nowhere else. See:   docs/forecast.md, tests/unit/forecast/test_forecast.c
 */
#ifndef FORECAST_FORECAST_H
#define FORECAST_FORECAST_H

#include "base/arena.h"
#include "base/heap.h"
#include "forecast/upcoming.h"
#include "model/job_def.h"

#define FORECAST_DAYS_MAX 90
#define FORECAST_JOBS_MAX 5000
#define FORECAST_FIRES_MAX 400000
#define FORECAST_POOLS_MAX 50
#define FORECAST_HERDS_MAX 20
#define FORECAST_MOVES_MAX 20
#define FORECAST_OVERLAPS_MAX 50
#define FORECAST_CHANGES_MAX 200
#define FORECAST_SHORTAGES_MAX 20
#define FORECAST_TURNS_MAX 40
#define FORECAST_RUNNING_MAX 20000
/* Fires closer than this are a steady stream. */
#define FORECAST_STEADY_MS (INT64_C(5) * 60 * 1000)
/* A wait that is worth telling. */
#define FORECAST_DELAY_MIN_MS (INT64_C(10) * 1000)
/* How far a job is moved to flatten a herd. */
#define FORECAST_MOVE_MINUTES 30

/* ---- what goes in ---- */

enum forecast_source { FORECAST_UNKNOWN, FORECAST_BY_TYPE, FORECAST_MEASURED };

struct forecast_job {
    uint64_t id;
    struct str tenant, name, type, pool;
    const struct schedule *schedule;
    enum job_overlap overlap;
    int64_t cursor_ms;
    int64_t fired;
    enum forecast_source source;
    int64_t median_ms, p95_ms; /* of a run; 0 where unknown */
};

struct forecast_pool {
    struct str name;
    int64_t capacity; /* runs at a time; 0: not known, as no worker is there */
};

struct forecast_input {
    int64_t now_ms, to_ms;
    const struct forecast_job *jobs; /* at most FORECAST_JOBS_MAX */
    size_t job_count;
    const struct forecast_pool *pools; /* at most FORECAST_POOLS_MAX */
    size_t pool_count;
    int64_t cut_ms; /* of jobs that wake from here on nothing is known; to_ms: all are there */
};

/* ---- what comes out ---- */

struct forecast_name {
    uint64_t job;
    struct str tenant, name; /* name: empty where it has none */
};

struct forecast_move {
    struct forecast_name job;
    int64_t by_ms;
};

struct forecast_herd {
    int64_t at_ms; /* a whole minute */
    int64_t count;
    struct upcoming_share types[UPCOMING_SHOWN];
    struct forecast_name examples[UPCOMING_SHOWN];
    int64_t movable;    /* fires of jobs that recur and have no jitter wide enough */
    int64_t peak_after; /* the fullest minute of the next FORECAST_MOVE_MINUTES, with all of them moved */
    int64_t jitter_ms;  /* what would do as well; 0: nothing to spread */
    struct forecast_move moves[FORECAST_MOVES_MAX];
    size_t move_count;
};

struct forecast_overlap {
    struct forecast_name job;
    enum job_overlap policy;
    enum forecast_source source;
    int64_t median_ms, p95_ms;
    int64_t shortest_ms; /* between two fires */
    int64_t fires;       /* in the window */
    int64_t expected;    /* that find the one before still running, by the median */
    int64_t possible;    /* by the 95th percentile, beside these */
    int64_t first_ms;    /* of them */
};

enum forecast_change_kind { CHANGE_MOVED, CHANGE_SKIPPED, CHANGE_DOUBLED };

/* A fire of a job, and what the clock does to it. */
struct forecast_change {
    struct forecast_name job;
    enum forecast_change_kind kind;
    struct str zone;
    int64_t at_ms;   /* of the fire; of the first after it where one is skipped */
    int64_t local_s; /* what the clock shows then */
};

/* A change of the clock in a zone, and how many jobs feel it. */
struct forecast_turn {
    struct str zone;
    int64_t at_ms;
    int64_t local_s; /* what the clock would show, were it not changed */
    int32_t jump_s;
    int64_t moved, skipped, doubled; /* fires */
    int64_t jobs;                    /* that follow the zone */
};

struct forecast_shortage {
    struct str pool;
    int64_t from_ms, to_ms; /* first and last fire that waits */
    int64_t capacity;
    int64_t needed;   /* runs at a time, if nobody had to wait */
    int64_t delay_ms; /* the longest */
    int64_t fires;    /* that wait */
};

struct forecast_pool_load {
    struct str name;
    int64_t capacity;
    int64_t peak, peak_ms; /* runs at a time, if nobody had to wait */
    double steady;         /* places that are always taken */
};

struct forecast {
    struct arena arena;
    int64_t now_ms, to_ms, complete_to_ms;
    size_t jobs;
    size_t measured, by_type, unknown; /* of these */
    int64_t fires;                     /* that were played */
    size_t steady_jobs;
    double steady_per_minute;
    int64_t median, herd_above, herds_seen;
    struct forecast_herd *herds;
    size_t herd_count;
    struct forecast_overlap *overlaps;
    size_t overlap_count, overlaps_seen;
    struct forecast_change *changes;
    size_t change_count, changes_seen;
    struct forecast_turn *turns;
    size_t turn_count;
    struct forecast_shortage *shortages;
    size_t shortage_count, shortages_seen;
    struct forecast_pool_load *loads;
    size_t load_count;
};

struct forecast *forecast_new(const struct forecast_input *input);
void forecast_free(struct forecast *forecast);

const char *forecast_change_text(enum forecast_change_kind kind);

/* The result in plain sentences, at most max of them, in the forecast's arena; returns how many. */
size_t forecast_sentences(struct forecast *forecast, const char **ret_sentences, size_t max);

#endif
