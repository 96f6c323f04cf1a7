#include "calendar_test.h"

#include "calendar/expression.h"

static struct expression expression_of(const char *text)
{
    struct error error = {0};
    struct expression expression = {0};

    if (expression_parse(str_from(text), STR("seed"), &expression, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return expression;
}

static void a_cron_expression_is_an_expression(void **state)
{
    (void)state;
    struct expression expression = expression_of("0 9 * * MON-FRI");

    assert_int_equal(expression.kind, EXPRESSION_CRON);
    assert_string_equal(expression.zone, "");
    assert_int_equal(expression.zone_position, 0);
    assert_int_equal(expression.cron.dialect, CRON_UNIX);
    assert_int_equal(expression.cron.hours, 1 << 9);
    assert_int_equal(expression_of("0 0 9 ? * 6L").cron.day_rule, CRON_DAY_LAST_OF);
    assert_int_equal(expression_of("@daily").cron.hours, 1);
}

static void it_may_begin_with_its_zone(void **state)
{
    (void)state;
    struct expression expression = expression_of("TZID=America/New_York:0 9 * * MON-FRI");

    assert_int_equal(expression.kind, EXPRESSION_CRON);
    assert_string_equal(expression.zone, "America/New_York");
    assert_int_equal(expression.zone_position, 6);
    assert_int_equal(expression.cron.hours, 1 << 9);
    assert_string_equal(expression_of("TZID=UTC: @daily").zone, "UTC");
    assert_string_equal(expression_of("TZID=No/Such_Zone:@hourly").zone, "No/Such_Zone"); /* not looked up here */
}

static void the_seed_spreads_h(void **state)
{
    (void)state;
    struct expression expression;

    assert_int_equal(expression_parse(STR("TZID=UTC:H H * * *"), STR("acme/nightly-report"), &expression, NULL),
                     ERR_OK);
    assert_int_equal(expression.cron.minutes, UINT64_C(1) << 39);
    assert_int_equal(expression.cron.hours, 1 << 3);
}

static void an_interval_is_an_expression(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t ms;
    } rows[] = {
        {"@every 90s", 90000},         {"@every 1h30m", 5400000},   {"@every\t5m", 300000},
        {"@EVERY 10ms", EVERY_MIN_MS}, {"@every   1d  ", 86400000}, {"@every 36600d", DURATION_MAX_MS},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct expression expression = expression_of(rows[i].text);

        assert_int_equal(expression.kind, EXPRESSION_EVERY);
        assert_int_equal(expression.every_ms, rows[i].ms);
    }
    assert_string_equal(expression_of("TZID=Europe/Paris:@every 5m").zone, "Europe/Paris");
    assert_int_equal(expression_of("TZID=Europe/Paris:@every 5m").every_ms, 300000);
}

struct error_row {
    const char *text;
    enum err code;
    int position;
    const char *hint;
};

static void errors_point_into_the_whole_text(void **state)
{
    (void)state;
    const struct error_row rows[] = {
        {"", ERR_INVALID_CRON, 1, "empty"},
        {"* 24 * * *", ERR_INVALID_CRON, 3, "hour field"},
        {"TZID=UTC:* 24 * * *", ERR_INVALID_CRON, 12, "hour field"},
        {"TZID=UTC:", ERR_INVALID_CRON, 10, "empty"},
        {"TZID=UTC:0 0 30 2 *", ERR_NEVER_FIRES, 14, "never fire"},
        {"TZID=UTC:@dayly", ERR_INVALID_CRON, 10, "@daily"},
        {"@every", ERR_INVALID_TIME, 7, "not a duration"},
        {"@every ", ERR_INVALID_TIME, 8, "not a duration"},
        {"@every x", ERR_INVALID_TIME, 8, "not a duration"},
        {"@every  1h5", ERR_INVALID_TIME, 11, "not a duration"},
        {"@every 36601d", ERR_INVALID_TIME, 8, "100 years"},
        {"TZID=UTC:@every 5x", ERR_INVALID_TIME, 17, "not a duration"},
        {"@every 0s", ERR_INVALID_TIME, 8, "at least 10ms"},
        {"@every 9ms", ERR_INVALID_TIME, 8, "at least 10ms"},
        {"TZID=UTC:@every 9ms", ERR_INVALID_TIME, 17, "at least 10ms"},
        {"@every5m", ERR_INVALID_CRON, 1, "@every 90s"},
        {"@everyday", ERR_INVALID_CRON, 1, "@every 90s"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error error = {0};
        struct expression expression = {.zone_position = 42};
        enum err err = expression_parse(str_from(rows[i].text), STR(""), &expression, &error);

        if (err != rows[i].code || error.position != rows[i].position) {
            fail_msg("\"%s\": expected error %d at %d, got %d at %d: %s", rows[i].text, (int)rows[i].code,
                     rows[i].position, (int)err, error.position, error.text);
        }
        assert_contains(error.text, rows[i].hint);
        assert_int_equal(expression.zone_position, 42);
        assert_int_equal(expression_parse(str_from(rows[i].text), STR(""), &expression, NULL), rows[i].code);
    }
}

static void a_zone_prefix_needs_a_zone_and_a_colon(void **state)
{
    (void)state;
    struct error error = {0};
    struct expression expression;
    char text[256];

    assert_int_equal(expression_parse(STR("TZID=UTC 0 9 * * *"), STR(""), &expression, &error), ERR_INVALID_CRON);
    assert_contains(error.text, "colon");
    assert_int_equal(error.position, 9);
    assert_int_equal(expression_parse(STR("TZID=:0 9 * * *"), STR(""), &expression, &error), ERR_UNKNOWN_ZONE);
    assert_int_equal(error.position, 6);
    (void)snprintf(text, sizeof text, "TZID=%0*d:0 9 * * *", ZONE_NAME_BYTES_MAX, 0);
    assert_int_equal(strlen(expression_of(text).zone), ZONE_NAME_BYTES_MAX);
    (void)snprintf(text, sizeof text, "TZID=%0*d:0 9 * * *", ZONE_NAME_BYTES_MAX + 1, 0);
    assert_int_equal(expression_parse(str_from(text), STR(""), &expression, &error), ERR_UNKNOWN_ZONE);
    assert_int_equal(error.position, 6);
    assert_int_equal(expression_parse(str_from_bytes("TZID=UT\0C:0 9 * * *", 19), STR(""), &expression, &error),
                     ERR_UNKNOWN_ZONE);
    assert_int_equal(expression_parse(STR("0 9 * * * TZID=UTC:"), STR(""), &expression, &error), ERR_INVALID_CRON);
}

static void texts_longer_than_any_honest_one_are_refused(void **state)
{
    (void)state;
    char text[CRON_EXPR_BYTES_MAX + 2];
    struct error error = {0};
    struct expression expression;

    memset(text, ' ', sizeof text);
    memcpy(text, "* * * * *", 9);
    assert_int_equal(expression_parse(str_from_bytes(text, CRON_EXPR_BYTES_MAX), STR(""), &expression, &error), ERR_OK);
    assert_int_equal(expression_parse(str_from_bytes(text, CRON_EXPR_BYTES_MAX + 1), STR(""), &expression, &error),
                     ERR_TOO_LARGE);
    assert_int_equal(error.position, CRON_EXPR_BYTES_MAX + 1);
}

static void a_slice_is_not_read_past_its_end(void **state)
{
    (void)state;
    const char *text = "TZID=UTC:@every 90s";
    SCOPE_FREE char *copy = NULL;

    for (size_t len = 0; len < strlen(text); len++) {
        struct expression expression;

        mem_free(copy);
        copy = mem_dup(text, len);
        enum err err = expression_parse(str_from_bytes(copy, len), STR(""), &expression, NULL);
        assert_true(err == ERR_INVALID_CRON || err == ERR_INVALID_TIME);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cron_expression_is_an_expression),
        cmocka_unit_test(it_may_begin_with_its_zone),
        cmocka_unit_test(the_seed_spreads_h),
        cmocka_unit_test(an_interval_is_an_expression),
        cmocka_unit_test(errors_point_into_the_whole_text),
        cmocka_unit_test(a_zone_prefix_needs_a_zone_and_a_colon),
        cmocka_unit_test(texts_longer_than_any_honest_one_are_refused),
        cmocka_unit_test(a_slice_is_not_read_past_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
