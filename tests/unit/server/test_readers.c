#include "folder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/mem.h"
#include "server/readers.h"
#include "store/sqlite/sqlite_store.h"

struct reading {
    struct read_job job;
    atomic_uint *done;
    atomic_bool *is_held;
    atomic_uint *begun;
};

static void nap(void)
{
    const struct timespec wait = {.tv_nsec = 200000};

    nanosleep(&wait, NULL);
}

static void run(struct read_job *job, struct store_reader *reader)
{
    struct reading *reading = CONTAINER_OF(job, struct reading, job);
    struct query query = {.kind = QUERY_JOBS, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    struct error error;
    struct rows rows;

    atomic_fetch_add(reading->begun, 1);
    while (atomic_load(reading->is_held)) {
        nap();
    }
    rows_init(&rows);
    if (store_read(reader, &query, &rows, &error) == STORE_DONE) {
        atomic_fetch_add(reading->done, 1);
    }
    rows_done(&rows);
    mem_free(reading);
}

static atomic_uint done;
static atomic_uint begun;
static atomic_bool is_held;

static struct read_job *job_new(void)
{
    struct reading *reading = mem_zalloc(sizeof *reading);

    *reading = (struct reading){.job = {.run = run}, .done = &done, .is_held = &is_held, .begun = &begun};
    list_node_init(&reading->job.node);
    return &reading->job;
}

static struct store *open_store(void)
{
    const struct sqlite_options options = {.path = path_of("belfry.db"), .is_test_fast = true};
    struct store *store = NULL;
    struct error error;

    assert_int_equal(sqlite_store_open(&options, &store, &error), STORE_DONE);
    atomic_store(&done, 0);
    atomic_store(&begun, 0);
    atomic_store(&is_held, false);
    return store;
}

static struct readers *start(struct store *store, size_t threads)
{
    struct readers *readers = NULL;
    struct error error;

    assert_int_equal(readers_start(store, threads, &readers, &error), ERR_OK);
    return readers;
}

static void every_job_runs_once(void **state)
{
    (void)state;
    struct store *store = open_store();
    struct readers *readers = start(store, 4);

    for (size_t i = 0; i < 1000; i++) {
        assert_true(readers_submit(readers, job_new()));
    }
    readers_stop(readers);
    assert_int_equal(atomic_load(&done), 1000);
    store_close(store);
}

static void a_stop_runs_what_waits(void **state)
{
    (void)state;
    struct store *store = open_store();
    struct readers *readers = start(store, 1);

    atomic_store(&is_held, true);
    for (size_t i = 0; i < 10; i++) {
        assert_true(readers_submit(readers, job_new()));
    }
    while (atomic_load(&begun) == 0) {
        nap();
    }
    assert_int_equal(readers_waiting(readers), 9);
    atomic_store(&is_held, false);
    readers_stop(readers);
    assert_int_equal(atomic_load(&done), 10);
    store_close(store);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    struct store *store = open_store();
    struct readers *readers = start(store, 1);

    atomic_store(&is_held, true);
    assert_true(readers_submit(readers, job_new()));
    while (atomic_load(&begun) == 0) {
        nap();
    }
    for (size_t i = 0; i < READERS_WAITING_MAX; i++) {
        assert_true(readers_submit(readers, job_new()));
    }
    struct read_job *late = job_new();
    assert_false(readers_submit(readers, late));
    mem_free(CONTAINER_OF(late, struct reading, job));
    atomic_store(&is_held, false);
    readers_stop(readers);
    assert_int_equal(atomic_load(&done), READERS_WAITING_MAX + 1);
    store_close(store);
}

static void more_threads_than_allowed_are_as_many_as_allowed(void **state)
{
    (void)state;
    struct store *store = open_store();
    struct readers *readers = start(store, READERS_THREADS_MAX + 5);

    assert_true(readers_submit(readers, job_new()));
    readers_stop(readers);
    assert_int_equal(atomic_load(&done), 1);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_job_runs_once),
        IN_FOLDER(a_stop_runs_what_waits),
        IN_FOLDER(too_many_are_refused),
        IN_FOLDER(more_threads_than_allowed_are_as_many_as_allowed),
    };

    return cmocka_run_group_tests_name("server/readers", tests, NULL, NULL);
}
