#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "../seed.h"

/* ---- what is JSON and what is not ---- */

static const struct str accepted[] = {
    STR_INIT("{}"),
    STR_INIT("[]"),
    STR_INIT("\"\""),
    STR_INIT("0"),
    STR_INIT("-0"),
    STR_INIT("-0.0"),
    STR_INIT("1"),
    STR_INIT("-1"),
    STR_INIT("10"),
    STR_INIT("1.5"),
    STR_INIT("0.1"),
    STR_INIT("1e5"),
    STR_INIT("1E+5"),
    STR_INIT("1e-5"),
    STR_INIT("0e1"),
    STR_INIT("1e308"),
    STR_INIT("1e-400"), /* too small is 0, and no harm */
    STR_INIT("9223372036854775807"),
    STR_INIT("-9223372036854775808"),
    STR_INIT("9223372036854775808"),
    STR_INIT("-9223372036854775809"),
    STR_INIT("12345678901234567890"),
    STR_INIT("[12345678901234567890,{\"a\":99999999999999999999}]"),
    STR_INIT("123456789012345678901234567890.5"),
    STR_INIT("true"),
    STR_INIT("false"),
    STR_INIT("null"),
    STR_INIT(" \t\r\n[ \t\r\n] \t\r\n"),
    STR_INIT("[1,2,3]"),
    STR_INIT("[[],{},[[]]]"),
    STR_INIT("{\"a\":1,\"b\":2}"),
    STR_INIT("{\"\":0}"),
    STR_INIT("{\"a\":{\"a\":{\"a\":1}}}"),
    STR_INIT("{\"a\":1,\"A\":2}"),
    STR_INIT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
    STR_INIT("\"\\u0041\\u00e9\\u20AC\\u20ac\""),
    STR_INIT("\"\\ud83d\\ude00\""),
    STR_INIT("\"\\uD83D\\uDE00\""),
    STR_INIT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""),
    STR_INIT("\"\xf4\x8f\xbf\xbf\""),
    STR_INIT("\"\xef\xbb\xbf\""), /* inside of a string it is a character */
    STR_INIT("\"\x7f\""),
    STR_INIT("\"\xe2\x80\xa8\""),
    STR_INIT("\"//\""),
    STR_INIT("\"[[[[\""),
};

