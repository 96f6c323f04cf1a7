/* How many workers are remembered, and who is forgotten for a new one. */
#include "story.h"

#include <stdio.h>

#define ROOM 4

static struct rig *begin(void **state)
{
    return story_begin_with(state, &(struct engine_config){.seed = 1, .workers_max = ROOM});
}

static size_t workers(struct rig *rig)
{
    struct engine_figures figures;

    engine_figures(rig_engine(rig), &figures);
    return figures.workers;
}

static void a_client_that_makes_up_ids_does_not_fill_the_memory(void **state)
{
    struct rig *rig = begin(state);
    char id[32];

    for (int i = 0; i < 100; i++) {
        (void)snprintf(id, sizeof id, "made-up-%d", i);
        assert_int_equal(rig_poll(rig, id, "default", 1)->kind, REPLY_WORK);
        assert_in_range(workers(rig), 1, ROOM);
    }
    rig_free(rig);
}

static void pools_that_are_made_up_do_not_either(void **state)
{
    struct rig *rig = begin(state);
    char names[ROOM][5][32];

    for (int i = 0; i < 100; i++) {
        struct str pools[ROOM * 5];

        for (size_t p = 0; p < ROOM * 5; p++) {
            (void)snprintf(names[p / 5][p % 5], sizeof names[0][0], "pool-%d-%zu", i, p);
            pools[p] = str_from(names[p / 5][p % 5]);
        }
        struct exchange exchange = {.worker = i % 2 == 0 ? STR("w-even") : STR("w-odd"),
                                    .seq = -1,
                                    .pools = pools,
                                    .pool_count = ROOM * 5,
                                    .want = 1};

        assert_int_equal(rig_exchange(rig, &exchange)->kind, REPLY_WORK);
        assert_int_equal(workers(rig), 1); /* the other one named as many */
    }
    rig_free(rig);
}

static void who_holds_or_waits_is_not_forgotten(void **state)
{
    struct rig *rig = begin(state);
    char id[32];

    make(rig, "{'timeout':'2h','lease':'1h'}");
    const struct grant *grant = take(rig, "w-holds");
    uint64_t waits = rig_poll_waiting(rig, "w-waits", "default", 1, 60000);

    for (int i = 0; i < 20; i++) {
        (void)snprintf(id, sizeof id, "made-up-%d", i);
        rig_poll(rig, id, "other", 1);
    }
    assert_true(still_waits(rig, waits));
    rig_succeed(rig, "w-holds", grant);
    rig_free(rig);
}

static void where_all_are_about_something_a_new_one_is_refused_and_a_known_one_is_not(void **state)
{
    struct rig *rig = begin(state);
    const struct grant *grants[ROOM];
    char id[32];

    for (int i = 0; i < ROOM; i++) {
        make(rig, "{'timeout':'2h','lease':'1h'}");
        (void)snprintf(id, sizeof id, "w-%d", i);
        grants[i] = take(rig, id);
    }
    const struct reply *reply = rig_poll(rig, "one-more", "default", 1);
    assert_int_equal(reply->kind, REPLY_ERROR);
    assert_int_equal(reply->error.code, ERR_OVERLOADED);
    rig_succeed(rig, "w-0", grants[0]);
    assert_int_equal(rig_poll(rig, "one-more", "default", 1)->kind, REPLY_WORK);
    rig_free(rig);
}

static void who_held_something_before_a_restart_is_let_in(void **state)
{
    struct rig *rig = begin(state);
    const struct grant *grants[ROOM];
    char id[32];

    for (int i = 0; i < ROOM; i++) {
        make(rig, "{'timeout':'2h','lease':'1h'}");
        (void)snprintf(id, sizeof id, "w-%d", i);
        grants[i] = take(rig, id);
    }
    rig_restart(rig);
    for (int i = 0; i < ROOM; i++) { /* strangers come first */
        (void)snprintf(id, sizeof id, "stranger-%d", i);
        rig_poll_waiting(rig, id, "default", 1, 60000);
    }
    rig_succeed(rig, "w-3", grants[3]);
    rig_free(rig);
}

static void who_says_goodbye_is_not_counted_until_it_is_heard_of_again(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'delay':'10s'}");
    rig_poll(rig, "w-1", "default", 1);
    assert_int_equal(workers(rig), 1);
    rig_poll(rig, "w-1", "default", 0); /* wants nothing, holds nothing */
    assert_int_equal(workers(rig), 0);
    rig_wait(rig, 20000);
    assert_non_null(rig_take(rig, "w-1"));
    assert_int_equal(workers(rig), 1);
    rig_poll(rig, "w-1", "default", 0); /* wants nothing more, and holds something */
    assert_int_equal(workers(rig), 1);
    rig_free(rig);
}

static void a_goodbye_is_not_undone_by_what_was_sent_before_it(void **state)
{
    struct rig *rig = story_begin(state);
    struct str pool = STR("default");
    struct exchange last = {.worker = STR("w-1"), .seq = 8, .pools = &pool, .pool_count = 1};
    struct exchange late = {.worker = STR("w-1"), .seq = 7, .pools = &pool, .pool_count = 1, .want = 1};

    make(rig, "{}");
    assert_int_equal(rig_exchange(rig, &last)->kind, REPLY_WORK);
    rig_wait(rig, 30000);
    assert_int_equal(rig_exchange(rig, &late)->kind, REPLY_ERROR);
    assert_int_equal(workers(rig), 0);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(a_client_that_makes_up_ids_does_not_fill_the_memory),
        ONCE(pools_that_are_made_up_do_not_either),
        ONCE(who_holds_or_waits_is_not_forgotten),
        ONCE(where_all_are_about_something_a_new_one_is_refused_and_a_known_one_is_not),
        ONCE(who_held_something_before_a_restart_is_let_in),
        ONCE(who_says_goodbye_is_not_counted_until_it_is_heard_of_again),
        ONCE(a_goodbye_is_not_undone_by_what_was_sent_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
