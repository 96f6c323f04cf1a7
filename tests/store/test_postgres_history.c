/* The history in parts by month: where rows are, that no fire is there twice, and which parts come and go. */
#include "postgres_test.h"

#include <stdio.h>

#include "base/id.h"

#define DAY_MS INT64_C(86400000)
#define PARTS "SELECT count(*) FROM belfry.parts"

/* The database's clock, which parts are made by. */
static int64_t clock_ms(void)
{
    return raw_ask("SELECT belfry.clock_ms(clock_timestamp())");
}

/* The first id of an instant, and some behind it. */
static uint64_t id_at(int64_t ms, uint64_t number)
{
    return ((uint64_t)(ms - ID_EPOCH_MS) << (ID_SHARD_BITS + ID_SEQ_BITS)) + number;
}

/* An instant in the next month, which has a part already. */
static int64_t next_month_ms(void)
{
    return raw_ask("SELECT belfry.clock_ms(belfry.month_at(clock_timestamp(), 1) + interval '1 day')");
}

/* Parts of January and February 2025, as if the database had been made then. */
static void make_old_parts(void)
{
    raw_run("DROP TABLE belfry.triggers_past, belfry.attempts_past");
    raw_run("DO $$ DECLARE first timestamptz := '2025-01-01T00:00Z'; BEGIN FOR i IN 0..1 LOOP "
            "PERFORM belfry.part_make('2025_0' || i + 1, format('FOR VALUES FROM (%s) TO (%s)', "
            "belfry.id_at(belfry.month_at(first, i)), belfry.id_at(belfry.month_at(first, i + 1)))); "
            "INSERT INTO belfry.parts VALUES ('2025_0' || i + 1, belfry.id_at(belfry.month_at(first, i)), "
            "belfry.id_at(belfry.month_at(first, i + 1))); END LOOP; END $$");
}

#define JANUARY_MS INT64_C(1736500000000)
#define FEBRUARY_MS INT64_C(1739200000000)

/* ---- rows ---- */

static struct trigger_row trigger_of(uint64_t id, int64_t scheduled_ms, enum trigger_kind kind)
{
    return (struct trigger_row){
        .id = id,
        .job = 7,
        .place = {STR("default"), STR("acme"), STR("report"), 3},
        .kind = kind,
        .state = TRIGGER_SUCCEEDED,
        .version = 1,
        .scheduled_ms = scheduled_ms,
        .due_ms = scheduled_ms,
        .attempts = 1,
        .created_ms = scheduled_ms,
        .ended_ms = scheduled_ms + 5,
        .last = {id, 1, ATTEMPT_SUCCEEDED, scheduled_ms, scheduled_ms + 5},
    };
}

static enum store_outcome try_put(struct store *store, uint64_t number, enum op_kind kind,
                                  const struct trigger_row *rows, size_t count, struct error *error)
{
    struct batch batch;

    batch_init(&batch, number);
    for (size_t i = 0; i < count; i++) {
        struct op *op = batch_add(&batch, kind);

        if (kind == OP_TRIGGER_DELETE) {
            op->id = rows[i].id;
        } else {
            op->trigger = rows[i];
        }
    }
    enum store_outcome outcome = store_commit(store, &batch, error);

    batch_done(&batch);
    return outcome;
}

static void put(struct store *store, uint64_t number, enum op_kind kind, const struct trigger_row *rows, size_t count)
{
    struct error error = {0};

    want(try_put(store, number, kind, rows, count, &error), STORE_DONE, &error);
}

static struct store *open_owned(void)
{
    struct store *store = open_store();

    acquire(store, "tower-1");
    return store;
}

/* One in each of three parts: that of before the first month, this month's, the next one's. Each is the first of its
 * part, so all have one ctid. */
