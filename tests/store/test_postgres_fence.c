/* Who owns a shard, and that nobody else writes. */
#include "postgres_test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/chrono.h"
#include "base/mem.h"

/* The advisory locks of pg_statements_write.h. */
#define OWNER_LOCK "1650811393"
#define FENCE_LOCK "1650811394"

#define LEASE_IS_OVER "UPDATE belfry.shards SET until = clock_timestamp() - interval '1 second' WHERE number = 0"
#define SOMEBODY_WAITS_FOR_THE_FENCE                                                                                   \
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = " FENCE_LOCK " AND NOT granted"

static int64_t tenants(void)
{
    return raw_ask("SELECT count(*) FROM belfry.tenants");
}

/* ---- taking over ---- */

static void an_owner_who_lives_is_named_and_keeps_its_shard(void **state)
{
    struct store *first = open_store();
    struct store *second = open_store();
    struct error error;

    (void)state;
    acquire(first, "tower-1");
    want(try_acquire(second, "tower-2", &error), STORE_FENCED, &error);
    assert_non_null(strstr(error.text, "tower-1"));
    assert_non_null(strstr(error.text, "http://owner.example:7600"));
    commit(first, 1, "acme");
    want(try_commit(second, 2, "intruder", &error), STORE_FENCED, &error);
    store_close(first);
    store_close(second);
}

static void the_shard_of_a_dead_owner_is_free_before_its_lease_is_over(void **state)
{
    struct store *first = open_store();
    struct store *second = open_store();

    (void)state;
    acquire(first, "tower-1");
    commit(first, 1, "acme");
    store_close(first);
    raw_await("SELECT (count(*) = 0)::int FROM pg_locks WHERE locktype = 'advisory' AND classid = " OWNER_LOCK);
    assert_true(raw_ask("SELECT (until > clock_timestamp())::int FROM belfry.shards WHERE number = 0") == 1);
    acquire(second, "tower-2");
    commit(second, 2, "acme");
    store_close(second);
}

static void a_released_shard_is_free_at_once(void **state)
{
    struct store *first = open_store();
    struct store *second = open_store();
    struct error error = {0};

    (void)state;
    acquire(first, "tower-1");
    want(postgres_store_release(first, &error), STORE_DONE, &error);
    assert_true(postgres_store_trusted_until_mono_ms(first) == 0);
    acquire(second, "tower-2");
    commit(second, 1, "acme");
    want(try_commit(first, 2, "late", &error), STORE_FENCED, &error);
    want(try_acquire(first, "tower-1", &error), STORE_FENCED, &error);
    store_close(first);
    store_close(second);
}

static void the_session_of_an_owner_whose_lease_is_over_is_ended(void **state)
{
    struct store *first = open_store();
    struct store *second = open_store();
    struct error error;

    (void)state;
    acquire(first, "tower-1");
    commit(first, 1, "acme");
    raw_run(LEASE_IS_OVER);
    acquire(second, "tower-2");
    want(try_commit(first, 2, "zombie", &error), STORE_FENCED, &error);
    assert_int_equal(tenants(), 1);
    commit(second, 2, "globex");
    want(try_commit(first, 3, "zombie", &error), STORE_FENCED, &error);
    store_close(first);
    store_close(second);
}

/* ---- the fence itself ---- */

static void a_commit_after_a_takeover_changes_nothing(void **state)
{
    struct store *store = open_store();
    struct error error;

    (void)state;
    acquire(store, "tower-1");
    commit(store, 1, "acme");
    raw_run("UPDATE belfry.shards SET epoch = epoch + 1 WHERE number = 0"); /* its session does not notice */
    want(try_commit(store, 2, "zombie", &error), STORE_FENCED, &error);
    assert_int_equal(tenants(), 1);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.batch_log"), 1);
    want(postgres_store_renew(store, &error), STORE_FENCED, &error);
    store_close(store);
}

/* After a failover that lost an acquisition a number can be given twice. */
static void an_epoch_with_another_nonce_is_another_owner_s(void **state)
{
    struct store *store = open_store();
    struct error error;

    (void)state;
    acquire(store, "tower-1");
    raw_run("UPDATE belfry.shards SET nonce_1 = nonce_1 + 1 WHERE number = 0");
    want(try_commit(store, 1, "zombie", &error), STORE_FENCED, &error);
    assert_int_equal(tenants(), 0);
    store_close(store);
}

struct late {
    struct store *store;
    enum store_outcome outcome;
    struct error error;
};

