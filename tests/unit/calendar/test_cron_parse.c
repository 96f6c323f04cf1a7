#include "calendar_test.h"

#define ALL_SECONDS ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS 0xffffffU
#define ALL_MONTH_DAYS 0xfffffffeU
#define ALL_MONTHS 0x1ffeU
#define ALL_WEEKDAYS 0x7fU

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

static bool has_year(const struct cron *cron, int year)
{
    int n = year - CRON_YEAR_BASE;

    return (cron->years[n / 64] >> (n % 64) & 1) == 1;
}

struct mask_row {
    const char *text;
    uint64_t mask;
};

static void five_fields_are_minute_hour_day_month_weekday(void **state)
{
    (void)state;
    struct cron cron = cron_of("1 2 3 4 5");

    assert_int_equal(cron.dialect, CRON_UNIX);
    assert_int_equal(cron.seconds, bit(0));
    assert_int_equal(cron.minutes, bit(1));
    assert_int_equal(cron.hours, bit(2));
    assert_int_equal(cron.month_days, bit(3));
    assert_int_equal(cron.months, bit(4));
    assert_int_equal(cron.weekdays, bit(5));
    assert_true(has_year(&cron, 1969) && has_year(&cron, 1970) && has_year(&cron, 2200) && has_year(&cron, 2201));
}

static void six_fields_begin_with_the_second(void **state)
{
    (void)state;
    struct cron cron = cron_of("1 2 3 4 5 ?");

    assert_int_equal(cron.dialect, CRON_QUARTZ);
    assert_int_equal(cron.seconds, bit(1));
    assert_int_equal(cron.minutes, bit(2));
    assert_int_equal(cron.hours, bit(3));
    assert_int_equal(cron.month_days, bit(4));
    assert_int_equal(cron.months, bit(5));
    assert_int_equal(cron.weekdays, ALL_WEEKDAYS);
    assert_int_equal(cron.day_rule, CRON_DAY_BOTH);
    assert_true(has_year(&cron, 1969) && has_year(&cron, 2201));
}

static void seven_fields_end_with_the_year(void **state)
{
    (void)state;
    struct cron cron = cron_of("1 2 3 ? 5 6 2027");

    assert_int_equal(cron.dialect, CRON_QUARTZ);
    assert_int_equal(cron.month_days, ALL_MONTH_DAYS);
    assert_int_equal(cron.weekdays, bit(5)); /* 6 is Friday */
    for (int year = CRON_YEAR_BASE; year <= YEAR_MAX + 1; year++) {
        assert_int_equal(has_year(&cron, year), year == 2027);
    }
}

