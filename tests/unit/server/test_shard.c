#include "asking.h"

#include <stdio.h>

#define LATER "{\"delay\":\"1h\"}"
#define NOW "{}"

static void a_call_is_answered_after_its_batch_is_durable(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    atomic_store(&rig->faulty.is_held, true);
    struct asked *asked = ask_create(rig, LATER);
    rig_await_held(rig);
    assert_false(is_answered(asked));
    assert_int_equal(rig_count_jobs(rig), 0);
    atomic_store(&rig->faulty.is_held, false);
    await(asked);
    assert_false(asked->has_failed);
    assert_int_not_equal(asked->job, 0);
    assert_int_equal(rig_count_jobs(rig), 1);
    asked_free(asked);
    rig_close(rig);
}

static void what_comes_while_a_batch_is_on_its_way_goes_together_into_the_next(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct asked *asked[100];

    atomic_store(&rig->faulty.is_held, true);
    asked[0] = ask_create(rig, LATER);
    rig_await_held(rig);
    unsigned before = atomic_load(&rig->faulty.commits);
    for (size_t i = 1; i < 100; i++) {
        asked[i] = ask_create(rig, LATER);
    }
    asked_free(await(ask_look(rig))); /* the engine has taken all of them */
    atomic_store(&rig->faulty.is_held, false);
    for (size_t i = 0; i < 100; i++) {
        assert_false(await(asked[i])->has_failed);
        asked_free(asked[i]);
    }
    assert_int_equal(atomic_load(&rig->faulty.commits), before + 1);
    assert_int_equal(rig_count_jobs(rig), 100);
    rig_close(rig);
}

static void a_refusal_is_an_answer_and_stores_nothing(void **state)
{
    (void)state;
    struct rig *rig = rig_start();

    (void)create(rig, "{\"name\":\"twice\",\"delay\":\"1h\"}");
    struct asked *asked = await(ask_create(rig, "{\"name\":\"twice\",\"delay\":\"2h\"}"));
    assert_false(asked->has_failed);
    assert_int_equal(asked->kind, REPLY_ERROR);
    assert_int_equal(asked->code, ERR_CONFLICT);
    asked_free(asked);
    assert_int_equal(rig_count_jobs(rig), 1);
    rig_close(rig);
}

static void a_worker_that_waits_gets_what_comes(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct asked *poll = ask_poll(rig, "w-1", 60000);

    (void)create(rig, NOW);
    await(poll);
    assert_false(poll->has_failed);
    assert_int_equal(poll->kind, REPLY_WORK);
    asked_free(poll);
    rig_close(rig);
}

static void a_client_that_has_gone_is_answered_and_given_nothing(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct asked *gone = ask_poll(rig, "w-1", 60000);

    shard_gone(rig->shard, gone->call.token);
    shard_gone(rig->shard, 123456789); /* of nobody */
    asked_free(await(gone));
    struct asked *here = ask_poll(rig, "w-2", 60000);
    (void)create(rig, NOW);
    assert_int_equal(await(here)->kind, REPLY_WORK);
    asked_free(here);
    rig_close(rig);
}

/* Its connection is cut while the row that its report names is being read. */
static void a_client_that_goes_while_its_rows_are_read_is_given_nothing(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    const struct report unknown = {.trigger = 1, .number = 1, .state = ATTEMPT_SUCCEEDED};

    (void)create(rig, NOW);
    atomic_store(&rig->faulty.is_held, true);
    struct asked *first = ask_create(rig, LATER);
    rig_await_held(rig); /* so the row cannot be read yet */
    struct asked *poll = ask_poll_with(rig, "w-1", 60000, &unknown, 1);
    shard_gone(rig->shard, poll->call.token);
    asked_free(await(ask_look(rig)));
    atomic_store(&rig->faulty.is_held, false);
    asked_free(await(first));
    assert_int_equal(await(poll)->grant.trigger, 0);
    asked_free(poll);
    struct asked *other = await(ask_poll(rig, "w-2", 60000));
    assert_int_not_equal(other->grant.trigger, 0);
    asked_free(other);
    rig_close(rig);
}

static void a_drain_answers_who_waits_and_goes_on_serving(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct asked *poll = ask_poll(rig, "w-1", 60000);

    shard_drain(rig->shard);
    await(poll);
    assert_int_equal(poll->kind, REPLY_WORK);
    assert_true(poll->is_draining);
    asked_free(poll);
    (void)create(rig, NOW);
    poll = await(ask_poll(rig, "w-1", 60000));
    assert_true(poll->is_draining);
    asked_free(poll);
    rig_close(rig);
}