static void *commit_late(void *arg)
{
    struct late *late = arg;

    late->outcome = try_commit(late->store, 1, "late", &late->error);
    return NULL;
}

/* A look in the same statement as the lock, or of an older snapshot, would see the old epoch. */
static void check_who_waits_sees_the_new_epoch(void)
{
    struct late late = {.store = open_store()};
    PGconn *raw = raw_open();
    pthread_t thread;

    acquire(late.store, "tower-1");
    raw_exec(raw, "BEGIN");
    raw_exec(raw, "SELECT pg_advisory_xact_lock(" FENCE_LOCK ", 0)");
    raw_exec(raw, "UPDATE belfry.shards SET epoch = epoch + 1 WHERE number = 0");
    assert_int_equal(pthread_create(&thread, NULL, commit_late, &late), 0);
    raw_await(SOMEBODY_WAITS_FOR_THE_FENCE);
    raw_exec(raw, "COMMIT");
    assert_int_equal(pthread_join(thread, NULL), 0);
    want(late.outcome, STORE_FENCED, &late.error);
    assert_int_equal(tenants(), 0);
    PQfinish(raw);
    store_close(late.store);
}

static void who_waited_for_the_fence_sees_the_new_epoch(void **state)
{
    (void)state;
    check_who_waits_sees_the_new_epoch();
}

static void whatever_isolation_the_role_has_by_default(void **state)
{
    (void)state;
    raw_run("ALTER ROLE belfry SET default_transaction_isolation = 'repeatable read'");
    check_who_waits_sees_the_new_epoch();
    raw_run("ALTER ROLE belfry RESET default_transaction_isolation");
}

/* What was begun with the fence in hand ends before the epoch rises: here it is ended, since it does not go on. */
static void a_transaction_that_stands_still_does_not_hold_up_a_takeover(void **state)
{
    struct store *store = open_store();
    PGconn *raw = raw_open();

    (void)state;
    raw_exec(raw, "BEGIN");
    raw_exec(raw, "SELECT pg_advisory_xact_lock_shared(" FENCE_LOCK ", 0)");
    raw_exec(raw, "INSERT INTO belfry.tenants (shard, tenant, jobs) VALUES (0, 'half', 1)");
    acquire(store, "tower-1");
    assert_string_not_equal(raw_try(raw, "COMMIT"), "");
    assert_int_equal(tenants(), 0);
    PQfinish(raw);
    store_close(store);
}

/* ---- many at once ---- */

#define CROWD 8
#define ROUNDS 5

struct candidate {
    pthread_barrier_t *barrier;
    struct store *store;
    enum store_outcome outcome;
    struct error error;
};

static void *run_for_it(void *arg)
{
    struct candidate *candidate = arg;

    (void)pthread_barrier_wait(candidate->barrier);
    candidate->outcome = try_acquire(candidate->store, "one of eight", &candidate->error);
    return NULL;
}

static void elect(uint64_t round)
{
    struct candidate candidates[CROWD] = {0};
    pthread_barrier_t barrier;
    pthread_t threads[CROWD];
    struct store *winner = NULL;

    assert_int_equal(pthread_barrier_init(&barrier, NULL, CROWD), 0);
    for (size_t i = 0; i < CROWD; i++) {
        candidates[i] = (struct candidate){.barrier = &barrier, .store = open_store()};
        assert_int_equal(pthread_create(&threads[i], NULL, run_for_it, &candidates[i]), 0);
    }
    for (size_t i = 0; i < CROWD; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (candidates[i].outcome == STORE_DONE) {
            assert_null(winner);
            winner = candidates[i].store;
        } else {
            want(candidates[i].outcome, STORE_FENCED, &candidates[i].error);
        }
    }
    assert_non_null(winner);
    assert_int_equal(shard_of(winner).epoch, round);
    commit(winner, round, "acme");
    for (size_t i = 0; i < CROWD; i++) {
        store_close(candidates[i].store);
    }
    (void)pthread_barrier_destroy(&barrier);
    raw_await("SELECT (count(*) = 0)::int FROM pg_locks WHERE locktype = 'advisory' AND classid = " OWNER_LOCK);
}

static void of_eight_who_acquire_at_once_one_wins(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        elect(round);
    }
}

/* ---- what an owner knows ---- */

