#include "engine/create_order.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define NONE SIZE_MAX

static size_t *fill(struct arena *arena, size_t count, size_t value)
{
    size_t *numbers = arena_alloc_array(arena, count + 1, sizeof *numbers);

    for (size_t i = 0; i < count; i++) {
        numbers[i] = value;
    }
    return numbers;
}

/* Takes those that wait for nobody, then those that waited for them alone, and so on. */
static void sort(struct arena *arena, size_t def_count, const struct create_edge *edges, size_t edge_count,
                 struct create_order *order)
{
    size_t *waits_for = fill(arena, def_count, 0);
    size_t *first_edge = fill(arena, def_count, NONE); /* of an upstream; others hang behind it */
    size_t *next_edge = fill(arena, edge_count, NONE);

    for (size_t i = edge_count; i-- > 0;) {
        waits_for[edges[i].downstream]++;
        next_edge[i] = first_edge[edges[i].upstream];
        first_edge[edges[i].upstream] = i;
    }
    for (size_t i = 0; i < def_count; i++) {
        if (waits_for[i] == 0) {
            order->order[order->count++] = i;
        }
    }
    for (size_t at = 0; at < order->count; at++) {
        for (size_t edge = first_edge[order->order[at]]; edge != NONE; edge = next_edge[edge]) {
            if (--waits_for[edges[edge].downstream] == 0) {
                order->order[order->count++] = edges[edge].downstream;
            }
        }
    }
}

/* Beginning with the lowest. */
static void turn_cycle(struct arena *arena, struct create_order *order)
{
    size_t *turned = arena_alloc_array(arena, order->cycle_count + 1, sizeof *turned);
    size_t lowest = 0;

    for (size_t i = 1; i < order->cycle_count; i++) {
        lowest = order->cycle[i] < order->cycle[lowest] ? i : lowest;
    }
    for (size_t i = 0; i < order->cycle_count; i++) {
        turned[i] = order->cycle[(lowest + i) % order->cycle_count];
    }
    order->cycle = turned;
}

/* Who has no place in the order depends on another one without: going up from it comes round sooner or later. */
static void find_cycle(struct arena *arena, size_t def_count, const struct create_edge *edges, size_t edge_count,
                       struct create_order *order)
{
    size_t *way = arena_alloc_array(arena, def_count + 1, sizeof *way);
    size_t *place_on_way = fill(arena, def_count, NONE);
    size_t *upstream_of = fill(arena, def_count, NONE);
    bool *has_place = arena_zalloc(arena, def_count + 1);
    size_t length = 0, at = 0;

    for (size_t i = 0; i < order->count; i++) {
        has_place[order->order[i]] = true;
    }
    for (size_t i = edge_count; i-- > 0;) {
        if (!has_place[edges[i].upstream]) {
            upstream_of[edges[i].downstream] = edges[i].upstream;
        }
    }
    while (has_place[at]) {
        at++;
    }
    while (place_on_way[at] == NONE) {
        place_on_way[at] = length;
        way[length++] = at;
        at = upstream_of[at];
        assert(at != NONE); /* or it would have a place */
    }
    order->cycle = way + place_on_way[at];
    order->cycle_count = length - place_on_way[at];
    turn_cycle(arena, order);
}

void create_order_find(struct arena *arena, size_t def_count, const struct create_edge *edges, size_t edge_count,
                       struct create_order *ret_order)
{
    *ret_order = (struct create_order){.order = arena_alloc_array(arena, def_count + 1, sizeof *ret_order->order)};
    sort(arena, def_count, edges, edge_count, ret_order);
    if (ret_order->count < def_count) {
        find_cycle(arena, def_count, edges, edge_count, ret_order);
    }
}
