/* ids: a set of ids.
 *
 * Owns:  its table. Rules: (1) at most half of the slots are used. (2) 0 is no id.
 */
#ifndef STORE_IDS_H
#define STORE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ids {
    uint64_t *slots;   /* 0: free; NULL until the first is added */
    size_t slot_count; /* a power of two */
    size_t count;
};

/* A zeroed set is empty. */
void ids_done(struct ids *ids);

/* False where it is in already. */
bool ids_add(struct ids *ids, uint64_t id);
bool ids_has(const struct ids *ids, uint64_t id);

#endif
