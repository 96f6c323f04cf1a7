/* create_order: the definitions of one request, upstreams before those that depend on them.
 *
 * Owns:  nothing; what it finds is in the arena.
 * Never: recurses: a chain may be as long as the request.
 * Rules: (1) time and memory are linear in definitions and edges.
 * See:   tests/unit/engine/test_create_order.c
 */
#ifndef ENGINE_CREATE_ORDER_H
#define ENGINE_CREATE_ORDER_H

#include <stddef.h>

#include "base/arena.h"

/* Of two definitions of the request, by their places. */
struct create_edge {
    size_t upstream, downstream;
};

struct create_order {
    size_t *order; /* all of them; where there is a cycle, only those that have nothing to do with it */
    size_t count;
    size_t *cycle; /* each depends on the next, and the last on the first, which is the lowest */
    size_t cycle_count;
};

void create_order_find(struct arena *arena, size_t def_count, const struct create_edge *edges, size_t edge_count,
                       struct create_order *ret_order);

#endif
