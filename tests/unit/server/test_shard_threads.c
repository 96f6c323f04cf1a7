#include "asking.h"

#define THREADS 8
#define CALLS_EACH 1250
#define LATER "{\"delay\":\"1h\"}"

struct crowd {
    struct rig *rig;
    atomic_uint done, failed, unknown;
};

/* Some of everything, a few at a time under way. */
static void *ask_much(void *arg)
{
    struct crowd *crowd = arg;
    struct asked *under_way[10];

    for (size_t i = 0; i < CALLS_EACH / 10; i++) {
        for (size_t j = 0; j < 10; j++) {
            under_way[j] = j < 8 ? ask_create(crowd->rig, LATER) : ask_look(crowd->rig);
        }
        for (size_t j = 0; j < 10; j++) {
            struct asked *asked = await(under_way[j]);

            if (j < 8) {
                atomic_fetch_add(!asked->has_failed      ? &crowd->done
                                 : asked->is_not_applied ? &crowd->failed
                                                         : &crowd->unknown,
                                 1);
            }
            asked_free(asked);
        }
    }
    return NULL;
}

static void run_crowd(struct crowd *crowd, void (*meanwhile)(struct rig *rig))
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_much, crowd), 0);
    }
    if (meanwhile != NULL) {
        meanwhile(crowd->rig);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void ten_thousand_calls_of_eight_threads_are_all_answered(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct crowd crowd = {.rig = rig};

    run_crowd(&crowd, NULL);
    assert_int_equal(crowd.done, THREADS * CALLS_EACH / 10 * 8);
    assert_int_equal(rig_count_jobs(rig), crowd.done);
    struct shard_view view;
    shard_look(rig->shard, &view);
    assert_int_equal(view.calls, 0);
    rig_close(rig);
}

static void fail_now_and_then(struct rig *rig)
{
    const enum store_outcome outcomes[] = {STORE_DOWN, STORE_AGAIN, STORE_UNKNOWN, STORE_REFUSED};

    for (size_t i = 0; i < 12; i++) {
        unsigned before = atomic_load(&rig->faulty.commits);

        while (atomic_load(&rig->faulty.commits) < before + 3 && atomic_load(&rig->faulty.commits) > 0) {
            struct shard_view view;

            shard_look(rig->shard, &view);
            if (view.calls == 0) { /* the crowd has gone */
                return;
            }
        }
        atomic_store(&rig->faulty.is_applied, i % 8 < 4);
        atomic_store(&rig->faulty.commit_outcome, (int)outcomes[i % 4]);
        atomic_store(&rig->faulty.commit_count, 1);
    }
}

static void whatever_fails_what_was_acknowledged_is_there_and_what_was_refused_is_not(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct crowd crowd = {.rig = rig};

    run_crowd(&crowd, fail_now_and_then);
    atomic_store(&rig->faulty.commit_count, 0);
    rig_await(rig, SHARD_SERVING);
    size_t stored = rig_count_jobs(rig);
    assert_int_equal(crowd.done + crowd.failed + crowd.unknown, THREADS * CALLS_EACH / 10 * 8);
    assert_true(stored >= crowd.done);
    assert_true(stored <= crowd.done + crowd.unknown);
    rig_close(rig);
}

static void close_in_the_middle(struct rig *rig)
{
    while (atomic_load(&rig->faulty.commits) < 5) {
    }
    shard_close(rig->shard);
}

static void a_stop_in_the_middle_answers_everybody_once(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct crowd crowd = {.rig = rig};

    run_crowd(&crowd, close_in_the_middle);
    assert_int_equal(crowd.unknown, 0);
    assert_int_equal(rig_count_jobs(rig), crowd.done);
    shard_free(rig->shard);
    rig->shard = NULL;
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(ten_thousand_calls_of_eight_threads_are_all_answered),
        IN_FOLDER(whatever_fails_what_was_acknowledged_is_there_and_what_was_refused_is_not),
        IN_FOLDER(a_stop_in_the_middle_answers_everybody_once),
    };

    return cmocka_run_group_tests_name("server/shard_threads", tests, NULL, NULL);
}
