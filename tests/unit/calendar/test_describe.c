#include "calendar_test.h"

#include "calendar/cron_local.h"
#include "calendar/describe.h"

/* The description of an expression in a zone (NULL: none), appended to an empty buffer of the promised size. */
static void describe(struct buf *out, const char *text, const char *zone)
{
    struct error error = {0};
    struct expression expression;

    buf_init(out, DESCRIBE_BYTES_MAX);
    if (expression_parse(str_from(text), STR("seed"), &expression, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    describe_expression(&expression, zone != NULL ? zone_of(zone) : NULL, out);
    assert_false(buf_overflowed(out));
}

static void assert_described(const char *text, const char *expected)
{
    SCOPE(buf_done) struct buf out;

    describe(&out, text, NULL);
    if (strcmp(buf_text(&out), expected) != 0) {
        fail_msg("%s is \"%s\", expected \"%s\"", text, buf_text(&out), expected);
    }
}

static void assert_described_in(const char *text, const char *zone, const char *expected)
{
    SCOPE(buf_done) struct buf out;

    describe(&out, text, zone);
    assert_string_equal(buf_text(&out), expected);
}

static void a_few_times_of_day_are_named(void **state)
{
    (void)state;
    assert_described("0 9 * * *", "at 09:00, every day");
    assert_described("30 9,17 * * *", "at 09:30 and 17:30, every day");
    assert_described("0,30 9-11 * * *", "at 09:00, 09:30, 10:00, 10:30, 11:00 and 11:30, every day");
    assert_described("@daily", "at 00:00, every day");
    assert_described("0 0 9 * * ?", "at 09:00, every day");
    assert_described("15 0 9 * * ?", "at 09:00:15, every day");
    assert_described("0,30 15 10 * * ?", "at 10:15:00 and 10:15:30, every day");
}

static void many_times_of_day_are_told_by_their_pattern(void **state)
{
    (void)state;
    assert_described("* * * * *", "every minute");
    assert_described("*/15 * * * *", "every 15 minutes");
    assert_described("0,30 * * * *", "every 30 minutes");
    assert_described("10-59/20 * * * *", "every 20 minutes from minute 10 of the hour");
    assert_described("*/7 * * * *", "every 7 minutes from the start of each hour");
    assert_described("30-45 * * * *", "every minute from minute 30 to 45 of the hour");
    assert_described("5,20 * * * *", "at minutes 5 and 20 of the hour");
    assert_described("5,6,7,20 * * * *", "at minutes 5 to 7 and 20 of the hour");
}

static void hours_of_such_a_pattern_are_told_too(void **state)
{
    (void)state;
    assert_described("*/15 9-17 * * *", "every 15 minutes, from 09:00 to 17:59");
    assert_described("*/5 9 * * *", "every 5 minutes, from 09:00 to 09:59");
    assert_described("*/5 */2 * * *", "every 5 minutes, in every 2nd hour from 00:00");
    assert_described("*/5 */3 * * *", "every 5 minutes, in every 3rd hour from 00:00");
    assert_described("*/5 1-23/4 * * *", "every 5 minutes, in every 4th hour from 01:00");
    assert_described("*/5 9,12 * * *", "every 5 minutes, in the hours 9 and 12");
}

static void one_minute_of_many_hours_is_hourly(void **state)
{
    (void)state;
    assert_described("0 * * * *", "every hour");
    assert_described("@hourly", "every hour");
    assert_described("5 * * * *", "every hour at minute 5");
    assert_described("0 */2 * * *", "every 2 hours");
    assert_described("30 */3 * * *", "every 3 hours at minute 30");
    assert_described("30 8-18 * * *", "every hour from 08:30 to 18:30");
    assert_described("0 1-23/2 * * *", "every 2 hours from 01:00 to 23:00");
    assert_described("0 0,1,5,6,10,11,20 * * *", "at minute 0 of the hour, in the hours 0, 1, 5, 6, 10, 11 and 20");
}

static void seconds_are_told_where_they_are_not_zero(void **state)
{
    (void)state;
    assert_described("* * * * * ?", "every second");
    assert_described("*/10 * * * * ?", "every 10 seconds");
    assert_described("30 * * * * ?", "at second 30 of the minute");
    assert_described("0 * * * * ?", "every minute");
    assert_described("*/10 */5 * * * ?", "every 10 seconds, every 5 minutes");
    assert_described("0-10 30 9 * * ?",
                     "every second from second 0 to 10 of the minute, at minute 30 of the hour, from 09:00 to 09:59");
}

static void weekdays_begin_on_monday(void **state)
{
    (void)state;
    assert_described("0 9 * * MON-FRI", "at 09:00, Monday to Friday");
    assert_described("0 9 * * 1", "at 09:00, every Monday");
    assert_described("0 9 * * 0", "at 09:00, every Sunday");
    assert_described("0 9 * * 6,7", "at 09:00, Saturday and Sunday");
    assert_described("0 9 * * 1,3,5", "at 09:00, Monday, Wednesday and Friday");
    assert_described("0 0 9 ? * FRI-MON", "at 09:00, Monday and Friday to Sunday");
    assert_described("*/15 * * * 1-5", "every 15 minutes, Monday to Friday");
}

static void days_of_the_month_are_ordinal_numbers(void **state)
{
    (void)state;
    assert_described("0 0 1 * *", "at 00:00, on the 1st of the month");
    assert_described("0 0 2,3,4 * *", "at 00:00, on the 2nd to 4th of the month");
    assert_described("0 0 3,11,12,13 * *", "at 00:00, on the 3rd and 11th to 13th of the month");
    assert_described("0 0 21,22,23,31 * *", "at 00:00, on the 21st to 23rd and 31st of the month");
    assert_described("0 0 */2 * *", "at 00:00, every 2 days from the 1st of the month");
    assert_described("0 0 1 1 *", "at 00:00, on the 1st of January");
    assert_described("0 0 1 1,7 *", "at 00:00, on the 1st of January and July");
    assert_described("0 0 1 */3 *", "at 00:00, on the 1st of January, April, July and October");
}

static void both_day_fields_are_told_as_they_combine(void **state)
{
    (void)state;
    assert_described("0 0 13 * 5", "at 00:00, on the 13th of the month or every Friday");
    assert_described("0 0 13 * 1-5", "at 00:00, on the 13th of the month or Monday to Friday");
    assert_described("0 0 */2 * 1", "at 00:00, every 2 days from the 1st of the month if that is a Monday");
    assert_described("0 0 1-31 * 1", "at 00:00, every day");
    assert_described("0 0 13 * 0-7", "at 00:00, every day");
    assert_described("0 0 13 6 5", "at 00:00, on the 13th of June or every Friday, in June");
}

static void special_days_are_told_in_words(void **state)
{
    (void)state;
    assert_described("0 0 2 L * ?", "at 02:00, on the last day of the month");
    assert_described("0 0 2 L-1 * ?", "at 02:00, 1 day before the last day of the month");
    assert_described("0 0 2 L-3 * ?", "at 02:00, 3 days before the last day of the month");
    assert_described("0 0 2 LW * ?", "at 02:00, on the last working day (Monday to Friday) of the month");
    assert_described(
        "0 0 2 L-3W * ?",
        "at 02:00, on the working day (Monday to Friday) nearest to 3 days before the last day of the month");
    assert_described("0 0 2 15W * ?",
                     "at 02:00, on the working day (Monday to Friday) nearest to the 15th of the month");
    assert_described("0 0 2 ? * 6#3", "at 02:00, on the third Friday of the month");
    assert_described("0 0 2 ? * SUN#5", "at 02:00, on the fifth Sunday of the month");
    assert_described("0 0 2 ? * 6L", "at 02:00, on the last Friday of the month");
    assert_described("0 0 2 ? 1 6L", "at 02:00, on the last Friday of January");
    assert_described("0 0 2 ? * L", "at 02:00, every Saturday");
}

static void months_and_years_are_told_where_they_are_restricted(void **state)
{
    (void)state;
    assert_described("0 9 * 6-8 *", "at 09:00, every day, in June to August");
    assert_described("*/15 * * 1 *", "every 15 minutes, in January");
    assert_described("0 9 * 1 1-5", "at 09:00, Monday to Friday, in January");
    assert_described("0 0 9 * * ? 2027", "at 09:00, every day, in 2027");
    assert_described("0 0 9 * * ? 2027-2029", "at 09:00, every day, in 2027 to 2029");
    assert_described("0 0 9 * * ? 1970,2027,2028,2200", "at 09:00, every day, in 1970, 2027, 2028, 2200");
    assert_described("0 0 9 1 1 ? 2027", "at 09:00, on the 1st of January, in 2027");
    assert_described("0 0 9 * * ? *", "at 09:00, every day");
    assert_described("0 0 9 * * ? 1970-2200", "at 09:00, every day, in 1970 to 2200");
}

static void the_zone_is_told_by_its_place(void **state)
{
    (void)state;
    assert_described_in("0 9 * * MON-FRI", "America/New_York", "at 09:00, Monday to Friday, New York time");
    assert_described_in("0 9 * * *", "UTC", "at 09:00, every day, UTC");
    assert_described_in("0 9 * * *", "Etc/GMT+5", "at 09:00, every day, Etc/GMT+5");
    assert_described_in("0 9 * * *", "EST5EDT", "at 09:00, every day, EST5EDT");
    assert_described_in("0 9 * * *", "America/Argentina/Buenos_Aires", "at 09:00, every day, Buenos Aires time");
}

static void intervals_know_no_zone(void **state)
{
    (void)state;
    assert_described("@every 90s", "every 1 min 30 s");
    assert_described_in("@every 5m", "America/New_York", "every 5 min");
}

static void the_same_meaning_reads_the_same_however_it_is_written(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"0-59/15 * * * *", "*/15 * * * *"}, {"0 9 * * 1-5", "0 0 9 ? * MON-FRI"}, {"0 0 * * 7", "0 0 * * SUN"},
        {"0 0 1,2,3 * *", "0 0 1-3 * *"},    {"0 0 0 1 JAN ?", "@yearly"},
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        SCOPE(buf_done) struct buf one;
        SCOPE(buf_done) struct buf other;

        describe(&one, pairs[i][0], NULL);
        describe(&other, pairs[i][1], NULL);
        assert_string_equal(buf_text(&one), buf_text(&other));
    }
}

