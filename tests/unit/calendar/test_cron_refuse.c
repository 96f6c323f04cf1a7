#include "calendar_test.h"

struct error_row {
    const char *text;
    int position;
    const char *field; /* its name stands in the error */
    const char *hint;  /* so does this */
};

static void assert_refused(const struct error_row *row)
{
    struct error error = {0};
    struct cron cron = {.day_number = 42};

    if (cron_parse(str_from(row->text), STR("seed"), &cron, &error) != ERR_INVALID_CRON) {
        fail_msg("\"%s\" was not refused", row->text);
    }
    if (error.position != row->position || strstr(error.text, row->field) == NULL ||
        strstr(error.text, row->hint) == NULL) {
        fail_msg("\"%s\": expected an error at %d about \"%s\" with \"%s\", got at %d: %s", row->text, row->position,
                 row->field, row->hint, error.position, error.text);
    }
    assert_int_equal(error.code, ERR_INVALID_CRON);
    assert_int_equal(cron.day_number, 42);
    assert_int_equal(cron_parse(str_from(row->text), STR("seed"), &cron, NULL), ERR_INVALID_CRON);
}

static void assert_all_refused(const struct error_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_refused(&rows[i]);
    }
}

static void values_out_of_range_name_field_position_and_what_is_allowed(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"60 * * * *", 1, "minute field", "0 to 59"},
        {"* 24 * * *", 3, "hour field", "0 to 23"},
        {"* * 0 * *", 5, "day of month field", "1 to 31"},
        {"* * 32 * *", 5, "day of month field", "1 to 31"},
        {"* * * 0 *", 7, "month field", "1 to 12 or JAN to DEC"},
        {"* * * 13 *", 7, "month field", "1 to 12 or JAN to DEC"},
        {"* * * * 8", 9, "day of week field", "0 to 7"},
        {"0,60 * * * *", 3, "minute field", "0 to 59"},
        {"0-60 * * * *", 3, "minute field", "0 to 59"},
        {"  *   24 * * *", 7, "hour field", "0 to 23"},
        {"100000 * * * *", 1, "minute field", "0 to 59"},
        {"99999999999999999999 * * * *", 1, "minute field", "0 to 59"},
        {"60 * * * * ?", 1, "second field", "0 to 59"},
        {"0 60 * * * ?", 3, "minute field", "0 to 59"},
        {"0 0 24 * * ?", 5, "hour field", "0 to 23"},
        {"0 0 0 0 * ?", 7, "day of month field", "1 to 31"},
        {"0 0 0 32 * ?", 7, "day of month field", "L-3"},
        {"0 0 0 ? 13 *", 9, "month field", "JAN to DEC"},
        {"0 0 0 ? * 0", 11, "day of week field", "1 is Sunday"},
        {"0 0 0 ? * 8", 11, "day of week field", "1 to 7"},
        {"0 0 0 ? * * 1969", 13, "year field", "1970 to 2200"},
        {"0 0 0 ? * * 2201", 13, "year field", "1970 to 2200"},
        {"0 0 0 32W * ?", 7, "day of month field", "1 to 31"},
        {"0 0 0 0W * ?", 7, "day of month field", "1 to 31"},
        {"0 0 0 ? * 8L", 11, "day of week field", "1 to 7"},
        {"0 0 0 ? * 0#1", 11, "day of week field", "1 to 7"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void rubbish_after_a_valid_beginning_is_refused(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"5x * * * *", 2, "minute field", "0 to 59"},
        {"*5 * * * *", 2, "minute field", "0 to 59"},
        {"** * * * *", 2, "minute field", "0 to 59"},
        {"*-5 * * * *", 2, "minute field", "0 to 59"},
        {"1-2-3 * * * *", 4, "minute field", "'-'"},
        {"1-5/2/2 * * * *", 6, "minute field", "'/'"},
        {"*/5-7 * * * *", 4, "minute field", "'-'"},
        {"0.5 * * * *", 2, "minute field", "'.'"},
        {"* * * JAN1 *", 10, "month field", "'1'"},
        {"* * * 1JAN *", 8, "month field", "'J'"},
        {"* * * * 1;", 10, "day of week field", "';'"},
        {"* * * * 1\n", 10, "day of week field", ""},
        {"* * * * \x80", 9, "day of week field", ""},
        {"* * * * \x7f", 9, "day of week field", ""},
        {"H5 * * * *", 2, "minute field", "'5'"},
        {"0 0 0 * * ? 2026x", 17, "year field", "1970 to 2200"},
        {"0 0 0 LX * ?", 8, "day of month field", "'X'"},
        {"0 0 0 LWX * ?", 9, "day of month field", "'X'"},
        {"0 0 0 L-3WX * ?", 11, "day of month field", "'X'"},
        {"0 0 0 15WX * ?", 10, "day of month field", "'X'"},
        {"0 0 0 ? * LX", 12, "day of week field", "'X'"},
        {"0 0 0 ? * 6LX", 13, "day of week field", "'X'"},
        {"0 0 0 ? * 6#33", 14, "day of week field", "'3'"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void holes_in_lists_and_ranges_are_refused(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"1,,2 * * * *", 3, "minute field", "0 to 59"},
        {",1 * * * *", 1, "minute field", "0 to 59"},
        {"1, * * * *", 3, "minute field", "the end of the field"},
        {"1- * * * *", 3, "minute field", "the end of the field"},
        {"-1 * * * *", 1, "minute field", "'-'"},
        {"1--5 * * * *", 3, "minute field", "'-'"},
        {"/5 * * * *", 1, "minute field", "'/'"},
        {"0 0 * * 1-", 11, "day of week field", "the end of the field"},
        {"0 0 * * ,", 9, "day of week field", "','"},
        {"1,,2 * * * * ?", 3, "second field", "0 to 59"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void names_that_are_not_known_in_their_field_are_refused(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"MON * * * *", 1, "minute field", "\"MON\""},
        {"* * * XYZ *", 7, "month field", "JAN to DEC"},
        {"* * * MON *", 7, "month field", "\"MON\""},
        {"* * * * JAN", 9, "day of week field", "SUN to SAT"},
        {"* * * JANUARY *", 7, "month field", "\"JANUARY\""},
        {"* * * * MONDAY", 9, "day of week field", "\"MONDAY\""},
        {"* * * J *", 7, "month field", "JAN to DEC"},
        {"* * * * MO", 9, "day of week field", "SUN to SAT"},
        {"* * * * MON-XYZ", 13, "day of week field", "\"XYZ\""},
        {"* * * * FRIL", 9, "day of week field", ""},
        {"* * * JANL *", 7, "month field", "\"JANL\""},
        {"HH * * * *", 1, "minute field", "\"HH\""},
        {"* * * AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA *", 7, "month field", "\"AAAAAAAAAAAAAAAAAAAA\""},
        {"0 0 0 ? * FRIDAY", 11, "day of week field", "\"FRIDAY\""},
        {"0 0 0 ? * XYZL", 11, "day of week field", "\"XYZL\""},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void in_unix_reversed_ranges_say_how_to_write_them(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"* 22-2 * * *", 3, "hour field", "22-23,0-2"},
        {"50-10 * * * *", 1, "minute field", "50-59,0-10"},
        {"* * 20-10 * *", 5, "day of month field", "20-31,1-10"},
        {"* * * DEC-JAN *", 7, "month field", "reversed"},
        {"* * * * 6-2", 9, "day of week field", "reversed"},
        {"* * * * FRI-SUN", 9, "day of week field", "5-7"},
        {"* * * * 5-0", 9, "day of week field", "5-7"},
        {"0 0 0 ? * * 2030-2020", 13, "year field", "reversed"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void steps_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"*/0 * * * *", 3, "minute field", "at least 1"},
        {"*/ * * * *", 3, "minute field", "the end of the field"},
        {"*/-1 * * * *", 3, "minute field", "'-'"},
        {"1-5/ * * * *", 5, "minute field", "the end of the field"},
        {"1-5/0 * * * *", 5, "minute field", "at least 1"},
        {"*/99999999999 * * * *", 3, "minute field", "too large"},
        {"5/15 * * * *", 2, "minute field", "5-59/15"},
        {"* * * JAN/2 *", 10, "month field", "1-12/2"},
        {"*/60 * * * * ?", 3, "second field", "at most 59"},
        {"0 0/60 * * * ?", 5, "minute field", "at most 59"},
        {"0 0 0/24 * * ?", 7, "hour field", "at most 23"},
        {"0 0 0 1/32 * ?", 9, "day of month field", "at most 31"},
        {"0 0 0 1 1/13 ?", 11, "month field", "at most 12"},
        {"0 0 0 ? * 2/8", 13, "day of week field", "at most 7"},
        {"0 0 0 ? * MON-6", 11, "day of week field", "two names or two numbers"},
        {"0 0 0 ? * 2-FRI", 11, "day of week field", "two names or two numbers"},
        {"0 0 0 ? * MON-FRI/2", 18, "day of week field", "names"},
        {"0 0 0 1 JAN/2 ?", 12, "month field", "names"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void errors_show_a_character_as_it_was_written(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"*/x * * * *", 3, "minute field", "'x'"},
        {"5x * * * *", 2, "minute field", "'x'"},
        {"* * * xyz *", 7, "month field", "\"xyz\""},
        {"0 0 0 lx * ?", 8, "day of month field", "'x'"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void what_is_quartz_only_is_refused_in_five_fields(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"* * ? * *", 5, "day of month field", "six or seven fields"},
        {"* * L * *", 5, "day of month field", "six or seven fields"},
        {"* * LW * *", 5, "day of month field", "six or seven fields"},
        {"* * L-3 * *", 5, "day of month field", "six or seven fields"},
        {"* * 15W * *", 7, "day of month field", "six or seven fields"},
        {"* * * * ?", 9, "day of week field", "six or seven fields"},
        {"* * * * L", 9, "day of week field", "six or seven fields"},
        {"* * * * 5L", 10, "day of week field", "six or seven fields"},
        {"* * * * 5#3", 10, "day of week field", "six or seven fields"},
        {"* * * * FRI#3", 12, "day of week field", "six or seven fields"},
        {"? * * * *", 1, "minute field", "'?'"},
        {"L * * * *", 1, "minute field", "\"L\""},
        {"0#1 * * * *", 2, "minute field", "'#'"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void special_days_of_quartz_stand_alone(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"0 0 0 ? * ?", 11, "day of week field", "only one of"},
        {"0 0 0 1 * MON", 11, "day of week field", "write ? in one of them"},
        {"0 0 0 L * 6L", 11, "day of week field", "write ? in one of them"},
        {"0 0 0 L,15 * ?", 8, "day of month field", "alone"},
        {"0 0 0 15,L * ?", 10, "day of month field", "alone"},
        {"0 0 0 15W,16 * ?", 10, "day of month field", "alone"},
        {"0 0 0 16,15W * ?", 12, "day of month field", "in no list or range"},
        {"0 0 0 1-15W * ?", 11, "day of month field", "in no list or range"},
        {"0 0 0 W * ?", 7, "day of month field", "behind one day of month"},
        {"0 0 0 ?,1 * ?", 7, "day of month field", "alone"},
        {"0 0 0 1,? * *", 9, "day of month field", "alone"},
        {"0 0 0 L-31 * ?", 9, "day of month field", "0 to 30"},
        {"0 0 0 L-999999999999 * ?", 9, "day of month field", "0 to 30"},
        {"0 0 0 L- * ?", 9, "day of month field", "0 to 30"},
        {"0 0 0 L-x * ?", 9, "day of month field", "0 to 30"},
        {"0 0 0 ? * L,2", 12, "day of week field", "alone"},
        {"0 0 0 ? * 6L,2", 13, "day of week field", "alone"},
        {"0 0 0 ? * 2,6L", 14, "day of week field", "in no list or range"},
        {"0 0 0 ? * 2-6#3", 14, "day of week field", "in no list or range"},
        {"0 0 0 ? * 6#0", 13, "day of week field", "1 to 5"},
        {"0 0 0 ? * 6#6", 13, "day of week field", "1 to 5"},
        {"0 0 0 ? * 6#", 13, "day of week field", "1 to 5"},
        {"0 0 0 ? * #3", 11, "day of week field", "between one weekday and a number"},
        {"0 0 0 15L * ?", 9, "day of month field", "in no list or range"},
        {"0 0 0 ? * 6W", 12, "day of week field", "in no list or range"},
        {"0 0 ? * * ?", 5, "hour field", "'?'"},
        {"0 0 0 ? * * ?", 13, "year field", "'?'"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void spreads_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"H( * * * *", 3, "minute field", "0 to 59"},
        {"H() * * * *", 3, "minute field", "0 to 59"},
        {"H(5 * * * *", 4, "minute field", "H(0-29)"},
        {"H(5) * * * *", 4, "minute field", "H(0-29)"},
        {"H(0- * * * *", 5, "minute field", "0 to 59"},
        {"H(0-29 * * * *", 7, "minute field", "')'"},
        {"H(29-0) * * * *", 3, "minute field", "reversed"},
        {"H(0-60) * * * *", 5, "minute field", "0 to 59"},
        {"H(0-29)/0 * * * *", 9, "minute field", "at least 1"},
        {"H/ * * * *", 3, "minute field", "the end of the field"},
        {"H- * * * *", 2, "minute field", "'-'"},
        {"0 0 0 * * ? H", 13, "year field", "H"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void an_expression_has_five_six_or_seven_fields(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"", 1, "empty", "five fields"},
        {" \t ", 1, "empty", "five fields"},
        {"*", 2, "found 1 field;", "five"},
        {"* * * *", 8, "found 4 fields", "minute, hour, day of month, month, day of week"},
        {"0 0 0 * * ? 2026 *", 19, "found 8 fields", "Quartz"},
        {"0 0 0 * * ? 2026 * * * * * * * * * *", 37, "found 17 fields", "Quartz"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void unknown_macros_are_refused(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"@", 1, "@", "@daily"},
        {"@dayly", 1, "\"@dayly\"", "@daily"},
        {"@daily x", 8, "@daily", "stands alone"},
        {"@reboot", 1, "@reboot", "names no time"},
        {"@daily @daily", 8, "@daily", "stands alone"},
    };

    assert_all_refused(rows, COUNT_OF(rows));
}

static void expressions_longer_than_any_honest_one_are_refused(void **state)
{
    (void)state;
    char text[CRON_EXPR_BYTES_MAX + 2];
    struct error error = {0};
    struct cron cron;

    memset(text, ' ', sizeof text);
    memcpy(text, "* * * * *", 9);
    assert_int_equal(cron_parse(str_from_bytes(text, CRON_EXPR_BYTES_MAX), STR(""), &cron, &error), ERR_OK);
    assert_int_equal(cron_parse(str_from_bytes(text, CRON_EXPR_BYTES_MAX + 1), STR(""), &cron, &error), ERR_TOO_LARGE);
    assert_contains(error.text, "1024");
    assert_int_equal(error.position, CRON_EXPR_BYTES_MAX + 1);
}

static void a_slice_is_not_read_past_its_end(void **state)
{
    (void)state;
    struct cron cron;

    assert_int_equal(cron_parse(str_from_bytes("1 2 3 4 50", 9), STR(""), &cron, NULL), ERR_OK);
    assert_int_equal(cron.weekdays, 1 << 5);
    assert_int_equal(cron_parse(str_from_bytes("1 2 3 4 5\0", 10), STR(""), &cron, NULL), ERR_INVALID_CRON);
    assert_int_equal(cron_parse((struct str){NULL, 0}, STR(""), &cron, NULL), ERR_INVALID_CRON);
}

static void expressions_that_can_never_fire_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int position;
    } rows[] = {
        {"0 0 30 2 *", 5},          {"0 0 31 2 *", 5},
        {"0 0 31 2,4,6,9,11 *", 5}, {"0 0 31 FEB,APR *", 5},
        {"* * 30,31 2 *", 5},       {"0 0 30 2 */2", 5},
        {"0 0 0 30 2 ?", 7},        {"0 0 0 29 2 ? 2025", 7},
        {"0 0 0 29 2 ? 2100", 7},   {"0 0 0 29 2 ? 2025-2027", 7},
        {"0 0 0 31W 4 ?", 7},       {"0 0 0 30W 2 ?", 7},
        {"0 0 0 L-29 2 ?", 7},      {"0 0 0 L-30 2,4 ?", 7},
        {"0 0 0 L-30W 4 ?", 7},     {"0 0 0 ? 2 6#5 2025-2031", 7},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error error = {0};
        struct cron cron;

        if (cron_parse(str_from(rows[i].text), STR(""), &cron, &error) != ERR_NEVER_FIRES) {
            fail_msg("\"%s\" was not refused", rows[i].text);
        }
        assert_int_equal(error.position, rows[i].position);
        assert_contains(error.text, "never fire");
    }
}

/* Nothing but arithmetic bounds the search: a million-fold slower one would not come back here. */
static void hopeless_expressions_are_refused_at_once(void **state)
{
    (void)state;
    struct cron cron;

    for (int i = 0; i < 2000; i++) {
        assert_int_equal(cron_parse(STR("0-59 0-23 31 2,4,6,9,11 *"), STR(""), &cron, NULL), ERR_NEVER_FIRES);
        assert_int_equal(cron_parse(STR("* * * 31W 2,4,6,9,11 ?"), STR(""), &cron, NULL), ERR_NEVER_FIRES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_out_of_range_name_field_position_and_what_is_allowed),
        cmocka_unit_test(rubbish_after_a_valid_beginning_is_refused),
        cmocka_unit_test(holes_in_lists_and_ranges_are_refused),
        cmocka_unit_test(names_that_are_not_known_in_their_field_are_refused),
        cmocka_unit_test(in_unix_reversed_ranges_say_how_to_write_them),
        cmocka_unit_test(steps_that_make_no_sense_are_refused),
        cmocka_unit_test(errors_show_a_character_as_it_was_written),
        cmocka_unit_test(what_is_quartz_only_is_refused_in_five_fields),
        cmocka_unit_test(special_days_of_quartz_stand_alone),
        cmocka_unit_test(spreads_that_make_no_sense_are_refused),
        cmocka_unit_test(an_expression_has_five_six_or_seven_fields),
        cmocka_unit_test(unknown_macros_are_refused),
        cmocka_unit_test(expressions_longer_than_any_honest_one_are_refused),
        cmocka_unit_test(a_slice_is_not_read_past_its_end),
        cmocka_unit_test(expressions_that_can_never_fire_are_refused),
        cmocka_unit_test(hopeless_expressions_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
