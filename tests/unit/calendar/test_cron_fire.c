#include "calendar_test.h"

#include "calendar/civil.h"
#include "calendar/cron_fire.h"
#include "calendar/cron_local.h"

#define FIRES_MAX 64

/* An expression in a zone, with its policies: clock_of borrows what stands in here. */
struct setting {
    struct cron cron;
    struct cron_clock clock;
};

static const struct cron_clock *set(struct setting *setting, const char *text, const char *zone, enum dst_gap gap,
                                    enum dst_fold fold)
{
    setting->cron = cron_of(text);
    setting->clock = (struct cron_clock){&setting->cron, zone_of(zone), {gap, fold}};
    return &setting->clock;
}

/* The fires in [from, to) are these instants (blanks between them), whichever way one asks. */
static void assert_fires(const struct cron_clock *clock, const char *from, const char *to, const char *expected)
{
    int64_t fires[FIRES_MAX];
    size_t count = cron_list(clock, utc_s(from), utc_s(to), fires, FIRES_MAX);
    char got[FIRES_MAX * 24] = "";
    char out[INSTANT_BYTES];

    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(got);

        (void)snprintf(got + len, sizeof got - len, "%s%s", i > 0 ? " " : "",
                       instant_format_short(fires[i] * 1000, out));
    }
    assert_string_equal(got, expected);
    assert_int_equal(cron_count(clock, utc_s(from), utc_s(to)), count);
    int64_t at = utc_s(to);
    for (size_t i = count; i-- > 0;) {
        assert_true(cron_prev(clock, at, &at));
        assert_same_instant(at, fires[i]);
    }
}

/* The same with gap and fold policies at hand. */
static void check(const char *text, const char *zone, enum dst_gap gap, enum dst_fold fold, const char *from,
                  const char *to, const char *expected)
{
    struct setting setting;

    assert_fires(set(&setting, text, zone, gap, fold), from, to, expected);
}

static void check_gap(const char *text, const char *zone, enum dst_gap gap, const char *from, const char *to,
                      const char *expected)
{
    for (int fold = DST_FOLD_FIRST; fold <= DST_FOLD_BOTH; fold++) {
        check(text, zone, gap, (enum dst_fold)fold, from, to, expected);
    }
}

static void check_fold(const char *text, const char *zone, enum dst_fold fold, const char *from, const char *to,
                       const char *expected)
{
    for (int gap = DST_GAP_AFTER; gap <= DST_GAP_SKIP; gap++) {
        check(text, zone, (enum dst_gap)gap, fold, from, to, expected);
    }
}

/* A schedule that follows the clock fires the same under every policy. */
static void check_clock(const char *text, const char *zone, const char *from, const char *to, const char *expected)
{
    for (int fold = DST_FOLD_FIRST; fold <= DST_FOLD_BOTH; fold++) {
        check_fold(text, zone, (enum dst_fold)fold, from, to, expected);
    }
}

static void in_utc_a_schedule_fires_when_it_says(void **state)
{
    (void)state;
    check_clock("0 9 * * 1-5", "UTC", "2026-04-10T00:00:00Z", "2026-04-15T00:00:00Z",
                "2026-04-10T09:00:00Z 2026-04-13T09:00:00Z 2026-04-14T09:00:00Z");
    check_clock("15,45 30 12 L * ?", "UTC", "2026-04-01T00:00:00Z", "2026-06-01T00:00:00Z",
                "2026-04-30T12:30:15Z 2026-04-30T12:30:45Z 2026-05-31T12:30:15Z 2026-05-31T12:30:45Z");
}

static void a_range_holds_its_beginning_and_not_its_end(void **state)
{
    (void)state;
    check_clock("0 9 * * *", "UTC", "2026-04-08T09:00:00Z", "2026-04-09T09:00:00Z", "2026-04-08T09:00:00Z");
    check_clock("0 9 * * *", "UTC", "2026-04-08T09:00:01Z", "2026-04-09T09:00:01Z", "2026-04-09T09:00:00Z");
    check_clock("0 9 * * *", "UTC", "2026-04-08T09:00:00Z", "2026-04-08T09:00:00Z", "");
    check_clock("0 9 * * *", "UTC", "2026-04-09T09:00:00Z", "2026-04-08T09:00:00Z", "");
}

static void next_is_after_and_prev_is_before_the_instant(void **state)
{
    (void)state;
    struct setting setting;
    const struct cron_clock *clock = set(&setting, "0 9 * * *", "UTC", DST_GAP_AFTER, DST_FOLD_FIRST);
    int64_t nine = utc_s("2026-04-08T09:00:00Z");
    int64_t at = 0;

    assert_true(cron_next(clock, nine, &at));
    assert_same_instant(at, nine + SECONDS_PER_DAY);
    assert_true(cron_next(clock, nine - 1, &at));
    assert_same_instant(at, nine);
    assert_true(cron_prev(clock, nine, &at));
    assert_same_instant(at, nine - SECONDS_PER_DAY);
    assert_true(cron_prev(clock, nine + 1, &at));
    assert_same_instant(at, nine);
}

static void new_york_in_spring_fires_a_jumped_over_time_as_the_policy_says(void **state)
{
    (void)state;
    const char *from = "2026-03-08T00:00:00Z";
    const char *to = "2026-03-09T12:00:00Z";

    check_gap("30 2 * * *", "America/New_York", DST_GAP_AFTER, from, to, "2026-03-08T07:00:00Z 2026-03-09T06:30:00Z");
    check_gap("30 2 * * *", "America/New_York", DST_GAP_SHIFT, from, to, "2026-03-08T07:30:00Z 2026-03-09T06:30:00Z");
    check_gap("30 2 * * *", "America/New_York", DST_GAP_SKIP, from, to, "2026-03-09T06:30:00Z");
    check_gap("0 30 2 * * ?", "America/New_York", DST_GAP_AFTER, from, to, "2026-03-08T07:00:00Z 2026-03-09T06:30:00Z");
}

