#include "engine/wheel.h"

#include <assert.h>

#define PLACE_OVERDUE (1 + WHEEL_LEVELS * WHEEL_SLOTS)
#define SPAN_MAX_MS ((int64_t)1 << (WHEEL_BITS * WHEEL_LEVELS))

void wheel_init(struct wheel *wheel, int64_t now_ms)
{
    assert(now_ms >= 0);
    *wheel = (struct wheel){.now_ms = now_ms};
    list_init(&wheel->overdue);
    for (size_t level = 0; level < WHEEL_LEVELS; level++) {
        for (size_t slot = 0; slot < WHEEL_SLOTS; slot++) {
            list_init(&wheel->slots[level][slot]);
        }
    }
}

void wheel_node_init(struct wheel_node *node)
{
    *node = (struct wheel_node){0};
    list_node_init(&node->link);
}

/* Which slot of a level a time lies in. */
static unsigned slot_of(int64_t at_ms, unsigned level)
{
    return (unsigned)(at_ms >> (level * WHEEL_BITS)) & (WHEEL_SLOTS - 1);
}

/* The highest group of bits in which two different times differ. */
static unsigned level_of(int64_t a_ms, int64_t b_ms)
{
    return (unsigned)(63 - __builtin_clzll((uint64_t)(a_ms ^ b_ms))) / WHEEL_BITS;
}

/* Puts a node where it belongs, seen from now; due_ms > now_ms. */
static void place(struct wheel *wheel, struct wheel_node *node)
{
    unsigned level = level_of(node->due_ms, wheel->now_ms);
    unsigned slot = slot_of(node->due_ms, level);

    node->place = (uint16_t)(1 + level * WHEEL_SLOTS + slot);
    wheel->used[level] |= 1ULL << slot;
    list_push_back(&wheel->slots[level][slot], &node->link);
}

void wheel_add(struct wheel *wheel, struct wheel_node *node, int64_t due_ms)
{
    assert(!wheel_linked(node));
    list_node_init(&node->link);
    node->due_ms = due_ms;
    wheel->count++;
    if (due_ms <= wheel->now_ms) {
        node->place = PLACE_OVERDUE;
        list_push_back(&wheel->overdue, &node->link);
        return;
    }
    assert(due_ms < SPAN_MAX_MS);
    place(wheel, node);
}

void wheel_remove(struct wheel *wheel, struct wheel_node *node)
{
    if (!wheel_linked(node)) {
        return;
    }
    list_remove(&node->link);
    wheel->count--;
    if (node->place != PLACE_OVERDUE) {
        unsigned level = (node->place - 1U) / WHEEL_SLOTS;
        unsigned slot = (node->place - 1U) % WHEEL_SLOTS;

        if (list_empty(&wheel->slots[level][slot])) {
            wheel->used[level] &= ~(1ULL << slot);
        }
    }
    node->place = 0;
}

/* The lowest level that is not empty, which holds the earliest node (rule 2); WHEEL_LEVELS where all are empty. */
static unsigned lowest_used(const struct wheel *wheel)
{
    unsigned level = 0;

    while (level < WHEEL_LEVELS && wheel->used[level] == 0) {
        level++;
    }
    return level;
}

/* The beginning of the first used slot of a level. */
static int64_t first_slot_ms(const struct wheel *wheel, unsigned level)
{
    unsigned above = (level + 1) * WHEEL_BITS;
    int64_t higher = wheel->now_ms >> above << above;

    return higher | (int64_t)__builtin_ctzll(wheel->used[level]) << (level * WHEEL_BITS);
}

/* Hands a node out. */
static void hand_out(struct wheel *wheel, struct wheel_node *node, struct list *due)
{
    list_remove(&node->link);
    node->place = 0;
    wheel->count--;
    list_push_back(due, &node->link);
}

/* Now has reached the beginning of this slot: what is due goes out, as far as there is room, the rest moves down. */
static void open_slot(struct wheel *wheel, unsigned level, unsigned slot, size_t *room, struct list *due)
{
    struct list nodes;

    list_init(&nodes);
    list_append_all(&nodes, &wheel->slots[level][slot]);
    wheel->used[level] &= ~(1ULL << slot);
    for (struct list_node *link; (link = list_first(&nodes)) != NULL;) {
        struct wheel_node *node = CONTAINER_OF(link, struct wheel_node, link);

        if (node->due_ms == wheel->now_ms && *room > 0) {
            hand_out(wheel, node, due);
            --*room;
        } else if (node->due_ms == wheel->now_ms) {
            list_remove(link);
            node->place = PLACE_OVERDUE;
            list_push_back(&wheel->overdue, link);
        } else {
            list_remove(link);
            place(wheel, node);
        }
    }
}

size_t wheel_advance(struct wheel *wheel, int64_t now_ms, size_t max, struct list *due)
{
    size_t room = max;

    assert(now_ms >= wheel->now_ms && now_ms < SPAN_MAX_MS);
    for (struct list_node *link; room > 0 && (link = list_first(&wheel->overdue)) != NULL; room--) {
        hand_out(wheel, CONTAINER_OF(link, struct wheel_node, link), due);
    }
    for (unsigned level; room > 0 && (level = lowest_used(wheel)) < WHEEL_LEVELS;) {
        int64_t slot_ms = first_slot_ms(wheel, level);

        if (slot_ms > now_ms) {
            break;
        }
        wheel->now_ms = slot_ms;
        open_slot(wheel, level, slot_of(slot_ms, level), &room, due);
    }
    if (room > 0) {
        wheel->now_ms = now_ms;
    }
    return max - room;
}

int64_t wheel_next_ms(const struct wheel *wheel)
{
    unsigned level = lowest_used(wheel);

    if (!list_empty(&wheel->overdue)) {
        return wheel->now_ms;
    }
    return level == WHEEL_LEVELS ? WHEEL_NEVER : first_slot_ms(wheel, level);
}

static bool slot_valid(const struct wheel *wheel, unsigned level, unsigned slot, size_t *count)
{
    const struct list *nodes = &wheel->slots[level][slot];

    if (list_empty(nodes) != ((wheel->used[level] >> slot & 1) == 0)) {
        return false;
    }
    for (const struct list_node *link = list_first(nodes); link != NULL; link = list_next(nodes, link)) {
        const struct wheel_node *node = CONTAINER_OF_CONST(link, struct wheel_node, link);
        bool stands_right = node->due_ms > wheel->now_ms && level_of(node->due_ms, wheel->now_ms) == level &&
                            slot_of(node->due_ms, level) == slot;

        if (!stands_right || node->place != 1 + level * WHEEL_SLOTS + slot) {
            return false;
        }
        ++*count;
    }
    return true;
}

bool wheel_valid(const struct wheel *wheel)
{
    size_t count = 0;

    for (const struct list_node *link = list_first(&wheel->overdue); link != NULL;
         link = list_next(&wheel->overdue, link)) {
        count++;
    }
    for (unsigned level = 0; level < WHEEL_LEVELS; level++) {
        for (unsigned slot = 0; slot < WHEEL_SLOTS; slot++) {
            if (!slot_valid(wheel, level, slot, &count)) {
                return false;
            }
        }
    }
    return count == wheel->count;
}
