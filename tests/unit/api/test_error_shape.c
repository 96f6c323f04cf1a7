#include "api/error_shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"

static void assert_shape(const char *message, const char *wanted)
{
    SCOPE(buf_done) struct buf shape, again;

    buf_init(&shape, ERROR_SHAPE_BYTES_MAX);
    buf_init(&again, ERROR_SHAPE_BYTES_MAX);
    error_shape(str_from(message), &shape);
    assert_string_equal(buf_text(&shape), wanted);
    error_shape(buf_str(&shape), &again); /* rule 2 */
    assert_string_equal(buf_text(&again), wanted);
}

static void numbers_are_taken_out(void **state)
{
    (void)state;
    assert_shape("timed out after 1500 ms", "timed out after # ms");
    assert_shape("took 10ms, 3.75 s or 1e9", "took #ms, # s or #");
    assert_shape("exit status 17", "exit status #");
    assert_shape("port80 of v2", "port# of v#");
}

static void addresses_are_taken_out(void **state)
{
    (void)state;
    assert_shape("connect to 10.0.0.7:5432: refused", "connect to #: refused");
    assert_shape("no route to 2001:db8::17 (eth0)", "no route to # (eth#)");
    assert_shape("at 2026-04-08T09:00:00.000Z", "at #T#Z");
    assert_shape("segfault at 0x7ffe0042", "segfault at #");
}

static void ids_are_taken_out(void **state)
{
    (void)state;
    assert_shape("order 550e8400-e29b-41d4-a716-446655440000 is gone", "order # is gone");
    assert_shape("order 550e8400-beef-dead-a716-446655440000 is gone", "order # is gone");
    assert_shape("job_06c4q0wm8g000: no such customer cus_Nf93kd02", "#: no such customer #");
}

static void words_stay(void **state)
{
    (void)state;
    assert_shape("a bad face: added  beef,\tto\n", "a bad face: added beef, to");
    assert_shape("Zeitüberschreitung: \"Müller\" antwortet nicht", "Zeitüberschreitung: \"Müller\" antwortet nicht");
    assert_shape("", "");
}

static void a_shape_is_short_and_whole_characters(void **state)
{
    SCOPE(buf_done) struct buf message, shape;

    (void)state;
    buf_init(&message, 4096);
    buf_init(&shape, ERROR_SHAPE_BYTES_MAX);
    for (int i = 0; i < 1000; i++) {
        buf_append_text(&message, "\xe2\x82\xac");
    }
    error_shape(buf_str(&message), &shape);
    assert_false(buf_overflowed(&shape));
    assert_int_equal(shape.len % 3, 0);
    assert_in_range(shape.len, ERROR_SHAPE_BYTES_MAX - 6, ERROR_SHAPE_BYTES_MAX);
}

static void groups_are_told_apart_by_code_and_shape(void **state)
{
    struct trigger_row row = {.last = {.error_code = STR("db"), .error_message = STR("host 10.0.0.1 is down")}};
    struct trigger_row alike = {.last = {.error_code = STR("db"), .error_message = STR("host 10.0.0.9 is down")}};
    struct trigger_row coded = {.last = {.error_code = STR("dns"), .error_message = STR("host 10.0.0.1 is down")}};
    struct trigger_row silent = {.reason = STR("max_attempts")};
    SCOPE(buf_done) struct buf shape;

    (void)state;
    buf_init(&shape, (size_t)8 * ERROR_SHAPE_BYTES_MAX);
    assert_true(error_group(&row, &shape) == error_group(&alike, &shape));
    assert_true(error_group(&row, &shape) != error_group(&coded, &shape));
    buf_reset(&shape);
    assert_true(error_group(&silent, &shape) != 0);
    assert_string_equal(buf_text(&shape), "max_attempts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_taken_out),
        cmocka_unit_test(addresses_are_taken_out),
        cmocka_unit_test(ids_are_taken_out),
        cmocka_unit_test(words_stay),
        cmocka_unit_test(a_shape_is_short_and_whole_characters),
        cmocka_unit_test(groups_are_told_apart_by_code_and_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
