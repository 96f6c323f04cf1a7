/* Engines that are made from rows which no engine should have left behind: they start with what can be read, and say
 * what cannot. */
#include "ledger.h"

#include <string.h>

#define LONG_RUN "'lease':'1h','timeout':'2h'"

static struct zone_cache *zones;

static int open_zones(void **state)
{
    (void)state;
    zones = zone_cache_new(NULL);
    return 0;
}

static int close_zones(void **state)
{
    (void)state;
    zone_cache_free(zones);
    return 0;
}

/* An engine of these rows; they belong to the rig's last dump. */
static enum err restore(struct rig *rig, const struct rows *rows, struct engine **ret_engine, struct error *error)
{
    struct engine_config config = {.seed = 1, .zones = zones};

    return engine_new(&config, rows, (struct moment){.wall_ms = rig_now(rig), .mono_ms = 1000}, ret_engine, error);
}

/* How many jobs and running triggers an engine of these rows has. */
static struct engine_figures figures_of(struct rig *rig, const struct rows *rows)
{
    struct engine_figures figures;
    struct engine *engine;
    struct error error;

    assert_int_equal(restore(rig, rows, &engine, &error), ERR_OK);
    if (!engine_check(engine, &error)) {
        fail_msg("engine_check: %s", error.text);
    }
    engine_figures(engine, &figures);
    engine_free(engine);
    return figures;
}

static void settings_that_cannot_be_read_stop_the_start_and_are_named(void **state)
{
    struct rig *rig = story_begin(state);
    struct engine *engine = NULL;
    struct error error;

    set(rig, SCOPE_TYPE, "", "mail", "{'max_in_flight':1}");
    struct rows rows = *rig_dump(rig);
    assert_int_equal(figures_of(rig, &rows).jobs, 0);
    rows.settings.items[0].text = STR("{\"max_in_flight\":\"many\"}");
    assert_int_not_equal(restore(rig, &rows, &engine, &error), ERR_OK);
    assert_null(engine);
    assert_non_null(strstr(error.text, "mail"));
    rig_free(rig);
}

static void a_definition_that_cannot_be_read_leaves_the_others_alone(void **state)
{
    static const char *const wrong[] = {"{", "{\"every\":\"now and then\"}", "{\"priority\":9}"};
    struct rig *rig = story_begin(state);

    make(rig, "{'every':'1m'}");
    make(rig, "{'every':'2m'}");
    struct rows rows = *rig_dump(rig);
    assert_int_equal(figures_of(rig, &rows).jobs, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rows.jobs.items[0].def = str_from(wrong[i]);
        assert_int_equal(figures_of(rig, &rows).jobs, 1);
    }
    rig_free(rig);
}

static void what_is_left_of_a_job_that_is_gone_is_ignored(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'," LONG_RUN "}");

    make(rig, "{'name':'b','every':'1m'," LONG_RUN "}");
    make(rig, "{'name':'c','depends_on':['a','b']}");
    make(rig, "{'run_at':'2026-04-08T09:00:00Z'," LONG_RUN "}");
    take(rig, "w1");
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    take(rig, "w1");
    for (size_t gone = 0; gone < 4; gone++) {
        struct rows rows = *rig_dump(rig);

        assert_int_equal(rows.jobs.count, 4);
        assert_int_equal(rows.waits.count, 1);
        assert_int_equal(rows.edges.count, 2);
        assert_int_equal(figures_of(rig, &rows).jobs, 4);
        assert_int_equal(figures_of(rig, &rows).running, 2);
        if (rows.jobs.items[gone].id == a) {
            continue; /* c would wait for less than it did, and be through */
        }
        rows.jobs.items[gone] = rows.jobs.items[--rows.jobs.count];
        struct engine_figures figures;
        struct engine *engine;
        struct error error;

        assert_int_equal(restore(rig, &rows, &engine, &error), ERR_OK);
        engine_figures(engine, &figures);
        assert_int_equal(figures.jobs, 3);
        assert_in_range(figures.running, 1, 2);
        engine_free(engine);
    }
    rig_free(rig);
}

static void rows_that_come_twice_are_one(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'every':'1m','overlap':'allow','retry':{'max_attempts':3,'delays':['9m'],'jitter':0}}");

    rig_wait(rig, MINUTE);
    rig_fail(rig, "w1", take_of(rig, "w1", job));
    rig_wait(rig, MINUTE);
    take_of(rig, "w1", job);
    struct rows rows = *rig_dump(rig);
    struct engine_figures once = figures_of(rig, &rows);

    assert_int_equal(rows.triggers.count, 1);
    *ROWS_ADD(&rows, triggers) = rows.triggers.items[0];
    *ROWS_ADD(&rows, jobs) = rows.jobs.items[0];
    struct engine_figures twice = figures_of(rig, &rows);
    assert_int_equal(once.triggers, 2);
    assert_int_equal(twice.triggers, once.triggers);
    assert_int_equal(twice.jobs, once.jobs);
    assert_int_equal(twice.running, 1);
    rig_free(rig);
}

static void a_claim_that_has_ended_does_not_run_again(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t once = make(rig, "{'run_at':'2026-04-08T09:00:00Z'," LONG_RUN "}");

    take_of(rig, "w1", once);
    struct rows rows = *rig_dump(rig);
    assert_int_equal(rows.claims.count, 1);
    assert_int_equal(figures_of(rig, &rows).running, 1);
    rows.jobs.items[0].status = JOB_COMPLETED;
    rows.jobs.items[0].cursor_ms = rows.jobs.items[0].wake_ms = TIME_NONE;
    assert_int_equal(figures_of(rig, &rows).running, 0);
    rows.jobs.items[0].status = JOB_CANCELLED;
    assert_int_equal(figures_of(rig, &rows).running, 0);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(settings_that_cannot_be_read_stop_the_start_and_are_named),
        ONCE(a_definition_that_cannot_be_read_leaves_the_others_alone),
        ONCE(what_is_left_of_a_job_that_is_gone_is_ignored),
        ONCE(rows_that_come_twice_are_one),
        ONCE(a_claim_that_has_ended_does_not_run_again),
    };

    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