static const struct str refused[] = {
    STR_INIT(""),
    STR_INIT(" "),
    STR_INIT("\xef\xbb\xbf{}"), /* byte order mark */
    STR_INIT("\xff\xfe[\0]\0"), /* UTF-16 */
    STR_INIT("{"),
    STR_INIT("["),
    STR_INIT("}"),
    STR_INIT("]"),
    STR_INIT("[}"),
    STR_INIT("{]"),
    STR_INIT("[1"),
    STR_INIT("[1,"),
    STR_INIT("{\"a\""),
    STR_INIT("{\"a\":"),
    STR_INIT("{\"a\":1"),
    STR_INIT("{\"a\":1,"),
    STR_INIT("\""),
    STR_INIT("\"abc"),
    STR_INIT("\"abc\\"),
    STR_INIT("\"abc\\\""),
    STR_INIT("[1,]"),
    STR_INIT("[,1]"),
    STR_INIT("[1,,2]"),
    STR_INIT("[1 2]"),
    STR_INIT("[:]"),
    STR_INIT("{\"a\":1,}"),
    STR_INIT("{,}"),
    STR_INIT("{\"a\" 1}"),
    STR_INIT("{\"a\",1}"),
    STR_INIT("{\"a\"::1}"),
    STR_INIT("{a:1}"),
    STR_INIT("{1:1}"),
    STR_INIT("{'a':1}"),
    STR_INIT("{null:1}"),
    STR_INIT("{[]:1}"),
    STR_INIT("'a'"),
    STR_INIT("{} {}"),
    STR_INIT("{}x"),
    STR_INIT("1 2"),
    STR_INIT("[]]"),
    STR_INIT("{}\0"),
    STR_INIT("\0"),
    STR_INIT("[\0]"),
    STR_INIT("// comment\n1"),
    STR_INIT("/* comment */1"),
    STR_INIT("1 // comment"),
    STR_INIT("# comment\n1"),
    STR_INIT("True"),
    STR_INIT("TRUE"),
    STR_INIT("tru"),
    STR_INIT("truee"),
    STR_INIT("nul"),
    STR_INIT("undefined"),
    STR_INIT("NaN"),
    STR_INIT("-NaN"),
    STR_INIT("Infinity"),
    STR_INIT("-Infinity"),
    STR_INIT("inf"),
    STR_INIT("01"),
    STR_INIT("-01"),
    STR_INIT("00"),
    STR_INIT("+1"),
    STR_INIT("--1"),
    STR_INIT("-"),
    STR_INIT("."),
    STR_INIT(".5"),
    STR_INIT("-.5"),
    STR_INIT("5."),
    STR_INIT("5.e1"),
    STR_INIT("1e"),
    STR_INIT("1e+"),
    STR_INIT("1.2.3"),
    STR_INIT("1e2e3"),
    STR_INIT("1e2.5"),
    STR_INIT("0x10"),
    STR_INIT("1_000"),
    STR_INIT("1,000"),
    STR_INIT("1e400"),
    STR_INIT("-1e400"),
    STR_INIT("[1e999999999999999999999]"),
    STR_INIT("{\"a\":1,\"a\":2}"),
    STR_INIT("{\"a\":1,\"\\u0061\":2}"), /* the same key, spelt otherwise */
    STR_INIT("[{\"x\":{\"k\":0,\"k\":0}}]"),
    STR_INIT("\"\n\""),
    STR_INIT("\"\t\""),
    STR_INIT("\"\0\""),
    STR_INIT("\"\x1f\""),
    STR_INIT("\"\\u0000\""),
    STR_INIT("{\"\\u0000\":1}"),
    STR_INIT("{\"a\\u0000b\":1}"),
    STR_INIT("\"\\x41\""),
    STR_INIT("\"\\a\""),
    STR_INIT("\"\\'\""),
    STR_INIT("\"\\U0041\""),
    STR_INIT("\"\\u\""),
    STR_INIT("\"\\u004\""),
    STR_INIT("\"\\u004g\""),
    STR_INIT("\"\\u+041\""),
    STR_INIT("\"\\ud800\""),
    STR_INIT("\"\\udc00\""),
    STR_INIT("\"\\ud800x\""),
    STR_INIT("\"\\ud800\\n\""),
    STR_INIT("\"\\ud800\\u0041\""),
    STR_INIT("\"\\ud800\\ud800\""),
    STR_INIT("\"\\udc00\\ud800\""),
    STR_INIT("\"\\ud83d\\u\""),
    STR_INIT("\"\x80\""),
    STR_INIT("\"\xc3\""),
    STR_INIT("\"\xc0\x80\""),
    STR_INIT("\"\xed\xa0\x80\""),
    STR_INIT("\"\xf4\x90\x80\x80\""),
    STR_INIT("\"\xff\""),
    STR_INIT("{\"\xff\":1}"),
    STR_INIT("\xc2\xa0[]"), /* a no-break space is no white space */
    STR_INIT("\v[]"),
    STR_INIT("\f[]"),
    STR_INIT("\xe2\x80\x9c\x61\xe2\x80\x9d"), /* typographic quotes */
    STR_INIT("*"),
};

static void what_is_json_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct error error = {0};
        if (jr_parse(accepted[i], NULL, &doc, &error) != ERR_OK) {
            fail_msg("refused: %.*s: %s", STR_ARGS(accepted[i]), error.text);
        }
        assert_int_not_equal(jr_kind(jr_root(&doc)), JR_ABSENT);
    }
}

static void what_is_not_json_is_refused_with_a_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct error error = {0};
        if (jr_parse(refused[i], NULL, &doc, &error) != ERR_INVALID_JSON) {
            fail_msg("accepted: %.*s", STR_ARGS(refused[i]));
        }
        assert_null(doc.root);
        assert_in_range(error.position, 1, refused[i].len + 1);
        assert_int_not_equal(strlen(error.text), 0);
        assert_int_equal(jr_parse(refused[i], NULL, &doc, NULL), ERR_INVALID_JSON);
    }
}

static void check_error(struct str text, int position, const char *message)
{
    struct jr_doc doc = {0};
    struct error error;

    assert_int_equal(jr_parse(text, NULL, &doc, &error), ERR_INVALID_JSON);
    assert_string_equal(error.text, message);
    assert_int_equal(error.position, position);
}

