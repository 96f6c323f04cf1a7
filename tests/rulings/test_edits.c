/* More edits: every field that says when, jobs that count from their ends, and policies that change while fires wait.
 */
#include "ledger.h"

#include <string.h>

#include "base/mem.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"
#define AFTER_FINISH "'every':{'interval':'10m','after':'finish'}"

static void each_field_that_says_when_decides_what_is_due(void **state)
{
    static const struct {
        const char *job, *edit;
    } edits[] = {
        {"'cron':'0 * * * *'", "{'dst':{'gap':'skip'}}"},
        {"'cron':'0 * * * *'", "{'dst':{'fold':'both'}}"},
        {"'cron':'0 * * * *'", "{'ends_at':'2026-05-01T00:00:00Z'}"},
        {"'cron':'0 * * * *'", "{'max_fires':9}"},
        {"'cron':'0 * * * *'", "{'jitter':'5s'}"},
        {"'every':'1h'", "{'every':{'interval':'1h','after':'finish'}}"},
        {"'every':'1h'", "{'every':'61m'}"},
    };

    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{%s}", edits[i].job);

        rig_wait_until(rig, "2026-04-08T11:10:00Z");
        const struct reply *reply = patch(rig, job, edits[i].edit);
        assert_jobs(reply);
        assert_int_equal(reply->jobs[0].skipped, 2);
        assert_true(is_ledger(edits[i].edit, rig, job, "edited(60-120)"));
        assert_true(reply->jobs[0].next_ms > rig_now(rig));
        rig_free(rig);
    }
}

static void a_policy_says_nothing_of_when(void **state)
{
    static const char *const edits[] = {"{'expires_after':'5h'}", "{'misfire':'skip'}", "{'overlap':'queue'}"};

    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{'cron':'0 * * * *','misfire_after':'9h'}");

        rig_wait_until(rig, "2026-04-08T11:10:00Z");
        const struct reply *reply = patch(rig, job, edits[i]);
        assert_int_equal(reply->jobs[0].skipped, 0);
        assert_int_equal(reply->jobs[0].next_ms, minute(60));
        rig_free(rig);
    }
}

static void a_field_is_named_however_it_is_spelled(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m','priority':2}");

    assert_jobs(rig_patch(rig, job, "{\"prior\\u0069ty\":1}"));
    rig_wait(rig, MINUTE);
    assert_int_equal(take_of(rig, "w1", job)->place.priority, 1);
    rig_free(rig);
}

/* A text with a long middle; mem_free it. */
static char *padded(const char *begin, char fill, size_t count, const char *end)
{
    size_t begin_len = strlen(begin), end_len = strlen(end);
    char *text = mem_alloc(begin_len + count + end_len + 1);

    memcpy(text, begin, begin_len);
    memset(text + begin_len, fill, count);
    memcpy(text + begin_len + count, end, end_len + 1);
    return text;
}

static void an_edit_that_would_make_it_too_large_is_refused(void **state)
{
    struct rig *rig = story_begin(state);
    char *large = padded("{\"every\":\"1m\",\"payload\":\"", 'x', 200000, "\"}");
    char *blanks = padded("{\"labels\":{\"a\":\"b\"", ' ', 900000, "}}");
    uint64_t job = rig_create(rig, large);

    assert_error(rig_patch(rig, job, blanks), ERR_TOO_LARGE);
    assert_int_equal(rig_job(rig, job)->version, 1);
    mem_free(large);
    mem_free(blanks);
    rig_free(rig);
}

/* ---- jobs that count from their ends ---- */

static void an_edit_while_it_runs_waits_for_its_end(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{" AFTER_FINISH "," LONG_RUN "}");

    rig_wait(rig, 10 * MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 10);
    rig_wait(rig, MINUTE);
    assert_jobs(patch(rig, job, "{'every':{'interval':'5m','after':'finish'}}"));
    assert_int_equal(rig_job(rig, job)->cursor_ms, TIME_NONE);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(16));
    rig_free(rig);
}

static void a_start_that_is_over_holds_no_edit_back(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{" AFTER_FINISH ",'starts_at':'2026-04-08T09:01:00Z'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);
    assert_jobs(patch(rig, job, "{'every':{'interval':'5m','after':'finish'}}"));
    assert_int_equal(rig_job(rig, job)->cursor_ms, TIME_NONE);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(7));
    rig_wait(rig, MINUTE);
    const struct reply *reply = patch(rig, job, "{'every':{'interval':'6m','after':'finish'}}");
    assert_jobs(reply);
    assert_int_equal(reply->jobs[0].skipped, 0);
    assert_true(reply->jobs[0].next_ms != TIME_NONE && reply->jobs[0].next_ms >= minute(3));
    rig_free(rig);
}

