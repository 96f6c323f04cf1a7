#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/limits.h"
#include "model/rows.h"

static void new_rows_are_empty_and_wait_for_nothing(void **state)
{
    (void)state;
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    assert_int_equal(rows.jobs.count + rows.triggers.count + rows.places.count, 0);
    assert_false(rows.has_more);
    assert_int_equal(rows.next_wake_ms, TIME_NONE);
    assert_int_equal(rows.arena.used_bytes, 0);
}

static void a_row_begins_zeroed(void **state)
{
    (void)state;
    SCOPE(rows_done) struct rows rows;
    struct trigger_row zero;

    rows_init(&rows);
    memset(&zero, 0, sizeof zero);
    for (int i = 0; i < 100; i++) {
        struct trigger_row *row = ROWS_ADD(&rows, triggers);

        assert_memory_equal(row, &zero, sizeof zero);
        memset(row, 0xff, sizeof *row);
    }
    assert_int_equal(rows.triggers.count, 100);
}

static void lists_grow_side_by_side_and_keep_their_order(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    for (uint64_t i = 0; i < COUNT; i++) {
        ROWS_ADD(&rows, jobs)->id = i;
        ROWS_ADD(&rows, edges)->upstream = i * 2;
        ROWS_ADD(&rows, tenants)->jobs = (int64_t)i * 3;
    }
    assert_int_equal(rows.jobs.count, COUNT);
    assert_int_equal(rows.edges.count, COUNT);
    assert_int_equal(rows.tenants.count, COUNT);
    assert_int_equal(rows.waits.count, 0);
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(rows.jobs.items[i].id, i);
        assert_int_equal(rows.edges.items[i].upstream, i * 2);
        assert_int_equal(rows.tenants.items[i].jobs, i * 3);
    }
}

static void texts_are_copied(void **state)
{
    (void)state;
    SCOPE(rows_done) struct rows rows;
    char text[] = "borrowed";

    rows_init(&rows);
    struct str copy = rows_text(&rows, str_from(text));
    struct str empty = rows_text(&rows, (struct str){NULL, 0});

    text[0] = 'x';
    assert_true(str_is(copy, "borrowed"));
    assert_non_null(empty.ptr);
    assert_int_equal(empty.len, 0);
}

static void texts_beyond_the_maximum_are_left_out_and_that_is_said(void **state)
{
    (void)state;
    struct rows rows;

    rows_init(&rows);
    rows.text_bytes = ROWS_TEXT_BYTES_MAX - 3; /* as if there were so many */
    assert_int_equal(rows_text(&rows, STR("abc")).len, 3);
    assert_false(rows.is_cut);
    assert_int_equal(rows_text(&rows, STR("d")).len, 0);
    assert_true(rows.is_cut);
    rows_done(&rows);
}

static void rows_that_are_done_can_begin_again(void **state)
{
    (void)state;
    struct rows rows;

    rows_init(&rows);
    ROWS_ADD(&rows, jobs)->id = 1;
    rows.has_more = true;
    rows.next_wake_ms = 5;
    rows_done(&rows);
    rows_init(&rows);
    assert_int_equal(rows.jobs.count, 0);
    assert_false(rows.has_more);
    assert_int_equal(rows.next_wake_ms, TIME_NONE);
    rows_done(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_rows_are_empty_and_wait_for_nothing),
        cmocka_unit_test(a_row_begins_zeroed),
        cmocka_unit_test(lists_grow_side_by_side_and_keep_their_order),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(texts_beyond_the_maximum_are_left_out_and_that_is_said),
        cmocka_unit_test(rows_that_are_done_can_begin_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
