/* A worker that is known to have died before the server started: nobody waits for it to be heard of. */
#include "story.h"

#define LONG_RUN "{'run_at':'2026-04-08T09:00:00Z','lease':'1h','timeout':'2h'}"

static struct rig *begin(void **state)
{
    return story_begin_with(state, &(struct engine_config){.seed = 1, .dead_worker = STR("w-own")});
}

static void what_a_dead_worker_had_is_due_again_at_once(void **state)
{
    struct rig *rig = begin(state);

    make(rig, LONG_RUN);
    take_number(rig, "w-own", 1);
    rig_worker_dies(rig, "w-own");
    rig_restart(rig);
    const struct grant *again = take_number(rig, "w-next", 2);
    assert_int_equal(again->failures, 0); /* a lost attempt is no failure of the job's */
    rig_succeed(rig, "w-next", again);
    rig_free(rig);
}

static void what_others_hold_keeps_its_term(void **state)
{
    struct rig *rig = begin(state);

    make(rig, LONG_RUN);
    const struct grant *grant = take_number(rig, "w-other", 1);
    rig_restart(rig);
    assert_null(rig_take(rig, "w-next"));
    rig_succeed(rig, "w-other", grant);
    rig_free(rig);
}

static void a_job_that_kills_the_server_each_time_is_dead_after_three(void **state)
{
    struct rig *rig = begin(state);
    uint64_t job = make(rig, LONG_RUN);

    for (uint32_t number = 1; number <= 3; number++) {
        take_number(rig, "w-own", number);
        rig_worker_dies(rig, "w-own");
        rig_restart(rig);
    }
    assert_null(rig_take(rig, "w-next"));
    assert_int_equal(rig_trigger_count(rig, job, TRIGGER_DEAD), 1);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(what_a_dead_worker_had_is_due_again_at_once),
        ONCE(what_others_hold_keeps_its_term),
        ONCE(a_job_that_kills_the_server_each_time_is_dead_after_three),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
