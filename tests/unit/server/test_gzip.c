#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "server/gzip.h"

#define BYTES_MAX (4UL * 1024 * 1024)

static void pack(struct buf *out, struct str text)
{
    buf_init(out, BYTES_MAX);
    gzip_append(out, text);
    assert_false(buf_overflowed(out));
}

static void a_member_says_how_long_it_is(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf out;

    pack(&out, STR("{\"kind\":\"skip\"}\n"));
    assert_int_equal(gzip_length(buf_str(&out)), out.len);
    assert_int_equal(gzip_length((struct str){out.data, GZIP_HEADER_BYTES}), out.len);
    assert_true(gzip_is_whole(buf_str(&out)));
    size_t first = out.len;

    gzip_append(&out, STR("another"));
    assert_int_equal(gzip_length(buf_str(&out)), first);
    assert_int_equal(gzip_length(str_skip(buf_str(&out), first)), out.len - first);
}

static void an_empty_text_and_one_that_does_not_shrink_are_members_too(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf out, noise;
    struct rng rng;

    pack(&out, STR(""));
    assert_true(gzip_is_whole(buf_str(&out)));
    buf_done(&out);
    buf_init(&noise, BYTES_MAX);
    rng_init(&rng, 20260408);
    for (int i = 0; i < 200000; i++) {
        buf_append_char(&noise, (char)rng_below(&rng, 256));
    }
    pack(&out, buf_str(&noise));
    assert_true(out.len >= noise.len);
    assert_true(gzip_is_whole(buf_str(&out)));
}

static void a_member_unpacks_to_its_text_where_that_fits(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf packed, text, small;

    pack(&packed, STR("a line\nanother line\n"));
    buf_init(&text, BYTES_MAX);
    assert_true(gzip_unpack(&text, buf_str(&packed)));
    assert_string_equal(buf_text(&text), "a line\nanother line\n");
    assert_false(gzip_unpack(&text, (struct str){packed.data, packed.len - 1}));
    assert_false(gzip_unpack(&text, STR("no gzip at all")));
    buf_init(&small, 5);
    assert_false(gzip_unpack(&small, buf_str(&packed)));
}

static void a_part_of_a_member_is_not_whole_but_may_begin_one(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf out;

    pack(&out, STR("a line\nanother line\nand a last one\n"));
    for (size_t len = 0; len < out.len; len++) {
        assert_false(gzip_is_whole((struct str){out.data, len}));
        assert_true(gzip_may_begin((struct str){out.data, len}));
    }
}

static void a_bit_that_turned_is_noticed(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf out;

    pack(&out, STR("a line\nanother line\nand a last one\n"));
    for (size_t i = 0; i < out.len; i++) {
        out.data[i] ^= 4;
        assert_false(gzip_is_whole(buf_str(&out)));
        out.data[i] ^= 4;
    }
    assert_true(gzip_is_whole(buf_str(&out)));
}

static void what_is_not_ours_is_told_apart(void **state)
{
    (void)state;
    static const char others[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03the rest of it";

    assert_int_equal(gzip_length(str_from_bytes(others, sizeof others - 1)), 0);
    assert_false(gzip_may_begin(str_from_bytes(others, sizeof others - 1)));
    assert_false(gzip_may_begin(STR("{\"kind\":\"skip\"}\n")));
    assert_true(gzip_may_begin(str_from_bytes("\0\0\0\0", 4))); /* blocks that never reached the disk */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_says_how_long_it_is),
        cmocka_unit_test(an_empty_text_and_one_that_does_not_shrink_are_members_too),
        cmocka_unit_test(a_member_unpacks_to_its_text_where_that_fits),
        cmocka_unit_test(a_part_of_a_member_is_not_whole_but_may_begin_one),
        cmocka_unit_test(a_bit_that_turned_is_noticed),
        cmocka_unit_test(what_is_not_ours_is_told_apart),
    };

    return cmocka_run_group_tests_name("server/gzip", tests, NULL, NULL);
}
