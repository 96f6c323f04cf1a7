#include "../calendar/calendar_test.h"

#include "calendar/cron_fire.h"
#include "model/schedule.h"

#define MINUTE_MS 60000LL
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define TIME_START_MS (TIME_START_S * 1000)
#define TIME_END_MS (TIME_END_S * 1000)

static struct schedule once_at(const char *text)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_ONCE);

    schedule.once_ms = utc_ms(text);
    return schedule;
}

static struct schedule cron_in(const char *text, const char *zone)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_CRON);

    schedule.cron = cron_of(text);
    schedule.zone = zone_of(zone);
    return schedule;
}

static struct schedule every(int64_t every_ms, const char *first)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_EVERY);

    schedule.every_ms = every_ms;
    schedule.first_ms = utc_ms(first);
    return schedule;
}

static void assert_same_ms(int64_t got_ms, int64_t expected_ms)
{
    char got[INSTANT_BYTES];
    char expected[INSTANT_BYTES];

    if (got_ms != expected_ms) {
        fail_msg("got %s, expected %s", instant_format(got_ms, got), instant_format(expected_ms, expected));
    }
}

static void assert_next(const struct schedule *schedule, const char *after, const char *expected)
{
    int64_t at = 42;

    assert_true(schedule_next(schedule, utc_ms(after), &at));
    assert_same_ms(at, utc_ms(expected));
}

static void assert_no_next(const struct schedule *schedule, const char *after)
{
    int64_t at = 42;

    assert_false(schedule_next(schedule, utc_ms(after), &at));
    assert_int_equal(at, 42);
}

static void assert_prev(const struct schedule *schedule, const char *before, const char *expected)
{
    int64_t at = 42;

    assert_true(schedule_prev(schedule, utc_ms(before), &at));
    assert_same_ms(at, utc_ms(expected));
}

static void assert_no_prev(const struct schedule *schedule, const char *before)
{
    int64_t at = 42;

    assert_false(schedule_prev(schedule, utc_ms(before), &at));
    assert_int_equal(at, 42);
}

/* The fires in [from, to) are these (blanks between them), whichever way one asks. */
static void assert_fires(const struct schedule *schedule, const char *from, const char *to, const char *expected)
{
    int64_t fires[32];
    size_t count = schedule_list(schedule, utc_ms(from), utc_ms(to), fires, COUNT_OF(fires));
    char got[COUNT_OF(fires) * 32] = "";
    int64_t at = utc_ms(to);

    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(got);
        char out[INSTANT_BYTES];

        (void)snprintf(got + len, sizeof got - len, "%s%s", i > 0 ? " " : "", instant_format_short(fires[i], out));
    }
    assert_string_equal(got, expected);
    assert_int_equal(schedule_count(schedule, utc_ms(from), utc_ms(to)), count);
    for (size_t i = count; i-- > 0;) {
        assert_true(schedule_prev(schedule, at, &at));
        assert_same_ms(at, fires[i]);
    }
}

static void an_unbounded_schedule_has_neither_bounds_nor_jitter(void **state)
{
    (void)state;
    struct schedule schedule = schedule_unbounded(SCHEDULE_EVERY);

    assert_int_equal(schedule.kind, SCHEDULE_EVERY);
    assert_int_equal(schedule.starts_at_ms, SCHEDULE_NO_START);
    assert_int_equal(schedule.ends_at_ms, SCHEDULE_NO_END);
    assert_int_equal(schedule.max_fires, SCHEDULE_NO_MAX);
    assert_int_equal(schedule.jitter_ms, 0);
    assert_false(schedule.after_finish);
    assert_int_equal(schedule.dst.gap, DST_GAP_AFTER);
    assert_int_equal(schedule.dst.fold, DST_FOLD_FIRST);
}

