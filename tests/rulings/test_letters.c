/* Dead letters, ranges and single triggers: what a command may name, and what becomes of what it does not find. */
#include "ledger.h"

#define ONE_TRY "'retry':{'max_attempts':1,'delays':['1s'],'jitter':0}"
#define LONG_RUN "'lease':'1h','timeout':'2h'"
#define SELF_HEALING "'dead_policy':{'replay_after':'10m','max_replays':2}"

static const struct reply *command_for(struct rig *rig, enum command_kind kind, const uint64_t *triggers, size_t count)
{
    struct command command = {.kind = kind, .triggers = triggers, .trigger_count = count};

    return rig_command(rig, &command);
}

/* Fails the test unless so many were taken, and so many were not. */
static void assert_taken(const struct reply *reply, size_t taken, int64_t not_needed)
{
    assert_int_equal(reply->kind, REPLY_TRIGGERS);
    assert_int_equal(reply->trigger_count, taken);
    assert_int_equal(reply->not_needed, not_needed);
}

/* A dead trigger of the job, whose fire is due. */
static uint64_t kill_next(struct rig *rig, uint64_t job)
{
    const struct grant *grant = take_of(rig, "w1", job);
    uint64_t trigger = grant->trigger;

    rig_fail(rig, "w1", grant);
    assert_int_equal(rig_trigger(rig, trigger)->state, TRIGGER_DEAD);
    return trigger;
}

/* The replay of a dead trigger that has not started; fails the test without one. */
static uint64_t replay_of(struct rig *rig, uint64_t dead)
{
    const struct rows *rows = rig_dump(rig);
    uint64_t found = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];

        if (row->kind == TRIGGER_REPLAY && row->replay_of == dead && row->state == TRIGGER_PENDING) {
            found = row->id;
        }
    }
    assert_int_not_equal(found, 0);
    return found;
}

/* ---- ranges ---- */

static void a_range_without_end_or_without_anything_is_refused(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * * ?','overlap':'queue','pool':'slow'}");
    const struct reply *reply = rig_backfill(rig, job, "2026-04-01T00:00:00Z", "2026-04-08T00:00:00Z");

    assert_error(reply, ERR_UNPROCESSABLE);
    assert_string_equal(reply->error.field, "to");
    reply = rig_backfill(rig, job, "2026-04-08T08:00:00Z", "2026-04-08T08:00:00Z");
    assert_error(reply, ERR_UNPROCESSABLE);
    assert_string_equal(reply->error.field, "to");
    assert_error(rig_backfill(rig, job, "2026-04-08T08:00:01Z", "2026-04-08T08:00:00Z"), ERR_UNPROCESSABLE);
    assert_error(rig_backfill(rig, make(rig, "{'delay':'1h'}"), "2026-04-08T08:00:00Z", "2026-04-08T08:01:00Z"),
                 ERR_UNPROCESSABLE);
    assert_int_equal(rig_dump(rig)->triggers.count, 0);
    rig_free(rig);
}

static void a_backfill_leaves_the_future_to_the_schedule(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'* * * * *'}");

    rig_wait(rig, MINUTE / 2);
    assert_taken(rig_backfill(rig, job, "2026-04-08T08:58:30Z", "2026-04-08T09:02:30Z"), 2, 2);
    assert_int_equal(run_all(rig), 2);
    assert_int_equal(rig_job(rig, job)->cursor_ms, minute(1));
    rig_free(rig);
}

static void a_backfill_of_nothing_is_answered_again_under_its_key(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'cron':'0 * * * *'}");
    struct command command = {.kind = COMMAND_BACKFILL,
                              .ref = {.id = job},
                              .from_ms = minute(5),
                              .to_ms = minute(10),
                              .idem_key = STR("k"),
                              .idem_tenant = STR("default"),
                              .idem_hash = {1, 2}};

    assert_taken(rig_command(rig, &command), 0, 0);
    assert_taken(rig_command(rig, &command), 0, 0);
    command.idem_hash[1] = 3;
    assert_error(rig_command(rig, &command), ERR_KEY_REUSED);
    rig_free(rig);
}

/* ---- dead letters ---- */

