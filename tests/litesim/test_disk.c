/* The disk itself: what a crash may leave of a file, and what it may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "litesim/raw.h"

#define SECTOR DISK_SECTOR_BYTES
#define SEEDS 400

static void fill(sqlite3_file *file, char with, int count, sqlite3_int64 offset)
{
    char bytes[8 * SECTOR];

    assert_true(count <= (int)sizeof bytes);
    memset(bytes, with, sizeof bytes);
    assert_int_equal(raw_write(file, bytes, count, offset), SQLITE_OK);
}

static int64_t size_of(sqlite3_file *file)
{
    sqlite3_int64 bytes = -1;

    assert_int_equal(file->pMethods->xFileSize(file, &bytes), SQLITE_OK);
    return bytes;
}

/* Crashes, and gives the file opened anew. */
static sqlite3_file *crash(struct disk *disk, const char *name, sqlite3_file *file)
{
    raw_close(file);
    disk_crash(disk);
    assert_true(disk_valid(disk));
    return raw_open(disk, name, 0);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct disk *disk = disk_new(1);
    sqlite3_file *file = raw_open(disk, "a", 0);
    char bytes[6];

    assert_int_equal(raw_write(file, "bell", 4, 1000), SQLITE_OK);
    assert_int_equal(size_of(file), 1004);
    assert_int_equal(raw_read(file, bytes, 6, 999), SQLITE_IOERR_SHORT_READ);
    assert_memory_equal(bytes, "\0bell\0", 6);
    assert_int_equal(raw_truncate(file, 1002), SQLITE_OK);
    assert_int_equal(raw_write(file, "!", 1, 1004), SQLITE_OK);
    assert_int_equal(raw_read(file, bytes, 5, 1000), SQLITE_OK);
    assert_memory_equal(bytes, "be\0\0!", 5);
    raw_close(file);
    disk_free(disk);
}

/* A reference: all versions of a file since its last sync, the synced one first. */
struct versions {
    uint8_t bytes[64][16 * SECTOR];
    size_t lens[64];
    size_t count;
};

static bool some_version_has(const struct versions *versions, size_t at, uint8_t byte)
{
    for (size_t i = 0; i < versions->count; i++) {
        if (at < versions->lens[i] && versions->bytes[i][at] == byte) {
            return true;
        }
    }
    return false;
}

/* Each byte is of some version, or 0 where the file got longer without its data; the length is between theirs. */
static void expect_of_versions(const struct versions *versions, sqlite3_file *file)
{
    uint8_t bytes[16 * SECTOR];
    size_t len = (size_t)size_of(file);
    size_t shortest = SIZE_MAX;
    size_t longest = 0;

    for (size_t i = 0; i < versions->count; i++) {
        shortest = versions->lens[i] < shortest ? versions->lens[i] : shortest;
        longest = versions->lens[i] > longest ? versions->lens[i] : longest;
    }
    assert_in_range(len, shortest, longest);
    assert_int_equal(raw_read(file, bytes, (int)len, 0), SQLITE_OK);
    for (size_t at = 0; at < len; at++) {
        if (!some_version_has(versions, at, bytes[at]) && (bytes[at] != 0 || at < shortest)) {
            fail_msg("byte %zu was never there", at);
        }
    }
}

static void change(struct versions *versions, sqlite3_file *file, struct rng *rng)
{
    const size_t max = sizeof versions->bytes[0];
    size_t last = versions->count - 1;
    size_t offset = rng_below(rng, max);
    size_t len = 1 + rng_below(rng, max - offset);
    uint8_t *bytes = versions->bytes[last + 1];

    memcpy(bytes, versions->bytes[last], max);
    versions->lens[last + 1] = versions->lens[last];
    versions->count++;
    if (rng_chance(rng, 1, 6)) {
        offset = rng_below(rng, versions->lens[last] + 1);
        assert_int_equal(raw_truncate(file, (sqlite3_int64)offset), SQLITE_OK);
        memset(bytes + offset, 0, max - offset);
        versions->lens[last + 1] = offset;
        return;
    }
    memset(bytes + offset, (int)(1 + rng_below(rng, 255)), len);
    assert_int_equal(raw_write(file, bytes + offset, (int)len, (sqlite3_int64)offset), SQLITE_OK);
    if (offset + len > versions->lens[last]) {
        versions->lens[last + 1] = offset + len;
    }
}

/* The last version is the synced one now. */
static void synced(struct versions *versions)
{
    size_t last = versions->count - 1;

    memmove(versions->bytes[0], versions->bytes[last], sizeof versions->bytes[0]);
    versions->lens[0] = versions->lens[last];
    versions->count = 1;
}

