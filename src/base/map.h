/* map: things found by a name or a number.
 *
 * A hash table with chains of nodes embedded in their structs. The hash is keyed (base/hash): with a seed
 * that outsiders do not know they cannot choose names that all fall into one chain.
 *
 * Owns:  the table of chains. The structs, and the bytes of their names, belong to who made them and outlive
 *        their stay in the map; so the number of things in a map is bounded by who makes them.
 * Rules: (1) no key is in the map twice.
 *        (2) on average at most one node stands in a chain: the table doubles before it would be more.
 *        (3) for one seed and one history of calls the order of iteration is always the same.
 *        (4) a node is in at most one map; a zeroed one is in none.
 * See:   base/container.h, tests/unit/base/test_map.c
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/container.h"
#include "base/str.h"

enum map_keys { MAP_KEYS_TEXT, MAP_KEYS_NUMBER };

struct map_node {
    struct map_node *next; /* in the chain */
    uint64_t hash;         /* of the key */
    union {
        struct str text; /* borrowed */
        uint64_t number;
    } key;
    bool is_linked;
};

struct map {
    struct map_node **chains; /* NULL until the first insertion */
    size_t chain_count;       /* a power of two, or 0 */
    size_t count;
    uint64_t seed;
    enum map_keys keys;
};

void map_init(struct map *map, enum map_keys keys, uint64_t seed);

/* Frees the table. Nodes still in it are left as they are. */
void map_done(struct map *map);

/* Puts the node in and returns NULL; or, where the key is there already, changes nothing and returns the node that
 * has it. */
struct map_node *map_insert_text(struct map *map, struct map_node *node, struct str key);
struct map_node *map_insert_number(struct map *map, struct map_node *node, uint64_t key);

/* NULL where there is none. */
struct map_node *map_find_text(const struct map *map, struct str key);
struct map_node *map_find_number(const struct map *map, uint64_t key);

/* The node is in this map. */
void map_remove(struct map *map, struct map_node *node);

static inline size_t map_count(const struct map *map)
{
    return map->count;
}

/* Every node once, in an order without meaning (rule 3). Take the next before removing the one at hand; do not insert
 * on the way. NULL at the end. */
struct map_node *map_first(const struct map *map);
struct map_node *map_next(const struct map *map, const struct map_node *node);

/* Rules 1 and 2, and that every node stands in the chain its hash says. O(n) if the chains are short. */
bool map_valid(const struct map *map);

#endif