static void a_letter_is_discarded_once(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," ONE_TRY "}");

    rig_wait(rig, MINUTE);
    uint64_t dead = kill_next(rig, job);
    assert_taken(command_for(rig, COMMAND_DISCARD, (const uint64_t[]){dead, dead}, 2), 1, 1);
    assert_null(rig_trigger(rig, dead));
    assert_taken(rig_trigger_command(rig, COMMAND_DISCARD, dead), 0, 1);
    assert_taken(rig_trigger_command(rig, COMMAND_REPLAY, dead), 0, 1);
    assert_error(rig_trigger_command(rig, COMMAND_RETRY, dead), ERR_NOT_FOUND);
    assert_error(rig_trigger_command(rig, COMMAND_CANCEL, dead), ERR_NOT_FOUND);
    assert_error(rig_why_trigger(rig, dead), ERR_NOT_FOUND);
    rig_free(rig);
}

static const struct reply *filter_for(struct rig *rig, enum command_kind kind, uint64_t trigger)
{
    struct command command = {.kind = kind, .triggers = &trigger, .trigger_count = 1, .is_by_filter = true};

    return rig_command(rig, &command);
}

static void a_letter_names_its_replay_and_is_replayed_once_by_a_filter(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," ONE_TRY "}");

    rig_wait(rig, MINUTE);
    uint64_t dead = kill_next(rig, job);
    assert_int_equal(rig_trigger(rig, dead)->replayed_by, 0);
    assert_taken(filter_for(rig, COMMAND_REPLAY, dead), 1, 0);
    uint64_t replay = replay_of(rig, dead);
    assert_int_equal(rig_trigger(rig, dead)->replayed_by, replay);
    assert_int_equal(rig_trigger(rig, dead)->state, TRIGGER_DEAD);
    assert_taken(filter_for(rig, COMMAND_REPLAY, dead), 0, 1);
    rig_succeed(rig, "w1", take_of(rig, "w1", job));
    assert_int_equal(rig_trigger(rig, replay)->state, TRIGGER_SUCCEEDED);
    assert_taken(filter_for(rig, COMMAND_REPLAY, dead), 0, 1);
    assert_taken(filter_for(rig, COMMAND_DISCARD, dead), 0, 1);
    assert_int_equal(rig_trigger(rig, dead)->replayed_by, replay);
    rig_free(rig);
}

static void a_named_letter_is_replayed_again_when_its_replay_is_over(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," ONE_TRY "}");

    rig_wait(rig, MINUTE);
    uint64_t dead = kill_next(rig, job);
    uint64_t first = rig_trigger_command(rig, COMMAND_REPLAY, dead)->triggers[0];
    assert_taken(rig_trigger_command(rig, COMMAND_REPLAY, dead), 0, 1);
    assert_error(rig_trigger_command(rig, COMMAND_RETRY, dead), ERR_CONFLICT);
    assert_taken(rig_trigger_command(rig, COMMAND_CANCEL, first), 1, 0);
    uint64_t second = rig_trigger_command(rig, COMMAND_RETRY, dead)->triggers[0];
    assert_int_equal(rig_trigger(rig, dead)->replayed_by, second);
    uint64_t again = kill_next(rig, job); /* a letter of its own, which leaves the list as any other */
    assert_int_equal(again, second);
    assert_taken(filter_for(rig, COMMAND_REPLAY, again), 1, 0);
    assert_taken(rig_trigger_command(rig, COMMAND_DISCARD, dead), 1, 0);
    assert_null(rig_trigger(rig, dead));
    rig_free(rig);
}

static void a_letter_that_is_replayed_by_itself_is_off_the_list(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:00:00Z'," ONE_TRY "," SELF_HEALING "}");
    uint64_t dead = kill_next(rig, job), automatic = replay_of(rig, dead);

    assert_int_equal(rig_trigger(rig, dead)->replayed_by, automatic);
    assert_taken(filter_for(rig, COMMAND_REPLAY, dead), 0, 1);
    assert_taken(filter_for(rig, COMMAND_DISCARD, dead), 0, 1);
    assert_taken(rig_trigger_command(rig, COMMAND_REPLAY, dead), 1, 0); /* a person does not wait for it */
    assert_int_equal(rig_trigger(rig, automatic)->state, TRIGGER_CANCELLED);
    assert_int_equal(rig_trigger(rig, dead)->replayed_by, replay_of(rig, dead));
    rig_free(rig);
}

