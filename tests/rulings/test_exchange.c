/* The exchange of a worker: order by seq, how long it waits, what ends the wait, and what is in the answer. */
#include "story.h"

#include <string.h>

#define HELD_MAX 8

/* One worker's side of an exchange, with every part given. */
struct ask {
    const char *worker;
    int64_t seq;
    const char *pools[HELD_MAX]; /* none: "default" */
    uint32_t want;
    int64_t wait_ms;
    const struct grant *holding[HELD_MAX];
    const struct report *report;
};

static uint64_t send(struct rig *rig, const struct ask *ask)
{
    struct str pools[HELD_MAX];
    struct attempt_ref held[HELD_MAX];
    struct exchange exchange = {.worker = str_from(ask->worker),
                                .seq = ask->seq,
                                .name = str_from(ask->worker),
                                .pools = pools,
                                .capacity = 100,
                                .want = ask->want,
                                .wait_ms = ask->wait_ms,
                                .holding = held,
                                .reports = ask->report,
                                .report_count = ask->report != NULL ? 1 : 0};

    while (ask->pools[exchange.pool_count] != NULL) {
        pools[exchange.pool_count] = str_from(ask->pools[exchange.pool_count]);
        exchange.pool_count++;
    }
    if (exchange.pool_count == 0) {
        pools[exchange.pool_count++] = STR("default");
    }
    while (ask->holding[exchange.holding_count] != NULL) {
        const struct grant *grant = ask->holding[exchange.holding_count];
        held[exchange.holding_count++] = (struct attempt_ref){.trigger = grant->trigger, .number = grant->number};
    }
    rig_exchange(rig, &exchange);
    return exchange.token;
}

#define SEND(rig, ...) send(rig, &(struct ask){.worker = "w1", .seq = -1, __VA_ARGS__})

static const struct reply *answered(struct rig *rig, uint64_t token)
{
    const struct reply *reply = rig_answer(rig, token);

    assert_non_null(reply);
    assert_int_equal(reply->kind, REPLY_WORK);
    return reply;
}

static bool is_shared_id(struct rig *rig, uint64_t token)
{
    const struct reply *reply = rig_answer(rig, token);

    return reply != NULL && reply->kind == REPLY_ERROR && reply->error.code == ERR_WORKER_ID_SHARED;
}

/* ---- seq ---- */

static void a_higher_seq_ends_the_exchange_that_waits(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t first = send(rig, &(struct ask){.worker = "w1", .seq = 1, .want = 1, .wait_ms = 20000});

    assert_true(still_waits(rig, first));
    uint64_t second = send(rig, &(struct ask){.worker = "w1", .seq = 5, .want = 1, .wait_ms = 20000});
    assert_int_equal(answered(rig, first)->grant_count, 0);
    assert_true(still_waits(rig, second));
    uint64_t job = make(rig, "{}");
    assert_int_equal(given(rig, second)->job, job);
    rig_free(rig);
}

static void a_lower_or_equal_seq_is_refused_and_the_one_that_waits_goes_on(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t first = send(rig, &(struct ask){.worker = "w1", .seq = 5, .want = 1, .wait_ms = 20000});

    assert_true(is_shared_id(rig, send(rig, &(struct ask){.worker = "w1", .seq = 5, .want = 1, .wait_ms = 20000})));
    assert_true(is_shared_id(rig, send(rig, &(struct ask){.worker = "w1", .seq = 4, .want = 1})));
    assert_true(still_waits(rig, first));
    make(rig, "{}");
    given(rig, first);
    assert_true(is_shared_id(rig, send(rig, &(struct ask){.worker = "w1", .seq = 5})));
    rig_free(rig);
}

static void a_refused_exchange_changes_nothing(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *grant = given(rig, send(rig, &(struct ask){.worker = "w1", .seq = 5, .want = 1}));
    struct report report = {.trigger = grant->trigger, .number = grant->number, .state = ATTEMPT_SUCCEEDED};

    make(rig, "{}");
    assert_true(is_shared_id(rig, send(rig, &(struct ask){.worker = "w1", .seq = 5, .want = 1, .report = &report})));
    assert_int_equal(rig_job(rig, job)->status, JOB_ACTIVE);
    assert_non_null(rig_take(rig, "w2"));
    rig_free(rig);
}

