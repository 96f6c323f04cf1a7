/* Several connections to one database on the disk. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "litesim/ledger.h"

static const struct ledger_mode wal_full = {"WAL", "FULL"};
static const struct ledger_mode delete_extra = {"DELETE", "EXTRA"};

#define COUNT "SELECT count(*) FROM row"

struct fixture {
    struct disk *disk;
    sqlite3 *one;
    sqlite3 *two;
};

static void open_both(struct fixture *fixture, const struct ledger_mode *mode)
{
    fixture->disk = disk_new(5);
    assert_int_equal(ledger_open(fixture->disk, mode, &fixture->one), SQLITE_OK);
    assert_int_equal(ledger_create(fixture->one), SQLITE_OK);
    assert_int_equal(ledger_open(fixture->disk, mode, &fixture->two), SQLITE_OK);
}

static void close_both(struct fixture *fixture)
{
    assert_int_equal(sqlite3_close(fixture->one), SQLITE_OK);
    assert_int_equal(sqlite3_close(fixture->two), SQLITE_OK);
    disk_free(fixture->disk);
}

static void in_wal_mode_both_write_and_see_what_the_other_wrote(void **state)
{
    (void)state;
    struct fixture fixture;

    open_both(&fixture, &wal_full);
    for (int row = 1; row <= 40; row++) {
        assert_int_equal(ledger_add(row % 2 != 0 ? fixture.one : fixture.two, row), SQLITE_OK);
        assert_int_equal(ledger_ask(row % 2 != 0 ? fixture.two : fixture.one, COUNT), row);
        if (row % 9 == 0) {
            assert_int_equal(ledger_exec(fixture.two, "PRAGMA wal_checkpoint(RESTART)"), SQLITE_OK);
        }
    }
    close_both(&fixture);
}

static void in_wal_mode_a_reader_keeps_its_view_while_the_other_writes(void **state)
{
    (void)state;
    struct fixture fixture;

    open_both(&fixture, &wal_full);
    assert_int_equal(ledger_add(fixture.one, 1), SQLITE_OK);
    assert_int_equal(ledger_exec(fixture.two, "BEGIN"), SQLITE_OK);
    assert_int_equal(ledger_ask(fixture.two, COUNT), 1);
    for (int row = 2; row <= 30; row++) {
        assert_int_equal(ledger_add(fixture.one, row), SQLITE_OK);
    }
    assert_int_equal(ledger_exec(fixture.one, "PRAGMA wal_checkpoint(PASSIVE)"), SQLITE_OK);
    assert_int_equal(ledger_ask(fixture.two, COUNT), 1);
    assert_int_equal(ledger_exec(fixture.two, "UPDATE total SET n = 0"), SQLITE_BUSY); /* its view is old */
    assert_int_equal(ledger_exec(fixture.two, "COMMIT"), SQLITE_OK);
    assert_int_equal(ledger_ask(fixture.two, COUNT), 30);
    close_both(&fixture);
}

static void there_is_one_writer_at_a_time(void **state)
{
    (void)state;
    const struct ledger_mode *modes[] = {&wal_full, &delete_extra};

    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;

        open_both(&fixture, modes[i]);
        assert_int_equal(sqlite3_busy_timeout(fixture.two, 1000), SQLITE_OK); /* nobody sleeps: over at once */
        assert_int_equal(ledger_exec(fixture.one, "BEGIN IMMEDIATE"), SQLITE_OK);
        assert_int_equal(ledger_exec(fixture.two, "BEGIN IMMEDIATE"), SQLITE_BUSY);
        assert_int_equal(ledger_ask(fixture.two, COUNT), 0);
        assert_int_equal(ledger_exec(fixture.one, "COMMIT"), SQLITE_OK);
        assert_int_equal(ledger_add(fixture.two, 1), SQLITE_OK);
        close_both(&fixture);
    }
}

