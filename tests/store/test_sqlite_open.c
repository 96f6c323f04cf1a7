#include "store_test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "litesim/disk.h"
#include "store/sql/migrations.h"
#include "store/sqlite/sqlite_inside.h"
#include "store/sqlite/sqlite_schema.h"

/* Wants the file refused, with these words in the error, and not a byte of it changed. */
static void assert_refused(const char *name, const char *words)
{
    struct sqlite_options options = options_of(name);
    struct store *store = NULL;
    struct error error;
    size_t before_len, after_len;
    SCOPE_FREE char *before = content_of(name, &before_len);

    want(try_open(&options, &store, &error), STORE_REFUSED, &error);
    assert_non_null(strstr(error.text, words));
    assert_null(store);
    SCOPE_FREE char *after = content_of(name, &after_len);

    assert_int_equal(before_len, after_len);
    assert_memory_equal(before, after, before_len);
}

static void a_new_store_begins_with_nothing(void **state)
{
    (void)state;
    struct store *store = open_store();
    struct shard_row shard = shard_of(store);

    assert_int_equal(shard.last_batch, 0);
    assert_int_equal(shard.id_high_ms, 0);
    assert_int_equal(shard.epoch, 0);
    store_close(store);
}

static void its_files_are_for_their_owner_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"store.db", "store.db-wal", "store.db-shm", "store.db.lock"};
    struct store *store = open_acquired("store.db");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct stat facts;

        assert_int_equal(stat(path_of(names[i]), &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0600);
    }
    store_close(store);
}