static void once_is_once(void **state)
{
    (void)state;
    struct schedule schedule = once_at("2026-04-08T09:00:00.250Z");

    assert_next(&schedule, "1970-01-01T00:00:00Z", "2026-04-08T09:00:00.250Z");
    assert_next(&schedule, "2026-04-08T09:00:00.249Z", "2026-04-08T09:00:00.250Z");
    assert_no_next(&schedule, "2026-04-08T09:00:00.250Z");
    assert_prev(&schedule, "2026-04-08T09:00:00.251Z", "2026-04-08T09:00:00.250Z");
    assert_no_prev(&schedule, "2026-04-08T09:00:00.250Z");
    assert_fires(&schedule, "2026-04-08T09:00:00.250Z", "2026-04-08T09:00:00.251Z", "2026-04-08T09:00:00.250Z");
    assert_fires(&schedule, "2026-04-08T09:00:00.251Z", "2200-01-01T00:00:00Z", "");
    assert_fires(&schedule, "1970-01-01T00:00:00Z", "2026-04-08T09:00:00.250Z", "");
    assert_int_equal(schedule_count(&schedule, INT64_MIN, INT64_MAX), 1);
}

static void cron_fires_on_whole_seconds_whatever_the_milliseconds_asked_with(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("0 9 * * *", "UTC");

    assert_next(&schedule, "2026-04-08T08:59:59.999Z", "2026-04-08T09:00:00Z");
    assert_next(&schedule, "2026-04-08T09:00:00.000Z", "2026-04-09T09:00:00Z");
    assert_next(&schedule, "2026-04-08T09:00:00.001Z", "2026-04-09T09:00:00Z");
    assert_prev(&schedule, "2026-04-08T09:00:00.001Z", "2026-04-08T09:00:00Z");
    assert_prev(&schedule, "2026-04-08T09:00:00.000Z", "2026-04-07T09:00:00Z");
    assert_prev(&schedule, "2026-04-08T08:59:59.999Z", "2026-04-07T09:00:00Z");
    assert_fires(&schedule, "2026-04-08T09:00:00.000Z", "2026-04-09T09:00:00.000Z", "2026-04-08T09:00:00Z");
    assert_fires(&schedule, "2026-04-08T09:00:00.001Z", "2026-04-09T09:00:00.000Z", "");
    assert_fires(&schedule, "2026-04-08T08:59:59.001Z", "2026-04-08T09:00:00.001Z", "2026-04-08T09:00:00Z");
}

