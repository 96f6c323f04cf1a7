#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "server/listen.h"

static void want(const char *text, const char *address, unsigned port, bool is_loopback, const char *url)
{
    struct listen_place place;
    struct error error;
    char written[LISTEN_URL_BYTES];

    if (listen_parse(str_from(text), &place, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_string_equal(place.address, address);
    assert_int_equal(place.port, port);
    assert_int_equal(place.is_loopback, is_loopback);
    listen_url(&place, place.port, written);
    assert_string_equal(written, url);
}

static void an_address_and_a_port_are_read(void **state)
{
    (void)state;
    want("127.0.0.1:7600", "127.0.0.1", 7600, true, "http://127.0.0.1:7600");
    want("127.9.9.9:0", "127.9.9.9", 0, true, "http://127.9.9.9:0");
    want("localhost:80", "127.0.0.1", 80, true, "http://127.0.0.1:80");
    want("[::1]:7600", "::1", 7600, true, "http://[::1]:7600");
    want("10.1.2.3:65535", "10.1.2.3", 65535, false, "http://10.1.2.3:65535");
}

static void all_addresses_are_reached_over_the_loopback_one(void **state)
{
    (void)state;
    want("0.0.0.0:7600", "0.0.0.0", 7600, false, "http://127.0.0.1:7600");
    want("[::]:7600", "::", 7600, false, "http://[::1]:7600");
}

static void anything_else_is_refused_with_an_example(void **state)
{
    (void)state;
    const char *const wrong[] = {
        "",       "7600",         ":7600",    "127.0.0.1", "127.0.0.1:",   "::1:7600", "[::1]", "127.0.0.1:65536",
        "host:1", "127.0.0.1:-1", "1.2.3:80", "[::1:7600", "127.0.0.1: 80"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct listen_place place;
        struct error error;

        assert_int_equal(listen_parse(str_from(wrong[i]), &place, &error), ERR_INVALID);
        assert_non_null(strstr(error.text, "127.0.0.1:7600"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_and_a_port_are_read),
        cmocka_unit_test(all_addresses_are_reached_over_the_loopback_one),
        cmocka_unit_test(anything_else_is_refused_with_an_example),
    };

    return cmocka_run_group_tests_name("server/listen", tests, NULL, NULL);
}
