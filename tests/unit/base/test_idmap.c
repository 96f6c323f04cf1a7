#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/id.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "../seed.h"

#define ITEMS 2000
#define MANY 100000

/* What the pointers point to; only the addresses count. */
static char things[MANY];

static void nothing_is_in_an_empty_map(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    size_t pos = 0;
    idmap_init(&map, 1);

    assert_null(idmap_find(&map, 1));
    assert_null(idmap_remove(&map, 1));
    assert_null(idmap_next(&map, &pos, NULL));
    assert_int_equal(idmap_count(&map), 0);
    assert_true(idmap_valid(&map));
}

static void things_are_found_by_id(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    idmap_init(&map, 1);

    idmap_put(&map, 1, &things[0]);
    idmap_put(&map, UINT64_MAX, &things[1]);
    idmap_put(&map, UINT64_C(1) << 63, &things[1]); /* two ids may lead to one thing */
    assert_ptr_equal(idmap_find(&map, 1), &things[0]);
    assert_ptr_equal(idmap_find(&map, UINT64_MAX), &things[1]);
    assert_ptr_equal(idmap_find(&map, UINT64_C(1) << 63), &things[1]);
    assert_null(idmap_find(&map, 2));
    assert_int_equal(idmap_count(&map), 3);
}

static void what_was_removed_is_gone_and_may_come_again(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    idmap_init(&map, 1);

    idmap_put(&map, 7, &things[0]);
    assert_ptr_equal(idmap_remove(&map, 7), &things[0]);
    assert_null(idmap_find(&map, 7));
    assert_null(idmap_remove(&map, 7));
    idmap_put(&map, 7, &things[1]);
    assert_ptr_equal(idmap_find(&map, 7), &things[1]);
}

/* Empty slots have the id 0: who asks for it must not be given one. */
static void zero_is_never_there(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    idmap_init(&map, 0);

    idmap_put(&map, 7, &things[0]);
    assert_null(idmap_find(&map, 0));
    assert_null(idmap_remove(&map, 0));
    assert_int_equal(idmap_count(&map), 1);
}

static void a_map_that_is_done_may_be_used_again(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    idmap_init(&map, 5);

    idmap_put(&map, 7, &things[0]);
    idmap_done(&map);
    assert_null(idmap_find(&map, 7));
    idmap_put(&map, 7, &things[1]);
    assert_ptr_equal(idmap_find(&map, 7), &things[1]);
    assert_int_equal(map.seed, 5);
}

/* Ids as they are given: many in one millisecond, then the next one. */
static void fill(struct idmap *map, size_t count, uint64_t *ret_ids)
{
    struct id_gen gen;
    id_gen_init(&gen, 3, 0);

    for (size_t i = 0; i < count; i++) {
        ret_ids[i] = id_gen_next(&gen, ID_EPOCH_MS + 1000 + (int64_t)(i / 50));
        idmap_put(map, ret_ids[i], &things[i]);
    }
}

static void the_memory_of_a_herd_comes_back(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    SCOPE_FREE uint64_t *ids = mem_alloc_array(MANY, sizeof *ids);
    idmap_init(&map, 99);

    fill(&map, MANY, ids);
    assert_true(idmap_valid(&map));
    assert_in_range(map.slot_count, MANY * 4 / 3, MANY * 8 / 3);
    for (size_t i = 0; i < MANY; i++) {
        assert_ptr_equal(idmap_remove(&map, ids[i]), &things[i]);
    }
    assert_int_equal(idmap_count(&map), 0);
    assert_in_range(map.slot_count, 0, 16);
    assert_true(idmap_valid(&map));
}

/* At a load of 3/4 a search that finds nothing passes 7.5 slots on average if the hash is a good one; ids that are
 * alike in their low or in their high bits must not fare worse. */
static void searches_stay_short(void **state)
{
    (void)state;
    static const unsigned shifts[] = {0, 12, 22, 40};
    const size_t count = 49152; /* three quarters of 65,536 slots */

    for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
        SCOPE(idmap_done) struct idmap map;
        size_t steps = 0;
        idmap_init(&map, 12345);
        for (uint64_t i = 1; i <= count; i++) {
            idmap_put(&map, i << shifts[s], &things[i]);
        }
        assert_int_equal(map.slot_count, 65536);
        for (size_t i = 0; i < map.slot_count; i++) {
            size_t run = 0;
            while (map.slots[(i + run) & 65535].id != 0) {
                run++;
            }
            steps += run;
        }
        assert_in_range(steps / map.slot_count, 1, 12);
    }
}

/* A history with removals in it; what comes out, in order. */
static size_t history(uint64_t seed, uint64_t *ret_ids)
{
    SCOPE(idmap_done) struct idmap map;
    size_t pos = 0;
    size_t count = 0;
    idmap_init(&map, seed);

    for (uint64_t id = 1; id <= 300; id++) {
        idmap_put(&map, id * 4096, &things[id]);
        if (id % 3 == 0) {
            (void)idmap_remove(&map, id / 3 * 4096);
        }
    }
    while (idmap_next(&map, &pos, &ret_ids[count]) != NULL) {
        count++;
    }
    return count;
}