static void a_stop_commits_what_was_decided_and_answers_everybody(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct asked *poll = ask_poll(rig, "w-1", 60000);
    struct asked *asked[50];
    size_t done = 0;

    for (size_t i = 0; i < 50; i++) {
        asked[i] = ask_create(rig, LATER);
    }
    shard_close(rig->shard);
    for (size_t i = 0; i < 50; i++) {
        done += await(asked[i])->has_failed ? 0 : 1;
        assert_true(!asked[i]->has_failed || asked[i]->is_not_applied);
        asked_free(asked[i]);
    }
    assert_int_equal(rig_count_jobs(rig), done);
    asked_free(await(poll));
    shard_free(rig->shard);
    rig->shard = NULL;
    rig_close(rig);
}

static void calls_after_the_stop_fail_at_once(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct error error;

    shard_close(rig->shard);
    struct asked *asked = ask_create(rig, LATER);
    assert_true(is_answered(asked));
    assert_true(asked->has_failed && asked->is_not_applied);
    assert_int_equal(asked->code, ERR_DRAINING);
    asked_free(asked);
    shard_gone(rig->shard, 1);
    shard_drain(rig->shard);
    assert_int_equal(shard_backup(rig->shard, path_of("copy.db"), &error), ERR_DRAINING);
    shard_free(rig->shard);
    rig->shard = NULL;
    rig_close(rig);
}

static void what_is_acknowledged_is_there_after_a_restart(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    uint64_t job = create(rig, "{\"name\":\"kept\",\"delay\":\"1h\"}");

    rig_close(rig);
    rig = rig_start();
    assert_int_equal(create(rig, "{\"name\":\"kept\",\"delay\":\"1h\"}"), job);
    rig_close(rig);
}

static void a_backup_is_made_while_it_works(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct error error;

    (void)create(rig, LATER);
    assert_int_equal(shard_backup(rig->shard, path_of("copy.db"), &error), ERR_OK);
    (void)create(rig, LATER);
    rig_close(rig);
    assert_int_equal(rename(path_of("copy.db"), path_of("belfry.db")), 0);
    (void)remove(path_of("belfry.db-wal"));
    (void)remove(path_of("belfry.db-shm"));
    rig = rig_start();
    assert_int_equal(rig_count_jobs(rig), 1);
    rig_close(rig);
}

/* Two owners that begin in the same moment, with the same pid in other namespaces, must not look the same. */
static void each_acquisition_has_random_bits_of_its_own(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    uint64_t first[2] = {rig->faulty.nonce[0], rig->faulty.nonce[1]};

    shard_stop(rig->shard);
    struct error error;
    assert_int_equal(rig_try_start(rig, &error), ERR_OK);
    for (size_t i = 0; i < 2; i++) {
        int differing = __builtin_popcountll(first[i] ^ rig->faulty.nonce[i]);

        assert_in_range(differing, 8, 56); /* of 64 fair coins: a clock or a pid differs in fewer */
    }
    rig_close(rig);
}

static void the_view_counts(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct shard_view view;

    (void)create(rig, LATER);
    shard_look(rig->shard, &view);
    assert_int_equal(view.state, SHARD_SERVING);
    assert_true(view.epoch > 0);
    assert_true(view.batches > 0);
    assert_int_equal(view.restarts, 0);
    assert_true(shard_answers(rig->shard, 60000));
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_call_is_answered_after_its_batch_is_durable),
        IN_FOLDER(what_comes_while_a_batch_is_on_its_way_goes_together_into_the_next),
        IN_FOLDER(a_refusal_is_an_answer_and_stores_nothing),
        IN_FOLDER(a_worker_that_waits_gets_what_comes),
        IN_FOLDER(a_client_that_has_gone_is_answered_and_given_nothing),
        IN_FOLDER(a_client_that_goes_while_its_rows_are_read_is_given_nothing),
        IN_FOLDER(each_acquisition_has_random_bits_of_its_own),
        IN_FOLDER(a_drain_answers_who_waits_and_goes_on_serving),
        IN_FOLDER(a_stop_commits_what_was_decided_and_answers_everybody),
        IN_FOLDER(calls_after_the_stop_fail_at_once),
        IN_FOLDER(what_is_acknowledged_is_there_after_a_restart),
        IN_FOLDER(a_backup_is_made_while_it_works),
        IN_FOLDER(the_view_counts),
    };

    return cmocka_run_group_tests_name("server/shard", tests, NULL, NULL);
}
