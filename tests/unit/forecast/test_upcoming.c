#include "forecast/upcoming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* 2026-04-08T09:00:00Z, a whole hour. */
#define NINE_MS INT64_C(1775638800000)
#define SECOND_MS INT64_C(1000)
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)

static const struct place mail = {STR_INIT("mail"), STR_INIT("acme"), STR_INIT("send"), 3};
static const struct place crawl = {STR_INIT("web"), STR_INIT("globex"), STR_INIT("crawl"), 3};

static struct job_row job_at(uint64_t id, int64_t cursor_ms)
{
    return (struct job_row){
        .id = id, .place = mail, .name = STR("a"), .status = JOB_ACTIVE, .cursor_ms = cursor_ms, .wake_ms = cursor_ms};
}

static struct schedule every(int64_t every_ms, int64_t first_ms)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_EVERY);

    schedule.every_ms = every_ms;
    schedule.first_ms = first_ms;
    return schedule;
}

/* A job as a server feeds it: its wake by the count of its bucket, then itself. */
static void feed(struct upcoming *upcoming, const struct job_row *job, const struct schedule *schedule)
{
    if (job->wake_ms > upcoming->now_ms && job->wake_ms < upcoming->to_ms) {
        upcoming_wakes(upcoming, &job->place, job->wake_ms - job->wake_ms % upcoming->bucket_ms, 1);
    }
    upcoming_job(upcoming, job, schedule);
}

static void buckets_begin_at_whole_minutes_and_hold_what_wakes(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS + 20 * SECOND_MS, NINE_MS + 3 * MINUTE_MS, MINUTE_MS);

    (void)state;
    upcoming_wakes(upcoming, &mail, NINE_MS, 4);
    upcoming_wakes(upcoming, &mail, NINE_MS + 2 * MINUTE_MS, 2);
    upcoming_wakes(upcoming, &crawl, NINE_MS + 2 * MINUTE_MS, 3);
    upcoming_wakes(upcoming, &crawl, NINE_MS + 3 * MINUTE_MS, 100); /* behind the end */
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->bucket_count, 3);
    assert_int_equal(upcoming->buckets[0].from_ms, NINE_MS);
    assert_int_equal(upcoming->buckets[0].count, 4);
    assert_int_equal(upcoming->buckets[1].count, 0);
    assert_int_equal(upcoming->buckets[2].count, 5);
    assert_int_equal(upcoming->total, 9);
    assert_true(str_is(upcoming->buckets[2].types[0].name, "crawl"));
    assert_int_equal(upcoming->buckets[2].types[0].count, 3);
    assert_true(str_is(upcoming->buckets[2].tenants[1].name, "acme"));
    assert_int_equal(upcoming->buckets[2].tenants[1].count, 2);
    assert_int_equal(upcoming->buckets[2].tenants[2].count, 0);
    assert_int_equal(upcoming->complete_to_ms, upcoming->to_ms);
    upcoming_free(upcoming);
}

static void a_job_every_five_seconds_fires_twelve_times_a_minute(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);
    const struct schedule schedule = every(5 * SECOND_MS, NINE_MS - HOUR_MS);
    const struct job_row job = job_at(1, NINE_MS + 5 * SECOND_MS);

    (void)state;
    feed(upcoming, &job, &schedule);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->buckets[0].count, 11); /* the one at nine is not to come */
    assert_int_equal(upcoming->buckets[1].count, 12);
    assert_int_equal(upcoming->buckets[59].count, 12);
    assert_int_equal(upcoming->total, 11 + 59 * 12);
    assert_int_equal(upcoming->buckets[30].examples[0].job, 1);
    assert_int_equal(upcoming->buckets[30].examples[1].job, 0);
    upcoming_free(upcoming);
}

static void a_job_every_quarter_of_an_hour_is_in_four_buckets_of_an_hour(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);
    const struct schedule schedule = every(15 * MINUTE_MS, NINE_MS + 5 * MINUTE_MS);
    const struct job_row job = job_at(1, NINE_MS + 5 * MINUTE_MS);

    (void)state;
    feed(upcoming, &job, &schedule);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->total, 4);
    assert_int_equal(upcoming->buckets[5].count, 1);
    assert_int_equal(upcoming->buckets[50].count, 1);
    upcoming_free(upcoming);
}

static void what_is_overdue_counts_from_now_on(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);
    const struct schedule schedule = every(30 * MINUTE_MS, NINE_MS - 30 * HOUR_MS);
    const struct job_row job = job_at(1, NINE_MS - 3 * HOUR_MS);

    (void)state;
    feed(upcoming, &job, &schedule);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->total, 1); /* half past nine; ten is behind the end */
    assert_int_equal(upcoming->buckets[30].count, 1);
    upcoming_free(upcoming);
}

static void jobs_that_end_are_paused_or_fire_once_have_no_more_fires(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);
    struct schedule schedule = every(10 * MINUTE_MS, NINE_MS + 10 * MINUTE_MS);
    struct job_row job = job_at(1, NINE_MS + 10 * MINUTE_MS);

    (void)state;
    schedule.max_fires = 7;
    job.fired = 5;
    feed(upcoming, &job, &schedule); /* two are left */
    job.status = JOB_PAUSED;
    job.wake_ms = TIME_NONE;
    feed(upcoming, &job, &schedule);
    schedule = schedule_unbounded(SCHEDULE_ONCE);
    schedule.once_ms = NINE_MS + 10 * MINUTE_MS;
    job = job_at(2, schedule.once_ms);
    feed(upcoming, &job, &schedule);
    feed(upcoming, &job, NULL);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->total, 4);
    assert_int_equal(upcoming->buckets[10].count, 3);
    assert_int_equal(upcoming->buckets[20].count, 1);
    upcoming_free(upcoming);
}