static void times_at_the_edges_of_a_gap_are_in_it_or_not(void **state)
{
    (void)state;
    const char *from = "2026-03-08T00:00:00Z";
    const char *to = "2026-03-09T00:00:00Z";

    check_gap("59 59 1 * * ?", "America/New_York", DST_GAP_SKIP, from, to, "2026-03-08T06:59:59Z");
    check_gap("0 0 2 * * ?", "America/New_York", DST_GAP_SKIP, from, to, "");
    check_gap("59 59 2 * * ?", "America/New_York", DST_GAP_SKIP, from, to, "");
    check_gap("0 0 3 * * ?", "America/New_York", DST_GAP_SKIP, from, to, "2026-03-08T07:00:00Z");
    check_gap("0 0 2 * * ?", "America/New_York", DST_GAP_SHIFT, from, to, "2026-03-08T07:00:00Z");
    check_gap("59 59 2 * * ?", "America/New_York", DST_GAP_SHIFT, from, to, "2026-03-08T07:59:59Z");
}

static void what_lands_on_the_same_instant_fires_once(void **state)
{
    (void)state;
    const char *from = "2026-03-08T00:00:00Z";
    const char *to = "2026-03-09T00:00:00Z";

    check_gap("0,15,30 2 * * *", "America/New_York", DST_GAP_AFTER, from, to, "2026-03-08T07:00:00Z");
    check_gap("0 2,3 * * *", "America/New_York", DST_GAP_AFTER, from, to, "2026-03-08T07:00:00Z");
    check_gap("30 2,3 * * *", "America/New_York", DST_GAP_AFTER, from, to, "2026-03-08T07:00:00Z 2026-03-08T07:30:00Z");
    check_gap("30 2,3 * * *", "America/New_York", DST_GAP_SHIFT, from, to, "2026-03-08T07:30:00Z");
    check_gap("15,45 2,3 * * *", "America/New_York", DST_GAP_SHIFT, from, to,
              "2026-03-08T07:15:00Z 2026-03-08T07:45:00Z");
    check_gap("15 2,3 * * *", "America/New_York", DST_GAP_SKIP, from, to, "2026-03-08T07:15:00Z");
}

static void shifted_times_keep_their_order_among_the_others(void **state)
{
    (void)state;
    check_gap("10,50 2,3 8 3 *", "America/New_York", DST_GAP_SHIFT, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z",
              "2026-03-08T07:10:00Z 2026-03-08T07:50:00Z");
    check_gap("0 0 2 8 3 ?", "America/New_York", DST_GAP_SHIFT, "2026-03-08T07:00:00Z", "2026-03-08T07:00:01Z",
              "2026-03-08T07:00:00Z");
    check_gap("30 2 8 3 *", "America/New_York", DST_GAP_SHIFT, "2026-03-08T07:30:01Z", "2026-03-09T00:00:00Z", "");
    check_gap("30 2 8 3 *", "America/New_York", DST_GAP_SHIFT, "2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z", "");
}

static void new_york_in_autumn_fires_a_repeated_time_as_the_policy_says(void **state)
{
    (void)state;
    const char *from = "2026-11-01T00:00:00Z";
    const char *to = "2026-11-02T12:00:00Z";

    check_fold("30 1 * * *", "America/New_York", DST_FOLD_FIRST, from, to, "2026-11-01T05:30:00Z 2026-11-02T06:30:00Z");
    check_fold("30 1 * * *", "America/New_York", DST_FOLD_SECOND, from, to,
               "2026-11-01T06:30:00Z 2026-11-02T06:30:00Z");
    check_fold("30 1 * * *", "America/New_York", DST_FOLD_BOTH, from, to,
               "2026-11-01T05:30:00Z 2026-11-01T06:30:00Z 2026-11-02T06:30:00Z");
    check_fold("0 30 1 * * ?", "America/New_York", DST_FOLD_BOTH, from, to,
               "2026-11-01T05:30:00Z 2026-11-01T06:30:00Z 2026-11-02T06:30:00Z");
}

static void times_at_the_edges_of_a_fold_are_in_it_or_not(void **state)
{
    (void)state;
    const char *from = "2026-11-01T00:00:00Z";
    const char *to = "2026-11-02T00:00:00Z";

    check_fold("59 59 0 * * ?", "America/New_York", DST_FOLD_BOTH, from, to, "2026-11-01T04:59:59Z");
    check_fold("0 0 1 * * ?", "America/New_York", DST_FOLD_FIRST, from, to, "2026-11-01T05:00:00Z");
    check_fold("0 0 1 * * ?", "America/New_York", DST_FOLD_SECOND, from, to, "2026-11-01T06:00:00Z");
    check_fold("59 59 1 * * ?", "America/New_York", DST_FOLD_FIRST, from, to, "2026-11-01T05:59:59Z");
    check_fold("59 59 1 * * ?", "America/New_York", DST_FOLD_SECOND, from, to, "2026-11-01T06:59:59Z");
    check_fold("0 0 2 * * ?", "America/New_York", DST_FOLD_BOTH, from, to, "2026-11-01T07:00:00Z");
}

