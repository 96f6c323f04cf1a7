#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "base/container.h"
#include "store/memory/ordered.h"

struct item {
    struct ordered_node node;
    bool is_in; /* what the reference knows */
    int key;
};

static int by_key(const void *key_a, const void *key_b)
{
    int a = *(const int *)key_a, b = *(const int *)key_b;

    return (a > b) - (a < b);
}

static void begin(struct ordered *ordered)
{
    ordered_init(ordered, by_key, (ptrdiff_t)offsetof(struct item, key));
}

static int key_of(const struct ordered_node *node)
{
    return node == NULL ? -1 : CONTAINER_OF_CONST(node, struct item, node)->key;
}

static void an_empty_one_has_nothing(void **state)
{
    (void)state;
    struct ordered ordered;
    int key = 5;

    begin(&ordered);
    assert_null(ordered_first(&ordered));
    assert_null(ordered_last(&ordered));
    assert_null(ordered_find(&ordered, &key));
    assert_null(ordered_from(&ordered, &key));
    assert_null(ordered_after(&ordered, &key));
    assert_null(ordered_before(&ordered, &key));
    assert_true(ordered_valid(&ordered));
}

static void a_key_is_in_it_once(void **state)
{
    (void)state;
    struct ordered ordered;
    struct item first = {.key = 5}, second = {.key = 5};

    begin(&ordered);
    assert_null(ordered_insert(&ordered, &first.node));
    assert_ptr_equal(ordered_insert(&ordered, &second.node), &first.node);
    assert_int_equal(ordered.count, 1);
    ordered_replace(&ordered, &first.node, &second.node);
    assert_ptr_equal(ordered_find(&ordered, &first.key), &second.node);
    assert_true(ordered_valid(&ordered));
    ordered_remove(&ordered, &second.node);
    assert_int_equal(ordered.count, 0);
}

#define ITEMS 10000

/* Filled in order, the worst way to fill a plain tree; its depth stays near the logarithm. */
static void it_stays_shallow(void **state)
{
    (void)state;
    static struct item items[ITEMS];
    struct ordered ordered;
    size_t deepest = 0;

    begin(&ordered);
    for (int i = 0; i < ITEMS; i++) {
        items[i].key = i;
        assert_null(ordered_insert(&ordered, &items[i].node));
    }
    for (int i = 0; i < ITEMS; i++) {
        size_t depth = 0;

        for (const struct ordered_node *node = &items[i].node; node != NULL; node = node->parent) {
            depth++;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    assert_in_range(deepest, 14, 60); /* the same in every run */
    assert_true(ordered_valid(&ordered));
}

#define KEYS 200

/* The first key that is in, from start on in that direction; -1 where there is none. */
static int reference_near(const struct item *items, int start, int step)
{
    for (int key = start; key >= 0 && key < KEYS; key += step) {
        if (items[key].is_in) {
            return key;
        }
    }
    return -1;
}

static void ask(const struct ordered *ordered, const struct item *items, int key)
{
    const struct ordered_node *found = ordered_find(ordered, &key);

    assert_int_equal(key_of(found), items[key].is_in ? key : -1);
    assert_int_equal(key_of(ordered_from(ordered, &key)), reference_near(items, key, 1));
    assert_int_equal(key_of(ordered_after(ordered, &key)), reference_near(items, key + 1, 1));
    assert_int_equal(key_of(ordered_before(ordered, &key)), reference_near(items, key - 1, -1));
    assert_int_equal(key_of(ordered_first(ordered)), reference_near(items, 0, 1));
    assert_int_equal(key_of(ordered_last(ordered)), reference_near(items, KEYS - 1, -1));
    if (found != NULL) {
        assert_int_equal(key_of(ordered_next(found)), reference_near(items, key + 1, 1));
        assert_int_equal(key_of(ordered_prev(found)), reference_near(items, key - 1, -1));
    }
}

static void it_agrees_with_a_plain_reference(void **state)
{
    (void)state;
    static struct item items[2][KEYS]; /* two of each key: one may replace the other */
    struct ordered ordered;
    struct rng rng;

    seed_rng(&rng);
    begin(&ordered);
    for (int key = 0; key < KEYS; key++) {
        items[0][key].key = items[1][key].key = key;
    }
    for (int step = 0; step < 20000; step++) {
        int key = (int)rng_below(&rng, KEYS);
        struct ordered_node *node = ordered_find(&ordered, &key);

        if (node == NULL) {
            assert_null(ordered_insert(&ordered, &items[rng_below(&rng, 2)][key].node));
        } else if (rng_chance(&rng, 1, 3)) {
            ordered_replace(&ordered, node, node == &items[0][key].node ? &items[1][key].node : &items[0][key].node);
        } else if (rng_chance(&rng, (uint64_t)(step / 5000 % 2) + 1, 3)) {
            ordered_remove(&ordered, node);
        }
        items[0][key].is_in = ordered_find(&ordered, &key) != NULL;
        ask(&ordered, items[0], (int)rng_below(&rng, KEYS));
        if (step % 16 == 0) {
            assert_true(ordered_valid(&ordered));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_has_nothing),
        cmocka_unit_test(a_key_is_in_it_once),
        cmocka_unit_test(it_stays_shallow),
        cmocka_unit_test(it_agrees_with_a_plain_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
