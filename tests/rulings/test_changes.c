/* Edits of a job: what a PATCH replaces, which version a trigger runs, and what happens to fires that were due. */
#include "ledger.h"

#include <string.h>

#define LONG_RUN "'lease':'1h','timeout':'2h'"

static bool has_text(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static void every_edit_is_a_version(void **state)
{
    static const char *const edits[] = {
        "{'payload':{'n':1}}",
        "{'type':'mail'}",
        "{'pool':'b'}",
        "{'priority':1}",
        "{'overlap':'queue'}",
        "{'misfire':'backfill','misfire_after':'5s'}",
        "{'retry':{'max_attempts':2,'delays':['1s'],'jitter':0}}",
        "{'timeout':'10s'}",
        "{'lease':'5s'}",
        "{'expires_after':'1h'}",
        "{'target':{'http':{'url':'http://localhost/'}}}",
        "{'concurrency':{'key':'k','max':2}}",
        "{'labels':{'a':'b'}}",
    };
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    for (uint32_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const struct reply *reply = patch(rig, job, edits[i]);

        assert_jobs(reply);
        assert_int_equal(reply->jobs[0].version, i + 2);
        assert_int_equal(reply->jobs[0].skipped, 0);
        assert_int_equal(reply->jobs[0].next_ms, minute(1));
        assert_int_equal(rig_job(rig, job)->version, i + 2);
        assert_int_equal(rig_job(rig, job)->cursor_ms, minute(1));
    }
    assert_int_equal(rig_dump(rig)->versions.count, sizeof edits / sizeof edits[0]);
    rig_wait(rig, MINUTE);
    const struct grant *grant = rig_take_from(rig, "w1", "b");
    assert_non_null(grant);
    assert_int_equal(grant->version, sizeof edits / sizeof edits[0] + 1);
    assert_int_equal(grant->timeout_ms, 10000);
    assert_int_equal(grant->lease_ms, 5000);
    assert_int_equal(grant->max_attempts, 2);
    assert_int_equal(grant->place.priority, 1);
    rig_free(rig);
}

static void null_is_the_default(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','pool':'b','priority':1,'timeout':'10s','payload':{'n':1}}");

    assert_jobs(patch(rig, job, "{'pool':null,'priority':null,'timeout':null,'payload':null}"));
    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->place.priority, 3);
    assert_int_equal(grant->timeout_ms, 300000);
    assert_false(has_text(rig_job(rig, job)->def, "payload"));
    rig_free(rig);
}

static void what_is_not_given_stays(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','timeout':'10s','lease':'5s'}");

    assert_jobs(patch(rig, job, "{'timeout':'20s'}"));
    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->timeout_ms, 20000);
    assert_int_equal(grant->lease_ms, 5000);
    rig_free(rig);
}

static void what_makes_no_sense_changes_nothing(void **state)
{
    static const char *const edits[] = {
        "{'name':'other'}",
        "{'tenant':'other'}",
        "{'nmae':1}",
        "{'priority':9}",
        "{'cron':'61 * * * *','every':null}",
        "{'every':'1ms'}",
        "{'name':null}",
        "[]",
        "{",
        "{'cron':'0 0 30 2 *','every':null}",
        "{'timezone':'Mars/Olympus'}",
    };
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'name':'a','every':'1m'}");

    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const struct reply *reply = patch(rig, job, edits[i]);

        if (reply->kind != REPLY_ERROR) {
            fail_msg("%s was taken", edits[i]);
        }
        assert_in_range(err_http_status(reply->error.code), 400, 422);
        assert_int_equal(rig_job(rig, job)->version, 1);
        assert_int_equal(rig_job(rig, job)->cursor_ms, minute(1));
    }
    assert_error(rig_patch(rig, job + 4096, "{}"), ERR_NOT_FOUND);
    rig_free(rig);
}

static void two_schedules_at_once_are_refused(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    assert_int_equal(patch(rig, job, "{'cron':'* * * * *'}")->kind, REPLY_ERROR);
    assert_int_equal(rig_job(rig, job)->version, 1);
    rig_free(rig);
}

static void if_match_names_the_version_that_is_meant(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");
    struct command command = {
        .kind = COMMAND_PATCH, .ref = {.id = job}, .text = STR("{\"priority\":1}"), .if_match = 2};

    assert_error(rig_command(rig, &command), ERR_VERSION);
    assert_int_equal(rig_job(rig, job)->version, 1);
    command.if_match = 1;
    assert_jobs(rig_command(rig, &command));
    assert_error(rig_command(rig, &command), ERR_VERSION);
    assert_int_equal(rig_job(rig, job)->version, 2);
    rig_free(rig);
}