/* Quartz, Spring, systemd and croniter leave out an hour of such a job each autumn. */
static void every_fifteen_minutes_has_no_hole_and_no_double(void **state)
{
    (void)state;
    static const char *const texts[] = {"*/15 * * * *", "0 */15 * * * ?", "0,15,30,45 * * * *", "0 0/15 * * * ?"};
    static const char *const changes[] = {"2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        for (size_t j = 0; j < COUNT_OF(changes); j++) {
            struct setting setting;
            const struct cron_clock *clock = set(&setting, texts[i], "America/New_York", DST_GAP_AFTER, DST_FOLD_FIRST);
            int64_t from = utc_s(changes[j]) - SECONDS_PER_DAY;
            int64_t at = from - 1;

            for (int64_t expected = from; expected < from + 2 * SECONDS_PER_DAY; expected += 900) {
                assert_true(cron_next(clock, at, &at));
                assert_same_instant(at, expected);
            }
            assert_int_equal(cron_count(clock, from, from + 2 * SECONDS_PER_DAY), 192);
        }
    }
}

static void a_star_in_the_minute_alone_follows_the_clock_too(void **state)
{
    (void)state;
    check_clock("*/30 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-09T12:00:00Z",
                "2026-03-09T06:00:00Z 2026-03-09T06:30:00Z");
    check_clock("*/30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z",
                "2026-11-01T05:00:00Z 2026-11-01T05:30:00Z 2026-11-01T06:00:00Z 2026-11-01T06:30:00Z");
    check_clock("30 */1 * * *", "America/New_York", "2026-11-01T05:00:00Z", "2026-11-01T08:00:00Z",
                "2026-11-01T05:30:00Z 2026-11-01T06:30:00Z 2026-11-01T07:30:00Z");
}

static void in_lord_howe_the_clock_moves_by_half_an_hour(void **state)
{
    (void)state;
    const char *zone = "Australia/Lord_Howe";

    /* 2026-10-04: 02:00 at +10:30 becomes 02:30 at +11. */
    check_gap("15 2 * * *", zone, DST_GAP_AFTER, "2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z",
              "2026-10-03T15:30:00Z");
    check_gap("15 2 * * *", zone, DST_GAP_SHIFT, "2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z",
              "2026-10-03T15:45:00Z");
    check_gap("15 2 * * *", zone, DST_GAP_SKIP, "2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z", "");
    /* 2026-04-05: 02:00 at +11 becomes 01:30 at +10:30. */
    check_fold("45 1 * * *", zone, DST_FOLD_FIRST, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z",
               "2026-04-04T14:45:00Z");
    check_fold("45 1 * * *", zone, DST_FOLD_SECOND, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z",
               "2026-04-04T15:15:00Z");
    check_clock("0 * * * *", zone, "2026-10-03T14:00:00Z", "2026-10-03T18:00:00Z",
                "2026-10-03T14:30:00Z 2026-10-03T16:00:00Z 2026-10-03T17:00:00Z");
    check_clock("45 * * * *", zone, "2026-04-04T14:00:00Z", "2026-04-04T17:00:00Z",
                "2026-04-04T14:45:00Z 2026-04-04T15:15:00Z 2026-04-04T16:15:00Z");
}

static void in_troll_the_clock_moves_by_two_hours(void **state)
{
    (void)state;
    const char *zone = "Antarctica/Troll";

    /* 2026-03-29: 01:00 at +00 becomes 03:00 at +02. */
    check_gap("30 1,2 * * *", zone, DST_GAP_AFTER, "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
              "2026-03-29T01:00:00Z");
    check_gap("30 1,2 * * *", zone, DST_GAP_SHIFT, "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
              "2026-03-29T01:30:00Z 2026-03-29T02:30:00Z");
    /* 2026-10-25: 03:00 at +02 becomes 01:00 at +00. */
    check_fold("30 1,2 * * *", zone, DST_FOLD_FIRST, "2026-10-24T20:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-24T23:30:00Z 2026-10-25T00:30:00Z");
    check_fold("30 1,2 * * *", zone, DST_FOLD_SECOND, "2026-10-24T20:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-25T01:30:00Z 2026-10-25T02:30:00Z");
    check_fold("30 1,2 * * *", zone, DST_FOLD_BOTH, "2026-10-24T20:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-24T23:30:00Z 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z 2026-10-25T02:30:00Z");
}

static void in_havana_midnight_is_jumped_over_and_repeated(void **state)
{
    (void)state;
    const char *zone = "America/Havana";

    /* 2026-03-08: 00:00 at -05 becomes 01:00 at -04. */
    check_gap("0 0 * * *", zone, DST_GAP_AFTER, "2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z",
              "2026-03-08T05:00:00Z 2026-03-09T04:00:00Z");
    check_gap("@daily", zone, DST_GAP_SHIFT, "2026-03-07T12:00:00Z", "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z");
    check_gap("@daily", zone, DST_GAP_SKIP, "2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z", "2026-03-09T04:00:00Z");
    check_gap("0 0 8 3 *", zone, DST_GAP_AFTER, "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-03-08T05:00:00Z");
    /* 2026-11-01: 01:00 at -04 becomes 00:00 at -05. */
    check_fold("0 0 * * *", zone, DST_FOLD_FIRST, "2026-10-31T12:00:00Z", "2026-11-01T12:00:00Z",
               "2026-11-01T04:00:00Z");
    check_fold("0 0 * * *", zone, DST_FOLD_SECOND, "2026-10-31T12:00:00Z", "2026-11-01T12:00:00Z",
               "2026-11-01T05:00:00Z");
}

