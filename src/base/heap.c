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

static void put(struct heap *heap, size_t index, struct heap_node *node)
{
    heap->nodes[index] = node;
    node->place = index + 1; /* rule 2 */
}

/* Moves the node towards the root until its parent may stand above it; index is where there is room for it. */
static void sift_up(struct heap *heap, size_t index, struct heap_node *node)
{
    while (index > 0) {
        size_t parent = (index - 1) / ARITY;
        if (!heap->before(node, heap->nodes[parent])) {
            break;
        }
        put(heap, index, heap->nodes[parent]);
        index = parent;
    }
    put(heap, index, node);
}

static size_t least_child(const struct heap *heap, size_t first)
{
    size_t end = first + ARITY < heap->count ? first + ARITY : heap->count;
    size_t least = first;

    for (size_t i = first + 1; i < end; i++) {
        if (heap->before(heap->nodes[i], heap->nodes[least])) {
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
        if (!heap->before(heap->nodes[child], node)) {
            break;
        }
        put(heap, index, heap->nodes[child]);
        index = child;
    }
    put(heap, index, node);
}

/* Puts the node where there is room at index: of the two ways at most one leads anywhere. */
static void settle(struct heap *heap, size_t index, struct heap_node *node)
{
    if (index > 0 && heap->before(node, heap->nodes[(index - 1) / ARITY])) {
        sift_up(heap, index, node);
    } else {
        sift_down(heap, index, node);
    }
}

void heap_push(struct heap *heap, struct heap_node *node)
{
    assert(!heap_linked(node));
    if (heap->count == heap->cap) {
        heap->cap = heap->cap > 0 ? heap->cap * 2 : FIRST_CAP;
        heap->nodes = mem_realloc_array(heap->nodes, heap->cap, sizeof *heap->nodes);
    }
    heap->count++;
    sift_up(heap, heap->count - 1, node);
}

struct heap_node *heap_first(const struct heap *heap)
{
    return heap->count > 0 ? heap->nodes[0] : NULL;
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
    size_t index = node->place - 1;
    struct heap_node *last;

    assert(heap_linked(node) && index < heap->count && heap->nodes[index] == node);
    heap->count--;
    last = heap->nodes[heap->count];
    if (last != node) {
        settle(heap, index, last);
    }
    node->place = 0;
}

void heap_update(struct heap *heap, struct heap_node *node)
{
    size_t index = node->place - 1;

    assert(heap_linked(node) && index < heap->count && heap->nodes[index] == node);
    settle(heap, index, node);
}

bool heap_valid(const struct heap *heap)
{
    if (heap->count > heap->cap) {
        return false;
    }
    for (size_t i = 0; i < heap->count; i++) {
        if (heap->nodes[i]->place != i + 1) {
            return false;
        }
        if (i > 0 && heap->before(heap->nodes[i], heap->nodes[(i - 1) / ARITY])) {
            return false;
        }
    }
    return true;
}
