/* SQLite on a disk that loses power: what it promises holds at every point, and the disk is not too kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "litesim/ledger.h"

#define ROWS 40

static const struct ledger_mode wal_full = {"WAL", "FULL"};
static const struct ledger_mode wal_normal = {"WAL", "NORMAL"};
static const struct ledger_mode wal_off = {"WAL", "OFF"};

static uint64_t new_seed(void)
{
    struct rng rng;

    seed_rng(&rng);
    return rng_next(&rng);
}

/* How many points the whole scenario has. */
static uint64_t count_points(const struct ledger_mode *mode, int rows_count, uint64_t *ret_syncs)
{
    struct disk *disk = disk_new(1);
    uint64_t points;

    assert_int_equal(ledger_run(disk, mode, rows_count), rows_count);
    assert_true(disk_valid(disk));
    points = disk_points(disk);
    *ret_syncs = disk_syncs(disk);
    disk_free(disk);
    return points;
}

static void expect_sound(const struct ledger_state *state, uint64_t point)
{
    if (!state->is_sound) {
        fail_msg("power lost at point %llu: %s", (unsigned long long)point, state->problem);
    }
}

/* All that was acknowledged is there, and nothing else but perhaps the transaction that was under way. */
static void expect_all(const struct ledger_state *state, int acked, uint64_t point)
{
    expect_sound(state, point);
    if (state->rows_count != acked && state->rows_count != acked + 1) {
        fail_msg("power lost at point %llu: %d rows of %d", (unsigned long long)point, state->rows_count, acked);
    }
}

static void crash_at_every_point(const struct ledger_mode *mode, int rows_count)
{
    uint64_t seed = new_seed();
    uint64_t syncs;
    uint64_t points = count_points(mode, rows_count, &syncs);

    assert_true(points > 2 * (uint64_t)rows_count && syncs > (uint64_t)rows_count);
    for (uint64_t point = 1; point <= points + 1; point++) {
        struct disk *disk = disk_new(seed + point);
        struct ledger_state state;
        int acked;

        disk_crash_at(disk, point);
        acked = ledger_run(disk, mode, rows_count);
        assert_int_equal(disk_is_off(disk), point <= points);
        disk_crash(disk);
        state = ledger_look(disk);
        expect_all(&state, acked, point);
        disk_free(disk);
    }
}

static void a_wal_synced_in_full_keeps_every_commit_whenever_the_power_fails(void **state)
{
    (void)state;
    crash_at_every_point(&wal_full, ROWS);
}

static void a_rollback_journal_does_too(void **state)
{
    (void)state;
    static const struct ledger_mode modes[] = {{"DELETE", "EXTRA"}, {"TRUNCATE", "FULL"}, {"PERSIST", "FULL"}};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        crash_at_every_point(&modes[i], ROWS / 2);
    }
}

static void it_does_at_every_sync_for_many_seeds(void **state)
{
    (void)state;
    uint64_t seed = new_seed();
    uint64_t syncs;

    (void)count_points(&wal_full, ROWS, &syncs);
    for (uint64_t i = 0; i < 4 * syncs; i++) {
        struct disk *disk = disk_new(seed + i);
        uint64_t sync = i % syncs + 1;
        struct ledger_state found;
        int acked;

        disk_crash_at_sync(disk, sync);
        acked = ledger_run(disk, &wal_full, ROWS);
        assert_true(disk_is_off(disk));
        assert_int_equal(disk_syncs(disk), sync);
        disk_crash(disk);
        found = ledger_look(disk);
        expect_all(&found, acked, sync);
        disk_free(disk);
    }
}

static void power_that_fails_again_during_recovery_does_no_harm(void **state)
{
    (void)state;
    uint64_t syncs;
    uint64_t points = count_points(&wal_full, ROWS, &syncs);
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < 200; round++) {
        struct disk *disk = disk_new(rng_next(&rng));
        uint64_t point = 1 + rng_below(&rng, points);
        struct ledger_state found;
        int acked;

        disk_crash_at(disk, point);
        acked = ledger_run(disk, &wal_full, ROWS);
        for (uint64_t again = 1; again < 6; again++) {
            disk_crash(disk);
            disk_crash_at(disk, again);
            (void)ledger_look(disk);
        }
        disk_crash(disk);
        found = ledger_look(disk);
        expect_all(&found, acked, point);
        disk_free(disk);
    }
}

static void work_goes_on_after_crash_upon_crash(void **state)
{
    (void)state;
    struct rng rng;
    struct disk *disk;
    int rows = 0;

    seed_rng(&rng);
    disk = disk_new(rng_next(&rng));
    for (int round = 0; round < 120; round++) {
        struct ledger_state found;
        int acked;

        disk_crash_at(disk, 1 + rng_below(&rng, 150));
        acked = ledger_go_on(disk, &wal_full, rows + 1, rows + ROWS);
        disk_crash(disk);
        found = ledger_look(disk);
        expect_all(&found, acked, (uint64_t)round);
        rows = found.rows_count;
    }
    assert_true(rows > 120);
    disk_free(disk);
}

