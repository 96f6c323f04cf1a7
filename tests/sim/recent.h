/* recent: some of the ids that were seen lately, for those who want to name one.
 */
#ifndef TESTS_SIM_RECENT_H
#define TESTS_SIM_RECENT_H

#include <stdint.h>

#include "base/rng.h"

#define RECENT_MAX 64

struct recent {
    uint64_t ids[RECENT_MAX];
    uint64_t count; /* so far */
};

static inline void recent_add(struct recent *recent, uint64_t id)
{
    recent->ids[recent->count++ % RECENT_MAX] = id;
}

/* There is one. */
static inline uint64_t recent_pick(const struct recent *recent, struct rng *rng)
{
    return recent->ids[rng_below(rng, recent->count < RECENT_MAX ? recent->count : RECENT_MAX)];
}

#endif