static void in_santiago_a_day_has_two_eleven_o_clocks_at_night(void **state)
{
    (void)state;
    const char *zone = "America/Santiago";

    /* 2026-04-04: 24:00 at -03 becomes 23:00 at -04, still the 4th. */
    check_fold("30 23 * * *", zone, DST_FOLD_FIRST, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z",
               "2026-04-05T02:30:00Z");
    check_fold("30 23 * * *", zone, DST_FOLD_SECOND, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z",
               "2026-04-05T03:30:00Z");
    check_fold("0 0 * * *", zone, DST_FOLD_BOTH, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z",
               "2026-04-05T04:00:00Z");
    /* 2026-09-06: 00:00 at -04 becomes 01:00 at -03. */
    check_gap("0 0 * * *", zone, DST_GAP_AFTER, "2026-09-05T12:00:00Z", "2026-09-06T12:00:00Z", "2026-09-06T04:00:00Z");
    check_gap("45 0 * * SUN", zone, DST_GAP_SHIFT, "2026-09-05T12:00:00Z", "2026-09-06T12:00:00Z",
              "2026-09-06T04:45:00Z");
}

static void in_beirut_and_cairo_the_clock_changes_at_midnight(void **state)
{
    (void)state;
    /* Beirut 2026-03-29: 00:00 at +02 becomes 01:00 at +03; 2026-10-25: 00:00 at +03 becomes 23:00 of the 24th. */
    check_gap("0 0 * * *", "Asia/Beirut", DST_GAP_AFTER, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z",
              "2026-03-28T22:00:00Z");
    check_gap("0 0 * * *", "Asia/Beirut", DST_GAP_SKIP, "2026-03-28T12:00:00Z", "2026-03-29T23:00:00Z",
              "2026-03-29T21:00:00Z");
    check_fold("0 0 * * *", "Asia/Beirut", DST_FOLD_BOTH, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-24T22:00:00Z");
    check_fold("0 23 * * *", "Asia/Beirut", DST_FOLD_BOTH, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-24T20:00:00Z 2026-10-24T21:00:00Z");
    /* Cairo 2026-04-24, a Friday: 00:00 at +02 becomes 01:00 at +03; 2026-10-29: 24:00 becomes 23:00. */
    check_gap("15 0 * * FRI", "Africa/Cairo", DST_GAP_AFTER, "2026-04-23T12:00:00Z", "2026-04-24T12:00:00Z",
              "2026-04-23T22:00:00Z");
    check_gap("15 0 * * FRI", "Africa/Cairo", DST_GAP_SHIFT, "2026-04-23T12:00:00Z", "2026-04-24T12:00:00Z",
              "2026-04-23T22:15:00Z");
    check_fold("30 23 29 10 *", "Africa/Cairo", DST_FOLD_SECOND, "2026-10-29T12:00:00Z", "2026-10-30T12:00:00Z",
               "2026-10-29T21:30:00Z");
}

static void in_apia_a_whole_day_is_jumped_over(void **state)
{
    (void)state;
    const char *zone = "Pacific/Apia";
    const char *from = "2011-12-29T00:00:00Z";
    const char *to = "2012-01-01T00:00:00Z";

    /* 2011-12-29 24:00 at -10 becomes 2011-12-31 00:00 at +14, at 10:00 UTC. */
    check_gap("0 12 * * *", zone, DST_GAP_AFTER, from, to,
              "2011-12-29T22:00:00Z 2011-12-30T10:00:00Z 2011-12-30T22:00:00Z 2011-12-31T22:00:00Z");
    check_gap("0 12 * * *", zone, DST_GAP_SHIFT, from, to,
              "2011-12-29T22:00:00Z 2011-12-30T22:00:00Z 2011-12-31T22:00:00Z");
    check_gap("0 12 * * *", zone, DST_GAP_SKIP, from, to,
              "2011-12-29T22:00:00Z 2011-12-30T22:00:00Z 2011-12-31T22:00:00Z");
    check_gap("0 12 30 * *", zone, DST_GAP_SHIFT, from, to, "2011-12-30T22:00:00Z");
    check_gap("0 0 * * *", zone, DST_GAP_AFTER, from, to,
              "2011-12-29T10:00:00Z 2011-12-30T10:00:00Z 2011-12-31T10:00:00Z");
    check_gap("0 0 30 12 *", zone, DST_GAP_AFTER, from, to, "2011-12-30T10:00:00Z");
    check_gap("0 9 30 12 *", zone, DST_GAP_SKIP, from, to, "");
    check_gap("0 0 9 ? 12 6L 2011", zone, DST_GAP_AFTER, from, to, "2011-12-30T10:00:00Z"); /* the Friday is missing */
    check_clock("0 */6 * * *", zone, "2011-12-30T00:00:00Z", "2011-12-30T20:00:00Z",
                "2011-12-30T04:00:00Z 2011-12-30T10:00:00Z 2011-12-30T16:00:00Z");
}

static void in_casablanca_the_clock_goes_back_for_ramadan(void **state)
{
    (void)state;
    const char *zone = "Africa/Casablanca";

    /* 2026-02-15: 03:00 at +01 becomes 02:00 at +00; 2026-03-22: 02:00 at +00 becomes 03:00 at +01. */
    check_fold("30 2 * * *", zone, DST_FOLD_FIRST, "2026-02-15T00:00:00Z", "2026-02-15T12:00:00Z",
               "2026-02-15T01:30:00Z");
    check_fold("30 2 * * *", zone, DST_FOLD_SECOND, "2026-02-15T00:00:00Z", "2026-02-15T12:00:00Z",
               "2026-02-15T02:30:00Z");
    check_gap("30 2 * * *", zone, DST_GAP_AFTER, "2026-03-22T00:00:00Z", "2026-03-22T12:00:00Z",
              "2026-03-22T02:00:00Z");
    check_gap("30 2 * * *", zone, DST_GAP_SHIFT, "2026-03-22T00:00:00Z", "2026-03-22T12:00:00Z",
              "2026-03-22T02:30:00Z");
}

static void in_dublin_winter_is_the_exception_and_jumps_are_still_jumps(void **state)
{
    (void)state;
    const char *zone = "Europe/Dublin";

    check_gap("30 1 * * *", zone, DST_GAP_AFTER, "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
              "2026-03-29T01:00:00Z");
    check_gap("30 1 * * *", zone, DST_GAP_SHIFT, "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
              "2026-03-29T01:30:00Z");
    check_fold("30 1 * * *", zone, DST_FOLD_FIRST, "2026-10-25T00:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-25T00:30:00Z");
    check_fold("30 1 * * *", zone, DST_FOLD_SECOND, "2026-10-25T00:00:00Z", "2026-10-25T12:00:00Z",
               "2026-10-25T01:30:00Z");
}

static void rules_reach_into_the_far_future(void **state)
{
    (void)state;
    check_gap("30 2 9 3 *", "America/New_York", DST_GAP_AFTER, "2200-03-01T00:00:00Z", "2200-04-01T00:00:00Z",
              "2200-03-09T07:00:00Z");
    check_fold("30 1 2 11 *", "America/New_York", DST_FOLD_SECOND, "2200-11-01T00:00:00Z", "2200-12-01T00:00:00Z",
               "2200-11-02T06:30:00Z");
}

static void fires_lie_in_the_years_1970_to_2200_of_utc(void **state)
{
    (void)state;
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati", "Etc/GMT+12"};

    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        struct setting setting;
        const struct cron_clock *clock = set(&setting, "* * * * * ?", zones[i], DST_GAP_AFTER, DST_FOLD_FIRST);
        int64_t at = 42;

        assert_true(cron_next(clock, -1000, &at));
        assert_same_instant(at, TIME_START_S);
        assert_true(cron_next(clock, TIME_START_S - 1, &at));
        assert_same_instant(at, TIME_START_S);
        assert_true(cron_next(clock, TIME_END_S - 2, &at));
        assert_same_instant(at, TIME_END_S - 1);
        at = 42;
        assert_false(cron_next(clock, TIME_END_S - 1, &at));
        assert_false(cron_next(clock, TIME_END_S + 1000000, &at));
        assert_int_equal(at, 42);
        assert_true(cron_prev(clock, TIME_END_S + 1000, &at));
        assert_same_instant(at, TIME_END_S - 1);
        assert_true(cron_prev(clock, TIME_START_S + 1, &at));
        assert_same_instant(at, TIME_START_S);
        at = 42;
        assert_false(cron_prev(clock, TIME_START_S, &at));
        assert_false(cron_prev(clock, -1000000, &at));
        assert_int_equal(at, 42);
        assert_int_equal(cron_count(clock, TIME_START_S - 100, TIME_START_S + 10), 10);
        assert_int_equal(cron_count(clock, TIME_END_S - 10, TIME_END_S + 100), 10);
        assert_int_equal(cron_count(clock, TIME_START_S, TIME_END_S), TIME_END_S - TIME_START_S);
    }
}

static void a_schedule_that_is_over_has_no_next_and_one_to_come_no_previous(void **state)
{
    (void)state;
    struct setting setting;
    const struct cron_clock *clock = set(&setting, "0 0 9 1 7 ? 2026", "Europe/Paris", DST_GAP_AFTER, DST_FOLD_FIRST);
    int64_t at = 42;

    assert_false(cron_next(clock, utc_s("2026-07-01T07:00:00Z"), &at));
    assert_false(cron_prev(clock, utc_s("2026-07-01T07:00:00Z"), &at));
    assert_int_equal(at, 42);
    assert_true(cron_next(clock, 0, &at));
    assert_same_instant(at, utc_s("2026-07-01T07:00:00Z"));
    assert_true(cron_prev(clock, TIME_END_S, &at));
    assert_same_instant(at, utc_s("2026-07-01T07:00:00Z"));
    assert_int_equal(cron_count(clock, 0, TIME_END_S), 1);
}

static void a_list_has_at_most_as_many_fires_as_there_is_room_for(void **state)
{
    (void)state;
    struct setting setting;
    const struct cron_clock *clock = set(&setting, "* * * * *", "UTC", DST_GAP_AFTER, DST_FOLD_FIRST);
    int64_t fires[3] = {0, 0, 42};

    assert_int_equal(cron_list(clock, 0, 3600, fires, 2), 2);
    assert_int_equal(fires[0], 0);
    assert_int_equal(fires[1], 60);
    assert_int_equal(fires[2], 42);
    assert_int_equal(cron_list(clock, 0, 3600, fires, 0), 0);
    assert_int_equal(cron_list(clock, -3600, 61, fires, 3), 2);
    assert_int_equal(cron_list(clock, TIME_END_S - 60, TIME_END_S + 3600, fires, 3), 1);
}

static void the_ends_of_time_have_answers_too(void **state)
{
    (void)state;
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York"};

    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        struct setting setting;
        const struct cron_clock *clock = set(&setting, "* * * * *", zones[i], DST_GAP_SHIFT, DST_FOLD_FIRST);
        int64_t at = 42;
        int64_t fires[2];

        assert_false(cron_next(clock, INT64_MAX, &at));
        assert_false(cron_next(clock, INT64_MAX - 1, &at));
        assert_false(cron_prev(clock, INT64_MIN, &at));
        assert_false(cron_prev(clock, INT64_MIN + 1, &at));
        assert_int_equal(at, 42);
        assert_true(cron_next(clock, INT64_MIN, &at));
        assert_same_instant(at, TIME_START_S);
        assert_true(cron_prev(clock, INT64_MAX, &at));
        assert_same_instant(at, TIME_END_S - 60);
        assert_int_equal(cron_count(clock, INT64_MIN, INT64_MAX), TIME_END_S / 60);
        assert_int_equal(cron_count(clock, INT64_MAX, INT64_MIN), 0);
        assert_int_equal(cron_count(clock, INT64_MAX, INT64_MAX), 0);
        assert_int_equal(cron_count(clock, INT64_MIN, INT64_MIN), 0);
        assert_int_equal(cron_count(clock, INT64_MIN, INT64_MIN + 1), 0);
        assert_int_equal(cron_list(clock, INT64_MIN, INT64_MAX, fires, 2), 2);
        assert_int_equal(cron_list(clock, INT64_MAX, INT64_MAX, fires, 2), 0);
        assert_int_equal(cron_list(clock, INT64_MIN, INT64_MIN, fires, 2), 0);
    }
}

