#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/json_text.h"

static void an_overlay_keeps_bytes_and_order(void **state)
{
    (void)state;
    static const char *const dropped[] = {"gone", NULL};
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 4096);
    json_text_overlay(STR("{\"a\": 0.10, \"gone\": 1, \"b\": [1, 2]}"),
                      STR("{\"c\": 12345678901234567890, \"b\": null}"), dropped, &out);
    assert_string_equal(buf_text(&out), "{\"a\":0.10,\"b\":null,\"c\":12345678901234567890}");
}

static void a_text_is_read_without_what_is_around_it(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf out;
    struct error error;

    buf_init(&out, 4096);
    assert_int_equal(json_text_read(STR(" \n{\"a\": 1}\t"), 4096, &out, &error), ERR_OK);
    assert_string_equal(buf_text(&out), "{\"a\": 1}");
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    const char *texts[] = {"", "{", "{\"a\":1,\"a\":2}", "{a:1}", "1 2", "@/nonexistent/file"};
    struct error error;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        SCOPE(buf_done) struct buf out;

        buf_init(&out, 4096);
        assert_int_not_equal(json_text_read(str_from(texts[i]), 4096, &out, &error), ERR_OK);
    }
}

static void chosen_members_stand_on_lines_of_their_own(void **state)
{
    (void)state;
    static const char *const keys[] = {"b", "missing", "a", NULL};
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 4096);
    json_text_lines(STR("{\"a\":1,\"x\":2,\"b\":{\"c\":[]}}"), keys, &out);
    assert_string_equal(buf_text(&out), "{\n  \"b\": {\"c\":[]},\n  \"a\": 1\n}\n");
    buf_reset(&out);
    json_text_lines(STR("{}"), keys, &out);
    assert_string_equal(buf_text(&out), "{}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overlay_keeps_bytes_and_order),
        cmocka_unit_test(a_text_is_read_without_what_is_around_it),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(chosen_members_stand_on_lines_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
