/* The disk itself: power that fails in the middle, calls that fail, and locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "base/mem.h"
#include "litesim/raw.h"

struct fixture {
    struct disk *disk;
    sqlite3_file *file; /* "a", ten bytes of 'o', synced */
};

static int setup(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);

    fixture->disk = disk_new(7);
    fixture->file = raw_open(fixture->disk, "a", 0);
    assert_int_equal(raw_write(fixture->file, "oooooooooo", 10, 0), SQLITE_OK);
    assert_int_equal(raw_sync(fixture->file), SQLITE_OK);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    raw_close(fixture->file);
    disk_free(fixture->disk);
    mem_free(fixture);
    return 0;
}

static void reopen(struct fixture *fixture)
{
    raw_close(fixture->file);
    fixture->file = raw_open(fixture->disk, "a", 0);
}

static void expect_content(struct fixture *fixture, const char *content)
{
    char bytes[32];
    int len = (int)strlen(content);

    assert_int_equal(disk_file_bytes(fixture->disk, "a"), len);
    assert_int_equal(raw_read(fixture->file, bytes, len, 0), SQLITE_OK);
    assert_memory_equal(bytes, content, (size_t)len);
}

static void power_fails_at_the_point_asked_for_and_stays_away(void **state)
{
    struct fixture *fixture = *state;
    sqlite3_file *file = fixture->file;
    sqlite3_int64 bytes;
    char byte;

    assert_int_equal(disk_points(fixture->disk), 2);
    assert_int_equal(disk_syncs(fixture->disk), 1);
    disk_crash_at(fixture->disk, 3);
    assert_int_equal(raw_write(file, "n", 1, 0), SQLITE_OK);
    assert_int_equal(raw_truncate(file, 9), SQLITE_OK);
    assert_false(disk_is_off(fixture->disk));
    assert_int_equal(raw_sync(file), SQLITE_IOERR_FSYNC);
    assert_true(disk_is_off(fixture->disk));
    assert_int_equal(raw_write(file, "n", 1, 0), SQLITE_IOERR_WRITE);
    assert_int_equal(raw_truncate(file, 0), SQLITE_IOERR_TRUNCATE);
    assert_int_equal(raw_read(file, &byte, 1, 0), SQLITE_IOERR_READ);
    assert_int_equal(file->pMethods->xFileSize(file, &bytes), SQLITE_IOERR_FSTAT);
    assert_int_equal(file->pMethods->xLock(file, SQLITE_LOCK_SHARED), SQLITE_IOERR_LOCK);
    assert_int_equal(raw_delete(fixture->disk, "a", 1), SQLITE_IOERR_DELETE);
    assert_int_equal(raw_try_open(fixture->disk, "b"), SQLITE_CANTOPEN);
    assert_int_equal(disk_points(fixture->disk), 5);
}

static void a_crash_kills_what_is_open_until_it_is_opened_anew(void **state)
{
    struct fixture *fixture = *state;
    char byte;

    disk_crash_at(fixture->disk, 1);
    assert_int_equal(raw_write(fixture->file, "n", 1, 0), SQLITE_IOERR_WRITE);
    disk_crash(fixture->disk);
    assert_false(disk_is_off(fixture->disk));
    assert_int_equal(raw_read(fixture->file, &byte, 1, 0), SQLITE_IOERR_READ);
    assert_int_equal(raw_write(fixture->file, "n", 1, 0), SQLITE_IOERR_WRITE);
    assert_int_equal(raw_sync(fixture->file), SQLITE_IOERR_FSYNC);
    assert_int_equal(disk_points(fixture->disk), 3); /* the dead do not count */
    reopen(fixture);
    expect_content(fixture, "oooooooooo");
    assert_int_equal(raw_write(fixture->file, "n", 1, 0), SQLITE_OK);
    expect_content(fixture, "nooooooooo");
}