static void with_a_rollback_journal_readers_keep_the_writer_from_committing(void **state)
{
    (void)state;
    struct fixture fixture;

    open_both(&fixture, &delete_extra);
    assert_int_equal(ledger_exec(fixture.two, "BEGIN"), SQLITE_OK);
    assert_int_equal(ledger_ask(fixture.two, COUNT), 0);
    assert_int_equal(ledger_add(fixture.one, 1), SQLITE_BUSY);
    assert_int_equal(ledger_exec(fixture.two, "COMMIT"), SQLITE_OK);
    assert_int_equal(ledger_add(fixture.one, 1), SQLITE_OK);
    assert_int_equal(ledger_ask(fixture.two, COUNT), 1);
    close_both(&fixture);
}

/* Rows from 1 on, by the two in turn, until the power fails; the last one acknowledged. */
static int add_in_turn(struct fixture *fixture)
{
    for (int row = 1; row <= 20; row++) {
        if (ledger_add(row % 2 != 0 ? fixture->one : fixture->two, row) != SQLITE_OK) {
            return row - 1;
        }
        if (row % 6 == 0) {
            (void)ledger_exec(fixture->one, "PRAGMA wal_checkpoint(RESTART)");
        }
    }
    return 20;
}

static void a_crash_kills_both_and_keeps_what_both_committed(void **state)
{
    (void)state;
    bool was_off = true;

    for (uint64_t point = 1; was_off; point++) {
        struct fixture fixture;
        struct ledger_state found;
        int acked;

        open_both(&fixture, &wal_full);
        disk_crash_at(fixture.disk, point);
        acked = add_in_turn(&fixture);
        was_off = disk_is_off(fixture.disk);
        disk_crash(fixture.disk);
        assert_int_equal(ledger_exec(fixture.one, "SELECT * FROM row"), SQLITE_IOERR);
        assert_int_equal(ledger_exec(fixture.two, "SELECT * FROM row"), SQLITE_IOERR);
        found = ledger_look(fixture.disk); /* even while the dead ones are not yet closed */
        assert_true(found.is_sound);
        assert_in_range(found.rows_count, acked, acked + 1);
        close_both(&fixture);
    }
}

#define THREAD_ROWS 60

/* What the reading thread has seen. */
struct watch {
    sqlite3 *db;
    int last; /* rows */
    bool went_back;
};

static void *watch_rows(void *arg)
{
    struct watch *watch = arg;

    while (watch->last < THREAD_ROWS && !watch->went_back) {
        int rows = ledger_ask(watch->db, COUNT);

        watch->went_back = rows < watch->last;
        watch->last = rows;
    }
    return NULL;
}

static void a_thread_sees_the_rows_of_another_come(void **state)
{
    (void)state;
    struct fixture fixture;
    struct watch watch = {0};
    pthread_t thread;
    int failed = 0;

    open_both(&fixture, &wal_full);
    watch.db = fixture.two;
    /* A reader that meets a half written index takes the writer's lock for a moment. */
    assert_int_equal(sqlite3_busy_timeout(fixture.one, 60000), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(fixture.two, 60000), SQLITE_OK);
    assert_int_equal(pthread_create(&thread, NULL, watch_rows, &watch), 0);
    for (int row = 1; row <= THREAD_ROWS; row++) {
        failed += ledger_add(fixture.one, row) != SQLITE_OK;
    }
    if (failed > 0) {
        fail_msg("%d rows were refused", failed); /* the thread waits for them in vain */
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(watch.went_back);
    assert_int_equal(watch.last, THREAD_ROWS);
    close_both(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_wal_mode_both_write_and_see_what_the_other_wrote),
        cmocka_unit_test(in_wal_mode_a_reader_keeps_its_view_while_the_other_writes),
        cmocka_unit_test(there_is_one_writer_at_a_time),
        cmocka_unit_test(with_a_rollback_journal_readers_keep_the_writer_from_committing),
        cmocka_unit_test(a_thread_sees_the_rows_of_another_come),
        cmocka_unit_test(a_crash_kills_both_and_keeps_what_both_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