static void without_seq_the_order_of_arrival_counts(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t first = SEND(rig, .want = 1, .wait_ms = 20000);
    uint64_t second = SEND(rig, .want = 1, .wait_ms = 20000);

    assert_int_equal(answered(rig, first)->grant_count, 0);
    make(rig, "{}");
    given(rig, second);
    rig_free(rig);
}

static void workers_have_their_own_seq(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t first = send(rig, &(struct ask){.worker = "w1", .seq = 9, .want = 1, .wait_ms = 20000});
    uint64_t second = send(rig, &(struct ask){.worker = "w2", .seq = 1, .want = 1, .wait_ms = 20000});

    assert_true(still_waits(rig, first));
    assert_true(still_waits(rig, second));
    make(rig, "{}");
    make(rig, "{}");
    assert_true(given(rig, first)->job != given(rig, second)->job);
    rig_free(rig);
}

static void two_processes_that_share_an_id_are_told(void **state)
{
    struct rig *rig = story_begin(state);

    for (int64_t seq = 1; seq <= 41; seq++) {
        answered(rig, send(rig, &(struct ask){.worker = "w1", .seq = seq}));
    }
    assert_true(is_shared_id(rig, send(rig, &(struct ask){.worker = "w1", .seq = 1, .want = 1})));
    answered(rig, send(rig, &(struct ask){.worker = "w1", .seq = 42}));
    rig_free(rig);
}

static void an_attempt_is_sent_again_under_a_higher_seq_until_it_is_named(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = given(rig, send(rig, &(struct ask){.worker = "w1", .seq = 5, .want = 1}));
    turn(rig);
    const struct grant *again = given(rig, send(rig, &(struct ask){.worker = "w1", .seq = 6, .want = 1}));
    assert_int_equal(again->trigger, grant->trigger);
    assert_int_equal(again->number, grant->number);
    turn(rig);
    given(rig, send(rig, &(struct ask){.worker = "w1", .seq = 7, .want = 1}));
    turn(rig);
    uint64_t named = send(rig, &(struct ask){.worker = "w1", .seq = 8, .want = 1, .holding = {grant}});
    assert_int_equal(answered(rig, named)->grant_count, 0);
    assert_int_equal(answered(rig, named)->cancel_count, 0);
    rig_free(rig);
}

static void an_attempt_that_the_exchange_itself_reports_is_not_sent_again(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    struct report report = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};
    turn(rig);
    const struct reply *reply = answered(rig, SEND(rig, .want = 1, .report = &report));
    assert_int_equal(reply->grant_count, 0);
    assert_int_equal(reply->refused_count, 0);
    rig_free(rig);
}

/* ---- how long it waits ---- */

static void an_exchange_without_work_ends_after_its_wait(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 20000);

    rig_wait(rig, 19999);
    assert_true(still_waits(rig, token));
    rig_wait(rig, 1);
    assert_int_equal(answered(rig, token)->grant_count, 0);
    assert_false(answered(rig, token)->is_draining);
    rig_free(rig);
}

static void an_exchange_that_does_not_wait_is_answered_at_once(void **state)
{
    struct rig *rig = story_begin(state);

    assert_int_equal(answered(rig, SEND(rig, .want = 1))->grant_count, 0);
    rig_free(rig);
}

static void a_wait_ends_after_a_third_of_the_shortest_lease_held(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'lease':'30s'}");
    const struct grant *slow = given(rig, SEND(rig, .want = 1));
    turn(rig);
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 50000, .holding = {slow});
    rig_wait(rig, 9999);
    assert_true(still_waits(rig, token));
    rig_wait(rig, 1);
    assert_int_equal(answered(rig, token)->grant_count, 0);
    make(rig, "{'lease':'6s'}");
    const struct grant *fast = given(rig, SEND(rig, .want = 1, .holding = {slow}));
    turn(rig);
    token = SEND(rig, .want = 1, .wait_ms = 50000, .holding = {slow, fast});
    rig_wait(rig, 1999);
    assert_true(still_waits(rig, token));
    rig_wait(rig, 1);
    answered(rig, token);
    token = SEND(rig, .want = 1, .wait_ms = 500, .holding = {slow, fast});
    rig_wait(rig, 500);
    answered(rig, token);
    rig_free(rig);
}

static void a_worker_that_only_waits_and_renews_keeps_its_attempt(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'timeout':'1h'}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    for (int i = 0; i < 30; i++) {
        uint64_t token = SEND(rig, .want = 1, .wait_ms = 60000, .holding = {grant});
        rig_wait(rig, 10000);
        assert_int_equal(answered(rig, token)->cancel_count, 0);
        turn(rig);
    }
    rig_succeed(rig, "w1", grant);
    rig_free(rig);
}