static void put_three(struct store *store, struct trigger_row *rows)
{
    const int64_t now_ms = clock_ms();

    rows[0] = trigger_of(id_at(JANUARY_MS, 1), JANUARY_MS, TRIGGER_SCHEDULE);
    rows[1] = trigger_of(id_at(now_ms, 1), now_ms, TRIGGER_SCHEDULE);
    rows[2] = trigger_of(id_at(next_month_ms(), 1), next_month_ms(), TRIGGER_SCHEDULE);
    put(store, 1, OP_TRIGGER_INSERT, rows, 3);
    assert_int_equal(raw_ask("SELECT count(DISTINCT tableoid) FROM belfry.triggers"), 3);
    assert_int_equal(raw_ask("SELECT count(DISTINCT ctid) FROM belfry.triggers"), 1);
}

static void what_changes_a_row_meets_no_row_of_another_part(void **state)
{
    struct store *store = open_owned();
    struct trigger_row rows[3];

    (void)state;
    put_three(store, rows);
    rows[1].failures = 9;
    put(store, 2, OP_TRIGGER_UPDATE, &rows[1], 1);
    assert_int_equal(raw_ask("SELECT sum(failures) FROM belfry.triggers"), 9);
    put(store, 3, OP_TRIGGER_DELETE, &rows[0], 1);
    put(store, 4, OP_TRIGGER_DELETE, &rows[2], 1);
    assert_int_equal(raw_ask("SELECT sum(failures) FROM belfry.triggers"), 9);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers"), 1);
    store_close(store);
}

static void a_history_in_several_parts_is_one_list(void **state)
{
    struct store *store = open_owned();
    struct query query = {.kind = QUERY_TRIGGERS, .id = 7, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    struct store_reader *reader = NULL;
    struct error error = {0};
    struct trigger_row put_rows[3];

    (void)state;
    put_three(store, put_rows);
    want(store_reader_open(store, &reader, &error), STORE_DONE, &error);
    for (size_t i = 3; i-- > 0;) { /* newest first */
        struct rows rows;

        rows_init(&rows);
        want(store_read(reader, &query, &rows, &error), STORE_DONE, &error);
        assert_int_equal(rows.triggers.count, 1);
        assert_int_equal(rows.triggers.items[0].id, put_rows[i].id);
        assert_int_equal(rows.has_more, i > 0);
        query.after = rows.after;
        rows_done(&rows);
    }
    store_reader_close(reader);
    store_close(store);
}

/* ---- no fire twice ---- */

static void a_job_does_not_fire_twice_in_two_months(void **state)
{
    struct store *store = open_owned();
    const int64_t now_ms = clock_ms();
    struct trigger_row first = trigger_of(id_at(now_ms, 1), now_ms, TRIGGER_SCHEDULE);
    struct trigger_row second = trigger_of(id_at(next_month_ms(), 1), now_ms, TRIGGER_SCHEDULE);
    struct error error = {0};

    (void)state;
    put(store, 1, OP_TRIGGER_INSERT, &first, 1);
    want(try_put(store, 2, OP_TRIGGER_INSERT, &second, 1, &error), STORE_REFUSED, &error);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers"), 1);
    second.kind = TRIGGER_MANUAL; /* which is another matter */
    put(store, 2, OP_TRIGGER_INSERT, &second, 1);
    store_close(store);
}

static void nor_in_two_months_by_one_batch(void **state)
{
    struct store *store = open_owned();
    const int64_t now_ms = clock_ms();
    const struct trigger_row both[] = {trigger_of(id_at(now_ms, 1), now_ms, TRIGGER_SCHEDULE),
                                       trigger_of(id_at(next_month_ms(), 1), now_ms, TRIGGER_SCHEDULE)};
    struct error error = {0};

    (void)state;
    want(try_put(store, 1, OP_TRIGGER_INSERT, both, 2, &error), STORE_REFUSED, &error);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers"), 0);
    store_close(store);
}

static void nor_by_a_change_of_its_nominal_time(void **state)
{
    struct store *store = open_owned();
    struct trigger_row rows[3];
    struct error error = {0};

    (void)state;
    put_three(store, rows);
    rows[2].scheduled_ms = rows[1].scheduled_ms;
    want(try_put(store, 2, OP_TRIGGER_UPDATE, &rows[2], 1, &error), STORE_REFUSED, &error);
    store_close(store);
}

/* ---- parts that come and go ---- */

static void a_new_database_has_this_month_and_the_next(void **state)
{
    (void)state;
    assert_true(raw_ask(PARTS) >= 2);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.parts WHERE from_id <= belfry.id_at(clock_timestamp()) "
                             "AND to_id > belfry.id_at(clock_timestamp())"),
                     1);
}