static void a_trigger_keeps_payload_and_type_of_its_version_and_nothing_else(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','type':'old','payload':{'n':'first'},"
                             "'retry':{'max_attempts':3,'delays':['1m'],'jitter':0}}");

    rig_wait(rig, HOUR);
    rig_fail(rig, "w1", take(rig, "w1"));
    assert_jobs(patch(rig, job,
                      "{'type':'new','payload':{'n':'second'},'pool':'b','priority':1,'timeout':'7s',"
                      "'lease':'6s','retry':{'max_attempts':2,'delays':['1m'],'jitter':0}}"));
    rig_wait(rig, MINUTE);
    assert_nothing_to_do(rig);
    const struct grant *again = rig_take_from(rig, "w1", "b");
    assert_non_null(again);
    assert_int_equal(again->version, 1);
    assert_int_equal(again->number, 2);
    assert_true(str_equal(again->place.type, STR("old")));
    assert_int_equal(again->place.priority, 1);
    assert_int_equal(again->timeout_ms, 7000);
    assert_int_equal(again->lease_ms, 6000);
    assert_int_equal(again->max_attempts, 2);
    if (again->def.len > 0) {
        assert_true(has_text(again->def, "first"));
    }
    /* The budget is the current one: this was the last attempt. */
    rig_fail(rig, "w1", again);
    assert_ledger(rig, job, "60:dead");
    rig_free(rig);
}

static void an_undecided_fire_runs_the_current_version(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','payload':{'n':'first'}}");

    rig_wait(rig, HOUR + 1000);
    assert_jobs(patch(rig, job, "{'payload':{'n':'second'}}"));
    const struct grant *grant = take_minute(rig, "w1", 60);
    assert_int_equal(grant->version, 2);
    rig_succeed(rig, "w1", grant);
    assert_ledger(rig, job, "60 v2");
    rig_free(rig);
}

/* ---- edits of the schedule ---- */

static void a_new_schedule_skips_what_was_due_and_goes_on_after_now(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','misfire':'backfill'}");

    rig_wait(rig, 5 * MINUTE + MINUTE / 2);
    const struct reply *reply = patch(rig, job, "{'every':'2m'}");
    assert_jobs(reply);
    assert_int_equal(reply->jobs[0].skipped, 5);
    assert_int_equal(minutes(reply->jobs[0].skipped_from_ms), 1);
    assert_int_equal(minutes(reply->jobs[0].skipped_to_ms), 5);
    /* An interval counts from the change. */
    assert_int_equal(reply->jobs[0].next_ms, minute(7) + MINUTE / 2);
    assert_ledger(rig, job, "edited(1-5)");
    assert_nothing_to_do(rig);
    rig_wait(rig, 2 * MINUTE - 1);
    assert_nothing_to_do(rig);
    rig_wait(rig, 1);
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->scheduled_ms, minute(7) + MINUTE / 2);
    assert_int_equal(grant->version, 2);
    rig_free(rig);
}

static void each_schedule_field_moves_the_cursor(void **state)
{
    static const struct {
        const char *edit;
        const char *next;
    } edits[] = {
        {"{'cron':'30 * * * *'}", "2026-04-08T11:30:00Z"},
        {"{'timezone':'Asia/Kolkata'}", "2026-04-08T11:30:00Z"},
        {"{'starts_at':'2026-04-09T10:00:00Z'}", "2026-04-09T10:00:00Z"},
        {"{'cron':null,'every':'5h'}", "2026-04-08T16:10:00Z"},
        {"{'cron':null,'run_at':'2026-04-10T00:00:01Z'}", "2026-04-10T00:00:01Z"},
        {"{'cron':null,'delay':'90s'}", "2026-04-08T11:11:30Z"},
    };

    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'cron':'0 * * * *'}");

        rig_wait_until(rig, "2026-04-08T11:10:00Z");
        const struct reply *reply = patch(rig, job, edits[i].edit);
        assert_jobs(reply);
        assert_int_equal(reply->jobs[0].skipped, 2);
        assert_int_equal(minutes(reply->jobs[0].skipped_from_ms), 60);
        assert_int_equal(minutes(reply->jobs[0].skipped_to_ms), 120);
        assert_int_equal(reply->jobs[0].next_ms, rig_instant(edits[i].next));
        assert_nothing_to_do(rig);
        rig_wait_until(rig, edits[i].next);
        assert_int_equal(take(rig, "w1")->scheduled_ms, rig_instant(edits[i].next));
        rig_free(rig);
    }
}