/* ---- what ends the wait at once ---- */

static void work_ends_the_wait_when_it_is_created_or_becomes_due(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 20000);
    uint64_t now = make(rig, "{}");

    assert_int_equal(given(rig, token)->job, now);
    uint64_t later = make(rig, "{'delay':'5s'}");
    turn(rig);
    token = send(rig, &(struct ask){.worker = "w2", .seq = -1, .want = 1, .wait_ms = 20000});
    rig_wait(rig, 4999);
    assert_true(still_waits(rig, token));
    rig_wait(rig, 1);
    assert_int_equal(given(rig, token)->job, later);
    rig_free(rig);
}

static void a_cancel_ends_the_wait_of_the_worker_that_holds_it(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    turn(rig);
    uint64_t mine = SEND(rig, .want = 1, .wait_ms = 9000, .holding = {grant});
    uint64_t other = send(rig, &(struct ask){.worker = "w2", .seq = -1, .want = 1, .wait_ms = 9000});
    rig_trigger_command(rig, COMMAND_CANCEL, grant->trigger);
    assert_true(told_to_stop(answered(rig, mine), grant));
    assert_true(still_waits(rig, other));
    rig_free(rig);
}

static void a_time_out_ends_the_wait_of_the_worker_that_holds_it(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'timeout':'4s'}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    turn(rig);
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 9000, .holding = {grant});
    rig_wait(rig, 3999);
    assert_true(still_waits(rig, token));
    rig_wait(rig, 1);
    assert_true(told_to_stop(answered(rig, token), grant));
    rig_free(rig);
}

static void cancelling_a_job_ends_the_wait_of_the_worker_that_runs_it(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m'}");

    rig_wait(rig, 60000);
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    turn(rig);
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 9000, .holding = {grant});
    assert_int_equal(rig_status(rig, job, JOB_CANCELLED)->kind, REPLY_JOBS);
    assert_true(told_to_stop(answered(rig, token), grant));
    rig_free(rig);
}

static void who_waits_for_an_engine_that_is_left_is_answered_and_not_told_to_go(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    uint64_t holder = SEND(rig, .want = 1, .wait_ms = 9000, .holding = {grant});

    rig_leave(rig);
    assert_false(answered(rig, holder)->is_draining);
    assert_int_equal(answered(rig, holder)->grant_count, 0);
    assert_int_equal(answered(rig, holder)->cancel_count, 0);
    rig_free(rig);
}

static void a_drain_ends_every_wait_and_nothing_is_given_any_more(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t running = make(rig, "{}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    uint64_t holder = SEND(rig, .want = 1, .wait_ms = 9000, .holding = {grant});
    uint64_t idle = send(rig, &(struct ask){.worker = "w2", .seq = -1, .want = 1, .wait_ms = 9000});

    rig_drain(rig);
    assert_true(answered(rig, holder)->is_draining);
    assert_int_equal(answered(rig, holder)->cancel_count, 0);
    assert_true(answered(rig, idle)->is_draining);
    uint64_t job = make(rig, "{}");
    uint64_t token = send(rig, &(struct ask){.worker = "w2", .seq = -1, .want = 1, .wait_ms = 9000});
    assert_true(answered(rig, token)->is_draining);
    assert_int_equal(answered(rig, token)->grant_count, 0);
    assert_true(names(rig_why(rig, job), WHY_DRAINING));
    rig_succeed(rig, "w1", grant);
    assert_int_equal(rig_job(rig, running)->status, JOB_COMPLETED);
    rig_restart(rig);
    assert_int_equal(take(rig, "w2")->job, job);
    rig_free(rig);
}

/* ---- held ---- */

static void nothing_is_given_while_all_is_held_and_everything_when_it_is_accepted(void **state)
{
    struct rig *rig = story_begin_with(state, &(struct engine_config){.seed = 1, .is_held = true});
    uint64_t job = make(rig, "{}");
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 9000);
    const struct reply *none = answered(rig, send(rig, &(struct ask){.worker = "w2", .seq = -1, .want = 1}));

    assert_int_equal(none->grant_count, 0);
    assert_false(none->is_draining); /* workers stay, and wait */
    rig_wait(rig, 1000);
    assert_true(still_waits(rig, token));
    assert_int_equal(rig_dump(rig)->claims.count, 0);
    assert_true(names(rig_why(rig, job), WHY_HELD));
    assert_int_equal(rig_command(rig, &(struct command){.kind = COMMAND_ACCEPT_HELD})->kind, REPLY_DONE);
    assert_int_equal(answered(rig, token)->grant_count, 1);
    assert_int_equal(answered(rig, token)->grants[0].job, job);
    assert_false(names(rig_why(rig, job), WHY_HELD));
    rig_free(rig);
}

