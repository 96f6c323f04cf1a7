/* SQLite on a disk whose calls fail: what was acknowledged stays, what was refused is not half there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "litesim/ledger.h"

#define ROWS 20

static const struct ledger_mode wal_full = {"WAL", "FULL"};
static const struct ledger_mode delete_extra = {"DELETE", "EXTRA"};

static void expect_rows(struct disk *disk, int min, int max)
{
    struct ledger_state found = ledger_look(disk);

    if (!found.is_sound) {
        fail_msg("%s", found.problem);
    }
    assert_in_range(found.rows_count, min, max);
}

/* Fails the first call of a scenario, then the second, and so on, until none is left to fail. */
static void fail_every_call(const struct ledger_mode *mode, enum disk_fault fault, bool stays)
{
    struct rng rng;
    uint64_t struck = 1;
    uint64_t n = 0;

    seed_rng(&rng);
    while (struck > 0) {
        struct disk *disk = disk_new(rng_next(&rng));
        int acked;

        n++;
        if (stays) {
            disk_fail_from(disk, n, fault);
        } else {
            disk_fail_at(disk, n, fault);
        }
        acked = ledger_run(disk, mode, ROWS);
        struck = disk_struck(disk);
        assert_true(struck > 0 || acked == ROWS);
        disk_heal(disk);
        disk_crash(disk); /* whoever sees an error from the disk starts again, and the power may fail first */
        expect_rows(disk, acked, acked + 1);
        disk_free(disk);
    }
    assert_true(n > ROWS / 7); /* even truncations: one for each checkpoint that truncates */
}

static void a_write_that_fails_costs_no_acknowledged_row(void **state)
{
    (void)state;
    fail_every_call(&wal_full, DISK_WRITE_ERROR, false);
    fail_every_call(&delete_extra, DISK_WRITE_ERROR, true);
}

static void a_disk_without_room_costs_no_acknowledged_row(void **state)
{
    (void)state;
    fail_every_call(&wal_full, DISK_NO_SPACE, true);
    fail_every_call(&delete_extra, DISK_NO_SPACE, false);
}

static void a_sync_that_fails_costs_no_acknowledged_row(void **state)
{
    (void)state;
    fail_every_call(&wal_full, DISK_SYNC_ERROR, false);
    fail_every_call(&wal_full, DISK_SYNC_ERROR, true);
}

static void a_read_that_fails_costs_no_acknowledged_row(void **state)
{
    (void)state;
    fail_every_call(&wal_full, DISK_READ_ERROR, false);
    fail_every_call(&delete_extra, DISK_READ_ERROR, true);
}

static void a_full_disk_refuses_rows_and_takes_them_again_when_there_is_room(void **state)
{
    (void)state;
    struct disk *disk = disk_new(3);
    sqlite3 *db;
    int row = 0;
    int rc;

    disk_full(disk, 64 * 1024);
    assert_int_equal(ledger_open(disk, &wal_full, &db), SQLITE_OK);
    assert_int_equal(ledger_create(db), SQLITE_OK);
    do {
        rc = ledger_add(db, ++row);
    } while (rc == SQLITE_OK && row < 1000);
    assert_int_equal(rc, SQLITE_FULL);
    assert_true(row > 3);
    assert_int_equal(ledger_ask(db, "SELECT count(*) FROM row"), row - 1);
    assert_int_equal(ledger_add(db, row), SQLITE_FULL);
    disk_full(disk, DISK_UNLIMITED);
    assert_int_equal(ledger_add(db, row), SQLITE_OK);
    disk_crash(disk);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    expect_rows(disk, row, row);
    disk_free(disk);
}

/* One round: a checkpoint, whose first sync (the WAL's) fails or not, is tried again, and the power fails before the
 * database is synced. */
static bool is_sound_after_two_checkpoints(uint64_t seed, bool fails)
{
    static const struct ledger_mode wal_normal = {"WAL", "NORMAL"};
    struct disk *disk = disk_new(seed);
    bool is_sound;
    sqlite3 *db;

    assert_int_equal(ledger_open(disk, &wal_normal, &db), SQLITE_OK);
    assert_int_equal(ledger_create(db), SQLITE_OK);
    for (int row = 1; row <= ROWS; row++) {
        assert_int_equal(ledger_add(db, row), SQLITE_OK);
    }
    if (fails) {
        disk_fail_at(disk, 1, DISK_SYNC_ERROR);
        assert_int_equal(ledger_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)"), SQLITE_IOERR);
    }
    disk_crash_at_sync(disk, 2);
    assert_int_equal(ledger_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)"), SQLITE_IOERR);
    disk_crash(disk);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    is_sound = ledger_look(disk).is_sound;
    disk_free(disk);
    return is_sound;
}

static void who_goes_on_after_a_failed_sync_may_ruin_the_file(void **state)
{
    (void)state;
    struct rng rng;
    int ruined = 0;

    seed_rng(&rng);
    for (int round = 0; round < 200; round++) {
        uint64_t seed = rng_next(&rng);

        assert_true(is_sound_after_two_checkpoints(seed, false));
        ruined += !is_sound_after_two_checkpoints(seed, true);
    }
    assert_true(ruined > 20);
}

static void a_short_read_is_noticed_or_harmless_but_never_written(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (uint64_t n = 1; n < 60; n++) {
        struct disk *disk = disk_new(rng_next(&rng));

        assert_int_equal(ledger_run(disk, &wal_full, ROWS), ROWS);
        disk_fail_at(disk, n, DISK_SHORT_READ);
        (void)ledger_look(disk);
        disk_heal(disk);
        expect_rows(disk, ROWS, ROWS);
        disk_free(disk);
    }
}

static void a_damaged_page_is_found(void **state)
{
    (void)state;
    struct disk *disk = disk_new(4);

    assert_int_equal(ledger_run(disk, &wal_full, ROWS), ROWS);
    disk_flip(disk, LEDGER_FILE, 1024, 0xff); /* the type of the second page */
    assert_false(ledger_look(disk).is_sound);
    disk_free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_fails_costs_no_acknowledged_row),
        cmocka_unit_test(a_disk_without_room_costs_no_acknowledged_row),
        cmocka_unit_test(a_sync_that_fails_costs_no_acknowledged_row),
        cmocka_unit_test(a_read_that_fails_costs_no_acknowledged_row),
        cmocka_unit_test(a_full_disk_refuses_rows_and_takes_them_again_when_there_is_room),
        cmocka_unit_test(who_goes_on_after_a_failed_sync_may_ruin_the_file),
        cmocka_unit_test(a_short_read_is_noticed_or_harmless_but_never_written),
        cmocka_unit_test(a_damaged_page_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
