#include "store/memory/ordered.h"

void ordered_init(struct ordered *ordered, ordered_compare *compare, ptrdiff_t key_offset)
{
    *ordered = (struct ordered){.compare = compare, .key_offset = key_offset};
}

static const void *key_of(const struct ordered *ordered, const struct ordered_node *node)
{
    return (const char *)node + ordered->key_offset;
}

/* splitmix64 of a counter: well spread, and the same in every run. */
static uint64_t draw(struct ordered *ordered)
{
    uint64_t z = ++ordered->draws * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Where the pointer to a node stands: in its parent, or at the root. */
static struct ordered_node **link_to(struct ordered *ordered, struct ordered_node *node)
{
    if (node->parent == NULL) {
        return &ordered->root;
    }
    return node->parent->left == node ? &node->parent->left : &node->parent->right;
}

/* Swaps a node with its parent, keeping the order of keys. */
static void rotate_up(struct ordered *ordered, struct ordered_node *node)
{
    struct ordered_node *parent = node->parent;
    struct ordered_node *moved;

    *link_to(ordered, parent) = node;
    node->parent = parent->parent;
    parent->parent = node;
    if (parent->left == node) {
        moved = node->right;
        parent->left = moved;
        node->right = parent;
    } else {
        moved = node->left;
        parent->right = moved;
        node->left = parent;
    }
    if (moved != NULL) {
        moved->parent = parent;
    }
}

struct ordered_node *ordered_insert(struct ordered *ordered, struct ordered_node *node)
{
    struct ordered_node **link = &ordered->root;
    struct ordered_node *parent = NULL;

    while (*link != NULL) {
        int order = ordered->compare(key_of(ordered, node), key_of(ordered, *link));

        if (order == 0) {
            return *link; /* rule 1 */
        }
        parent = *link;
        link = order < 0 ? &parent->left : &parent->right;
    }
    *node = (struct ordered_node){.parent = parent, .rank = draw(ordered)};
    *link = node;
    ordered->count++;
    while (node->parent != NULL && node->parent->rank < node->rank) {
        rotate_up(ordered, node);
    }
    return NULL;
}

void ordered_remove(struct ordered *ordered, struct ordered_node *node)
{
    while (node->left != NULL && node->right != NULL) {
        rotate_up(ordered, node->left->rank > node->right->rank ? node->left : node->right);
    }
    struct ordered_node *child = node->left != NULL ? node->left : node->right;

    *link_to(ordered, node) = child;
    if (child != NULL) {
        child->parent = node->parent;
    }
    *node = (struct ordered_node){0};
    ordered->count--;
}

void ordered_replace(struct ordered *ordered, struct ordered_node *old, struct ordered_node *node)
{
    *link_to(ordered, old) = node;
    *node = *old;
    if (node->left != NULL) {
        node->left->parent = node;
    }
    if (node->right != NULL) {
        node->right->parent = node;
    }
    *old = (struct ordered_node){0};
}

struct ordered_node *ordered_find(const struct ordered *ordered, const void *key)
{
    struct ordered_node *node = ordered->root;

    while (node != NULL) {
        int order = ordered->compare(key, key_of(ordered, node));

        if (order == 0) {
            break;
        }
        node = order < 0 ? node->left : node->right;
    }
    return node;
}

struct ordered_node *ordered_first(const struct ordered *ordered)
{
    struct ordered_node *node = ordered->root;

    while (node != NULL && node->left != NULL) {
        node = node->left;
    }
    return node;
}

struct ordered_node *ordered_last(const struct ordered *ordered)
{
    struct ordered_node *node = ordered->root;

    while (node != NULL && node->right != NULL) {
        node = node->right;
    }
    return node;
}

/* The first node whose order relative to key is at least that: 0 takes an equal one, 1 does not. */
static struct ordered_node *first_at(const struct ordered *ordered, const void *key, int at_least)
{
    struct ordered_node *found = NULL;

    for (struct ordered_node *node = ordered->root; node != NULL;) {
        if (ordered->compare(key_of(ordered, node), key) >= at_least) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}

struct ordered_node *ordered_from(const struct ordered *ordered, const void *key)
{
    return first_at(ordered, key, 0);
}

struct ordered_node *ordered_after(const struct ordered *ordered, const void *key)
{
    return first_at(ordered, key, 1);
}

struct ordered_node *ordered_before(const struct ordered *ordered, const void *key)
{
    struct ordered_node *found = NULL;

    for (struct ordered_node *node = ordered->root; node != NULL;) {
        if (ordered->compare(key_of(ordered, node), key) < 0) {
            found = node;
            node = node->right;
        } else {
            node = node->left;
        }
    }
    return found;
}

struct ordered_node *ordered_next(const struct ordered_node *node)
{
    if (node->right != NULL) {
        struct ordered_node *next = node->right;

        while (next->left != NULL) {
            next = next->left;
        }
        return next;
    }
    while (node->parent != NULL && node->parent->right == node) {
        node = node->parent;
    }
    return node->parent;
}

struct ordered_node *ordered_prev(const struct ordered_node *node)
{
    if (node->left != NULL) {
        struct ordered_node *prev = node->left;

        while (prev->right != NULL) {
            prev = prev->right;
        }
        return prev;
    }
    while (node->parent != NULL && node->parent->left == node) {
        node = node->parent;
    }
    return node->parent;
}

static bool child_valid(const struct ordered_node *node, const struct ordered_node *child)
{
    return child == NULL || (child->parent == node && child->rank <= node->rank);
}

bool ordered_valid(const struct ordered *ordered)
{
    const struct ordered_node *before = NULL;
    size_t count = 0;

    if (ordered->root != NULL && ordered->root->parent != NULL) {
        return false;
    }
    for (const struct ordered_node *node = ordered_first(ordered); node != NULL; node = ordered_next(node)) {
        if (!child_valid(node, node->left) || !child_valid(node, node->right) || ++count > ordered->count) {
            return false;
        }
        if (before != NULL && ordered->compare(key_of(ordered, before), key_of(ordered, node)) >= 0) {
            return false;
        }
        before = node;
    }
    return count == ordered->count;
}
