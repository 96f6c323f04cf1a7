#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "worker/tail.h"

static char *text_of(const struct tail *tail)
{
    struct buf out;

    buf_init(&out, 4096);
    tail_text(tail, &out);
    assert_false(buf_overflowed(&out));
    assert_true(str_utf8_valid(buf_str(&out), NULL));
    char *text = mem_strdup(buf_text(&out));

    buf_done(&out);
    return text;
}

static void a_short_output_is_kept_whole(void **state)
{
    struct tail tail;

    (void)state;
    tail_init(&tail, 16);
    tail_write(&tail, STR("hello "));
    tail_write(&tail, STR("world"));
    SCOPE_FREE char *text = text_of(&tail);
    assert_string_equal(text, "hello world");
    tail_done(&tail);
}

static void of_a_long_one_the_end_is_kept_however_it_is_cut(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 50; piece++) {
        struct tail tail;

        tail_init(&tail, 16);
        for (size_t done = 0; done < 1000; done += piece) {
            char bytes[50];

            for (size_t i = 0; i < piece; i++) {
                bytes[i] = (char)('a' + (done + i) % 26);
            }
            tail_write(&tail, str_from_bytes(bytes, piece));
            assert_true(tail.bytes.len <= 32);
        }
        SCOPE_FREE char *text = text_of(&tail);
        size_t len = strlen(text);
        uint64_t seen = tail.seen_bytes;

        for (size_t i = 0; i < 16; i++) {
            assert_int_equal(text[len - 16 + i], 'a' + (char)((seen - 16 + i) % 26));
        }
        assert_non_null(strstr(text, "bytes before this are not kept]\n"));
        tail_done(&tail);
    }
}

static void a_character_that_is_cut_at_the_beginning_is_left_out(void **state)
{
    struct tail tail;

    (void)state;
    tail_init(&tail, 4);
    tail_write(&tail, STR("\xe2\x82\xac"
                          "ab")); /* the last 4 bytes begin in the middle of the euro sign */
    SCOPE_FREE char *text = text_of(&tail);
    assert_string_equal(text, "[3 bytes before this are not kept]\nab");
    tail_done(&tail);
}

static void what_is_no_text_becomes_a_mark(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 64);
    tail_clean(str_from_bytes("a\0b\xff\xc3", 5), &out);
    assert_string_equal(buf_text(&out), "a\xef\xbf\xbd"
                                        "b\xef\xbf\xbd\xef\xbf\xbd");
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_output_is_kept_whole),
        cmocka_unit_test(of_a_long_one_the_end_is_kept_however_it_is_cut),
        cmocka_unit_test(a_character_that_is_cut_at_the_beginning_is_left_out),
        cmocka_unit_test(what_is_no_text_becomes_a_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