static void errors_say_what_is_wrong_and_where(void **state)
{
    (void)state;
    check_error(STR("{\"a\":01}"), 6, "not JSON: a number may not begin with 0");
    check_error(STR("[1,2"), 5, "the JSON text ends too early: a comma or ] is missing");
    check_error(STR("{\"a\":1 \"b\":2}"), 8, "not JSON: a comma or } is missing");
    check_error(STR("[1,]"), 4, "not JSON: a value is missing");
    check_error(STR("{} x"), 4, "not JSON: something follows the value");
    check_error(STR("[\"\\ud800\"]"), 3, "not JSON: half of a surrogate pair stands alone");
    check_error(STR("[\"\\u0000\"]"), 3, "not JSON: \\u0000 is not allowed");
    check_error(STR("[\"a\xff\"]"), 4, "not JSON: the text is not UTF-8");
    check_error(STR("{\"x\":[],\"pool\":1, \"pool\":2}"), 19, "the key \"pool\" appears twice in one object");
    check_error(STR("[12345678901234567890,1e400]"), 0, "a number is too large");
}

/* ---- limits ---- */

static void repeat(struct buf *buf, const char *piece, size_t count)
{
    buf_init(buf, strlen(piece) * count);
    while (count-- > 0) {
        buf_append_text(buf, piece);
    }
}

static void a_million_brackets_are_refused_at_the_first_too_many(void **state)
{
    (void)state;
    const struct jscan_limits limits = {.bytes_max = 10000000, .depth_max = 32, .nodes_max = 10000000};
    const char *const pieces[] = {"[", "{\"a\":", "[{\"a\":"};

    for (size_t i = 0; i < 3; i++) {
        SCOPE(buf_done) struct buf deep;
        struct jr_doc doc = {0};
        struct error error;
        repeat(&deep, pieces[i], 1000000);
        assert_int_equal(jr_parse(buf_str(&deep), &limits, &doc, &error), ERR_TOO_LARGE);
        assert_string_equal(error.text, "the JSON is nested deeper than 32 levels");
        assert_in_range(error.position, 33, 200);
    }
}

static enum err parse_nested(size_t depth, size_t depth_max)
{
    const struct jscan_limits limits = {.bytes_max = 10000, .depth_max = depth_max, .nodes_max = 10000};
    SCOPE(jr_done) struct jr_doc doc = {0};
    char text[1000];

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return jr_parse((struct str){text, 2 * depth}, &limits, &doc, NULL);
}

static void nesting_is_allowed_up_to_the_limit(void **state)
{
    (void)state;
    assert_int_equal(parse_nested(32, 32), ERR_OK);
    assert_int_equal(parse_nested(33, 32), ERR_TOO_LARGE);
    assert_int_equal(parse_nested(1, 0), ERR_TOO_LARGE);
    assert_int_equal(parse_nested(JSON_DEPTH_CEILING, JSON_DEPTH_CEILING), ERR_OK);
    assert_int_equal(parse_nested(JSON_DEPTH_CEILING + 1, JSON_DEPTH_CEILING), ERR_TOO_LARGE);
}

static void values_are_counted_and_keys_are_not(void **state)
{
    (void)state;
    struct jscan_limits limits = {.bytes_max = 1000, .depth_max = 9, .nodes_max = 4};
    struct str text = STR("{\"a\":[1,2]}");
    struct jr_doc doc = {0};

    assert_int_equal(jr_parse(text, &limits, &doc, NULL), ERR_OK);
    jr_done(&doc);
    limits.nodes_max = 3;
    assert_int_equal(jr_parse(text, &limits, &doc, NULL), ERR_TOO_LARGE);
    limits.nodes_max = 0;
    assert_int_equal(jr_parse(STR("1"), &limits, &doc, NULL), ERR_TOO_LARGE);
}

static void bytes_are_counted_before_anything_else(void **state)
{
    (void)state;
    const struct jscan_limits limits = {.bytes_max = 4, .depth_max = 9, .nodes_max = 9};
    struct jr_doc doc = {0};
    struct error error;

    assert_int_equal(jr_parse(STR("    \xff"), &limits, &doc, &error), ERR_TOO_LARGE);
    assert_string_equal(error.text, "the JSON is longer than 4 bytes");
    assert_int_equal(jr_parse(STR("1234"), &limits, &doc, &error), ERR_OK);
    jr_done(&doc);
}

static void a_huge_number_is_refused_and_not_computed(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf digits;
    struct jr_doc doc = {0};

    repeat(&digits, "9", 1000000);
    assert_int_equal(jr_parse(buf_str(&digits), NULL, &doc, NULL), ERR_INVALID_JSON);
}

