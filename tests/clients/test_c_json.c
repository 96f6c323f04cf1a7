/* The JSON reader of libbelfry: strict with what comes from outside, exact with what it hands on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "json.h"

static struct json checked(const char *text)
{
    struct json value;

    assert_true(bf_json_check(text, strlen(text), &value));
    return value;
}

static void valid_text_is_taken(void **state)
{
    static const char *const texts[] = {"{}",      "[]",  " null ", "true",        "-0.5e+10", "\"\\u00e4\\n\"",
                                        "[[],{}]", "[1]", "1E400",  "{\"a\":[{}]}"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        (void)checked(texts[i]);
    }
}

static void what_is_not_json_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "{",
                                        "}",
                                        "[1,]",
                                        "[,1]",
                                        "{\"a\"}",
                                        "01",
                                        "1.",
                                        ".5",
                                        "-",
                                        "1e",
                                        "+1",
                                        "tru",
                                        "nulll",
                                        "\"",
                                        "\"\\\"",
                                        "\"\\u12g4\"",
                                        "\"\n\"",
                                        "[1}",
                                        "{\"a\":1,}",
                                        "1 1",
                                        "{1:2}",
                                        "\"\xff\"",
                                        "\"\xc0\xaf\"",
                                        "\"\xed\xa0\x80\"",
                                        "'a'",
                                        "[1 2]"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json value;

        if (bf_json_check(texts[i], strlen(texts[i]), &value)) {
            fail_msg("taken: %s", texts[i]);
        }
    }
}

static void every_beginning_of_a_text_is_refused(void **state)
{
    static const char text[] = "{\"a\":[1,-2.5e3,true,null,\"\\u00e4\\\"\"],\"b\":{\"c\":{}}}";

    (void)state;
    for (size_t length = 0; length < strlen(text); length++) {
        char *cut = malloc(length + 1); /* so that reading too far is seen */
        struct json value;

        assert_non_null(cut);
        memcpy(cut, text, length);
        assert_false(bf_json_check(cut, length, &value));
        free(cut);
    }
}

static void nesting_has_an_end(void **state)
{
    char text[2 * JSON_DEPTH_MAX + 2];
    struct json value;

    (void)state;
    memset(text, '[', JSON_DEPTH_MAX + 1);
    memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    assert_false(bf_json_check(text, sizeof text, &value));
    assert_true(bf_json_check(text + 1, sizeof text - 2, &value));
}

static void members_and_items_are_found(void **state)
{
    struct json value = checked(" { \"x\" : { \"list\" : [1] } , \"list\" : [ 7 , [8] , \"9\" ] } "), item;
    static const char *const items[] = {"7", "[8]", "\"9\""};
    size_t cursor = 0, count = 0;

    (void)state;
    while (bf_json_each(bf_json_get(value, "list"), &cursor, &item)) {
        assert_int_equal(strlen(items[count]), item.length);
        assert_memory_equal(items[count], item.at, item.length);
        count++;
    }
    assert_int_equal(3, count);
    assert_null(bf_json_get(value, "lis").at);
    assert_null(bf_json_get(bf_json_get(value, "none"), "list").at);
}

static void strings_are_decoded(void **state)
{
    char *text = bf_json_string(checked("\"a\\n\\\"\\u00e4\\ud83d\\ude00\\ud83dx\\u0000\""));

    (void)state;
    assert_string_equal("a\n\"\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbdx\xef\xbf\xbd", text);
    free(text);
}

static void durations_are_read(void **state)
{
    (void)state;
    assert_int_equal(5400000, bf_json_duration_ms(checked("\"1h30m\""), -1));
    assert_int_equal(250, bf_json_duration_ms(checked("\"250ms\""), -1));
    assert_int_equal(604800000, bf_json_duration_ms(checked("\"7d\""), -1));
    assert_int_equal(-1, bf_json_duration_ms(checked("\"5\""), -1));
    assert_int_equal(-1, bf_json_duration_ms(checked("\"s\""), -1));
    assert_int_equal(-1, bf_json_duration_ms(checked("\"99999999999999999d\""), -1));
    assert_int_equal(-1, bf_json_duration_ms(checked("30"), -1));
}

static void numbers_that_do_not_fit_are_not_believed(void **state)
{
    (void)state;
    assert_int_equal(42, bf_json_integer(checked("42"), 7));
    assert_int_equal(7, bf_json_integer(checked("12345678901234567890"), 7));
    assert_int_equal(7, bf_json_integer(checked("1.5"), 7));
    assert_int_equal(7, bf_json_integer(checked("\"1\""), 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_text_is_taken),
        cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(every_beginning_of_a_text_is_refused),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(members_and_items_are_found),
        cmocka_unit_test(strings_are_decoded),
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(numbers_that_do_not_fit_are_not_believed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