static void cron_fires_in_its_zone_with_its_policies(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("30 1,2 * * *", "America/New_York");

    assert_fires(&schedule, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z",
                 "2026-03-08T06:30:00Z 2026-03-08T07:00:00Z");
    schedule.dst = (struct dst){DST_GAP_SKIP, DST_FOLD_BOTH};
    assert_fires(&schedule, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", "2026-03-08T06:30:00Z");
    assert_fires(&schedule, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z",
                 "2026-11-01T05:30:00Z 2026-11-01T06:30:00Z 2026-11-01T07:30:00Z");
}

static void an_interval_is_aligned_to_its_first_fire(void **state)
{
    (void)state;
    struct schedule schedule = every(7 * MINUTE_MS, "2026-04-08T09:00:00.500Z");

    assert_no_prev(&schedule, "2026-04-08T09:00:00.500Z");
    assert_next(&schedule, "1970-01-01T00:00:00Z", "2026-04-08T09:00:00.500Z");
    assert_next(&schedule, "2026-04-08T09:00:00.499Z", "2026-04-08T09:00:00.500Z");
    assert_next(&schedule, "2026-04-08T09:00:00.500Z", "2026-04-08T09:07:00.500Z");
    assert_next(&schedule, "2026-04-08T09:06:59.999Z", "2026-04-08T09:07:00.500Z");
    assert_next(&schedule, "2026-04-08T09:30:00.000Z", "2026-04-08T09:35:00.500Z"); /* however late one asks */
    assert_prev(&schedule, "2026-04-08T09:00:00.501Z", "2026-04-08T09:00:00.500Z");
    assert_prev(&schedule, "2026-04-08T09:07:00.500Z", "2026-04-08T09:00:00.500Z");
    assert_prev(&schedule, "2026-04-08T09:07:00.501Z", "2026-04-08T09:07:00.500Z");
    assert_fires(&schedule, "2026-04-08T09:07:00.500Z", "2026-04-08T09:21:00.500Z",
                 "2026-04-08T09:07:00.500Z 2026-04-08T09:14:00.500Z");
    assert_fires(&schedule, "2026-04-08T09:07:00.501Z", "2026-04-08T09:14:00.500Z", "");
}

static void an_interval_that_began_before_time_is_aligned_all_the_same(void **state)
{
    (void)state;
    struct schedule schedule = every(HOUR_MS, "1970-01-01T00:00:00Z");

    schedule.first_ms = -90 * MINUTE_MS;
    assert_next(&schedule, "1970-01-01T00:00:00Z", "1970-01-01T00:30:00Z");
    assert_no_prev(&schedule, "1970-01-01T00:30:00Z");
    assert_fires(&schedule, "1970-01-01T00:00:00Z", "1970-01-01T02:00:00Z",
                 "1970-01-01T00:30:00Z 1970-01-01T01:30:00Z");
}

static void an_interval_from_finish_to_start_knows_only_its_first_fire(void **state)
{
    (void)state;
    struct schedule schedule = every(5 * MINUTE_MS, "2026-04-08T09:00:00Z");
    int64_t at = 42;

    schedule.after_finish = true;
    assert_next(&schedule, "1970-01-01T00:00:00Z", "2026-04-08T09:00:00Z");
    assert_no_next(&schedule, "2026-04-08T09:00:00Z");
    assert_prev(&schedule, "2026-05-01T00:00:00Z", "2026-04-08T09:00:00Z");
    assert_no_prev(&schedule, "2026-04-08T09:00:00Z");
    assert_fires(&schedule, "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "2026-04-08T09:00:00Z");
    assert_true(schedule_next_after_finish(&schedule, utc_ms("2026-04-08T09:03:00.125Z"), &at));
    assert_same_ms(at, utc_ms("2026-04-08T09:08:00.125Z"));
}

static void what_comes_after_a_finish_stays_within_the_bounds(void **state)
{
    (void)state;
    struct schedule schedule = every(5 * MINUTE_MS, "2026-04-08T09:00:00Z");
    int64_t at = 42;

    schedule.after_finish = true;
    schedule.starts_at_ms = utc_ms("2026-04-08T09:00:00Z");
    schedule.ends_at_ms = utc_ms("2026-04-08T10:00:00Z");
    assert_true(schedule_next_after_finish(&schedule, utc_ms("2026-04-08T08:00:00Z"), &at));
    assert_same_ms(at, utc_ms("2026-04-08T09:00:00Z"));
    assert_true(schedule_next_after_finish(&schedule, utc_ms("2026-04-08T09:54:59.999Z"), &at));
    assert_same_ms(at, utc_ms("2026-04-08T09:59:59.999Z"));
    at = 42;
    assert_false(schedule_next_after_finish(&schedule, utc_ms("2026-04-08T09:55:00Z"), &at));
    assert_int_equal(at, 42);
}

static void fires_lie_from_the_start_to_before_the_end(void **state)
{
    (void)state;
    struct schedule schedules[] = {
        once_at("2026-04-08T09:00:00Z"),
        cron_in("0 9 8 4 *", "UTC"),
        every(DAY_MS * 365, "2025-04-08T09:00:00Z"),
    };
    int64_t fire_ms = utc_ms("2026-04-08T09:00:00Z");

    for (size_t i = 0; i < COUNT_OF(schedules); i++) {
        const struct {
            int64_t starts_at_ms;
            int64_t ends_at_ms;
            int64_t count;
        } rows[] = {
            {fire_ms, fire_ms + 1, 1},     {fire_ms, SCHEDULE_NO_END, 1},   {SCHEDULE_NO_START, fire_ms + 1, 1},
            {fire_ms + 1, fire_ms + 2, 0}, {fire_ms - 1, fire_ms, 0},       {fire_ms, fire_ms, 0},
            {fire_ms + 1, fire_ms - 1, 0}, {INT64_MAX, SCHEDULE_NO_END, 0}, {SCHEDULE_NO_START, INT64_MIN, 0},
            {INT64_MAX, INT64_MIN, 0},     {SCHEDULE_NO_START, fire_ms, 0},
        };

        for (size_t j = 0; j < COUNT_OF(rows); j++) {
            int64_t from_ms = fire_ms - DAY_MS;
            int64_t to_ms = fire_ms + DAY_MS;
            int64_t at = 42;
            int64_t fires[2];

            schedules[i].starts_at_ms = rows[j].starts_at_ms;
            schedules[i].ends_at_ms = rows[j].ends_at_ms;
            assert_int_equal(schedule_count(&schedules[i], from_ms, to_ms), rows[j].count);
            assert_int_equal(schedule_list(&schedules[i], from_ms, to_ms, fires, 2), rows[j].count);
            assert_int_equal(schedule_next(&schedules[i], from_ms, &at) && at < to_ms, rows[j].count == 1);
            assert_int_equal(schedule_prev(&schedules[i], to_ms, &at) && at >= from_ms, rows[j].count == 1);
        }
    }
}

static void bounds_may_lie_between_whole_seconds(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("* * * * * ?", "UTC");

    schedule.starts_at_ms = utc_ms("2026-04-08T09:00:00.001Z");
    schedule.ends_at_ms = utc_ms("2026-04-08T09:00:02.001Z");
    assert_fires(&schedule, "2026-04-08T00:00:00Z", "2026-04-09T00:00:00Z",
                 "2026-04-08T09:00:01Z 2026-04-08T09:00:02Z");
    assert_next(&schedule, "1970-01-01T00:00:00Z", "2026-04-08T09:00:01Z");
    assert_prev(&schedule, "2200-01-01T00:00:00Z", "2026-04-08T09:00:02Z");
    assert_no_next(&schedule, "2026-04-08T09:00:02Z");
    assert_no_prev(&schedule, "2026-04-08T09:00:01Z");
}

static void a_job_fires_at_most_so_many_times(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("0 9 * * *", "UTC");
    int64_t at = 42;

    schedule.max_fires = 2;
    assert_true(schedule_next_counted(&schedule, 0, 0, &at));
    assert_same_ms(at, utc_ms("1970-01-01T09:00:00Z"));
    assert_true(schedule_next_counted(&schedule, at, 1, &at));
    assert_same_ms(at, utc_ms("1970-01-02T09:00:00Z"));
    assert_false(schedule_next_counted(&schedule, at, 2, &at));
    assert_false(schedule_next_counted(&schedule, at, 3, &at));
    assert_same_ms(at, utc_ms("1970-01-02T09:00:00Z"));
    schedule.max_fires = SCHEDULE_NO_MAX;
    assert_true(schedule_next_counted(&schedule, 0, 1000000000, &at));
    schedule.ends_at_ms = 1;
    assert_false(schedule_next_counted(&schedule, 0, 0, &at));
}

static void a_list_has_at_most_as_many_fires_as_there_is_room_for(void **state)
{
    (void)state;
    struct schedule schedule = every(1000, "2026-04-08T09:00:00Z");
    int64_t fires[3] = {0, 0, 42};

    assert_int_equal(schedule_list(&schedule, 0, INT64_MAX, fires, 2), 2);
    assert_same_ms(fires[0], utc_ms("2026-04-08T09:00:00Z"));
    assert_same_ms(fires[1], utc_ms("2026-04-08T09:00:01Z"));
    assert_int_equal(fires[2], 42);
    assert_int_equal(schedule_list(&schedule, 0, INT64_MAX, fires, 0), 0);
}

static void time_ends_with_2200_for_every_kind(void **state)
{
    (void)state;
    struct schedule once = schedule_unbounded(SCHEDULE_ONCE);
    struct schedule by_cron = cron_in("* * * * * ?", "Asia/Tokyo");
    struct schedule interval = every(1000, "1970-01-01T00:00:00Z");
    int64_t at = 42;

    once.once_ms = TIME_END_MS;
    assert_false(schedule_next(&once, 0, &at));
    assert_false(schedule_prev(&once, INT64_MAX, &at));
    once.once_ms = -1;
    assert_false(schedule_next(&once, INT64_MIN, &at));
    assert_false(schedule_prev(&once, INT64_MAX, &at));
    assert_int_equal(at, 42);
    assert_true(schedule_prev(&by_cron, INT64_MAX, &at));
    assert_same_ms(at, TIME_END_MS - 1000);
    assert_false(schedule_next(&by_cron, TIME_END_MS - 1000, &at));
    assert_true(schedule_prev(&interval, INT64_MAX, &at));
    assert_same_ms(at, TIME_END_MS - 1000);
    assert_false(schedule_next(&interval, TIME_END_MS - 1000, &at));
    interval.first_ms = TIME_END_MS;
    assert_false(schedule_next(&interval, 0, &at));
    assert_false(schedule_prev(&interval, INT64_MAX, &at));
}

static void the_ends_of_time_have_answers_too(void **state)
{
    (void)state;
    struct schedule schedules[] = {
        once_at("2026-04-08T09:00:00Z"),
        cron_in("* * * * *", "Asia/Tokyo"),
        cron_in("* * * * *", "America/New_York"),
        every(MINUTE_MS, "1970-01-01T00:00:00Z"),
        every(DURATION_MAX_MS, "2100-01-01T00:00:00Z"),
        every(EVERY_MIN_MS, "1970-01-01T00:00:00Z"),
    };

    for (size_t i = 0; i < COUNT_OF(schedules); i++) {
        const struct schedule *schedule = &schedules[i];
        int64_t first = 0;
        int64_t last = 0;
        int64_t at = 42;
        int64_t fires[2];

        assert_false(schedule_next(schedule, INT64_MAX, &at));
        assert_false(schedule_prev(schedule, INT64_MIN, &at));
        assert_int_equal(at, 42);
        assert_true(schedule_next(schedule, INT64_MIN, &first));
        assert_true(schedule_prev(schedule, INT64_MAX, &last));
        assert_true(first >= TIME_START_MS && first <= last && last < TIME_END_MS);
        assert_int_equal(schedule_count(schedule, INT64_MIN, INT64_MAX), schedule_count(schedule, first, last + 1));
        assert_int_equal(schedule_count(schedule, INT64_MAX, INT64_MIN), 0);
        assert_int_equal(schedule_count(schedule, INT64_MIN, INT64_MIN), 0);
        assert_int_equal(schedule_count(schedule, INT64_MAX, INT64_MAX), 0);
        assert_true(schedule_list(schedule, INT64_MIN, INT64_MAX, fires, 2) >= 1);
        assert_same_ms(fires[0], first);
        assert_int_equal(schedule_list(schedule, INT64_MAX, INT64_MAX, fires, 2), 0);
        assert_int_equal(schedule_list(schedule, INT64_MIN, INT64_MIN, fires, 2), 0);
        assert_false(schedule_next_counted(schedule, INT64_MIN, INT64_MAX, &at));
    }
}

static void a_run_that_ended_at_the_end_of_time_is_followed_by_nothing(void **state)
{
    (void)state;
    struct schedule schedule = every(5 * MINUTE_MS, "2026-04-08T09:00:00Z");
    int64_t at = 42;

    schedule.after_finish = true;
    assert_false(schedule_next_after_finish(&schedule, TIME_END_MS, &at));
    assert_false(schedule_next_after_finish(&schedule, INT64_MAX, &at));
    assert_false(schedule_next_after_finish(&schedule, INT64_MAX - 1, &at));
    assert_int_equal(at, 42);
    assert_true(schedule_next_after_finish(&schedule, INT64_MIN, &at));
    assert_same_ms(at, TIME_START_MS);
}

/* Any of the three kinds, with any bounds, within some days of 2026. */
static struct schedule random_schedule(struct rng *rng, int64_t middle_ms)
{
    static const char *const texts[] = {"*/20 * * * *", "0 */3 * * *", "30 1,2 * * *", "0 9 * * 1-5", "*/30 0 * * * ?"};
    static const char *const zones[] = {"UTC", "America/New_York", "Australia/Lord_Howe"};
    struct schedule schedule = schedule_unbounded((enum schedule_kind)rng_below(rng, 3));

    schedule.once_ms = middle_ms + rng_between(rng, -DAY_MS, DAY_MS);
    schedule.cron = cron_of(texts[rng_below(rng, COUNT_OF(texts))]);
    schedule.zone = zone_of(zones[rng_below(rng, COUNT_OF(zones))]);
    schedule.dst = (struct dst){(enum dst_gap)rng_below(rng, 3), (enum dst_fold)rng_below(rng, 3)};
    schedule.every_ms = rng_between(rng, 10 * MINUTE_MS, DAY_MS);
    schedule.first_ms = middle_ms + rng_between(rng, -3 * DAY_MS, DAY_MS);
    schedule.after_finish = rng_chance(rng, 1, 5);
    if (rng_chance(rng, 1, 2)) {
        schedule.starts_at_ms = middle_ms + rng_between(rng, -2 * DAY_MS, DAY_MS);
    }
    if (rng_chance(rng, 1, 2)) {
        schedule.ends_at_ms = middle_ms + rng_between(rng, -DAY_MS, 2 * DAY_MS);
    }
    return schedule;
}

/* All fires of a schedule in a range, bounds included, from its definition. */
static size_t fires_by_definition(const struct schedule *schedule, int64_t from_ms, int64_t to_ms, int64_t *fires)
{
    struct cron_clock clock = {&schedule->cron, schedule->zone, schedule->dst};
    int64_t candidates[4096];
    size_t count = 0;
    size_t kept = 0;

    if (schedule->kind == SCHEDULE_ONCE) {
        candidates[count++] = schedule->once_ms;
    } else if (schedule->kind == SCHEDULE_CRON) {
        count = cron_list(&clock, from_ms / 1000 - 1, to_ms / 1000 + 1, candidates, COUNT_OF(candidates));
    } else {
        for (int64_t at = schedule->first_ms; at < to_ms; at += schedule->every_ms) {
            candidates[count++] = at;
            if (schedule->after_finish) {
                break;
            }
        }
    }
    assert_true(count < COUNT_OF(candidates));
    for (size_t i = 0; i < count; i++) {
        int64_t at = candidates[i] * (schedule->kind == SCHEDULE_CRON ? 1000 : 1);

        if (at >= from_ms && at < to_ms && at >= schedule->starts_at_ms && at < schedule->ends_at_ms) {
            fires[kept++] = at;
        }
    }
    return kept;
}

static void next_prev_count_and_list_agree_with_the_definition(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 600; i++) {
        int64_t middle_ms = utc_ms(i % 2 == 0 ? "2026-03-08T07:00:00Z" : "2026-11-01T06:00:00Z");
        struct schedule schedule = random_schedule(&rng, middle_ms);
        int64_t from_ms = middle_ms + rng_between(&rng, -DAY_MS, 0);
        int64_t to_ms = middle_ms + rng_between(&rng, 0, DAY_MS);
        int64_t expected[4096];
        int64_t fires[4096];
        size_t count = fires_by_definition(&schedule, from_ms, to_ms, expected);
        int64_t after = from_ms - 1;
        int64_t at = 0;

        assert_int_equal(schedule_list(&schedule, from_ms, to_ms, fires, COUNT_OF(fires)), count);
        assert_int_equal(schedule_count(&schedule, from_ms, to_ms), count);
        for (size_t j = 0; j < count; j++) {
            assert_same_ms(fires[j], expected[j]);
            assert_true(schedule_next(&schedule, after, &at));
            assert_same_ms(at, expected[j]);
            if (j > 0) {
                assert_true(schedule_prev(&schedule, expected[j], &at));
                assert_same_ms(at, expected[j - 1]);
            }
            after = expected[j];
        }
        assert_false(schedule_next(&schedule, after, &at) && at < to_ms);
        assert_int_equal(schedule_prev(&schedule, to_ms, &at) && at >= from_ms, count > 0);
    }
}

static void without_jitter_a_fire_is_due_at_its_nominal_time(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("0 9 * * *", "UTC");
    int64_t nominal_ms = utc_ms("2026-04-08T09:00:00Z");

    assert_same_ms(schedule_due_ms(&schedule, 1, nominal_ms), nominal_ms);
    schedule.jitter_ms = -1;
    assert_same_ms(schedule_due_ms(&schedule, 1, nominal_ms), nominal_ms);
    schedule.jitter_ms = 1;
    assert_same_ms(schedule_due_ms(&schedule, 1, nominal_ms), nominal_ms);
}

/* Running installations are due at these times: a change here is a bug in the code, not in the test. */
static void the_jitter_of_a_job_and_a_fire_never_changes(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("0 9 * * *", "UTC");
    int64_t nominal_ms = utc_ms("2026-04-08T09:00:00Z");

    schedule.jitter_ms = MINUTE_MS;
    assert_int_equal(schedule_due_ms(&schedule, 1, nominal_ms) - nominal_ms, 35627);
    assert_int_equal(schedule_due_ms(&schedule, 2, nominal_ms) - nominal_ms, 11252);
    assert_int_equal(schedule_due_ms(&schedule, 1, nominal_ms + DAY_MS) - nominal_ms - DAY_MS, 38993);
    schedule.jitter_ms = HOUR_MS;
    assert_int_equal(schedule_due_ms(&schedule, UINT64_C(0xfedcba9876543210), nominal_ms) - nominal_ms, 89683);
}

static void jitter_only_delays_and_is_less_than_its_maximum(void **state)
{
    (void)state;
    struct schedule schedules[] = {cron_in("0 9 * * *", "Europe/Paris"), every(HOUR_MS, "2026-04-08T09:00:00Z"),
                                   once_at("2026-04-08T09:00:00Z")};
    struct rng rng;

    seed_rng(&rng);
    for (size_t i = 0; i < COUNT_OF(schedules); i++) {
        schedules[i].jitter_ms = 30 * MINUTE_MS;
        for (int j = 0; j < 1000; j++) {
            int64_t nominal_ms = 0;
            uint64_t job_id = rng_next(&rng);

            assert_true(schedule_next(&schedules[i], utc_ms("2026-04-08T08:00:00Z"), &nominal_ms));
            int64_t late_ms = schedule_due_ms(&schedules[i], job_id, nominal_ms) - nominal_ms;
            assert_true(late_ms >= 0 && late_ms < 30 * MINUTE_MS);
            assert_int_equal(schedule_due_ms(&schedules[i], job_id, nominal_ms) - nominal_ms, late_ms);
        }
    }
}

static void jitter_is_spread_evenly_over_jobs_and_over_fires(void **state)
{
    (void)state;
    struct schedule schedule = cron_in("0 9 * * *", "UTC");
    int jobs[10] = {0};
    int fires[10] = {0};
    int64_t nominal_ms = utc_ms("2026-04-08T09:00:00Z");

    schedule.jitter_ms = 10000;
    for (int i = 0; i < 5000; i++) {
        int64_t fire_ms = nominal_ms + i * DAY_MS;

        jobs[(schedule_due_ms(&schedule, (uint64_t)i, nominal_ms) - nominal_ms) / 1000]++;
        fires[(schedule_due_ms(&schedule, 7, fire_ms) - fire_ms) / 1000]++;
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(jobs[i], 400, 600);
        assert_in_range(fires[i], 400, 600);
    }
}

static void no_fire_is_due_after_the_next_ones_nominal_time(void **state)
{
    (void)state;
    struct schedule schedules[] = {
        cron_in("*/2 * * * *", "America/New_York"),
        cron_in("0,1,30 * * * *", "UTC"),
        every(90000, "2026-04-08T09:00:00Z"),
        every(EVERY_MIN_MS, "2026-04-08T09:00:00Z"),
    };

    for (size_t i = 0; i < COUNT_OF(schedules); i++) {
        int64_t nominal_ms = utc_ms("2026-04-08T09:00:00Z") - 1;
        int64_t due_before_ms = 0;

        schedules[i].jitter_ms = DAY_MS;
        for (uint64_t fire = 0; fire < 500; fire++) {
            int64_t next_ms = 0;

            assert_true(schedule_next(&schedules[i], nominal_ms, &nominal_ms));
            assert_true(schedule_next(&schedules[i], nominal_ms, &next_ms));
            int64_t due_ms = schedule_due_ms(&schedules[i], 17, nominal_ms);
            assert_true(due_ms >= nominal_ms && due_ms < next_ms);
            assert_true(due_ms > due_before_ms);
            due_before_ms = due_ms;
        }
    }
}

static void the_last_fire_has_all_the_room_there_is(void **state)
{
    (void)state;
    struct schedule schedule = every(MINUTE_MS, "2026-04-08T09:00:00Z");
    int64_t last_ms = utc_ms("2026-04-08T09:00:00Z");
    int64_t latest_ms = 0;

    schedule.ends_at_ms = last_ms + 1;
    schedule.jitter_ms = HOUR_MS;
    for (uint64_t job = 0; job < 200; job++) {
        int64_t late_ms = schedule_due_ms(&schedule, job, last_ms) - last_ms;

        assert_true(late_ms >= 0 && late_ms < HOUR_MS);
        latest_ms = late_ms > latest_ms ? late_ms : latest_ms;
    }
    assert_true(latest_ms > MINUTE_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unbounded_schedule_has_neither_bounds_nor_jitter),
        cmocka_unit_test(once_is_once),
        cmocka_unit_test(cron_fires_on_whole_seconds_whatever_the_milliseconds_asked_with),
        cmocka_unit_test(cron_fires_in_its_zone_with_its_policies),
        cmocka_unit_test(an_interval_is_aligned_to_its_first_fire),
        cmocka_unit_test(an_interval_that_began_before_time_is_aligned_all_the_same),
        cmocka_unit_test(an_interval_from_finish_to_start_knows_only_its_first_fire),
        cmocka_unit_test(what_comes_after_a_finish_stays_within_the_bounds),
        cmocka_unit_test(fires_lie_from_the_start_to_before_the_end),
        cmocka_unit_test(bounds_may_lie_between_whole_seconds),
        cmocka_unit_test(a_job_fires_at_most_so_many_times),
        cmocka_unit_test(a_list_has_at_most_as_many_fires_as_there_is_room_for),
        cmocka_unit_test(time_ends_with_2200_for_every_kind),
        cmocka_unit_test(the_ends_of_time_have_answers_too),
        cmocka_unit_test(a_run_that_ended_at_the_end_of_time_is_followed_by_nothing),
        cmocka_unit_test(next_prev_count_and_list_agree_with_the_definition),
        cmocka_unit_test(without_jitter_a_fire_is_due_at_its_nominal_time),
        cmocka_unit_test(the_jitter_of_a_job_and_a_fire_never_changes),
        cmocka_unit_test(jitter_only_delays_and_is_less_than_its_maximum),
        cmocka_unit_test(jitter_is_spread_evenly_over_jobs_and_over_fires),
        cmocka_unit_test(no_fire_is_due_after_the_next_ones_nominal_time),
        cmocka_unit_test(the_last_fire_has_all_the_room_there_is),
    };
    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
