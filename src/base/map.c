#include "base/map.h"

#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"

#define FIRST_CHAINS 16

void map_init(struct map *map, enum map_keys keys, uint64_t seed)
{
    *map = (struct map){.keys = keys, .seed = seed};
}

void map_done(struct map *map)
{
    mem_free(map->chains);
    map_init(map, map->keys, map->seed);
}

/* ---- keys ---- */

static struct map_node text_probe(const struct map *map, struct str key)
{
    assert(map->keys == MAP_KEYS_TEXT);
    return (struct map_node){.hash = hash64(key.ptr, key.len, map->seed), .key.text = key};
}

static struct map_node number_probe(const struct map *map, uint64_t key)
{
    assert(map->keys == MAP_KEYS_NUMBER);
    /* The machine's byte order will do: nothing outside of this process sees the hash. */
    return (struct map_node){.hash = hash64(&key, sizeof key, map->seed), .key.number = key};
}

static bool same_key(const struct map *map, const struct map_node *a, const struct map_node *b)
{
    if (a->hash != b->hash) {
        return false;
    }
    return map->keys == MAP_KEYS_TEXT ? str_equal(a->key.text, b->key.text) : a->key.number == b->key.number;
}

/* ---- chains ---- */

static struct map_node **chain_of(const struct map *map, uint64_t hash)
{
    return &map->chains[hash & (map->chain_count - 1)];
}

/* Every node keeps its order within its chain, as rule 3 asks. */
static void grow(struct map *map)
{
    size_t old_count = map->chain_count;
    struct map_node **old = map->chains;

    map->chain_count = old_count > 0 ? old_count * 2 : FIRST_CHAINS;
    map->chains = mem_zalloc(map->chain_count * sizeof(struct map_node *));
    for (size_t i = 0; i < old_count; i++) {
        struct map_node **low_end = &map->chains[i];
        struct map_node **high_end = &map->chains[i + old_count];
        for (struct map_node *node = old[i]; node != NULL; node = node->next) {
            struct map_node ***end = (node->hash & old_count) != 0 ? &high_end : &low_end;
            **end = node;
            *end = &node->next;
        }
        *low_end = NULL;
        *high_end = NULL;
    }
    mem_free(old);
}

static struct map_node *find(const struct map *map, const struct map_node *probe)
{
    if (map->count == 0) {
        return NULL;
    }
    for (struct map_node *node = *chain_of(map, probe->hash); node != NULL; node = node->next) {
        if (same_key(map, node, probe)) {
            return node;
        }
    }
    return NULL;
}

static struct map_node *insert(struct map *map, struct map_node *node, const struct map_node *probe)
{
    struct map_node *there = find(map, probe);
    struct map_node **chain;

    if (there != NULL) {
        return there; /* rule 1 */
    }
    assert(!node->is_linked); /* rule 4 */
    if (map->count == map->chain_count) {
        grow(map); /* rule 2 */
    }
    chain = chain_of(map, probe->hash);
    *node = *probe;
    node->next = *chain;
    node->is_linked = true;
    *chain = node;
    map->count++;
    return NULL;
}

struct map_node *map_insert_text(struct map *map, struct map_node *node, struct str key)
{
    struct map_node probe = text_probe(map, key);

    return insert(map, node, &probe);
}

struct map_node *map_insert_number(struct map *map, struct map_node *node, uint64_t key)
{
    struct map_node probe = number_probe(map, key);

    return insert(map, node, &probe);
}

struct map_node *map_find_text(const struct map *map, struct str key)
{
    struct map_node probe = text_probe(map, key);

    return find(map, &probe);
}

struct map_node *map_find_number(const struct map *map, uint64_t key)
{
    struct map_node probe = number_probe(map, key);

    return find(map, &probe);
}

void map_remove(struct map *map, struct map_node *node)
{
    struct map_node **link;

    assert(node->is_linked && map->count > 0);
    link = chain_of(map, node->hash);
    while (*link != node) {
        assert(*link != NULL); /* it is in another map */
        link = &(*link)->next;
    }
    *link = node->next;
    node->next = NULL;
    node->is_linked = false;
    map->count--;
}

/* ---- iteration ---- */

static struct map_node *first_from(const struct map *map, size_t chain)
{
    for (; chain < map->chain_count; chain++) {
        if (map->chains[chain] != NULL) {
            return map->chains[chain];
        }
    }
    return NULL;
}

struct map_node *map_first(const struct map *map)
{
    return first_from(map, 0);
}

struct map_node *map_next(const struct map *map, const struct map_node *node)
{
    if (node->next != NULL) {
        return node->next;
    }
    return first_from(map, (node->hash & (map->chain_count - 1)) + 1);
}

/* ---- checks ---- */

static bool node_valid(const struct map *map, size_t chain, const struct map_node *node)
{
    struct map_node probe =
        map->keys == MAP_KEYS_TEXT ? text_probe(map, node->key.text) : number_probe(map, node->key.number);

    return node->is_linked && node->hash == probe.hash && (node->hash & (map->chain_count - 1)) == chain &&
           find(map, &probe) == node; /* another one with this key would be found first, here or there */
}

bool map_valid(const struct map *map)
{
    size_t seen = 0;

    if (map->count > map->chain_count || (map->chain_count & (map->chain_count - 1)) != 0) {
        return false;
    }
    for (size_t i = 0; i < map->chain_count; i++) {
        for (const struct map_node *node = map->chains[i]; node != NULL; node = node->next) {
            seen++;
            if (seen > map->count || !node_valid(map, i, node)) {
                return false;
            }
        }
    }
    return seen == map->count;
}