static void fields_hold_stars_values_ranges_steps_and_lists(void **state)
{
    (void)state;
    const struct mask_row rows[] = {
        {"*", ALL_SECONDS},
        {"0", bit(0)},
        {"59", bit(59)},
        {"07", bit(7)},
        {"0-59", ALL_SECONDS},
        {"10-12", bits(10, 12, 1)},
        {"10-10", bit(10)},
        {"*/15", bits(0, 59, 15)},
        {"*/7", bits(0, 59, 7)},
        {"*/1", ALL_SECONDS},
        {"10-40/10", bits(10, 40, 10)},
        {"10-40/100", bit(10)},
        {"1,2,3", bits(1, 3, 1)},
        {"3,2,1,1", bits(1, 3, 1)},
        {"5,10-12,50-59/3", bit(5) | bits(10, 12, 1) | bits(50, 59, 3)},
        {"*,5", ALL_SECONDS},
        {"*/30,1", bit(0) | bit(30) | bit(1)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[64];

        (void)snprintf(text, sizeof text, "%s * * * *", rows[i].text);
        assert_int_equal(cron_of(text).minutes, rows[i].mask);
        (void)snprintf(text, sizeof text, "%s * * * * ?", rows[i].text);
        assert_int_equal(cron_of(text).seconds, rows[i].mask);
    }
}

static void every_field_has_its_own_bounds(void **state)
{
    (void)state;
    struct cron cron = cron_of("0-59 0-23 1-31 1-12 0-7");

    assert_int_equal(cron.minutes, ALL_SECONDS);
    assert_int_equal(cron.hours, ALL_HOURS);
    assert_int_equal(cron.month_days, ALL_MONTH_DAYS);
    assert_int_equal(cron.months, ALL_MONTHS);
    assert_int_equal(cron.weekdays, ALL_WEEKDAYS);
    cron = cron_of("* * * * *");
    assert_int_equal(cron.hours, ALL_HOURS);
    assert_int_equal(cron.month_days, ALL_MONTH_DAYS);
    assert_int_equal(cron.months, ALL_MONTHS);
    assert_int_equal(cron.weekdays, ALL_WEEKDAYS);
    cron = cron_of("* */5 */10 */5 */3");
    assert_int_equal(cron.hours, bits(0, 23, 5));
    assert_int_equal(cron.month_days, bits(1, 31, 10));
    assert_int_equal(cron.months, bits(1, 12, 5));
    assert_int_equal(cron.weekdays, bits(0, 6, 3));
}

static void sunday_is_0_and_7(void **state)
{
    (void)state;
    const struct mask_row rows[] = {
        {"0", bit(0)},
        {"7", bit(0)},
        {"0,7", bit(0)},
        {"5-7", bit(5) | bit(6) | bit(0)},
        {"0-6", ALL_WEEKDAYS},
        {"1-7", ALL_WEEKDAYS},
        {"6-7", bit(6) | bit(0)},
        {"*/7", bit(0)},
        {"1-7/2", bit(1) | bit(3) | bit(5) | bit(0)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[64];

        (void)snprintf(text, sizeof text, "0 0 * * %s", rows[i].text);
        assert_int_equal(cron_of(text).weekdays, rows[i].mask);
    }
}

static void months_and_weekdays_have_names_in_any_case(void **state)
{
    (void)state;
    static const char *const months[] = {"JAN", "feb", "Mar", "aPR", "MAY", "JUN",
                                         "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
    static const char *const weekdays[] = {"SUN", "mon", "Tue", "wED", "THU", "FRI", "SAT"};
    char text[64];

    for (int i = 0; i < 12; i++) {
        (void)snprintf(text, sizeof text, "0 0 1 %s *", months[i]);
        assert_int_equal(cron_of(text).months, bit(i + 1));
        (void)snprintf(text, sizeof text, "0 0 0 1 %s ?", months[i]);
        assert_int_equal(cron_of(text).months, bit(i + 1));
    }
    for (int i = 0; i < 7; i++) {
        (void)snprintf(text, sizeof text, "0 0 * * %s", weekdays[i]);
        assert_int_equal(cron_of(text).weekdays, bit(i));
        (void)snprintf(text, sizeof text, "0 0 0 ? * %s", weekdays[i]);
        assert_int_equal(cron_of(text).weekdays, bit(i));
    }
    assert_int_equal(cron_of("0 0 1 JAN-MAR,dec *").months, bits(1, 3, 1) | bit(12));
    assert_int_equal(cron_of("0 0 1 JAN-12/3 *").months, bits(1, 12, 3));
    assert_int_equal(cron_of("0 0 * * MON-FRI").weekdays, bits(1, 5, 1));
    assert_int_equal(cron_of("0 0 * * MON-7").weekdays, ALL_WEEKDAYS);
    assert_int_equal(cron_of("0 0 * * SUN-sat/2").weekdays, bits(0, 6, 2));
}

static void in_quartz_weekday_1_is_sunday(void **state)
{
    (void)state;
    assert_int_equal(cron_of("0 0 0 ? * 1").weekdays, bit(0));
    assert_int_equal(cron_of("0 0 0 ? * 2-6").weekdays, bits(1, 5, 1));
    assert_int_equal(cron_of("0 0 0 ? * 7").weekdays, bit(6));
    assert_int_equal(cron_of("0 0 0 ? * 1-7").weekdays, ALL_WEEKDAYS);
    assert_int_equal(cron_of("0 0 0 ? * 1,SAT").weekdays, bit(0) | bit(6));
    assert_int_equal(cron_of("0 0 0 ? * 2/2").weekdays, bit(1) | bit(3) | bit(5));
}

static void in_quartz_ranges_may_wrap_around(void **state)
{
    (void)state;
    assert_int_equal(cron_of("50-10 * * * * ?").seconds, bits(50, 59, 1) | bits(0, 10, 1));
    assert_int_equal(cron_of("0 58-1 * * * ?").minutes, bit(58) | bit(59) | bit(0) | bit(1));
    assert_int_equal(cron_of("0 0 22-2 * * ?").hours, bit(22) | bit(23) | bits(0, 2, 1));
    assert_int_equal(cron_of("0 0 22-4/3 * * ?").hours, bit(22) | bit(1) | bit(4));
    assert_int_equal(cron_of("0 0 0 30-2 * ?").month_days, bit(30) | bit(31) | bit(1) | bit(2));
    assert_int_equal(cron_of("0 0 0 1 NOV-FEB ?").months, bit(11) | bit(12) | bit(1) | bit(2));
    assert_int_equal(cron_of("0 0 0 ? * FRI-MON").weekdays, bit(5) | bit(6) | bit(0) | bit(1));
    assert_int_equal(cron_of("0 0 0 ? * 7-2").weekdays, bit(6) | bit(0) | bit(1));
}

static void in_quartz_a_step_may_follow_one_value_or_nothing(void **state)
{
    (void)state;
    assert_int_equal(cron_of("5/15 * * * * ?").seconds, bits(5, 59, 15));
    assert_int_equal(cron_of("/20 * * * * ?").seconds, bits(0, 59, 20));
    assert_int_equal(cron_of("0 0 8/4 * * ?").hours, bits(8, 23, 4));
    assert_int_equal(cron_of("0 0 0 1/10 * ?").month_days, bits(1, 31, 10));
    assert_int_equal(cron_of("0 0 0 1 3/3 ?").months, bits(3, 12, 3));
}

static void in_quartz_years_may_be_listed(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 0 0 1 1 ? 1970,2026-2030/2,2200");

    assert_true(has_year(&cron, 1970) && has_year(&cron, 2026) && has_year(&cron, 2028) && has_year(&cron, 2030));
    assert_true(has_year(&cron, 2200));
    assert_false(has_year(&cron, 1969) || has_year(&cron, 2027) || has_year(&cron, 2201));
    cron = cron_of("0 0 0 1 1 ? 2020/50");
    assert_true(has_year(&cron, 2020) && has_year(&cron, 2070) && has_year(&cron, 2170));
    assert_false(has_year(&cron, 2021) || has_year(&cron, 2220 - 1 - 20));
    cron = cron_of("0 0 0 1 1 ? *");
    assert_true(has_year(&cron, 1969) && has_year(&cron, 2201));
    cron = cron_of("0 0 0 1 1 ? */10");
    assert_true(has_year(&cron, 1970) && has_year(&cron, 1980) && has_year(&cron, 2200));
    assert_false(has_year(&cron, 1969) || has_year(&cron, 1975));
}

static void day_of_month_or_day_of_week_when_neither_begins_with_a_star(void **state)
{
    (void)state;
    assert_int_equal(cron_of("0 0 13 * 5").day_rule, CRON_DAY_EITHER);
    assert_int_equal(cron_of("0 0 1-31 * 0-7").day_rule, CRON_DAY_EITHER);
    assert_int_equal(cron_of("0 0 13 * *").day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron_of("0 0 * * 5").day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron_of("0 0 */2 * 5").day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron_of("0 0 13 * */2").day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron_of("0 0 *,1 * 5").day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron_of("0 0 1,* * 5").day_rule, CRON_DAY_EITHER);
}

static void assert_special(const char *text, enum cron_day_rule rule, int day_number, int day_weekday)
{
    struct cron cron = cron_of(text);

    assert_int_equal(cron.day_rule, rule);
    assert_int_equal(cron.day_number, day_number);
    assert_int_equal(cron.day_weekday, day_weekday);
}

static void quartz_has_days_that_move_with_the_month(void **state)
{
    (void)state;
    assert_special("0 0 0 L * ?", CRON_DAY_LAST, 0, 0);
    assert_special("0 0 0 l * *", CRON_DAY_LAST, 0, 0);
    assert_special("0 0 0 L-3 * ?", CRON_DAY_LAST, 3, 0);
    assert_special("0 0 0 L-30 * ?", CRON_DAY_LAST, 30, 0);
    assert_special("0 0 0 L-0 * ?", CRON_DAY_LAST, 0, 0);
    assert_special("0 0 0 LW * ?", CRON_DAY_LAST_WEEKDAY, 0, 0);
    assert_special("0 0 0 L-3W * ?", CRON_DAY_LAST_WEEKDAY, 3, 0);
    assert_special("0 0 0 15W * ?", CRON_DAY_NEAREST_WEEKDAY, 15, 0);
    assert_special("0 0 0 1w * ?", CRON_DAY_NEAREST_WEEKDAY, 1, 0);
    assert_special("0 0 0 31W * ?", CRON_DAY_NEAREST_WEEKDAY, 31, 0);
    assert_special("0 0 0 ? * 6#3", CRON_DAY_NTH, 3, 5);
    assert_special("0 0 0 ? * FRI#1", CRON_DAY_NTH, 1, 5);
    assert_special("0 0 0 * * 1#5", CRON_DAY_NTH, 5, 0);
    assert_special("0 0 0 ? * 6L", CRON_DAY_LAST_OF, 0, 5);
    assert_special("0 0 0 ? * fril", CRON_DAY_LAST_OF, 0, 5);
    assert_special("0 0 0 ? * SUNL", CRON_DAY_LAST_OF, 0, 0);
}

static void in_quartz_l_alone_as_weekday_is_saturday(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 0 0 ? * L");

    assert_int_equal(cron.day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron.weekdays, bit(6));
}

static void in_quartz_a_star_stands_for_the_question_mark(void **state)
{
    (void)state;
    assert_int_equal(cron_of("0 0 0 * * *").day_rule, CRON_DAY_BOTH);
    assert_int_equal(cron_of("0 0 0 1 * *").month_days, bit(1));
    assert_int_equal(cron_of("0 0 0 * * MON").weekdays, bit(1));
    assert_int_equal(cron_of("0 0 0 * * ?").month_days, ALL_MONTH_DAYS);
    assert_int_equal(cron_of("0 0 0 ? * *").weekdays, ALL_WEEKDAYS);
}

static void weekdays_are_laid_out_for_each_weekday_a_month_may_begin_with(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 0 * * 1");

    assert_int_equal(cron.by_first[1], bits(1, 31, 7)); /* begins on a Monday */
    assert_int_equal(cron.by_first[0], bits(2, 31, 7));
    assert_int_equal(cron.by_first[2], bits(7, 31, 7));
}

static void a_star_in_minute_or_hour_follows_the_clock(void **state)
{
    (void)state;
    static const char *const follow[] = {
        "* * * * *",   "*/15 * * * *", "0 * * * *",   "* 2 * * *",   "*/15 2 * * *", "0 */2 * * *",
        "0 *,3 * * *", "@hourly",      "0 0 * * * ?", "0 * 2 * * ?", "0 /5 2 * * ?", "* * * * * ?",
    };
    static const char *const fixed[] = {
        "0 2 * * *", "0-59 2 * * *", "0-59/15 0-23 * * *", "0 0-23 * * *", "@daily",        "@weekly",
        "H H * * *", "5,* 2 * * *",  "*/10 0 2 * * ?",     "0 0 2 * * ?",  "* 0 2 * * ? *", "0 0/5 2 * * ?",
    };

    for (size_t i = 0; i < COUNT_OF(follow); i++) {
        assert_true(cron_of(follow[i]).follows_clock);
    }
    for (size_t i = 0; i < COUNT_OF(fixed); i++) {
        assert_false(cron_of(fixed[i]).follows_clock);
    }
}

static void blanks_and_tabs_part_fields_and_surround_them(void **state)
{
    (void)state;
    struct cron cron = cron_of(" \t1  2\t3 \t 4 5\t ");

    assert_int_equal(cron.minutes, bit(1));
    assert_int_equal(cron.weekdays, bit(5));
    assert_int_equal(cron_of("  @daily ").hours, bit(0));
}

static void assert_same_cron(const char *text, const char *same)
{
    struct cron a = cron_of(text);
    struct cron b = cron_of(same);

    assert_int_equal(a.dialect, b.dialect);
    assert_int_equal(a.follows_clock, b.follows_clock);
    assert_int_equal(a.seconds, b.seconds);
    assert_int_equal(a.minutes, b.minutes);
    assert_int_equal(a.hours, b.hours);
    assert_int_equal(a.month_days, b.month_days);
    assert_int_equal(a.months, b.months);
    assert_int_equal(a.weekdays, b.weekdays);
    assert_memory_equal(a.years, b.years, sizeof a.years);
    assert_int_equal(a.day_rule, b.day_rule);
    assert_int_equal(a.warnings, 0);
}

static void macros_are_short_for_five_fields(void **state)
{
    (void)state;
    assert_same_cron("@yearly", "0 0 1 1 *");
    assert_same_cron("@annually", "0 0 1 1 *");
    assert_same_cron("@monthly", "0 0 1 * *");
    assert_same_cron("@weekly", "0 0 * * 0");
    assert_same_cron("@daily", "0 0 * * *");
    assert_same_cron("@midnight", "0 0 * * *");
    assert_same_cron("@hourly", "0 * * * *");
    assert_same_cron("@Daily", "0 0 * * *");
}

struct warning_row {
    const char *text;
    unsigned warnings;
};

static void what_dialects_disagree_about_is_warned_of(void **state)
{
    (void)state;
    const struct warning_row rows[] = {
        {"0 0 * * 1", 0},
        {"0 9 * * MON-FRI", 0},
        {"*/15 * * * *", 0},
        {"0 0 0 ? * MON", 0},
        {"0 0 0 ? * FRI#3", 0},
        {"0 0 0 ? * FRIL", 0},
        {"0 0 0 ? * L", 0},
        {"0 0 0 ? * 2", CRON_WARN_NUMERIC_WEEKDAY},
        {"0 0 0 ? * MON,6", CRON_WARN_NUMERIC_WEEKDAY},
        {"0 0 0 ? * 6#3", CRON_WARN_NUMERIC_WEEKDAY},
        {"0 0 0 ? * 6L", CRON_WARN_NUMERIC_WEEKDAY},
        {"0 0 */2 * *", CRON_WARN_DAY_STEP},
        {"0 0 * * */2", CRON_WARN_DAY_STEP},
        {"0 0 */2 * 1", CRON_WARN_DAY_STEP},
        {"0 0 0 */2 * ?", CRON_WARN_DAY_STEP},
        {"0 0 0 /2 * ?", CRON_WARN_DAY_STEP},
        {"0 0 */1 * *", 0},
        {"0 0 1-31/2 * *", 0},
        {"0 0 13 * 5", CRON_WARN_DAY_EITHER},
        {"0-59/90 * * * *", CRON_WARN_LONG_STEP},
        {"*/60 * * * *", CRON_WARN_LONG_STEP},
        {"*/59 * * * *", 0},
        {"0 */24 * * *", CRON_WARN_LONG_STEP},
        {"0 0 */40 * *", CRON_WARN_LONG_STEP | CRON_WARN_DAY_STEP},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned warnings = cron_of(rows[i].text).warnings;

        if (warnings != rows[i].warnings) {
            fail_msg("%s: warnings are %x, expected %x", rows[i].text, warnings, rows[i].warnings);
        }
    }
}

static void every_warning_is_a_sentence_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < CRON_WARNINGS; i++) {
        const char *text = cron_warning_text((enum cron_warning)(1 << i));

        assert_true(strlen(text) > 20);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(text, cron_warning_text((enum cron_warning)(1 << j)));
        }
    }
    assert_string_equal(cron_warning_text((enum cron_warning)0), "");
}

