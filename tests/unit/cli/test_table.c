#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/table.h"

static const struct column columns[] = {{"NAME", .can_shrink = true},
                                        {"N", .is_right = true},
                                        {"NOTE", .is_optional = true},
                                        {"TEXT", .can_shrink = true},
                                        {0}};

static void put_row(struct table *table, const char *name, int number, const char *note, const char *text)
{
    table_put(table, str_from(name));
    table_printf(table, STYLE_PLAIN, "%d", number);
    table_put(table, str_from(note));
    table_put(table, str_from(text));
}

static void assert_table(const struct table *table, int width, const char *wanted)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 4096);
    table_render(table, width, false, true, &out);
    assert_string_equal(buf_text(&out), wanted);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    (void)state;
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    put_row(&table, "a", 5, "", "x");
    put_row(&table, "gr\xc3\xbc\xc3\x9f", 1234, "note", "");
    assert_table(&table, TERM_WIDE,
                 "NAME     N  NOTE  TEXT\n"
                 "a        5        x\n"
                 "gr\xc3\xbc\xc3\x9f  1234  note\n");
    assert_int_equal(table_rows(&table), 2);
}

static void optional_columns_go_first_where_there_is_no_room(void **state)
{
    (void)state;
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    put_row(&table, "abcdefgh", 5, "note", "0123456789");
    assert_table(&table, 29, "NAME      N  NOTE  TEXT\nabcdefgh  5  note  0123456789\n");
    assert_table(&table, 28, "NAME      N  TEXT\nabcdefgh  5  0123456789\n");
}

static void the_widest_column_shrinks_and_what_is_cut_says_so(void **state)
{
    (void)state;
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    put_row(&table, "abcdefgh", 5, "note", "0123456789");
    assert_table(&table, 20, "NAME     N  TEXT\nabcdef\xe2\x80\xa6  5  0123456\xe2\x80\xa6\n");
    assert_table(&table, 17, "NAME    N  TEXT\nabcde\xe2\x80\xa6  5  01234\xe2\x80\xa6\n");
    assert_table(&table, 5, "NAME    N  TEXT\nabcde\xe2\x80\xa6  5  01234\xe2\x80\xa6\n");
}

static void nothing_in_a_cell_moves_a_cursor(void **state)
{
    (void)state;
    static const struct column one[] = {{"T"}, {0}};
    SCOPE(table_done) struct table table;

    table_init(&table, one);
    table_put(&table, STR("a\033[31m\nb\"\\"));
    assert_table(&table, TERM_WIDE, "T\na\\u001b[31m\\nb\"\\\n");
}

static void colours_take_no_room(void **state)
{
    (void)state;
    static const struct column two[] = {{"A"}, {"B"}, {0}};
    SCOPE(table_done) struct table table;
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 4096);
    table_init(&table, two);
    table_put_style(&table, STYLE_BAD, STR("dead"));
    table_put(&table, STR("x"));
    table_render(&table, TERM_WIDE, true, false, &out);
    assert_string_equal(buf_text(&out), "\033[31mdead\033[0m  x\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(optional_columns_go_first_where_there_is_no_room),
        cmocka_unit_test(the_widest_column_shrinks_and_what_is_cut_says_so),
        cmocka_unit_test(nothing_in_a_cell_moves_a_cursor),
        cmocka_unit_test(colours_take_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
