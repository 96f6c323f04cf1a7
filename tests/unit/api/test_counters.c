#include "api/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NOW_MS INT64_C(1775638800000) /* a whole minute */
#define MINUTE_MS 60000
#define DAY_MS (INT64_C(24) * 3600 * 1000)

static const struct counters_filter any;

static struct place place_of(const char *tenant, const char *type)
{
    return (struct place){.tenant = str_from(tenant), .type = str_from(type), .pool = STR("default"), .priority = 3};
}

static void fire(struct counters *counters, int64_t now_ms, struct place place)
{
    counters_begin(counters, now_ms);
    struct counted counted = counters_of(counters, &place);

    counted.total->fired++;
    counted.minute->fired++;
    counters_end(counters);
}

static uint64_t fired(struct counters *counters, const struct counters_filter *filter, int64_t from_ms, int64_t to_ms)
{
    struct tally tally;

    counters_sum(counters, filter, from_ms, to_ms, &tally);
    return tally.fired;
}

static void sums_are_made_of_minutes_and_filters(void **state)
{
    struct counters *counters = counters_new(1);
    const struct counters_filter acme = {.tenant = STR_INIT("acme")}, mail = {.type = STR_INIT("mail")};

    (void)state;
    fire(counters, NOW_MS, place_of("acme", "mail"));
    fire(counters, NOW_MS + MINUTE_MS - 1, place_of("acme", "crawl"));
    fire(counters, NOW_MS + MINUTE_MS, place_of("globex", "mail"));
    assert_int_equal(fired(counters, &any, NOW_MS, NOW_MS + MINUTE_MS), 2);
    assert_int_equal(fired(counters, &any, NOW_MS, NOW_MS + MINUTE_MS + 1), 3);
    assert_int_equal(fired(counters, &acme, NOW_MS, NOW_MS + 2 * MINUTE_MS), 2);
    assert_int_equal(fired(counters, &mail, NOW_MS, NOW_MS + 2 * MINUTE_MS), 2);
    assert_int_equal(fired(counters, &mail, TIME_NONE, 0), 2);
    counters_free(counters);
}

static void a_day_later_a_minute_is_forgotten_but_not_the_whole(void **state)
{
    struct counters *counters = counters_new(1);
    int64_t later_ms = NOW_MS + (int64_t)COUNTERS_MINUTES * MINUTE_MS;

    (void)state;
    fire(counters, NOW_MS, place_of("acme", "mail"));
    fire(counters, later_ms, place_of("acme", "mail")); /* stands in the same place */
    assert_int_equal(fired(counters, &any, NOW_MS, NOW_MS + MINUTE_MS), 0);
    assert_int_equal(fired(counters, &any, 0, later_ms + 1), 1);
    assert_int_equal(fired(counters, &any, TIME_NONE, 0), 2);
    counters_free(counters);
}

static uint64_t rows_fired(struct counters *counters, enum counters_by by, const char *name, int64_t now_ms)
{
    struct counters_row *rows;
    struct arena arena;
    uint64_t count = 0;

    arena_init(&arena, 4096, 1 << 20);
    size_t row_count = counters_rows_by(counters, by, &any, now_ms - DAY_MS, now_ms + 1, &arena, &rows);

    for (size_t i = 0; i < row_count; i++) {
        struct str found = by == COUNTERS_BY_TENANT ? rows[i].place.tenant : rows[i].place.type;

        count += str_equal(found, str_from(name)) ? rows[i].tally.fired : 0;
    }
    arena_done(&arena);
    return count;
}

static void a_day_is_summed_up_once_a_minute_and_is_up_to_date(void **state)
{
    struct counters *counters = counters_new(1);
    const struct counters_filter acme = {.tenant = STR_INIT("acme")};

    (void)state;
    for (int64_t i = 600; i > 0; i--) {
        fire(counters, NOW_MS - i * MINUTE_MS, place_of("acme", "mail"));
        fire(counters, NOW_MS - i * MINUTE_MS, place_of("globex", "mail"));
    }
    assert_int_equal(fired(counters, &acme, NOW_MS - DAY_MS, NOW_MS + 1), 600);
    uint64_t once = counters_samples_read(counters);

    for (uint64_t i = 1; i <= 50; i++) { /* what is new is seen, and the old is not read again */
        fire(counters, NOW_MS, place_of("acme", "crawl"));
        assert_int_equal(fired(counters, &acme, NOW_MS - DAY_MS, NOW_MS + 1), 600 + i);
        assert_int_equal(rows_fired(counters, COUNTERS_BY_TYPE, "mail", NOW_MS), 1200);
        assert_int_equal(rows_fired(counters, COUNTERS_BY_TYPE, "crawl", NOW_MS), i);
        assert_int_equal(rows_fired(counters, COUNTERS_BY_TENANT, "acme", NOW_MS), 600 + i);
    }
    assert_true(counters_samples_read(counters) - once < once);
    fire(counters, NOW_MS - 5 * MINUTE_MS, place_of("acme", "crawl")); /* a clock that went back */
    assert_int_equal(fired(counters, &acme, NOW_MS - DAY_MS, NOW_MS + 1), 651);
    fire(counters, NOW_MS + MINUTE_MS, place_of("acme", "crawl"));
    assert_int_equal(fired(counters, &acme, NOW_MS - DAY_MS, NOW_MS + 1), 651);
    assert_int_equal(fired(counters, &acme, NOW_MS + MINUTE_MS - DAY_MS, NOW_MS + MINUTE_MS + 1), 652);
    counters_free(counters);
}

