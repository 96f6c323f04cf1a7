/* store_work: the jobs that bench_store lets live: created in one batch, claimed in the next, finished in the one
 * after.
 *
 * A busy engine commits like this: each batch creates some, claims those of the batch before and finishes those of the
 * batch before that. So a batch of 500 is 500 lifecycles, once it goes.
 */
#ifndef TESTS_BENCH_STORE_WORK_H
#define TESTS_BENCH_STORE_WORK_H

#include <stdint.h>

#include "model/batch.h"

#define WORK_PLACES 16
#define WORK_NOW_MS INT64_C(1775638800000)

/* A definition of a usual size, and a worker's name. */
extern const struct str work_def;
extern const struct str work_worker;

struct place work_place(uint64_t i);

/* Id of the i-th job. */
uint64_t work_id(uint64_t i);

/* The operations of three steps, for jobs first to first + count - 1. They wake at wake_ms (which may be TIME_NONE), or
 * somewhere in the spread_ms after it. claims has room for count. */
void work_create(struct batch *batch, uint64_t first, size_t count, int64_t wake_ms, int64_t spread_ms);
void work_claim(struct batch *batch, uint64_t first, size_t count, struct claim *claims);
void work_finish(struct batch *batch, uint64_t first, size_t count);

#endif
