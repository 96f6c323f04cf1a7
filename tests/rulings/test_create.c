/* Creating: again, under a key, many at once, and within limits. */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

static void the_same_definition_again_is_the_same_job(void **state)
{
    struct rig *rig = restless_begin(state);
    const struct reply *first = rig_create_reply(rig, "{\"name\":\"a\",\"delay\":\"1h\",\"priority\":3}");
    assert_jobs(first);
    assert_false(first->jobs[0].is_existing);
    rig_wait(rig, MINUTE);
    /* Defaults may be left out, and an hour later is still the same delay. */
    const struct reply *again = rig_create_reply(rig, "{\"delay\":\"60m\",\"name\":\"a\",\"pool\":\"default\"}");
    assert_jobs(again);
    assert_true(again->jobs[0].is_existing);
    assert_int_equal(again->jobs[0].id, first->jobs[0].id);
    assert_error(rig_create_reply(rig, "{\"name\":\"a\",\"delay\":\"2h\"}"), ERR_CONFLICT);
    assert_int_equal(rig_dump(rig)->jobs.count, 1);
    /* Also when it has ended. */
    rig_wait(rig, 2 * HOUR);
    run_all(rig);
    again = rig_create_reply(rig, "{\"name\":\"a\",\"delay\":\"1h\"}");
    assert_true(again->jobs[0].is_existing);
    rig_free(rig);
}

static void names_are_unique_in_a_tenant(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','tenant':'x','delay':'1h'}");
    uint64_t b = make(rig, "{'name':'a','tenant':'y','delay':'1h'}");

    assert_int_not_equal(a, b);
    assert_int_not_equal(make(rig, "{'delay':'1h'}"), make(rig, "{'delay':'1h'}"));
    rig_free(rig);
}

static void many_are_created_all_or_none(void **state)
{
    static const char *const good[] = {"{\"name\":\"a\",\"delay\":\"1h\"}", "{\"name\":\"b\"}", "{\"every\":\"1m\"}"};
    static const char *const taken[] = {"{\"name\":\"c\"}", "{\"name\":\"d\"}", "{\"name\":\"a\",\"delay\":\"2h\"}"};
    static const char *const twice[] = {"{\"name\":\"e\"}", "{\"name\":\"e\",\"delay\":\"1h\"}"};
    static const char *const never[] = {"{\"name\":\"f\"}", "{\"cron\":\"0 0 30 2 *\"}"};
    struct rig *rig = restless_begin(state);
    const struct reply *reply = rig_create_many(rig, good, 3);

    assert_jobs(reply);
    assert_int_equal(reply->job_count, 3);
    assert_int_equal(rig_dump(rig)->jobs.count, 3);
    reply = rig_create_many(rig, taken, 3);
    assert_error(reply, ERR_CONFLICT);
    assert_true(strstr(reply->error.text, "2") != NULL || strstr(reply->error.field, "2") != NULL);
    assert_error(rig_create_many(rig, twice, 2), ERR_CONFLICT);
    assert_int_equal(rig_create_many(rig, never, 2)->kind, REPLY_ERROR);
    assert_int_equal(rig_dump(rig)->jobs.count, 3);
    assert_int_equal(run_all_at_once(rig), 1);
    rig_free(rig);
}

static void a_key_makes_creating_safe_to_repeat_for_a_day(void **state)
{
    struct rig *rig = restless_begin(state);
    const char *definition = "{\"delay\":\"1h\"}";
    const struct reply *first = rig_create_key(rig, definition, "k1", 1);

    assert_jobs(first);
    const struct reply *again = rig_create_key(rig, definition, "k1", 1);
    assert_jobs(again);
    assert_int_equal(again->jobs[0].id, first->jobs[0].id);
    assert_error(rig_create_key(rig, "{\"delay\":\"2h\"}", "k1", 2), ERR_KEY_REUSED);
    rig_restart(rig);
    rig_wait(rig, DAY - 1000);
    again = rig_create_key(rig, definition, "k1", 1);
    assert_int_equal(again->jobs[0].id, first->jobs[0].id);
    assert_int_equal(rig_dump(rig)->jobs.count, 1);
    rig_wait(rig, 2 * MINUTE);
    again = rig_create_key(rig, definition, "k1", 1);
    assert_jobs(again);
    assert_int_not_equal(again->jobs[0].id, first->jobs[0].id);
    /* And another body may have it now. */
    rig_wait(rig, DAY + MINUTE);
    assert_jobs(rig_create_key(rig, "{\"delay\":\"2h\"}", "k1", 2));
    assert_int_equal(rig_dump(rig)->jobs.count, 3);
    rig_free(rig);
}

static void a_key_is_one_tenants(void **state)
{
    struct rig *rig = restless_begin(state);
    const struct reply *x = rig_create_key(rig, "{\"tenant\":\"x\"}", "k1", 1);
    const struct reply *y = rig_create_key(rig, "{\"tenant\":\"y\"}", "k1", 2);

    assert_jobs(x);
    assert_jobs(y);
    assert_int_not_equal(x->jobs[0].id, y->jobs[0].id);
    rig_free(rig);
}

static void what_was_refused_is_not_kept_under_its_key(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t old = make(rig, "{'name':'a','delay':'1h'}");

    assert_error(rig_create_key(rig, "{\"name\":\"a\",\"delay\":\"2h\"}", "k1", 1), ERR_CONFLICT);
    rig_delete(rig, old);
    assert_jobs(rig_create_key(rig, "{\"name\":\"a\",\"delay\":\"2h\"}", "k1", 1));
    rig_free(rig);
}

