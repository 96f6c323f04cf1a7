/* Files that somebody, or a disk, has damaged: said so by name, never half believed, never a crash. */
#include "store_test.h"

#include <stdio.h>
#include <string.h>

#include "../unit/seed.h"
#include "base/mem.h"

/* A store with a row in every table that a start or a job's key reads. */
static void make_scene(void)
{
    static const struct claim claims[] = {{.trigger = 1, .job = 1, .number = 1, .worker = STR_INIT("w")}};
    const uint64_t ended[] = {7, 8};
    struct store *store = open_acquired("store.db");
    SCOPE(batch_done) struct batch batch;
    struct error error = {0};
    struct trigger_row dead = trigger_of(12, 1, TRIGGER_DEAD);

    dead.ended_ms = NOW_MS;
    batch_init(&batch, 1);
    for (uint64_t id = 1; id <= 3; id++) {
        batch_add(&batch, OP_JOB_INSERT)->job = job_of(id);
    }
    batch_add(&batch, OP_TRIGGER_INSERT)->trigger = trigger_of(11, 1, TRIGGER_PENDING);
    batch_add(&batch, OP_TRIGGER_INSERT)->trigger = dead;
    batch_add(&batch, OP_ATTEMPT_INSERT)->attempt = (struct attempt_row){.trigger = 11, .number = 1};
    batch_add(&batch, OP_CLAIMS_INSERT)->claims = (struct claims_row){5, claims, 1};
    batch_add(&batch, OP_SKIP_PUT)->skip = (struct skip_row){.job = 1, .from_ms = 1, .to_ms = 2, .count = 2};
    batch_add(&batch, OP_WAIT_PUT)->wait = (struct wait_row){.job = 2, .ended = ended, .ended_count = 2};
    batch_add(&batch, OP_EDGE_INSERT)->edge = (struct edge_row){1, 2, EDGE_SUCCESS};
    batch_add(&batch, OP_VERSION_INSERT)->version = (struct version_row){.job = 1, .version = 1, .def = STR("{}")};
    batch_add(&batch, OP_SETTING_PUT)->setting = (struct setting_row){SCOPE_POOL, STR(""), STR("mail"), STR("{}")};
    batch_add(&batch, OP_LIMITER_PUT)->limiter = (struct limiter_row){SCOPE_POOL, STR(""), STR("mail"), NOW_MS};
    batch_add(&batch, OP_CIRCUIT_PUT)->circuit = (struct circuit_row){STR("acme"), STR("send"), 0, true, NOW_MS};
    batch_add(&batch, OP_TENANT_PUT)->tenant = (struct tenant_row){STR("acme"), 3};
    want(store_commit(store, &batch, &error), STORE_DONE, &error);
    store_close(store);
}

/* Everything that reads whole rows. The first outcome that is not DONE. */
static enum store_outcome read_everything(struct store *store, struct error *error)
{
    const struct load_key keys[] = {
        {.kind = KEY_JOB, .id = 1}, {.kind = KEY_JOB, .id = 2}, {.kind = KEY_TRIGGER, .id = 12}};
    const struct load loads[] = {{.kind = LOAD_START}, {.kind = LOAD_KEYS, .keys = keys, .key_count = 3}};
    const struct query queries[] = {
        {.kind = QUERY_JOBS, .limit = 100},
        {.kind = QUERY_TRIGGER, .id = 11, .limit = 100},
        {.kind = QUERY_TRIGGERS, .id = 1, .limit = 100},
        {.kind = QUERY_DEAD, .limit = 100, .since_ms = TIME_NONE},
        {.kind = QUERY_SKIPS, .id = 1, .limit = 100, .after_ms = TIME_NONE},
        {.kind = QUERY_VERSIONS, .id = 1, .limit = 100},
        {.kind = QUERY_CLAIMS, .limit = 100},
    };
    enum store_outcome outcome = STORE_DONE;
    struct store_reader *reader = NULL;

    for (size_t i = 0; outcome == STORE_DONE && i < sizeof loads / sizeof loads[0]; i++) {
        struct rows rows;

        rows_init(&rows);
        outcome = store_load(store, &loads[i], &rows, error);
        rows_done(&rows);
    }
    if (outcome == STORE_DONE) {
        outcome = store_reader_open(store, &reader, error);
    }
    for (size_t i = 0; outcome == STORE_DONE && i < sizeof queries / sizeof queries[0]; i++) {
        struct rows rows;

        rows_init(&rows);
        outcome = store_read(reader, &queries[i], &rows, error);
        rows_done(&rows);
    }
    store_reader_close(reader);
    return outcome;
}