/* The rules of cron_fire.h, word by word: every local time that matches, and where it fires. */
struct reference {
    int64_t fires[200000];
    size_t count;
};

static void add_fire(struct reference *reference, int64_t at)
{
    assert_true(reference->count < COUNT_OF(reference->fires));
    reference->fires[reference->count++] = at;
}

/* Every instant that shows the local time, in order; at most max of them. */
static size_t passes_of(const struct zone *zone, int64_t local, int64_t *passes, size_t max)
{
    size_t count = 0;

    for (size_t i = 0; i < zone->count && count < max; i++) {
        int64_t utc = local - zone->segments[i].offset_s;

        if (utc >= zone->segments[i].start_s && (i + 1 == zone->count || utc < zone->segments[i + 1].start_s)) {
            passes[count++] = utc;
        }
    }
    return count;
}

static void add_gap_fire(struct reference *reference, const struct cron_clock *clock, int64_t local)
{
    const struct zone_segment *segments = clock->zone->segments;

    for (size_t i = 1; i < clock->zone->count; i++) {
        int64_t into_gap = local - (segments[i].start_s + segments[i - 1].offset_s);
        int64_t gap = (int64_t)segments[i].offset_s - segments[i - 1].offset_s;

        if (into_gap >= 0 && into_gap < gap && clock->dst.gap != DST_GAP_SKIP) {
            add_fire(reference, segments[i].start_s + (clock->dst.gap == DST_GAP_SHIFT ? into_gap : 0));
        }
    }
}

