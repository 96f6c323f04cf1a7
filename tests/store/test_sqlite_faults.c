/* The disk is LiteSim's: it fills up, fails and loses power where it is told to. */
#include "store_test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/seed.h"
#include "base/mem.h"
#include "litesim/disk.h"
#include "store/sqlite/sqlite_inside.h"

#define BATCH_JOBS 20
#define DEF_BYTES 400

static struct sqlite_options on_disk(struct disk *disk)
{
    return (struct sqlite_options){.path = "store.db", .vfs = disk_vfs_name(disk), .shard = 3};
}

static struct store *open_on(struct disk *disk)
{
    struct sqlite_options options = on_disk(disk);
    struct store *store = open_options(&options);

    (void)acquire(store);
    return store;
}

/* Batch n of a history: BATCH_JOBS more jobs. */
static enum store_outcome commit_nth(struct store *store, uint64_t n, struct error *error)
{
    return try_commit_jobs(store, n, 1 + (n - 1) * BATCH_JOBS, BATCH_JOBS, DEF_BYTES, error);
}

/* Whole batches are there, and nothing else. */
static uint64_t batches_there(struct store *store)
{
    uint64_t last = shard_of(store).last_batch;

    assert_int_equal(count_jobs(store), last * BATCH_JOBS);
    return last;
}

static void a_full_disk_refuses_and_goes_on_when_there_is_room(void **state)
{
    (void)state;
    struct disk *disk = disk_new(1);
    struct store *store = open_on(disk);
    struct error error;
    uint64_t n = 1;

    for (; n <= 5; n++) {
        want(commit_nth(store, n, &error), STORE_DONE, &error);
    }
    disk_full(disk, 0);
    for (int i = 0; i < 3; i++) {
        want(commit_nth(store, n, &error), STORE_DOWN, &error);
        assert_non_null(strstr(error.text, "Free some space"));
        assert_int_equal(batches_there(store), 5);
    }
    disk_heal(disk);
    want(commit_nth(store, n, &error), STORE_DONE, &error);
    assert_int_equal(batches_there(store), 6);
    store_close(store);
    disk_crash(disk);
    store = open_on(disk);
    assert_int_equal(batches_there(store), 6);
    store_close(store);
    disk_free(disk);
}

/* Runs batches and checkpoints until the fault that strikes at its n-th chance has struck. Returns how many batches
 * were acknowledged; *ret_last is the outcome of the one that was not. */
static uint64_t run_until_struck(struct store *store, struct disk *disk, enum store_outcome *ret_last,
                                 struct error *error)
{
    uint64_t done = 0;

    *ret_last = STORE_DONE;
    while (*ret_last == STORE_DONE && disk_struck(disk) == 0 && done < 12) {
        *ret_last = commit_nth(store, done + 1, error);
        done += *ret_last == STORE_DONE ? 1 : 0;
        if (*ret_last == STORE_DONE && done % 3 == 0) {
            sqlite_store_of(store)->wal_bytes = WAL_DUE_BYTES; /* as if it were long */
            (void)store_tidy(store, false);
        }
    }
    return done;
}

static void no_space_at_any_write_costs_the_batch_and_nothing_else(void **state)
{
    (void)state;
    bool has_struck = true;

    for (uint64_t n = 1; has_struck; n++) {
        struct disk *disk = disk_new(n);
        struct store *store = open_on(disk);
        struct error error;
        enum store_outcome last;

        disk_fail_at(disk, n, DISK_NO_SPACE);
        uint64_t done = run_until_struck(store, disk, &last, &error);

        has_struck = disk_struck(disk) > 0;
        assert_true(last == STORE_DONE || last == STORE_DOWN);
        assert_int_equal(batches_there(store), done);
        disk_heal(disk);
        want(commit_nth(store, done + 1, &error), STORE_DONE, &error);
        store_close(store);
        disk_crash(disk);
        store = open_on(disk);
        assert_int_equal(batches_there(store), done + 1);
        store_close(store);
        disk_free(disk);
    }
}

/* After a failed write or sync nothing is acknowledged any more, and what was acknowledged is there. */
static void assert_broken_for_ever(enum disk_fault fault)
{
    bool has_struck = true;

    for (uint64_t n = 1; has_struck; n++) {
        struct disk *disk = disk_new(n);
        struct store *store = open_on(disk);
        struct error error;
        enum store_outcome last;

        disk_fail_at(disk, n, fault);
        uint64_t done = run_until_struck(store, disk, &last, &error);

        has_struck = disk_struck(disk) > 0;
        disk_heal(disk);
        if (has_struck) {
            assert_true(last == STORE_DONE || last == STORE_BROKEN);
            want(commit_nth(store, done + 1, &error), STORE_BROKEN, &error);
        }
        store_close(store);
        disk_crash(disk);
        store = open_on(disk);
        uint64_t there = batches_there(store);

        assert_true(there == done || (last == STORE_BROKEN && there == done + 1));
        store_close(store);
        disk_free(disk);
    }
}

static void a_failed_write_ends_the_store(void **state)
{
    (void)state;
    assert_broken_for_ever(DISK_WRITE_ERROR);
}

static void a_failed_sync_ends_the_store(void **state)
{
    (void)state;
    assert_broken_for_ever(DISK_SYNC_ERROR);
}

static void a_failed_read_ends_the_store(void **state)
{
    (void)state;
    struct disk *disk = disk_new(1);
    struct store *store = open_on(disk);
    struct sqlite_options options = on_disk(disk);
    const struct load load = {.kind = LOAD_START};
    struct error error = {0};
    struct rows rows;

    want(commit_nth(store, 1, &error), STORE_DONE, &error);
    store_close(store);
    store = open_options(&options);
    sqlite3_db_release_memory(sqlite_store_of(store)->conn.db);
    disk_fail_from(disk, 1, DISK_READ_ERROR);
    rows_init(&rows);
    want(store_load(store, &load, &rows, &error), STORE_BROKEN, &error);
    rows_done(&rows);
    disk_heal(disk);
    rows_init(&rows);
    want(store_load(store, &load, &rows, &error), STORE_BROKEN, &error);
    assert_non_null(strstr(error.text, "failed before"));
    rows_done(&rows);
    store_close(store);
    disk_free(disk);
}

