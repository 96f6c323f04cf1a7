/* wheel: what is to happen when, in milliseconds; in and out at a fixed cost.
 *
 * A hierarchical timing wheel. Level 0 has a slot for each of 64 milliseconds, level 1 for each of 64 times 64, and so
 * on. A node stands at the level of the highest group of six bits in which its due time differs from now; when now
 * reaches the beginning of a slot, its nodes move down. So adding and removing are O(1), and a node moves at most
 * WHEEL_LEVELS times before it is due.
 *
 * Owns:  nothing; nodes are embedded in their structs.
 * Never: reads a clock. Time comes in with wheel_advance and never goes back.
 * Rules: (1) no node is handed out before its due time; all that are due by now are handed out by wheel_advance(now),
 *            or by those that follow it.
 *        (2) a node at level l lies in a slot behind the one of now at that level, with all higher groups equal: the
 *            lowest level that is not empty holds the earliest node.
 *        (3) nodes are handed out in the order of their due times; equal ones in an order that depends only on the
 *            calls made.
 * See:   tests/unit/engine/test_wheel.c, tests/bench/bench_wheel.c
 */
#ifndef ENGINE_WHEEL_H
#define ENGINE_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

#define WHEEL_BITS 6
#define WHEEL_SLOTS (1 << WHEEL_BITS)
/* Eight levels of six bits: 2^48 ms, nine thousand years ahead. */
#define WHEEL_LEVELS 8

/* Nothing is waiting. */
#define WHEEL_NEVER INT64_MAX

struct wheel_node {
    struct list_node link; /* in a slot, or in the list wheel_advance hands out */
    int64_t due_ms;
    uint16_t place; /* 1 + level * WHEEL_SLOTS + slot; WHEEL_OVERDUE; 0: in no wheel */
    uint16_t tag;   /* of who embeds it: the wheel leaves it as it is */
};

struct wheel {
    int64_t now_ms;
    size_t count;
    struct list overdue;         /* added when already due; handed out by the next advance */
    uint64_t used[WHEEL_LEVELS]; /* one bit for each slot that is not empty */
    struct list slots[WHEEL_LEVELS][WHEEL_SLOTS];
};

/* now_ms is at least 0. The wheel must not be moved afterwards. */
void wheel_init(struct wheel *wheel, int64_t now_ms);

/* A zeroed node is one that is in no wheel; wheel_node_init says so explicitly. */
void wheel_node_init(struct wheel_node *node);

static inline bool wheel_linked(const struct wheel_node *node)
{
    return node->place != 0;
}

/* Whether something was added that is due already. Else nothing is before time moves on. */
static inline bool wheel_has_overdue(const struct wheel *wheel)
{
    return !list_empty(&wheel->overdue);
}

/* The node is in no wheel. A due time in the past is due at once. */
void wheel_add(struct wheel *wheel, struct wheel_node *node, int64_t due_ms);

/* Takes the node out; does nothing where it is in no wheel. */
void wheel_remove(struct wheel *wheel, struct wheel_node *node);

/* Moves time to now_ms (not back) and everything due by then to the end of due, but not more than max nodes: where more
 * are due the wheel stays behind, and the next call goes on from there. Nodes in due are in no wheel. Returns how many
 * there were. */
size_t wheel_advance(struct wheel *wheel, int64_t now_ms, size_t max, struct list *due);

/* When to call wheel_advance next: not later than the earliest due time, and after now unless something is overdue. */
int64_t wheel_next_ms(const struct wheel *wheel);

/* Whether the rules hold. O(count). */
bool wheel_valid(const struct wheel *wheel);

#endif
