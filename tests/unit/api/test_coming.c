#include "api/coming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define READS_MAX 16
/* When it was begun, against a clock that goes on: there is time for all of it, or none any more. */
#define IN_TIME (INT64_MAX / 2)
#define LONG_AGO (INT64_MIN / 2)

/* A read, as the store is to answer it. */
struct turn {
    enum store_outcome outcome;
    bool is_cut;
    int64_t wakes; /* counted */
    bool has_more; /* of the only place */
};

/* A store of one place that answers by the list, and then that there is nothing. */
struct script {
    struct store_reader reader;
    struct turn turns[READS_MAX];
    struct query asked[READS_MAX];
    size_t count;
    struct coming coming;
    size_t ends_after; /* the time is over after so many reads; 0: never */
};

static enum store_outcome read_turn(struct store_reader *reader, const struct query *query, struct rows *rows,
                                    struct error *reterr)
{
    struct script *script = (struct script *)(void *)reader;

    (void)reterr;
    assert_true(script->count < READS_MAX);
    const struct turn *turn = &script->turns[script->count];

    script->asked[script->count++] = *query;
    if (script->count == script->ends_after) {
        script->coming.begun_mono_ms = LONG_AGO;
    }
    if (turn->wakes > 0) {
        ROWS_ADD(rows, steps)->count = turn->wakes;
    }
    if (turn->has_more) {
        ROWS_ADD(rows, places)->wake_ms = 1000;
    }
    rows->is_cut = turn->is_cut;
    return turn->outcome;
}

static const struct store_reader_methods methods = {.read = read_turn};

static struct script script;
static struct coming_rows rows;

static int begin(void **state)
{
    (void)state;
    script = (struct script){.reader = {&methods}};
    coming_init(&rows);
    return 0;
}

static int end(void **state)
{
    (void)state;
    coming_done(&rows);
    return 0;
}

static enum store_outcome read_all(void)
{
    script.coming = (struct coming){
        .now_ms = 1, .to_ms = 60000, .step_ms = 1000, .wakes_max = 500000, .jobs_max = 2000, .begun_mono_ms = IN_TIME};

    return coming_read(&script.reader, &script.coming, &rows, NULL);
}

static void what_is_coming_is_three_reads_where_there_is_little(void **state)
{
    (void)state;
    script.turns[0].wakes = 7;
    assert_int_equal(read_all(), STORE_DONE);
    assert_int_equal(script.count, 3);
    assert_int_equal(script.asked[0].kind, QUERY_STEPS);
    assert_int_equal(script.asked[1].kind, QUERY_WAKING);
    assert_int_equal(script.asked[2].kind, QUERY_WAKING);
    assert_int_equal(rows.wakes.steps.items[0].count, 7);
}

static void a_read_that_takes_too_long_is_tried_with_less(void **state)
{
    (void)state;
    script.turns[0].outcome = STORE_AGAIN;
    script.turns[1].wakes = 7;
    assert_int_equal(read_all(), STORE_DONE);
    assert_int_equal(script.count, 4);
    assert_int_equal(script.asked[1].kind, QUERY_STEPS);
    assert_true(script.asked[1].limit < script.asked[0].limit);
    assert_int_equal(rows.wakes.steps.count, 1);
}

static void a_read_with_too_much_text_is_tried_with_less(void **state)
{
    (void)state;
    script.turns[0] = (struct turn){.is_cut = true, .wakes = 9};
    script.turns[1].wakes = 7;
    assert_int_equal(read_all(), STORE_DONE);
    assert_false(rows.wakes.is_cut);
    assert_int_equal(rows.wakes.steps.count, 1);
    assert_int_equal(rows.wakes.steps.items[0].count, 7);
}

static void a_store_that_is_down_is_asked_once(void **state)
{
    (void)state;
    script.turns[0].outcome = STORE_DOWN;
    assert_int_equal(read_all(), STORE_DOWN);
    assert_int_equal(script.count, 1);
}