static struct command under_key(enum command_kind kind, uint64_t job, uint64_t hash)
{
    return (struct command){.kind = kind,
                            .ref = {.id = job},
                            .idem_key = STR("k1"),
                            .idem_tenant = STR("default"),
                            .idem_hash = {hash, hash}};
}

static void a_key_makes_a_run_safe_to_repeat(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1h','overlap':'allow'}");
    struct command command = under_key(COMMAND_RUN, job, 1);
    uint64_t run = rig_command(rig, &command)->triggers[0];

    assert_int_equal(rig_command(rig, &command)->triggers[0], run);
    rig_succeed(rig, "w1", take(rig, "w1"));
    assert_int_equal(rig_command(rig, &command)->triggers[0], run);
    assert_nothing_to_do(rig);
    command.idem_hash[0] = 2;
    assert_error(rig_command(rig, &command), ERR_KEY_REUSED);
    rig_free(rig);
}

static void a_key_makes_backfill_and_replay_safe_to_repeat(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * *','retry':{'max_attempts':1,'delays':['1s']}}");
    struct command fill = under_key(COMMAND_BACKFILL, job, 1);

    fill.from_ms = rig_instant("2026-04-08T07:00:30Z");
    fill.to_ms = rig_instant("2026-04-08T07:02:30Z");
    const struct reply *first = rig_command(rig, &fill);
    assert_int_equal(first->trigger_count, 2);
    const struct reply *again = rig_command(rig, &fill);
    assert_int_equal(again->trigger_count, 2);
    assert_int_equal(again->triggers[1], first->triggers[1]);

    const struct grant *grant = take(rig, "w1");
    rig_fail(rig, "w1", grant);
    struct command replay = under_key(COMMAND_REPLAY, 0, 3);
    replay.idem_key = STR("k2");
    replay.triggers = &grant->trigger;
    replay.trigger_count = 1;
    uint64_t trigger = rig_command(rig, &replay)->triggers[0];
    assert_int_equal(rig_command(rig, &replay)->triggers[0], trigger);
    assert_int_equal(run_all(rig), 2);
    rig_free(rig);
}

static void a_tenant_has_at_most_so_many_jobs(void **state)
{
    static const char *const two[] = {"{\"tenant\":\"x\",\"delay\":\"1h\"}", "{\"tenant\":\"x\",\"delay\":\"1h\"}"};
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TENANT, "", "x", "{'max_jobs':2}");
    uint64_t job = make(rig, "{'tenant':'x','name':'a','delay':'1h'}");
    assert_error(rig_create_many(rig, two, 2), ERR_LIMIT);
    assert_int_equal(rig_dump(rig)->jobs.count, 1);
    make(rig, "{'tenant':'x','delay':'1h'}");
    assert_error(rig_create_many(rig, two, 1), ERR_LIMIT);
    /* What is there already costs nothing, nor do others. */
    assert_int_equal(make(rig, "{'tenant':'x','name':'a','delay':'1h'}"), job);
    make(rig, "{'tenant':'y','delay':'1h'}");
    rig_delete(rig, job);
    assert_jobs(rig_create_many(rig, two, 1));
    assert_error(rig_create_many(rig, two, 1), ERR_LIMIT);
    rig_free(rig);
}

static void a_tenants_payloads_are_at_most_so_large(void **state)
{
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'max_payload_bytes':20}");
    assert_error(rig_create_reply(rig, "{\"payload\":{\"n\":\"0123456789012345678901234567890\"}}"), ERR_TOO_LARGE);
    rig_free(rig);
}

static void edits_and_runs_bring_no_larger_payloads_in(void **state)
{
    struct rig *rig = restless_begin(state);
    struct str large = STR("{\"n\":\"0123456789012345678901234567890123456789\"}");

    set(rig, SCOPE_TENANT, "", "default", "{'max_payload_bytes':20}");
    uint64_t job = make(rig, "{'every':'1m','payload':{'n':1}}");
    assert_error(patch(rig, job, "{'payload':{'n':'0123456789012345678901234567890'}}"), ERR_TOO_LARGE);
    struct command command = {.kind = COMMAND_RUN, .ref = {.id = job}, .text = large};
    assert_error(rig_command(rig, &command), ERR_TOO_LARGE);
    assert_int_equal(rig_job(rig, job)->version, 1);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void what_is_there_already_is_not_counted_again(void **state)
{
    static const char *const both[] = {"{\"name\":\"a\",\"every\":\"1h\"}", "{\"name\":\"c\",\"every\":\"1h\"}"};
    struct rig *rig = restless_begin(state);
    set(rig, SCOPE_TENANT, "", "default", "{'max_jobs':3}");
    make(rig, "{'name':'a','every':'1h'}");
    make(rig, "{'name':'b','every':'1h'}");
    assert_jobs(rig_create_many(rig, both, 2));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(the_same_definition_again_is_the_same_job),
        STORY(names_are_unique_in_a_tenant),
        STORY(many_are_created_all_or_none),
        STORY(a_key_makes_creating_safe_to_repeat_for_a_day),
        STORY(a_key_is_one_tenants),
        STORY(what_was_refused_is_not_kept_under_its_key),
        STORY(a_key_makes_a_run_safe_to_repeat),
        STORY(a_key_makes_backfill_and_replay_safe_to_repeat),
        STORY(a_tenant_has_at_most_so_many_jobs),
        STORY(a_tenants_payloads_are_at_most_so_large),
        STORY(edits_and_runs_bring_no_larger_payloads_in),
        STORY(what_is_there_already_is_not_counted_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