static void a_store_says_whose_file_it_is(void **state)
{
    (void)state;
    store_close(open_store());
    sqlite3 *db = raw_open("store.db");

    assert_int_equal(raw_number(db, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
    assert_int_equal(raw_number(db, "PRAGMA user_version"), sqlite_migration_count);
    assert_int_equal(raw_number(db, "PRAGMA page_size"), SQLITE_STORE_PAGE_BYTES);
    assert_int_equal(raw_number(db, "SELECT number FROM shard"), 3);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void the_writer_syncs_every_commit_and_leaves_checkpoints_to_tidying(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("store.db");

    options.is_test_fast = false;
    struct store *store = open_options(&options);
    sqlite3 *db = sqlite_store_of(store)->conn.db;

    assert_int_equal(raw_number(db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
    assert_int_equal(raw_number(db, "PRAGMA synchronous"), 2);
    assert_int_equal(raw_number(db, "PRAGMA wal_autocheckpoint"), 0);
    store_close(store);
}

static void a_reader_can_neither_write_nor_checkpoint(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct store_reader *reader = open_reader(store);
    sqlite3 *db = CONTAINER_OF(reader, struct sqlite_reader, reader)->conn.db;
    int pages, done;

    commit_jobs(store, 1, 10, 10);
    assert_int_equal(sqlite3_db_readonly(db, "main"), 1);
    assert_int_equal(raw_number(db, "PRAGMA wal_autocheckpoint"), 0);
    assert_int_not_equal(sqlite3_exec(db, "DELETE FROM jobs", NULL, NULL, NULL), SQLITE_OK);
    assert_int_not_equal(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &pages, &done), SQLITE_OK);
    int64_t before = bytes_of("store.db-wal");

    store_reader_close(reader);
    assert_int_equal(bytes_of("store.db-wal"), before);
    assert_int_equal(count_jobs(store), 10);
    store_close(store);
}

static void somebody_elses_database_is_left_alone(void **state)
{
    (void)state;
    raw_exec("store.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    assert_refused("store.db", "not a Belfry store");
    raw_exec("store.db", "PRAGMA application_id = 7");
    assert_refused("store.db", "not a Belfry store");
}

static void a_file_that_is_no_database_is_left_alone(void **state)
{
    (void)state;
    const char text[] = "These are somebody's notes, and they are longer than the header of a database has to be.\n"
                        "So here is a second line, since SQLite reads a hundred bytes before it makes up its mind.\n";

    write_file("store.db", text, sizeof text);
    assert_refused("store.db", "not a Belfry store");
}

static void a_newer_schema_is_refused_and_says_what_to_do(void **state)
{
    (void)state;
    store_close(open_store());
    raw_exec("store.db", "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
    assert_refused("store.db", "schema version 99");
    assert_refused("store.db", "newer Belfry");
}

static void another_shards_file_is_refused(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("store.db");
    struct store *store = NULL;
    struct error error;

    store_close(open_store());
    options.shard = 4;
    want(try_open(&options, &store, &error), STORE_REFUSED, &error);
    assert_non_null(strstr(error.text, "shard 3"));
    assert_non_null(strstr(error.text, "shard 4"));
}

static void a_folder_that_is_not_there_is_said_so(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("nowhere/store.db");
    struct store *store = NULL;
    struct error error;

    want(try_open(&options, &store, &error), STORE_DOWN, &error);
    assert_non_null(strstr(error.text, "nowhere"));
}

static void a_table_that_is_missing_shows_at_once(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("store.db");
    struct store *store = NULL;
    struct error error;

    store_close(open_store());
    raw_exec("store.db", "DROP TABLE skips");
    want(try_open(&options, &store, &error), STORE_BROKEN, &error);
    assert_non_null(strstr(error.text, "skips"));
}

/* ---- two processes ---- */

/* A child that opens the store, tells so, and holds it until it is killed. Returns its pid when it has it. */
static pid_t hold_in_child(void)
{
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        struct sqlite_options options = options_of("store.db");
        struct store *store = NULL;
        struct error error;

        byte = sqlite_store_open(&options, &store, &error) == STORE_DONE ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1) {
            (void)pause();
        }
        _exit(1);
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    (void)close(ready[0]);
    return child;
}

static void a_second_process_is_told_who_has_the_file(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("store.db");
    struct store *store = NULL;
    struct error error;
    pid_t child = hold_in_child();
    char pid[32];

    (void)snprintf(pid, sizeof pid, "process %d", (int)child);
    want(try_open(&options, &store, &error), STORE_FENCED, &error);
    assert_non_null(strstr(error.text, pid));
    assert_non_null(strstr(error.text, "Stop that one first"));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_killed_process_leaves_nothing_in_the_way(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        pid_t child = hold_in_child();

        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct store *store = open_acquired("store.db");

        commit_jobs(store, 1 + (uint64_t)i, 1, 10);
        assert_int_equal(count_jobs(store), i + 1);
        store_close(store);
    }
}

static void one_process_does_not_open_a_file_twice_either(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("store.db");
    struct store *store = open_store();
    struct store *second = NULL;
    struct error error;

    want(try_open(&options, &second, &error), STORE_FENCED, &error);
    store_close(store);
    store_close(open_store());
}

/* ---- migrations ---- */

static void a_new_store_that_loses_power_at_any_moment_can_be_opened(void **state)
{
    (void)state;
    bool is_through = false;

    for (uint64_t n = 1; !is_through; n++) {
        struct disk *disk = disk_new(n);
        struct sqlite_options options = {.path = "store.db", .vfs = disk_vfs_name(disk), .shard = 3};
        struct store *store = NULL;
        struct error error;

        disk_crash_at(disk, n);
        enum store_outcome outcome = try_open(&options, &store, &error);

        is_through = !disk_is_off(disk);
        if (outcome == STORE_DONE) {
            store_close(store);
        }
        disk_crash(disk);
        store = open_options(&options);
        assert_int_equal(shard_of(store).last_batch, 0);
        assert_int_equal(raw_number(sqlite_store_of(store)->conn.db, "SELECT count(*) FROM shard"), 1);
        store_close(store);
        disk_free(disk);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        T(a_new_store_begins_with_nothing),
        T(its_files_are_for_their_owner_alone),
        T(a_store_says_whose_file_it_is),
        T(the_writer_syncs_every_commit_and_leaves_checkpoints_to_tidying),
        T(a_reader_can_neither_write_nor_checkpoint),
        T(somebody_elses_database_is_left_alone),
        T(a_file_that_is_no_database_is_left_alone),
        T(a_newer_schema_is_refused_and_says_what_to_do),
        T(another_shards_file_is_refused),
        T(a_folder_that_is_not_there_is_said_so),
        T(a_table_that_is_missing_shows_at_once),
        T(a_second_process_is_told_who_has_the_file),
        T(a_killed_process_leaves_nothing_in_the_way),
        T(one_process_does_not_open_a_file_twice_either),
        T(a_new_store_that_loses_power_at_any_moment_can_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