static void a_clock_that_goes_to_and_fro_counts_all_the_same(void **state)
{
    struct counters *counters = counters_new(1);
    int64_t later_ms = NOW_MS + (int64_t)COUNTERS_MINUTES * MINUTE_MS;

    (void)state;
    fire(counters, NOW_MS, place_of("acme", "mail"));
    fire(counters, NOW_MS, place_of("acme", "crawl"));
    counters_note(counters, later_ms, 0, 0); /* takes the minute's place, and nothing is counted in it */
    fire(counters, NOW_MS, place_of("acme", "crawl"));
    fire(counters, NOW_MS - MINUTE_MS, place_of("acme", "crawl"));
    fire(counters, NOW_MS, place_of("acme", "mail"));
    assert_int_equal(fired(counters, &any, NOW_MS, NOW_MS + MINUTE_MS), 2);
    assert_int_equal(fired(counters, &any, TIME_NONE, 0), 5);
    counters_free(counters);
}

static void series_beyond_the_maximum_are_counted_together(void **state)
{
    struct counters *counters = counters_new(1);
    struct counters_row *rows;
    struct arena arena;
    char name[16];

    (void)state;
    arena_init(&arena, 1 << 16, 1 << 26);
    for (int i = 0; i < COUNTERS_SERIES_MAX + 10; i++) {
        (void)snprintf(name, sizeof name, "t%d", i);
        fire(counters, NOW_MS, place_of(name, "mail"));
    }
    assert_int_equal(fired(counters, &any, NOW_MS, NOW_MS + 1), COUNTERS_SERIES_MAX + 10);
    assert_int_equal(counters_rows(counters, &arena, &rows), COUNTERS_SERIES_MAX);
    assert_int_equal(rows[0].tally.fired, 11); /* the first series has no names */
    assert_true(str_empty(rows[0].place.tenant));
    assert_int_equal(counters_rows_by(counters, COUNTERS_BY_TYPE, &any, NOW_MS, NOW_MS + 1, &arena, &rows), 1);
    assert_int_equal(rows[0].tally.fired, COUNTERS_SERIES_MAX - 1);
    arena_done(&arena);
    counters_free(counters);
}

static void what_stands_and_runs_is_noted_minute_by_minute(void **state)
{
    struct counters *counters = counters_new(1);
    int64_t ready = 0, running = 0;

    (void)state;
    counters_note(counters, NOW_MS, 5, 1);
    counters_note(counters, NOW_MS + 1000, 7, 2);
    assert_true(counters_noted(counters, NOW_MS, NOW_MS + 5 * MINUTE_MS, &ready, &running));
    assert_int_equal(ready, 7);
    assert_int_equal(running, 2);
    assert_false(counters_noted(counters, NOW_MS + MINUTE_MS, NOW_MS + 5 * MINUTE_MS, &ready, &running));
    counters_free(counters);
}

static void minutes_that_nobody_counted_are_not_kept(void **state)
{
    struct counters *counters = counters_new(1);
    int64_t later_ms = NOW_MS + (int64_t)COUNTERS_MINUTES * MINUTE_MS;

    (void)state;
    assert_false(counters_kept(counters, 0, NOW_MS));
    counters_note(counters, NOW_MS, 0, 0);
    assert_true(counters_kept(counters, NOW_MS, NOW_MS + MINUTE_MS));
    assert_true(counters_kept(counters, NOW_MS - 5 * MINUTE_MS, NOW_MS + 1)); /* some of it */
    assert_false(counters_kept(counters, NOW_MS - 5 * MINUTE_MS, NOW_MS));    /* before the start */
    counters_note(counters, later_ms, 0, 0);                                  /* takes the minute's place */
    assert_false(counters_kept(counters, NOW_MS, NOW_MS + MINUTE_MS));
    assert_true(counters_kept(counters, later_ms, later_ms + 1));
    counters_free(counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_made_of_minutes_and_filters),
        cmocka_unit_test(a_day_later_a_minute_is_forgotten_but_not_the_whole),
        cmocka_unit_test(a_day_is_summed_up_once_a_minute_and_is_up_to_date),
        cmocka_unit_test(a_clock_that_goes_to_and_fro_counts_all_the_same),
        cmocka_unit_test(series_beyond_the_maximum_are_counted_together),
        cmocka_unit_test(what_stands_and_runs_is_noted_minute_by_minute),
        cmocka_unit_test(minutes_that_nobody_counted_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
