#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/escape.h"

static void each_character_gets_its_safe_form(void **state)
{
    (void)state;
    const struct {
        struct str text;
        const char *safe;
    } cases[] = {
        {STR("plain text, 100%"), "plain text, 100%"},
        {STR("\"\\/"), "\\\"\\\\/"},
        {STR("\b\f\n\r\t"), "\\b\\f\\n\\r\\t"},
        {STR("\0\1\x1f"), "\\u0000\\u0001\\u001f"},
        {STR("\033[31mred"), "\\u001b[31mred"},
        {STR("\x7f"), "\\u007f"},
        {STR("\xc2\x85\xc2\x9b"), "\\u0085\\u009b"},         /* NEL, CSI */
        {STR("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029"}, /* line and paragraph separator */
        /* right-to-left marks; NOLINTNEXTLINE(misc-misleading-bidirectional) */
        {STR("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f"), "\\u202e\\u2066\\u200f"},
        {STR("\xef\xbb\xbf"), "\\ufeff"},
        {STR("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"},
        {STR("a\xff"
             "b"),
         "a\xef\xbf\xbd"
         "b"},
        {STR("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd"}, /* cut short: once per byte */
        {STR("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {STR(""), ""},
    };
    char out[100];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(escape_text(cases[i].text, out, sizeof out), cases[i].safe);
    }
}

static void a_text_is_cut_between_characters(void **state)
{
    (void)state;
    char out[8];

    assert_string_equal(escape_text(STR("abcdefghij"), out, sizeof out), "abcdefg");
    assert_string_equal(escape_text(STR("abcde\xf0\x9f\x98\x80"), out, sizeof out), "abcde");
    assert_string_equal(escape_text(STR("ab\033"), out, sizeof out), "ab");
    assert_string_equal(escape_text(STR("abc"), out, 1), "");
}

static void a_plain_run_ends_at_what_needs_a_look(void **state)
{
    (void)state;
    assert_int_equal(escape_plain_run(STR("abc")), 3);
    assert_int_equal(escape_plain_run(STR("abc\"")), 3);
    assert_int_equal(escape_plain_run(STR("\n")), 0);
    assert_int_equal(escape_plain_run(STR("a\xc3\xbc")), 1);
    assert_int_equal(escape_plain_run((struct str){0}), 0);
}

/* Every code point there is: the result is well-formed and has nothing below a blank. */
static void no_character_comes_out_as_a_control(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 1U << 24; word += word < 0x20000 ? 1 : 251) {
        const char bytes[] = {(char)(word >> 16), (char)(word >> 8 & 0xff), (char)(word & 0xff)};
        char out[3 * ESCAPE_BYTES_MAX + 1];
        size_t len = strlen(escape_text((struct str){bytes, 3}, out, sizeof out));
        assert_true(str_utf8_valid((struct str){out, len}, NULL));
        for (size_t i = 0; i < len; i++) {
            assert_false((unsigned char)out[i] < 0x20 || out[i] == 0x7f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_character_gets_its_safe_form),
        cmocka_unit_test(a_text_is_cut_between_characters),
        cmocka_unit_test(a_plain_run_ends_at_what_needs_a_look),
        cmocka_unit_test(no_character_comes_out_as_a_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
