#include "forecast/forecast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "calendar/cron.h"

/* 2026-04-08T00:00:00Z. */
#define MIDNIGHT_MS INT64_C(1775606400000)
#define SECOND_MS INT64_C(1000)
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
/* 2027-03-28T01:00:00Z and 2026-10-25T01:00:00Z, when clocks of Paris go forward and back. */
#define SPRING_S INT64_C(1806195600)
#define AUTUMN_S INT64_C(1792890000)

/* ---- what goes in ---- */

static struct zone *zone_of(int64_t turn_s, int32_t before_s, int32_t after_s)
{
    struct zone_segment *segments = mem_alloc_array(2, sizeof *segments);

    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = before_s, .abbr = "BEF"};
    segments[1] = (struct zone_segment){.start_s = turn_s, .offset_s = after_s, .abbr = "AFT"};
    return zone_new("Europe/Paris", segments, 2);
}

static struct schedule cron(const char *expression, const struct zone *zone)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_CRON);
    struct error error;

    if (cron_parse(str_from(expression), STR("seed"), &schedule.cron, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    schedule.zone = zone;
    return schedule;
}

static struct schedule every(int64_t every_ms, int64_t first_ms)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_EVERY);

    schedule.every_ms = every_ms;
    schedule.first_ms = first_ms;
    return schedule;
}

static struct schedule once(int64_t at_ms)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_ONCE);

    schedule.once_ms = at_ms;
    return schedule;
}

/* A job whose next fire is the schedule's first after midnight. */
static struct forecast_job job_of(uint64_t id, const struct schedule *schedule, int64_t run_ms)
{
    struct forecast_job job = {.id = id,
                               .tenant = STR("acme"),
                               .name = STR("backup"),
                               .type = STR("report"),
                               .pool = STR("default"),
                               .schedule = schedule,
                               .overlap = OVERLAP_SKIP,
                               .source = run_ms > 0 ? FORECAST_MEASURED : FORECAST_UNKNOWN,
                               .median_ms = run_ms,
                               .p95_ms = run_ms};

    assert_true(schedule_next(schedule, MIDNIGHT_MS, &job.cursor_ms));
    return job;
}

static struct forecast *play(const struct forecast_job *jobs, size_t count, int64_t window_ms, int64_t capacity)
{
    const struct forecast_pool pool = {.name = STR("default"), .capacity = capacity};
    const struct forecast_input input = {.now_ms = MIDNIGHT_MS,
                                         .to_ms = MIDNIGHT_MS + window_ms,
                                         .jobs = jobs,
                                         .job_count = count,
                                         .pools = &pool,
                                         .pool_count = 1,
                                         .cut_ms = INT64_MAX};

    return forecast_new(&input);
}

