/* job_def: the definition of a job: what to run, when, and every policy.
 *
 * Read from JSON with each error naming its field, filled up with the defaults, and written back in one canonical form,
 * which is what stores keep and what "the same definition" means.
 *
 * Owns:  nothing; texts point into the arena it was read with, the payload keeps the bytes that were sent.
 * Rules: (1) after job_def_read every field has a value in its range, and at most one way of saying "when" is set.
 *        (2) canonical: two definitions that mean the same after defaults are written as the same bytes; delay stays
 *            as it was written, so that creating again compares equal; payload and target are compared as sent. What
 *            has its default is left out, so that a small job is small; reading fills it in again.
 * See:   job_def_read.c, job_def_write.c, schedule.h (when it fires), tests/unit/model/test_job_def.c
 */
#ifndef MODEL_JOB_DEF_H
#define MODEL_JOB_DEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "calendar/cron_fire.h"
#include "calendar/zone_cache.h"
#include "model/retry.h"
#include "model/schedule.h"
#include "model/settings.h"

#define JOB_PRIORITY_MIN 1
#define JOB_PRIORITY_MAX 5
#define JOB_PRIORITY_DEFAULT 3
#define JOB_TIMEOUT_DEFAULT_MS (300 * 1000)
#define JOB_LEASE_DEFAULT_MS (30 * 1000)
#define JOB_MISFIRE_AFTER_DEFAULT_MS (60 * 1000)
#define JOB_CONCURRENCY_DEFAULT 1 /* of a key that names no maximum */

enum job_when {
    WHEN_NOW, /* as soon as it is created */
    WHEN_AT,
    WHEN_DELAY,
    WHEN_CRON,
    WHEN_EVERY,
    WHEN_UPSTREAM, /* when what it depends on has ended */
};

/* What happens to a fire that is due while a run goes on. */
enum job_overlap { OVERLAP_SKIP, OVERLAP_QUEUE, OVERLAP_COLLAPSE, OVERLAP_ALLOW };

/* What happens to fires that were missed. */
enum job_misfire { MISFIRE_FIRE_LATEST, MISFIRE_FIRE_NOW, MISFIRE_SKIP, MISFIRE_BACKFILL };

/* Which end of an upstream job an edge asks for. */
enum job_edge { EDGE_SUCCESS, EDGE_FAILURE, EDGE_DONE };

enum job_target { TARGET_NONE, TARGET_HTTP, TARGET_EXEC };

struct job_upstream {
    struct str job; /* name or id */
    enum job_edge on;
};

struct job_label {
    struct str key;
    struct str value;
};

struct job_def {
    struct str tenant;
    struct str name; /* empty: the id stands for it */
    struct str type;
    struct str pool;
    int priority; /* JOB_PRIORITY_MIN (first) to JOB_PRIORITY_MAX */

    enum job_when when;
    int64_t run_at_ms;   /* AT */
    int64_t delay_ms;    /* DELAY */
    struct str cron;     /* CRON, as written */
    int64_t every_ms;    /* EVERY */
    bool after_finish;   /* EVERY: counted from the end of a run */
    struct str timezone; /* an IANA name */
    struct dst dst;
    int64_t starts_at_ms; /* SCHEDULE_NO_START: none */
    int64_t ends_at_ms;   /* SCHEDULE_NO_END: none */
    int64_t max_fires;    /* SCHEDULE_NO_MAX: none */
    int64_t jitter_ms;    /* 0: none */

    enum job_overlap overlap;
    enum job_misfire misfire;
    int64_t misfire_after_ms;
    struct retry retry;
    int64_t timeout_ms;
    int64_t lease_ms;
    int64_t expires_after_ms;       /* 0: never */
    struct dead_policy dead_policy; /* not set: the type's, if it has one */

    struct str payload; /* JSON, byte for byte */
    enum job_target target_kind;
    struct str target; /* JSON of the http or exec object; empty for NONE */

    struct job_upstream *depends_on;
    size_t depends_on_count;
    struct str concurrency_key; /* empty: none */
    int64_t concurrency_max;
    struct job_label *labels;
    size_t label_count;
    struct str created_by;  /* empty: unknown */
    struct str traceparent; /* model/trace.h, of who made it, as version 00; empty: none */
};

/* Every field at its default. */
struct job_def job_def_default(void);

/* Reads a definition: text is the JSON that object was parsed from. Unknown fields are errors. */
enum err job_def_read(struct str text, struct jr object, struct arena *arena, struct job_def *ret_def,
                      struct error *reterr) MUST_CHECK;

/* Appends the canonical JSON. Puts upstreams and labels in order on the way. */
void job_def_write(struct job_def *def, struct buf *out);

/* The same with every default written out, to be shown to people. */
void job_def_write_full(struct job_def *def, struct buf *out);

/* Of canonical JSON, in a few steps whatever its length: its traceparent, empty where there is none; and whether two
 * say the same but for that. */
struct str job_def_traceparent(struct str canonical);
bool job_def_same(struct str canonical_a, struct str canonical_b);

/* Makes the schedule of a job created at created_ms. The seed spreads H. Fails where the expression or the zone is
 * wrong, naming the field. A job that waits for its upstreams has none: it must not be asked. */
enum err job_def_schedule(const struct job_def *def, struct zone_cache *zones, int64_t created_ms, struct str seed,
                          struct schedule *ret_schedule, struct error *reterr) MUST_CHECK;

/* The same, with the zone as it was with these rules (struct zone's rules_hash; 0: as it is now). */
enum err job_def_schedule_by_rules(const struct job_def *def, struct zone_cache *zones, uint64_t rules_hash,
                                   int64_t created_ms, struct str seed, struct schedule *ret_schedule,
                                   struct error *reterr) MUST_CHECK;

#endif
