/* seed: random tests that can be run again.
 *
 * Every run takes a new seed and prints it; BELFRY_TEST_SEED=<number> runs an old one.
 */
#ifndef TESTS_UNIT_SEED_H
#define TESTS_UNIT_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/rng.h"

static inline void seed_rng(struct rng *rng)
{
    const char *given = getenv("BELFRY_TEST_SEED");
    uint64_t seed = 1;

    if (given != NULL) {
        seed = strtoull(given, NULL, 0);
    } else {
        assert_true(getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed);
    }
    printf("# BELFRY_TEST_SEED=0x%llx\n", (unsigned long long)seed);
    (void)fflush(stdout);
    rng_init(rng, seed);
}

#endif