/* ---- getters ---- */

static const char sample[] = "{\"name\":\"nightly\",\"n\":7,\"min\":-9223372036854775808,\"big\":12345678901234567890,"
                             "\"half\":0.5,\"whole\":5.0,\"yes\":true,\"no\":false,\"nil\":null,"
                             "\"list\":[1,\"two\",null],\"in\":{\"deep\":{\"x\":\"y\"}}}";

static struct jr parse(struct jr_doc *doc, const char *text)
{
    assert_int_equal(jr_parse(str_from(text), NULL, doc, NULL), ERR_OK);
    return jr_root(doc);
}

static void fields_are_read_as_what_they_are(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, sample), in, deep, list;
    struct str s = {0};
    int64_t n = 0;
    double d = 0;
    bool b = false;

    assert_int_equal(jr_str(root, "name", &s, NULL), ERR_OK);
    assert_string_equal(s.ptr, "nightly");
    assert_int_equal(s.len, 7);
    assert_int_equal(jr_int(root, "n", 0, 10, &n, NULL), ERR_OK);
    assert_int_equal(n, 7);
    assert_int_equal(jr_int(root, "min", INT64_MIN, 0, &n, NULL), ERR_OK);
    assert_true(n == INT64_MIN);
    assert_int_equal(jr_double(root, "half", 0, 1, &d, NULL), ERR_OK);
    assert_true(d == 0.5);
    assert_int_equal(jr_double(root, "n", 0, 10, &d, NULL), ERR_OK);
    assert_true(d == 7);
    assert_int_equal(jr_bool(root, "yes", &b, NULL), ERR_OK);
    assert_true(b);
    assert_int_equal(jr_bool(root, "no", &b, NULL), ERR_OK);
    assert_false(b);
    assert_int_equal(jr_object(root, "in", &in, NULL), ERR_OK);
    assert_int_equal(jr_object(in, "deep", &deep, NULL), ERR_OK);
    assert_int_equal(jr_str(deep, "x", &s, NULL), ERR_OK);
    assert_string_equal(s.ptr, "y");
    assert_int_equal(jr_array(root, "list", &list, NULL), ERR_OK);
    assert_int_equal(jr_count(list), 3);
}

static void check_refused(enum err err, const struct error *error, const char *field, const char *text)
{
    assert_int_equal(err, ERR_INVALID);
    assert_string_equal(error->field, field);
    assert_string_equal(error->text, text);
}

static void what_is_wrong_with_a_field_is_said_with_its_name(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, sample), value = {0};
    struct error e;
    struct str s = {0};
    int64_t n = 77;
    double d = 0;
    bool b = false;

    check_refused(jr_str(root, "nmae", &s, &e), &e, "nmae", "is missing");
    check_refused(jr_str(root, "n", &s, &e), &e, "n", "must be a string, not a whole number");
    check_refused(jr_str(root, "nil", &s, &e), &e, "nil", "must be a string, not null");
    check_refused(jr_int(root, "name", 0, 9, &n, &e), &e, "name", "must be a whole number, not a string");
    check_refused(jr_int(root, "n", 8, 9, &n, &e), &e, "n", "must be a whole number from 8 to 9");
    check_refused(jr_int(root, "n", 0, 6, &n, &e), &e, "n", "must be a whole number from 0 to 6");
    check_refused(jr_int(root, "whole", 0, 9, &n, &e), &e, "whole", "must be a whole number from 0 to 9");
    check_refused(jr_int(root, "big", 0, INT64_MAX, &n, &e), &e, "big",
                  "must be a whole number from 0 to 9223372036854775807");
    check_refused(jr_double(root, "half", 1, 2, &d, &e), &e, "half", "must be a number from 1 to 2");
    check_refused(jr_double(root, "yes", 1, 2, &d, &e), &e, "yes", "must be a number, not true or false");
    check_refused(jr_bool(root, "n", &b, &e), &e, "n", "must be true or false, not a whole number");
    check_refused(jr_array(root, "in", &value, &e), &e, "in", "must be an array, not an object");
    check_refused(jr_object(root, "list", &value, &e), &e, "list", "must be an object, not an array");
    assert_int_equal(n, 77);
    assert_null(s.ptr);
    assert_null(value.node);
    assert_int_equal(jr_int(root, "name", 0, 9, &n, NULL), ERR_INVALID); /* nobody has to listen */
}

