#include "asking.h"

#include <string.h>
#include <time.h>

#define LATER "{\"delay\":\"1h\"}"

static void fail_commits(struct rig *rig, enum store_outcome outcome, int count)
{
    atomic_store(&rig->faulty.commit_outcome, (int)outcome);
    atomic_store(&rig->faulty.commit_count, count);
}

static struct shard_view view_of(struct rig *rig)
{
    struct shard_view view;

    shard_look(rig->shard, &view);
    return view;
}

static void a_busy_store_is_asked_again_and_nobody_notices(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    fail_commits(rig, STORE_AGAIN, 3);
    (void)create(rig, LATER);
    assert_int_equal(view_of(rig).restarts, 0);
    assert_int_equal(rig_count_jobs(rig), 1);
    rig_close(rig);
}

static void a_store_that_is_down_fails_the_call_and_says_that_nothing_was_applied(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    fail_commits(rig, STORE_DOWN, 1);
    struct asked *asked = await(ask_create(rig, LATER));
    assert_true(asked->has_failed && asked->is_not_applied);
    assert_int_equal(asked->code, ERR_STORE_DOWN);
    asked_free(asked);
    rig_await(rig, SHARD_SERVING);
    assert_int_equal(view_of(rig).restarts, 1);
    assert_int_equal(rig_count_jobs(rig), 0);
    (void)create(rig, LATER);
    assert_int_equal(rig_count_jobs(rig), 1);
    rig_close(rig);
}

static void who_waits_behind_a_failed_batch_is_told_as_well(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct asked *behind[20];

    fail_commits(rig, STORE_DOWN, 1);
    atomic_store(&rig->faulty.is_held, true);
    struct asked *first = ask_create(rig, LATER);
    rig_await_held(rig);
    for (size_t i = 0; i < 20; i++) {
        behind[i] = ask_create(rig, LATER);
    }
    struct asked *poll = ask_poll(rig, "w-1", 60000);
    asked_free(await(ask_look(rig)));
    atomic_store(&rig->faulty.is_held, false);
    for (size_t i = 0; i < 20; i++) {
        assert_true(await(behind[i])->has_failed && behind[i]->is_not_applied);
        asked_free(behind[i]);
    }
    assert_true(await(first)->has_failed && first->is_not_applied);
    asked_free(first);
    asked_free(await(poll));
    rig_await(rig, SHARD_SERVING);
    assert_int_equal(rig_count_jobs(rig), 0);
    rig_close(rig);
}

static void a_poll_whose_reports_were_taken_is_not_said_to_be_unapplied(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    (void)create(rig, "{}");
    struct asked *first = await(ask_poll(rig, "w-1", 60000));
    const struct report report = {
        .trigger = first->grant.trigger, .number = first->grant.number, .state = ATTEMPT_SUCCEEDED};
    assert_int_not_equal(report.trigger, 0);
    asked_free(first);
    struct asked *poll = ask_poll_with(rig, "w-1", 60000, &report, 1);
    (void)create(rig, LATER); /* behind it: so the report is durable, and the poll waits for work */
    assert_false(is_answered(poll));
    fail_commits(rig, STORE_DOWN, 1);
    asked_free(await(ask_create(rig, LATER)));
    assert_true(await(poll)->has_failed);
    assert_false(poll->is_not_applied);
    asked_free(poll);
    rig_await(rig, SHARD_SERVING);
    rig_close(rig);
}

static void an_unknown_outcome_is_said_to_be_unknown(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    for (int is_applied = 0; is_applied < 2; is_applied++) {
        size_t before = rig_count_jobs(rig);

        atomic_store(&rig->faulty.is_applied, is_applied == 1);
        fail_commits(rig, STORE_UNKNOWN, 1);
        struct asked *asked = await(ask_create(rig, LATER));
        assert_true(asked->has_failed);
        assert_false(asked->is_not_applied);
        asked_free(asked);
        rig_await(rig, SHARD_SERVING);
        assert_int_equal(rig_count_jobs(rig), before + (size_t)is_applied);
        (void)create(rig, LATER); /* the engine knows what the store has */
    }
    rig_close(rig);
}

static void while_the_store_is_down_calls_fail_at_once(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    atomic_store(&rig->faulty.acquire_outcome, STORE_DOWN);
    atomic_store(&rig->faulty.acquire_count, 1000000);
    fail_commits(rig, STORE_DOWN, 1);
    asked_free(await(ask_create(rig, LATER)));
    rig_await(rig, SHARD_DOWN);
    struct asked *asked = await(ask_create(rig, LATER));
    assert_true(asked->has_failed && asked->is_not_applied);
    assert_int_equal(asked->code, ERR_STORE_DOWN);
    asked_free(asked);
    struct asked *look = await(ask_look(rig));
    assert_true(look->has_failed);
    asked_free(look);
    assert_true(shard_answers(rig->shard, 60000)); /* it is alive */
    atomic_store(&rig->faulty.acquire_count, 0);
    rig_await(rig, SHARD_SERVING);
    (void)create(rig, LATER);
    rig_close(rig);
}

