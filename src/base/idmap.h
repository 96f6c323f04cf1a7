/* idmap: pointers found by 64-bit ids, by the million.
 *
 * One table of 16 bytes a slot, open addressing with linear probing: no node to allocate, nothing to chase. A removal
 * moves what stands behind it back, so that there are no marks of what once was and a search never gets longer with
 * age.
 *
 * Owns:  the table. What the pointers point to belongs to who put them in; so the number of things in a map is bounded
 *        by who makes them.
 * Rules: (1) no id is in the map twice; 0 is no id, and NULL no pointer.
 *        (2) at most three quarters of the slots are taken: the table doubles before it would be more. It halves when
 *            less than an eighth of it is, so that the memory of a herd comes back.
 *        (3) between where an id's hash says and where it stands there is no empty slot.
 *        (4) for one seed and one history of calls the order of iteration is always the same.
 * See:   base/map.h (things with names, and things that must not be moved in bulk), tests/unit/base/test_idmap.c
 */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
    uint64_t id; /* 0: empty */
    void *ptr;
};

struct idmap {
    struct idmap_slot *slots; /* NULL until the first put */
    size_t slot_count;        /* a power of two, or 0 */
    size_t count;
    uint64_t seed;
};

/* Allocates nothing yet. */
void idmap_init(struct idmap *map, uint64_t seed);

/* Also right for SCOPE(idmap_done). Frees the table; the map is empty afterwards, with the same seed. */
void idmap_done(struct idmap *map);

/* The id is not in the map. O(1) amortised: a put that doubles the table moves all of it. */
void idmap_put(struct idmap *map, uint64_t id, void *ptr);

/* NULL where there is none. */
void *idmap_find(const struct idmap *map, uint64_t id);

/* The same, and it is in the map no longer. O(1) amortised: a removal that halves the table moves all of it. */
void *idmap_remove(struct idmap *map, uint64_t id);

static inline size_t idmap_count(const struct idmap *map)
{
    return map->count;
}

/* Everything once, in an order without meaning (rule 4): begin with 0 in *pos; NULL at the end. ret_id may be NULL. Do
 * not put or remove on the way: things move. */
void *idmap_next(const struct idmap *map, size_t *pos, uint64_t *ret_id);

/* The rules. O(n). */
bool idmap_valid(const struct idmap *map);

#endif