static void power_can_be_made_to_fail_at_syncs_only(void **state)
{
    struct fixture *fixture = *state;

    disk_crash_at_sync(fixture->disk, 2);
    assert_int_equal(raw_write(fixture->file, "n", 1, 0), SQLITE_OK);
    assert_int_equal(raw_sync(fixture->file), SQLITE_OK);
    assert_int_equal(raw_write(fixture->file, "n", 1, 1), SQLITE_OK);
    assert_int_equal(raw_write(fixture->file, "n", 1, 2), SQLITE_OK);
    assert_int_equal(raw_sync(fixture->file), SQLITE_IOERR_FSYNC);
    assert_true(disk_is_off(fixture->disk));
}

static void a_fault_strikes_once_or_from_then_on(void **state)
{
    struct fixture *fixture = *state;

    disk_fail_at(fixture->disk, 2, DISK_TRUNCATE_ERROR);
    assert_int_equal(raw_truncate(fixture->file, 9), SQLITE_OK);
    assert_int_equal(raw_truncate(fixture->file, 8), SQLITE_IOERR_TRUNCATE);
    assert_int_equal(raw_truncate(fixture->file, 7), SQLITE_OK);
    disk_fail_from(fixture->disk, 2, DISK_TRUNCATE_ERROR);
    assert_int_equal(raw_truncate(fixture->file, 6), SQLITE_OK);
    assert_int_equal(raw_truncate(fixture->file, 5), SQLITE_IOERR_TRUNCATE);
    assert_int_equal(raw_truncate(fixture->file, 5), SQLITE_IOERR_TRUNCATE);
    assert_int_equal(disk_struck(fixture->disk), 3);
    assert_int_equal(disk_calls(fixture->disk, DISK_TRUNCATE_ERROR), 6);
    disk_heal(fixture->disk);
    assert_int_equal(raw_truncate(fixture->file, 4), SQLITE_OK);
    expect_content(fixture, "oooo");
}

/* A write that fails may have got anywhere. */
static void expect_prefix_written(struct fixture *fixture)
{
    char bytes[10];
    size_t written = 0;

    assert_int_equal(raw_read(fixture->file, bytes, 10, 0), SQLITE_OK);
    while (written < 10 && bytes[written] == 'n') {
        written++;
    }
    for (size_t i = written; i < 10; i++) {
        assert_int_equal(bytes[i], 'o');
    }
}

static void a_write_can_fail_halfway(void **state)
{
    struct fixture *fixture = *state;

    disk_fail_at(fixture->disk, 1, DISK_WRITE_ERROR);
    assert_int_equal(raw_write(fixture->file, "nnnnnnnnnn", 10, 0), SQLITE_IOERR_WRITE);
    expect_prefix_written(fixture);
    disk_fail_at(fixture->disk, 1, DISK_NO_SPACE);
    assert_int_equal(raw_write(fixture->file, "nnnnnnnnnn", 10, 0), SQLITE_FULL);
    expect_prefix_written(fixture);
    assert_int_equal(raw_write(fixture->file, "nnnnnnnnnn", 10, 0), SQLITE_OK);
    expect_content(fixture, "nnnnnnnnnn");
}

static void a_full_disk_takes_no_more_but_can_be_overwritten(void **state)
{
    struct fixture *fixture = *state;
    sqlite3_file *other = raw_open(fixture->disk, "b", 0);

    disk_full(fixture->disk, 15);
    assert_int_equal(raw_write(other, "xxxxxx", 6, 0), SQLITE_FULL);
    assert_in_range(disk_file_bytes(fixture->disk, "b"), 0, 5);
    assert_int_equal(raw_truncate(other, 6), SQLITE_FULL);
    assert_int_equal(raw_write(other, "xxxxx", 5, 0), SQLITE_OK);
    assert_int_equal(raw_write(fixture->file, "n", 1, 10), SQLITE_FULL);
    assert_int_equal(raw_write(fixture->file, "n", 1, 9), SQLITE_OK);
    assert_int_equal(raw_truncate(other, 2), SQLITE_OK);
    assert_int_equal(raw_write(fixture->file, "nn", 2, 10), SQLITE_OK);
    disk_full(fixture->disk, DISK_UNLIMITED);
    assert_int_equal(raw_write(fixture->file, "nn", 2, 12), SQLITE_OK);
    assert_int_equal(raw_write(fixture->file, "n", 1, DISK_FILE_BYTES_MAX), SQLITE_FULL);
    raw_close(other);
}