static void a_process_that_dies_loses_nothing_even_unsynced(void **state)
{
    (void)state;
    struct disk *disk = disk_new(new_seed());
    struct ledger_state found;
    sqlite3 *db;

    assert_int_equal(ledger_open(disk, &wal_off, &db), SQLITE_OK);
    assert_int_equal(ledger_create(db), SQLITE_OK);
    assert_int_equal(ledger_add(db, 1), SQLITE_OK);
    disk_kill(disk);
    assert_int_equal(ledger_add(db, 2), SQLITE_IOERR);
    found = ledger_look(disk);
    assert_true(found.is_sound);
    assert_int_equal(found.rows_count, 1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(ledger_look(disk).rows_count, 1);
    disk_free(disk);
}

/* Crashes after the last of ROWS rows, without a clean end. */
static struct ledger_state crash_after_all(const struct ledger_mode *mode, uint64_t seed)
{
    struct disk *disk = disk_new(seed);
    struct ledger_state found;
    sqlite3 *db;

    assert_int_equal(ledger_open(disk, mode, &db), SQLITE_OK);
    assert_int_equal(ledger_create(db), SQLITE_OK);
    for (int row = 1; row <= ROWS; row++) {
        assert_int_equal(ledger_add(db, row), SQLITE_OK);
    }
    disk_crash(disk);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    found = ledger_look(disk);
    disk_free(disk);
    return found;
}

static void synced_normally_a_wal_loses_only_its_end(void **state)
{
    (void)state;
    uint64_t seed = new_seed();
    int short_ones = 0;

    for (uint64_t i = 0; i < 200; i++) {
        struct ledger_state found = crash_after_all(&wal_normal, seed + i);

        expect_sound(&found, i);
        short_ones += found.rows_count < ROWS;
    }
    assert_true(short_ones > 20); /* or the disk has kept what nobody asked it to keep */
}

static void a_journal_deleted_without_a_sync_may_take_the_last_commit_back_and_no_more(void **state)
{
    (void)state;
    static const struct ledger_mode delete_full = {"DELETE", "FULL"};
    uint64_t seed = new_seed();
    int taken_back = 0;

    for (uint64_t i = 0; i < 100; i++) {
        struct ledger_state found = crash_after_all(&delete_full, seed + i);

        expect_sound(&found, i);
        assert_in_range(found.rows_count, ROWS - 1, ROWS);
        taken_back += found.rows_count == ROWS - 1;
    }
    assert_true(taken_back > 10);
}

static void without_syncs_the_disk_loses_rows_and_ruins_files(void **state)
{
    (void)state;
    static const struct ledger_mode delete_off = {"DELETE", "OFF"};
    uint64_t seed = new_seed();
    int lost = 0;
    int ruined = 0;

    for (uint64_t i = 0; i < 200; i++) {
        struct ledger_state wal = crash_after_all(&wal_off, seed + i);
        struct ledger_state journal = crash_after_all(&delete_off, seed + i);

        lost += !wal.is_sound || wal.rows_count < ROWS;
        ruined += !journal.is_sound;
    }
    assert_true(lost > 20);
    assert_true(ruined > 20);
}

static void one_seed_gives_one_history(void **state)
{
    (void)state;
    uint64_t seed = new_seed();
    uint64_t digests[3];

    for (int i = 0; i < 3; i++) {
        struct disk *disk = disk_new(i < 2 ? seed : seed + 1);

        disk_crash_at(disk, 200);
        (void)ledger_run(disk, &wal_full, ROWS);
        disk_crash(disk);
        digests[i] = disk_digest(disk);
        disk_free(disk);
    }
    assert_true(digests[0] == digests[1]);
    assert_true(digests[0] != digests[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wal_synced_in_full_keeps_every_commit_whenever_the_power_fails),
        cmocka_unit_test(a_rollback_journal_does_too),
        cmocka_unit_test(it_does_at_every_sync_for_many_seeds),
        cmocka_unit_test(power_that_fails_again_during_recovery_does_no_harm),
        cmocka_unit_test(work_goes_on_after_crash_upon_crash),
        cmocka_unit_test(a_process_that_dies_loses_nothing_even_unsynced),
        cmocka_unit_test(synced_normally_a_wal_loses_only_its_end),
        cmocka_unit_test(a_journal_deleted_without_a_sync_may_take_the_last_commit_back_and_no_more),
        cmocka_unit_test(without_syncs_the_disk_loses_rows_and_ruins_files),
        cmocka_unit_test(one_seed_gives_one_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
