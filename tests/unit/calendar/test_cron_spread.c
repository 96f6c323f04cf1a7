#include "calendar_test.h"

/* Bits first, first + step and so on up to last. */
static uint64_t bits(int first, int last, int step)
{
    uint64_t mask = 0;

    for (int i = first; i <= last; i += step) {
        mask |= UINT64_C(1) << i;
    }
    return mask;
}

static uint64_t bit(int value)
{
    return UINT64_C(1) << value;
}

static struct cron seeded(const char *text, const char *seed)
{
    struct error error = {0};
    struct cron cron = {0};

    if (cron_parse(str_from(text), str_from(seed), &cron, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return cron;
}

/* Running installations fire at these times: a change here is a bug in the code, not in the test. */
static void the_spread_of_a_seed_never_changes(void **state)
{
    (void)state;
    struct cron cron = seeded("H H H H H", "acme/nightly-report");

    assert_int_equal(cron.minutes, bit(39));
    assert_int_equal(cron.hours, bit(3));
    assert_int_equal(cron.month_days, bit(22));
    assert_int_equal(cron.months, bit(12));
    assert_int_equal(cron.weekdays, bit(2));
    cron = seeded("H H H ? H H", "acme/nightly-report");
    assert_int_equal(cron.seconds, bit(50));
    assert_int_equal(cron.minutes, bit(39));
    assert_int_equal(cron.hours, bit(3));
    assert_int_equal(cron.months, bit(12));
    assert_int_equal(cron.weekdays, bit(2));
    cron = seeded("H H H * H", "default/backup");
    assert_int_equal(cron.minutes, bit(32));
    assert_int_equal(cron.hours, bit(22));
    assert_int_equal(cron.month_days, bit(7));
    assert_int_equal(cron.weekdays, bit(5));
    cron = seeded("H H H H H", "");
    assert_int_equal(cron.minutes, bit(40));
    assert_int_equal(cron.hours, bit(15));
    assert_int_equal(cron.month_days, bit(9));
    assert_int_equal(cron.months, bit(5));
    assert_int_equal(cron.weekdays, bit(6));
}

static void a_spread_in_a_range_or_with_a_step_never_changes_either(void **state)
{
    (void)state;
    assert_int_equal(seeded("H(0-29) * * * *", "acme/nightly-report").minutes, bit(9));
    assert_int_equal(seeded("H/15 * * * *", "acme/nightly-report").minutes, bits(9, 59, 15));
    assert_int_equal(seeded("H(10-40)/7 * * * *", "acme/nightly-report").minutes, bits(12, 40, 7));
    assert_int_equal(seeded("0 H(2-6) * * *", "acme/nightly-report").hours, bit(6));
    assert_int_equal(seeded("0 0 * * H(1-5)", "acme/nightly-report").weekdays, bit(5));
    assert_int_equal(seeded("0 0 H/5 * *", "acme/nightly-report").month_days, bits(2, 28, 5));
    assert_int_equal(seeded("H(0-29) * * * *", "default/backup").minutes, bit(2));
    assert_int_equal(seeded("H(5-5) * * * *", "default/backup").minutes, bit(5));
    assert_int_equal(seeded("H,30 * * * *", "default/backup").minutes, bit(32) | bit(30));
    assert_int_equal(seeded("H(0-4)/10 * * * *", "default/backup").minutes & ~bits(0, 4, 1), 0);
    assert_int_equal(seeded("0 0 1 H(JAN-MAR) *", "default/backup").months & ~bits(1, 3, 1), 0);
}

static void a_spread_stays_in_its_range(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        char seed[32];

        (void)snprintf(seed, sizeof seed, "job-%d", i);
        struct cron cron = seeded("H(20-24) H(0-7) H H H", seed);
        assert_true(cron.minutes != 0 && (cron.minutes & ~bits(20, 24, 1)) == 0);
        assert_true(cron.hours != 0 && (cron.hours & ~bits(0, 7, 1)) == 0);
        /* The 29th to 31st do not come every month. */
        assert_true(cron.month_days != 0 && (cron.month_days & ~bits(1, 28, 1)) == 0);
        assert_true(cron.months != 0 && (cron.months & ~bits(1, 12, 1)) == 0);
        assert_true(cron.weekdays != 0 && (cron.weekdays & ~bits(0, 6, 1)) == 0);
    }
}

static void spreads_are_even_and_fields_do_not_depend_on_each_other(void **state)
{
    (void)state;
    int minutes[60] = {0};
    int same = 0;

    for (int i = 0; i < 6000; i++) {
        char seed[32];

        (void)snprintf(seed, sizeof seed, "job-%d", i);
        struct cron cron = seeded("H H * * * ?", seed);
        minutes[__builtin_ctzll(cron.minutes)]++;
        same += cron.seconds == cron.minutes;
    }
    for (int i = 0; i < 60; i++) {
        assert_in_range(minutes[i], 60, 140);
    }
    assert_in_range(same, 60, 140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spread_of_a_seed_never_changes),
        cmocka_unit_test(a_spread_in_a_range_or_with_a_step_never_changes_either),
        cmocka_unit_test(a_spread_stays_in_its_range),
        cmocka_unit_test(spreads_are_even_and_fields_do_not_depend_on_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
