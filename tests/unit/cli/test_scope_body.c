#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/scope_body.h"

static const char known[] = "max_in_flight rate breaker spread";

static void settings_are_json_or_text_or_none(void **state)
{
    (void)state;
    char one[] = "max_in_flight=10", two[] = "rate=none", three[] = "breaker={\"open\":\"1m\"}", four[] = "spread=true";
    char *words[] = {one, two, three, four};
    SCOPE(buf_done) struct buf out;
    struct error error;

    buf_init(&out, SCOPE_BODY_BYTES_MAX);
    assert_int_equal(scope_body_write(STR("{\"rate\":\"1/s\",\"burst\":3}"), known, words, 4, &out, &error), ERR_OK);
    assert_string_equal(buf_text(&out),
                        "{\"burst\":3,\"max_in_flight\":10,\"breaker\":{\"open\":\"1m\"},\"spread\":true}");
}

static void a_text_needs_no_quotes(void **state)
{
    (void)state;
    char one[] = "rate=100/s";
    char *words[] = {one};
    SCOPE(buf_done) struct buf out;
    struct error error;

    buf_init(&out, SCOPE_BODY_BYTES_MAX);
    assert_int_equal(scope_body_write(STR("{}"), known, words, 1, &out, &error), ERR_OK);
    assert_string_equal(buf_text(&out), "{\"rate\":\"100/s\"}");
}

static void a_typing_error_gets_the_likely_name(void **state)
{
    (void)state;
    char one[] = "rat=1/s", two[] = "rate";
    char *wrong[] = {one};
    char *bare[] = {two};
    SCOPE(buf_done) struct buf out;
    struct error error;

    buf_init(&out, SCOPE_BODY_BYTES_MAX);
    assert_int_equal(scope_body_write(STR("{}"), known, wrong, 1, &out, &error), ERR_UNKNOWN_FIELD);
    assert_non_null(strstr(error.text, "did you mean rate?"));
    assert_int_equal(scope_body_write(STR("{}"), known, bare, 1, &out, &error), ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_json_or_text_or_none),
        cmocka_unit_test(a_text_needs_no_quotes),
        cmocka_unit_test(a_typing_error_gets_the_likely_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
