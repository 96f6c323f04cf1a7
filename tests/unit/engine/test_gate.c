#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../seed.h"
#include "engine/gate.h"

#define NOW_MS INT64_C(5000000)
#define WALL_MS INT64_C(1775638800000)
#define SECOND_MS 1000
#define HOUR_MS (3600 * 1000)
#define DAY_MS (24 * HOUR_MS)

static struct settings rated(int64_t count, int64_t period_ms, int64_t burst)
{
    struct settings settings = settings_none();

    settings.rate_count = count;
    settings.rate_period_ms = period_ms;
    settings.burst = burst;
    return settings;
}

static struct settings ramped(struct settings settings, int64_t ramp_ms)
{
    settings.ramp_from_ms = WALL_MS;
    settings.ramp_ms = ramp_ms;
    return settings;
}

static void make(struct gate *gate, struct settings settings)
{
    gate_init(gate);
    gate_set(gate, &settings, NOW_MS, WALL_MS);
    assert_true(gate_valid(gate));
}

static bool allows(const struct gate *gate, int64_t now_ms)
{
    int64_t clears_ms;

    return gate_allows(gate, now_ms, &clears_ms);
}

static int64_t clears(const struct gate *gate, int64_t now_ms)
{
    int64_t clears_ms = 0;

    assert_false(gate_allows(gate, now_ms, &clears_ms));
    return clears_ms;
}

/* Starts all that it lets through at now_ms; how many. The room said so before, unless a ramp goes on. */
static int64_t drain(struct gate *gate, int64_t now_ms)
{
    int64_t room = gate_room(gate, now_ms);
    int64_t count = 0;

    while (allows(gate, now_ms)) {
        gate_start(gate, now_ms);
        gate_end(gate);
        count++;
    }
    assert_true(room == count || (now_ms < gate->ramp_until_ms && room == (count > 0 ? 1 : 0)));
    assert_int_equal(gate_room(gate, now_ms), 0);
    assert_true(gate_valid(gate));
    return count;
}

/* The same in every millisecond of a time, its end excluded. */
static int64_t drain_for(struct gate *gate, int64_t from_ms, int64_t length_ms)
{
    int64_t count = 0;

    for (int64_t at_ms = from_ms; at_ms < from_ms + length_ms; at_ms++) {
        count += drain(gate, at_ms);
    }
    return count;
}

static void with_nothing_set_everything_goes_through(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, settings_none());
    assert_int_equal(gate_room(&gate, NOW_MS), GATE_UNBOUNDED);
    assert_int_equal(gate_grows_ms(&gate, NOW_MS), GATE_NEVER);
    assert_false(gate_start(&gate, NOW_MS)); /* no tat to remember */
    assert_int_equal(gate_tat_ms(&gate), 0);
}

static void paused_it_lets_nothing_through(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct gate gate;

    settings.is_paused = true;
    make(&gate, settings);
    assert_int_equal(clears(&gate, NOW_MS), GATE_NEVER);
    assert_int_equal(gate_room(&gate, NOW_MS), 0);
}

static void so_many_are_in_flight_and_no_more(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct gate gate;

    settings.max_in_flight = 2;
    make(&gate, settings);
    gate_start(&gate, NOW_MS);
    assert_int_equal(gate_room(&gate, NOW_MS), 1);
    gate_start(&gate, NOW_MS);
    assert_int_equal(clears(&gate, NOW_MS), GATE_NEVER);
    gate_end(&gate);
    assert_true(allows(&gate, NOW_MS));
}

static void a_maximum_of_none_lets_nothing_run(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct gate gate;

    settings.max_in_flight = 0;
    make(&gate, settings);
    assert_false(allows(&gate, NOW_MS));
}

static void what_ran_before_a_lower_maximum_runs_on(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct gate gate;

    make(&gate, settings);
    for (int i = 0; i < 5; i++) {
        gate_recount(&gate);
    }
    settings.max_in_flight = 2;
    gate_set(&gate, &settings, NOW_MS, WALL_MS);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(gate_room(&gate, NOW_MS), 0);
        gate_end(&gate);
    }
    assert_int_equal(gate_room(&gate, NOW_MS), 1);
}

