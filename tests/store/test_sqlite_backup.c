#include "store_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* Makes a whole backup; returns in how many steps. */
static int backup_whole(struct store *store, const char *name)
{
    struct error error = {0};
    int steps = 0;
    enum store_outcome outcome;

    do {
        outcome = store_backup(store, path_of(name), &error);
        steps++;
    } while (outcome == STORE_AGAIN);
    want(outcome, STORE_DONE, &error);
    return steps;
}

static size_t jobs_in(const char *name)
{
    struct sqlite_options options = options_of(name);
    struct store *store = open_options(&options);
    size_t count = count_jobs(store);

    store_close(store);
    return count;
}

static void make_store(const char *name, size_t jobs)
{
    struct store *store = open_acquired(name);

    commit_jobs(store, 1, jobs, 100);
    store_close(store);
}

/* ---- backups ---- */

static void a_backup_is_one_plain_file(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");

    commit_jobs(store, 1, 100, 100);
    assert_int_equal(backup_whole(store, "backup.db"), 1);
    assert_false(is_there("backup.db-wal"));
    assert_false(is_there("backup.db.partial"));
    commit_jobs(store, 101, 100, 100); /* not in the backup */
    store_close(store);
    sqlite3 *db = raw_open("backup.db");

    assert_int_equal(raw_number(db, "SELECT journal_mode = 'delete' FROM pragma_journal_mode"), 1);
    assert_int_equal(raw_number(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(jobs_in("backup.db"), 100);
    assert_int_equal(jobs_in("store.db"), 200);
}

static void what_is_committed_between_the_steps_is_in_the_backup(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct error error = {0};
    uint64_t next = 1;
    int steps = 0;

    for (int i = 0; i < 30; i++) {
        commit_jobs(store, next, 250, 4000);
        next += 250;
    }
    enum store_outcome outcome = store_backup(store, path_of("backup.db"), &error);

    for (; outcome == STORE_AGAIN; steps++) {
        assert_false(is_there("backup.db")); /* not before it is whole */
        commit_jobs(store, next, 100, 100);
        next += 100;
        (void)store_tidy(store, true);
        outcome = store_backup(store, path_of("backup.db"), &error);
    }
    want(outcome, STORE_DONE, &error);
    assert_true(steps >= 2);
    assert_int_equal(count_jobs(store), next - 1);
    store_close(store);
    assert_int_equal(jobs_in("backup.db"), next - 1);
}

static void a_backup_overwrites_nothing(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct error error = {0};
    size_t len;

    write_file("backup.db", "precious", 8);
    want(store_backup(store, path_of("backup.db"), &error), STORE_REFUSED, &error);
    write_file("other.db.partial", "precious", 8);
    want(store_backup(store, path_of("other.db"), &error), STORE_REFUSED, &error);
    SCOPE_FREE char *first = content_of("backup.db", &len);
    SCOPE_FREE char *second = content_of("other.db.partial", &len);

    assert_memory_equal(first, "precious", 8);
    assert_memory_equal(second, "precious", 8);
    (void)backup_whole(store, "third.db"); /* and nothing is left of those */
    store_close(store);
}

static void a_backup_that_cannot_be_made_leaves_the_store_as_it_is(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct error error = {0};

    want(store_backup(store, path_of("nowhere/backup.db"), &error), STORE_DOWN, &error);
    commit_jobs(store, 1, 10, 10);
    assert_int_equal(count_jobs(store), 10);
    (void)backup_whole(store, "backup.db");
    store_close(store);
}

static void closing_ends_a_backup_without_a_trace(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct error error = {0};

    for (uint64_t i = 0; i < 12; i++) {
        commit_jobs(store, 1 + i * 250, 250, 4000);
    }
    want(store_backup(store, path_of("backup.db"), &error), STORE_AGAIN, &error);
    assert_true(is_there("backup.db.partial"));
    want(store_backup(store, path_of("another.db"), &error), STORE_REFUSED, &error);
    assert_non_null(strstr(error.text, "under way"));
    store_close(store);
    assert_false(is_there("backup.db.partial"));
    assert_false(is_there("backup.db"));
    assert_int_equal(jobs_in("store.db"), 3000);
}

/* ---- restoring ---- */

static void restore(const char *from, const char *to, enum err wanted, const char *words)
{
    struct error error = {0};
    enum err err = sqlite_restore(path_of(from), path_of(to), &error);

    if (err != wanted || strstr(error.text, words) == NULL) {
        fail_msg("%s: %s", err_code(err), error.text);
    }
    assert_false(is_there("store.db.restoring"));
}

static void make_backup(size_t jobs)
{
    struct store *store = open_acquired("source.db");

    commit_jobs(store, 1, jobs, 100);
    (void)backup_whole(store, "backup.db");
    store_close(store);
}

static void a_backup_comes_back_where_there_was_nothing(void **state)
{
    (void)state;
    make_backup(30);
    restore("backup.db", "store.db", ERR_OK, "");
    assert_int_equal(jobs_in("store.db"), 30);
    assert_int_equal(jobs_in("backup.db"), 30);
    assert_false(is_there("store.db.replaced"));
}

static void what_was_there_before_is_kept(void **state)
{
    (void)state;
    make_backup(30);
    make_store("store.db", 70);
    restore("backup.db", "store.db", ERR_OK, "");
    assert_int_equal(jobs_in("store.db"), 30);
    assert_int_equal(jobs_in("store.db.replaced"), 70);
    restore("backup.db", "store.db", ERR_CONFLICT, "move it away");
    assert_int_equal(jobs_in("store.db.replaced"), 70);
}

static void an_old_log_is_not_played_into_the_new_file(void **state)
{
    (void)state;
    size_t db_len, wal_len;

    make_backup(30);
    struct store *store = open_acquired("store.db");

    commit_jobs(store, 1, 70, 100);
    SCOPE_FREE char *db = content_of("store.db", &db_len);
    SCOPE_FREE char *wal = content_of("store.db-wal", &wal_len);

    store_close(store);
    write_file("store.db", db, db_len); /* as a process that was killed leaves them */
    write_file("store.db-wal", wal, wal_len);
    restore("backup.db", "store.db", ERR_OK, "");
    assert_int_equal(jobs_in("store.db"), 30);
    assert_int_equal(jobs_in("store.db.replaced"), 70);
}

static void a_store_that_is_open_is_not_replaced(void **state)
{
    (void)state;
    make_backup(30);
    struct store *store = open_acquired("store.db");

    restore("backup.db", "store.db", ERR_CONFLICT, "in use by process");
    commit_jobs(store, 1, 5, 10);
    store_close(store);
    assert_int_equal(jobs_in("store.db"), 5);
}

static void only_a_sound_backup_is_restored(void **state)
{
    (void)state;
    size_t len;

    make_backup(2000);
    make_store("store.db", 5);
    write_file("notes.txt", "nothing of the kind", 19);
    restore("notes.txt", "store.db", ERR_CONFLICT, "not a Belfry store");
    restore("missing.db", "store.db", ERR_IO, "missing.db");
    raw_exec("foreign.db", "CREATE TABLE t (x)");
    restore("foreign.db", "store.db", ERR_CONFLICT, "not a Belfry store");
    write_file("empty.db", "", 0);
    restore("empty.db", "store.db", ERR_CONFLICT, "empty");
    SCOPE_FREE char *bytes = content_of("backup.db", &len);

    memset(bytes + len / 2, 'x', 5000);
    write_file("damaged.db", bytes, len);
    restore("damaged.db", "store.db", ERR_CORRUPT, "damaged.db is damaged");
    raw_exec("backup.db", "PRAGMA user_version = 99");
    restore("backup.db", "store.db", ERR_CONFLICT, "schema version 99");
    assert_int_equal(jobs_in("store.db"), 5);
}

static void a_copy_of_a_store_in_use_is_no_backup(void **state)
{
    (void)state;
    struct store *store = open_acquired("source.db");

    commit_jobs(store, 1, 10, 10);
    restore("source.db", "store.db", ERR_CONFLICT, "-wal");
    store_close(store);
    assert_false(is_there("store.db"));
}

static void a_restored_store_goes_on_under_a_new_epoch(void **state)
{
    (void)state;
    make_backup(30);
    restore("backup.db", "store.db", ERR_OK, "");
    struct store *store = open_store();
    uint64_t before = shard_of(store).epoch;

    assert_true(acquire(store).epoch > before);
    commit_jobs(store, 31, 1, 10);
    assert_int_equal(count_jobs(store), 31);
    store_close(store);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        T(a_backup_is_one_plain_file),
        T(what_is_committed_between_the_steps_is_in_the_backup),
        T(a_backup_overwrites_nothing),
        T(a_backup_that_cannot_be_made_leaves_the_store_as_it_is),
        T(closing_ends_a_backup_without_a_trace),
        T(a_backup_comes_back_where_there_was_nothing),
        T(what_was_there_before_is_kept),
        T(an_old_log_is_not_played_into_the_new_file),
        T(a_store_that_is_open_is_not_replaced),
        T(only_a_sound_backup_is_restored),
        T(a_copy_of_a_store_in_use_is_no_backup),
        T(a_restored_store_goes_on_under_a_new_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
