/* The wall clock may do anything: engine time never goes back, and jumps forward are not believed until somebody says
 * so. */
#include "ledger.h"

static struct engine_figures figures(struct rig *rig)
{
    struct engine_figures figures;

    engine_figures(rig_engine(rig), &figures);
    return figures;
}

static const struct reply *accept_clock(struct rig *rig)
{
    struct command command = {.kind = COMMAND_ACCEPT_CLOCK};

    return rig_command(rig, &command);
}

static void time_stands_still_until_a_clock_that_went_back_has_caught_up(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 1));
    rig_set_wall(rig, -HOUR);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(figures(rig).now_ms, minute(1));
        assert_nothing_to_do(rig);
        rig_wait(rig, HOUR / 6);
    }
    assert_false(figures(rig).is_clock_held);
    rig_wait(rig, MINUTE - 1);
    assert_nothing_to_do(rig);
    rig_wait(rig, 1);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 2));
    assert_ledger(rig, job, "1 2");
    rig_free(rig);
}

static void nothing_is_decided_twice_by_a_server_that_starts_with_an_earlier_clock(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    for (int i = 0; i < 3; i++) {
        rig_wait(rig, MINUTE);
        run_all(rig);
    }
    rig_set_wall(rig, -HOUR);
    rig_restart(rig);
    assert_nothing_to_do(rig);
    uint64_t other = make(rig, "{'delay':'1d'}");
    assert_true(other > job);
    rig_wait(rig, HOUR - 1);
    assert_nothing_to_do(rig);
    assert_ledger(rig, job, "1 2 3");
    rig_wait(rig, MINUTE + 1);
    rig_succeed(rig, "w1", take_minute(rig, "w1", 4));
    rig_free(rig);
}

static void a_step_of_a_minute_is_believed(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'delay':'1m'}");
    turn(rig);
    rig_set_wall(rig, MINUTE);
    assert_false(figures(rig).is_clock_held);
    assert_int_equal(figures(rig).now_ms, rig_now(rig));
    take_minute(rig, "w1", 1);
    rig_free(rig);
}

static void a_longer_step_is_held_until_it_is_accepted(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'run_at':'2026-04-08T09:30:00Z'}");

    turn(rig);
    rig_set_wall(rig, HOUR);
    assert_true(figures(rig).is_clock_held);
    assert_nothing_to_do(rig);
    rig_wait(rig, 10000);
    assert_nothing_to_do(rig);
    assert_true(names(rig_why(rig, job), WHY_CLOCK_HELD));
    assert_int_equal(accept_clock(rig)->kind, REPLY_DONE);
    assert_false(figures(rig).is_clock_held);
    assert_int_equal(figures(rig).now_ms, rig_now(rig));
    take_of(rig, "w1", job);
    rig_free(rig);
}

static void a_step_of_a_millisecond_more_than_a_minute_is_held(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'delay':'1m'}");
    rig_set_wall(rig, MINUTE + 1);
    assert_true(figures(rig).is_clock_held);
    assert_nothing_to_do(rig);
    rig_free(rig);
}

static void a_clock_that_comes_back_is_believed_again(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'delay':'5m'}");
    turn(rig);
    rig_set_wall(rig, HOUR);
    rig_wait(rig, MINUTE);
    rig_set_wall(rig, -HOUR);
    assert_false(figures(rig).is_clock_held);
    assert_int_equal(figures(rig).now_ms, rig_now(rig));
    rig_wait(rig, 4 * MINUTE - 1);
    assert_nothing_to_do(rig);
    rig_wait(rig, 1);
    take_minute(rig, "w1", 5);
    rig_free(rig);
}

static void an_engine_that_is_made_anew_holds_what_was_held_and_does_not_go_back(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'delay':'30m'}");
    turn(rig);
    rig_set_wall(rig, HOUR);
    assert_true(figures(rig).is_clock_held);
    rig_reload(rig);
    assert_true(figures(rig).is_clock_held);
    assert_nothing_to_do(rig);
    assert_int_equal(accept_clock(rig)->kind, REPLY_DONE);
    int64_t now_ms = figures(rig).now_ms;

    rig_set_wall(rig, -HOUR);
    rig_reload(rig);
    assert_int_equal(figures(rig).now_ms, now_ms);
    take_minute(rig, "w1", 30);
    rig_free(rig);
}

static void who_accepts_every_clock_is_not_held(void **state)
{
    struct rig *rig = story_begin_with(state, &(struct engine_config){.seed = 1, .accept_clock = true});

    make(rig, "{'delay':'30m'}");
    turn(rig);
    rig_set_wall(rig, HOUR);
    assert_false(figures(rig).is_clock_held);
    take_minute(rig, "w1", 30);
    rig_free(rig);
}

static void a_suspended_machine_is_no_jump(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'delay':'30m'}");
    turn(rig);
    rig_sleep(rig, HOUR);
    assert_false(figures(rig).is_clock_held);
    take_minute(rig, "w1", 30);
    rig_free(rig);
}

static void a_lease_does_not_mind_the_wall_clock(void **state)
{
    static const int64_t jumps_ms[] = {45000, -45000, HOUR, -HOUR};

    for (size_t i = 0; i < sizeof jumps_ms / sizeof jumps_ms[0]; i++) {
        struct rig *rig = story_begin(state);

        make(rig, "{}");
        take(rig, "w1");
        turn(rig);
        rig_set_wall(rig, jumps_ms[i]);
        rig_wait(rig, 29999);
        assert_nothing_to_do(rig);
        assert_int_equal(figures(rig).running, 1);
        rig_worker_dies(rig, "w1");
        rig_wait(rig, 1);
        assert_int_equal(figures(rig).running, 0);
        rig_free(rig);
    }
}

static void a_timeout_does_not_mind_the_wall_clock(void **state)
{
    static const int64_t jumps_ms[] = {45000, -45000, HOUR, -HOUR};

    for (size_t i = 0; i < sizeof jumps_ms / sizeof jumps_ms[0]; i++) {
        struct rig *rig = story_begin(state);

        make(rig, "{'timeout':'20s','lease':'10m'}");
        const struct grant *grant = take(rig, "w1");
        rig_set_wall(rig, jumps_ms[i]);
        rig_wait(rig, 19999);
        assert_false(told_to_stop(rig_renew(rig, "w1"), grant));
        rig_wait(rig, 1);
        assert_true(told_to_stop(rig_renew(rig, "w1"), grant));
        rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(time_stands_still_until_a_clock_that_went_back_has_caught_up),
        STORY(nothing_is_decided_twice_by_a_server_that_starts_with_an_earlier_clock),
        STORY(a_step_of_a_minute_is_believed),
        STORY(a_longer_step_is_held_until_it_is_accepted),
        STORY(a_step_of_a_millisecond_more_than_a_minute_is_held),
        STORY(a_clock_that_comes_back_is_believed_again),
        ONCE(an_engine_that_is_made_anew_holds_what_was_held_and_does_not_go_back),
        STORY(who_accepts_every_clock_is_not_held),
        STORY(a_suspended_machine_is_no_jump),
        STORY(a_lease_does_not_mind_the_wall_clock),
        ONCE(a_timeout_does_not_mind_the_wall_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
