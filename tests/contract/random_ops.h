/* random_ops: operations on a small world, so that they often meet.
 *
 * Most fit what is there and some do not, so that batches are refused too. A batch writes a row at most once
 * (model/batch.h, rule 1).
 */
#ifndef TESTS_CONTRACT_RANDOM_OPS_H
#define TESTS_CONTRACT_RANDOM_OPS_H

#include "base/rng.h"
#include "model/batch.h"
#include "naive.h"

/* Adds some operations to the batch. */
void random_ops(struct rng *rng, const struct naive *naive, struct batch *batch);

/* Any load and any query about that world. Keys live in the arena. */
struct load random_load(struct rng *rng, struct arena *arena);
struct query random_query(struct rng *rng);

#endif
