/* postgres_runner: batches of lifecycles, and what they took. */
#ifndef TESTS_BENCH_POSTGRES_RUNNER_H
#define TESTS_BENCH_POSTGRES_RUNNER_H

#include "postgres_bare.h"
#include "postgres_gauge.h"
#include "store_work.h"
#include "store/store.h"

/* The store, or the bare loop. */
struct runner {
    const char *name;
    const char *application;
    void (*batch)(struct runner *runner, uint64_t k);
    struct store *store;
    struct bare *bare;
    struct claim *claims;
    size_t count;  /* lifecycles of a batch */
    uint64_t done; /* batches */
    /* Of the turns since runner_forget. */
    uint64_t batches;
    double seconds, session_us, wal_bytes;
    int64_t *took_ns; /* of each batch; room for took_max of them */
    size_t took_max;
};

void runner_open_store(struct runner *runner, const char *url, uint32_t shard, size_t count);
void runner_open_bare(struct runner *runner, const char *url, uint32_t shard, size_t count);
void runner_close(struct runner *runner);

/* So many batches more. */
void runner_turn(struct runner *runner, struct gauge *gauge, uint64_t batches);

/* What was taken so far counts no longer. */
void runner_forget(struct runner *runner);

/* Lifecycles a second. */
double runner_pace(const struct runner *runner);

/* How long the batch took than which part (0 to 1) of them were not longer, in ms. */
double runner_quantile_ms(struct runner *runner, double part);

/* Ends the program where something failed. */
void runner_want(enum store_outcome outcome, const struct error *error);

#endif