static void a_rate_spreads_starts_evenly(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, rated(10, SECOND_MS, SETTING_NONE));
    for (int i = 0; i < 20; i++) {
        assert_true(allows(&gate, NOW_MS + (int64_t)i * 100));
        assert_true(gate_start(&gate, NOW_MS + (int64_t)i * 100));
        assert_int_equal(clears(&gate, NOW_MS + (int64_t)i * 100), NOW_MS + (int64_t)(i + 1) * 100);
        assert_false(allows(&gate, NOW_MS + (int64_t)i * 100 + 99));
    }
}

static void a_burst_is_there_after_a_rest_and_comes_back_one_by_one(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, rated(10, SECOND_MS, 5));
    assert_int_equal(drain(&gate, NOW_MS), 5);
    assert_int_equal(gate_grows_ms(&gate, NOW_MS), NOW_MS + 100);
    assert_int_equal(drain(&gate, NOW_MS + 99), 0);
    assert_int_equal(drain(&gate, NOW_MS + 250), 2);
    assert_int_equal(drain(&gate, NOW_MS + 299), 0);
    assert_int_equal(drain(&gate, NOW_MS + 300), 1);
    assert_int_equal(drain(&gate, NOW_MS + HOUR_MS), 5);
}

static void rates_hold_exactly_however_odd_they_are(void **state)
{
    (void)state;
    const int64_t counts[] = {1, 3, 7, 999, 1000, 1001, 4096, 77777, 1000000};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct gate gate;

        make(&gate, rated(counts[i], SECOND_MS, 1));
        for (int second = 0; second < 3; second++) {
            assert_int_equal(drain_for(&gate, NOW_MS + (int64_t)second * SECOND_MS, SECOND_MS), counts[i]);
        }
    }
}

static void a_third_of_a_second_stays_a_third_for_years(void **state)
{
    (void)state;
    struct gate gate;
    int64_t at_ms = NOW_MS;

    make(&gate, rated(3, SECOND_MS, 1));
    for (int i = 0; i < 300000; i++) {
        gate_start(&gate, at_ms);
        at_ms = clears(&gate, at_ms);
    }
    assert_int_equal(at_ms, NOW_MS + INT64_C(100000) * SECOND_MS);
}

static void one_a_day_is_one_a_day(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, rated(1, DAY_MS, 1));
    assert_int_equal(drain(&gate, NOW_MS), 1);
    assert_int_equal(clears(&gate, NOW_MS), NOW_MS + DAY_MS);
}

static void the_largest_rate_and_burst_do_not_overflow(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, rated(SETTING_RATE_MAX, DAY_MS, SETTING_RATE_MAX));
    assert_int_equal(gate_room(&gate, NOW_MS), SETTING_RATE_MAX);
    for (int64_t i = 0; i < SETTING_RATE_MAX; i++) {
        gate_start(&gate, NOW_MS);
    }
    assert_int_equal(clears(&gate, NOW_MS), NOW_MS + 86); /* 86.4 ms apart */
}

static void what_is_stored_rounds_up_and_never_refills(void **state)
{
    (void)state;
    struct gate gate;
    struct gate again;

    make(&gate, rated(3, SECOND_MS, 2));
    make(&again, rated(3, SECOND_MS, 2));
    drain(&gate, NOW_MS);
    assert_int_equal(gate_tat_ms(&gate), NOW_MS + 667);
    gate_restore_tat(&again, gate_tat_ms(&gate));
    assert_int_equal(clears(&again, NOW_MS), NOW_MS + 333);
    gate_restore_tat(&again, -5); /* long ago */
    assert_int_equal(gate_room(&again, NOW_MS), 2);
}

static void setting_the_same_again_refills_nothing(void **state)
{
    (void)state;
    struct settings settings = rated(7, SECOND_MS, 3);
    struct gate gate;

    make(&gate, settings);
    drain(&gate, NOW_MS);
    gate_set(&gate, &settings, NOW_MS, WALL_MS);
    assert_int_equal(gate_room(&gate, NOW_MS), 0);
    assert_int_equal(clears(&gate, NOW_MS), NOW_MS + 142);
}

