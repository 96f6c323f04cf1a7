#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../seed.h"
#include "base/mem.h"
#include "engine/wheel.h"

/* A Wednesday in 2026: the wheel is used with times of this size. */
#define NOW_MS INT64_C(1775638800000)

struct timer {
    struct wheel_node node;
    bool is_armed; /* what the reference knows */
};

static struct wheel_node *pop(struct list *due)
{
    struct list_node *link = list_pop_front(due);

    assert_non_null(link);
    return CONTAINER_OF(link, struct wheel_node, link);
}

static void an_empty_wheel_waits_for_nothing(void **state)
{
    (void)state;
    struct wheel wheel;
    struct list due;

    wheel_init(&wheel, NOW_MS);
    list_init(&due);
    assert_int_equal(wheel_next_ms(&wheel), WHEEL_NEVER);
    (void)wheel_advance(&wheel, NOW_MS + 1000, SIZE_MAX, &due);
    assert_true(list_empty(&due));
    assert_true(wheel_valid(&wheel));
}

static void a_node_comes_at_its_millisecond_and_not_before(void **state)
{
    (void)state;
    const int64_t ahead_ms[] = {1, 2, 63, 64, 65, 4095, 4096, 4097, 86400000, 31536000000, 7289654400000 - NOW_MS};

    for (size_t i = 0; i < sizeof ahead_ms / sizeof ahead_ms[0]; i++) {
        struct wheel wheel;
        struct wheel_node node = {0};
        struct list due;

        wheel_init(&wheel, NOW_MS);
        list_init(&due);
        wheel_add(&wheel, &node, NOW_MS + ahead_ms[i]);
        assert_true(wheel_next_ms(&wheel) <= NOW_MS + ahead_ms[i]);
        (void)wheel_advance(&wheel, NOW_MS + ahead_ms[i] - 1, SIZE_MAX, &due);
        assert_true(list_empty(&due));
        assert_true(wheel_valid(&wheel));
        (void)wheel_advance(&wheel, NOW_MS + ahead_ms[i], SIZE_MAX, &due);
        assert_ptr_equal(pop(&due), &node);
        assert_false(wheel_linked(&node));
        assert_int_equal(wheel.count, 0);
    }
}

static void what_is_due_already_comes_with_the_next_advance(void **state)
{
    (void)state;
    struct wheel wheel;
    struct wheel_node now = {0};
    struct wheel_node past = {0};
    struct list due;

    wheel_init(&wheel, NOW_MS);
    list_init(&due);
    wheel_add(&wheel, &now, NOW_MS);
    wheel_add(&wheel, &past, -5);
    assert_int_equal(wheel_next_ms(&wheel), NOW_MS);
    assert_true(wheel_valid(&wheel));
    (void)wheel_advance(&wheel, NOW_MS, SIZE_MAX, &due);
    assert_ptr_equal(pop(&due), &now);
    assert_ptr_equal(pop(&due), &past);
    assert_true(list_empty(&due));
}

static void a_removed_node_never_comes(void **state)
{
    (void)state;
    struct wheel wheel;
    struct wheel_node nodes[3] = {0};
    struct list due;

    wheel_init(&wheel, NOW_MS);
    list_init(&due);
    wheel_add(&wheel, &nodes[0], NOW_MS + 10);
    wheel_add(&wheel, &nodes[1], NOW_MS + 10);
    wheel_add(&wheel, &nodes[2], NOW_MS - 10);
    wheel_remove(&wheel, &nodes[0]);
    wheel_remove(&wheel, &nodes[0]); /* once more does no harm */
    wheel_remove(&wheel, &nodes[2]);
    assert_true(wheel_valid(&wheel));
    (void)wheel_advance(&wheel, NOW_MS + 20, SIZE_MAX, &due);
    assert_ptr_equal(pop(&due), &nodes[1]);
    assert_true(list_empty(&due));
}

static void waking_up_when_told_never_misses_and_never_spins(void **state)
{
    (void)state;
    struct wheel wheel;
    struct wheel_node node = {0};
    struct list due;
    int wakes = 0;

    wheel_init(&wheel, NOW_MS);
    list_init(&due);
    wheel_add(&wheel, &node, NOW_MS + 123456789);
    while (list_empty(&due)) {
        assert_true(wheel_next_ms(&wheel) > wheel.now_ms);
        (void)wheel_advance(&wheel, wheel_next_ms(&wheel), SIZE_MAX, &due);
        wakes++;
    }
    assert_int_equal(wheel.now_ms, NOW_MS + 123456789);
    assert_in_range(wakes, 1, WHEEL_LEVELS);
}

#define TIMERS 300

