#include "store/ids.h"

#include <string.h>

#include "base/mem.h"

#define SLOTS_FIRST 64

void ids_done(struct ids *ids)
{
    mem_free(ids->slots);
    *ids = (struct ids){0};
}

/* Where the id is, or the free slot where it would be. */
static size_t find(const struct ids *ids, uint64_t id)
{
    size_t slot = (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (ids->slot_count - 1);

    while (ids->slots[slot] != 0 && ids->slots[slot] != id) {
        slot = (slot + 1) & (ids->slot_count - 1);
    }
    return slot;
}

static void grow(struct ids *ids)
{
    struct ids bigger = {.slot_count = ids->slot_count == 0 ? SLOTS_FIRST : ids->slot_count * 2, .count = ids->count};

    bigger.slots = mem_alloc_array(bigger.slot_count, sizeof *bigger.slots);
    memset(bigger.slots, 0, bigger.slot_count * sizeof *bigger.slots);
    for (size_t i = 0; i < ids->slot_count; i++) {
        if (ids->slots[i] != 0) {
            bigger.slots[find(&bigger, ids->slots[i])] = ids->slots[i];
        }
    }
    mem_free(ids->slots);
    *ids = bigger;
}

bool ids_add(struct ids *ids, uint64_t id)
{
    if (2 * (ids->count + 1) > ids->slot_count) {
        grow(ids);
    }
    size_t slot = find(ids, id);

    if (ids->slots[slot] == id) {
        return false;
    }
    ids->slots[slot] = id;
    ids->count++;
    return true;
}

bool ids_has(const struct ids *ids, uint64_t id)
{
    return ids->count > 0 && ids->slots[find(ids, id)] == id;
}
