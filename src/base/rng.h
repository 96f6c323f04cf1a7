/* rng: random numbers that come again from the same seed.
 *
 * For simulation, tests and everything that must be spread but need not be secret: xoshiro256** with its
 * state filled by splitmix64. Keys and tokens come from OpenSSL, never from here.
 *
 * Owns:  nothing; a struct rng is plain data and may be copied.
 * Rules: (1) one seed, one sequence, on every machine and in every release.
 *        (2) results below a bound are uniform without bias.
 * See:   base/hash.h (a number from bytes), tests/unit/base/test_rng.c
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state[4]; /* never all zero */
};

void rng_init(struct rng *rng, uint64_t seed);

/* Any 64-bit number. */
uint64_t rng_next(struct rng *rng);

/* 0 to below - 1; below > 0. */
uint64_t rng_below(struct rng *rng, uint64_t below);

/* min to max, both included; min <= max. */
int64_t rng_between(struct rng *rng, int64_t min, int64_t max);

/* True with probability p/q; p <= q, q > 0. */
bool rng_chance(struct rng *rng, uint64_t p, uint64_t q);

/* Puts count elements of size bytes each into a random order. */
void rng_shuffle(struct rng *rng, void *elements, size_t count, size_t size);

#endif
