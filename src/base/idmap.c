#include "base/idmap.h"

#include <assert.h>

#include "base/mem.h"

#define SLOTS_MIN 16

/* Every bit of the id reaches every bit of the result: ids of one millisecond differ in their low bits alone, those of
 * one shard in their high ones. */
static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return x;
}

/* Where the id would stand if nothing were in its way. */
static inline size_t home_of(const struct idmap *map, uint64_t id)
{
    return (size_t)mix(id ^ map->seed) & (map->slot_count - 1);
}

static inline size_t behind(const struct idmap *map, size_t index)
{
    return (index + 1) & (map->slot_count - 1);
}

/* Where the id stands, or the empty slot at which it is known not to. There is always one (rule 2). */
static inline size_t search(const struct idmap *map, uint64_t id)
{
    size_t index = home_of(map, id);

    while (map->slots[index].id != id && map->slots[index].id != 0) {
        index = behind(map, index);
    }
    return index;
}

static void resize(struct idmap *map, size_t slot_count)
{
    struct idmap_slot *old = map->slots;
    size_t old_count = map->slot_count;

    assert(slot_count <= SIZE_MAX / sizeof *old);
    map->slots = mem_zalloc(slot_count * sizeof *old);
    map->slot_count = slot_count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].id != 0) {
            map->slots[search(map, old[i].id)] = old[i];
        }
    }
    mem_free(old);
}

void idmap_init(struct idmap *map, uint64_t seed)
{
    *map = (struct idmap){.seed = seed};
}

void idmap_done(struct idmap *map)
{
    mem_free(map->slots);
    idmap_init(map, map->seed);
}

void idmap_put(struct idmap *map, uint64_t id, void *ptr)
{
    assert(id != 0 && ptr != NULL); /* rule 1 */
    if ((map->count + 1) > map->slot_count / 4 * 3) {
        resize(map, map->slot_count > 0 ? map->slot_count * 2 : SLOTS_MIN);
    }
    struct idmap_slot *slot = &map->slots[search(map, id)];
    assert(slot->id == 0); /* rule 1 */
    *slot = (struct idmap_slot){.id = id, .ptr = ptr};
    map->count++;
}

void *idmap_find(const struct idmap *map, uint64_t id)
{
    if (map->count == 0) {
        return NULL;
    }
    return map->slots[search(map, id)].ptr;
}

/* Moves into the hole what may stand there: whatever would otherwise be cut off from its home (rule 3). */
static void close_hole(struct idmap *map, size_t hole)
{
    size_t mask = map->slot_count - 1;

    for (size_t i = behind(map, hole); map->slots[i].id != 0; i = behind(map, i)) {
        size_t from_home = (i - home_of(map, map->slots[i].id)) & mask;
        size_t from_hole = (i - hole) & mask;

        if (from_home >= from_hole) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (struct idmap_slot){0};
}

void *idmap_remove(struct idmap *map, uint64_t id)
{
    if (map->count == 0) {
        return NULL;
    }
    size_t index = search(map, id);
    void *ptr = map->slots[index].ptr;
    if (ptr == NULL) {
        return NULL;
    }
    close_hole(map, index);
    map->count--;
    if (map->slot_count > SLOTS_MIN && map->count < map->slot_count / 8) {
        resize(map, map->slot_count / 2);
    }
    return ptr;
}

void *idmap_next(const struct idmap *map, size_t *pos, uint64_t *ret_id)
{
    while (*pos < map->slot_count) {
        const struct idmap_slot *slot = &map->slots[(*pos)++];

        if (slot->id != 0) {
            if (ret_id != NULL) {
                *ret_id = slot->id;
            }
            return slot->ptr;
        }
    }
    return NULL;
}

bool idmap_valid(const struct idmap *map)
{
    size_t count = 0;

    if ((map->slot_count & (map->slot_count - 1)) != 0 || (map->slot_count > 0) != (map->slots != NULL) ||
        map->count > map->slot_count / 4 * 3 || (map->slot_count > SLOTS_MIN && map->count < map->slot_count / 8)) {
        return false;
    }
    for (size_t i = 0; i < map->slot_count; i++) {
        const struct idmap_slot *slot = &map->slots[i];

        if ((slot->id == 0) != (slot->ptr == NULL)) {
            return false;
        }
        count += slot->id != 0;
    }
    if (count != map->count) {
        return false;
    }
    /* Only now is it certain that every search ends. */
    for (size_t i = 0; i < map->slot_count; i++) {
        if (map->slots[i].id != 0 && search(map, map->slots[i].id) != i) {
            return false; /* rule 3, or the id stands here twice */
        }
    }
    return true;
}