/* ---- gone ---- */

static void a_poll_whose_client_has_gone_gets_no_work(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t gone = SEND(rig, .want = 1, .wait_ms = 20000);

    rig_gone(rig, gone);
    uint64_t job = make(rig, "{}");
    assert_int_equal(rig_dump(rig)->claims.count, 0);
    assert_int_equal(take_number(rig, "w2", 1)->job, job);
    rig_free(rig);
}

static void a_client_that_goes_and_comes_back_waits_anew(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t gone = send(rig, &(struct ask){.worker = "w1", .seq = 1, .want = 1, .wait_ms = 20000});

    rig_gone(rig, gone);
    uint64_t back = send(rig, &(struct ask){.worker = "w1", .seq = 2, .want = 1, .wait_ms = 20000});
    rig_gone(rig, gone); /* told twice, or late: it names an exchange, not a worker */
    make(rig, "{}");
    given(rig, back);
    rig_free(rig);
}

static void the_attempts_of_a_worker_whose_poll_has_gone_stay_its_own(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *grant = given(rig, SEND(rig, .want = 1));
    uint64_t gone = SEND(rig, .want = 1, .wait_ms = 9000, .holding = {grant});
    rig_gone(rig, gone);
    turn(rig);
    rig_wait(rig, 29999);
    assert_null(rig_take(rig, "w2"));
    rig_succeed(rig, "w1", grant);
    rig_free(rig);
}

/* ---- what is given ---- */

static void nobody_is_given_more_than_he_wants(void **state)
{
    struct rig *rig = story_begin(state);

    for (int i = 0; i < 10; i++) {
        make(rig, "{}");
    }
    assert_int_equal(answered(rig, SEND(rig, .want = 0))->grant_count, 0);
    assert_int_equal(rig_poll(rig, "w2", "default", 3)->grant_count, 3);
    turn(rig);
    assert_int_equal(rig_poll(rig, "w3", "default", 100)->grant_count, 7);
    assert_int_equal(rig_poll(rig, "w4", "default", 100)->grant_count, 0);
    rig_free(rig);
}

static void who_wants_nothing_waits_and_is_given_nothing(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t token = SEND(rig, .want = 0, .wait_ms = 5000);

    make(rig, "{}");
    assert_true(still_waits(rig, token));
    rig_wait(rig, 5000);
    assert_int_equal(answered(rig, token)->grant_count, 0);
    take_number(rig, "w2", 1);
    rig_free(rig);
}

static void workers_that_wait_share_what_comes_and_nothing_is_given_twice(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t tokens[8];
    const char *workers[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    uint64_t seen[8];

    for (size_t i = 0; i < 8; i++) {
        tokens[i] = send(rig, &(struct ask){.worker = workers[i], .seq = -1, .want = 1, .wait_ms = 20000});
    }
    for (size_t i = 0; i < 8; i++) {
        make(rig, "{}");
    }
    for (size_t i = 0; i < 8; i++) {
        seen[i] = given(rig, tokens[i])->trigger;
        for (size_t j = 0; j < i; j++) {
            assert_true(seen[i] != seen[j]);
        }
    }
    rig_free(rig);
}

static void only_the_pools_that_are_named_are_served(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t token = SEND(rig, .pools = {"mail", "sms"}, .want = 1, .wait_ms = 20000);

    make(rig, "{}");
    make(rig, "{'pool':'fax'}");
    assert_true(still_waits(rig, token));
    uint64_t sms = make(rig, "{'pool':'sms'}");
    assert_int_equal(given(rig, token)->job, sms);
    rig_free(rig);
}

static void the_pools_of_a_worker_are_served_in_rotation(void **state)
{
    struct rig *rig = story_begin(state);
    const char *last = "";

    for (int i = 0; i < 20; i++) {
        make(rig, "{'pool':'a'}");
        make(rig, "{'pool':'b'}");
    }
    for (int i = 0; i < 20; i++) {
        const struct grant *grant = given(rig, SEND(rig, .pools = {"a", "b"}, .want = 1));
        const char *pool = str_is(grant->place.pool, "a") ? "a" : "b";

        assert_string_not_equal(pool, last);
        last = pool;
        struct report report = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};
        SEND(rig, .pools = {"a", "b"}, .report = &report);
    }
    rig_free(rig);
}