static void a_description_is_appended_to_what_is_there(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 9 * * *");
    SCOPE(buf_done) struct buf out;

    buf_init(&out, DESCRIBE_BYTES_MAX);
    buf_append_text(&out, "runs ");
    describe_cron(&cron, NULL, &out);
    assert_string_equal(buf_text(&out), "runs at 09:00, every day");
}

/* Lists with holes everywhere: nothing can be said in short. */
static void the_longest_description_fits(void **state)
{
    (void)state;
    static const struct {
        int min;
        int max;
    } fields[] = {{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}};
    char text[CRON_EXPR_BYTES_MAX] = "";
    size_t len = 0;

    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        for (int value = fields[i].min; value <= fields[i].max; value++) {
            if (value % 3 != 2) { /* two, a hole, two, a hole */
                len +=
                    (size_t)snprintf(text + len, sizeof text - len, "%s%d", value == fields[i].min ? "" : ",", value);
            }
        }
        len += (size_t)snprintf(text + len, sizeof text - len, " ");
    }
    len += (size_t)snprintf(text + len, sizeof text - len, "? ");
    for (int year = 1970; year < 2190; year += 2) { /* and one that is out of step */
        len += (size_t)snprintf(text + len, sizeof text - len, "%d,", year);
    }
    (void)snprintf(text + len, sizeof text - len, "2199");
    SCOPE(buf_done) struct buf out;
    describe(&out, text, "America/Argentina/ComodRivadavia");
    assert_true(out.len > 1000);
}