static void a_load_that_fails_starts_the_engine_anew(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    (void)create(rig, "{\"name\":\"a\",\"delay\":\"1h\"}");
    atomic_store(&rig->faulty.load_outcome, STORE_DOWN);
    atomic_store(&rig->faulty.load_count, 1);
    struct asked *asked = await(ask_create(rig, "{\"name\":\"b\",\"delay\":\"1h\"}")); /* asks for the name */
    assert_true(asked->has_failed && asked->is_not_applied);
    asked_free(asked);
    rig_await(rig, SHARD_SERVING);
    (void)create(rig, "{\"name\":\"b\",\"delay\":\"1h\"}");
    rig_close(rig);
}

static void what_names_more_than_can_be_read_is_refused_and_nobody_else_notices(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    const struct report unknown = {.trigger = 1, .number = 1, .state = ATTEMPT_SUCCEEDED};

    atomic_store(&rig->faulty.is_load_cut, true);
    struct asked *asked = await(ask_create(rig, "{\"name\":\"b\",\"delay\":\"1h\"}"));
    assert_false(asked->has_failed);
    assert_int_equal(asked->code, ERR_TOO_LARGE);
    asked_free(asked);
    atomic_store(&rig->faulty.is_load_cut, true);
    asked = await(ask_poll_with(rig, "w-1", 0, &unknown, 1));
    assert_int_equal(asked->kind, REPLY_WORK);
    asked_free(asked);
    (void)create(rig, "{\"name\":\"b\",\"delay\":\"1h\"}");
    assert_int_equal(view_of(rig).restarts, 0);
    rig_close(rig);
}

static void a_store_that_cannot_be_acquired_fails_the_start(void **state)
{
    (void)state;
    struct rig *rig = rig_open();
    struct error error;

    atomic_store(&rig->faulty.acquire_outcome, STORE_DOWN);
    atomic_store(&rig->faulty.acquire_count, 1000000);
    assert_int_not_equal(rig_try_start(rig, &error), ERR_OK);
    rig->shard = NULL;
    atomic_store(&rig->faulty.acquire_count, 0);
    assert_int_equal(rig_try_start(rig, &error), ERR_OK);
    (void)create(rig, LATER);
    rig_close(rig);
}

static void a_broken_store_is_told_of_and_nothing_is_answered_but_failures(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    rig->is_breaking_allowed = true;
    atomic_store(&rig->faulty.acquire_outcome, STORE_BROKEN);
    atomic_store(&rig->faulty.acquire_count, 1000000);
    fail_commits(rig, STORE_BROKEN, 1000000);
    struct asked *asked = await(ask_create(rig, LATER));
    assert_true(asked->has_failed);
    assert_false(asked->is_not_applied); /* who knows */
    asked_free(asked);
    assert_true(atomic_load(&rig->broken) > 0);
    asked = await(ask_create(rig, LATER));
    assert_true(asked->has_failed);
    asked_free(asked);
    rig_close(rig);
}

static void a_stop_while_the_store_is_down_ends(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    atomic_store(&rig->faulty.acquire_outcome, STORE_DOWN);
    atomic_store(&rig->faulty.acquire_count, 1000000);
    fail_commits(rig, STORE_DOWN, 1);
    asked_free(await(ask_create(rig, LATER)));
    rig_await(rig, SHARD_DOWN);
    rig_close(rig);
}

static void a_stop_with_a_failing_commit_under_way_answers_everybody(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    fail_commits(rig, STORE_DOWN, 1000);
    atomic_store(&rig->faulty.is_held, true);
    struct asked *first = ask_create(rig, LATER);
    rig_await_held(rig);
    struct asked *second = ask_create(rig, LATER);
    atomic_store(&rig->faulty.is_held, false);
    shard_close(rig->shard);
    assert_true(await(first)->has_failed && await(second)->has_failed);
    asked_free(first);
    asked_free(second);
    shard_free(rig->shard);
    rig->shard = NULL;
    rig_close(rig);
}

static void a_drain_holds_after_a_restart_of_the_engine(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    shard_drain(rig->shard);
    fail_commits(rig, STORE_DOWN, 1);
    asked_free(await(ask_create(rig, LATER)));
    rig_await(rig, SHARD_SERVING);
    struct asked *poll = await(ask_poll(rig, "w-1", 60000));
    assert_true(poll->is_draining);
    asked_free(poll);
    rig_close(rig);
}