static void pools_are_served_in_rotation_by_reports_that_ask_for_more(void **state)
{
    struct rig *rig = story_begin(state);
    size_t of[2] = {0};

    for (int i = 0; i < 20; i++) {
        make(rig, "{'pool':'a'}");
        make(rig, "{'pool':'b'}");
    }
    const struct grant *grant = given(rig, SEND(rig, .pools = {"a", "b"}, .want = 1));
    for (int i = 0; i < 19; i++) {
        struct report report = {.trigger = grant->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};

        of[str_is(grant->place.pool, "b")]++;
        grant = given(rig, SEND(rig, .pools = {"a", "b"}, .want = 1, .report = &report));
    }
    assert_in_range(of[0], 9, 10);
    rig_free(rig);
}

static void one_big_poll_takes_from_all_its_pools(void **state)
{
    struct rig *rig = story_begin(state);
    size_t of[3] = {0};

    for (int i = 0; i < 20; i++) {
        make(rig, "{'pool':'a'}");
        make(rig, "{'pool':'b'}");
        make(rig, "{'pool':'c'}");
    }
    turn(rig);
    const struct reply *reply = answered(rig, SEND(rig, .pools = {"a", "b", "c"}, .want = 9));
    assert_int_equal(reply->grant_count, 9);
    for (size_t i = 0; i < reply->grant_count; i++) {
        of[reply->grants[i].place.pool.ptr[0] - 'a']++;
    }
    assert_int_equal(of[0], 3);
    assert_int_equal(of[1], 3);
    assert_int_equal(of[2], 3);
    rig_free(rig);
}

static void an_empty_pool_does_not_take_a_turn(void **state)
{
    struct rig *rig = story_begin(state);

    for (int i = 0; i < 4; i++) {
        make(rig, "{'pool':'b'}");
    }
    turn(rig);
    assert_int_equal(answered(rig, SEND(rig, .pools = {"a", "b"}, .want = 4))->grant_count, 4);
    rig_free(rig);
}

static void reports_are_applied_before_new_work_is_given(void **state)
{
    struct rig *rig = story_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'max_in_flight':1}");
    make(rig, "{}");
    const struct grant *first = given(rig, SEND(rig, .want = 1));
    uint64_t next = make(rig, "{}");
    struct report report = {.trigger = first->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};
    turn(rig);
    assert_int_equal(given(rig, SEND(rig, .want = 1, .report = &report))->job, next);
    rig_free(rig);
}

static void a_release_comes_back_in_the_same_answer_when_there_is_nothing_else(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{}");
    const struct grant *first = given(rig, SEND(rig, .want = 1));
    struct report report = {.trigger = first->trigger, .number = 1, .state = ATTEMPT_RELEASED};
    turn(rig);
    const struct grant *again = given(rig, SEND(rig, .want = 1, .report = &report));
    assert_int_equal(again->trigger, first->trigger);
    assert_int_equal(again->number, 2);
    rig_free(rig);
}

static void a_refused_report_does_not_keep_work_away(void **state)
{
    struct rig *rig = story_begin(state);
    struct report report = {.trigger = 4711, .number = 1, .state = ATTEMPT_SUCCEEDED};

    make(rig, "{}");
    const struct reply *reply = answered(rig, SEND(rig, .want = 1, .report = &report));
    assert_int_equal(reply->grant_count, 1);
    assert_true(refused(reply, REFUSED_UNKNOWN));
    rig_free(rig);
}

static void a_report_in_a_waiting_exchange_is_applied_at_once(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{}");
    const struct grant *first = given(rig, SEND(rig, .want = 1));
    struct report report = {.trigger = first->trigger, .number = 1, .state = ATTEMPT_SUCCEEDED};

    turn(rig);
    SEND(rig, .want = 1, .wait_ms = 20000, .report = &report);
    assert_int_equal(rig_job(rig, job)->status, JOB_COMPLETED);
    rig_free(rig);
}

