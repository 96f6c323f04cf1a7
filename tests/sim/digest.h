/* digest: one number for everything that happened in a run.
 *
 * Two runs of one seed must have the same, whatever compiler made the program: then nothing in the engine depends on
 * addresses, on memory that was never set or on the order of evaluation. Quick, not secure.
 */
#ifndef TESTS_SIM_DIGEST_H
#define TESTS_SIM_DIGEST_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"

struct digest {
    uint64_t value;
};

static inline void digest_number(struct digest *digest, uint64_t number)
{
    uint64_t mixed = (digest->value ^ number) * UINT64_C(0x9e3779b97f4a7c15);

    digest->value = mixed ^ (mixed >> 29);
}

static inline void digest_signed(struct digest *digest, int64_t number)
{
    digest_number(digest, (uint64_t)number);
}

static inline void digest_text(struct digest *digest, struct str text)
{
    size_t i = 0;

    digest_number(digest, text.len);
    for (; i + 8 <= text.len; i += 8) {
        uint64_t eight = 0;

        for (size_t j = 0; j < 8; j++) { /* the same on machines of either byte order */
            eight |= (uint64_t)(unsigned char)text.ptr[i + j] << (8 * j);
        }
        digest_number(digest, eight);
    }
    for (; i < text.len; i++) {
        digest_number(digest, (unsigned char)text.ptr[i]);
    }
}

#endif