static void an_edit_after_which_nothing_would_fire_is_refused(void **state)
{
    static const char *const edits[] = {"{'max_fires':1}", "{'max_fires':1,'starts_at':'2026-04-08T09:00:00Z'}",
                                        "{'ends_at':'2026-04-08T09:05:00Z'}", "{'ends_at':'2026-04-08T09:15:00Z'}",
                                        "{'ends_at':'2026-04-08T09:05:00Z','starts_at':'2026-04-08T09:00:00Z'}"};

    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = make(rig, "{" AFTER_FINISH "}");

        rig_wait(rig, 10 * MINUTE);
        rig_succeed(rig, "w1", take_minute(rig, "w1", 10));
        assert_error(patch(rig, job, edits[i]), ERR_NEVER_FIRES);
        assert_int_equal(rig_job(rig, job)->version, 1);
        assert_int_equal(rig_job(rig, job)->cursor_ms, minute(20));
        rig_free(rig);
    }
}

static void the_last_run_before_the_end_of_the_schedule_completes_it(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{" AFTER_FINISH ",'ends_at':'2026-04-08T09:25:00Z'}");

    rig_wait(rig, 10 * MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 10));
    rig_wait(rig, 10 * MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 20));
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    /* Another end brings it back. */
    assert_jobs(patch(rig, job, "{'ends_at':'2026-04-08T10:00:00Z'}"));
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_free(rig);
}

/* ---- policies that change while fires are held ---- */

/* A job whose first run has ended in minute 4: the fires of 2 to 4 are held, and nobody has taken one. */
static uint64_t hold_three(struct rig *rig)
{
    uint64_t job = make(rig, "{'every':'1m','overlap':'queue'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_minute(rig, "w1", 1);
    rig_wait(rig, 3 * MINUTE + MINUTE / 2);
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, job)->held_to_ms, minute(4));
    return job;
}

static void held_fires_follow_the_policy_of_the_claim(void **state)
{
    static const struct {
        const char *edit, *ledger;
        size_t runs;
    } cases[] = {
        {"{'overlap':'queue','priority':2}", "1 2 v2 3 v2 4 v2", 3},
        {"{'overlap':'allow'}", "1 2 v2 3 v2 4 v2", 3},
        {"{'overlap':'collapse'}", "1 collapsed(2-3 v2) 4 v2", 1},
        {"{'overlap':'skip'}", "1 overlap(2-4 v2)", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = restless_begin(state);
        uint64_t job = hold_three(rig);

        assert_jobs(patch(rig, job, cases[i].edit));
        size_t runs = 0;
        for (size_t more = 1; more > 0; runs += more) {
            more = run_all_at_once(rig);
        }
        assert_int_equal(runs, cases[i].runs);
        assert_true(is_ledger(cases[i].edit, rig, job, cases[i].ledger));
        rig_free(rig);
    }
}

static void two_run_at_once_when_overlap_is_allowed_from_now_on(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    take_minute(rig, "w1", 1);
    assert_jobs(patch(rig, job, "{'overlap':'allow'}"));
    rig_wait(rig, MINUTE);
    take_minute(rig, "w2", 2);
    rig_free(rig);
}

static void an_edit_during_a_backoff_waits_for_the_end(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':{'interval':'10m','after':'finish'},"
                             "'retry':{'max_attempts':3,'delays':['5m'],'jitter':0}}");
    rig_wait(rig, 10 * MINUTE);
    rig_fail(rig, "w1", take_minute(rig, "w1", 10));
    rig_wait(rig, MINUTE);
    assert_jobs(patch(rig, job, "{'every':{'interval':'2m','after':'finish'}}"));
    assert_int_equal(rig_job(rig, job)->cursor_ms, TIME_NONE);
    rig_free(rig);
}

static void an_edit_during_a_backoff_starts_no_second_run(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':{'interval':'10m','after':'finish'},"
                             "'retry':{'max_attempts':3,'delays':['5m'],'jitter':0}}");
    rig_wait(rig, 10 * MINUTE);
    rig_fail(rig, "w1", take_minute(rig, "w1", 10));
    rig_wait(rig, MINUTE);
    assert_jobs(patch(rig, job, "{'every':{'interval':'2m','after':'finish'}}"));
    rig_wait(rig, 2 * MINUTE);
    assert_nothing_to_do(rig); /* the scheduled trigger of 10 is not terminal */
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(each_field_that_says_when_decides_what_is_due),
        STORY(a_policy_says_nothing_of_when),
        STORY(a_field_is_named_however_it_is_spelled),
        STORY(an_edit_that_would_make_it_too_large_is_refused),
        STORY(an_edit_while_it_runs_waits_for_its_end),
        STORY(a_start_that_is_over_holds_no_edit_back),
        STORY(an_edit_after_which_nothing_would_fire_is_refused),
        STORY(the_last_run_before_the_end_of_the_schedule_completes_it),
        STORY(held_fires_follow_the_policy_of_the_claim),
        STORY(two_run_at_once_when_overlap_is_allowed_from_now_on),
        STORY(an_edit_during_a_backoff_waits_for_the_end),
        STORY(an_edit_during_a_backoff_starts_no_second_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
