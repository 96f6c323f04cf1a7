#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/hash.h"

/* Fires and jitter of running installations hang on these: a change here is a bug in the code, not in the test. */
static void values_never_change(void **state)
{
    (void)state;
    unsigned char all[256];

    for (size_t i = 0; i < sizeof all; i++) {
        all[i] = (unsigned char)i;
    }
    assert_true(hash64("", 0, 0) == UINT64_C(0x31fa8be34a4d6cb3));
    assert_true(hash64("a", 1, 0) == UINT64_C(0x6c09a9773fac68d1));
    assert_true(hash64("belfry", 6, 0) == UINT64_C(0xc7d0f246c9fb6351));
    assert_true(hash64("belfry", 6, 1) == UINT64_C(0x231d2ad373f96ffb));
    assert_true(hash64("12345678", 8, 0) == UINT64_C(0x92e2fefb4a076bb8));
    assert_true(hash64("123456789", 9, 0) == UINT64_C(0xb65cbb05117e1540));
    assert_true(hash64("acme/nightly-report", 19, UINT64_MAX) == UINT64_C(0x78177fd6be94d736));
    assert_true(hash64(all, sizeof all, 42) == UINT64_C(0x42362938c4a79ec6));
}

/* From the paper that defines SipHash-2-4: key 00 01 .. 0f, messages of the bytes 0, 1, 2 ... */
static void it_is_siphash_2_4(void **state)
{
    (void)state;
    const uint64_t low = UINT64_C(0x0706050403020100), high = UINT64_C(0x0f0e0d0c0b0a0908);
    const unsigned char message[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

    assert_true(hash64_keyed(message, 0, low, high) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(hash64_keyed(message, 15, low, high) == UINT64_C(0xa129ca6149be45e5));
}

static void nothing_at_all_may_be_null(void **state)
{
    (void)state;
    assert_true(hash64(NULL, 0, 0) == hash64("", 0, 0));
}

static void where_the_bytes_stand_does_not_matter(void **state)
{
    (void)state;
    char shifted[32];

    for (size_t offset = 0; offset < 8; offset++) {
        memcpy(shifted + offset, "acme/nightly-report", 19);
        assert_true(hash64(shifted + offset, 19, UINT64_MAX) == UINT64_C(0x78177fd6be94d736));
    }
}

/* One flipped bit of input changes about half the bits of the result. */
static void one_bit_changes_half_of_the_result(void **state)
{
    (void)state;
    unsigned char key[16] = "0123456789abcde";
    uint64_t before = hash64(key, sizeof key, 7);
    int changed = 0;

    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] = (unsigned char)(key[bit / 8] ^ (1U << bit % 8));
        changed += __builtin_popcountll(before ^ hash64(key, sizeof key, 7));
        key[bit / 8] = (unsigned char)(key[bit / 8] ^ (1U << bit % 8));
    }
    assert_in_range(changed, 128 * 64 * 45 / 100, 128 * 64 * 55 / 100);
}

/* H in a cron expression takes the hash modulo 60: consecutive names must fill all minutes evenly. */
static void a_remainder_is_spread_evenly(void **state)
{
    (void)state;
    int counts[60] = {0};

    for (uint32_t i = 0; i < 60000; i++) {
        counts[hash64(&i, sizeof i, 0) % 60]++;
    }
    for (size_t i = 0; i < 60; i++) {
        assert_in_range(counts[i], 800, 1200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_never_change),
        cmocka_unit_test(it_is_siphash_2_4),
        cmocka_unit_test(nothing_at_all_may_be_null),
        cmocka_unit_test(where_the_bytes_stand_does_not_matter),
        cmocka_unit_test(one_bit_changes_half_of_the_result),
        cmocka_unit_test(a_remainder_is_spread_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