static void what_was_acknowledged_survives_a_power_loss_at_any_moment(void **state)
{
    (void)state;
    bool is_off = true;

    for (uint64_t n = 1; is_off; n++) {
        struct disk *disk = disk_new(n);
        struct store *store = open_on(disk);
        struct error error;
        enum store_outcome last;

        disk_crash_at(disk, n);
        uint64_t done = run_until_struck(store, disk, &last, &error);

        is_off = disk_is_off(disk);
        assert_true(is_off ? last != STORE_DONE || done % 3 == 0 : last == STORE_DONE);
        store_close(store);
        disk_crash(disk);
        store = open_on(disk);
        uint64_t there = batches_there(store);

        assert_true(there == done || there == done + 1);
        want(commit_nth(store, there + 1, &error), STORE_DONE, &error);
        store_close(store);
        disk_free(disk);
    }
}

/* ---- others ---- */

static void a_lock_that_somebody_holds_passes(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    sqlite3 *db = raw_open("store.db");
    struct error error;

    (void)sqlite3_busy_timeout(sqlite_store_of(store)->conn.db, 0);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 0; i < 3; i++) {
        want(commit_nth(store, 1, &error), STORE_AGAIN, &error);
        assert_non_null(strstr(error.text, "Another program"));
    }
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    want(commit_nth(store, 1, &error), STORE_DONE, &error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    store_close(store);
}

static void a_refused_operation_is_named_with_its_row(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    SCOPE(batch_done) struct batch batch;
    struct error error = {0};

    batch_init(&batch, 1);
    batch_add(&batch, OP_JOB_INSERT)->job = job_of(41);
    batch_add(&batch, OP_JOB_UPDATE)->job = job_of(42);
    want(store_commit(store, &batch, &error), STORE_REFUSED, &error);
    assert_string_equal(error.text, "batch 1, operation 2: OP_JOB_UPDATE of job 42: there is no such row");
    assert_int_equal(count_jobs(store), 0);
    store_close(store);
}

static void a_place_that_was_rolled_back_is_made_again(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct error error = {0};

    for (int i = 0; i < 2; i++) {
        SCOPE(batch_done) struct batch batch;

        batch_init(&batch, 1);
        batch_add(&batch, OP_JOB_INSERT)->job = job_of(1);
        if (i == 0) {
            batch_add(&batch, OP_JOB_DELETE)->id = 99;
        }
        want(store_commit(store, &batch, &error), i == 0 ? STORE_REFUSED : STORE_DONE, &error);
    }
    store_close(store);
    store = open_store();
    assert_int_equal(count_jobs(store), 1);
    store_close(store);
}

/* ---- memory ---- */

static sqlite3_mem_methods usual;
static int64_t allocations_left;

static void *failing_malloc(int bytes)
{
    return allocations_left-- == 0 ? NULL : usual.xMalloc(bytes);
}

static void *failing_realloc(void *memory, int bytes)
{
    return allocations_left-- == 0 ? NULL : usual.xRealloc(memory, bytes);
}

/* In a process of its own: opens the store and commits a batch; the n-th allocation of SQLite's fails. */
static void commit_without_memory(int64_t n)
{
    struct sqlite_options options = options_of("store.db");
    sqlite3_mem_methods methods;
    struct store *store = NULL;
    struct error error;

    (void)sqlite3_shutdown();
    (void)sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    methods = usual;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    allocations_left = n;
    if (sqlite_store_open(&options, &store, &error) == STORE_DONE) {
        const struct store_owner owner = {.nonce = {1, 2}};
        uint64_t epoch;

        if (store_acquire(store, &owner, &epoch, &error) == STORE_DONE && commit_nth(store, 1, &error) == STORE_DONE) {
            _exit(allocations_left < 0 ? 0 : 1);
        }
    }
    _exit(2);
}

static void memory_that_runs_out_ends_the_process_and_costs_no_acknowledged_batch(void **state)
{
    (void)state;
    int status = 0;
    struct rng rng;

    /* Some of them, and others in each run: thousands happen. */
    seed_rng(&rng);
    for (int64_t n = 1; !WIFEXITED(status) || WEXITSTATUS(status) != 1; n += 1 + (int64_t)rng_below(&rng, 120)) {
        assert_int_equal(folder_remove(NULL), 0);
        assert_int_equal(folder_make(NULL), 0);
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            (void)close(STDERR_FILENO); /* it says why it ends */
            commit_without_memory(n);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) == MEM_EXIT_CODE || WEXITSTATUS(status) <= 1);
        struct store *store = open_store();

        assert_true(batches_there(store) == 1 || WEXITSTATUS(status) == MEM_EXIT_CODE);
        store_close(store);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        T(memory_that_runs_out_ends_the_process_and_costs_no_acknowledged_batch),
        T(a_full_disk_refuses_and_goes_on_when_there_is_room),
        T(no_space_at_any_write_costs_the_batch_and_nothing_else),
        T(a_failed_write_ends_the_store),
        T(a_failed_sync_ends_the_store),
        T(a_failed_read_ends_the_store),
        T(what_was_acknowledged_survives_a_power_loss_at_any_moment),
        T(a_lock_that_somebody_holds_passes),
        T(a_refused_operation_is_named_with_its_row),
        T(a_place_that_was_rolled_back_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