static bool says(struct forecast *forecast, const char *text)
{
    const char *sentences[50];
    size_t count = forecast_sentences(forecast, sentences, 50);

    for (size_t i = 0; i < count; i++) {
        if (strstr(sentences[i], text) != NULL) {
            return true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        print_message("# %s\n", sentences[i]);
    }
    return false;
}

/* ---- herds ---- */

static void sixty_jobs_at_two_o_clock_are_a_herd_each_day_and_can_be_spread(void **state)
{
    struct zone *utc = zone_new_fixed("UTC", "UTC", 0);
    const struct schedule at_two = cron("0 2 * * *", utc);
    struct forecast_job jobs[60];

    (void)state;
    for (uint64_t i = 0; i < 60; i++) {
        jobs[i] = job_of(i + 1, &at_two, 0);
    }
    struct forecast *forecast = play(jobs, 60, 2 * DAY_MS, 0);

    assert_int_equal(forecast->fires, 120);
    assert_int_equal(forecast->herd_above, 50);
    assert_int_equal(forecast->herd_count, 2);
    assert_int_equal(forecast->herds[0].at_ms, MIDNIGHT_MS + 2 * HOUR_MS);
    assert_int_equal(forecast->herds[1].at_ms, MIDNIGHT_MS + 26 * HOUR_MS);
    assert_int_equal(forecast->herds[0].count, 60);
    assert_true(str_is(forecast->herds[0].types[0].name, "report"));
    assert_int_equal(forecast->herds[0].types[0].count, 60);
    assert_int_equal(forecast->herds[0].movable, 60);
    assert_int_equal(forecast->herds[0].peak_after, 2); /* 60 in 31 minutes */
    assert_int_equal(forecast->herds[0].move_count, FORECAST_MOVES_MAX);
    assert_int_equal(forecast->herds[0].moves[0].by_ms, MINUTE_MS);
    assert_true(
        says(forecast, "2 minutes have more than 50 fires; the largest is on Wed 8 Apr 2026 02:00 UTC with 60."));
    assert_true(says(forecast, "Of 60 of 60 jobs no run was measured"));
    forecast_free(forecast);
    zone_free(utc);
}

static void jobs_that_fire_once_are_not_told_to_move(void **state)
{
    const struct schedule at_ten = once(MIDNIGHT_MS + 10 * HOUR_MS);
    struct forecast_job jobs[51];

    (void)state;
    for (uint64_t i = 0; i < 51; i++) {
        jobs[i] = job_of(i + 1, &at_ten, 0);
    }
    struct forecast *forecast = play(jobs, 51, DAY_MS, 0);

    assert_int_equal(forecast->herd_count, 1);
    assert_int_equal(forecast->herds[0].count, 51);
    assert_int_equal(forecast->herds[0].movable, 0);
    assert_int_equal(forecast->herds[0].peak_after, 51);
    forecast_free(forecast);
}

/* ---- overlaps ---- */

/* Fires at 10, 20, 30, 40 and 50 minutes; a run takes 15. */
static void check_overlap(enum job_overlap policy, int64_t expected)
{
    const struct schedule schedule = every(10 * MINUTE_MS, MIDNIGHT_MS + 10 * MINUTE_MS);
    struct forecast_job job = job_of(1, &schedule, 15 * MINUTE_MS);

    job.overlap = policy;
    struct forecast *forecast = play(&job, 1, HOUR_MS, 0);

    assert_int_equal(forecast->fires, 5);
    assert_int_equal(forecast->overlap_count, 1);
    assert_int_equal(forecast->overlaps[0].fires, 5);
    assert_int_equal(forecast->overlaps[0].expected, expected);
    assert_int_equal(forecast->overlaps[0].shortest_ms, 10 * MINUTE_MS);
    assert_int_equal(forecast->overlaps[0].first_ms, MIDNIGHT_MS + 20 * MINUTE_MS);
    assert_int_equal(forecast->overlaps[0].policy, policy);
    forecast_free(forecast);
}

static void a_run_longer_than_its_interval_overlaps_by_its_policy(void **state)
{
    (void)state;
    check_overlap(OVERLAP_SKIP, 2);  /* 10 to 25, 30 to 45, 50: those at 20 and 40 are skipped */
    check_overlap(OVERLAP_QUEUE, 4); /* 10 to 25, 25 to 40, 40 to 55, 55 to 70, ...: each finds one before */
    check_overlap(OVERLAP_ALLOW, 4);
}

static void a_run_that_is_long_at_times_may_overlap(void **state)
{
    const struct schedule schedule = every(10 * MINUTE_MS, MIDNIGHT_MS + 10 * MINUTE_MS);
    struct forecast_job job = job_of(1, &schedule, 2 * MINUTE_MS);

    (void)state;
    job.p95_ms = 11 * MINUTE_MS;
    struct forecast *forecast = play(&job, 1, HOUR_MS, 0);

    assert_int_equal(forecast->overlap_count, 1);
    assert_int_equal(forecast->overlaps[0].expected, 0);
    assert_int_equal(forecast->overlaps[0].possible, 4);
    assert_true(says(forecast,
                     "acme/backup runs for 11 min at times and fires every 10 min at the closest: 4 of 5 fires may "
                     "overlap and are skipped."));
    forecast_free(forecast);
}

static void a_short_run_overlaps_with_nothing(void **state)
{
    const struct schedule schedule = every(10 * MINUTE_MS, MIDNIGHT_MS + 10 * MINUTE_MS);
    const struct forecast_job job = job_of(1, &schedule, 9 * MINUTE_MS);
    struct forecast *forecast = play(&job, 1, HOUR_MS, 0);

    (void)state;
    assert_int_equal(forecast->overlap_count, 0);
    forecast_free(forecast);
}

static void what_counts_from_its_end_never_overlaps(void **state)
{
    struct schedule schedule = every(10 * MINUTE_MS, MIDNIGHT_MS + 10 * MINUTE_MS);

    (void)state;
    schedule.after_finish = true;
    const struct forecast_job job = job_of(1, &schedule, 10 * MINUTE_MS);
    struct forecast *forecast = play(&job, 1, HOUR_MS, 0);

    assert_int_equal(forecast->fires, 3); /* 10 to 20, 30 to 40, 50 */
    assert_int_equal(forecast->overlap_count, 0);
    forecast_free(forecast);
}

/* ---- pools ---- */

static void five_runs_of_a_minute_in_two_places_wait_for_two(void **state)
{
    const struct schedule at_ten = once(MIDNIGHT_MS + 10 * HOUR_MS);
    struct forecast_job jobs[5];

    (void)state;
    for (uint64_t i = 0; i < 5; i++) {
        jobs[i] = job_of(i + 1, &at_ten, MINUTE_MS);
    }
    struct forecast *forecast = play(jobs, 5, DAY_MS, 2);

    assert_int_equal(forecast->shortage_count, 1);
    assert_int_equal(forecast->shortages[0].capacity, 2);
    assert_int_equal(forecast->shortages[0].needed, 5);
    assert_int_equal(forecast->shortages[0].fires, 3); /* two begin at once, two after a minute, one after two */
    assert_int_equal(forecast->shortages[0].delay_ms, 2 * MINUTE_MS);
    assert_int_equal(forecast->shortages[0].from_ms, MIDNIGHT_MS + 10 * HOUR_MS);
    assert_int_equal(forecast->loads[0].peak, 5);
    assert_true(says(forecast, "On Wed 8 Apr 2026 10:00 UTC pool default needs 5 places and has 2: 3 fires wait, the "
                               "longest for 2 min."));
    forecast_free(forecast);

    forecast = play(jobs, 5, DAY_MS, 5); /* enough */
    assert_int_equal(forecast->shortage_count, 0);
    forecast_free(forecast);
    forecast = play(jobs, 5, DAY_MS, 0); /* nobody knows */
    assert_int_equal(forecast->shortage_count, 0);
    assert_int_equal(forecast->loads[0].peak, 5);
    forecast_free(forecast);
}

static void a_stream_takes_its_share_of_the_pool(void **state)
{
    const struct schedule often = every(5 * SECOND_MS, MIDNIGHT_MS + 5 * SECOND_MS);
    const struct schedule at_ten = once(MIDNIGHT_MS + 10 * HOUR_MS);
    const struct forecast_job jobs[] = {job_of(1, &often, 5 * SECOND_MS), job_of(2, &at_ten, MINUTE_MS),
                                        job_of(3, &at_ten, MINUTE_MS)};
    struct forecast *forecast = play(jobs, 3, DAY_MS, 2);

    (void)state;
    assert_int_equal(forecast->steady_jobs, 1);
    assert_true(forecast->steady_per_minute > 11.9 && forecast->steady_per_minute < 12.1);
    assert_int_equal(forecast->fires, 2);          /* the stream is not played */
    assert_int_equal(forecast->shortage_count, 1); /* one place of two is always taken */
    assert_int_equal(forecast->shortages[0].delay_ms, MINUTE_MS);
    assert_int_equal(forecast->shortages[0].needed, 3);
    forecast_free(forecast);
}

/* ---- clocks ---- */

static struct forecast *play_turn(const struct schedule *schedule, int64_t turn_s)
{
    const struct forecast_pool pool = {.name = STR("default")};
    struct forecast_job job = {.id = 1,
                               .tenant = STR("acme"),
                               .name = STR("backup"),
                               .type = STR("report"),
                               .pool = STR("default"),
                               .schedule = schedule};
    const struct forecast_input input = {.now_ms = turn_s * 1000 - 10 * DAY_MS,
                                         .to_ms = turn_s * 1000 + 10 * DAY_MS,
                                         .jobs = &job,
                                         .job_count = 1,
                                         .pools = &pool,
                                         .pool_count = 1,
                                         .cut_ms = INT64_MAX};

    assert_true(schedule_next(schedule, input.now_ms, &job.cursor_ms));
    return forecast_new(&input);
}

static void a_time_in_the_gap_is_moved_or_skipped(void **state)
{
    struct zone *paris = zone_of(SPRING_S, 3600, 7200);
    struct schedule schedule = cron("30 2 * * *", paris);
    struct forecast *forecast = play_turn(&schedule, SPRING_S);

    (void)state;
    assert_int_equal(forecast->turn_count, 1);
    assert_int_equal(forecast->turns[0].jump_s, 3600);
    assert_int_equal(forecast->turns[0].moved, 1);
    assert_int_equal(forecast->change_count, 1);
    assert_int_equal(forecast->changes[0].kind, CHANGE_MOVED);
    assert_int_equal(forecast->changes[0].at_ms, SPRING_S * 1000); /* the first instant after it: 03:00 */
    assert_int_equal(forecast->changes[0].local_s, SPRING_S + 7200);
    assert_true(says(forecast,
                     "On Sun 28 Mar 2027 02:00 clocks in Europe/Paris go forward by 1 h: 1 fire moved, 0 skipped, "
                     "0 doubled, of 1 jobs that follow them."));
    forecast_free(forecast);
    schedule.dst.gap = DST_GAP_SKIP;
    forecast = play_turn(&schedule, SPRING_S);
    assert_int_equal(forecast->change_count, 1);
    assert_int_equal(forecast->changes[0].kind, CHANGE_SKIPPED);
    assert_int_equal(forecast->turns[0].skipped, 1);
    forecast_free(forecast);
    zone_free(paris);
}

static void a_time_that_comes_twice_may_fire_twice(void **state)
{
    struct zone *paris = zone_of(AUTUMN_S, 7200, 3600);
    struct schedule schedule = cron("30 2 * * *", paris);
    struct forecast *forecast = play_turn(&schedule, AUTUMN_S);

    (void)state;
    assert_int_equal(forecast->turn_count, 1);
    assert_int_equal(forecast->turns[0].jump_s, -3600);
    assert_int_equal(forecast->change_count, 0); /* the first of the two, as every day */
    forecast_free(forecast);
    schedule.dst.fold = DST_FOLD_BOTH;
    forecast = play_turn(&schedule, AUTUMN_S);
    assert_int_equal(forecast->change_count, 1);
    assert_int_equal(forecast->changes[0].kind, CHANGE_DOUBLED);
    assert_int_equal(forecast->changes[0].at_ms, (AUTUMN_S + 1800) * 1000); /* 02:30 for the second time */
    forecast_free(forecast);
    zone_free(paris);
}

static void times_far_from_the_change_are_as_always(void **state)
{
    struct zone *paris = zone_of(SPRING_S, 3600, 7200);
    const struct schedule noon = cron("0 12 * * *", paris);
    struct forecast *forecast = play_turn(&noon, SPRING_S);

    (void)state;
    assert_int_equal(forecast->turn_count, 1);
    assert_int_equal(forecast->turns[0].jobs, 1);
    assert_int_equal(forecast->change_count, 0);
    forecast_free(forecast);
    zone_free(paris);
}

/* ---- bounds ---- */

static void too_many_fires_are_a_sample_that_says_so(void **state)
{
    const struct schedule schedule = every(5 * MINUTE_MS, MIDNIGHT_MS + 5 * MINUTE_MS);
    SCOPE_FREE struct forecast_job *jobs = mem_alloc_array(200, sizeof *jobs);

    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        jobs[i] = job_of(i + 1, &schedule, MINUTE_MS);
    }
    struct forecast *forecast = play(jobs, 200, 30 * DAY_MS, 0);

    assert_int_equal(forecast->fires, FORECAST_FIRES_MAX);
    assert_int_equal(forecast->complete_to_ms, MIDNIGHT_MS + (FORECAST_FIRES_MAX / 200 + 1) * 5 * MINUTE_MS);
    assert_true(says(forecast, "This is a sample"));
    forecast_free(forecast);
}

