/* view: looks at a running engine, for people and their figures.
 *
 * Owns:  nothing. What it gives lives in the caller's arena.
 * Never: changes the engine.
 * Rules: (1) a look costs what it gives, or one pass over at most VIEW_SCAN_MAX things: it is taken between two steps,
 *            and everybody else waits for it.
 *        (2) what it shows may run ahead of the store by the batch that is being committed.
 * See:   engine.h, tests/rulings/test_view.c
 */
#ifndef ENGINE_VIEW_H
#define ENGINE_VIEW_H

#include "base/arena.h"
#include "engine/engine.h"

/* Of one list. */
#define VIEW_MAX 1000
/* Things looked at for one answer; and attempts shown in one list of workers, each less than a kilobyte: with its names
 * and its progress a list of workers takes 20 MiB for them, and 25 MiB for a thousand workers of a hundred pools. */
#define VIEW_SCAN_MAX 20000

/* An attempt that a worker holds. */
struct view_held {
    uint64_t trigger, job;
    uint32_t number;
    struct str tenant, name, type; /* name: empty where the job has none */
    int64_t started_ms;
    int64_t lease_until_ms; /* wall time */
};

struct view_worker {
    struct str id, name; /* name: empty where it gave none */
    const struct str *pools;
    size_t pool_count;
    uint32_t capacity;
    size_t running;
    bool is_waiting;
    int64_t seen_ms;                 /* wall time */
    const struct view_held *holding; /* the oldest VIEW_MAX */
    size_t holding_count;
};

/* Workers behind (after_name, after_id) by name, then id, at most max of them, and so many that what they hold is shown
 * within VIEW_SCAN_MAX; those that serve pool where it is not empty. Returns how many; *ret_has_more says that there
 * are others behind. */
size_t engine_view_workers(const struct engine *engine, struct str pool, struct str after_name, struct str after_id,
                           size_t max, struct arena *arena, struct view_worker **ret_workers, bool *ret_has_more);

/* How a tenant, a pool, a type or all of them stand. */
struct view_scope {
    struct str tenant; /* of a type in one tenant; else empty */
    struct str name;
    int64_t ready, running;
    int64_t jobs;      /* tenant: definitions that are there */
    int64_t oldest_ms; /* pool: since when its oldest ready entry has been due; TIME_NONE */
    int64_t overdue;   /* pool: ready for more than a minute, counted up to VIEW_SCAN_MAX, in a list for all together */
    int64_t workers, capacity; /* pool: that serve it */
    int64_t waiting;           /* pool: workers that wait for work of it now */
    struct settings settings;  /* with pause and ramp; settings_none() where nothing was set */
};

/* One of them, known or not. tenant is for SCOPE_TENANT_TYPE. Texts are the caller's. */
void engine_view_scope(const struct engine *engine, enum scope scope, struct str tenant, struct str name,
                       struct view_scope *ret_scope);

/* Those with something ready or running, the busiest first; of pools also those that have workers. Not for
 * SCOPE_TENANT_TYPE. */
size_t engine_view_scopes(const struct engine *engine, enum scope scope, size_t max, struct arena *arena,
                          struct view_scope **ret_scopes);

/* All pools at once: oldest_ms, overdue, workers, capacity and waiting are filled in; name is empty. */
void engine_view_all(const struct engine *engine, struct view_scope *ret_all);

struct view_breaker {
    struct str tenant, type;
    uint64_t job; /* of a job without a type; else 0 */
    enum breaker_state state;
    int64_t open_until_ms; /* wall time; TIME_NONE while half open */
};

/* Breakers that are not closed: of a tenant, a type, or any where empty. */
size_t engine_view_breakers(const struct engine *engine, struct str tenant, struct str type, size_t max,
                            struct arena *arena, struct view_breaker **ret_breakers);

/* Attempts of a job that run, in the order of their triggers. */
size_t engine_view_running(const struct engine *engine, uint64_t job, size_t max, struct arena *arena,
                           struct view_held **ret_held);

/* One edge of the graph around a job, and what is known of a fire of it. */
struct view_edge {
    uint64_t upstream, downstream;
    enum job_edge on;
};

/* Every job that is upstream or downstream of one, itself included: at most VIEW_MAX jobs, upstream jobs before
 * downstream ones, and the edges between them, at most edge_max. False: the job has no dependencies in memory. */
struct view_graph {
    uint64_t *jobs;
    size_t job_count;
    struct view_edge *edges;
    size_t edge_count;
    bool is_truncated;
};
bool engine_view_graph(const struct engine *engine, uint64_t job, size_t edge_max, struct arena *arena,
                       struct view_graph *ret_graph);

/* What stands still and why, for the doctor. */
struct view_health {
    bool is_draining, is_clock_held, is_held;
    int64_t clock_ahead_ms; /* the wall clock, of what the engine believes: positive where it is held; negative where
                             * it was set back, and time stands still until it has caught up */
    size_t unreadable;      /* jobs that could not be read back */
    size_t orphans;         /* attempts whose worker has not been heard of since the start */
    size_t dropping;        /* timed out attempts that hold their next one back, among VIEW_SCAN_MAX looked at */
    uint64_t durable;       /* the last batch that is */
};
void engine_view_health(const struct engine *engine, struct view_health *ret_health);

/* The engine's clock and the wall clock, as it last saw it. */
void engine_view_clock(const struct engine *engine, int64_t *ret_now_ms, int64_t *ret_wall_ms, bool *ret_is_held);

#endif
