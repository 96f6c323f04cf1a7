#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "worker/address.h"

static bool is_global(const char *text)
{
    struct sockaddr_storage storage = {0};
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
        memcpy(&storage, &in, sizeof in);
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
        memcpy(&storage, &in6, sizeof in6);
    }
    return address_is_global((const struct sockaddr *)&storage);
}

static void the_open_internet_is_global(void **state)
{
    static const char *const open[] = {
        "1.1.1.1",         "9.255.255.255",        "11.0.0.0",    "100.63.255.255",
        "100.128.0.0",     "126.255.255.255",      "128.0.0.0",   "169.253.255.255",
        "169.255.0.0",     "172.15.255.255",       "172.32.0.0",  "192.0.1.0",
        "192.167.255.255", "192.169.0.0",          "198.17.0.0",  "198.20.0.0",
        "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::", "2001:4860:4860::8888"};

    (void)state;
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        assert_true(is_global(open[i]));
    }
}

static void both_ends_of_each_special_range_are_not(void **state)
{
    static const char *const special[] = {"0.0.0.0",
                                          "0.255.255.255",
                                          "10.0.0.0",
                                          "10.255.255.255",
                                          "100.64.0.0",
                                          "100.127.255.255",
                                          "127.0.0.1",
                                          "127.255.255.255",
                                          "169.254.0.0",
                                          "169.254.169.254",
                                          "169.254.255.255",
                                          "172.16.0.0",
                                          "172.31.255.255",
                                          "192.0.0.1",
                                          "192.0.2.255",
                                          "192.88.99.1",
                                          "192.168.0.0",
                                          "192.168.255.255",
                                          "198.18.0.0",
                                          "198.19.255.255",
                                          "198.51.100.7",
                                          "203.0.113.255",
                                          "224.0.0.1",
                                          "239.255.255.255",
                                          "240.0.0.0",
                                          "255.255.255.255",
                                          "::",
                                          "::1",
                                          "::ffff:8.8.8.8",
                                          "::ffff:127.0.0.1",
                                          "64:ff9b::1",
                                          "64:ff9b:1::1",
                                          "100::1",
                                          "2001::1",
                                          "2001:db8::1",
                                          "2002:7f00:1::",
                                          "fc00::1",
                                          "fd00:ec2::254",
                                          "fe80::1",
                                          "fec0::1",
                                          "ff02::1",
                                          "3fff::1"};

    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (is_global(special[i])) {
            fail_msg("%s is not global", special[i]);
        }
    }
}

static void what_is_no_ip_address_is_not(void **state)
{
    struct sockaddr local = {.sa_family = AF_UNIX};

    (void)state;
    assert_false(address_is_global(&local));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_open_internet_is_global),
        cmocka_unit_test(both_ends_of_each_special_range_are_not),
        cmocka_unit_test(what_is_no_ip_address_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