/* A random expression from few parts, so that many mean the same. */
static void random_text(struct rng *rng, char text[128])
{
    static const char *const seconds[] = {"0", "0", "0", "*", "*/20", "0-10", "30"};
    static const char *const minutes[] = {"0", "*", "*/15", "0/30", "30", "5-59/10", "10-20", "0,1", "*/7", "0-59"};
    static const char *const hours[] = {"*", "9", "9-17", "*/2", "1/2", "*/5", "0-23", "9,10", "22-2", "0,1,2,12"};
    static const char *const days[] = {"* * ?",   "1 * ?",   "? * MON-FRI", "? * 2-6",   "L * ?",
                                       "L-1 * ?", "LW * ?",  "L-2W * ?",    "15W * ?",   "? * 6#3",
                                       "? * 6L",  "1/2 * ?", "1-3 * ?",     "? 1,2,3 *", "1 1 ?",
                                       "1 JAN ?", "? * L",   "? * FRI",     "1,2 6 ?",   "? 6 MON,FRI"};
    static const char *const years[] = {"", "", " *", " 2027", " 2027-2029", " 2027,2028", " 2027/50"};

    (void)snprintf(text, 128, "%s %s %s %s%s", seconds[rng_below(rng, COUNT_OF(seconds))],
                   minutes[rng_below(rng, COUNT_OF(minutes))], hours[rng_below(rng, COUNT_OF(hours))],
                   days[rng_below(rng, COUNT_OF(days))], years[rng_below(rng, COUNT_OF(years))]);
}

