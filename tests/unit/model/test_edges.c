/* Values at their edges: the last that is taken, and the first that is not. */
#include "settings_test.h"

#include "model/retry.h"

static void a_url_is_as_long_as_it_may_be(void **state)
{
    static const char begin[] = "https://host/";
    const size_t room = 2048 - (sizeof begin - 1);

    (void)state;
    def_of("{'target':{'http':{'url':'%s%s'}}}", begin, letters(room, 'x'));
    assert_refused(arena_printf(&test_arena, "{'target':{'http':{'url':'%s%s'}}}", begin, letters(room + 1, 'x')),
                   ERR_INVALID, "target.http.url");
}

static void a_header_has_one_line_however_lines_end(void **state)
{
    (void)state;
    def_of("{'target':{'http':{'url':'http://h/','headers':{'a':'b\\tc'}}}}");
    assert_refused("{'target':{'http':{'url':'http://h/','headers':{'a':'b\\nc'}}}}", ERR_INVALID,
                   "target.http.headers");
    assert_refused("{'target':{'http':{'url':'http://h/','headers':{'a':'b\\rc'}}}}", ERR_INVALID,
                   "target.http.headers");
}

static void only_the_program_of_an_argv_must_be_named(void **state)
{
    (void)state;
    def_of("{'target':{'exec':{'argv':['program','','x']}}}");
    assert_refused("{'target':{'exec':{'argv':['','x']}}}", ERR_INVALID, "target.exec.argv");
}

static void formulas_are_the_same_when_all_their_numbers_are(void **state)
{
    struct retry a = retry_default_formula(), b = a;

    (void)state;
    assert_true(retry_equal(&a, &b));
    b.base_ms++;
    assert_false(retry_equal(&a, &b));
    b = a;
    b.factor_milli++;
    assert_false(retry_equal(&a, &b));
    b = a;
    b.max_ms++;
    assert_false(retry_equal(&a, &b));
    /* In a list of delays they mean nothing. */
    a = b = retry_default();
    b.base_ms++;
    assert_true(retry_equal(&a, &b));
    b.delays_ms[4]++;
    assert_false(retry_equal(&a, &b));
}

static void a_breaker_is_numbers_or_none(void **state)
{
    (void)state;
    assert_true(settings_of(SCOPE_TYPE, "{'breaker':false}").breaker.is_off);
    assert_false(settings_of(SCOPE_TYPE, "{'breaker':{}}").breaker.is_off);
    assert_false(settings_of(SCOPE_TYPE, "{'breaker':null}").has_breaker);
    assert_string_equal(settings_refusal(SCOPE_TYPE, "{'breaker':true}").field, "breaker");
    assert_string_equal(settings_refusal(SCOPE_TYPE, "{'breaker':0}").field, "breaker");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_is_as_long_as_it_may_be),
        cmocka_unit_test(a_header_has_one_line_however_lines_end),
        cmocka_unit_test(only_the_program_of_an_argv_must_be_named),
        cmocka_unit_test(formulas_are_the_same_when_all_their_numbers_are),
        cmocka_unit_test(a_breaker_is_numbers_or_none),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
