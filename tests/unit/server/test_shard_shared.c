/* A shard that several servers share: it is lost to another one, and taken again. */
#include "asking.h"

#include <limits.h>
#include <time.h>

#define LATER "{\"delay\":\"1h\"}"
#define HOURS_MS 36000000LL

static struct shard_view view_of(struct rig *rig)
{
    struct shard_view view;

    shard_look(rig->shard, &view);
    return view;
}

static void start(struct rig *rig)
{
    struct error error;

    if (rig_try_start(rig, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
}

static struct rig *open_shared(void)
{
    struct rig *rig = rig_open();

    faulty_share(&rig->faulty);
    return rig;
}

/* From now on it is another server's. */
static void own_elsewhere(struct rig *rig, uint64_t epoch)
{
    atomic_store(&rig->faulty.owner_epoch, epoch);
    atomic_store(&rig->faulty.acquire_outcome, (int)STORE_FENCED);
    atomic_store(&rig->faulty.acquire_count, INT_MAX);
}

static void own_nowhere(struct rig *rig)
{
    atomic_store(&rig->faulty.acquire_count, 0);
}

static void await_count(const atomic_uint *count, unsigned wanted)
{
    const struct timespec wait = {.tv_nsec = 500000};

    while (atomic_load(count) < wanted) {
        nanosleep(&wait, NULL);
    }
}

/* Until the shard has looked at what the store says now. */
static void await_look(struct rig *rig)
{
    await_count(&rig->faulty.looks, atomic_load(&rig->faulty.looks) + 2);
}

/* Until it asks for the shard, and gets no answer yet. */
static void hold_acquire(struct rig *rig)
{
    atomic_store(&rig->faulty.is_acquire_held, true);
    await_count(&rig->faulty.acquires_waiting, 1);
}

/* It gets it. */
static void let_acquire(struct rig *rig)
{
    own_nowhere(rig);
    atomic_store(&rig->faulty.is_acquire_held, false);
}

static void lose(struct rig *rig, uint64_t epoch)
{
    own_elsewhere(rig, epoch);
    atomic_store(&rig->faulty.commit_outcome, (int)STORE_FENCED);
    atomic_store(&rig->faulty.commit_count, 1);
    asked_free(await(ask_create(rig, LATER)));
    rig_await(rig, SHARD_STANDBY);
}

/* ---- the time ---- */

static void who_takes_it_again_after_another_server_believes_the_clock(void **state)
{
    (void)state;
    struct rig *rig = open_shared();

    start(rig);
    lose(rig, view_of(rig).epoch + 1);
    atomic_store(&rig->faulty.clock_ahead_ms, HOURS_MS);
    await_look(rig);
    int64_t standby_ms = shard_now_ms(rig->shard);
    own_nowhere(rig);
    rig_await(rig, SHARD_SERVING);
    assert_false(view_of(rig).figures.is_clock_held);
    assert_true(view_of(rig).figures.now_ms >= standby_ms);
    assert_true(standby_ms > HOURS_MS + (int64_t)time(NULL) * 1000 - 60000);
    rig_close(rig);
}

static void who_takes_it_again_after_nobody_goes_on_from_what_it_believed(void **state)
{
    (void)state;
    struct rig *rig = open_shared();

    start(rig);
    lose(rig, view_of(rig).epoch);
    atomic_store(&rig->faulty.clock_ahead_ms, HOURS_MS);
    await_look(rig);
    own_nowhere(rig);
    rig_await(rig, SHARD_SERVING);
    assert_true(view_of(rig).figures.is_clock_held);
    rig_close(rig);
}

/* ---- holding ---- */

static void who_was_told_to_hold_and_gets_it_later_holds_it(void **state)
{
    (void)state;
    struct rig *rig = open_shared();

    rig->wants_hold = true;
    own_elsewhere(rig, 7);
    start(rig);
    await_look(rig);
    own_nowhere(rig);
    rig_await(rig, SHARD_SERVING);
    assert_true(view_of(rig).figures.is_held);
    assert_true(atomic_load(&rig->faulty.is_marked));
    rig_close(rig);
}

static void what_was_accepted_while_it_stood_by_is_not_held_again(void **state)
{
    (void)state;
    struct rig *rig = open_shared();

    rig->wants_hold = true;
    own_elsewhere(rig, 7);
    atomic_store(&rig->faulty.is_marked, true);
    start(rig);
    await_look(rig);
    atomic_store(&rig->faulty.is_marked, false);
    await_look(rig);
    own_nowhere(rig);
    rig_await(rig, SHARD_SERVING);
    assert_false(view_of(rig).figures.is_held);
    assert_false(atomic_load(&rig->faulty.is_marked));
    rig_close(rig);
}

/* ---- a store that went back ---- */

static void set_store(struct rig *rig, uint64_t last_batch, int64_t id_high_ms)
{
    atomic_store(&rig->faulty.last_batch, last_batch);
    atomic_store(&rig->faulty.id_high_ms, id_high_ms);
}

/* It owns the shard, has committed batches, and finds the store behind them when it acquires it anew. */
static bool is_held_after_own_commits(int64_t back_ms)
{
    struct rig *rig = open_shared();

    start(rig);
    for (int i = 0; i < 3; i++) {
        (void)create(rig, LATER);
    }
    set_store(rig, 1, view_of(rig).seen.id_high_ms - back_ms);
    atomic_store(&rig->faulty.commit_outcome, (int)STORE_DOWN);
    atomic_store(&rig->faulty.commit_count, 1);
    asked_free(await(ask_create(rig, LATER)));
    rig_await(rig, SHARD_SERVING);
    bool is_held = view_of(rig).figures.is_held;

    assert_int_equal(view_of(rig).rewinds, 1);
    assert_int_equal(atomic_load(&rig->faulty.is_marked), is_held);
    rig_close(rig);
    return is_held;
}

/* It never owned the shard, stood by, and finds the store behind what it saw then when it gets it. */
static bool is_held_after_standing_by(int64_t back_ms)
{
    struct rig *rig = open_shared();

    set_store(rig, 10, HOURS_MS);
    own_elsewhere(rig, 7);
    start(rig);
    hold_acquire(rig);
    set_store(rig, 8, HOURS_MS - back_ms);
    let_acquire(rig);
    rig_await(rig, SHARD_SERVING);
    bool is_held = view_of(rig).figures.is_held;

    assert_int_equal(view_of(rig).rewinds, 1);
    rig_close(rig);
    return is_held;
}

static void an_owner_whose_store_went_back_by_hours_holds_and_by_moments_goes_on(void **state)
{
    (void)state;
    assert_false(is_held_after_own_commits(1000));
    assert_true(is_held_after_own_commits(HOURS_MS));
}

static void a_standby_whose_store_went_back_by_hours_holds_and_by_moments_goes_on(void **state)
{
    (void)state;
    assert_false(is_held_after_standing_by(1000));
    assert_true(is_held_after_standing_by(HOURS_MS));
}

static void who_begins_on_a_store_that_went_back_holds_however_little_that_is(void **state)
{
    (void)state;
    struct rig *rig = open_shared();

    rig->seen = (struct lineage){.is_known = true, .batch = 10, .id_high_ms = HOURS_MS};
    set_store(rig, 9, HOURS_MS - 1);
    start(rig);
    assert_true(view_of(rig).figures.is_held);
    rig_close(rig);
}

/* ---- leaving ---- */

static void what_is_got_after_the_leave_is_given_back_and_never_served(void **state)
{
    (void)state;
    struct rig *rig = open_shared();

    own_elsewhere(rig, 7);
    start(rig);
    hold_acquire(rig);
    shard_leave(rig->shard);
    asked_free(await(ask_look(rig))); /* the letter before it was taken */
    let_acquire(rig);
    await_count(&rig->faulty.releases, 1);
    rig_await(rig, SHARD_STANDBY);
    assert_int_equal(atomic_load(&rig->ups), 0);
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(who_takes_it_again_after_another_server_believes_the_clock),
        IN_FOLDER(who_takes_it_again_after_nobody_goes_on_from_what_it_believed),
        IN_FOLDER(who_was_told_to_hold_and_gets_it_later_holds_it),
        IN_FOLDER(what_was_accepted_while_it_stood_by_is_not_held_again),
        IN_FOLDER(an_owner_whose_store_went_back_by_hours_holds_and_by_moments_goes_on),
        IN_FOLDER(a_standby_whose_store_went_back_by_hours_holds_and_by_moments_goes_on),
        IN_FOLDER(who_begins_on_a_store_that_went_back_holds_however_little_that_is),
        IN_FOLDER(what_is_got_after_the_leave_is_given_back_and_never_served),
    };

    return cmocka_run_group_tests_name("server/shard_shared", tests, NULL, NULL);
}
