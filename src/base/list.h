/* list: a doubly linked list of nodes embedded in their structs.
 *
 * Owns:  nothing; the structs belong to who made them and outlive their stay in the list.
 * Rules: (1) the list is a ring through its head, so that no end is special.
 *        (2) a node that is in no list points to itself (list_node_init); adding one that is in a list is a bug.
 * See:   base/container.h, tests/unit/base/test_list.c
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/container.h"

struct list_node {
    struct list_node *next;
    struct list_node *prev;
};

struct list {
    struct list_node head; /* its next is the first, its prev the last */
};

static inline void list_node_init(struct list_node *node)
{
    node->next = node;
    node->prev = node;
}

static inline void list_init(struct list *list)
{
    list_node_init(&list->head);
}

static inline bool list_empty(const struct list *list)
{
    return list->head.next == &list->head;
}

/* Whether the node is in some list. */
static inline bool list_linked(const struct list_node *node)
{
    return node->next != node;
}

/* Right behind a node, which may be the list's head. */
static inline void list_insert_after(struct list_node *before, struct list_node *node)
{
    assert(!list_linked(node)); /* rule 2 */
    node->prev = before;
    node->next = before->next;
    before->next->prev = node;
    before->next = node;
}

static inline void list_push_front(struct list *list, struct list_node *node)
{
    list_insert_after(&list->head, node);
}

static inline void list_push_back(struct list *list, struct list_node *node)
{
    list_insert_after(list->head.prev, node);
}

/* Out of whatever list it is in; does nothing where it is in none. */
static inline void list_remove(struct list_node *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_node_init(node);
}

/* NULL where there is none. */
static inline struct list_node *list_first(const struct list *list)
{
    return list_empty(list) ? NULL : list->head.next;
}

static inline struct list_node *list_last(const struct list *list)
{
    return list_empty(list) ? NULL : list->head.prev;
}

/* The one behind node; NULL at the end. Take it before removing the node at hand. */
static inline struct list_node *list_next(const struct list *list, const struct list_node *node)
{
    return node->next == &list->head ? NULL : node->next;
}

static inline struct list_node *list_pop_front(struct list *list)
{
    struct list_node *first = list_first(list);

    if (first != NULL) {
        list_remove(first);
    }
    return first;
}

/* Moves everything in from to the end of list; from is empty afterwards. */
static inline void list_append_all(struct list *list, struct list *from)
{
    if (list_empty(from)) {
        return;
    }
    from->head.next->prev = list->head.prev;
    list->head.prev->next = from->head.next;
    from->head.prev->next = &list->head;
    list->head.prev = from->head.prev;
    list_init(from);
}

/* Every link has its counterpart and count_max nodes lead back to the head: a longer list is taken for a loop. */
static inline bool list_valid(const struct list *list, size_t count_max)
{
    const struct list_node *node = &list->head;

    for (size_t i = 0; i <= count_max; i++) {
        if (node->next == NULL || node->next->prev != node) {
            return false;
        }
        node = node->next;
        if (node == &list->head) {
            return true;
        }
    }
    return false;
}

#endif
