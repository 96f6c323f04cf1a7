#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"

static const struct str in_static_storage = STR_INIT("abc");

static void slices_compare_by_their_bytes(void **state)
{
    (void)state;
    assert_int_equal(in_static_storage.len, 3);
    assert_true(str_equal(STR("abc"), in_static_storage));
    assert_true(str_equal((struct str){0}, STR("")));
    assert_false(str_equal(STR("abc"), STR("abd")));
    assert_false(str_equal(STR("abc"), STR("ab")));
    assert_true(str_equal(STR("a\0b"), STR("a\0b")));
    assert_false(str_equal(STR("a\0b"), STR("a\0c")));
    assert_true(str_is(STR("abc"), "abc"));
    assert_false(str_is(STR("abc"), "abcd"));
    assert_true(str_empty(str_from(NULL)));
}

static void slices_sort_by_unsigned_bytes(void **state)
{
    (void)state;
    assert_true(str_compare(STR("a"), STR("b")) < 0);
    assert_true(str_compare(STR("b"), STR("a")) > 0);
    assert_true(str_compare(STR("a"), STR("ab")) < 0);
    assert_true(str_compare(STR("\xff"), STR("a")) > 0);
    assert_int_equal(str_compare(STR("ab"), STR("ab")), 0);
    assert_true(str_compare((struct str){0}, STR("a")) < 0);
    assert_int_equal(str_compare((struct str){0}, STR("")), 0);
}

static void case_is_ignored_in_ascii_only(void **state)
{
    (void)state;
    assert_true(str_equal_nocase(STR("Mon-FRI"), STR("mON-fri")));
    assert_false(str_equal_nocase(STR("["), STR("{")));
    assert_false(str_equal_nocase(STR("@"), STR("`")));
    assert_false(str_equal_nocase(STR("\xc3\x84"), STR("\xc3\xa4")));
    assert_false(str_equal_nocase(STR("a"), STR("ab")));
}

static void beginnings_and_ends_are_found(void **state)
{
    (void)state;
    assert_true(str_starts_with(STR("job_7"), STR("job_")));
    assert_true(str_starts_with(STR("job_"), STR("job_")));
    assert_true(str_starts_with(STR("x"), STR("")));
    assert_false(str_starts_with(STR("job"), STR("job_")));
    assert_true(str_ends_with(STR("250ms"), STR("ms")));
    assert_false(str_ends_with(STR("s"), STR("ms")));
    assert_int_equal(str_find_char(STR("a,b"), ','), 1);
    assert_int_equal(str_find_char(STR("ab"), ','), 2);
    assert_int_equal(str_find_char((struct str){0}, ','), 0);
}

static void trim_takes_white_space_off_both_ends(void **state)
{
    (void)state;
    assert_true(str_is(str_trim(STR(" \t\r\n a b \v\f")), "a b"));
    assert_true(str_is(str_trim(STR("   ")), ""));
    assert_true(str_is(str_trim((struct str){0}), ""));
    assert_true(str_is(str_trim(STR("\xc2\xa0x")), "\xc2\xa0x"));
}

static void check_split(struct str text, size_t count, const char *const pieces[])
{
    struct str rest = text, piece;
    bool done = false;

    for (size_t i = 0; i < count; i++) {
        assert_true(str_split(&rest, ',', &done, &piece));
        assert_true(str_is(piece, pieces[i]));
    }
    assert_false(str_split(&rest, ',', &done, &piece));
}

static void split_counts_empty_pieces(void **state)
{
    (void)state;
    check_split(STR("a,bc,d"), 3, (const char *[]){"a", "bc", "d"});
    check_split(STR(",a,"), 3, (const char *[]){"", "a", ""});
    check_split(STR(""), 1, (const char *[]){""});
    check_split(STR(","), 2, (const char *[]){"", ""});
    check_split((struct str){0}, 1, (const char *[]){""});
}

static void whole_numbers_are_read(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t min, max, value;
    } good[] = {
        {"0", 0, 59, 0},
        {"59", 0, 59, 59},
        {"07", 0, 59, 7},
        {"-5", -10, 10, -5},
        {"-0", -1, 1, 0},
        {"9223372036854775807", 0, INT64_MAX, INT64_MAX},
        {"-9223372036854775808", INT64_MIN, 0, INT64_MIN},
        {"0000000000000000000000000000001", 0, 1, 1},
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t value = 77;
        assert_int_equal(str_to_int(str_from(good[i].text), good[i].min, good[i].max, &value, NULL), ERR_OK);
        assert_true(value == good[i].value);
    }
}