static void another_rate_rounds_up_what_it_cannot_say(void **state)
{
    (void)state;
    struct settings other = rated(2, SECOND_MS, 1);
    struct gate gate;

    make(&gate, rated(3, SECOND_MS, 1));
    gate_start(&gate, NOW_MS);
    assert_int_equal(gate.tat_us, NOW_MS * 1000 + 333333);
    gate_set(&gate, &other, NOW_MS, WALL_MS);
    assert_int_equal(gate.tat_us, NOW_MS * 1000 + 333334);
}

static void a_faster_rate_need_not_wait_for_the_slower_one(void **state)
{
    (void)state;
    struct settings fast = rated(100, SECOND_MS, 1);
    struct gate gate;

    make(&gate, rated(1, DAY_MS, 1));
    drain(&gate, NOW_MS);
    gate_set(&gate, &fast, NOW_MS, WALL_MS);
    assert_int_equal(clears(&gate, NOW_MS), NOW_MS + 10);
}

static void a_ramp_begins_slowly_and_ends_at_the_full_rate(void **state)
{
    (void)state;
    struct gate gate;
    int64_t before;

    make(&gate, ramped(rated(100, SECOND_MS, 10), 100 * SECOND_MS));
    assert_int_equal(drain_for(&gate, NOW_MS, SECOND_MS), 1); /* one in the first second, no burst */
    drain_for(&gate, NOW_MS + SECOND_MS, 48 * SECOND_MS);
    assert_in_range(drain_for(&gate, NOW_MS + 49 * SECOND_MS, 2 * SECOND_MS), 97, 103); /* half way: 50/s */
    before = drain_for(&gate, NOW_MS + 51 * SECOND_MS, 48 * SECOND_MS);
    assert_in_range(before, 48 * 73, 48 * 77);
    drain_for(&gate, NOW_MS + 99 * SECOND_MS, SECOND_MS);
    assert_in_range(drain_for(&gate, NOW_MS + 100 * SECOND_MS, SECOND_MS), 100, 110); /* the burst is back, too */
    assert_int_equal(drain_for(&gate, NOW_MS + 101 * SECOND_MS, SECOND_MS), 100);
}

static void a_ramp_without_a_rate_leads_to_freedom(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, ramped(settings_none(), 10 * SECOND_MS));
    assert_int_equal(drain_for(&gate, NOW_MS, SECOND_MS), 1);
    drain_for(&gate, NOW_MS + SECOND_MS, 4 * SECOND_MS);
    assert_in_range(drain_for(&gate, NOW_MS + 5 * SECOND_MS, SECOND_MS), 530, 570); /* 500/s to 600/s */
    assert_int_equal(gate_grows_ms(&gate, NOW_MS + 9999), NOW_MS + 10000);
    assert_int_equal(gate_room(&gate, NOW_MS + 10000), GATE_UNBOUNDED);
}

static void a_ramp_shorter_than_its_first_interval_ends_in_time(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, ramped(settings_none(), 500));
    assert_int_equal(drain(&gate, NOW_MS), 1);
    assert_int_equal(clears(&gate, NOW_MS), NOW_MS + 500);
    assert_true(allows(&gate, NOW_MS + 500));
}

static void a_rate_slower_than_the_ramps_least_is_not_raised(void **state)
{
    (void)state;
    struct gate gate;

    make(&gate, ramped(rated(6, 60 * SECOND_MS, 1), HOUR_MS));
    assert_int_equal(drain(&gate, NOW_MS), 1);
    assert_int_equal(clears(&gate, NOW_MS), NOW_MS + 10 * SECOND_MS);
}

