/* What was decided and is not stored yet counts already: memory runs ahead of the store. */
#include "ledger.h"

#include <string.h>

#include "engine/core.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"
#define TOKEN UINT64_C(0x4000000000000000) /* beyond the rig's own */

/* One step whose batch is left open: the next call of the rig's commits it with its own. */
static void step_only(struct rig *rig, struct event event)
{
    struct engine *engine = rig_engine(rig);
    struct effects effects;
    struct error error;

    effects_init(&effects);
    event.at = (struct moment){.wall_ms = rig_now(rig), .mono_ms = engine->mono_ms};
    engine_step(engine, &event, &effects);
    assert_int_equal(effects.load_count, 0);
    effects_done(&effects);
    if (!engine_check(engine, &error)) {
        fail_msg("engine_check: %s", error.text);
    }
}

static void command_only(struct rig *rig, struct command *command, uint64_t token)
{
    command->token = TOKEN + token;
    step_only(rig, (struct event){.kind = EVENT_COMMAND, .command = command});
}

static void report_only(struct rig *rig, const char *worker, const struct report *report, uint64_t token)
{
    struct exchange exchange = {
        .token = TOKEN + token, .worker = str_from(worker), .seq = -1, .reports = report, .report_count = 1};

    step_only(rig, (struct event){.kind = EVENT_EXCHANGE, .exchange = &exchange});
}

static const struct reply *answer(struct rig *rig, uint64_t token)
{
    const struct reply *reply = rig_answer(rig, TOKEN + token);

    assert_non_null(reply);
    return reply;
}

static void a_report_right_after_a_cancel_is_stale(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", job);
    struct command cancel = {.kind = COMMAND_CANCEL, .triggers = &grant->trigger, .trigger_count = 1};
    struct report good = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};

    command_only(rig, &cancel, 1);
    report_only(rig, "w1", &good, 2);
    rig_wait(rig, 1);
    assert_int_equal(answer(rig, 1)->trigger_count, 1);
    assert_true(refused(answer(rig, 2), REFUSED_STALE));
    assert_ledger(rig, job, "1:cancelled");
    rig_free(rig);
}

static void a_report_of_somebody_else_right_after_the_end_is_stale(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m','retry':{'max_attempts':3,'delays':['1s'],'jitter':0}," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", job);
    rig_fail(rig, "w1", grant);
    rig_wait(rig, 1000);
    take_number(rig, "w1", 2);
    struct report good = {.trigger = grant->trigger, .number = 2, .state = ATTEMPT_SUCCEEDED};
    struct report old = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_FAILED};

    report_only(rig, "w1", &good, 1);
    report_only(rig, "w2", &good, 2);
    report_only(rig, "w1", &old, 3);
    report_only(rig, "w1", &good, 4);
    rig_wait(rig, 1);
    assert_int_equal(answer(rig, 1)->refused_count, 0);
    assert_true(refused(answer(rig, 2), REFUSED_STALE));
    assert_true(refused(answer(rig, 3), REFUSED_STALE));
    assert_int_equal(answer(rig, 4)->refused_count, 0);
    assert_ledger(rig, job, "1");
    rig_free(rig);
}

static void a_deleted_job_is_gone_at_once_and_its_name_is_free(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'name':'a','every':'1m'}");
    struct command delete = {.kind = COMMAND_DELETE, .ref = {.id = job}};

    command_only(rig, &delete, 1);
    uint64_t other = make(rig, "{'name':'a','every':'2m'}");
    assert_int_equal(answer(rig, 1)->jobs[0].id, job);
    assert_int_not_equal(other, job);
    assert_null(rig_job(rig, job));
    assert_error(rig_patch(rig, job, "{\"priority\":1}"), ERR_NOT_FOUND);
    rig_wait(rig, 2 * MINUTE);
    assert_int_equal(run_all(rig), 1);
    assert_ledger(rig, other, "2");
    rig_free(rig);
}

static void several_edits_of_one_batch_are_several_versions(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");
    struct command first = {.kind = COMMAND_PATCH, .ref = {.id = job}, .text = STR("{\"priority\":1}")};
    struct command second = {.kind = COMMAND_PATCH, .ref = {.id = job}, .text = STR("{\"priority\":2}")};

    command_only(rig, &first, 1);
    command_only(rig, &second, 2);
    rig_wait(rig, MINUTE);
    assert_int_equal(answer(rig, 1)->jobs[0].version, 2);
    assert_int_equal(answer(rig, 2)->jobs[0].version, 3);
    assert_int_equal(rig_dump(rig)->versions.count, 2);
    assert_int_equal(take_of(rig, "w1", job)->place.priority, 2);
    rig_free(rig);
}

/* ---- names and numbers beyond all bounds ---- */

static void a_name_that_nothing_can_have_is_not_found(void **state)
{
    struct rig *rig = story_begin(state);
    static char name[600];

    memset(name, 'x', sizeof name);
    struct command run = {.kind = COMMAND_RUN, .ref = {.tenant = STR("default"), .name = {name, sizeof name}}};
    assert_error(rig_command(rig, &run), ERR_NOT_FOUND);
    rig_free(rig);
}

static void a_job_has_at_most_so_many_triggers(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * * ?','pool':'slow'}");
    const struct reply *reply = rig_backfill(rig, job, "2026-04-01T00:00:00Z", "2026-04-02T03:46:40Z");
    struct command run = {.kind = COMMAND_RUN, .ref = {.id = job}};

    assert_int_equal(reply->trigger_count, 100000);
    assert_error(rig_command(rig, &run), ERR_LIMIT);
    rig_trigger_command(rig, COMMAND_CANCEL, reply->triggers[7]);
    assert_int_equal(rig_command(rig, &run)->trigger_count, 1);
    rig_free(rig);
}

static void a_claim_that_is_cancelled_before_it_is_stored_leaves_no_row(void **state)
{
    struct rig *rig = story_begin(state);
    const struct str pools[] = {STR_INIT("default")};
    uint64_t job = make(rig, "{" LONG_RUN "}"); /* a one-time job: its trigger has its id */
    struct exchange poll = {
        .token = TOKEN + 1, .worker = STR("w1"), .seq = -1, .pools = pools, .pool_count = 1, .want = 1};
    struct command cancel = {.kind = COMMAND_CANCEL, .triggers = &job, .trigger_count = 1};

    step_only(rig, (struct event){.kind = EVENT_EXCHANGE, .exchange = &poll});
    command_only(rig, &cancel, 2);
    rig_wait(rig, 1);
    assert_int_equal(answer(rig, 2)->trigger_count, 1);
    assert_int_equal(rig_dump(rig)->claims.count, 0);
    assert_int_equal(rig_trigger(rig, job)->state, TRIGGER_CANCELLED);
    rig_restart(rig);
    assert_null(rig_take(rig, "w2"));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(a_report_right_after_a_cancel_is_stale),
        ONCE(a_report_of_somebody_else_right_after_the_end_is_stale),
        ONCE(a_deleted_job_is_gone_at_once_and_its_name_is_free),
        ONCE(several_edits_of_one_batch_are_several_versions),
        ONCE(a_name_that_nothing_can_have_is_not_found),
        ONCE(a_job_has_at_most_so_many_triggers),
        ONCE(a_claim_that_is_cancelled_before_it_is_stored_leaves_no_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
