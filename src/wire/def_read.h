/* def_read: definitions out of bodies and rows.
 *
 * Owns:  nothing; definitions live in the arena they are read with, and keep nothing of the text.
 * Rules: (1) one definition has at most WIRE_DEF_BYTES_MAX bytes and the depth and values of every JSON from outside.
 *        (2) a batch takes at most 96 MiB of its arena, whatever it says: 32 MiB of texts, as they stand in the body;
 *            WIRE_BATCH_JOBS_MAX definitions of 648 bytes (NDJSON, which grows by doubling: three times as many, 20
 *            MiB), 64 labels of 32 bytes each (20 MiB), WIRE_BATCH_UPSTREAMS_MAX of 24 (3 MiB), and the gaps.
 * See:   model/job_def.h, tests/unit/wire/test_def_read.c
 */
#ifndef WIRE_DEF_READ_H
#define WIRE_DEF_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/job_def.h"

/* One definition: a payload, a target, a thousand upstreams and the rest. */
#define WIRE_DEF_BYTES_MAX (1024 * 1024)
/* A batch; the contract says so. */
#define WIRE_BATCH_JOBS_MAX 10000
#define WIRE_BATCH_BYTES_MAX (32 * 1024 * 1024)
/* Upstreams that its jobs name, all together: ten for each of the most jobs. An upstream costs six times its text here,
 * and an operation and a key in the engine. */
#define WIRE_BATCH_UPSTREAMS_MAX 100000

/* The body of POST /v1/jobs. */
MUST_CHECK enum err wire_read_job(struct str body, struct arena *arena, struct job_def *ret_def, struct error *reterr);

/* A canonical definition from a row; ERR_CORRUPT where it is none. */
MUST_CHECK enum err wire_def_read(struct str canonical, struct arena *arena, struct job_def *ret_def,
                                  struct error *reterr);

struct wire_batch {
    struct job_def *defs; /* in the arena */
    size_t count;         /* at least 1 */
    bool is_atomic;       /* JSON: as it says; NDJSON: true, the query decides */
};

/* The body of POST /v1/jobs/batch. On failure *ret_index is which job it concerns, from 0, or -1 for the whole body. */
MUST_CHECK enum err wire_read_batch(struct str body, bool is_ndjson, struct arena *arena, struct wire_batch *ret_batch,
                                    int64_t *ret_index, struct error *reterr);

#endif
