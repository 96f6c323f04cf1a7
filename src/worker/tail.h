/* tail: the last bytes of an output of any length.
 *
 * Owns:  its bytes.
 * Rules: (1) memory is bounded by twice the maximum, whatever is written.
 *        (2) tail_text is well-formed UTF-8 without NUL: ill-formed bytes become U+FFFD, and a character that was cut
 *            at the beginning is left out.
 * See:   tests/unit/worker/test_tail.c
 */
#ifndef WORKER_TAIL_H
#define WORKER_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct tail {
    struct buf bytes; /* at most 2 * bytes_max */
    size_t bytes_max;
    uint64_t seen_bytes; /* all that was ever written */
};

/* Allocates nothing yet. */
void tail_init(struct tail *tail, size_t bytes_max);
void tail_done(struct tail *tail);

void tail_write(struct tail *tail, struct str bytes);

/* Appends the last bytes_max bytes, cleaned as rule 2 says; where something lies before them, a line says so. */
void tail_text(const struct tail *tail, struct buf *out);

/* The same cleaning for any bytes. */
void tail_clean(struct str bytes, struct buf *out);

#endif