static void a_ramp_that_began_before_goes_on_where_it_was(void **state)
{
    (void)state;
    struct settings settings = ramped(rated(100, SECOND_MS, 1), 100 * SECOND_MS);
    struct gate gate;

    gate_init(&gate);
    gate_set(&gate, &settings, NOW_MS, WALL_MS + 50 * SECOND_MS);
    assert_in_range(drain_for(&gate, NOW_MS, SECOND_MS), 49, 52);
    gate_set(&gate, &settings, NOW_MS + SECOND_MS, WALL_MS + 100 * SECOND_MS);
    drain_for(&gate, NOW_MS + SECOND_MS, SECOND_MS);
    assert_int_equal(drain_for(&gate, NOW_MS + 2 * SECOND_MS, SECOND_MS), 100);
}

/* Whatever is set: what it says will happen happens then, not before. */
static void it_says_when_it_will_open_and_does(void **state)
{
    (void)state;
    const int64_t periods_ms[] = {SECOND_MS, 60 * SECOND_MS, HOUR_MS};
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < 2000; round++) {
        int64_t burst = rng_chance(&rng, 1, 2) ? 1 : rng_between(&rng, 1, 20);
        int64_t count = rng_between(&rng, 1, 1 << rng_below(&rng, 18));
        struct settings settings = rated(count, periods_ms[rng_below(&rng, 3)], burst);
        struct gate gate;
        int64_t now_ms = NOW_MS;

        if (rng_chance(&rng, 1, 3)) {
            settings = rng_chance(&rng, 1, 2) ? settings_none() : settings;
            settings = ramped(settings, rng_between(&rng, 1, 20000));
        }
        make(&gate, settings);
        for (int step = 0; step < 20; step++) {
            int64_t clears_ms = now_ms;
            int64_t room = gate_room(&gate, now_ms);
            int64_t grows_ms = gate_grows_ms(&gate, now_ms);

            assert_int_equal(room > 0, gate_allows(&gate, now_ms, &clears_ms));
            assert_true(room > 0 ? clears_ms == now_ms : clears_ms > now_ms);
            if (room == 0) {
                assert_true(grows_ms <= clears_ms && !allows(&gate, clears_ms - 1) && allows(&gate, clears_ms));
                now_ms = clears_ms;
            } else if (rng_chance(&rng, 1, 4) && grows_ms != GATE_NEVER) {
                assert_true(grows_ms > now_ms);
                assert_true(gate_room(&gate, grows_ms) > room || grows_ms == gate.ramp_until_ms);
                assert_int_equal(gate_room(&gate, grows_ms - 1), room);
                now_ms = grows_ms;
            }
            if (allows(&gate, now_ms)) {
                gate_start(&gate, now_ms);
                assert_true(gate_valid(&gate));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_nothing_set_everything_goes_through),
        cmocka_unit_test(paused_it_lets_nothing_through),
        cmocka_unit_test(so_many_are_in_flight_and_no_more),
        cmocka_unit_test(a_maximum_of_none_lets_nothing_run),
        cmocka_unit_test(what_ran_before_a_lower_maximum_runs_on),
        cmocka_unit_test(a_rate_spreads_starts_evenly),
        cmocka_unit_test(a_burst_is_there_after_a_rest_and_comes_back_one_by_one),
        cmocka_unit_test(rates_hold_exactly_however_odd_they_are),
        cmocka_unit_test(a_third_of_a_second_stays_a_third_for_years),
        cmocka_unit_test(one_a_day_is_one_a_day),
        cmocka_unit_test(the_largest_rate_and_burst_do_not_overflow),
        cmocka_unit_test(what_is_stored_rounds_up_and_never_refills),
        cmocka_unit_test(setting_the_same_again_refills_nothing),
        cmocka_unit_test(a_faster_rate_need_not_wait_for_the_slower_one),
        cmocka_unit_test(a_ramp_begins_slowly_and_ends_at_the_full_rate),
        cmocka_unit_test(a_ramp_without_a_rate_leads_to_freedom),
        cmocka_unit_test(a_ramp_shorter_than_its_first_interval_ends_in_time),
        cmocka_unit_test(a_rate_slower_than_the_ramps_least_is_not_raised),
        cmocka_unit_test(a_ramp_that_began_before_goes_on_where_it_was),
        cmocka_unit_test(it_says_when_it_will_open_and_does),
        cmocka_unit_test(another_rate_rounds_up_what_it_cannot_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
