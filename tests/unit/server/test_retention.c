#include "folder.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/mem.h"
#include "server/retention.h"
#include "store/memory/memory_store.h"

#define DAY_MS (24 * INT64_C(3600000))
/* A Wednesday in 2026. */
#define NOW_MS INT64_C(1775638800000)

struct world {
    struct memory_disk *disk;
    struct store *store;
    struct retention *retention;
};

static struct batch batch;

static struct world world_new(const char *archive)
{
    const struct retention_config config = {
        .history_ms = 90 * DAY_MS, .dead_ms = 30 * DAY_MS, .archive = archive, .first_ms = 1};
    const struct store_owner owner = {.name = STR("test"), .nonce = {1, 2}};
    struct world world = {.disk = memory_disk_new()};
    struct error error;
    uint64_t epoch;

    world.store = memory_store_open(world.disk);
    assert_int_equal(store_acquire(world.store, &owner, &epoch, &error), STORE_DONE);
    world.retention = retention_new(&config);
    batch_init(&batch, 1);
    return world;
}

static void world_free(struct world *world)
{
    retention_free(world->retention);
    store_close(world->store);
    memory_disk_free(world->disk);
}

static void add_job(uint64_t id)
{
    batch_add(&batch, OP_JOB_INSERT)->job = (struct job_row){
        .id = id,
        .place = {STR("default"), STR("default"), STR("default"), 3},
        .version = 1,
        .cursor_ms = TIME_NONE,
        .wake_ms = TIME_NONE,
        .held_to_ms = TIME_NONE,
        .missed_to_ms = TIME_NONE,
        .def = STR("{}"),
    };
}

static void add_ended(uint64_t id, enum trigger_state state, int64_t age_ms)
{
    batch_add(&batch, OP_TRIGGER_INSERT)->trigger = (struct trigger_row){
        .id = id,
        .job = 1,
        .place = {STR("default"), STR("acme"), STR("default"), 3},
        .state = state,
        .version = 1,
        .scheduled_ms = (int64_t)id,
        .due_ms = TIME_NONE,
        .created_ms = NOW_MS - age_ms,
        .ended_ms = NOW_MS - age_ms,
        .attempts = 1,
        .last = {.trigger = id,
                 .number = 1,
                 .state = ATTEMPT_SUCCEEDED,
                 .started_ms = 1,
                 .ended_ms = 2,
                 .worker = STR("w-\"1\"")},
    };
}

static void commit(struct world *world)
{
    struct error error;

    assert_int_equal(store_commit(world->store, &batch, &error), STORE_DONE);
    batch_done(&batch);
}

/* A whole round. */
static void turn(struct world *world)
{
    while (retention_step(world->retention, world->store, NOW_MS) < 1000) {
    }
}

static size_t count_triggers(struct world *world)
{
    struct rows rows;

    rows_init(&rows);
    memory_disk_dump(world->disk, &rows);
    size_t count = rows.triggers.count;
    rows_done(&rows);
    return count;
}

static void each_kind_goes_at_its_own_age(void **state)
{
    (void)state;
    struct world world = world_new("");
    struct retention_figures figures;

    add_job(1);
    add_ended(10, TRIGGER_SUCCEEDED, 91 * DAY_MS);
    add_ended(11, TRIGGER_SUCCEEDED, 89 * DAY_MS);
    add_ended(12, TRIGGER_DEAD, 31 * DAY_MS);
    add_ended(13, TRIGGER_DEAD, 29 * DAY_MS);
    add_ended(14, TRIGGER_CANCELLED, 1000 * DAY_MS);
    commit(&world);
    turn(&world);
    assert_int_equal(count_triggers(&world), 2);
    retention_figures(world.retention, &figures);
    assert_int_equal(figures.triggers, 3);
    assert_int_equal(figures.failures, 0);
    world_free(&world);
}

