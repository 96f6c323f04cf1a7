#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "../seed.h"

static void an_empty_buffer_is_an_empty_text(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    buf_init(&buf, 10);

    assert_string_equal(buf_text(&buf), "");
    assert_int_equal(buf_str(&buf).len, 0);
    assert_null(buf.data); /* nothing is allocated for nothing */
    buf_append(&buf, NULL, 0);
    buf_printf(&buf, "%s", "");
    assert_false(buf_overflowed(&buf));
    assert_true(buf_valid(&buf));
}

static void what_is_appended_is_there(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    buf_init(&buf, 1000);

    buf_append(&buf, "ab", 2);
    buf_append_str(&buf, STR("c"));
    buf_append_text(&buf, "de");
    buf_append_char(&buf, ' ');
    buf_append_int(&buf, INT64_MIN);
    buf_append_char(&buf, ' ');
    buf_append_int(&buf, 0);
    buf_append_uint(&buf, UINT64_MAX);
    buf_printf(&buf, " %03d|%s", 7, "x");
    assert_string_equal(buf_text(&buf), "abcde -9223372036854775808 018446744073709551615 007|x");
    buf_truncate(&buf, 5);
    assert_string_equal(buf_text(&buf), "abcde");
    assert_true(buf_valid(&buf));
}

static void the_maximum_itself_fits(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    buf_init(&buf, 5);

    buf_append_text(&buf, "12345");
    assert_false(buf_overflowed(&buf));
    assert_string_equal(buf_text(&buf), "12345");
    buf_append(&buf, "", 0);
    assert_false(buf_overflowed(&buf));
    buf_append_char(&buf, '6');
    assert_true(buf_overflowed(&buf));
    assert_string_equal(buf_text(&buf), "12345");
}

static void after_an_overflow_nothing_is_added(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    buf_init(&buf, 5);

    buf_append_text(&buf, "1234");
    buf_append_text(&buf, "too long");
    buf_append_char(&buf, '5'); /* would fit, and would be a lie */
    buf_printf(&buf, "%d", 5);
    assert_true(buf_overflowed(&buf));
    assert_string_equal(buf_text(&buf), "1234");
    buf_reset(&buf);
    assert_false(buf_overflowed(&buf));
    buf_append_char(&buf, '5');
    assert_string_equal(buf_text(&buf), "5");
}

static void a_printf_that_overflows_leaves_nothing_behind(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    buf_init(&buf, 8);

    buf_append_text(&buf, "1234");
    buf_printf(&buf, "%s", "56789");
    assert_true(buf_overflowed(&buf));
    assert_string_equal(buf_text(&buf), "1234");
    assert_true(buf_valid(&buf));
}

static void a_buffer_of_nothing_holds_nothing(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    buf_init(&buf, 0);

    buf_append_char(&buf, 'x');
    assert_true(buf_overflowed(&buf));
    assert_string_equal(buf_text(&buf), "");
}

static void reset_keeps_the_memory(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    const char *data;
    buf_init(&buf, 1000);

    buf_printf(&buf, "%900s", "x");
    data = buf.data;
    buf_reset(&buf);
    assert_string_equal(buf_text(&buf), "");
    buf_printf(&buf, "%900s", "y");
    assert_ptr_equal(buf.data, data);
}

static void room_can_be_written_in_place(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    char *room;
    buf_init(&buf, 100);

    room = buf_reserve(&buf, 50);
    assert_non_null(room);
    memcpy(room, "abc", 3);
    buf_commit(&buf, 3);
    assert_string_equal(buf_text(&buf), "abc");
    assert_null(buf_reserve(&buf, 98));
    assert_true(buf_overflowed(&buf));
}

/* A plain array that does the same in the simplest way. */
struct reference {
    char bytes[3000];
    size_t len;
    size_t max;
    bool overflowed;
};

static void reference_append(struct reference *ref, const char *bytes, size_t len)
{
    ref->overflowed |= ref->len + len > ref->max;
    if (!ref->overflowed) {
        memcpy(ref->bytes + ref->len, bytes, len);
        ref->len += len;
    }
}

static void one_random_operation(struct rng *rng, struct buf *buf, struct reference *ref)
{
    char bytes[201] = {0};
    size_t len = rng_below(rng, rng_chance(rng, 1, 10) ? 200 : 20);

    for (size_t i = 0; i < len; i++) {
        bytes[i] = (char)('a' + rng_below(rng, 26));
    }
    switch (rng_below(rng, 20)) {
    case 0:
        buf_reset(buf);
        ref->len = 0;
        ref->overflowed = false;
        break;
    case 1:
        ref->len = rng_below(rng, ref->len + 1);
        buf_truncate(buf, ref->len);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        buf_printf(buf, "%s", bytes);
        reference_append(ref, bytes, len);
        break;
    default:
        buf_append(buf, bytes, len);
        reference_append(ref, bytes, len);
    }
}

static void it_does_what_a_plain_array_does(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < 50; round++) {
        SCOPE(buf_done) struct buf buf;
        struct reference ref = {.max = rng_below(&rng, sizeof ref.bytes)};
        buf_init(&buf, ref.max);
        for (int i = 0; i < 400; i++) {
            one_random_operation(&rng, &buf, &ref);
            assert_true(buf_valid(&buf));
            assert_int_equal(buf.len, ref.len);
            assert_int_equal(strlen(buf_text(&buf)), ref.len);
            assert_memory_equal(buf_text(&buf), ref.bytes, ref.len);
            assert_int_equal(buf_overflowed(&buf), ref.overflowed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(what_is_appended_is_there),
        cmocka_unit_test(the_maximum_itself_fits),
        cmocka_unit_test(after_an_overflow_nothing_is_added),
        cmocka_unit_test(a_printf_that_overflows_leaves_nothing_behind),
        cmocka_unit_test(a_buffer_of_nothing_holds_nothing),
        cmocka_unit_test(reset_keeps_the_memory),
        cmocka_unit_test(room_can_be_written_in_place),
        cmocka_unit_test(it_does_what_a_plain_array_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