static void an_exchange_that_waits_with_a_refused_report_tells_of_it_in_its_answer(void **state)
{
    struct rig *rig = story_begin(state);
    struct report report = {.trigger = 4711, .number = 1, .state = ATTEMPT_SUCCEEDED};
    uint64_t token = SEND(rig, .want = 1, .wait_ms = 5000, .report = &report);

    rig_wait(rig, 5000);
    assert_true(refused(answered(rig, token), REFUSED_UNKNOWN));
    rig_free(rig);
}

static void a_grant_says_all_that_a_worker_needs(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job =
        make(rig, "{'tenant':'acme','name':'welcome','type':'mail','pool':'email','priority':2,'timeout':'40s',"
                  "'lease':'20s','retry':{'max_attempts':7}}");

    turn(rig);
    const struct grant *grant = rig_take_from(rig, "w1", "email");
    assert_non_null(grant);
    assert_int_equal(grant->job, job);
    assert_true(str_is(grant->place.tenant, "acme"));
    assert_true(str_is(grant->place.type, "mail"));
    assert_true(str_is(grant->place.pool, "email"));
    assert_int_equal(grant->place.priority, 2);
    assert_true(str_is(grant->name, "welcome"));
    assert_int_equal(grant->timeout_ms, 40000);
    assert_int_equal(grant->lease_ms, 20000);
    assert_int_equal(grant->max_attempts, 7);
    assert_int_equal(grant->failures, 0);
    assert_int_equal(grant->number, 1);
    assert_int_equal(grant->kind, TRIGGER_SCHEDULE);
    assert_int_equal(grant->scheduled_ms, rig_now(rig));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(a_higher_seq_ends_the_exchange_that_waits),
        ONCE(a_lower_or_equal_seq_is_refused_and_the_one_that_waits_goes_on),
        ONCE(a_refused_exchange_changes_nothing),
        ONCE(without_seq_the_order_of_arrival_counts),
        ONCE(workers_have_their_own_seq),
        ONCE(two_processes_that_share_an_id_are_told),
        STORY(an_attempt_is_sent_again_under_a_higher_seq_until_it_is_named),
        STORY(an_attempt_that_the_exchange_itself_reports_is_not_sent_again),
        ONCE(an_exchange_without_work_ends_after_its_wait),
        ONCE(an_exchange_that_does_not_wait_is_answered_at_once),
        STORY(a_wait_ends_after_a_third_of_the_shortest_lease_held),
        STORY(a_worker_that_only_waits_and_renews_keeps_its_attempt),
        STORY(work_ends_the_wait_when_it_is_created_or_becomes_due),
        STORY(a_cancel_ends_the_wait_of_the_worker_that_holds_it),
        STORY(a_time_out_ends_the_wait_of_the_worker_that_holds_it),
        STORY(cancelling_a_job_ends_the_wait_of_the_worker_that_runs_it),
        ONCE(who_waits_for_an_engine_that_is_left_is_answered_and_not_told_to_go),
        ONCE(a_drain_ends_every_wait_and_nothing_is_given_any_more),
        ONCE(nothing_is_given_while_all_is_held_and_everything_when_it_is_accepted),
        ONCE(a_poll_whose_client_has_gone_gets_no_work),
        ONCE(a_client_that_goes_and_comes_back_waits_anew),
        STORY(the_attempts_of_a_worker_whose_poll_has_gone_stay_its_own),
        STORY(nobody_is_given_more_than_he_wants),
        ONCE(who_wants_nothing_waits_and_is_given_nothing),
        ONCE(workers_that_wait_share_what_comes_and_nothing_is_given_twice),
        ONCE(only_the_pools_that_are_named_are_served),
        ONCE(the_pools_of_a_worker_are_served_in_rotation),
        ONCE(pools_are_served_in_rotation_by_reports_that_ask_for_more),
        STORY(one_big_poll_takes_from_all_its_pools),
        STORY(an_empty_pool_does_not_take_a_turn),
        STORY(reports_are_applied_before_new_work_is_given),
        STORY(a_release_comes_back_in_the_same_answer_when_there_is_nothing_else),
        ONCE(a_refused_report_does_not_keep_work_away),
        STORY(a_report_in_a_waiting_exchange_is_applied_at_once),
        ONCE(an_exchange_that_waits_with_a_refused_report_tells_of_it_in_its_answer),
        STORY(a_grant_says_all_that_a_worker_needs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
