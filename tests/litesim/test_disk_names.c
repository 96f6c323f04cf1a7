/* The disk itself: which files are there after a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "litesim/raw.h"

#define SEEDS 400

static void fill(sqlite3_file *file, char with, int count, sqlite3_int64 offset)
{
    char bytes[32];

    assert_true(count <= (int)sizeof bytes);
    memset(bytes, with, sizeof bytes);
    assert_int_equal(raw_write(file, bytes, count, offset), SQLITE_OK);
}

static bool is_there(struct disk *disk, const char *name)
{
    return disk_file_bytes(disk, name) >= 0;
}

static void a_new_file_is_sure_to_be_there_once_it_is_synced(void **state)
{
    (void)state;
    int unsynced_ones = 0;
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *disk = disk_new(rng_next(&rng));
        sqlite3_file *unsynced = raw_open(disk, "unsynced", 0);
        sqlite3_file *file = raw_open(disk, "synced", 0);

        assert_int_equal(raw_sync(file), SQLITE_OK);
        raw_close(unsynced);
        raw_close(file);
        disk_crash(disk);
        assert_true(is_there(disk, "synced"));
        unsynced_ones += is_there(disk, "unsynced");
        disk_free(disk);
    }
    assert_in_range(unsynced_ones, SEEDS / 4, SEEDS - SEEDS / 4);
}

/* A synced file "a", deleted; then what a test does. */
static struct disk *disk_with_deleted_file(uint64_t seed, int is_synced)
{
    struct disk *disk = disk_new(seed);
    sqlite3_file *file = raw_open(disk, "a", 0);

    fill(file, 'o', 10, 0);
    assert_int_equal(raw_sync(file), SQLITE_OK);
    raw_close(file);
    assert_int_equal(raw_delete(disk, "a", is_synced), SQLITE_OK);
    assert_false(is_there(disk, "a"));
    assert_int_equal(raw_delete(disk, "a", is_synced), SQLITE_IOERR_DELETE_NOENT);
    return disk;
}

static void a_deleted_file_may_come_back_unless_the_directory_is_synced(void **state)
{
    (void)state;
    int came_back = 0;
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *unsynced = disk_with_deleted_file(rng_next(&rng), 0);
        struct disk *synced_one = disk_with_deleted_file(rng_next(&rng), 1);
        struct disk *by_journal = disk_with_deleted_file(rng_next(&rng), 0);
        sqlite3_file *journal = raw_open(by_journal, "journal", SQLITE_OPEN_MAIN_JOURNAL);

        assert_int_equal(raw_sync(journal), SQLITE_OK); /* a new journal's first sync is the directory's too */
        raw_close(journal);
        disk_crash(unsynced);
        disk_crash(synced_one);
        disk_crash(by_journal);
        came_back += disk_file_bytes(unsynced, "a") == 10;
        assert_false(is_there(synced_one, "a"));
        assert_false(is_there(by_journal, "a"));
        disk_free(unsynced);
        disk_free(synced_one);
        disk_free(by_journal);
    }
    assert_in_range(came_back, SEEDS / 4, SEEDS - SEEDS / 4);
}

static void a_file_in_the_place_of_a_deleted_one_is_the_old_or_the_new_one(void **state)
{
    (void)state;
    int olds = 0;
    int nones = 0;
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *disk = disk_with_deleted_file(rng_next(&rng), 0);
        sqlite3_file *file = raw_open(disk, "a", 0);
        bool is_synced = rng_chance(&rng, 1, 2);

        fill(file, 'n', 20, 0);
        if (is_synced) {
            assert_int_equal(raw_sync(file), SQLITE_OK);
        }
        raw_close(file);
        disk_crash(disk);
        if (is_synced) {
            assert_int_equal(disk_file_bytes(disk, "a"), 20);
        } else {
            olds += disk_file_bytes(disk, "a") == 10;
            nones += !is_there(disk, "a");
        }
        disk_free(disk);
    }
    assert_true(olds > 10 && nones > 10);
}

static void a_deleted_file_can_be_used_by_who_has_it_open(void **state)
{
    (void)state;
    struct disk *disk = disk_new(1);
    sqlite3_file *old = raw_open(disk, "a", 0);
    sqlite3_file *new;
    char byte;

    fill(old, 'o', 10, 0);
    assert_int_equal(raw_delete(disk, "a", 1), SQLITE_OK);
    new = raw_open(disk, "a", 0);
    fill(new, 'n', 5, 0);
    assert_int_equal(raw_read(old, &byte, 1, 9), SQLITE_OK);
    assert_int_equal(byte, 'o');
    assert_int_equal(disk_file_bytes(disk, "a"), 5);
    raw_close(old);
    raw_close(new);
    disk_free(disk);
}

static void disks_know_nothing_of_each_other(void **state)
{
    (void)state;
    struct disk *one = disk_new(1);
    struct disk *two = disk_new(1);
    sqlite3_file *file = raw_open(one, "a", 0);

    assert_string_not_equal(disk_vfs_name(one), disk_vfs_name(two));
    assert_true(is_there(one, "a"));
    assert_false(is_there(two, "a"));
    disk_crash(two);
    fill(file, 'x', 1, 0);
    raw_close(file);
    disk_free(two);
    disk_free(one);
}

static void a_temporary_file_is_gone_once_closed(void **state)
{
    (void)state;
    struct disk *disk = disk_new(1);
    uint64_t empty = disk_digest(disk);
    sqlite3_file *unnamed = raw_open(disk, NULL, SQLITE_OPEN_DELETEONCLOSE);
    sqlite3_file *named = raw_open(disk, "t", SQLITE_OPEN_DELETEONCLOSE);

    fill(unnamed, 'x', 10, 0);
    assert_int_equal(disk_file_bytes(disk, "t"), 0);
    assert_true(disk_digest(disk) != empty);
    raw_close(unnamed);
    raw_close(named);
    assert_false(is_there(disk, "t"));
    disk_free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_is_sure_to_be_there_once_it_is_synced),
        cmocka_unit_test(a_deleted_file_may_come_back_unless_the_directory_is_synced),
        cmocka_unit_test(a_file_in_the_place_of_a_deleted_one_is_the_old_or_the_new_one),
        cmocka_unit_test(a_deleted_file_can_be_used_by_who_has_it_open),
        cmocka_unit_test(disks_know_nothing_of_each_other),
        cmocka_unit_test(a_temporary_file_is_gone_once_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
