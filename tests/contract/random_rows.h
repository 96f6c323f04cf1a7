/* random_rows: rows of a small world with few different keys and texts, so that they often meet. */
#ifndef TESTS_CONTRACT_RANDOM_ROWS_H
#define TESTS_CONTRACT_RANDOM_ROWS_H

#include "base/arena.h"
#include "base/rng.h"
#include "model/record.h"

#define RANDOM_JOBS 24
#define RANDOM_TRIGGERS 60
#define RANDOM_CLAIMS 12

/* Jobs above this are one-time: their scheduled trigger has their id, and they have no other. */
#define RANDOM_RECURRING 16

/* One of an array. */
#define PICK(rng, list) ((list)[rng_below(rng, sizeof(list) / sizeof((list)[0]))])

struct str random_text(struct rng *rng);
struct str random_name(struct rng *rng);
struct str random_tenant(struct rng *rng);
struct str random_type(struct rng *rng);
struct str random_def(struct rng *rng);
int64_t random_ms(struct rng *rng);
int64_t random_ms_or_none(struct rng *rng);
uint64_t random_job(struct rng *rng);
uint64_t random_trigger(struct rng *rng);
struct place random_place(struct rng *rng);
uint64_t random_rules(struct rng *rng);
struct job_row random_job_row(struct rng *rng, uint64_t id);
struct attempt_row random_attempt_row(struct rng *rng, uint64_t trigger);
struct trigger_row random_trigger_row(struct rng *rng, uint64_t id);
struct claims_row random_claims_row(struct rng *rng, struct arena *arena);
struct wait_row random_wait_row(struct rng *rng, struct arena *arena);

#endif
