/* A zone gets other rules while its jobs wait: they move, into no past, without a fire twice, and lose nothing due. */
#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "calendar/zone.h"

/* The zone of these stories is Place: two hours before UTC at first, by a file that a test may change. */
static char folder[] = P_tmpdir "/belfry-rules-XXXXXX";
static struct zone_cache *zones; /* the rig's */

static void put_zone(const char *like)
{
    char from[256], to[256], bytes[4096];

    (void)snprintf(from, sizeof from, "%s/%s", ZONE_DIR_DEFAULT, like);
    (void)snprintf(to, sizeof to, "%s/Place", folder);
    FILE *in = fopen(from, "r");
    FILE *out = fopen(to, "w");

    assert_true(in != NULL && out != NULL);
    size_t len = fread(bytes, 1, sizeof bytes, in);

    assert_true(len > 0 && len < sizeof bytes);
    assert_int_equal(fwrite(bytes, 1, len, out), len);
    (void)fclose(in);
    assert_int_equal(fclose(out), 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[256];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/Place", folder);
    (void)remove(path);
    return rmdir(folder);
}

static struct rig *begin(void **state)
{
    put_zone("Etc/GMT-2");
    zones = zone_cache_new(folder);
    struct rig *rig = story_begin_with(state, &(struct engine_config){.seed = 1, .zones = zones});

    rig_restart_often(rig, story_restarts());
    return rig;
}

static void change_zone(const char *like)
{
    put_zone(like);
    assert_int_equal(zone_cache_refresh(zones), 1);
}

static const struct reply *rezone(struct rig *rig, const uint64_t *jobs, size_t count)
{
    struct command command = {.kind = COMMAND_REZONE, .jobs = jobs, .job_count = count};
    const struct reply *reply = rig_command(rig, &command);

    assert_jobs(reply);
    return reply;
}

static void a_job_waits_for_the_time_of_its_own_rules_until_it_is_moved(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'0 12 * * *','timezone':'Place'}"); /* 12:00 is 10:00Z */

    change_zone("Etc/GMT-1");
    turn(rig);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(60));
    rig_wait_until(rig, "2026-04-08T10:00:00Z");
    rig_succeed(rig, "w1", take_minute(rig, "w1", 60));
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(60) + DAY);
    rig_free(rig);
}

static void a_fire_to_come_moves_with_the_clock_of_its_zone(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'0 12 * * *','timezone':'Place'}");
    uint64_t former = rig_job(rig, job)->rules;

    change_zone("Etc/GMT-1");
    const struct reply *reply = rezone(rig, &job, 1);

    assert_int_equal(reply->job_count, 1);
    assert_int_equal(reply->jobs[0].next_ms, minute(120));
    assert_int_equal(rig_job(rig, job)->version, 2);
    assert_true(former != 0 && rig_job(rig, job)->rules != former);
    const struct rows *rows = rig_dump(rig);
    assert_int_equal(rows->versions.count, 1);
    assert_true(rows->versions.items[0].rules == former);
    assert_int_equal(rows->rules.count, 2); /* both are kept, for the audit */
    rig_wait_until(rig, "2026-04-08T11:00:00Z");
    rig_succeed(rig, "w1", take_minute(rig, "w1", 120));
    assert_ledger(rig, job, "120 v2");
    rig_free(rig);
}

static void a_job_that_follows_the_present_rules_stays(void **state)
{
    struct rig *rig = begin(state);
    uint64_t jobs[] = {make(rig, "{'cron':'0 12 * * *','timezone':'Place'}"), make(rig, "{'cron':'0 12 * * *'}"),
                       make(rig, "{'every':'1h','timezone':'Place'}"), 4711};
    const struct reply *reply = rezone(rig, jobs, 4);

    assert_int_equal(reply->job_count, 0);
    assert_int_equal(reply->not_needed, 4);
    assert_int_equal(rig_job(rig, jobs[0])->version, 1);
    assert_int_equal(rig_job(rig, jobs[1])->rules, 0);
    assert_int_equal(rig_job(rig, jobs[2])->rules, 0);
    rig_free(rig);
}

/* 11:30 was 09:30Z and has fired; by the new rules it is 10:30Z, and comes a second time. */
static void a_local_time_that_has_fired_does_not_fire_again(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'30 11,13 * * *','timezone':'Place'}");

    rig_wait_until(rig, "2026-04-08T09:30:00Z");
    rig_succeed(rig, "w1", take_minute(rig, "w1", 30));
    change_zone("Etc/GMT-1");
    const struct reply *reply = rezone(rig, &job, 1);

    assert_int_equal(reply->jobs[0].next_ms, minute(210)); /* 13:30 is 12:30Z */
    rig_wait_until(rig, "2026-04-08T12:30:00Z");
    rig_succeed(rig, "w1", take_minute(rig, "w1", 210));
    assert_ledger(rig, job, "30 moved(90 v2) 210 v2");
    rig_free(rig);
}

