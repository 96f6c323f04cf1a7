/* ordered: things in the order of a key, found, walked and changed in O(log n).
 *
 * A treap: a search tree by key that is also a heap by a number drawn for each node, so that its shape is that of a
 * tree filled in random order, whatever the order was. The numbers are the same in every run.
 *
 * Owns:  nothing; nodes are embedded in their structs, and their keys stand at a fixed distance from them.
 * Rules: (1) no key is in it twice.
 *        (2) a key does not change while its node is in.
 *        (3) what is found and in which order depends on the keys alone, never on the numbers drawn.
 * See:   base/container.h, tests/contract/test_ordered.c
 */
#ifndef STORE_MEMORY_ORDERED_H
#define STORE_MEMORY_ORDERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordered_node {
    struct ordered_node *parent;
    struct ordered_node *left, *right;
    uint64_t rank; /* not lower than those of its children */
};

/* Less than, equal to or greater than 0, as a comes before, with or after b. */
typedef int ordered_compare(const void *key_a, const void *key_b);

struct ordered {
    struct ordered_node *root;
    ordered_compare *compare;
    ptrdiff_t key_offset; /* from a node to its key, in bytes */
    size_t count;
    uint64_t draws; /* numbers drawn so far */
};

void ordered_init(struct ordered *ordered, ordered_compare *compare, ptrdiff_t key_offset);

/* Puts the node in and returns NULL; or, where its key is there already, changes nothing and returns the node that has
 * it. */
struct ordered_node *ordered_insert(struct ordered *ordered, struct ordered_node *node);

/* The node is in. */
void ordered_remove(struct ordered *ordered, struct ordered_node *node);

/* Puts another node with an equal key in the place of one that is in. O(1). */
void ordered_replace(struct ordered *ordered, struct ordered_node *old, struct ordered_node *node);

/* All of these are NULL where there is none. */
struct ordered_node *ordered_find(const struct ordered *ordered, const void *key);
struct ordered_node *ordered_first(const struct ordered *ordered);
struct ordered_node *ordered_last(const struct ordered *ordered);
struct ordered_node *ordered_from(const struct ordered *ordered,
                                  const void *key); /* the first that is not before key */
struct ordered_node *ordered_after(const struct ordered *ordered, const void *key);  /* the first behind key */
struct ordered_node *ordered_before(const struct ordered *ordered, const void *key); /* the last before key */
struct ordered_node *ordered_next(const struct ordered_node *node);
struct ordered_node *ordered_prev(const struct ordered_node *node);

/* Keys and ranks are in order, links have their counterparts, and count is right. O(n). */
bool ordered_valid(const struct ordered *ordered);

#endif
