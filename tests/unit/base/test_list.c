#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/list.h"
#include "../seed.h"

#define ITEMS 64

struct item {
    int value; /* before the node, so that it does not stand at offset 0 */
    struct list_node node;
};

static struct item *item_of(struct list_node *node)
{
    return CONTAINER_OF(node, struct item, node);
}

/* -1 where there is no node. */
static int value_of(struct list_node *node)
{
    return node != NULL ? item_of(node)->value : -1;
}

static void init_items(struct item *items, int count)
{
    for (int i = 0; i < count; i++) {
        items[i].value = i;
        list_node_init(&items[i].node);
    }
}

static void an_empty_list_has_no_ends(void **state)
{
    (void)state;
    struct list list;
    list_init(&list);

    assert_true(list_empty(&list));
    assert_null(list_first(&list));
    assert_null(list_last(&list));
    assert_null(list_pop_front(&list));
    assert_true(list_valid(&list, 0));
}

static void both_ends_take_nodes(void **state)
{
    (void)state;
    struct list list;
    struct item items[3];
    list_init(&list);
    init_items(items, 3);

    list_push_back(&list, &items[1].node);
    list_push_back(&list, &items[2].node);
    list_push_front(&list, &items[0].node);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(value_of(list_pop_front(&list)), i);
    }
    assert_true(list_empty(&list));
    assert_false(list_linked(&items[0].node));
}

static void removing_what_is_nowhere_is_harmless(void **state)
{
    (void)state;
    struct list_node node;
    list_node_init(&node);

    list_remove(&node);
    assert_false(list_linked(&node));
}

static void a_walk_may_remove_the_node_at_hand(void **state)
{
    (void)state;
    struct list list;
    struct item items[10];
    int seen = 0;
    list_init(&list);
    init_items(items, 10);
    for (int i = 0; i < 10; i++) {
        list_push_back(&list, &items[i].node);
    }

    for (struct list_node *node = list_first(&list), *next; node != NULL; node = next) {
        next = list_next(&list, node);
        assert_int_equal(value_of(node), seen++);
        if (value_of(node) % 2 == 0) {
            list_remove(node);
        }
    }
    assert_int_equal(seen, 10);
    for (int i = 1; i < 10; i += 2) {
        assert_int_equal(value_of(list_pop_front(&list)), i);
    }
    assert_true(list_empty(&list));
}

static void damage_is_noticed(void **state)
{
    (void)state;
    struct list list;
    struct item items[3];
    list_init(&list);
    init_items(items, 3);
    for (int i = 0; i < 3; i++) {
        list_push_back(&list, &items[i].node);
    }

    assert_true(list_valid(&list, 3));
    assert_false(list_valid(&list, 2));
    items[1].node.prev = &items[2].node;
    assert_false(list_valid(&list, 3));
    items[1].node.prev = &items[0].node;
    items[2].node.next = &items[1].node;
    assert_false(list_valid(&list, 3));
}

/* The reference: an array in the order that the list should have. */
struct reference {
    int values[ITEMS];
    size_t count;
};

static void reference_insert(struct reference *ref, size_t at, int value)
{
    memmove(ref->values + at + 1, ref->values + at, (ref->count - at) * sizeof ref->values[0]);
    ref->values[at] = value;
    ref->count++;
}

static size_t reference_take(struct reference *ref, int value)
{
    size_t at = 0;

    while (ref->values[at] != value) {
        at++;
    }
    ref->count--;
    memmove(ref->values + at, ref->values + at + 1, (ref->count - at) * sizeof ref->values[0]);
    return at;
}

static void check_same(struct list *list, const struct reference *ref)
{
    size_t i = 0;

    assert_true(list_valid(list, ITEMS));
    for (struct list_node *node = list_first(list); node != NULL; node = list_next(list, node)) {
        assert_true(i < ref->count);
        assert_int_equal(value_of(node), ref->values[i++]);
    }
    assert_int_equal(i, ref->count);
    if (ref->count > 0) {
        assert_int_equal(value_of(list_last(list)), ref->values[ref->count - 1]);
    }
}

static void toggle(struct rng *rng, struct list *list, struct reference *ref, struct item *items)
{
    struct item *item = &items[rng_below(rng, ITEMS)];

    if (list_linked(&item->node)) {
        (void)reference_take(ref, item->value);
        list_remove(&item->node);
    } else if (rng_chance(rng, 1, 2)) {
        list_push_back(list, &item->node);
        reference_insert(ref, ref->count, item->value);
    } else if (ref->count > 0 && rng_chance(rng, 1, 2)) {
        size_t at = rng_below(rng, ref->count);
        list_insert_after(&items[ref->values[at]].node, &item->node);
        reference_insert(ref, at + 1, item->value);
    } else {
        list_push_front(list, &item->node);
        reference_insert(ref, 0, item->value);
    }
}

static void it_does_what_a_plain_array_does(void **state)
{
    (void)state;
    struct item items[ITEMS];
    struct reference refs[2] = {0};
    struct list lists[2];
    struct rng rng;
    seed_rng(&rng);
    init_items(items, ITEMS);
    list_init(&lists[0]);
    list_init(&lists[1]);

    for (int i = 0; i < 20000; i++) {
        if (rng_chance(&rng, 1, 50)) { /* all of the first list goes behind the second, and back */
            list_append_all(&lists[1], &lists[0]);
            for (size_t j = 0; j < refs[0].count; j++) {
                reference_insert(&refs[1], refs[1].count, refs[0].values[j]);
            }
            refs[0].count = 0;
            check_same(&lists[1], &refs[1]);
            list_append_all(&lists[0], &lists[1]);
            refs[0] = refs[1];
            refs[1].count = 0;
        } else {
            toggle(&rng, &lists[0], &refs[0], items);
        }
        check_same(&lists[0], &refs[0]);
        check_same(&lists[1], &refs[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_list_has_no_ends),
        cmocka_unit_test(both_ends_take_nodes),
        cmocka_unit_test(removing_what_is_nowhere_is_harmless),
        cmocka_unit_test(a_walk_may_remove_the_node_at_hand),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(it_does_what_a_plain_array_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