static void add_local(struct reference *reference, const struct cron_clock *clock, int64_t local)
{
    int64_t passes[4];
    size_t count = passes_of(clock->zone, local, passes, COUNT_OF(passes));
    bool all = clock->cron->follows_clock || clock->dst.fold == DST_FOLD_BOTH;

    for (size_t i = 0; i < count; i++) {
        if (all || i == (clock->dst.fold == DST_FOLD_FIRST ? 0 : count - 1)) {
            add_fire(reference, passes[i]);
        }
    }
    if (count == 0 && !clock->cron->follows_clock) {
        add_gap_fire(reference, clock, local);
    }
}

static int compare_fires(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;

    return (*x > *y) - (*x < *y);
}

/* All fires in [from, to), in order and once each. */
static void list_by_the_rules(struct reference *reference, const struct cron_clock *clock, int64_t from, int64_t to)
{
    int64_t step = clock->cron->dialect == CRON_QUARTZ ? 1 : 60;
    int64_t margin = 26 * 3600; /* no offset is larger */
    size_t kept = 0;

    reference->count = 0;
    for (int64_t local = (from - margin) / 60 * 60; local < to + margin; local += step) {
        if (cron_local_matches(clock->cron, local)) {
            add_local(reference, clock, local);
        }
    }
    qsort(reference->fires, reference->count, sizeof reference->fires[0], compare_fires);
    for (size_t i = 0; i < reference->count; i++) {
        int64_t at = reference->fires[i];

        if (at >= from && at < to && (kept == 0 || reference->fires[kept - 1] != at)) {
            reference->fires[kept++] = at;
        }
    }
    reference->count = kept;
}

static void assert_as_by_the_rules(const struct cron_clock *clock, const char *text, int64_t from, int64_t to)
{
    static struct reference reference;
    int64_t after = from - 1;
    int64_t at = 0;

    list_by_the_rules(&reference, clock, from, to);
    for (size_t i = 0; i < reference.count; i++) {
        if (!cron_next(clock, after, &at) || at != reference.fires[i]) {
            fail_msg("%s, gap %d, fold %d: next after %lld is %lld, expected %lld", text, (int)clock->dst.gap,
                     (int)clock->dst.fold, (long long)after, (long long)at, (long long)reference.fires[i]);
        }
        if (i > 0 && (!cron_prev(clock, at, &at) || at != reference.fires[i - 1])) {
            fail_msg("%s, gap %d, fold %d: prev before %lld is %lld, expected %lld", text, (int)clock->dst.gap,
                     (int)clock->dst.fold, (long long)reference.fires[i], (long long)at,
                     (long long)reference.fires[i - 1]);
        }
        after = reference.fires[i];
    }
    if (cron_next(clock, after, &at) && at < to) {
        fail_msg("%s: fires at %lld, but should not", text, (long long)at);
    }
    if (cron_prev(clock, to, &at) && at >= from) {
        assert_true(reference.count > 0);
        assert_int_equal(at, reference.fires[reference.count - 1]);
    }
    assert_int_equal(cron_count(clock, from, to), reference.count);
    /* The count is right from any second to any other, also within gaps and folds. */
    for (size_t i = 0; i < 8 && reference.count > 2; i++) {
        size_t low = i * (reference.count - 1) / 8;
        int64_t low_s = reference.fires[low];

        assert_int_equal(cron_count(clock, low_s, to), reference.count - low);
        assert_int_equal(cron_count(clock, low_s + 1, to), reference.count - low - 1);
        assert_int_equal(cron_count(clock, from, low_s), low);
        assert_int_equal(cron_count(clock, from, low_s + 1), low + 1);
    }
}

