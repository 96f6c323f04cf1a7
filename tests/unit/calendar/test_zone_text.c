#include "calendar/zone_text.h"

#include "calendar_test.h"

static void rules_read_back_are_the_same_rules(void **state)
{
    static const char *const names[] = {"Europe/Berlin", "America/St_Johns", "Africa/Casablanca",  "Asia/Kolkata",
                                        "UTC",           "Etc/GMT+12",       "Australia/Lord_Howe"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct zone *zone = NULL;
        struct zone *again = NULL;
        struct buf text;

        buf_init(&text, ZONE_TEXT_BYTES_MAX);
        assert_int_equal(zone_cache_get(test_zones, str_from(names[i]), &zone, NULL), ERR_OK);
        zone_text_write(zone, &text);
        assert_false(buf_overflowed(&text));
        assert_int_equal(zone_text_read(str_from(names[i]), buf_str(&text), &again, NULL), ERR_OK);
        assert_true(again->rules_hash == zone->rules_hash);
        assert_string_equal(again->name, names[i]);
        assert_true(zone_same_from(zone, again, INT64_MIN));
        zone_free(again);
        buf_done(&text);
    }
}

static void what_are_no_rules_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "- 3600 0 CET",                              /* a line that does not end */
        "0 3600 0 CET\n",                            /* no beginning */
        "- 3600 0 CET\n- 7200 1 CEST\n",             /* two beginnings */
        "- 3600 0 CET\n5 7200 1 CEST\n5 3600 0 X\n", /* not upwards */
        "- 3600 0 CET\n5 3600 0 CET\n",              /* no change */
        "- 3600 2 CET\n",
        "- 3600 0\n",
        "- x 0 CET\n",
        "- 3600 0 CET more\n",
        "- 3600 0 ABCDEFGHIJKLMNOPQ\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct zone *zone = NULL;
        struct error error;

        assert_int_equal(zone_text_read(STR("Place"), str_from(texts[i]), &zone, &error), ERR_INVALID);
        assert_null(zone);
    }
}

static void zones_are_the_same_from_their_last_difference_on(void **state)
{
    struct zone *a = NULL;
    struct zone *b = NULL;

    (void)state;
    assert_int_equal(zone_text_read(STR("A"), STR("- 0 0 X\n100 60 0 Y\n200 0 0 X\n300 60 0 Y\n"), &a, NULL), ERR_OK);
    assert_int_equal(zone_text_read(STR("A"), STR("- 0 0 X\n150 60 0 Y\n200 0 0 X\n300 60 0 Y\n"), &b, NULL), ERR_OK);
    assert_false(zone_same_from(a, b, 0));
    assert_false(zone_same_from(a, b, 120));
    assert_true(zone_same_from(a, b, 150));
    assert_true(zone_same_from(a, b, 1000));
    zone_free(b);
    assert_int_equal(zone_text_read(STR("A"), STR("- 0 0 X\n100 60 0 Y\n200 0 0 X\n301 60 0 Y\n"), &b, NULL), ERR_OK);
    assert_false(zone_same_from(a, b, 250));
    assert_true(zone_same_from(a, b, 301));
    zone_free(a);
    zone_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_read_back_are_the_same_rules),
        cmocka_unit_test(what_are_no_rules_is_refused),
        cmocka_unit_test(zones_are_the_same_from_their_last_difference_on),
    };

    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
