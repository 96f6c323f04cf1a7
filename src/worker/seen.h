/* seen: the attempts of late, so that one that is sent twice is executed once.
 *
 * Owns:  copies of the ids; the oldest are forgotten beyond SEEN_MAX.
 * See:   tests/unit/worker/test_seen.c
 */
#ifndef WORKER_SEEN_H
#define WORKER_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/map.h"

struct seen {
    struct map by_id;
    struct list by_age; /* oldest first */
};

void seen_init(struct seen *seen, uint64_t seed);
void seen_done(struct seen *seen);

/* Remembers it; false where it was there already. */
bool seen_add(struct seen *seen, struct str id);

#endif
