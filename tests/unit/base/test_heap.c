#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/heap.h"
#include "base/mem.h"
#include "../seed.h"

#define ITEMS 200

struct item {
    int id;
    struct heap_node node;
    int64_t due;
};

static const struct item *item_of(const struct heap_node *node)
{
    return CONTAINER_OF_CONST(node, struct item, node);
}

static bool due_before(const struct heap_node *a, const struct heap_node *b)
{
    if (item_of(a)->due != item_of(b)->due) {
        return item_of(a)->due < item_of(b)->due;
    }
    return item_of(a)->id < item_of(b)->id;
}

static void an_empty_heap_has_no_first(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    heap_init(&heap, due_before);

    assert_null(heap_first(&heap));
    assert_null(heap_pop(&heap));
    assert_true(heap_valid(&heap));
}

static void what_is_due_first_comes_first(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    struct item items[] = {{.id = 0, .due = 30}, {.id = 1, .due = 10}, {.id = 2, .due = 20}, {.id = 3, .due = 10}};
    const int order[] = {1, 3, 2, 0};
    heap_init(&heap, due_before);

    for (size_t i = 0; i < 4; i++) {
        heap_push(&heap, &items[i].node);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(item_of(heap_pop(&heap))->id, order[i]);
    }
    assert_false(heap_linked(&items[0].node));
}

static void a_row_goes_out_as_it_came_in(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    struct item items[1000] = {0};
    size_t in = 0;
    heap_init(&heap, due_before);

    for (size_t out = 0; out < 1000; out++) { /* now longer, now shorter, and round the array many times */
        while (in < 1000 && in < out + 10 + out % 40) {
            items[in].id = (int)in;
            items[in].due = (int64_t)in / 3;
            heap_push(&heap, &items[in++].node);
        }
        assert_ptr_equal(heap_pop(&heap), &items[out].node);
        assert_true(heap_valid(&heap));
    }
    assert_int_equal(heap_count(&heap), 0);
    assert_in_range(heap.cap, 1, 128); /* as many as were in at a time, not as many as ever came */
}

static void one_that_comes_out_of_turn_does_not_disturb_a_row(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    struct item items[100] = {0};
    struct item late = {.id = 100, .due = 49};
    heap_init(&heap, due_before);
    for (int i = 0; i < 100; i++) {
        items[i].id = i;
        items[i].due = i;
        heap_push(&heap, &items[i].node);
    }

    heap_remove(&heap, &items[99].node); /* from the end, from the beginning, from the midst */
    heap_remove(&heap, &items[0].node);
    assert_true(heap_valid(&heap));
    heap_remove(&heap, &items[70].node);
    assert_true(heap_valid(&heap));
    heap_push(&heap, &late.node);
    for (int i = 1; i < 99; i++) {
        if (i != 70) {
            assert_ptr_equal(heap_pop(&heap), &items[i].node);
        }
        if (i == 49) {
            assert_ptr_equal(heap_pop(&heap), &late.node);
        }
    }
    assert_null(heap_pop(&heap));
}

static void damage_to_a_row_is_noticed(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    struct item items[6] = {0};
    heap_init(&heap, due_before);
    for (int i = 0; i < 6; i++) {
        items[i].id = i;
        items[i].due = i;
        heap_push(&heap, &items[i].node);
    }

    assert_true(heap_valid(&heap));
    items[4].due = 2; /* behind its parent, and before the one in front of it */
    assert_false(heap_valid(&heap));
}

static void damage_is_noticed(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    struct item items[20] = {0};
    heap_init(&heap, due_before);
    for (int i = 0; i < 20; i++) {
        items[i].id = i;
        items[i].due = i;
        heap_push(&heap, &items[i].node);
    }

    assert_true(heap_valid(&heap));
    items[19].due = -1; /* changed behind the heap's back */
    assert_false(heap_valid(&heap));
    items[19].due = 19;
    items[7].node.place++;
    assert_false(heap_valid(&heap));
}

/* The reference: look at all of them. */
static const struct item *least_of(const struct item *items)
{
    const struct item *least = NULL;

    for (size_t i = 0; i < ITEMS; i++) {
        if (heap_linked(&items[i].node) && (least == NULL || due_before(&items[i].node, &least->node))) {
            least = &items[i];
        }
    }
    return least;
}

static void one_random_operation(struct rng *rng, struct heap *heap, struct item *items, size_t *count)
{
    struct item *item = &items[rng_below(rng, ITEMS)];
    int64_t due = rng_between(rng, 0, 50); /* few values: many are equal */

    if (rng_chance(rng, 1, 5)) {
        const struct item *least = least_of(items);
        struct heap_node *popped = heap_pop(heap);
        assert_ptr_equal(popped, least != NULL ? &least->node : NULL);
        *count -= popped != NULL;
    } else if (!heap_linked(&item->node)) {
        item->due = due;
        heap_push(heap, &item->node);
        ++*count;
    } else if (rng_chance(rng, 1, 2)) {
        item->due = due;
        heap_update(heap, &item->node);
    } else {
        heap_remove(heap, &item->node);
        assert_false(heap_linked(&item->node));
        --*count;
    }
}

static void it_does_what_a_search_through_all_does(void **state)
{
    (void)state;
    SCOPE(heap_done) struct heap heap;
    struct item items[ITEMS] = {0};
    size_t count = 0;
    struct rng rng;
    seed_rng(&rng);
    heap_init(&heap, due_before);
    for (int i = 0; i < ITEMS; i++) {
        items[i].id = i;
    }

    for (int i = 0; i < 20000; i++) {
        const struct item *least;
        one_random_operation(&rng, &heap, items, &count);
        least = least_of(items);
        assert_true(heap_valid(&heap));
        assert_int_equal(heap_count(&heap), count);
        assert_ptr_equal(heap_first(&heap), least != NULL ? &least->node : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_heap_has_no_first),
        cmocka_unit_test(what_is_due_first_comes_first),
        cmocka_unit_test(a_row_goes_out_as_it_came_in),
        cmocka_unit_test(one_that_comes_out_of_turn_does_not_disturb_a_row),
        cmocka_unit_test(damage_to_a_row_is_noticed),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(it_does_what_a_search_through_all_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