static void assert_same_times(const char *text, const char *other, const char *description)
{
    struct cron a = cron_of(text);
    struct cron b = cron_of(other);
    int64_t at = local_s("2026-12-30T00:00:00");

    for (int i = 0; i < 200; i++) {
        int64_t next = cron_local_next(&a, at);

        if (next != cron_local_next(&b, at)) {
            fail_msg("\"%s\" and \"%s\" fire at different times, but both are \"%s\"", text, other, description);
        }
        if (next == CRON_LOCAL_NEVER) {
            return;
        }
        at = next + 1 + (i % 10 == 9 ? 20 * 86400 : 0);
    }
}

static void expressions_with_one_description_fire_at_the_same_times(void **state)
{
    (void)state;
    enum { EXPRESSIONS = 600 };
    static char texts[EXPRESSIONS][128];
    static struct buf descriptions[EXPRESSIONS];
    struct rng rng;
    int same = 0;

    seed_rng(&rng);
    for (size_t i = 0; i < EXPRESSIONS; i++) {
        random_text(&rng, texts[i]);
        describe(&descriptions[i], texts[i], NULL);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(buf_text(&descriptions[i]), buf_text(&descriptions[j])) == 0) {
                assert_same_times(texts[i], texts[j], buf_text(&descriptions[i]));
                same++;
            }
        }
    }
    assert_true(same > 0);
    for (size_t i = 0; i < EXPRESSIONS; i++) {
        buf_done(&descriptions[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_times_of_day_are_named),
        cmocka_unit_test(many_times_of_day_are_told_by_their_pattern),
        cmocka_unit_test(hours_of_such_a_pattern_are_told_too),
        cmocka_unit_test(one_minute_of_many_hours_is_hourly),
        cmocka_unit_test(seconds_are_told_where_they_are_not_zero),
        cmocka_unit_test(weekdays_begin_on_monday),
        cmocka_unit_test(days_of_the_month_are_ordinal_numbers),
        cmocka_unit_test(both_day_fields_are_told_as_they_combine),
        cmocka_unit_test(special_days_are_told_in_words),
        cmocka_unit_test(months_and_years_are_told_where_they_are_restricted),
        cmocka_unit_test(the_zone_is_told_by_its_place),
        cmocka_unit_test(intervals_know_no_zone),
        cmocka_unit_test(the_same_meaning_reads_the_same_however_it_is_written),
        cmocka_unit_test(a_description_is_appended_to_what_is_there),
        cmocka_unit_test(the_longest_description_fits),
        cmocka_unit_test(expressions_with_one_description_fire_at_the_same_times),
    };
    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
