#include "base/heap.h"

#include <assert.h>

#include "base/mem.h"

/* Four children stand in one cache line of pointers, and the tree is half as deep as with two. */
#define ARITY 4
#define FIRST_CAP 16

void heap_init(struct heap *heap, heap_before *before)
{
    *heap = (struct heap){.before = before};
}

void heap_done(struct heap *heap)
{
    mem_free(heap->nodes);
    heap_init(heap, heap->before);
}

/* Indices are counted from the head. */
static void put(struct heap *heap, size_t index, struct heap_node *node)
{
    heap->nodes[heap->head + index] = node;
    node->place = heap->head + index + 1; /* rule 2 */
}

static size_t index_of(const struct heap *heap, const struct heap_node *node)
{
    size_t index = node->place - 1 - heap->head;

    assert(heap_linked(node) && index < heap->count && heap_at(heap, index) == node);
    return index;
}

/* Moves the node towards the root until its parent may stand above it; index is where there is room for it. */
static void sift_up(struct heap *heap, size_t index, struct heap_node *node)
{
    while (index > 0) {
        size_t parent = (index - 1) / ARITY;
        if (!heap->before(node, heap_at(heap, parent))) {
            break;
        }
        put(heap, index, heap_at(heap, parent));
        index = parent;
    }
    put(heap, index, node);
}

static size_t least_child(const struct heap *heap, size_t first)
{
    size_t end = first + ARITY < heap->count ? first + ARITY : heap->count;
    size_t least = first;

    for (size_t i = first + 1; i < end; i++) {
        if (heap->before(heap_at(heap, i), heap_at(heap, least))) {
            least = i;
        }
    }
    return least;
}

/* The same away from the root. */
static void sift_down(struct heap *heap, size_t index, struct heap_node *node)
{
    for (;;) {
        size_t child = index * ARITY + 1;
        if (child >= heap->count) {
            break;
        }
        child = least_child(heap, child);
        if (!heap->before(heap_at(heap, child), node)) {
            break;
        }
        put(heap, index, heap_at(heap, child));
        index = child;
    }
    put(heap, index, node);
}

/* Puts the node where there is room at index: of the two ways at most one leads anywhere. */
static void settle(struct heap *heap, size_t index, struct heap_node *node)
{
    if (index > 0 && heap->before(node, heap_at(heap, (index - 1) / ARITY))) {
        sift_up(heap, index, node);
    } else {
        sift_down(heap, index, node);
    }
}

/* Room for one more at the end. Half of the array is unused before all move to its beginning, so that each has paid for
 * one move. */
static void make_room(struct heap *heap)
{
    if (heap->head + heap->count < heap->cap) {
        return;
    }
    if (heap->head > heap->cap / 2) {
        size_t head = heap->head;

        heap->head = 0;
        for (size_t i = 0; i < heap->count; i++) {
            put(heap, i, heap->nodes[head + i]);
        }
        return;
    }
    heap->cap = heap->cap > 0 ? heap->cap * 2 : FIRST_CAP;
    heap->nodes = mem_realloc_array(heap->nodes, heap->cap, sizeof *heap->nodes);
}

void heap_push(struct heap *heap, struct heap_node *node)
{
    assert(!heap_linked(node));
    make_room(heap);
    heap->is_heap = heap->is_heap || (heap->count > 0 && heap->before(node, heap_at(heap, heap->count - 1)));
    heap->count++;
    if (heap->is_heap) {
        sift_up(heap, heap->count - 1, node);
    } else {
        put(heap, heap->count - 1, node); /* rule 5 */
    }
}

struct heap_node *heap_first(const struct heap *heap)
{
    return heap->count > 0 ? heap_at(heap, 0) : NULL;
}

struct heap_node *heap_pop(struct heap *heap)
{
    struct heap_node *first = heap_first(heap);

    if (first != NULL) {
        heap_remove(heap, first);
    }
    return first;
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    size_t index = index_of(heap, node);

    heap->count--;
    if (index == 0 && !heap->is_heap) {
        heap->head++;
    } else if (index < heap->count) {
        heap->is_heap = true;
        settle(heap, index, heap_at(heap, heap->count));
    }
    node->place = 0;
    if (heap->count == 0) { /* a new row */
        heap->head = 0;
        heap->is_heap = false;
    }
}

void heap_update(struct heap *heap, struct heap_node *node)
{
    size_t index = index_of(heap, node);

    heap->is_heap = true;
    settle(heap, index, node);
}

bool heap_valid(const struct heap *heap)
{
    if (heap->head + heap->count > heap->cap || (heap->count == 0 && heap->is_heap)) {
        return false;
    }
    for (size_t i = 0; i < heap->count; i++) {
        if (heap_at(heap, i)->place != heap->head + i + 1) {
            return false;
        }
        if (i > 0 && heap->before(heap_at(heap, i), heap_at(heap, heap->is_heap ? (i - 1) / ARITY : i - 1))) {
            return false;
        }
    }
    return true;
}