static void what_is_no_whole_number_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t min, max;
        int position;
    } bad[] = {
        {"", 0, 9, 1},
        {"-", -9, 9, 2},
        {"+1", 0, 9, 1},
        {" 1", 0, 9, 1},
        {"1 ", 0, 9, 2},
        {"1.0", 0, 9, 2},
        {"0x1", 0, 9, 2},
        {"1e3", 0, 9999, 2},
        {"-1", 0, 9, 1}, /* no sign where none is allowed */
        {"--1", -9, 9, 2},
        {"60", 0, 59, 1},
        {"-11", -10, 10, 1},
        {"9223372036854775808", INT64_MIN, INT64_MAX, 1},
        {"-9223372036854775809", INT64_MIN, INT64_MAX, 1},
        {"99999999999999999999999999", INT64_MIN, INT64_MAX, 1},
        {"18446744073709551617", INT64_MIN, INT64_MAX, 1},
        {"184467440737095516165", INT64_MIN, INT64_MAX, 1}, /* 10 * 2^64 + 5 */
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t value = 77;
        struct error error;
        assert_int_equal(str_to_int(str_from(bad[i].text), bad[i].min, bad[i].max, &value, &error), ERR_INVALID);
        assert_int_equal(error.position, bad[i].position);
        assert_int_equal(value, 77);
    }
}

static void a_number_ends_where_its_slice_ends(void **state)
{
    (void)state;
    int64_t value;

    assert_int_equal(str_to_int((struct str){"1234", 2}, 0, 99, &value, NULL), ERR_OK);
    assert_int_equal(value, 12);
    assert_int_equal(str_to_int(STR("1\0"), 0, 99, &value, NULL), ERR_INVALID);
}

static void messages_carry_no_control_characters(void **state)
{
    (void)state;
    struct error error;
    int64_t value;

    assert_int_equal(str_to_int(STR("\033[2J"), 0, 9, &value, &error), ERR_INVALID);
    assert_string_equal(error.text, "\"\\u001b[2J\" is not a whole number");
}

static void well_formed_utf8_is_decoded(void **state)
{
    (void)state;
    const struct {
        struct str text;
        uint32_t code;
    } good[] = {
        {STR("a"), 'a'},
        {STR("\0"), 0},
        {STR("\x7f"), 0x7f},
        {STR("\xc2\x80"), 0x80},
        {STR("\xdf\xbf"), 0x7ff},
        {STR("\xe0\xa0\x80"), 0x800},
        {STR("\xed\x9f\xbf"), 0xd7ff},
        {STR("\xee\x80\x80"), 0xe000},
        {STR("\xef\xbf\xbf"), 0xffff},
        {STR("\xf0\x90\x80\x80"), 0x10000},
        {STR("\xf4\x8f\xbf\xbf"), 0x10ffff},
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint32_t code = 1;
        assert_int_equal(str_utf8_decode(good[i].text, &code), good[i].text.len);
        assert_int_equal(code, good[i].code);
        assert_true(str_utf8_valid(good[i].text, NULL));
    }
}

static void ill_formed_utf8_is_refused(void **state)
{
    (void)state;
    const struct str bad[] = {
        STR_INIT("\x80"),             /* a continuation alone */
        STR_INIT("\xbf"),             /**/
        STR_INIT("\xc0\x80"),         /* overlong NUL */
        STR_INIT("\xc1\xbf"),         /* overlong */
        STR_INIT("\xe0\x9f\xbf"),     /* overlong */
        STR_INIT("\xf0\x8f\xbf\xbf"), /* overlong */
        STR_INIT("\xed\xa0\x80"),     /* U+D800 */
        STR_INIT("\xed\xbf\xbf"),     /* U+DFFF */
        STR_INIT("\xf4\x90\x80\x80"), /* U+110000 */
        STR_INIT("\xf5\x80\x80\x80"), /**/
        STR_INIT("\xff"),             /**/
        STR_INIT("\xc3"),             /* cut short */
        STR_INIT("\xe2\x82"),         /**/
        STR_INIT("\xf0\x9f\x98"),     /**/
        STR_INIT("\xc3("),            /* no continuation */
        STR_INIT("\xe2\x82("),        /**/
        STR_INIT("\xf0\x9f\x98("),    /**/
    };
    size_t where = 0;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(str_utf8_decode(bad[i], NULL), 0);
        assert_false(str_utf8_valid(bad[i], &where));
        assert_int_equal(where, 0);
    }
    assert_int_equal(str_utf8_decode((struct str){0}, NULL), 0);
    assert_true(str_utf8_valid((struct str){0}, NULL));
    assert_false(str_utf8_valid(STR("gr\xc3\xbc\xc3\x9f\xe9"), &where));
    assert_int_equal(where, 6);
}