static void a_store_that_is_always_slow_is_given_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < READS_MAX; i++) {
        script.turns[i].outcome = STORE_AGAIN;
    }
    assert_int_equal(read_all(), STORE_AGAIN);
    assert_int_equal(script.count, 2);
}

/* The first read takes all the time that there is. */
static void nothing_is_read_after_the_end_of_the_time(void **state)
{
    (void)state;
    script.ends_after = 1;
    script.turns[0] = (struct turn){.wakes = 100, .has_more = true};
    assert_int_equal(read_all(), STORE_AGAIN);
    assert_int_equal(script.count, 1);
}

static void a_slow_read_is_not_repeated_after_the_end_of_the_time(void **state)
{
    (void)state;
    script.ends_after = 1;
    script.turns[0].outcome = STORE_AGAIN;
    assert_int_equal(read_all(), STORE_AGAIN);
    assert_int_equal(script.count, 1);
}

static void where_there_is_more_a_later_round_replaces_the_first(void **state)
{
    (void)state;
    script.turns[0] = (struct turn){.wakes = 100, .has_more = true};
    script.turns[1] = (struct turn){.wakes = 4000};
    assert_int_equal(read_all(), STORE_DONE);
    assert_int_equal(script.count, 4);
    assert_true(script.asked[1].limit > script.asked[0].limit);
    assert_int_equal(rows.wakes.steps.count, 1);
    assert_int_equal(rows.wakes.steps.items[0].count, 4000);
    assert_int_equal(rows.wakes.places.count, 0);
}

static void a_later_round_that_fails_leaves_the_first(void **state)
{
    (void)state;
    script.turns[0] = (struct turn){.wakes = 100, .has_more = true};
    script.turns[1] = (struct turn){.outcome = STORE_DOWN, .wakes = 3};
    assert_int_equal(read_all(), STORE_DONE);
    assert_int_equal(script.count, 4);
    assert_int_equal(rows.wakes.steps.count, 1);
    assert_int_equal(rows.wakes.steps.items[0].count, 100);
    assert_int_equal(rows.wakes.places.count, 1);
}

static void a_later_round_is_not_tried_with_less_than_the_first_had(void **state)
{
    (void)state;
    script.turns[0] = (struct turn){.wakes = 100, .has_more = true};
    for (size_t i = 1; i < READS_MAX; i++) {
        script.turns[i].outcome = STORE_AGAIN;
    }
    assert_int_equal(read_all(), STORE_AGAIN); /* of what is overdue */
    assert_int_equal(rows.wakes.steps.items[0].count, 100);
    for (size_t i = 1; i < script.count && script.asked[i].kind == QUERY_STEPS; i++) {
        assert_true(script.asked[i].limit >= script.asked[0].limit);
    }
}

static void more_of_what_is_overdue_that_cannot_be_read_leaves_the_first(void **state)
{
    (void)state;
    script.turns[1].has_more = true;
    script.turns[2].outcome = STORE_DOWN;
    assert_int_equal(read_all(), STORE_DONE);
    assert_int_equal(script.count, 4);
    assert_true(script.asked[2].limit > script.asked[1].limit);
    assert_int_equal(rows.overdue.places.count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_coming_is_three_reads_where_there_is_little),
        TEST(a_read_that_takes_too_long_is_tried_with_less),
        TEST(a_read_with_too_much_text_is_tried_with_less),
        TEST(a_store_that_is_down_is_asked_once),
        TEST(a_store_that_is_always_slow_is_given_up),
        TEST(nothing_is_read_after_the_end_of_the_time),
        TEST(a_slow_read_is_not_repeated_after_the_end_of_the_time),
        TEST(where_there_is_more_a_later_round_replaces_the_first),
        TEST(a_later_round_that_fails_leaves_the_first),
        TEST(a_later_round_is_not_tried_with_less_than_the_first_had),
        TEST(more_of_what_is_overdue_that_cannot_be_read_leaves_the_first),
    };

    return cmocka_run_group_tests_name("coming", tests, NULL, NULL);
}
