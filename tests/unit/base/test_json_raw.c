#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json_raw.h"

static void check_member(const char *text, const char *key, const char *value)
{
    struct str raw = {0};

    assert_true(jraw_member(str_from(text), str_from(key), &raw));
    assert_int_equal(raw.len, str_from(value).len);
    assert_memory_equal(raw.ptr, value, raw.len);
}

static void a_value_comes_back_byte_for_byte(void **state)
{
    (void)state;
    check_member("{\"payload\":0.10}", "payload", "0.10");
    check_member("{\"payload\":12345678901234567890}", "payload", "12345678901234567890");
    check_member("{\"payload\": 1e2 ,\"x\":1}", "payload", "1e2");
    check_member("{\"payload\" :{ \"a\" : [ 1 , 2 ] } }", "payload", "{ \"a\" : [ 1 , 2 ] }");
    check_member("{\"payload\":\"}\\\"]\"}", "payload", "\"}\\\"]\"");
    check_member("{\"payload\":[\"]\",{\"}\":[]}]}", "payload", "[\"]\",{\"}\":[]}]");
    check_member(" \n{\n\"a\":1,\n\"payload\":null\n}\n", "payload", "null");
    check_member("{\"a\":{\"payload\":1},\"b\":[{\"payload\":2}],\"payload\":3}", "payload", "3");
    check_member("{\"a\":-1.5e-3,\"b\":true,\"c\":\"\"}", "b", "true");
    check_member("{\"\":{}}", "", "{}");
}

static void a_key_may_be_spelt_with_escapes(void **state)
{
    (void)state;
    check_member("{\"p\\u0061yload\":1}", "payload", "1");
    check_member("{\"a\\/\\n\\\"\\\\\":1}", "a/\n\"\\", "1");
    check_member("{\"\\u00e9\\u20AC\\ud83d\\ude00\":1}", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "1");
    check_member("{\"\xc3\xa9\":1}", "\xc3\xa9", "1");
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    struct str raw;

    assert_false(jraw_member(STR("{}"), STR("a"), &raw));
    assert_false(jraw_member(STR("{\"ab\":1}"), STR("a"), &raw));
    assert_false(jraw_member(STR("{\"a\":1}"), STR("ab"), &raw));
    assert_false(jraw_member(STR("{\"b\":{\"a\":1},\"c\":\"a\"}"), STR("a"), &raw));
    assert_false(jraw_member(STR("[{\"a\":1}]"), STR("a"), &raw));
    assert_false(jraw_member(STR("\"a\""), STR("a"), &raw));
}

static void elements_come_in_order(void **state)
{
    (void)state;
    const struct str text = STR(" [1, \"a,b\" ,[2,[3]],{\"x\":[4]} , null ] ");
    const char *const expected[] = {"1", "\"a,b\"", "[2,[3]]", "{\"x\":[4]}", "null"};
    struct str raw;
    size_t offset = 0;

    for (size_t i = 0; i < 5; i++) {
        assert_true(jraw_next(text, &offset, &raw));
        assert_true(str_is(raw, expected[i]));
    }
    assert_false(jraw_next(text, &offset, &raw));
    assert_false(jraw_next(text, &offset, &raw));
}

static void what_has_no_elements_ends_at_once(void **state)
{
    (void)state;
    const struct str texts[] = {STR_INIT("[]"), STR_INIT(" [ ] "), STR_INIT("{\"a\":1}"), STR_INIT("7")};
    struct str raw;

    for (size_t i = 0; i < 4; i++) {
        size_t offset = 0;
        assert_false(jraw_next(texts[i], &offset, &raw));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_comes_back_byte_for_byte),  cmocka_unit_test(a_key_may_be_spelt_with_escapes),
        cmocka_unit_test(what_is_not_there_is_not_found),    cmocka_unit_test(elements_come_in_order),
        cmocka_unit_test(what_has_no_elements_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