/* The earliest time at which the reference has something. */
static int64_t reference_next(const struct timer *timers)
{
    int64_t next_ms = WHEEL_NEVER;

    for (size_t i = 0; i < TIMERS; i++) {
        if (timers[i].is_armed && timers[i].node.due_ms < next_ms) {
            next_ms = timers[i].node.due_ms;
        }
    }
    return next_ms;
}

/* Advances both and compares what comes out: all that is due, nothing else, in order. */
static void advance_both(struct wheel *wheel, struct timer *timers, int64_t now_ms)
{
    struct list due;
    int64_t last_ms = INT64_MIN;
    int64_t before_ms = wheel->now_ms;

    list_init(&due);
    size_t max = 1 + (size_t)now_ms % 7; /* in pieces, of one or another size */

    while (wheel_advance(wheel, now_ms, max, &due) == max) {
    }
    for (struct list_node *link; (link = list_pop_front(&due)) != NULL;) {
        struct timer *timer = CONTAINER_OF(CONTAINER_OF(link, struct wheel_node, link), struct timer, node);
        int64_t due_ms = timer->node.due_ms < before_ms ? before_ms : timer->node.due_ms; /* late ones come first */

        assert_true(timer->is_armed);
        assert_true(timer->node.due_ms <= now_ms);
        assert_true(due_ms >= last_ms);
        last_ms = due_ms;
        timer->is_armed = false;
    }
    assert_true(reference_next(timers) > now_ms);
}

static void what_is_too_much_at_once_comes_with_the_next_calls_and_in_its_order(void **state)
{
    (void)state;
    static struct wheel_node nodes[100];
    struct wheel wheel;
    struct list due;
    size_t given = 0;

    wheel_init(&wheel, NOW_MS);
    list_init(&due);
    for (size_t i = 0; i < 100; i++) {
        wheel_node_init(&nodes[i]);
        wheel_add(&wheel, &nodes[i], NOW_MS + (i < 50 ? 10 : 20)); /* many at one millisecond */
    }
    for (int round = 1; round <= 10; round++) {
        assert_int_equal(wheel_advance(&wheel, NOW_MS + 1000, 10, &due), 10);
        assert_true(wheel_valid(&wheel));
        assert_int_equal(wheel.count, 100 - round * 10);
        assert_true(round == 10 || wheel_next_ms(&wheel) <= NOW_MS + 1000);
    }
    assert_int_equal(wheel_advance(&wheel, NOW_MS + 1000, 10, &due), 0);
    for (struct list_node *link; (link = list_pop_front(&due)) != NULL; given++) {
        assert_ptr_equal(CONTAINER_OF(link, struct wheel_node, link), &nodes[given]);
    }
    assert_int_equal(given, 100);
}

static void it_agrees_with_a_plain_reference(void **state)
{
    (void)state;
    static struct timer timers[TIMERS];
    struct wheel wheel;
    struct rng rng;

    seed_rng(&rng);
    wheel_init(&wheel, NOW_MS);
    for (int step = 0; step < 20000; step++) {
        struct timer *timer = &timers[rng_below(&rng, TIMERS)];
        uint64_t what = rng_below(&rng, 10);
        int64_t far_ms = (int64_t)1 << rng_below(&rng, 38);

        if (what == 0) {
            advance_both(&wheel, timers, wheel.now_ms + (int64_t)rng_below(&rng, (uint64_t)far_ms >> 6 | 1));
        } else if (what == 1 && wheel_next_ms(&wheel) != WHEEL_NEVER) {
            assert_true(wheel_next_ms(&wheel) <= reference_next(timers) || reference_next(timers) <= wheel.now_ms);
            advance_both(&wheel, timers, wheel_next_ms(&wheel));
        } else if (timer->is_armed) {
            wheel_remove(&wheel, &timer->node);
            timer->is_armed = false;
        } else {
            wheel_add(&wheel, &timer->node, wheel.now_ms + (int64_t)rng_below(&rng, (uint64_t)far_ms) - 3);
            timer->is_armed = true;
        }
        if (step % 16 == 0) {
            assert_true(wheel_valid(&wheel));
        }
    }
    advance_both(&wheel, timers, wheel.now_ms + ((int64_t)1 << 40));
    assert_int_equal(wheel.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_wheel_waits_for_nothing),
        cmocka_unit_test(a_node_comes_at_its_millisecond_and_not_before),
        cmocka_unit_test(what_is_due_already_comes_with_the_next_advance),
        cmocka_unit_test(a_removed_node_never_comes),
        cmocka_unit_test(waking_up_when_told_never_misses_and_never_spins),
        cmocka_unit_test(what_is_too_much_at_once_comes_with_the_next_calls_and_in_its_order),
        cmocka_unit_test(it_agrees_with_a_plain_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