static void reads_can_fail_or_come_up_short(void **state)
{
    struct fixture *fixture = *state;
    char bytes[10];
    size_t got = 0;

    disk_fail_at(fixture->disk, 1, DISK_READ_ERROR);
    assert_int_equal(raw_read(fixture->file, bytes, 10, 0), SQLITE_IOERR_READ);
    disk_fail_at(fixture->disk, 1, DISK_SHORT_READ);
    assert_int_equal(raw_read(fixture->file, bytes, 10, 0), SQLITE_IOERR_SHORT_READ);
    while (got < 10 && bytes[got] == 'o') {
        got++;
    }
    assert_true(got < 10);
    for (size_t i = got; i < 10; i++) {
        assert_int_equal(bytes[i], 0);
    }
    expect_content(fixture, "oooooooooo");
}

/* One round on a disk of its own; whether the write was lost. */
static bool is_lost_after_failed_sync(uint64_t seed)
{
    struct fixture fixture = {.disk = disk_new(seed)};
    char byte;

    fixture.file = raw_open(fixture.disk, "a", 0);
    assert_int_equal(raw_write(fixture.file, "o", 1, 0), SQLITE_OK);
    assert_int_equal(raw_sync(fixture.file), SQLITE_OK);
    assert_int_equal(raw_write(fixture.file, "n", 1, 0), SQLITE_OK);
    assert_int_equal(raw_write(fixture.file, "n", 1, DISK_SECTOR_BYTES), SQLITE_OK);
    disk_fail_at(fixture.disk, 1, DISK_SYNC_ERROR);
    assert_int_equal(raw_sync(fixture.file), SQLITE_IOERR_FSYNC);
    assert_int_equal(raw_read(fixture.file, &byte, 1, 0), SQLITE_OK);
    assert_int_equal(byte, 'n');
    assert_int_equal(raw_sync(fixture.file), SQLITE_OK); /* a lie, as on Linux */
    disk_crash(fixture.disk);
    reopen(&fixture);
    assert_int_equal(disk_file_bytes(fixture.disk, "a"), DISK_SECTOR_BYTES + 1);
    assert_int_equal(raw_read(fixture.file, &byte, 1, 0), SQLITE_OK);
    raw_close(fixture.file);
    disk_free(fixture.disk);
    return byte == 'o';
}

static void after_a_failed_sync_the_next_one_saves_nothing_of_before(void **state)
{
    (void)state;
    struct rng rng;
    int lost = 0;

    seed_rng(&rng);
    for (int round = 0; round < 200; round++) {
        lost += is_lost_after_failed_sync(rng_next(&rng));
    }
    assert_in_range(lost, 25, 175);
}

static void what_is_written_after_a_failed_sync_is_saved_by_the_next(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(raw_write(fixture->file, "n", 1, 0), SQLITE_OK);
    disk_fail_at(fixture->disk, 1, DISK_SYNC_ERROR);
    assert_int_equal(raw_sync(fixture->file), SQLITE_IOERR_FSYNC);
    assert_int_equal(raw_write(fixture->file, "nn", 2, 0), SQLITE_OK);
    assert_int_equal(raw_sync(fixture->file), SQLITE_OK);
    disk_crash(fixture->disk);
    reopen(fixture);
    expect_content(fixture, "nnoooooooo");
}

static void a_byte_can_be_damaged_for_good(void **state)
{
    struct fixture *fixture = *state;

    disk_flip(fixture->disk, "a", 3, 'o' ^ 'x');
    expect_content(fixture, "oooxoooooo");
    disk_crash(fixture->disk);
    reopen(fixture);
    expect_content(fixture, "oooxoooooo");
}

