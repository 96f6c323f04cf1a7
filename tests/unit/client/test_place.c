#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "client/place.h"

static void the_data_folder_is_found_in_its_order(void **state)
{
    (void)state;
    struct place_surroundings around = {
        .belfry_data = "/env", .xdg_data_home = "/xdg", .home = "/home/ada", .is_root = true};
    char path[PLACE_PATH_BYTES_MAX];
    struct error error;

    assert_int_equal(place_data("/given", &around, path, &error), ERR_OK);
    assert_string_equal(path, "/given");
    assert_int_equal(place_data(NULL, &around, path, &error), ERR_OK);
    assert_string_equal(path, "/env");
    around.belfry_data = "";
    assert_int_equal(place_data(NULL, &around, path, &error), ERR_OK);
    assert_string_equal(path, "/var/lib/belfry");
    around.is_root = false;
    assert_int_equal(place_data(NULL, &around, path, &error), ERR_OK);
    assert_string_equal(path, "/xdg/belfry");
    around.xdg_data_home = NULL;
    assert_int_equal(place_data("", &around, path, &error), ERR_OK);
    assert_string_equal(path, "/home/ada/.local/share/belfry");
    around.home = NULL;
    assert_int_equal(place_data(NULL, &around, path, &error), ERR_INVALID);
}

static void the_server_is_found_in_its_order(void **state)
{
    (void)state;
    struct place_wishes wishes = {.url = "https://a.example/belfry//"};
    struct place_surroundings around = {.belfry_url = "http://b.example:1", .belfry_token = "bf_x"};
    struct place_found found;
    struct error error;

    assert_int_equal(place_find(&wishes, &around, &found, &error), ERR_OK);
    assert_string_equal(found.url, "https://a.example/belfry");
    assert_string_equal(found.token, "bf_x");
    wishes.url = NULL;
    assert_int_equal(place_find(&wishes, &around, &found, &error), ERR_OK);
    assert_string_equal(found.url, "http://b.example:1");
    around.belfry_url = NULL;
    assert_int_equal(place_find(&wishes, &around, &found, &error), ERR_OK);
    assert_string_equal(found.url, PLACE_URL_DEFAULT);
}

static void several_servers_are_named_with_commas(void **state)
{
    (void)state;
    static const char *const bad[] = {"http://a,b", "http://a,,http://b", "http://a,http:// b", ","};
    struct place_wishes wishes = {.url = "http://a:1/, https://b//"};
    struct place_surroundings around = {.belfry_token = "bf_x"};
    struct place_found found;
    struct error error;

    assert_int_equal(place_find(&wishes, &around, &found, &error), ERR_OK);
    assert_string_equal(found.url, "http://a:1,https://b");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wishes.url = bad[i];
        if (place_find(&wishes, &around, &found, &error) != ERR_INVALID) {
            fail_msg("%s", bad[i]);
        }
    }
    assert_true(place_is_local("http://127.0.0.1:1,http://localhost:2"));
    assert_false(place_is_local("http://127.0.0.1:1,http://a.example")); /* its token goes to none of them */
}

static void this_machine_is_told_from_others(void **state)
{
    (void)state;
    static const char *const here[] = {"http://127.0.0.1:7600", "http://127.1.2.3", "http://localhost:1/x",
                                       "https://LOCALHOST", "http://[::1]:7600"};
    static const char *const elsewhere[] = {"http://a.example",         "http://127.0.0.1.example",
                                            "http://localhost.example", "http://127.0.0.1@a.example/",
                                            "http://10.0.0.1",          "http://[::2]"};

    for (size_t i = 0; i < sizeof here / sizeof here[0]; i++) {
        assert_true(place_is_local(here[i]));
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        assert_false(place_is_local(elsewhere[i]));
    }
}

static void the_local_token_goes_nowhere_else_unasked(void **state)
{
    (void)state;
    const struct place_wishes wishes = {.url = "http://a.example"};
    const struct place_surroundings around = {.home = "/nonexistent"};
    struct place_found found;
    struct error error;

    assert_int_equal(place_find(&wishes, &around, &found, &error), ERR_OK);
    assert_string_equal(found.token, "");
    assert_null(strstr(found.note, "/nonexistent")); /* the folder was not even looked into */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_folder_is_found_in_its_order),     cmocka_unit_test(the_server_is_found_in_its_order),
        cmocka_unit_test(several_servers_are_named_with_commas),     cmocka_unit_test(this_machine_is_told_from_others),
        cmocka_unit_test(the_local_token_goes_nowhere_else_unasked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