/* As if nobody had been there for some time. */
static void lose_coming_parts(void)
{
    raw_run(
        "DO $$ DECLARE part belfry.parts; BEGIN FOR part IN SELECT * FROM belfry.parts LOOP "
        "EXECUTE format('DROP TABLE belfry.%I, belfry.%I', 'triggers_' || part.suffix, 'attempts_' || part.suffix); "
        "END LOOP; DELETE FROM belfry.parts; END $$");
}

static void the_owner_makes_parts_ahead(void **state)
{
    struct store *store = open_store();

    (void)state;
    lose_coming_parts();
    (void)store_tidy(store, true);
    assert_int_equal(raw_ask(PARTS), 0); /* it is not the owner */
    acquire(store, "tower-1");
    (void)store_tidy(store, true);
    assert_true(raw_ask(PARTS) >= 2);
    store_close(store);
}

static void a_month_that_has_begun_without_a_part_stays_without(void **state)
{
    struct store *store = open_owned();
    const int64_t now_ms = clock_ms();
    struct trigger_row row = trigger_of(id_at(now_ms, 1), now_ms, TRIGGER_SCHEDULE);

    (void)state;
    lose_coming_parts();
    put(store, 1, OP_TRIGGER_INSERT, &row, 1);
    raw_run("UPDATE belfry.shards SET id_high_ms = belfry.clock_ms(clock_timestamp()) WHERE number = 0");
    (void)store_tidy(store, true);
    assert_true(raw_ask(PARTS) >= 1);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.parts WHERE from_id <= belfry.id_at(clock_timestamp())"), 0);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers_other"), 1);
    store_close(store);
}

static void nobody_makes_or_drops_more_than_a_season_s_parts(void **state)
{
    const int64_t before = raw_ask(PARTS);

    (void)state;
    assert_int_equal(raw_ask("SELECT belfry.parts_drop(belfry.id_at('2090-01-01T00:00Z'))"), 0);
    assert_int_equal(raw_ask(PARTS), before);
    assert_int_equal(raw_ask("SELECT belfry.parts_ahead('2090-01-01T00:00Z')::int"), 1);
    assert_in_range((uint64_t)raw_ask(PARTS), (uint64_t)before, 5);
}

static void an_empty_month_of_the_past_is_dropped(void **state)
{
    struct store *store = open_owned();
    const int64_t before = raw_ask(PARTS);
    struct trigger_row row = trigger_of(id_at(FEBRUARY_MS, 1), FEBRUARY_MS, TRIGGER_SCHEDULE);

    (void)state;
    make_old_parts();
    put(store, 1, OP_TRIGGER_INSERT, &row, 1);
    (void)store_tidy(store, true);
    assert_int_equal(raw_ask(PARTS), before + 1); /* February holds a row */
    assert_int_equal(raw_ask("SELECT (to_regclass('belfry.triggers_2025_01') IS NULL)::int"), 1);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers_2025_02"), 1);
    row = trigger_of(id_at(JANUARY_MS, 1), JANUARY_MS, TRIGGER_SCHEDULE);
    put(store, 2, OP_TRIGGER_INSERT, &row, 1); /* late, and at home all the same */
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers_other"), 1);
    store_close(store);
}

