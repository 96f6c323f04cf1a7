/* heap: the least of many, and any of them removable.
 *
 * A 4-ary min-heap of pointers to nodes embedded in their structs; each node knows its place.
 *
 * Owns:  the array of pointers. The structs belong to who made them.
 * Rules: (1) no node comes before its parent: before(child, parent) is false everywhere.
 *        (2) a node's place is its index + 1 in the array; 0 means that it is in no heap (zeroed structs are right).
 *        (3) what a node is compared by does not change while it is in the heap, but for heap_update.
 *        (4) nodes that are equal come out in no set order: compare by an id last where order matters.
 * See:   base/container.h, tests/unit/base/test_heap.c
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/container.h"

struct heap_node {
    size_t place; /* rule 2 */
};

/* A strict order: true when a must come out before b. */
typedef bool heap_before(const struct heap_node *a, const struct heap_node *b);

struct heap {
    heap_before *before;
    struct heap_node **nodes;
    size_t count;
    size_t cap;
};

void heap_init(struct heap *heap, heap_before *before);

/* Frees the array. Nodes still in it are left as they are. */
void heap_done(struct heap *heap);

/* The node is in no heap. O(log n). */
void heap_push(struct heap *heap, struct heap_node *node);

/* The first, without taking it; NULL where there is none. O(1). */
struct heap_node *heap_first(const struct heap *heap);

/* Takes the first; NULL where there is none. O(log n). */
struct heap_node *heap_pop(struct heap *heap);

/* The node is in this heap. O(log n). */
void heap_remove(struct heap *heap, struct heap_node *node);

/* To be called right after what the node is compared by has changed. O(log n). */
void heap_update(struct heap *heap, struct heap_node *node);

static inline bool heap_linked(const struct heap_node *node)
{
    return node->place != 0;
}

static inline size_t heap_count(const struct heap *heap)
{
    return heap->count;
}

/* Rules 1 and 2 hold everywhere. O(n). */
bool heap_valid(const struct heap *heap);

#endif
