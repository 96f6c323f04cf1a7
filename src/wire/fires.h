/* fires: coming fire times with what a clock of the zone shows, and what an expression means.
 *
 * Owns:  nothing.
 * See:   docs/openapi.yaml (Fire, JobFires, Preview), tests/unit/wire/test_fires.c
 */
#ifndef WIRE_FIRES_H
#define WIRE_FIRES_H

#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "base/str.h"
#include "calendar/expression.h"
#include "calendar/zone.h"
#include "model/job_def.h"
#include "model/schedule.h"

/* Fires in one answer. */
#define WIRE_FIRES_MAX 1000

struct wire_fires {
    const struct schedule *schedule;
    const struct zone *zone; /* of local times; a cron schedule's own */
    int64_t from_ms;         /* where the search began: what the first fire's note looks back to */
    const int64_t *fires_ms; /* nominal, in order */
    size_t count;
};

/* The array alone, without due_at. */
void wire_fires(struct jw *jw, const struct wire_fires *fires);

/* JobFires. description may be NULL; due_at is nominal time plus jitter. */
void wire_job_fires(struct jw *jw, uint64_t job, const char *description, const struct wire_fires *fires);

/* Preview. has_seed: who asked named one. herd is a sentence about how many jobs fire at the same instants; NULL: none.
 */
void wire_preview(struct jw *jw, const struct expression *expression, const struct wire_fires *fires, bool has_seed,
                  const char *herd);

/* A job's schedule in plain English, appended; nothing for one that has none (it waits for others, or runs now). seed
 * spreads H, as job_def_schedule takes it. */
void wire_describe(const struct job_def *def, const struct zone *zone, struct str seed, struct buf *out);

#endif
