/* The write-ahead log stays small, whoever reads. */
#include "store_test.h"

#include <pthread.h>
#include <string.h>

#include "store/sqlite/sqlite_inside.h"

#define MIB (1 << 20)
#define WAL_MAX_BYTES (64 * MIB)

/* Commits about a mebibyte. */
static void commit_mib(struct store *store, uint64_t *next)
{
    commit_jobs(store, *next, 250, 4000);
    *next += 250;
}

static void tidying_keeps_the_log_at_some_mebibytes(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    uint64_t next = 1;

    for (int i = 0; i < 20; i++) {
        commit_mib(store, &next);
        (void)store_tidy(store, false);
        assert_true(bytes_of("store.db-wal") < WAL_DUE_BYTES + 4 * MIB);
    }
    assert_int_equal(count_jobs(store), next - 1);
    store_close(store);
}

static void a_store_that_nobody_tidies_does_it_itself(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    uint64_t next = 1;

    for (int i = 0; i < 30; i++) {
        commit_mib(store, &next);
        assert_true(bytes_of("store.db-wal") < WAL_LATE_BYTES + 4 * MIB);
    }
    store_close(store);
}

static void an_idle_store_checks_in_what_there_is(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct sqlite_store *inside = sqlite_store_of(store);
    uint64_t next = 1;

    commit_mib(store, &next);
    (void)store_tidy(store, false);
    assert_true(inside->wal_bytes > MIB);
    assert_false(store_tidy(store, true));
    assert_int_equal(inside->wal_bytes, 0);
    commit_jobs(store, next, 1, 10);
    assert_true(inside->wal_bytes > 0);
    assert_true(inside->wal_bytes < WAL_IDLE_BYTES);
    assert_false(store_tidy(store, true)); /* not worth it */
    assert_true(inside->wal_bytes > 0);
    store_close(store);
}

/* ---- a reader that does not end ---- */

static const char endless[] = "WITH RECURSIVE n (x) AS (SELECT count(*) FROM jobs UNION ALL SELECT x + 1 FROM n) "
                              "SELECT count(*) FROM n";

struct reading {
    struct sqlite_reader *reader;
    pthread_barrier_t begun;
    int rc;
};

/* SQLite asks this now and then while it reads: the first time, the snapshot is taken for sure. */
static int tell_begun(void *context)
{
    struct reading *reading = context;

    sqlite3_progress_handler(reading->reader->conn.db, 0, NULL, NULL);
    (void)pthread_barrier_wait(&reading->begun);
    return 0;
}

static void *read_endlessly(void *context)
{
    struct reading *reading = context;

    sqlite3_progress_handler(reading->reader->conn.db, 1000, tell_begun, reading);
    reading->rc = sqlite3_exec(reading->reader->conn.db, endless, NULL, NULL, NULL);
    return NULL;
}

static void a_reader_that_holds_the_log_back_is_cut_off(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct store_reader *reader = open_reader(store);
    struct reading reading = {.reader = CONTAINER_OF(reader, struct sqlite_reader, reader)};
    uint64_t next = 1;
    pthread_t thread;

    commit_mib(store, &next);
    assert_int_equal(pthread_barrier_init(&reading.begun, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_endlessly, &reading), 0);
    (void)pthread_barrier_wait(&reading.begun);
    for (int i = 0; i < 100; i++) {
        commit_mib(store, &next);
        (void)store_tidy(store, false);
        assert_true(bytes_of("store.db-wal") < WAL_MAX_BYTES);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(reading.rc, SQLITE_INTERRUPT);
    assert_int_equal(pthread_barrier_destroy(&reading.begun), 0);
    assert_int_equal(count_jobs(store), next - 1);
    store_reader_close(reader);
    store_close(store);
}

static void a_read_that_takes_too_long_is_cut_off(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct store_reader *reader = open_reader(store);
    struct sqlite_reader *inside = CONTAINER_OF(reader, struct sqlite_reader, reader);
    const struct query query = {.kind = QUERY_JOBS, .limit = 1};
    struct error error = {0};
    struct rows rows;

    inside->deadline_mono_ms = 0; /* long ago */
    assert_int_equal(sqlite3_exec(inside->conn.db, endless, NULL, NULL, NULL), SQLITE_INTERRUPT);
    want(sql_failed(&inside->conn, SQLITE_INTERRUPT, &error), STORE_AGAIN, &error);
    assert_non_null(strstr(error.text, "ask for less"));
    rows_init(&rows); /* the next one has a deadline of its own */
    want(store_read(reader, &query, &rows, &error), STORE_DONE, &error);
    rows_done(&rows);
    store_reader_close(reader);
    store_close(store);
}

static void a_read_leaves_no_transaction_behind(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct store_reader *reader = open_reader(store);
    const struct query query = {.kind = QUERY_JOBS, .limit = 1};
    struct error error = {0};
    struct rows rows;

    commit_jobs(store, 1, 10, 10);
    rows_init(&rows);
    want(store_read(reader, &query, &rows, &error), STORE_DONE, &error);
    assert_true(rows.has_more);
    rows_done(&rows);
    assert_int_equal(sqlite3_get_autocommit(CONTAINER_OF(reader, struct sqlite_reader, reader)->conn.db), 1);
    store_reader_close(reader);
    store_close(store);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        T(tidying_keeps_the_log_at_some_mebibytes), T(a_store_that_nobody_tidies_does_it_itself),
        T(an_idle_store_checks_in_what_there_is),   T(a_reader_that_holds_the_log_back_is_cut_off),
        T(a_read_that_takes_too_long_is_cut_off),   T(a_read_leaves_no_transaction_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