static void the_order_depends_on_seed_and_history_alone(void **state)
{
    (void)state;
    uint64_t one[301], again[301], other[301];

    assert_int_equal(history(7, one), 200);
    assert_int_equal(history(7, again), 200);
    assert_int_equal(history(8, other), 200);
    assert_memory_equal(one, again, 200 * sizeof one[0]);
    assert_memory_not_equal(one, other, 200 * sizeof one[0]);
}

static size_t taken_slot(const struct idmap *map)
{
    size_t i = 0;

    while (map->slots[i].id == 0) {
        i++;
    }
    return i;
}

static void damage_is_noticed(void **state)
{
    (void)state;
    SCOPE(idmap_done) struct idmap map;
    uint64_t ids[300];
    idmap_init(&map, 1);
    fill(&map, 300, ids);
    struct idmap_slot *slot = &map.slots[taken_slot(&map)];
    struct idmap_slot before = *slot;

    assert_true(idmap_valid(&map));
    map.count--;
    assert_false(idmap_valid(&map));
    map.count++;
    slot->ptr = NULL;
    assert_false(idmap_valid(&map));
    *slot = before;
    slot->id = ids[0] != before.id ? ids[0] : ids[1]; /* twice, or far from home */
    assert_false(idmap_valid(&map));
    *slot = before;
    assert_true(idmap_valid(&map));
}

/* The reference: an array that says which are in. */
static void check_same(const struct idmap *map, const uint64_t *ids, const bool *is_in, size_t count)
{
    bool is_seen[ITEMS] = {false};
    size_t pos = 0, seen = 0;
    uint64_t id = 0;
    const char *thing;

    assert_true(idmap_valid(map));
    assert_int_equal(idmap_count(map), count);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_ptr_equal(idmap_find(map, ids[i]), is_in[i] ? &things[i] : NULL);
    }
    while ((thing = idmap_next(map, &pos, &id)) != NULL) {
        size_t i = (size_t)(thing - things);

        assert_true(i < ITEMS && is_in[i] && !is_seen[i] && ids[i] == id);
        is_seen[i] = true;
        seen++;
    }
    assert_int_equal(seen, count);
}

/* Ids close together, far apart, and with only high bits; all different. */
static void choose_ids(struct rng *rng, uint64_t *ret_ids)
{
    unsigned shift = (unsigned)rng_below(rng, 40);
    uint64_t first = rng_below(rng, 1000) + 1;

    for (size_t i = 0; i < ITEMS; i++) {
        ret_ids[i] = (first + i) << shift;
    }
}

static void it_does_what_an_array_does(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < 8; round++) {
        SCOPE(idmap_done) struct idmap map;
        uint64_t ids[ITEMS];
        bool is_in[ITEMS] = {false};
        size_t count = 0;
        idmap_init(&map, rng_next(&rng));
        choose_ids(&rng, ids);
        for (int step = 0; step < 20000; step++) {
            size_t i = rng_below(&rng, ITEMS);
            bool is_growing = step / 4000 % 2 == 0; /* tides, so that it doubles and halves */

            if (is_in[i] && (!is_growing || rng_chance(&rng, 1, 8))) {
                assert_ptr_equal(idmap_remove(&map, ids[i]), &things[i]);
                is_in[i] = false;
                count--;
            } else if (!is_in[i] && (is_growing || rng_chance(&rng, 1, 8))) {
                idmap_put(&map, ids[i], &things[i]);
                is_in[i] = true;
                count++;
            } else if (!is_in[i]) {
                assert_null(idmap_remove(&map, ids[i]));
            }
            if (step % 100 == 0) {
                check_same(&map, ids, is_in, count);
            }
        }
        check_same(&map, ids, is_in, count);
    }
}

/* A table of 16 slots, nearly full: every removal closes a hole in a run, often around the end of the table. */
static void small_tables_close_their_holes(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < 300; round++) {
        SCOPE(idmap_done) struct idmap map;
        uint64_t ids[12];
        idmap_init(&map, rng_next(&rng));
        for (size_t i = 0; i < 12; i++) {
            ids[i] = rng_next(&rng) | 1;
            idmap_put(&map, ids[i], &things[i]);
        }
        assert_int_equal(map.slot_count, 16);
        for (size_t gone = 0; gone < 12; gone++) {
            assert_ptr_equal(idmap_remove(&map, ids[gone]), &things[gone]);
            assert_true(idmap_valid(&map));
            for (size_t i = 0; i < 12; i++) {
                assert_ptr_equal(idmap_find(&map, ids[i]), i > gone ? &things[i] : NULL);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_in_an_empty_map),
        cmocka_unit_test(things_are_found_by_id),
        cmocka_unit_test(what_was_removed_is_gone_and_may_come_again),
        cmocka_unit_test(zero_is_never_there),
        cmocka_unit_test(a_map_that_is_done_may_be_used_again),
        cmocka_unit_test(the_memory_of_a_herd_comes_back),
        cmocka_unit_test(searches_stay_short),
        cmocka_unit_test(the_order_depends_on_seed_and_history_alone),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(it_does_what_an_array_does),
        cmocka_unit_test(small_tables_close_their_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
