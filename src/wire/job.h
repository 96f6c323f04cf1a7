/* job: a job as the contract shows it, in full and in a list.
 *
 * Owns:  nothing.
 * Rules: (1) a summary is made from the row alone: its canonical definition is walked over, not parsed.
 *        (2) next_fire_at is the cursor; a job that is cancelled or completed has none.
 * See:   docs/openapi.yaml (Job, JobSummary, JobChanged), tests/unit/wire/test_job.c
 */
#ifndef WIRE_JOB_H
#define WIRE_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "model/job_def.h"
#include "model/record.h"

/* Triggers of a job, by state. */
struct wire_counts {
    int64_t waiting, pending, running;  /* at most 10,000 of those that do not run */
    int64_t succeeded, dead, cancelled; /* among its newest 10,000 */
};

/* A job and what its row does not say. */
struct wire_job {
    const struct job_row *row;            /* with def, the canonical definition */
    int64_t last_fired_ms;                /* when its newest trigger was made; TIME_NONE */
    const struct trigger_row *last_ended; /* its newest trigger that has ended; NULL */
    struct wire_counts counts;            /* in full alone; fired comes from the row */
};

/* Fires that a change skipped (edited). */
struct wire_skipped {
    int64_t from_ms, to_ms;
    int64_t count; /* 0: none, written as null */
};

void wire_job_summary(struct jw *jw, const struct wire_job *job);

/* def is row->def, read (wire_def_read); writing puts its upstreams and labels in order. */
void wire_job(struct jw *jw, const struct wire_job *job, struct job_def *def);

/* The answer to a change: the same and what it skipped. */
void wire_job_changed(struct jw *jw, const struct wire_job *job, struct job_def *def,
                      const struct wire_skipped *skipped);

/* {"ids":[...]}: the answer to a batch. */
void wire_job_ids(struct jw *jw, const uint64_t *ids, size_t count);

#endif
