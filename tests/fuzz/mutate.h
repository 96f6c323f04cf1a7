/* mutate: small damage to an input, the way a fuzzer does it, but the same every time.
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

struct bytes {
    uint8_t *data; /* room for max */
    size_t len;
    size_t max;
};

/* Changes one to four places of input; other is a second input to take pieces from. */
void mutate(struct rng *rng, struct bytes *input, const struct bytes *other);

#endif
