#include "api/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_of_the_loopback_are_known_with_any_port(void **state)
{
    static const char *const own[] = {"localhost",      "LocalHost:7600", "127.0.0.1", "127.0.0.1:1",
                                      "127.8.9.1:7600", "[::1]",          "[::1]:7600"};

    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        assert_true(origin_is_loopback(str_from(own[i])));
    }
}

static void every_other_name_is_somebody_elses(void **state)
{
    static const char *const others[] = {"",
                                         "evil.example",
                                         "evil.example:7600",
                                         "localhost.evil.example",
                                         "127.0.0.1.evil.example:7600",
                                         "127.0.0.1:7600.evil.example",
                                         "128.0.0.1",
                                         "0.0.0.0:7600",
                                         "[::1].evil.example",
                                         "[::2]:7600",
                                         "::1",
                                         ":7600",
                                         "localhost:evil"};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(origin_is_loopback(str_from(others[i])));
    }
}

static void pages_are_own_where_host_and_port_are_the_same(void **state)
{
    const struct str host = STR("localhost:7600");

    (void)state;
    assert_true(origin_is_own(STR("http://localhost:7600"), host));
    assert_true(origin_is_own(STR("https://localhost:7600"), host));
    assert_false(origin_is_own(STR("http://localhost:3000"), host));
    assert_false(origin_is_own(STR("http://127.0.0.1:7600"), host));
    assert_false(origin_is_own(STR("http://evil.example"), host));
    assert_false(origin_is_own(STR("null"), host));
    assert_false(origin_is_own(STR("localhost:7600"), host));
    assert_false(origin_is_own(STR("http://"), STR("")));
    assert_false(origin_is_own(STR(""), host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_loopback_are_known_with_any_port),
        cmocka_unit_test(every_other_name_is_somebody_elses),
        cmocka_unit_test(pages_are_own_where_host_and_port_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
