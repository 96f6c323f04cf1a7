#include "engine/create_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

#define DEFS_MAX 12
#define EDGES_MAX 24
#define TRIALS 20000

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 16, 1 << 28);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static bool has_edge(const struct create_edge *edges, size_t count, size_t upstream, size_t downstream)
{
    for (size_t i = 0; i < count; i++) {
        if (edges[i].upstream == upstream && edges[i].downstream == downstream) {
            return true;
        }
    }
    return false;
}

static void assert_ordered(const struct create_order *order, size_t def_count, const struct create_edge *edges,
                           size_t edge_count)
{
    size_t place[DEFS_MAX] = {0};

    assert_int_equal(order->count, def_count);
    for (size_t i = 0; i < def_count; i++) {
        assert_int_equal(place[order->order[i]], 0); /* each once */
        place[order->order[i]] = i + 1;
    }
    for (size_t i = 0; i < edge_count; i++) {
        assert_true(place[edges[i].upstream] < place[edges[i].downstream]);
    }
}

static void assert_cycle(const struct create_order *order, const struct create_edge *edges, size_t edge_count)
{
    for (size_t i = 0; i < order->cycle_count; i++) {
        size_t next = order->cycle[(i + 1) % order->cycle_count];

        assert_true(has_edge(edges, edge_count, next, order->cycle[i]));
        assert_true(order->cycle[0] <= order->cycle[i]);
    }
}

/* Plainly: whether every one can be taken when its upstreams have been. */
static bool is_sortable(size_t def_count, const struct create_edge *edges, size_t edge_count)
{
    bool is_taken[DEFS_MAX] = {false};
    size_t taken = 0;

    for (size_t round = 0; round < def_count; round++) {
        for (size_t i = 0; i < def_count; i++) {
            bool is_free = !is_taken[i];

            for (size_t e = 0; e < edge_count && is_free; e++) {
                is_free = edges[e].downstream != i || is_taken[edges[e].upstream];
            }
            is_taken[i] = is_taken[i] || is_free;
            taken += is_free ? 1 : 0;
        }
    }
    return taken == def_count;
}

static void random_graphs_are_ordered_or_show_a_cycle(void **state)
{
    struct rng rng;
    size_t cycles = 0;

    (void)state;
    rng_init(&rng, 7);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct create_edge edges[EDGES_MAX];
        size_t def_count = 1 + (size_t)rng_below(&rng, DEFS_MAX);
        size_t edge_count = (size_t)rng_below(&rng, EDGES_MAX + 1);
        struct create_order order;

        for (size_t i = 0; i < edge_count; i++) {
            edges[i] = (struct create_edge){.upstream = (size_t)rng_below(&rng, def_count),
                                            .downstream = (size_t)rng_below(&rng, def_count)};
        }
        create_order_find(&arena, def_count, edges, edge_count, &order);
        assert_int_equal(order.cycle_count == 0, is_sortable(def_count, edges, edge_count));
        if (order.cycle_count == 0) {
            assert_ordered(&order, def_count, edges, edge_count);
        } else {
            assert_cycle(&order, edges, edge_count);
            cycles++;
        }
        arena_reset(&arena);
    }
    assert_in_range(cycles, TRIALS / 10, TRIALS * 9 / 10); /* both kinds have been seen */
}

static void a_chain_as_long_as_a_request_is_no_deeper_than_others(void **state)
{
    const size_t count = 1000000; /* of these nothing could be quadratic or recursive */
    struct create_edge *edges = arena_alloc_array(&arena, count, sizeof *edges);
    struct create_order order;

    (void)state;
    for (size_t i = 0; i + 1 < count; i++) {
        edges[i] = (struct create_edge){.upstream = i + 1, .downstream = i};
    }
    create_order_find(&arena, count, edges, count - 1, &order);
    assert_int_equal(order.count, count);
    assert_int_equal(order.order[0], count - 1);
    edges[count - 1] = (struct create_edge){.upstream = 0, .downstream = count - 1};
    create_order_find(&arena, count, edges, count, &order);
    assert_int_equal(order.cycle_count, count);
    assert_int_equal(order.cycle[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_graphs_are_ordered_or_show_a_cycle, begin, end),
        cmocka_unit_test_setup_teardown(a_chain_as_long_as_a_request_is_no_deeper_than_others, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