static void a_crash_leaves_what_was_synced_and_of_the_rest_nothing_that_was_never_written(void **state)
{
    (void)state;
    static struct versions versions;
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *disk = disk_new(rng_next(&rng));
        sqlite3_file *file = raw_open(disk, "a", 0);
        int changes = (int)rng_below(&rng, 60);

        versions = (struct versions){.count = 1};
        assert_int_equal(raw_sync(file), SQLITE_OK);
        for (int i = 0; i < changes; i++) {
            change(&versions, file, &rng);
            if (rng_chance(&rng, 1, 10)) {
                assert_int_equal(raw_sync(file), SQLITE_OK);
                assert_true(disk_valid(disk));
                synced(&versions);
            }
        }
        file = crash(disk, "a", file);
        expect_of_versions(&versions, file);
        raw_close(file);
        disk_free(disk);
    }
}

/* What became of four sectors of 'o', written over with 'n' and not synced. */
struct outcome {
    int olds;
    int news;
    int torns;
    int mixed_files; /* one sector so, another otherwise */
};

static void look_at_sectors(sqlite3_file *file, struct outcome *outcome)
{
    int news = 0;

    for (int sector = 0; sector < 4; sector++) {
        char bytes[SECTOR];
        size_t kept = 0;

        assert_int_equal(raw_read(file, bytes, SECTOR, (sqlite3_int64)sector * SECTOR), SQLITE_OK);
        while (kept < SECTOR && bytes[kept] == 'n') {
            kept++;
        }
        for (size_t i = kept; i < SECTOR; i++) {
            assert_int_equal(bytes[i], 'o');
        }
        outcome->olds += kept == 0;
        outcome->news += kept == SECTOR;
        outcome->torns += kept > 0 && kept < SECTOR;
        news += kept == SECTOR;
    }
    outcome->mixed_files += news > 0 && news < 4;
}

static void unsynced_sectors_are_old_or_new_or_torn_each_for_itself(void **state)
{
    (void)state;
    struct outcome outcome = {0};
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *disk = disk_new(rng_next(&rng));
        sqlite3_file *file = raw_open(disk, "a", 0);

        fill(file, 'o', 4 * SECTOR, 0);
        assert_int_equal(raw_sync(file), SQLITE_OK);
        fill(file, 'n', 4 * SECTOR, 0);
        file = crash(disk, "a", file);
        look_at_sectors(file, &outcome);
        raw_close(file);
        disk_free(disk);
    }
    assert_true(outcome.olds > SEEDS / 2);
    assert_true(outcome.news > SEEDS / 2);
    assert_true(outcome.torns > 5);
    assert_true(outcome.mixed_files > SEEDS / 8);
}

static void a_truncation_happens_or_does_not(void **state)
{
    (void)state;
    int happened = 0;
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *disk = disk_new(rng_next(&rng));
        sqlite3_file *file = raw_open(disk, "a", 0);
        char bytes[8 * SECTOR];
        char all[8 * SECTOR];

        memset(all, 'o', sizeof all);
        fill(file, 'o', 8 * SECTOR, 0);
        assert_int_equal(raw_sync(file), SQLITE_OK);
        assert_int_equal(raw_truncate(file, 0), SQLITE_OK);
        fill(file, 'n', SECTOR, 0);
        file = crash(disk, "a", file);
        if (size_of(file) == 8 * SECTOR) { /* then the old bytes are there, all of them */
            assert_int_equal(raw_read(file, bytes, 8 * SECTOR, 0), SQLITE_OK);
            assert_memory_equal(bytes, all, sizeof all);
        } else {
            assert_in_range(size_of(file), 0, SECTOR);
            happened++;
        }
        raw_close(file);
        disk_free(disk);
    }
    assert_in_range(happened, SEEDS / 8, SEEDS - SEEDS / 8);
}

static void a_file_that_grows_may_end_anywhere_with_zeros_for_lost_data(void **state)
{
    (void)state;
    int between = 0;
    int hollow = 0;
    struct rng rng;

    seed_rng(&rng);
    for (int round = 0; round < SEEDS; round++) {
        struct disk *disk = disk_new(rng_next(&rng));
        sqlite3_file *file = raw_open(disk, "a", 0);
        char byte = 0;

        fill(file, 'o', SECTOR, 0);
        assert_int_equal(raw_sync(file), SQLITE_OK);
        fill(file, 'n', 4 * SECTOR, SECTOR);
        file = crash(disk, "a", file);
        assert_in_range(size_of(file), SECTOR, 5 * SECTOR);
        between += size_of(file) % SECTOR != 0;
        hollow += raw_read(file, &byte, 1, SECTOR) == SQLITE_OK && byte == 0;
        raw_close(file);
        disk_free(disk);
    }
    assert_true(between > 10);
    assert_true(hollow > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_crash_leaves_what_was_synced_and_of_the_rest_nothing_that_was_never_written),
        cmocka_unit_test(unsynced_sectors_are_old_or_new_or_torn_each_for_itself),
        cmocka_unit_test(a_file_that_grows_may_end_anywhere_with_zeros_for_lost_data),
        cmocka_unit_test(a_truncation_happens_or_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