static const char *random_expression(struct rng *rng, char text[128])
{
    static const char *const minutes[] = {"0", "30", "*/15", "*", "H", "5,35", "0-59/20", "59", "0-10", "0,1,58,59"};
    static const char *const hours[] = {"*", "*/6", "0", "1,2,3", "0-23", "2", "22,23,0", "H", "0-23/2", "12"};
    static const char *const days[] = {"* * *", "* * *", "* * *", "*/2 * *", "1-31/2 * *", "* * MON-FRI", "* * 0"};

    (void)snprintf(text, 128, "%s %s %s", minutes[rng_below(rng, COUNT_OF(minutes))],
                   hours[rng_below(rng, COUNT_OF(hours))], days[rng_below(rng, COUNT_OF(days))]);
    return text;
}

static void random_zones_fire_as_the_rules_say(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 60; i++) {
        char text[128];
        struct setting setting = {.cron = cron_of(random_expression(&rng, text))};
        int32_t jump_max_s = i % 3 == 0 ? 24 * 3600 : 2 * 3600;
        struct zone *zone = random_zone(&rng, 1000000000, 6, jump_max_s);
        int64_t from = 1000000000 - SECONDS_PER_DAY;

        for (int policy = 0; policy < 9; policy++) {
            setting.clock =
                (struct cron_clock){&setting.cron, zone, {(enum dst_gap)(policy / 3), (enum dst_fold)(policy % 3)}};
            assert_as_by_the_rules(&setting.clock, text, from, zone->segments[5].start_s + 2 * SECONDS_PER_DAY);
        }
        zone_free(zone);
    }
}

static void random_zones_fire_to_the_second(void **state)
{
    (void)state;
    static const char *const texts[] = {"*/7 30,59 */2 * * ?", "0,59 0,59 0-23 * * ?", "30 */10 0-12 * * ?",
                                        "1/13 0 2,3 * * ?"};
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 4; i++) {
        struct setting setting = {.cron = cron_of(texts[i])};
        struct zone *zone = random_zone(&rng, 1000000000, 3, 3 * 3600);

        for (int policy = 0; policy < 3; policy++) {
            setting.clock = (struct cron_clock){&setting.cron, zone, {(enum dst_gap)policy, (enum dst_fold)policy}};
            assert_as_by_the_rules(&setting.clock, texts[i], 1000000000 - 3600, zone->segments[2].start_s + 7200);
        }
        zone_free(zone);
    }
}

static void real_zones_fire_as_the_rules_say_around_their_changes(void **state)
{
    (void)state;
    static const char *const names[] = {
        "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "America/Havana",    "America/Santiago",
        "Asia/Beirut",      "Africa/Cairo",        "Pacific/Apia",     "Africa/Casablanca", "Europe/Dublin"};
    struct rng rng;

    seed_rng(&rng);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct zone *zone = zone_of(names[i]);

        for (int j = 0; j < 10; j++) {
            char text[128];
            struct setting setting = {.cron = cron_of(random_expression(&rng, text))};
            size_t first = zone_segment_at(zone, 0) + 1;
            size_t last = zone_segment_at(zone, TIME_END_S - 30 * SECONDS_PER_DAY);
            int64_t change = zone->segments[first + rng_below(&rng, last - first)].start_s;

            setting.clock = (struct cron_clock){
                &setting.cron, zone, {(enum dst_gap)rng_below(&rng, 3), (enum dst_fold)rng_below(&rng, 3)}};
            assert_as_by_the_rules(&setting.clock, text, change - 2 * SECONDS_PER_DAY, change + 2 * SECONDS_PER_DAY);
        }
    }
}

/* The last change before 1970 may have been long ago; it must not reach into the first hours of time. */
static void the_first_hours_of_1970_fire_like_all_others(void **state)
{
    (void)state;
    static const char *const names[] = {"America/New_York", "Europe/London", "Asia/Tokyo", "Pacific/Apia"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        for (int policy = 0; policy < 9; policy++) {
            struct setting setting;
            const struct cron_clock *clock =
                set(&setting, "30 0-23 * * *", names[i], (enum dst_gap)(policy / 3), (enum dst_fold)(policy % 3));

            assert_as_by_the_rules(clock, names[i], TIME_START_S, SECONDS_PER_DAY);
        }
    }
}

static void the_last_hours_of_2200_fire_like_all_others(void **state)
{
    (void)state;
    static const char *const names[] = {"America/New_York", "Europe/London", "Asia/Tokyo", "Australia/Lord_Howe"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        for (int policy = 0; policy < 9; policy++) {
            struct setting setting;
            const struct cron_clock *clock =
                set(&setting, "30 0-23 * * *", names[i], (enum dst_gap)(policy / 3), (enum dst_fold)(policy % 3));

            assert_as_by_the_rules(clock, names[i], TIME_END_S - SECONDS_PER_DAY, TIME_END_S);
        }
    }
}

/* A zone that changes at change_s, once. */
static struct zone *zone_with_change(int64_t change_s, int32_t before_s, int32_t after_s)
{
    struct zone_segment *segments = mem_alloc_array(2, sizeof *segments);

    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = before_s, .abbr = "AAA"};
    segments[1] = (struct zone_segment){.start_s = change_s, .offset_s = after_s, .abbr = "BBB"};
    return zone_new("Test/Change", segments, 2);
}