static void values_that_make_no_sense_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        const char *words; /* in the error */
    } damages[] = {
        {"UPDATE jobs SET status = 4 WHERE id = 1", "row 1 of table jobs: column status"},
        {"UPDATE jobs SET status = -1 WHERE id = 2", "row 2 of table jobs: column status"},
        {"UPDATE jobs SET version = 4294967296 WHERE id = 1", "row 1 of table jobs: column version"},
        {"UPDATE jobs SET place = 77 WHERE id = 1", "row 77 of table places"},
        {"UPDATE triggers SET kind = 5 WHERE id = 11", "row 11 of table triggers: column kind"},
        {"UPDATE triggers SET state = -7 WHERE id = 11", "row 11 of table triggers: column state"},
        {"UPDATE triggers SET last_state = 7 WHERE id = 11", "row 11 of table triggers: column last_state"},
        {"UPDATE triggers SET attempts = -1 WHERE id = 12", "row 12 of table triggers: column attempts"},
        {"UPDATE attempts SET state = 7", "row 11 of table attempts: column state"},
        {"UPDATE claims SET claims = x'02' WHERE id = 5", "row 5 of table claims: packed claims"},
        {"UPDATE claims SET claims = substr(claims, 1, 20) WHERE id = 5", "row 5 of table claims: packed claims"},
        {"UPDATE skips SET reason = 8", "row 1 of table skips: column reason"},
        {"UPDATE waits SET ended = x'0102'", "row 2 of table waits: column ended"},
        {"UPDATE waits SET is_over = 2", "row 2 of table waits: column is_over"},
        {"UPDATE edges SET on_end = 3", "row 1 of table edges: column on_end"},
        {"UPDATE settings SET scope = 9", "of table settings: column scope"},
        {"UPDATE limiters SET scope = 9", "of table limiters: column scope"},
        {"UPDATE circuits SET is_half_open = 2", "of table circuits: column is_half_open"},
        {"UPDATE versions SET version = -1 WHERE job = 1", ""}, /* not found by its key: that is all one can say */
        {"UPDATE places SET priority = 1 << 40", "table places"},
    };

    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct error error = {0};

        make_scene();
        raw_exec("store.db", damages[i].sql);
        struct store *store = open_store();
        enum store_outcome outcome = read_everything(store, &error);

        if (damages[i].words[0] != '\0') {
            want(outcome, STORE_BROKEN, &error);
            if (strstr(error.text, damages[i].words) == NULL) {
                fail_msg("%s: %s", damages[i].sql, error.text);
            }
        }
        store_close(store);
        assert_int_equal(folder_remove(NULL), 0);
        assert_int_equal(folder_make(NULL), 0);
    }
}

static void a_store_that_lost_its_shard_is_broken(void **state)
{
    (void)state;
    struct sqlite_options options = options_of("store.db");
    struct store *store = NULL;
    struct error error;

    make_scene();
    raw_exec("store.db", "DELETE FROM shard");
    want(try_open(&options, &store, &error), STORE_BROKEN, &error);
    assert_non_null(strstr(error.text, "shard"));
}

/* Opens and reads whatever is there: any outcome is fine, as long as there is one. */
static void survive(void)
{
    struct sqlite_options options = options_of("store.db");
    struct store *store = NULL;
    struct error error;

    if (try_open(&options, &store, &error) == STORE_DONE) {
        (void)read_everything(store, &error);
        store_close(store);
    } else {
        assert_true(error.text[0] != '\0');
    }
}

static void remove_beside(void)
{
    (void)remove(path_of("store.db-wal"));
    (void)remove(path_of("store.db-shm"));
}

static void flipped_bytes_never_crash(void **state)
{
    (void)state;
    struct rng rng;
    size_t len;

    seed_rng(&rng);
    make_scene();
    SCOPE_FREE char *whole = content_of("store.db", &len);
    SCOPE_FREE char *damaged = mem_alloc(len);

    for (int round = 0; round < 400; round++) {
        memcpy(damaged, whole, len);
        for (uint64_t flips = 1 + rng_below(&rng, 4); flips > 0; flips--) {
            damaged[rng_below(&rng, len)] = (char)rng_next(&rng);
        }
        write_file("store.db", damaged, len);
        survive();
        remove_beside();
    }
}

static void a_file_cut_off_anywhere_never_crashes(void **state)
{
    (void)state;
    struct rng rng;
    size_t len;

    seed_rng(&rng);
    make_scene();
    SCOPE_FREE char *whole = content_of("store.db", &len);

    for (int round = 0; round < 60; round++) {
        write_file("store.db", whole, rng_below(&rng, len));
        survive();
        remove_beside();
    }
}

static void a_damaged_log_never_crashes(void **state)
{
    (void)state;
    struct rng rng;
    size_t db_len, wal_len;

    seed_rng(&rng);
    make_scene();
    struct store *store = open_acquired("store.db");

    commit_jobs(store, 100, 50, 300);
    SCOPE_FREE char *db = content_of("store.db", &db_len);
    SCOPE_FREE char *wal = content_of("store.db-wal", &wal_len);

    store_close(store);
    for (int round = 0; round < 200; round++) {
        size_t at = rng_below(&rng, wal_len);
        char before = wal[at];

        wal[at] = (char)rng_next(&rng);
        write_file("store.db", db, db_len);
        write_file("store.db-wal", wal, round % 4 == 0 ? rng_below(&rng, wal_len) : wal_len);
        (void)remove(path_of("store.db-shm"));
        survive();
        wal[at] = before;
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        T(values_that_make_no_sense_are_named), T(a_store_that_lost_its_shard_is_broken),
        T(flipped_bytes_never_crash),           T(a_file_cut_off_anywhere_never_crashes),
        T(a_damaged_log_never_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