static void only_the_dead_are_discarded(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    uint64_t runs = take_of(rig, "w1", job)->trigger, pends = rig_run(rig, job);
    assert_taken(command_for(rig, COMMAND_DISCARD, (const uint64_t[]){runs, pends, job}, 3), 0, 3);
    assert_int_equal(rig_trigger_count(rig, job, TRIGGER_PENDING), 1);
    rig_free(rig);
}

static void several_that_are_not_there_are_counted_and_one_is_missed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", job));
    uint64_t pends = rig_run(rig, job), ended = trigger_of(rig, job, 1)->id;
    assert_error(rig_trigger_command(rig, COMMAND_CANCEL, job + 1), ERR_NOT_FOUND);
    assert_taken(rig_trigger_command(rig, COMMAND_CANCEL, ended), 0, 1);
    assert_taken(command_for(rig, COMMAND_CANCEL, (const uint64_t[]){job + 1, job + 2}, 2), 0, 2);
    assert_taken(command_for(rig, COMMAND_CANCEL, (const uint64_t[]){job + 1, pends, ended}, 3), 1, 2);
    assert_int_equal(rig_trigger(rig, pends)->state, TRIGGER_CANCELLED);
    rig_free(rig);
}

static void the_letters_of_a_cancelled_job_are_not_replayed(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'," ONE_TRY "}");

    rig_wait(rig, MINUTE);
    uint64_t dead = kill_next(rig, job);
    rig_status(rig, job, JOB_CANCELLED);
    assert_taken(rig_trigger_command(rig, COMMAND_REPLAY, dead), 0, 1);
    assert_error(rig_trigger_command(rig, COMMAND_RETRY, dead), ERR_CONFLICT);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void a_replay_that_is_to_come_says_when(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:00:00Z'," ONE_TRY "," SELF_HEALING "}");
    uint64_t replay = replay_of(rig, kill_next(rig, job));
    const struct reply *why = rig_why_trigger(rig, replay);

    assert_int_equal(reason_of(why, WHY_NOT_DUE)->clears_ms, minute(10));
    assert_false(names(why, WHY_BACKOFF)); /* it has not been tried yet */
    rig_wait(rig, 10 * MINUTE);
    assert_int_equal(kill_next(rig, job), replay);
    rig_free(rig);
}

/* ---- whose job it is ---- */

static void a_job_of_another_tenant_is_not_found(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'name':'a','tenant':'x','every':'1m'}");
    struct command command = {.kind = COMMAND_RUN, .ref = {.id = job, .tenant = STR("y")}};

    assert_error(rig_command(rig, &command), ERR_NOT_FOUND);
    command.ref.tenant = STR("x");
    assert_taken(rig_command(rig, &command), 1, 0);
    command.ref = (struct job_ref){.tenant = STR("y"), .name = STR("a")};
    assert_error(rig_command(rig, &command), ERR_NOT_FOUND);
    command.ref.tenant = STR("x");
    assert_taken(rig_command(rig, &command), 1, 0);
    rig_free(rig);
}

static void a_status_that_only_the_schedule_gives_is_refused(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");
    const struct reply *reply = rig_status(rig, job, JOB_COMPLETED);

    assert_error(reply, ERR_INVALID);
    assert_string_equal(reply->error.field, "status");
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_range_without_end_or_without_anything_is_refused),
        STORY(a_backfill_leaves_the_future_to_the_schedule),
        STORY(a_backfill_of_nothing_is_answered_again_under_its_key),
        STORY(a_letter_is_discarded_once),
        STORY(a_letter_names_its_replay_and_is_replayed_once_by_a_filter),
        STORY(a_named_letter_is_replayed_again_when_its_replay_is_over),
        STORY(a_letter_that_is_replayed_by_itself_is_off_the_list),
        STORY(only_the_dead_are_discarded),
        STORY(several_that_are_not_there_are_counted_and_one_is_missed),
        STORY(the_letters_of_a_cancelled_job_are_not_replayed),
        STORY(a_replay_that_is_to_come_says_when),
        STORY(a_job_of_another_tenant_is_not_found),
        STORY(a_status_that_only_the_schedule_gives_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