static void a_refused_batch_is_taken_apart_until_the_one_at_fault_is_told(void **state)
{
    (void)state;
    struct rig *rig = rig_open();
    struct asked *asked[7];
    struct error error;
    size_t done = 0;

    rig->faulty.refused_name = "poison";
    assert_int_equal(rig_try_start(rig, &error), ERR_OK);
    for (int round = 0; round < 2; round++) {
        atomic_store(&rig->faulty.is_held, true);
        asked[0] = ask_create(rig, LATER);
        rig_await_held(rig);
        for (size_t i = 1; i < 7; i++) {
            asked[i] = ask_create(rig, i == 3 ? "{\"name\":\"poison\",\"delay\":\"1h\"}" : LATER);
        }
        atomic_store(&rig->faulty.is_held, false);
        assert_true(await(asked[3])->has_failed && asked[3]->is_not_applied);
        assert_int_equal(asked[3]->code, round == 0 ? ERR_STORE_DOWN : ERR_INTERNAL);
        for (size_t i = 0; i < 7; i++) {
            done += await(asked[i])->has_failed ? 0 : 1;
            assert_true(round == 0 || i == 3 || !asked[i]->has_failed); /* nobody else suffers from it again */
            asked_free(asked[i]);
        }
        rig_await(rig, SHARD_SERVING);
    }
    assert_int_equal(rig_count_jobs(rig), done);
    rig_close(rig);
}

static void nap(void)
{
    const struct timespec wait = {.tv_nsec = 500000};

    nanosleep(&wait, NULL);
}

/* Until the engine has been thrown away and waits so long before the next one. */
static void await_retry(struct rig *rig, int64_t retry_ms)
{
    while (view_of(rig).retry_ms < retry_ms) {
        nap();
    }
}

static void what_the_time_makes_and_the_store_refuses_is_tried_less_and_less_often(void **state)
{
    (void)state;
    struct rig *rig = rig_open();
    struct error error;

    rig->careful_ms = 2000;
    atomic_store(&rig->faulty.is_skip_refused, true);
    assert_int_equal(rig_try_start(rig, &error), ERR_OK);
    (void)create(rig, "{\"delay\":\"10ms\",\"expires_after\":\"10ms\"}"); /* nobody takes it: it is skipped */
    await_retry(rig, 800);
    struct shard_view view = view_of(rig);
    assert_true(view.is_stuck);
    assert_int_equal(view.restarts, 4); /* after 100, 200, 400 and 800 ms */
    assert_non_null(strstr(view.error.text, "the test wants it so"));
    assert_int_equal(atomic_load(&rig->downs), 1); /* told once */
    struct asked *asked = await(ask_create(rig, LATER));
    assert_true(asked->has_failed && asked->is_not_applied); /* at once: nobody waits for it to be well again */
    assert_int_equal(asked->code, ERR_STORE_DOWN);
    asked_free(asked);
    atomic_store(&rig->faulty.is_skip_refused, false);
    while (view_of(rig).is_stuck) {
        nap();
    }
    assert_int_equal(view_of(rig).state, SHARD_SERVING);
    (void)create(rig, LATER);
    rig_close(rig);
}

static void a_store_that_stays_down_is_told_of_once(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    atomic_store(&rig->faulty.acquire_outcome, STORE_DOWN);
    atomic_store(&rig->faulty.acquire_count, 1000000);
    fail_commits(rig, STORE_DOWN, 1);
    asked_free(await(ask_create(rig, LATER)));
    await_retry(rig, 800);
    assert_false(view_of(rig).is_stuck);
    assert_int_equal(atomic_load(&rig->downs), 1);
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_busy_store_is_asked_again_and_nobody_notices),
        IN_FOLDER(a_store_that_is_down_fails_the_call_and_says_that_nothing_was_applied),
        IN_FOLDER(who_waits_behind_a_failed_batch_is_told_as_well),
        IN_FOLDER(a_poll_whose_reports_were_taken_is_not_said_to_be_unapplied),
        IN_FOLDER(an_unknown_outcome_is_said_to_be_unknown),
        IN_FOLDER(while_the_store_is_down_calls_fail_at_once),
        IN_FOLDER(a_load_that_fails_starts_the_engine_anew),
        IN_FOLDER(what_names_more_than_can_be_read_is_refused_and_nobody_else_notices),
        IN_FOLDER(a_store_that_cannot_be_acquired_fails_the_start),
        IN_FOLDER(a_broken_store_is_told_of_and_nothing_is_answered_but_failures),
        IN_FOLDER(a_stop_while_the_store_is_down_ends),
        IN_FOLDER(a_stop_with_a_failing_commit_under_way_answers_everybody),
        IN_FOLDER(a_drain_holds_after_a_restart_of_the_engine),
        IN_FOLDER(a_refused_batch_is_taken_apart_until_the_one_at_fault_is_told),
        IN_FOLDER(what_the_time_makes_and_the_store_refuses_is_tried_less_and_less_often),
        IN_FOLDER(a_store_that_stays_down_is_told_of_once),
    };

    return cmocka_run_group_tests_name("server/shard_failures", tests, NULL, NULL);
}