static void a_one_time_job_that_becomes_recurring_fires_on(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T10:00:00Z'}");

    assert_jobs(patch(rig, job, "{'run_at':null,'cron':'*/5 * * * *'}"));
    for (int64_t i = 1; i <= 4; i++) {
        rig_wait(rig, 5 * MINUTE);
        const struct grant *grant = take_minute(rig, "w1", 5 * i);
        rig_succeed(rig, "w1", grant);
    }
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    assert_ledger(rig, job, "5 v2 10 v2 15 v2 20 v2");
    rig_free(rig);
}

static void a_recurring_job_that_becomes_one_time_fires_once_more(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 1));
    assert_jobs(patch(rig, job, "{'every':null,'run_at':'2026-04-08T09:10:00Z'}"));
    rig_wait(rig, 9 * MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 10));
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    assert_ledger(rig, job, "1 10 v2");
    rig_free(rig);
}

static void the_same_schedule_given_again_moves_nothing(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','misfire':'backfill'}");

    rig_wait(rig, MINUTE / 2);
    const struct reply *reply = patch(rig, job, "{'every':'60s','payload':{'n':1}}");
    assert_jobs(reply);
    assert_int_equal(reply->jobs[0].next_ms, minute(1));
    rig_wait(rig, 3 * MINUTE);
    reply = patch(rig, job, "{'every':'1m','payload':{'n':2}}");
    assert_int_equal(reply->jobs[0].skipped, 0);
    assert_int_equal(run_all(rig), 2); /* 1 and 2; 3 is skipped by overlap */
    rig_free(rig);
}

static void an_edit_while_a_run_goes_on_skips_what_was_held(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take(rig, "w1");
    rig_wait(rig, 4 * MINUTE + MINUTE / 2);
    const struct reply *reply = patch(rig, job, "{'every':'2m'}");
    assert_int_equal(reply->jobs[0].skipped, 4);
    assert_int_equal(minutes(reply->jobs[0].skipped_from_ms), 2);
    assert_int_equal(minutes(reply->jobs[0].skipped_to_ms), 5);
    rig_wait(rig, MINUTE / 2);
    rig_succeed(rig, "w1", grant);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "1 edited(2-5)");
    rig_wait(rig, MINUTE + MINUTE / 2);
    assert_int_equal(take(rig, "w1")->scheduled_ms, minute(7) + MINUTE / 2);
    rig_free(rig);
}

static void an_edit_ends_a_backfill(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue','misfire':'backfill'}");

    rig_down(rig, 5 * MINUTE + MINUTE / 2);
    const struct grant *grant = take_minute(rig, "w1", 1);
    const struct reply *reply = patch(rig, job, "{'every':'1h'}");
    assert_int_equal(reply->jobs[0].skipped, 4);
    rig_succeed(rig, "w1", grant);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "1 edited(2-5)");
    rig_free(rig);
}

static void an_edit_of_a_paused_job_leaves_it_paused(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    rig_status(rig, job, JOB_PAUSED);
    rig_wait(rig, 2 * MINUTE);
    const struct reply *reply = patch(rig, job, "{'every':'2m'}");
    assert_int_equal(reply->jobs[0].status, JOB_PAUSED);
    assert_int_equal(reply->jobs[0].skipped, 2);
    rig_wait(rig, 2 * MINUTE);
    assert_nothing_to_do(rig);
    rig_status(rig, job, JOB_ACTIVE);
    take_minute(rig, "w1", 4);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(every_edit_is_a_version),
        STORY(null_is_the_default),
        STORY(what_is_not_given_stays),
        STORY(what_makes_no_sense_changes_nothing),
        STORY(two_schedules_at_once_are_refused),
        STORY(if_match_names_the_version_that_is_meant),
        STORY(a_trigger_keeps_payload_and_type_of_its_version_and_nothing_else),
        STORY(an_undecided_fire_runs_the_current_version),
        STORY(a_new_schedule_skips_what_was_due_and_goes_on_after_now),
        STORY(each_schedule_field_moves_the_cursor),
        STORY(a_one_time_job_that_becomes_recurring_fires_on),
        STORY(a_recurring_job_that_becomes_one_time_fires_once_more),
        STORY(the_same_schedule_given_again_moves_nothing),
        STORY(an_edit_while_a_run_goes_on_skips_what_was_held),
        STORY(an_edit_ends_a_backfill),
        STORY(an_edit_of_a_paused_job_leaves_it_paused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