/* All of them: every code point has exactly one form, and nothing else of up to three bytes is accepted. */
static void three_bytes_make_as_many_characters_as_there_are(void **state)
{
    (void)state;
    size_t two = 0, three = 0;

    for (uint32_t word = 0; word < 1U << 24; word++) {
        const char bytes[] = {(char)(word >> 16), (char)(word >> 8 & 0xff), (char)(word & 0xff)};
        size_t len = (word >> 16) < 0x80 ? 1 : str_utf8_decode((struct str){bytes, 3}, NULL);
        two += len == 2 && (word & 0xff) == 0;
        three += len == 3;
    }
    assert_int_equal(two, 0x800 - 0x80);
    assert_int_equal(three, 0x10000 - 0x800 - 0x800);
}

static void distance_counts_slips_of_the_keyboard(void **state)
{
    (void)state;
    char longer[STR_DISTANCE_BYTES_MAX + 1];

    assert_int_equal(str_distance(STR(""), STR("")), 0);
    assert_int_equal(str_distance(STR("abc"), STR("")), 3);
    assert_int_equal(str_distance(STR(""), STR("abc")), 3);
    assert_int_equal(str_distance(STR("kitten"), STR("sitting")), 3);
    assert_int_equal(str_distance(STR("timezone"), STR("timezoen")), 1);
    assert_int_equal(str_distance(STR("prioritty"), STR("priority")), 1);
    assert_int_equal(str_distance(STR("Retry"), STR("retry")), 0);
    memset(longer, 'x', sizeof longer);
    assert_int_equal(str_distance(str_from_bytes(longer, sizeof longer - 1), STR("")), STR_DISTANCE_BYTES_MAX);
    assert_true(str_distance(str_from_bytes(longer, sizeof longer), STR("x")) == STR_DISTANCE_FAR);
}

static void the_nearest_word_is_offered_if_it_is_near(void **state)
{
    (void)state;
    const char *const known[] = {"cron", "timezone", "max_attempts", "pool", "at", "q", NULL};

    assert_string_equal(str_nearest(STR("timezon"), known), "timezone");
    assert_string_equal(str_nearest(STR("Corn"), known), "cron");
    assert_string_equal(str_nearest(STR("maxattempts"), known), "max_attempts");
    assert_string_equal(str_nearest(STR("poool"), known), "pool");
    assert_null(str_nearest(STR("labels"), known));
    assert_null(str_nearest(STR("x"), known));
    assert_null(str_nearest(STR(""), known));
}

static void a_word_is_found_by_its_place_in_a_list(void **state)
{
    (void)state;
    static const char *const words[] = {"skip", "queue", NULL};

    assert_int_equal(str_index_in(STR("skip"), words), 0);
    assert_int_equal(str_index_in(STR("queue"), words), 1);
    assert_int_equal(str_index_in(STR("Queue"), words), -1);
    assert_int_equal(str_index_in(STR(""), words), -1);
    assert_int_equal(str_index_in(STR("queues"), words), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_compare_by_their_bytes),
        cmocka_unit_test(slices_sort_by_unsigned_bytes),
        cmocka_unit_test(case_is_ignored_in_ascii_only),
        cmocka_unit_test(beginnings_and_ends_are_found),
        cmocka_unit_test(trim_takes_white_space_off_both_ends),
        cmocka_unit_test(split_counts_empty_pieces),
        cmocka_unit_test(whole_numbers_are_read),
        cmocka_unit_test(what_is_no_whole_number_is_refused),
        cmocka_unit_test(a_number_ends_where_its_slice_ends),
        cmocka_unit_test(messages_carry_no_control_characters),
        cmocka_unit_test(well_formed_utf8_is_decoded),
        cmocka_unit_test(ill_formed_utf8_is_refused),
        cmocka_unit_test(three_bytes_make_as_many_characters_as_there_are),
        cmocka_unit_test(distance_counts_slips_of_the_keyboard),
        cmocka_unit_test(the_nearest_word_is_offered_if_it_is_near),
        cmocka_unit_test(a_word_is_found_by_its_place_in_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