static void optional_fields_leave_the_default(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, sample), value = {0};
    struct error e;
    struct str s = STR("default");
    int64_t n = 3;
    double d = 0.25;
    bool b = true;

    assert_int_equal(jr_opt_str(root, "pool", &s, &e), ERR_OK);
    assert_int_equal(jr_opt_str(root, "nil", &s, &e), ERR_OK);
    assert_string_equal(s.ptr, "default");
    assert_int_equal(jr_opt_int(root, "priority", 1, 5, &n, &e), ERR_OK);
    assert_int_equal(n, 3);
    assert_int_equal(jr_opt_double(root, "jitter", 0, 1, &d, &e), ERR_OK);
    assert_true(d == 0.25);
    assert_int_equal(jr_opt_bool(root, "atomic", &b, &e), ERR_OK);
    assert_true(b);
    assert_int_equal(jr_opt_array(root, "depends_on", &value, &e), ERR_OK);
    assert_int_equal(jr_opt_object(root, "nil", &value, &e), ERR_OK);
    assert_null(value.node);
}

static void optional_fields_that_are_there_are_read_as_strictly(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, sample), value = {0};
    struct error e;
    struct str s = {0};
    int64_t n = 0;
    double d = 0;
    bool b = false;

    assert_int_equal(jr_opt_str(root, "name", &s, &e), ERR_OK);
    assert_string_equal(s.ptr, "nightly");
    assert_int_equal(jr_opt_int(root, "n", 0, 9, &n, &e), ERR_OK);
    assert_int_equal(n, 7);
    assert_int_equal(jr_opt_double(root, "half", 0, 1, &d, &e), ERR_OK);
    assert_true(d == 0.5);
    assert_int_equal(jr_opt_bool(root, "yes", &b, &e), ERR_OK);
    assert_true(b);
    assert_int_equal(jr_opt_array(root, "list", &value, &e), ERR_OK);
    assert_int_equal(jr_kind(value), JR_ARRAY);
    assert_int_equal(jr_opt_object(root, "in", &value, &e), ERR_OK);
    assert_int_equal(jr_kind(value), JR_OBJECT);
    check_refused(jr_opt_str(root, "n", &s, &e), &e, "n", "must be a string, not a whole number");
    check_refused(jr_opt_int(root, "n", 0, 6, &n, &e), &e, "n", "must be a whole number from 0 to 6");
}

static void nested_fields_are_named_with_their_path(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, sample), in = {0};
    struct error e;
    int64_t n;

    assert_int_equal(jr_object(root, "in", &in, &e), ERR_OK);
    assert_int_equal(jr_int(in, "deep", 0, 1, &n, &e), ERR_INVALID);
    (void)err_in_field(&e, e.code, "in");
    assert_string_equal(e.field, "in.deep");
}

static void unknown_fields_are_refused_with_a_hint(void **state)
{
    (void)state;
    const char *const known[] = {"cron", "timezone", "pool", NULL};
    const struct {
        const char *text, *field, *message;
    } cases[] = {
        {"{\"cron\":1,\"timezon\":2}", "timezon", "there is no field \"timezon\"; did you mean \"timezone\"?"},
        {"{\"Pool\":1}", "Pool", "there is no field \"Pool\"; did you mean \"pool\"?"},
        {"{\"labels\":1}", "labels", "there is no field \"labels\""},
        {"{\"\\u001b[2J\":1}", "\\u001b[2J", "there is no field \"\\u001b[2J\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct error e;
        assert_int_equal(jr_check_fields(parse(&doc, cases[i].text), known, &e), ERR_UNKNOWN_FIELD);
        assert_string_equal(e.field, cases[i].field);
        assert_string_equal(e.text, cases[i].message);
    }
    SCOPE(jr_done) struct jr_doc good = {0};
    assert_int_equal(jr_check_fields(parse(&good, "{\"pool\":1,\"cron\":2}"), known, NULL), ERR_OK);
}

static void arrays_are_read_by_index(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr list = jr_get(parse(&doc, sample), "list");
    struct str s = {0};
    int64_t n = 0;

    assert_int_equal(jr_as_int(jr_at(list, 0), 0, 9, &n, NULL), ERR_OK);
    assert_int_equal(n, 1);
    assert_int_equal(jr_as_str(jr_at(list, 1), &s, NULL), ERR_OK);
    assert_string_equal(s.ptr, "two");
    assert_int_equal(jr_kind(jr_at(list, 2)), JR_NULL);
    assert_int_equal(jr_kind(jr_at(list, 3)), JR_ABSENT);
    assert_int_equal(jr_as_str(jr_at(list, 3), &s, NULL), ERR_INVALID);
}

static void objects_are_walked_in_the_order_of_the_text(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, "{\"z\":1,\"a\":2,\"m\":3}"), value;
    const char *const expected[] = {"z", "a", "m"};
    struct jr_iter iter = {0};
    struct str key = {0};
    int64_t n = 0;

    for (size_t i = 0; i < 3; i++) {
        assert_true(jr_next(root, &iter, &key, &value));
        assert_string_equal(key.ptr, expected[i]);
        assert_int_equal(jr_as_int(value, 0, 9, &n, NULL), ERR_OK);
        assert_int_equal(n, i + 1);
    }
    assert_false(jr_next(root, &iter, &key, &value));
    assert_int_equal(jr_count(root), 3);
}

