#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/err.h"

static void set_returns_the_code_and_clears_what_was_there(void **state)
{
    (void)state;
    struct error error = {.position = 7, .field = "old"};

    assert_int_equal(err_set(&error, ERR_NOT_FOUND, "no job \"%s\"", "pay"), ERR_NOT_FOUND);
    assert_string_equal(error.text, "no job \"pay\"");
    assert_int_equal(error.position, 0);
    assert_string_equal(error.field, "");
}

static void text_grows_on_the_way_up(void **state)
{
    (void)state;
    struct error error;

    (void)err_set_at(&error, 4, ERR_INVALID_CRON, "24 is too large");
    assert_int_equal(err_wrap(&error, error.code, "hour field"), ERR_INVALID_CRON);
    assert_string_equal(error.text, "hour field: 24 is too large");
    assert_int_equal(error.position, 4);
}

static void advice_comes_last(void **state)
{
    (void)state;
    struct error error;

    (void)err_set_at(&error, 4, ERR_INVALID_CRON, "24 is too large");
    assert_int_equal(err_add(&error, error.code, " (%s\t)", "write 0"), ERR_INVALID_CRON);
    assert_string_equal(error.text, "24 is too large (write 0?)");
    assert_int_equal(err_add(NULL, ERR_IO, "x"), ERR_IO);
    assert_int_equal(err_add(&error, ERR_OK, "x"), ERR_OK);
    assert_string_equal(error.text, "24 is too large (write 0?)");
}

static void long_texts_are_cut_not_overrun(void **state)
{
    (void)state;
    struct error error;
    char huge[4 * ERROR_TEXT_BYTES_MAX];

    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    (void)err_set(&error, ERR_INVALID, "%s", huge);
    assert_int_equal(strlen(error.text), ERROR_TEXT_BYTES_MAX - 1);
    (void)err_wrap(&error, error.code, "%s", huge);
    assert_int_equal(strlen(error.text), ERROR_TEXT_BYTES_MAX - 1);
    (void)err_in_field(&error, error.code, huge);
    assert_int_equal(strlen(error.field), ERROR_FIELD_BYTES_MAX - 1);
}

static void fields_nest_with_a_dot(void **state)
{
    (void)state;
    struct error error;

    (void)err_set(&error, ERR_INVALID, "too short");
    (void)err_in_field(&error, error.code, "delays");
    (void)err_in_field(&error, error.code, "retry");
    assert_string_equal(error.field, "retry.delays");
}

static void nobody_has_to_listen(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, ERR_IO, "disk gone"), ERR_IO);
    assert_int_equal(err_wrap(NULL, ERR_IO, "store"), ERR_IO);
    assert_int_equal(err_in_field(NULL, ERR_IO, "store"), ERR_IO);
}

static void success_passes_through(void **state)
{
    (void)state;
    struct error error = {.text = "as it was"};

    assert_int_equal(err_wrap(&error, ERR_OK, "store"), ERR_OK);
    assert_int_equal(err_in_field(&error, ERR_OK, "store"), ERR_OK);
    assert_string_equal(error.text, "as it was");
    assert_string_equal(error.field, "");
}

static void texts_quote_nothing_that_a_terminal_obeys(void **state)
{
    (void)state;
    struct error error;

    (void)err_set(&error, ERR_INVALID, "%s", "a\x1b[31m\n\x7f\xc2\x9b\xff\xe2\x80\xa8 \xc3\xa9");
    assert_string_equal(error.text, "a?[31m????????"
                                    " \xc3\xa9");
}

static void every_code_has_its_row(void **state)
{
    (void)state;
    assert_string_equal(err_code(ERR_INVALID_CRON), "invalid_cron");
    assert_int_equal(err_http_status(ERR_UNKNOWN_ZONE), 422);
    assert_true(err_retry_may_help(ERR_IO));
    assert_false(err_retry_may_help(ERR_CONFLICT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_returns_the_code_and_clears_what_was_there),
        cmocka_unit_test(text_grows_on_the_way_up),
        cmocka_unit_test(advice_comes_last),
        cmocka_unit_test(long_texts_are_cut_not_overrun),
        cmocka_unit_test(fields_nest_with_a_dot),
        cmocka_unit_test(nobody_has_to_listen),
        cmocka_unit_test(success_passes_through),
        cmocka_unit_test(texts_quote_nothing_that_a_terminal_obeys),
        cmocka_unit_test(every_code_has_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
