/* Once over JSON, forwards. */
#include "wire_test.h"

#include "wire/walk.h"

static struct walk walk_over(const char *text)
{
    return walk_of(str_from(quoted(text)));
}

static void fields_come_in_order_with_their_values(void **state)
{
    (void)state;
    struct walk walk = walk_over(" { 'a' : 1 , 'b':[ { } , ']}' ] ,'c':'x\\\\' , 'd':{'x':[[]]},'e':null } ");
    const char *const values[] = {"1", "[ { } , ']}' ]", "'x\\\\'", "{'x':[[]]}", "null"};
    struct str key;
    size_t count = 0;

    walk_open(&walk);
    for (; walk_field(&walk, &key); count++) {
        assert_int_equal(key.ptr[0], (int)('a' + count));
        assert_text(walk_value(&walk), quoted(values[count]));
    }
    assert_int_equal(count, COUNT_OF(values));
}

static void elements_come_in_order(void **state)
{
    (void)state;
    struct walk walk = walk_over("[1, -2.5e3 ,'a,]',[ ],true]");
    const char *const values[] = {"1", "-2.5e3", "'a,]'", "[ ]", "true"};
    size_t count = 0;

    walk_open(&walk);
    for (; walk_item(&walk); count++) {
        assert_text(walk_value(&walk), quoted(values[count]));
    }
    assert_int_equal(count, COUNT_OF(values));
}

static void empty_ones_have_nothing(void **state)
{
    (void)state;
    struct walk walk = walk_over("[{ },[ ]]");
    struct str key;

    walk_open(&walk);
    assert_true(walk_item(&walk));
    walk_open(&walk);
    assert_false(walk_field(&walk, &key));
    assert_true(walk_item(&walk));
    walk_open(&walk);
    assert_false(walk_item(&walk));
    assert_false(walk_item(&walk));
}

static void strings_end_at_their_own_quote(void **state)
{
    (void)state;
    struct walk walk = walk_of(STR("[\"a\\\"b\",\"\\\\\",\"\\\\\\\"\",\"\"]"));
    const char *const values[] = {"a\"b", "\\", "\\\"", ""};
    struct str text;

    walk_open(&walk);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        assert_true(walk_item(&walk));
        assert_int_equal(walk_str(&walk, &test_arena, &text, NULL), ERR_OK);
        assert_text(text, values[i]);
    }
    assert_false(walk_item(&walk));
}

static void escapes_are_undone_and_plain_text_is_not_copied(void **state)
{
    (void)state;
    struct str json = STR("[\"plain\",\"\\u00e9\\ud83d\\udd14\\n\"]");
    struct walk walk = walk_of(json);
    struct str text;

    walk_open(&walk);
    assert_true(walk_item(&walk));
    assert_int_equal(walk_str(&walk, &test_arena, &text, NULL), ERR_OK);
    assert_ptr_equal(text.ptr, json.ptr + 2);
    assert_true(walk_item(&walk));
    assert_int_equal(walk_str(&walk, &test_arena, &text, NULL), ERR_OK);
    assert_text(text, "\xc3\xa9\xf0\x9f\x94\x94\n");
}

static void keys_are_known_by_what_they_spell(void **state)
{
    (void)state;
    struct walk walk = walk_of(STR("{\"w\\u006frker\":1,\"wor\\\"er\":2}"));
    struct str key;

    walk_open(&walk);
    assert_true(walk_field(&walk, &key));
    assert_true(walk_key_is(key, STR("worker")));
    assert_false(walk_key_is(key, STR("worked")));
    assert_false(walk_key_is(key, STR("w\\u006frkerandmore")));
    (void)walk_value(&walk);
    assert_true(walk_field(&walk, &key));
    assert_false(walk_key_is(key, STR("worker")));
    assert_true(walk_key_is(key, STR("wor\"er")));
}

static void null_is_passed_over_and_nothing_else(void **state)
{
    (void)state;
    struct walk walk = walk_over("[null,'null']");

    walk_open(&walk);
    assert_true(walk_item(&walk));
    assert_true(walk_null(&walk));
    assert_true(walk_item(&walk));
    assert_false(walk_null(&walk));
    assert_text(walk_value(&walk), "\"null\"");
}

static void refuse(enum err err, const struct error *error, const char *text)
{
    assert_int_equal(err, ERR_INVALID);
    assert_string_equal(error->text, text);
}

static void values_of_another_kind_are_refused(void **state)
{
    (void)state;
    struct error error;
    struct str text;
    int64_t number;
    double real;
    bool truth;
    struct walk walk = walk_over("1");

    refuse(walk_str(&walk, &test_arena, &text, &error), &error, "must be a string, not a number");
    walk = walk_over("'1'");
    refuse(walk_int(&walk, 0, 9, &number, &error), &error, "must be a whole number, not a string");
    walk = walk_over("[1]");
    refuse(walk_double(&walk, 0, 9, &real, &error), &error, "must be a number, not an array");
    walk = walk_over("{}");
    refuse(walk_bool(&walk, &truth, &error), &error, "must be true or false, not an object");
    walk = walk_over("null");
    refuse(walk_array(&walk, &error), &error, "must be an array, not null");
    walk = walk_over("false");
    refuse(walk_object(&walk, &error), &error, "must be an object, not true or false");
}

static void numbers_keep_to_their_range(void **state)
{
    (void)state;
    const char *const bad[] = {"-1", "10", "1.0", "1e0", "99999999999999999999"};
    struct error error;
    struct walk walk = walk_over("9");
    int64_t number = 0;
    double real = 0;

    assert_int_equal(walk_int(&walk, 0, 9, &number, NULL), ERR_OK);
    assert_int_equal(number, 9);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        walk = walk_over(bad[i]);
        refuse(walk_int(&walk, 0, 9, &number, &error), &error, "must be a whole number from 0 to 9");
    }
    walk = walk_over("2.5e0");
    assert_int_equal(walk_double(&walk, 0, 100, &real, NULL), ERR_OK);
    assert_true(real == 2.5);
    walk = walk_over("100.1");
    refuse(walk_double(&walk, 0, 100, &real, &error), &error, "must be a number from 0 to 100");
    walk = walk_over("1e999");
    assert_int_equal(walk_double(&walk, 0, 100, &real, NULL), ERR_INVALID_JSON);
    walk = walk_over("99999999999999999999");
    refuse(walk_double(&walk, 0, 100, &real, &error), &error, "must be a number from 0 to 100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_in_order_with_their_values),
        cmocka_unit_test(elements_come_in_order),
        cmocka_unit_test(empty_ones_have_nothing),
        cmocka_unit_test(strings_end_at_their_own_quote),
        cmocka_unit_test(escapes_are_undone_and_plain_text_is_not_copied),
        cmocka_unit_test(keys_are_known_by_what_they_spell),
        cmocka_unit_test(null_is_passed_over_and_nothing_else),
        cmocka_unit_test(values_of_another_kind_are_refused),
        cmocka_unit_test(numbers_keep_to_their_range),
    };
    WIRE_MAIN(tests);
}