static void a_session_that_was_ended_is_replaced_and_owns_the_shard_again(void **state)
{
    struct store *store = open_store();
    struct store *second = open_store();
    struct error error;

    (void)state;
    acquire(store, "tower-1");
    commit(store, 1, "acme");
    raw_run("SELECT pg_terminate_backend(backend_pid) FROM belfry.shards WHERE number = 0");
    raw_await("SELECT (count(*) = 0)::int FROM pg_locks WHERE locktype = 'advisory' AND classid = " OWNER_LOCK);
    commit(store, 2, "globex");
    assert_int_equal(shard_of(store).epoch, 1);
    want(try_acquire(second, "tower-2", &error), STORE_FENCED, &error);
    assert_int_equal(raw_ask("SELECT (backend_pid = pid)::int FROM belfry.shards, pg_locks WHERE number = 0 "
                             "AND locktype = 'advisory' AND classid = " OWNER_LOCK),
                     1);
    store_close(store);
    store_close(second);
}

static void commits_and_renewals_prolong_the_lease(void **state)
{
    struct store *store = open_store();
    struct error error = {0};

    (void)state;
    acquire(store, "tower-1");
    raw_run(LEASE_IS_OVER);
    want(postgres_store_renew(store, &error), STORE_DONE, &error);
    assert_int_equal(raw_ask("SELECT (until > clock_timestamp())::int FROM belfry.shards WHERE number = 0"), 1);
    raw_run(LEASE_IS_OVER);
    int64_t before_mono_ms = chrono_mono_ms();

    commit(store, 1, "acme");
    assert_int_equal(raw_ask("SELECT (until > clock_timestamp())::int FROM belfry.shards WHERE number = 0"), 1);
    assert_in_range((uint64_t)postgres_store_trusted_until_mono_ms(store), (uint64_t)before_mono_ms,
                    (uint64_t)(chrono_mono_ms() + POSTGRES_LEASE_MS - 1)); /* not from the answer on */
    store_close(store);
}

static void readers_know_the_owner(void **state)
{
    struct store *store = open_store();
    struct store_reader *reader = NULL;
    struct postgres_owner owner;
    struct error error = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 1024, 65536);
    want(store_reader_open(store, &reader, &error), STORE_DONE, &error);
    want(postgres_reader_owner(reader, &arena, &owner, &error), STORE_DONE, &error);
    assert_false(owner.is_owned);
    acquire(store, "tower-1");
    want(postgres_reader_owner(reader, &arena, &owner, &error), STORE_DONE, &error);
    assert_true(owner.is_owned);
    assert_int_equal(owner.epoch, 1);
    assert_true(str_is(owner.name, "tower-1"));
    assert_true(str_is(owner.url, "http://owner.example:7600"));
    assert_in_range((uint64_t)owner.left_ms, 1, POSTGRES_LEASE_MS);
    raw_run(LEASE_IS_OVER);
    want(postgres_reader_owner(reader, &arena, &owner, &error), STORE_DONE, &error);
    assert_false(owner.is_owned);
    arena_done(&arena);
    store_reader_close(reader);
    store_close(store);
}

/* The server's clock is this machine's here, so both must agree; and what is believed is never ahead of it. */
static void the_database_s_clock_is_learned_with_each_batch(void **state)
{
    struct store *store = open_store();

    (void)state;
    assert_false(postgres_store_clock(store).is_known);
    acquire(store, "tower-1");
    commit(store, 1, "acme");
    struct postgres_clock clock = postgres_store_clock(store);

    assert_true(clock.is_known);
    assert_true(chrono_mono_ms() + clock.ahead_of_mono_ms <= chrono_wall_ms());
    assert_true(clock.spread_ms >= 0);
    store_close(store);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, database_make, database_drop)
    const struct CMUnitTest tests[] = {
        WITH(an_owner_who_lives_is_named_and_keeps_its_shard),
        WITH(the_shard_of_a_dead_owner_is_free_before_its_lease_is_over),
        WITH(a_released_shard_is_free_at_once),
        WITH(the_session_of_an_owner_whose_lease_is_over_is_ended),
        WITH(a_commit_after_a_takeover_changes_nothing),
        WITH(an_epoch_with_another_nonce_is_another_owner_s),
        WITH(who_waited_for_the_fence_sees_the_new_epoch),
        WITH(whatever_isolation_the_role_has_by_default),
        WITH(a_transaction_that_stands_still_does_not_hold_up_a_takeover),
        WITH(of_eight_who_acquire_at_once_one_wins),
        WITH(a_session_that_was_ended_is_replaced_and_owns_the_shard_again),
        WITH(commits_and_renewals_prolong_the_lease),
        WITH(readers_know_the_owner),
        WITH(the_database_s_clock_is_learned_with_each_batch),
    };

    return cmocka_run_group_tests_name("postgres_fence", tests, NULL, NULL);
}