static void a_retry_that_wakes_before_the_next_fire_hides_no_fire(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);
    const struct schedule schedule = every(30 * MINUTE_MS, NINE_MS + 15 * MINUTE_MS);
    struct job_row job = job_at(1, NINE_MS + 15 * MINUTE_MS);

    (void)state;
    job.wake_ms = NINE_MS + 2 * MINUTE_MS;
    feed(upcoming, &job, &schedule);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->total, 3);
    assert_int_equal(upcoming->buckets[2].count, 1);
    assert_int_equal(upcoming->buckets[15].count, 1);
    assert_int_equal(upcoming->buckets[45].count, 1);
    upcoming_free(upcoming);
}

static void fires_with_jitter_stand_where_they_are_due(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);
    struct schedule schedule = every(30 * MINUTE_MS, NINE_MS + MINUTE_MS);
    struct job_row job = job_at(77, NINE_MS + MINUTE_MS);

    (void)state;
    schedule.jitter_ms = 20 * MINUTE_MS;
    job.wake_ms = schedule_due_ms(&schedule, job.id, job.cursor_ms);
    int64_t second_ms = schedule_due_ms(&schedule, job.id, job.cursor_ms + 30 * MINUTE_MS);

    feed(upcoming, &job, &schedule);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->total, 2);
    assert_int_equal(upcoming->buckets[(job.wake_ms - NINE_MS) / MINUTE_MS].count, 1);
    assert_int_equal(upcoming->buckets[(second_ms - NINE_MS) / MINUTE_MS].count, 1);
    upcoming_free(upcoming);
}

static void a_herd_is_more_than_fifty_and_five_times_the_median(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + 5 * MINUTE_MS, MINUTE_MS);

    (void)state;
    upcoming_wakes(upcoming, &mail, NINE_MS, 50);
    upcoming_wakes(upcoming, &mail, NINE_MS + MINUTE_MS, 51);
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->herd_above, 50);
    assert_false(upcoming->buckets[0].is_herd);
    assert_true(upcoming->buckets[1].is_herd);
    upcoming_free(upcoming);

    upcoming = upcoming_new(NINE_MS, NINE_MS + 5 * MINUTE_MS, MINUTE_MS);
    for (int64_t i = 0; i < 5; i++) {
        upcoming_wakes(upcoming, &mail, NINE_MS + i * MINUTE_MS, i == 4 ? 101 : i == 3 ? 100 : 20);
    }
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->median, 20);
    assert_int_equal(upcoming->herd_above, 100);
    assert_false(upcoming->buckets[3].is_herd);
    assert_true(upcoming->buckets[4].is_herd);
    upcoming_free(upcoming);
}

static void too_many_fires_are_cut_and_it_says_where(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + 24 * HOUR_MS, MINUTE_MS);
    const struct schedule schedule = every(MINUTE_MS, NINE_MS + MINUTE_MS);

    (void)state;
    for (uint64_t id = 1; id <= 300; id++) { /* 300 times 1,439 are more than 300,000 */
        const struct job_row job = job_at(id, NINE_MS + MINUTE_MS);

        feed(upcoming, &job, &schedule);
    }
    upcoming_settle(upcoming);
    assert_int_equal(upcoming->fires_left, 0);
    assert_int_equal(upcoming->complete_to_ms, NINE_MS + MINUTE_MS);
    assert_int_equal(upcoming->buckets[1].count, 300);
    upcoming_free(upcoming);
}

static void what_was_not_looked_at_is_not_complete(void **state)
{
    struct upcoming *upcoming = upcoming_new(NINE_MS, NINE_MS + HOUR_MS, MINUTE_MS);

    (void)state;
    upcoming_cut(upcoming, NINE_MS + 20 * MINUTE_MS);
    upcoming_cut(upcoming, NINE_MS + 10 * MINUTE_MS);
    upcoming_cut(upcoming, NINE_MS + 30 * MINUTE_MS);
    assert_int_equal(upcoming->complete_to_ms, NINE_MS + 10 * MINUTE_MS);
    upcoming_cut(upcoming, NINE_MS - HOUR_MS);
    assert_int_equal(upcoming->complete_to_ms, NINE_MS);
    upcoming_free(upcoming);
}

static void small_places_leave_their_share_to_large_ones(void **state)
{
    const int64_t counts[] = {10, 1000, 5, 1000};

    (void)state;
    assert_int_equal(upcoming_fair_limit(counts, 4, 115), 50);
    assert_int_equal(upcoming_fair_limit(counts, 4, 16), 4);
    assert_int_equal(upcoming_fair_limit(counts, 4, 2), 1); /* never nothing */
    assert_true(upcoming_fair_limit(counts, 4, 5000) >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_begin_at_whole_minutes_and_hold_what_wakes),
        cmocka_unit_test(a_job_every_five_seconds_fires_twelve_times_a_minute),
        cmocka_unit_test(a_job_every_quarter_of_an_hour_is_in_four_buckets_of_an_hour),
        cmocka_unit_test(what_is_overdue_counts_from_now_on),
        cmocka_unit_test(jobs_that_end_are_paused_or_fire_once_have_no_more_fires),
        cmocka_unit_test(a_retry_that_wakes_before_the_next_fire_hides_no_fire),
        cmocka_unit_test(fires_with_jitter_stand_where_they_are_due),
        cmocka_unit_test(a_herd_is_more_than_fifty_and_five_times_the_median),
        cmocka_unit_test(too_many_fires_are_cut_and_it_says_where),
        cmocka_unit_test(what_was_not_looked_at_is_not_complete),
        cmocka_unit_test(small_places_leave_their_share_to_large_ones),
    };

    return cmocka_run_group_tests_name("upcoming", tests, NULL, NULL);
}