static void what_is_no_container_is_empty(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr root = parse(&doc, "5"), value;
    struct jr_iter iter = {0};
    struct str key;

    assert_int_equal(jr_count(root), 0);
    assert_int_equal(jr_kind(jr_at(root, 0)), JR_ABSENT);
    assert_false(jr_has(root, "a"));
    assert_false(jr_next(root, &iter, &key, &value));
    assert_int_equal(jr_count((struct jr){0}), 0);
    assert_false(jr_has((struct jr){0}, "a"));
}

static void strings_are_decoded(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str s = {0};

    assert_int_equal(jr_as_str(parse(&doc, "\"\\u0041\\ud83d\\ude00\\n\\/\""), &s, NULL), ERR_OK);
    assert_string_equal(s.ptr, "A\xf0\x9f\x98\x80\n/");
}

/* ---- scanner against parser ---- */

/* Damaged and honest texts alike: what the scanner lets through the parser must take, but for the two things that
 * the scanner is known not to see; and nothing may crash. */
static void the_parser_agrees_with_the_scanner(void **state)
{
    (void)state;
    static const char noise[] = "{}[]\",:\\ue0123456789+-.Etfn \x80\xc3\xa9\xff\n";
    struct rng rng;
    seed_rng(&rng);

    for (int i = 0; i < 20000; i++) {
        struct str from = accepted[rng_below(&rng, sizeof accepted / sizeof accepted[0])];
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct error e = {0};
        char text[80];
        size_t changes = 1 + rng_below(&rng, 3);

        assert_true(from.len <= sizeof text);
        memcpy(text, from.ptr, from.len);
        while (changes-- > 0) {
            text[rng_below(&rng, from.len)] = noise[rng_below(&rng, sizeof noise)];
        }
        if (jr_parse((struct str){text, from.len}, NULL, &doc, &e) == ERR_OK) {
            continue;
        }
        if (strncmp(e.text, "not JSON", 8) != 0 && strncmp(e.text, "the JSON text ends", 18) != 0) {
            assert_true(strstr(e.text, "twice in one object") != NULL || strstr(e.text, "too large") != NULL);
        }
        assert_null(strstr(e.text, " near ")); /* that would be the parser's own complaint */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_json_is_accepted),
        cmocka_unit_test(what_is_not_json_is_refused_with_a_position),
        cmocka_unit_test(errors_say_what_is_wrong_and_where),
        cmocka_unit_test(a_million_brackets_are_refused_at_the_first_too_many),
        cmocka_unit_test(nesting_is_allowed_up_to_the_limit),
        cmocka_unit_test(values_are_counted_and_keys_are_not),
        cmocka_unit_test(bytes_are_counted_before_anything_else),
        cmocka_unit_test(a_huge_number_is_refused_and_not_computed),
        cmocka_unit_test(fields_are_read_as_what_they_are),
        cmocka_unit_test(what_is_wrong_with_a_field_is_said_with_its_name),
        cmocka_unit_test(optional_fields_leave_the_default),
        cmocka_unit_test(optional_fields_that_are_there_are_read_as_strictly),
        cmocka_unit_test(nested_fields_are_named_with_their_path),
        cmocka_unit_test(unknown_fields_are_refused_with_a_hint),
        cmocka_unit_test(arrays_are_read_by_index),
        cmocka_unit_test(objects_are_walked_in_the_order_of_the_text),
        cmocka_unit_test(what_is_no_container_is_empty),
        cmocka_unit_test(strings_are_decoded),
        cmocka_unit_test(the_parser_agrees_with_the_scanner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
