/* Errors that know what people mean, and that nobody has to listen to. */
#include "calendar_test.h"

#include "calendar/expression.h"

static void assert_zone_hint(const char *name, const char *hint)
{
    const struct zone *zone = NULL;
    struct error error = {0};

    assert_int_equal(zone_cache_get(test_zones, str_from(name), &zone, &error), ERR_UNKNOWN_ZONE);
    assert_contains(error.text, hint);
    assert_contains(error.text, name);
    assert_null(zone);
    assert_int_equal(zone_cache_get(test_zones, str_from(name), &zone, NULL), ERR_UNKNOWN_ZONE);
}

static void letters_that_mean_many_zones_ask_for_a_place(void **state)
{
    (void)state;
    assert_zone_hint("PST", "name a place");
    assert_zone_hint("IST", "name a place");
    assert_zone_hint("CEST", "name a place");
    assert_zone_hint("AB", "name a place");
    /* What is too short or too long for such letters, or has others, is told what a name looks like. */
    assert_zone_hint("Q", "use an IANA name");
    assert_zone_hint("ABCDEF", "use an IANA name");
    assert_zone_hint("GMT+02", "use an IANA name");
    assert_zone_hint("Ab", "use an IANA name");
}

static void copies_and_variants_of_the_zones_are_named_by_their_own_name(void **state)
{
    (void)state;
    assert_zone_hint("right/Europe/Paris", "leave out right/ or posix/");
    assert_zone_hint("posix/Europe/Paris", "leave out right/ or posix/");
    assert_zone_hint("posixrules", "leave out right/ or posix/");
}

static void assert_expression(const char *text, enum err err, int position, const char *hint)
{
    struct expression expression = {0};
    struct error error = {0};

    assert_int_equal(expression_parse(str_from(text), STR("seed"), &expression, &error), err);
    assert_int_equal(error.position, position);
    assert_contains(error.text, hint);
    assert_int_equal(expression_parse(str_from(text), STR("seed"), &expression, NULL), err);
}

static void zones_in_other_spellings_are_told_ours(void **state)
{
    (void)state;
    assert_expression("CRON_TZ=Europe/Paris 0 9 * * *", ERR_INVALID_CRON, 1, "TZID=Europe/Paris:0 9 * * *");
    assert_expression("  cron_tz=UTC 0 9 * * *", ERR_INVALID_CRON, 3, "TZID=");
    assert_expression("TZ=Europe/Paris 0 9 * * *", ERR_INVALID_CRON, 1, "TZID=Europe/Paris:0 9 * * *");
    assert_expression(" tz=UTC * * * * *", ERR_INVALID_CRON, 2, "TZID=");
}

static void positions_count_from_the_beginning_of_the_whole_text(void **state)
{
    (void)state;
    assert_expression("TZID=UTC:61 * * * *", ERR_INVALID_CRON, 10, "61");
    assert_expression("TZID=UTC:@every soon", ERR_INVALID_TIME, 17, "soon");
}

static void quartz_has_no_step_after_names_and_no_range_of_a_name_and_a_number(void **state)
{
    static const struct {
        const char *text, *hint;
    } refused[] = {
        {"0 0 0 ? * MON-FRI/2", "step after names"},
        {"0 0 0 ? * MON/2", "step after names"},
        {"0 0 0 ? * MON-6/2", "two names or two numbers"},
        {"0 0 0 ? * 2-FRI/2", "two names or two numbers"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct error error = {0};
        struct cron cron;

        assert_int_equal(cron_parse(str_from(refused[i].text), STR("seed"), &cron, &error), ERR_INVALID_CRON);
        assert_contains(error.text, refused[i].hint);
    }
    cron_of("0 0 0 ? * 2-6/2");
    cron_of("0 0 0 ? * MON-FRI");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_that_mean_many_zones_ask_for_a_place),
        cmocka_unit_test(copies_and_variants_of_the_zones_are_named_by_their_own_name),
        cmocka_unit_test(zones_in_other_spellings_are_told_ours),
        cmocka_unit_test(positions_count_from_the_beginning_of_the_whole_text),
        cmocka_unit_test(quartz_has_no_step_after_names_and_no_range_of_a_name_and_a_number),
    };

    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
