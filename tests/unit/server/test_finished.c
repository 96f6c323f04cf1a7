#include "asking.h"

#include "server/finished.h"

/* Everything that has ended is old enough. */
#define AGE_NONE (-1000)

static struct readers *readers_of(struct rig *rig)
{
    struct readers *readers = NULL;
    struct error error;

    assert_int_equal(readers_start(rig->real, 1, &readers, &error), ERR_OK);
    return readers;
}

/* Runs the job to its end. */
static void work_off(struct rig *rig)
{
    struct asked *poll = await(ask_poll(rig, "w-1", 60000));
    const struct report report = {
        .trigger = poll->grant.trigger, .number = poll->grant.number, .state = ATTEMPT_SUCCEEDED};

    assert_int_not_equal(report.trigger, 0);
    asked_free(poll);
    asked_free(await(ask_poll_with(rig, "w-1", 0, &report, 1)));
}

static void tick_until(struct finished *finished, uint64_t deleted)
{
    while (finished_count(finished) != deleted) {
        finished_tick(finished);
    }
}

static struct finished *start(struct rig *rig, struct readers *readers, int64_t once_ms, int64_t recurring_ms)
{
    return finished_new(&(struct finished_config){
        .shard = rig->shard, .readers = readers, .once_ms = once_ms, .recurring_ms = recurring_ms, .first_ms = -1});
}

static void stop(struct rig *rig, struct readers *readers, struct finished *finished)
{
    shard_close(rig->shard);
    readers_stop(readers);
    finished_free(finished);
    shard_free(rig->shard);
    rig->shard = NULL;
    rig_close(rig);
}

static void one_time_jobs_that_ended_go_and_others_stay(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct readers *readers = readers_of(rig);
    struct finished *finished = start(rig, readers, AGE_NONE, INT64_C(1) << 50);

    (void)create(rig, "{}");
    work_off(rig);
    (void)create(rig, "{\"delay\":\"1h\"}");
    (void)create(rig, "{\"every\":\"1h\"}");
    assert_int_equal(rig_count_jobs(rig), 3);
    tick_until(finished, 1);
    assert_int_equal(rig_count_jobs(rig), 2);
    stop(rig, readers, finished);
}

static void what_is_young_stays(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct readers *readers = readers_of(rig);
    struct finished *finished = start(rig, readers, INT64_C(3600000), INT64_C(3600000));

    (void)create(rig, "{}");
    work_off(rig);
    for (int i = 0; i < 1000; i++) {
        finished_tick(finished);
    }
    stop(rig, readers, finished);
    rig = rig_open();
    assert_int_equal(rig_count_jobs(rig), 1);
    rig_close(rig);
}

static void pages_and_pages_of_them_go(void **state)
{
    (void)state;
    struct rig *rig = rig_start();
    struct readers *readers = readers_of(rig);
    struct finished *finished = start(rig, readers, AGE_NONE, AGE_NONE);

    for (size_t i = 0; i < 2 * FINISHED_PAGE + 10; i++) {
        (void)create(rig, "{}");
        work_off(rig);
    }
    tick_until(finished, 2 * FINISHED_PAGE + 10);
    assert_int_equal(rig_count_jobs(rig), 0);
    stop(rig, readers, finished);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(one_time_jobs_that_ended_go_and_others_stay),
        IN_FOLDER(what_is_young_stays),
        IN_FOLDER(pages_and_pages_of_them_go),
    };

    return cmocka_run_group_tests_name("server/finished", tests, NULL, NULL);
}