static void a_schedule_that_follows_the_clock_goes_on_with_it(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'30 * * * *','timezone':'Place'}");

    rig_wait_until(rig, "2026-04-08T09:30:00Z");
    rig_succeed(rig, "w1", take_minute(rig, "w1", 30));
    change_zone("Etc/GMT-1");
    assert_int_equal(rezone(rig, &job, 1)->jobs[0].next_ms, minute(90));
    assert_ledger(rig, job, "30");
    rig_free(rig);
}

static void no_fire_is_made_for_the_past(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'30 11 * * *','timezone':'Place'}"); /* 09:30Z */

    change_zone("Etc/GMT-3"); /* 08:30Z: today's is over */
    assert_int_equal(rezone(rig, &job, 1)->jobs[0].next_ms, minute(-30) + DAY);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void a_fire_that_is_due_is_decided_first(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'0 12 * * *','timezone':'Place','misfire_after':'1h'}");

    rig_wait_until(rig, "2026-04-08T10:05:00Z");
    change_zone("Etc/GMT-1");
    const struct reply *reply = rezone(rig, &job, 1);

    assert_int_equal(reply->job_count, 0);
    assert_int_equal(reply->waiting, 1);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 60));
    assert_int_equal(rezone(rig, &job, 1)->jobs[0].next_ms, minute(120) + DAY); /* 12:00 of today has been */
    assert_ledger(rig, job, "60 moved(120 v2)");
    rig_free(rig);
}

static void what_is_due_by_both_rules_stays_due(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'*/10 * * * *','timezone':'Place','overlap':'queue'}");

    rig_wait_until(rig, "2026-04-08T09:25:00Z");
    change_zone("Etc/GMT-1");
    assert_int_equal(rezone(rig, &job, 1)->job_count, 1);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(10));
    run_all(rig);
    assert_ledger(rig, job, "misfire(10 v2) 20 v2");
    rig_free(rig);
}

static void a_paused_job_moves_too(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'0 12 * * *','timezone':'Place'}");

    assert_jobs(rig_status(rig, job, JOB_PAUSED));
    change_zone("Etc/GMT-1");
    assert_int_equal(rezone(rig, &job, 1)->job_count, 1);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(120));
    assert_int_equal(rig_job(rig, job)->status, JOB_PAUSED);
    rig_free(rig);
}

static void a_job_whose_last_fire_is_lost_to_the_past_is_over(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'30 11 * * *','timezone':'Place','ends_at':'2026-04-09T00:00:00Z'}");

    change_zone("Etc/GMT-3");
    assert_int_equal(rezone(rig, &job, 1)->job_count, 1);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void an_edit_of_something_else_leaves_the_rules_as_they_are(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, "{'cron':'0 12 * * *','timezone':'Place'}");
    uint64_t former = rig_job(rig, job)->rules;

    change_zone("Etc/GMT-1");
    assert_jobs(patch(rig, job, "{'priority':1}"));
    assert_true(rig_job(rig, job)->rules == former);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(60));
    assert_jobs(patch(rig, job, "{'cron':'1 12 * * *'}"));
    assert_true(rig_job(rig, job)->rules != former);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(121));
    rig_free(rig);
}

static void roots_of_one_dependent_move_together_or_wait_together(void **state)
{
    struct rig *rig = begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'0 12 * * *','timezone':'Place','misfire_after':'1h'}");
    uint64_t b = make(rig, "{'name':'b','pool':'b','cron':'0 12 * * *','timezone':'Place','misfire_after':'1h'}");
    uint64_t child = make(rig, "{'depends_on':['a','b']}");

    rig_wait_until(rig, "2026-04-08T10:01:00Z");
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    change_zone("Etc/GMT-1");
    assert_int_equal(rezone(rig, &a, 1)->waiting, 2); /* b is due still */
    assert_int_equal(rig_job(rig, a)->version, 1);
    rig_succeed(rig, "w2", rig_take_from(rig, "w2", "b"));
    assert_int_equal(rezone(rig, &b, 1)->job_count, 2);
    assert_int_equal(rig_job(rig, a)->cursor_ms, rig_job(rig, b)->cursor_ms);
    rig_succeed(rig, "w1", take_of(rig, "w1", child));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_job_waits_for_the_time_of_its_own_rules_until_it_is_moved),
        STORY(a_fire_to_come_moves_with_the_clock_of_its_zone),
        STORY(a_job_that_follows_the_present_rules_stays),
        STORY(a_local_time_that_has_fired_does_not_fire_again),
        STORY(a_schedule_that_follows_the_clock_goes_on_with_it),
        STORY(no_fire_is_made_for_the_past),
        STORY(a_fire_that_is_due_is_decided_first),
        STORY(what_is_due_by_both_rules_stays_due),
        STORY(a_paused_job_moves_too),
        STORY(a_job_whose_last_fire_is_lost_to_the_past_is_over),
        STORY(an_edit_of_something_else_leaves_the_rules_as_they_are),
        STORY(roots_of_one_dependent_move_together_or_wait_together),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