static void the_longest_honest_expression_is_read(void **state)
{
    (void)state;
    char text[CRON_EXPR_BYTES_MAX] = "";
    size_t len = 0;
    static const struct {
        int min;
        int max;
    } fields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}};

    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        for (int value = fields[i].min; value <= fields[i].max; value++) {
            len += (size_t)snprintf(text + len, sizeof text - len, "%d%s", value, value < fields[i].max ? "," : " ");
        }
    }
    struct cron cron = cron_of(text);
    assert_int_equal(cron.minutes, ALL_SECONDS);
    assert_int_equal(cron.weekdays, ALL_WEEKDAYS);
}

static void expressions_that_seldom_fire_are_accepted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0 0 29 2 *",         "0 0 30 2 1",       "0 0 0 29 2 ? 2028",
        "0 0 0 L-28 2 ?",     "0 0 0 1 1 ? 1970", "59 59 23 31 12 ? 2200",
        "0 0 0 ? 2 5#5 2024", "0 0 0 ? 2 1#5",    "0 0 0 29W 2 ? 2096",
        "0 0 31 * *",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        (void)cron_of(texts[i]);
    }
}

static void every_expression_is_refused_or_has_something_in_every_field(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789   ***,,--//?LW#HAJNFEBMONFRI()@ \t";
    struct rng rng;
    int accepted = 0;

    seed_rng(&rng);
    for (int i = 0; i < 30000; i++) {
        char text[64];
        size_t len = 0;
        struct cron cron;

        /* Half of them start from something sound, so that they get somewhere. */
        if (rng_chance(&rng, 1, 2)) {
            len = (size_t)snprintf(text, sizeof text, "%s", rng_chance(&rng, 1, 2) ? "0 9 * * 1-5" : "0 0 9 ? * 6#3");
            text[rng_below(&rng, len)] = alphabet[rng_below(&rng, sizeof alphabet - 1)];
        } else {
            for (len = rng_below(&rng, sizeof text); len > 0 && rng_chance(&rng, 1, 3); len--) {
            }
            for (size_t j = 0; j < len; j++) {
                text[j] = alphabet[rng_below(&rng, sizeof alphabet - 1)];
            }
        }
        if (cron_parse(str_from_bytes(text, len), STR("seed"), &cron, NULL) == ERR_OK) {
            accepted++;
            assert_true(cron.seconds != 0 && (cron.seconds & ~ALL_SECONDS) == 0);
            assert_true(cron.minutes != 0 && (cron.minutes & ~ALL_SECONDS) == 0);
            assert_true(cron.hours != 0 && (cron.hours & ~ALL_HOURS) == 0);
            assert_true(cron.month_days != 0 && (cron.month_days & ~ALL_MONTH_DAYS) == 0);
            assert_true(cron.months != 0 && (cron.months & ~ALL_MONTHS) == 0);
            assert_true(cron.weekdays != 0 && (cron.weekdays & ~ALL_WEEKDAYS) == 0);
        }
    }
    assert_true(accepted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_fields_are_minute_hour_day_month_weekday),
        cmocka_unit_test(six_fields_begin_with_the_second),
        cmocka_unit_test(seven_fields_end_with_the_year),
        cmocka_unit_test(fields_hold_stars_values_ranges_steps_and_lists),
        cmocka_unit_test(every_field_has_its_own_bounds),
        cmocka_unit_test(sunday_is_0_and_7),
        cmocka_unit_test(months_and_weekdays_have_names_in_any_case),
        cmocka_unit_test(in_quartz_weekday_1_is_sunday),
        cmocka_unit_test(in_quartz_ranges_may_wrap_around),
        cmocka_unit_test(in_quartz_a_step_may_follow_one_value_or_nothing),
        cmocka_unit_test(in_quartz_years_may_be_listed),
        cmocka_unit_test(day_of_month_or_day_of_week_when_neither_begins_with_a_star),
        cmocka_unit_test(quartz_has_days_that_move_with_the_month),
        cmocka_unit_test(in_quartz_l_alone_as_weekday_is_saturday),
        cmocka_unit_test(in_quartz_a_star_stands_for_the_question_mark),
        cmocka_unit_test(weekdays_are_laid_out_for_each_weekday_a_month_may_begin_with),
        cmocka_unit_test(a_star_in_minute_or_hour_follows_the_clock),
        cmocka_unit_test(blanks_and_tabs_part_fields_and_surround_them),
        cmocka_unit_test(macros_are_short_for_five_fields),
        cmocka_unit_test(what_dialects_disagree_about_is_warned_of),
        cmocka_unit_test(every_warning_is_a_sentence_of_its_own),
        cmocka_unit_test(the_longest_honest_expression_is_read),
        cmocka_unit_test(expressions_that_seldom_fire_are_accepted),
        cmocka_unit_test(every_expression_is_refused_or_has_something_in_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
