#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/addresses.h"

static void one_address_is_always_the_next(void **state)
{
    (void)state;
    struct addresses addresses;

    addresses_init(&addresses, STR("http://a:1/"));
    assert_int_equal(addresses.count, 1);
    assert_string_equal(addresses_now(&addresses), "http://a:1");
    addresses_next(&addresses);
    assert_string_equal(addresses_now(&addresses), "http://a:1");
    addresses_done(&addresses);
}

static void several_are_asked_in_turn(void **state)
{
    (void)state;
    struct addresses addresses;

    addresses_init(&addresses, STR("http://a:1, https://b/x// ,http://c"));
    assert_int_equal(addresses.count, 3);
    assert_string_equal(addresses_now(&addresses), "http://a:1");
    addresses_next(&addresses);
    assert_string_equal(addresses_now(&addresses), "https://b/x");
    assert_string_equal(addresses_now(&addresses), "https://b/x"); /* kept as long as it answers */
    addresses_next(&addresses);
    assert_string_equal(addresses_now(&addresses), "http://c");
    addresses_next(&addresses);
    assert_string_equal(addresses_now(&addresses), "http://a:1");
    addresses_done(&addresses);
}

static void more_than_there_is_room_for_are_left_out(void **state)
{
    (void)state;
    struct addresses addresses;

    addresses_init(&addresses, STR("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"));
    assert_int_equal(addresses.count, ADDRESSES_MAX);
    addresses_done(&addresses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_address_is_always_the_next),
        cmocka_unit_test(several_are_asked_in_turn),
        cmocka_unit_test(more_than_there_is_room_for_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