static void nothing_goes_soon_after_the_start(void **state)
{
    (void)state;
    struct world world = world_new("");
    const struct retention_config config = {.history_ms = DAY_MS, .dead_ms = DAY_MS, .archive = ""};
    struct retention *patient = retention_new(&config);

    add_job(1);
    add_ended(10, TRIGGER_SUCCEEDED, 91 * DAY_MS);
    commit(&world);
    assert_true(retention_step(patient, world.store, NOW_MS) > RETENTION_FIRST_MS / 2);
    assert_int_equal(count_triggers(&world), 1);
    retention_free(patient);
    world_free(&world);
}

static void what_goes_is_in_the_archive(void **state)
{
    (void)state;
    struct world world = world_new(path_of("archive"));
    struct retention_figures figures;
    struct stat facts;
    char text[2000] = "";

    add_job(1);
    add_ended(10, TRIGGER_SUCCEEDED, 91 * DAY_MS);
    add_ended(11, TRIGGER_SUCCEEDED, 1 * DAY_MS);
    commit(&world);
    turn(&world);
    gzFile file = gzopen(path_of("archive/history-2026-04-08.ndjson.gz"), "rb");
    assert_non_null(file);
    assert_true(gzread(file, text, sizeof text - 1) > 0);
    assert_int_equal(gzclose(file), Z_OK);
    assert_non_null(strstr(text, "{\"kind\":\"trigger\",\"id\":\"trg_"));
    assert_non_null(strstr(text, "\"tenant\":\"acme\""));
    assert_non_null(strstr(text, "\"worker\":\"w-\\\"1\\\"\""));
    assert_ptr_equal(strchr(text, '\n') + 1, text + strlen(text)); /* one line */
    assert_int_equal(count_triggers(&world), 1);
    retention_figures(world.retention, &figures);
    assert_int_equal(stat(path_of("archive/history-2026-04-08.ndjson.gz"), &facts), 0);
    assert_int_equal(figures.archive_bytes, facts.st_size);
    assert_int_equal(figures.last_run_ms, NOW_MS);
    world_free(&world);
}

static void while_the_archive_cannot_be_written_nothing_goes(void **state)
{
    (void)state;
    struct retention_figures figures;

    write_file("file", "");
    struct world world = world_new(path_of("file"));
    add_job(1);
    add_ended(10, TRIGGER_SUCCEEDED, 91 * DAY_MS);
    commit(&world);
    turn(&world);
    assert_int_equal(count_triggers(&world), 1);
    retention_figures(world.retention, &figures);
    assert_int_equal(figures.failures, 1);
    assert_int_equal(figures.last_run_ms, 0);
    world_free(&world);
}

/* The same rows come again, once there is room: half a member before them would spoil both. */
static void a_disk_that_is_full_leaves_no_half_member(void **state)
{
    (void)state;
    struct world world = world_new(path_of("archive"));
    struct rlimit limit;
    struct stat facts;

    add_job(1);
    add_ended(10, TRIGGER_SUCCEEDED, 91 * DAY_MS);
    commit(&world);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 60, .rlim_max = limit.rlim_max}), 0);
    turn(&world);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(count_triggers(&world), 1);
    assert_int_equal(stat(path_of("archive/history-2026-04-08.ndjson.gz"), &facts), 0);
    assert_int_equal(facts.st_size, 0);
    world_free(&world);
}

static void a_time_before_any_age_lets_nothing_go(void **state)
{
    (void)state;
    struct world world = world_new("");

    add_job(1);
    add_ended(10, TRIGGER_SUCCEEDED, NOW_MS - 1);
    commit(&world);
    while (retention_step(world.retention, world.store, 5) < 1000) {
    }
    assert_int_equal(count_triggers(&world), 1);
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(each_kind_goes_at_its_own_age),         IN_FOLDER(nothing_goes_soon_after_the_start),
        IN_FOLDER(what_goes_is_in_the_archive),           IN_FOLDER(while_the_archive_cannot_be_written_nothing_goes),
        IN_FOLDER(a_time_before_any_age_lets_nothing_go), IN_FOLDER(a_disk_that_is_full_leaves_no_half_member),
    };

    return cmocka_run_group_tests_name("server/retention", tests, NULL, NULL);
}
