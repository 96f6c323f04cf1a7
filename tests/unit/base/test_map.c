#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/map.h"
#include "base/mem.h"
#include "../seed.h"

#define ITEMS 300

struct item {
    char name[19];
    bool is_seen;
    int value;
    struct map_node node;
};

static struct item *item_of(struct map_node *node)
{
    return CONTAINER_OF(node, struct item, node);
}

static void nothing_is_in_an_empty_map(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    map_init(&map, MAP_KEYS_TEXT, 1);

    assert_null(map_find_text(&map, STR("a")));
    assert_null(map_first(&map));
    assert_int_equal(map_count(&map), 0);
    assert_true(map_valid(&map));
}

static void things_are_found_by_name(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    struct item a = {.value = 1}, b = {.value = 2}, empty = {.value = 3};
    map_init(&map, MAP_KEYS_TEXT, 1);

    assert_null(map_insert_text(&map, &a.node, STR("a")));
    assert_null(map_insert_text(&map, &b.node, STR("a\0b")));
    assert_null(map_insert_text(&map, &empty.node, STR("")));
    assert_ptr_equal(item_of(map_find_text(&map, STR("a"))), &a);
    assert_ptr_equal(item_of(map_find_text(&map, STR("a\0b"))), &b);
    assert_ptr_equal(item_of(map_find_text(&map, (struct str){0})), &empty);
    assert_null(map_find_text(&map, STR("A")));
}

static void things_are_found_by_number(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    struct item zero = {0}, most = {0};
    map_init(&map, MAP_KEYS_NUMBER, 1);

    assert_null(map_insert_number(&map, &zero.node, 0));
    assert_null(map_insert_number(&map, &most.node, UINT64_MAX));
    assert_ptr_equal(item_of(map_find_number(&map, 0)), &zero);
    assert_ptr_equal(item_of(map_find_number(&map, UINT64_MAX)), &most);
    assert_null(map_find_number(&map, 1));
    assert_true(map_valid(&map));
}

static void a_key_that_is_there_already_stays(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    struct item first = {0}, second = {0};
    map_init(&map, MAP_KEYS_TEXT, 1);

    assert_null(map_insert_text(&map, &first.node, STR("a")));
    assert_ptr_equal(map_insert_text(&map, &second.node, STR("a")), &first.node);
    assert_false(second.node.is_linked);
    assert_int_equal(map_count(&map), 1);
    map_remove(&map, &first.node);
    assert_null(map_insert_text(&map, &second.node, STR("a")));
    assert_ptr_equal(map_find_text(&map, STR("a")), &second.node);
}

static void fill(struct map *map, struct item *items)
{
    for (int i = 0; i < ITEMS; i++) {
        items[i].value = i;
        assert_null(map_insert_number(map, &items[i].node, (uint64_t)i * 4096)); /* low bits all alike */
    }
}

static void a_walk_may_remove_everything(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    struct item items[ITEMS] = {0};
    size_t seen = 0;
    map_init(&map, MAP_KEYS_NUMBER, 1);
    fill(&map, items);

    for (struct map_node *node = map_first(&map), *next; node != NULL; node = next) {
        next = map_next(&map, node);
        map_remove(&map, node);
        seen++;
    }
    assert_int_equal(seen, ITEMS);
    assert_int_equal(map_count(&map), 0);
    assert_true(map_valid(&map));
}

static bool same_order(uint64_t seed, uint64_t other_seed)
{
    struct item items[ITEMS] = {0}, others[ITEMS] = {0};
    struct map_node *a, *b;
    struct map map, other;
    bool same = true;

    map_init(&map, MAP_KEYS_NUMBER, seed);
    map_init(&other, MAP_KEYS_NUMBER, other_seed);
    fill(&map, items);
    fill(&other, others);
    for (a = map_first(&map), b = map_first(&other); a != NULL && b != NULL;
         a = map_next(&map, a), b = map_next(&other, b)) {
        same = same && item_of(a)->value == item_of(b)->value;
    }
    assert_ptr_equal(a, b); /* both at their end */
    map_done(&map);
    map_done(&other);
    return same;
}

static void the_order_depends_on_seed_and_history_alone(void **state)
{
    (void)state;
    assert_true(same_order(7, 7));
    assert_false(same_order(7, 8));
}

/* Numbers that a modulus would throw into one chain. */
static void chains_stay_short(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    struct item items[ITEMS] = {0};
    size_t longest = 0;
    map_init(&map, MAP_KEYS_NUMBER, 99);
    fill(&map, items);

    assert_in_range(map.chain_count, ITEMS, 2 * ITEMS);
    for (size_t i = 0; i < map.chain_count; i++) {
        size_t len = 0;
        for (const struct map_node *node = map.chains[i]; node != NULL; node = node->next) {
            len++;
        }
        longest = len > longest ? len : longest;
    }
    assert_in_range(longest, 1, 8);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    SCOPE(map_done) struct map map;
    struct item items[ITEMS] = {0};
    map_init(&map, MAP_KEYS_NUMBER, 1);
    fill(&map, items);

    assert_true(map_valid(&map));
    items[5].node.key.number++; /* changed behind the map's back */
    assert_false(map_valid(&map));
    items[5].node.key.number--;
    map.count--;
    assert_false(map_valid(&map));
    map.count++;
    assert_true(map_valid(&map));
}

/* The reference: an array that says which are in, and a search through all. */
static void check_same(struct map *map, struct item *items, const bool *is_in, size_t count)
{
    size_t seen = 0;

    assert_true(map_valid(map));
    assert_int_equal(map_count(map), count);
    for (size_t i = 0; i < ITEMS; i++) {
        struct map_node *found = map_find_text(map, str_from(items[i].name));
        assert_ptr_equal(found, is_in[i] ? &items[i].node : NULL);
        items[i].is_seen = false;
    }
    for (struct map_node *node = map_first(map); node != NULL; node = map_next(map, node)) {
        assert_false(item_of(node)->is_seen);
        item_of(node)->is_seen = true;
        seen++;
    }
    assert_int_equal(seen, count);
}

static void it_does_what_a_search_through_all_does(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < 10; round++) {
        SCOPE(map_done) struct map map;
        struct item items[ITEMS] = {0};
        bool is_in[ITEMS] = {false};
        size_t count = 0;
        map_init(&map, MAP_KEYS_TEXT, rng_next(&rng));
        for (int i = 0; i < ITEMS; i++) {
            (void)snprintf(items[i].name, sizeof items[i].name, "job-%d", i);
        }
        for (int step = 0; step < 600; step++) {
            size_t i = rng_below(&rng, ITEMS);
            if (is_in[i] && rng_chance(&rng, 1, 3)) {
                struct item other = {0};
                assert_ptr_equal(map_insert_text(&map, &other.node, str_from(items[i].name)), &items[i].node);
            } else if (is_in[i]) {
                map_remove(&map, &items[i].node);
                is_in[i] = false;
                count--;
            } else {
                assert_null(map_insert_text(&map, &items[i].node, str_from(items[i].name)));
                is_in[i] = true;
                count++;
            }
            check_same(&map, items, is_in, count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_in_an_empty_map),
        cmocka_unit_test(things_are_found_by_name),
        cmocka_unit_test(things_are_found_by_number),
        cmocka_unit_test(a_key_that_is_there_already_stays),
        cmocka_unit_test(a_walk_may_remove_everything),
        cmocka_unit_test(the_order_depends_on_seed_and_history_alone),
        cmocka_unit_test(chains_stay_short),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(it_does_what_a_search_through_all_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
