/* Counting is bounded, however long the history is. */
#include "store_test.h"

#include "base/limits.h"

static void add(struct batch *batch, uint64_t id, uint64_t job, enum trigger_state state)
{
    batch_add(batch, OP_TRIGGER_INSERT)->trigger = trigger_of(id, job, state);
}

static void ask_counts(struct store_reader *reader, uint64_t job, struct rows *rows)
{
    const struct query query = {
        .kind = QUERY_COUNTS, .id = job, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    struct error error;

    rows_init(rows);
    want(store_read(reader, &query, rows, &error), STORE_DONE, &error);
}

static void no_more_than_so_many_triggers_are_counted(void **state)
{
    (void)state;
    struct store *store = open_acquired("store.db");
    struct batch batch;
    struct error error;
    struct rows rows;

    batch_next(store, &batch);
    for (uint64_t i = 1; i <= QUERY_SCAN_MAX + 10; i++) {
        add(&batch, 100 + i, 1, i <= 5 ? TRIGGER_WAITING : TRIGGER_PENDING);
        add(&batch, 100000 + i, 2, i <= 10 ? TRIGGER_DEAD : TRIGGER_SUCCEEDED);
    }
    want(store_commit(store, &batch, &error), STORE_DONE, &error);
    batch_done(&batch);
    struct store_reader *reader = open_reader(store);

    ask_counts(reader, 1, &rows); /* the oldest of those that live */
    assert_int_equal(rows.counts[TRIGGER_WAITING], 5);
    assert_int_equal(rows.counts[TRIGGER_PENDING], QUERY_SCAN_MAX - 5);
    rows_done(&rows);
    ask_counts(reader, 2, &rows); /* the newest of those that ended */
    assert_int_equal(rows.counts[TRIGGER_SUCCEEDED], QUERY_SCAN_MAX);
    assert_int_equal(rows.counts[TRIGGER_DEAD], 0);
    rows_done(&rows);
    store_reader_close(reader);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_more_than_so_many_triggers_are_counted, folder_make, folder_remove),
    };

    return cmocka_run_group_tests_name("store/sqlite_counts", tests, NULL, NULL);
}