static void changes_at_the_very_ends_of_time_are_changes_too(void **state)
{
    (void)state;
    static const int64_t changes[] = {TIME_START_S, TIME_START_S + 600, TIME_END_S - 600, TIME_END_S, TIME_END_S + 600};
    struct setting setting = {.cron = cron_of("0,5,10,15,20,25,30,35,40,45,50,55 0,23 * * *")};

    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        for (int policy = 0; policy < 18; policy++) {
            struct zone *zone = zone_with_change(changes[i], policy < 9 ? 3600 : 0, policy < 9 ? 0 : 3600);

            setting.clock =
                (struct cron_clock){&setting.cron, zone, {(enum dst_gap)(policy % 9 / 3), (enum dst_fold)(policy % 3)}};
            assert_as_by_the_rules(&setting.clock, "at the ends", TIME_START_S, SECONDS_PER_DAY);
            assert_as_by_the_rules(&setting.clock, "at the ends", TIME_END_S - SECONDS_PER_DAY, TIME_END_S);
            zone_free(zone);
        }
    }
}

/* The clock jumps over 23:50 to 00:49 ten minutes before 1970: shifted, most of that fires in 1970. */
static void a_gap_that_reaches_into_1970_shifts_its_times_there(void **state)
{
    (void)state;
    struct setting setting = {.cron = cron_of("0,30 0 * * *")};
    struct zone *zone = zone_with_change(TIME_START_S - 600, 0, 3600);

    setting.clock = (struct cron_clock){&setting.cron, zone, {DST_GAP_SHIFT, DST_FOLD_FIRST}};
    assert_fires(&setting.clock, "1970-01-01T00:00:00Z", "1970-01-01T12:00:00Z",
                 "1970-01-01T00:00:00Z 1970-01-01T00:30:00Z");
    zone_free(zone);
}

static void policies_have_names(void **state)
{
    (void)state;
    static const char *const gaps[] = {"after", "shift", "skip"};
    static const char *const folds[] = {"first", "second", "both"};

    for (int i = 0; i < 3; i++) {
        enum dst_gap gap = DST_GAP_SKIP;
        enum dst_fold fold = DST_FOLD_BOTH;

        assert_int_equal(dst_gap_parse(str_from(gaps[i]), &gap, NULL), ERR_OK);
        assert_int_equal(gap, i);
        assert_int_equal(dst_fold_parse(str_from(folds[i]), &fold, NULL), ERR_OK);
        assert_int_equal(fold, i);
    }
}

static void unknown_policies_are_refused_with_the_ones_there_are(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "After", "none", "afterwards", "firs"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct error error = {0};
        enum dst_gap gap = DST_GAP_SHIFT;
        enum dst_fold fold = DST_FOLD_SECOND;

        assert_int_equal(dst_gap_parse(str_from(texts[i]), &gap, &error), ERR_INVALID);
        assert_contains(error.text, "after, shift and skip");
        assert_int_equal(gap, DST_GAP_SHIFT);
        assert_int_equal(dst_fold_parse(str_from(texts[i]), &fold, &error), ERR_INVALID);
        assert_contains(error.text, "first, second and both");
        assert_int_equal(fold, DST_FOLD_SECOND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_utc_a_schedule_fires_when_it_says),
        cmocka_unit_test(a_range_holds_its_beginning_and_not_its_end),
        cmocka_unit_test(next_is_after_and_prev_is_before_the_instant),
        cmocka_unit_test(new_york_in_spring_fires_a_jumped_over_time_as_the_policy_says),
        cmocka_unit_test(times_at_the_edges_of_a_gap_are_in_it_or_not),
        cmocka_unit_test(what_lands_on_the_same_instant_fires_once),
        cmocka_unit_test(shifted_times_keep_their_order_among_the_others),
        cmocka_unit_test(new_york_in_autumn_fires_a_repeated_time_as_the_policy_says),
        cmocka_unit_test(times_at_the_edges_of_a_fold_are_in_it_or_not),
        cmocka_unit_test(every_fifteen_minutes_has_no_hole_and_no_double),
        cmocka_unit_test(a_star_in_the_minute_alone_follows_the_clock_too),
        cmocka_unit_test(in_lord_howe_the_clock_moves_by_half_an_hour),
        cmocka_unit_test(in_troll_the_clock_moves_by_two_hours),
        cmocka_unit_test(in_havana_midnight_is_jumped_over_and_repeated),
        cmocka_unit_test(in_santiago_a_day_has_two_eleven_o_clocks_at_night),
        cmocka_unit_test(in_beirut_and_cairo_the_clock_changes_at_midnight),
        cmocka_unit_test(in_apia_a_whole_day_is_jumped_over),
        cmocka_unit_test(in_casablanca_the_clock_goes_back_for_ramadan),
        cmocka_unit_test(in_dublin_winter_is_the_exception_and_jumps_are_still_jumps),
        cmocka_unit_test(rules_reach_into_the_far_future),
        cmocka_unit_test(fires_lie_in_the_years_1970_to_2200_of_utc),
        cmocka_unit_test(a_schedule_that_is_over_has_no_next_and_one_to_come_no_previous),
        cmocka_unit_test(a_list_has_at_most_as_many_fires_as_there_is_room_for),
        cmocka_unit_test(the_ends_of_time_have_answers_too),
        cmocka_unit_test(random_zones_fire_as_the_rules_say),
        cmocka_unit_test(random_zones_fire_to_the_second),
        cmocka_unit_test(real_zones_fire_as_the_rules_say_around_their_changes),
        cmocka_unit_test(the_first_hours_of_1970_fire_like_all_others),
        cmocka_unit_test(the_last_hours_of_2200_fire_like_all_others),
        cmocka_unit_test(changes_at_the_very_ends_of_time_are_changes_too),
        cmocka_unit_test(a_gap_that_reaches_into_1970_shifts_its_times_there),
        cmocka_unit_test(policies_have_names),
        cmocka_unit_test(unknown_policies_are_refused_with_the_ones_there_are),
    };
    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