static int lock(sqlite3_file *file, int level)
{
    return file->pMethods->xLock(file, level);
}

static void locks_are_sqlites(void **state)
{
    struct fixture *fixture = *state;
    sqlite3_file *one = fixture->file;
    sqlite3_file *two = raw_open(fixture->disk, "a", 0);
    sqlite3_file *three = raw_open(fixture->disk, "a", 0);
    int is_reserved = -1;

    assert_int_equal(lock(one, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(lock(two, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(lock(one, SQLITE_LOCK_RESERVED), SQLITE_OK);
    assert_int_equal(lock(two, SQLITE_LOCK_RESERVED), SQLITE_BUSY);
    assert_int_equal(two->pMethods->xCheckReservedLock(two, &is_reserved), SQLITE_OK);
    assert_int_equal(is_reserved, 1);
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);
    assert_int_equal(lock(three, SQLITE_LOCK_SHARED), SQLITE_BUSY); /* since one is pending */
    assert_int_equal(two->pMethods->xUnlock(two, SQLITE_LOCK_NONE), SQLITE_OK);
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    assert_int_equal(one->pMethods->xUnlock(one, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(lock(three, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(two->pMethods->xCheckReservedLock(two, &is_reserved), SQLITE_OK);
    assert_int_equal(is_reserved, 0);
    raw_close(two);
    raw_close(three);
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
}

static int shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return file->pMethods->xShmLock(file, offset, n, flags);
}

static void shared_memory_is_shared_and_its_locks_are_kept(void **state)
{
    struct fixture *fixture = *state;
    sqlite3_file *one = fixture->file;
    sqlite3_file *two = raw_open(fixture->disk, "a", 0);
    void volatile *of_one = NULL;
    void volatile *of_two = NULL;

    assert_int_equal(one->pMethods->xShmMap(one, 0, 32768, 0, &of_one), SQLITE_OK);
    assert_null(of_one);
    assert_int_equal(one->pMethods->xShmMap(one, 1, 32768, 1, &of_one), SQLITE_OK);
    assert_int_equal(two->pMethods->xShmMap(two, 1, 32768, 0, &of_two), SQLITE_OK);
    assert_ptr_equal(of_one, of_two);
    assert_int_equal(shm_lock(one, 3, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_OK);
    assert_int_equal(shm_lock(two, 3, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_OK);
    assert_int_equal(shm_lock(two, 2, 3, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY);
    assert_int_equal(shm_lock(two, 4, 4, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK);
    assert_int_equal(shm_lock(one, 7, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_BUSY);
    raw_close(two); /* lets go of all it had */
    assert_int_equal(shm_lock(one, 7, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_OK);
    assert_int_equal(shm_lock(one, 3, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED), SQLITE_OK);
    assert_int_equal(shm_lock(one, 3, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK);
    disk_crash(fixture->disk);
    *(volatile char *)of_one = 'x'; /* there until it is closed */
    assert_int_equal(shm_lock(one, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_IOERR_SHMLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(power_fails_at_the_point_asked_for_and_stays_away, setup, teardown),
        cmocka_unit_test_setup_teardown(a_crash_kills_what_is_open_until_it_is_opened_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(power_can_be_made_to_fail_at_syncs_only, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fault_strikes_once_or_from_then_on, setup, teardown),
        cmocka_unit_test_setup_teardown(a_write_can_fail_halfway, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_takes_no_more_but_can_be_overwritten, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_can_fail_or_come_up_short, setup, teardown),
        cmocka_unit_test(after_a_failed_sync_the_next_one_saves_nothing_of_before),
        cmocka_unit_test_setup_teardown(what_is_written_after_a_failed_sync_is_saved_by_the_next, setup, teardown),
        cmocka_unit_test_setup_teardown(a_byte_can_be_damaged_for_good, setup, teardown),
        cmocka_unit_test_setup_teardown(locks_are_sqlites, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_memory_is_shared_and_its_locks_are_kept, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