static void what_was_cut_before_now_is_complete_up_to_now(void **state)
{
    const struct forecast_input input = {
        .now_ms = MIDNIGHT_MS, .to_ms = MIDNIGHT_MS + DAY_MS, .cut_ms = MIDNIGHT_MS - HOUR_MS};
    struct forecast *forecast = forecast_new(&input);

    (void)state;
    assert_int_equal(forecast->complete_to_ms, MIDNIGHT_MS);
    forecast_free(forecast);
}

static void nothing_to_come_is_said_too(void **state)
{
    struct forecast *forecast = play(NULL, 0, DAY_MS, 4);

    (void)state;
    assert_int_equal(forecast->fires, 0);
    assert_true(says(forecast, "No herds: no minute has more than 50 fires."));
    forecast_free(forecast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixty_jobs_at_two_o_clock_are_a_herd_each_day_and_can_be_spread),
        cmocka_unit_test(jobs_that_fire_once_are_not_told_to_move),
        cmocka_unit_test(a_run_longer_than_its_interval_overlaps_by_its_policy),
        cmocka_unit_test(a_run_that_is_long_at_times_may_overlap),
        cmocka_unit_test(a_short_run_overlaps_with_nothing),
        cmocka_unit_test(what_counts_from_its_end_never_overlaps),
        cmocka_unit_test(five_runs_of_a_minute_in_two_places_wait_for_two),
        cmocka_unit_test(a_stream_takes_its_share_of_the_pool),
        cmocka_unit_test(a_time_in_the_gap_is_moved_or_skipped),
        cmocka_unit_test(a_time_that_comes_twice_may_fire_twice),
        cmocka_unit_test(times_far_from_the_change_are_as_always),
        cmocka_unit_test(too_many_fires_are_a_sample_that_says_so),
        cmocka_unit_test(what_was_cut_before_now_is_complete_up_to_now),
        cmocka_unit_test(nothing_to_come_is_said_too),
    };

    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