static void what_is_older_than_the_database_does_not_swell_the_default_part(void **state)
{
    struct store *store = open_owned();
    struct trigger_row row = trigger_of(id_at(JANUARY_MS, 1), JANUARY_MS, TRIGGER_SCHEDULE);

    (void)state;
    (void)store_tidy(store, true);
    put(store, 1, OP_TRIGGER_INSERT, &row, 1); /* its part is there however long it was empty */
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers_past"), 1);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers_other"), 0);
    store_close(store);
}

/* Attempts alone are enough: both default parts are read when a part is made. */
static void no_part_is_made_beside_a_large_default_part(void **state)
{
    struct store *store = open_owned();

    (void)state;
    lose_coming_parts();
    raw_run("ALTER TABLE belfry.attempts_other ALTER COLUMN error_message SET STORAGE PLAIN; "
            "INSERT INTO belfry.attempts (trigger, number, shard, state, error_message) "
            "SELECT belfry.id_at(clock_timestamp()), i, 0, 0, repeat('x', 7800) FROM generate_series(1, 8300) i");
    (void)store_tidy(store, true);
    assert_int_equal(raw_ask(PARTS), 0);
    raw_run("TRUNCATE belfry.attempts_other");
    assert_int_equal(raw_ask("SELECT belfry.parts_ahead(clock_timestamp())::int"), 1);
    store_close(store);
}

static void what_is_old_goes_from_all_parts(void **state)
{
    struct store *store = open_owned();
    const struct store_ages ages = {
        .history_ms = clock_ms() - DAY_MS, .dead_ms = clock_ms() - DAY_MS, .idem_ms = TIME_NONE, .rows_max = 10};
    struct trigger_row put_rows[2];
    struct error error = {0};
    bool has_more = true;

    (void)state;
    make_old_parts();
    put_rows[0] = trigger_of(id_at(JANUARY_MS, 1), JANUARY_MS, TRIGGER_SCHEDULE);
    put_rows[1] = trigger_of(id_at(FEBRUARY_MS, 1), FEBRUARY_MS, TRIGGER_SCHEDULE);
    put(store, 1, OP_TRIGGER_INSERT, put_rows, 2);
    while (has_more) {
        struct rows rows;

        rows_init(&rows);
        want(store_old(store, &ages, &rows, &has_more, &error), STORE_DONE, &error);
        want(store_forget(store, &rows, &error), STORE_DONE, &error);
        rows_done(&rows);
    }
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.triggers"), 0);
    (void)store_tidy(store, true);
    assert_int_equal(raw_ask(PARTS " WHERE from_id < belfry.id_at('2026-01-01T00:00Z')"), 0);
    store_close(store);
}

static void a_reader_in_the_way_is_not_waited_for(void **state)
{
    struct store *store = open_owned();
    PGconn *raw = raw_open();

    (void)state;
    lose_coming_parts();
    raw_exec(raw, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM belfry.triggers");
    (void)store_tidy(store, true);
    assert_int_equal(raw_ask(PARTS), 0);
    commit(store, 1, "acme"); /* all is well otherwise */
    PQfinish(raw);
    store_close(store);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, database_make, database_drop)
    const struct CMUnitTest tests[] = {
        WITH(what_changes_a_row_meets_no_row_of_another_part),
        WITH(a_history_in_several_parts_is_one_list),
        WITH(a_job_does_not_fire_twice_in_two_months),
        WITH(nor_in_two_months_by_one_batch),
        WITH(nor_by_a_change_of_its_nominal_time),
        WITH(a_new_database_has_this_month_and_the_next),
        WITH(the_owner_makes_parts_ahead),
        WITH(a_month_that_has_begun_without_a_part_stays_without),
        WITH(nobody_makes_or_drops_more_than_a_season_s_parts),
        WITH(an_empty_month_of_the_past_is_dropped),
        WITH(what_is_older_than_the_database_does_not_swell_the_default_part),
        WITH(no_part_is_made_beside_a_large_default_part),
        WITH(what_is_old_goes_from_all_parts),
        WITH(a_reader_in_the_way_is_not_waited_for),
    };

    return cmocka_run_group_tests_name("postgres_history", tests, NULL, NULL);
}
