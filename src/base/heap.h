/* heap: the least of many, and any of them removable.
 *
 * A 4-ary min-heap of pointers to nodes embedded in their structs; each node knows its place. While nodes come in the
 * order in which they go out, as they mostly do, it is a plain row: in at the end and out at the beginning, and nothing
 * moves. A row is a heap, too, so the first node that does not keep to that makes it one.
 *
 * Owns:  the array of pointers. The structs belong to who made them.
 * Rules: (1) no node comes before its parent: before(child, parent) is false everywhere.
 *        (2) a node's place is its index + 1 in the array, whose first head ones are unused; 0 means that it is in no
 *            heap (zeroed structs are right).
 *        (3) what a node is compared by does not change while it is in the heap, but for heap_update.
 *        (4) nodes that are equal come out in no set order: compare by an id last where order matters.
 *        (5) while it is a row no node comes before the one in front of it.
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
    size_t head; /* where in nodes the first one stands */
    size_t count;
    size_t cap;
    bool is_heap; /* false: it is a row */
};

void heap_init(struct heap *heap, heap_before *before);

/* Frees the array. Nodes still in it are left as they are. */
void heap_done(struct heap *heap);

/* The node is in no heap. O(log n), amortised; O(1) at the end of a row. */
void heap_push(struct heap *heap, struct heap_node *node);

/* The first, without taking it; NULL where there is none. O(1). */
struct heap_node *heap_first(const struct heap *heap);

/* Takes the first; NULL where there is none. O(log n); O(1) in a row. */
struct heap_node *heap_pop(struct heap *heap);

/* The node is in this heap. O(log n); O(1) at either end of a row. */
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

/* For who looks at all of them, index below the count: children of index i are 4 * i + 1 to 4 * i + 4, and none of them
 * comes before it. */
static inline struct heap_node *heap_at(const struct heap *heap, size_t index)
{
    return heap->nodes[heap->head + index];
}

/* Rules 1, 2 and 5 hold everywhere. O(n). */
bool heap_valid(const struct heap *heap);

#endif
