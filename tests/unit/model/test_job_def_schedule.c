/* From a definition to its fires: every way of saying when, and what is wrong with an expression or a zone. */
#include "job_def_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATED "2026-04-08T09:00:00.250Z"

static struct schedule schedule_seeded(const char *text, const char *seed)
{
    struct job_def def = def_of("%s", text);
    struct schedule schedule = {0};
    struct error error = {0};

    if (job_def_schedule(&def, test_zones, utc_ms(CREATED), str_from(seed), &schedule, &error) != ERR_OK) {
        fail_msg("%s: %s: %s", text, error.field, error.text);
    }
    return schedule;
}

static struct schedule schedule_of(const char *text)
{
    return schedule_seeded(text, "seed");
}

/* The first fires from creation on are these, with blanks between them; no more than those are asked for. */
static void assert_fires(const char *text, const char *expected)
{
    struct schedule schedule = schedule_of(text);
    int64_t fires[8];
    size_t wanted = 1;
    char got[COUNT_OF(fires) * INSTANT_BYTES] = "";

    for (const char *c = expected; *c != '\0'; c++) {
        wanted += *c == ' ';
    }
    assert_true(wanted <= COUNT_OF(fires));
    size_t count = schedule_list(&schedule, utc_ms(CREATED), INT64_MAX, fires, wanted);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(got);
        char out[INSTANT_BYTES];

        (void)snprintf(got + len, sizeof got - len, "%s%s", i > 0 ? " " : "", instant_format_short(fires[i], out));
    }
    assert_string_equal(got, expected);
}

/* Exactly one fire, ever. */
static void assert_once(const char *text, const char *expected)
{
    struct schedule schedule = schedule_of(text);

    assert_int_equal(schedule.kind, SCHEDULE_ONCE);
    assert_fires(text, expected);
    assert_int_equal(schedule_count(&schedule, INT64_MIN, INT64_MAX), 1);
}

/* ---- when ---- */

static void a_job_that_does_not_say_when_fires_as_it_is_created(void **state)
{
    (void)state;
    assert_once("{}", CREATED);
}

static void a_delay_counts_from_creation(void **state)
{
    (void)state;
    assert_once("{'delay':'1h30m'}", "2026-04-08T10:30:00.250Z");
    assert_once("{'delay':'0s'}", CREATED);
    assert_once("{'delay':'36600d'}", "2126-06-23T09:00:00.250Z");
}

static void run_at_is_when_it_says(void **state)
{
    (void)state;
    assert_once("{'run_at':'2026-12-24T18:00:00.125+01:00'}", "2026-12-24T17:00:00.125Z");
    struct schedule past = schedule_of("{'run_at':'2020-01-01T00:00:00Z'}");
    assert_int_equal(past.kind, SCHEDULE_ONCE);
    assert_int_equal(past.once_ms, utc_ms("2020-01-01T00:00:00Z"));
}

static void an_interval_begins_one_interval_after_creation(void **state)
{
    (void)state;
    assert_fires("{'every':'5m'}", "2026-04-08T09:05:00.250Z 2026-04-08T09:10:00.250Z 2026-04-08T09:15:00.250Z");
}

static void an_interval_begins_at_its_start_where_it_has_one(void **state)
{
    (void)state;
    assert_fires("{'every':'5m','starts_at':'2026-04-08T12:00:00Z'}", "2026-04-08T12:00:00Z 2026-04-08T12:05:00Z");
    assert_fires("{'every':'7m','starts_at':'2026-04-08T08:58:00Z'}", "2026-04-08T09:05:00Z 2026-04-08T09:12:00Z");
}

static void an_interval_after_finish_knows_its_first_fire(void **state)
{
    (void)state;
    struct schedule schedule = schedule_of("{'every':{'interval':'5m','after':'finish'}}");
    int64_t at = 0;

    assert_true(schedule.after_finish);
    assert_int_equal(schedule_count(&schedule, INT64_MIN, INT64_MAX), 1);
    assert_fires("{'every':{'interval':'5m','after':'finish'}}", "2026-04-08T09:05:00.250Z");
    assert_true(schedule_next_after_finish(&schedule, utc_ms("2026-04-08T09:06:00Z"), &at));
    assert_int_equal(at, utc_ms("2026-04-08T09:11:00Z"));
    assert_false(schedule_of("{'every':'5m'}").after_finish);
}

static void cron_fires_in_its_zone(void **state)
{
    (void)state;
    const char *expected = "2026-04-08T13:00:00Z 2026-04-09T13:00:00Z 2026-04-10T13:00:00Z 2026-04-13T13:00:00Z";

    assert_fires("{'cron':'0 9 * * MON-FRI','timezone':'America/New_York'}", expected);
    assert_fires("{'cron':'TZID=America/New_York:0 9 * * MON-FRI'}", expected);
    assert_fires("{'cron':'TZID=America/New_York:0 9 * * MON-FRI','timezone':'America/New_York'}", expected);
    assert_fires("{'cron':'TZID=America/New_York:0 9 * * MON-FRI','timezone':'UTC'}", expected);
    assert_fires("{'cron':'0 9 * * MON-FRI'}", "2026-04-09T09:00:00Z 2026-04-10T09:00:00Z 2026-04-13T09:00:00Z");
    assert_fires("{'cron':'0 0 9 ? * 6L'}", "2026-04-24T09:00:00Z 2026-05-29T09:00:00Z");
    assert_fires("{'cron':'@daily'}", "2026-04-09T00:00:00Z");
}

static void cron_may_be_an_interval(void **state)
{
    (void)state;
    assert_int_equal(schedule_of("{'cron':'@every 90s'}").kind, SCHEDULE_EVERY);
    assert_fires("{'cron':'@every 90s'}", "2026-04-08T09:01:30.250Z 2026-04-08T09:03:00.250Z");
    assert_fires("{'cron':'@every 90s','starts_at':'2026-04-08T12:00:00Z'}",
                 "2026-04-08T12:00:00Z 2026-04-08T12:01:30Z");
    assert_fires("{'cron':'TZID=Asia/Tokyo:@every 1h'}", "2026-04-08T10:00:00.250Z");
}

static void gaps_and_folds_go_as_the_definition_says(void **state)
{
    (void)state;
    /* The clock jumps on 2027-03-28 and comes back on 2026-10-25. */
    assert_fires("{'cron':'30 2 28 3 *','timezone':'Europe/Berlin'}", "2027-03-28T01:00:00Z 2028-03-28T00:30:00Z");
    assert_fires("{'cron':'30 2 28 3 *','timezone':'Europe/Berlin','dst':{'gap':'shift'}}",
                 "2027-03-28T01:30:00Z 2028-03-28T00:30:00Z");
    assert_fires("{'cron':'30 2 28 3 *','timezone':'Europe/Berlin','dst':{'gap':'skip'}}", "2028-03-28T00:30:00Z");
    assert_fires("{'cron':'30 2 25 10 *','timezone':'Europe/Berlin'}", "2026-10-25T00:30:00Z 2027-10-25T00:30:00Z");
    assert_fires("{'cron':'30 2 25 10 *','timezone':'Europe/Berlin','dst':{'fold':'second'}}",
                 "2026-10-25T01:30:00Z 2027-10-25T00:30:00Z");
    assert_fires("{'cron':'30 2 25 10 *','timezone':'Europe/Berlin','dst':{'fold':'both'}}",
                 "2026-10-25T00:30:00Z 2026-10-25T01:30:00Z");
}

static void bounds_and_jitter_are_handed_on(void **state)
{
    (void)state;
    static const char *const ways[] = {"'run_at':'2026-04-08T09:30:00Z'", "'delay':'30m'", "'cron':'30 * * * *'",
                                       "'every':'30m'", "'max_fires':3"};

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct schedule schedule = schedule_of(arena_printf(
            &test_arena, "{%s,'starts_at':'2026-04-08T08:00:00Z','ends_at':'2026-05-01T00:00:00Z',%s'jitter':'10s'}",
            ways[i], i + 1 < COUNT_OF(ways) ? "'max_fires':3," : ""));

        assert_int_equal(schedule.starts_at_ms, utc_ms("2026-04-08T08:00:00Z"));
        assert_int_equal(schedule.ends_at_ms, utc_ms("2026-05-01T00:00:00Z"));
        assert_int_equal(schedule.max_fires, 3);
        assert_int_equal(schedule.jitter_ms, 10 * 1000);
    }
    struct schedule unbounded = schedule_of("{'every':'30m'}");
    assert_int_equal(unbounded.starts_at_ms, SCHEDULE_NO_START);
    assert_int_equal(unbounded.ends_at_ms, SCHEDULE_NO_END);
    assert_int_equal(unbounded.max_fires, SCHEDULE_NO_MAX);
    assert_int_equal(unbounded.jitter_ms, 0);
}

static void the_seed_spreads_h(void **state)
{
    (void)state;
    struct schedule schedule = schedule_seeded("{'cron':'H H * * *'}", "acme/nightly-report");
    struct schedule again = schedule_seeded("{'cron':'H H * * *'}", "acme/nightly-report");
    int others = 0;

    assert_int_equal(schedule.cron.minutes, UINT64_C(1) << 39);
    assert_int_equal(schedule.cron.hours, 1 << 3);
    assert_int_equal(again.cron.minutes, schedule.cron.minutes);
    for (int i = 0; i < 100; i++) {
        struct schedule other = schedule_seeded("{'cron':'H H * * *'}", arena_printf(&test_arena, "acme/%d", i));

        others += other.cron.minutes != schedule.cron.minutes;
    }
    assert_true(others > 80);
}

/* ---- what is wrong ---- */

static struct error refusal_of_def(const struct job_def *def)
{
    struct schedule schedule = {.max_fires = 42};
    struct error error = {0};
    enum err err = job_def_schedule(def, test_zones, utc_ms(CREATED), STR("seed"), &schedule, &error);

    assert_int_equal(error.code, err);
    assert_int_equal(schedule.max_fires, err == ERR_OK ? def->max_fires : 42);
    assert_int_equal(job_def_schedule(def, test_zones, utc_ms(CREATED), STR("seed"), &schedule, NULL), err);
    return error;
}

static struct error refusal_of_schedule(const char *text)
{
    struct job_def def = def_of("%s", text);
    struct error error = refusal_of_def(&def);

    if (error.code == ERR_OK) {
        fail_msg("%.200s is not refused", text);
    }
    return error;
}

static void assert_no_schedule(const char *text, enum err code, const char *field, int position)
{
    struct error error = refusal_of_schedule(text);

    if (error.code != code || strcmp(error.field, field) != 0 || error.position != position || error.text[0] == '\0') {
        fail_msg("%.200s: expected %s in field %s at %d, got %s in field \"%s\" at %d: %s", text, err_code(code), field,
                 position, err_code(error.code), error.field, error.position, error.text);
    }
}

static void a_wrong_expression_names_the_field_and_the_position(void **state)
{
    (void)state;
    assert_no_schedule("{'cron':'0 24 * * *'}", ERR_INVALID_CRON, "cron", 3);
    assert_no_schedule("{'cron':'0 9 * * MON-FRY'}", ERR_INVALID_CRON, "cron", 13);
    assert_no_schedule("{'cron':'TZID=America/New_York:0 24 * * *'}", ERR_INVALID_CRON, "cron", 25);
    assert_no_schedule("{'cron':'@every 5'}", ERR_INVALID_TIME, "cron", 8);
    assert_no_schedule("{'cron':'@every 1ms'}", ERR_INVALID_TIME, "cron", 8);
    assert_no_schedule("{'cron':'0 0 30 2 *'}", ERR_NEVER_FIRES, "cron", 5);
    assert_string_equal(refusal_of_schedule("{'cron':''}").field, "cron");
    assert_string_equal(refusal_of_schedule("{'cron':'   '}").field, "cron");
    assert_string_equal(refusal_of_schedule("{'cron':'@fortnightly'}").field, "cron");
}

static void an_unknown_zone_is_refused_with_what_was_meant(void **state)
{
    (void)state;
    const char *text = "{'cron':'0 9 * * *','timezone':'Europe/Pariss'}";

    assert_no_schedule(text, ERR_UNKNOWN_ZONE, "timezone", 0);
    assert_contains(refusal_of_schedule(text).text, "Europe/Paris\"");
    assert_no_schedule("{'cron':'0 9 * * *','timezone':''}", ERR_UNKNOWN_ZONE, "timezone", 0);
    assert_no_schedule("{'cron':'0 9 * * *','timezone':'../../etc/passwd'}", ERR_UNKNOWN_ZONE, "timezone", 0);
    assert_no_schedule("{'cron':'@every 5m','timezone':'Mars/Olympus'}", ERR_UNKNOWN_ZONE, "timezone", 0);
    assert_string_equal(refusal_of_schedule("{'cron':'TZID=Mars/Olympus:0 9 * * *'}").field, "cron");
    /* it is another one on every machine */
    assert_no_schedule("{'cron':'0 9 * * *','timezone':'localtime'}", ERR_UNKNOWN_ZONE, "timezone", 0);
}

static void what_is_too_long_is_refused_even_if_nobody_has_checked_it_before(void **state)
{
    (void)state;
    struct job_def def = job_def_default();

    def.when = WHEN_CRON;
    def.cron = str_from(letters(CRON_EXPR_BYTES_MAX + 1, '1'));
    struct error error = refusal_of_def(&def);
    assert_int_equal(error.code, ERR_TOO_LARGE);
    assert_string_equal(error.field, "cron");
    assert_int_equal(error.position, CRON_EXPR_BYTES_MAX + 1);
    def.cron = STR("0 9 * * *");
    def.timezone = str_from(letters(100000, 'x'));
    error = refusal_of_def(&def);
    assert_int_equal(error.code, ERR_UNKNOWN_ZONE);
    assert_string_equal(error.field, "timezone");
}

static void an_unknown_zone_inside_an_expression_names_its_position(void **state)
{
    (void)state;
    assert_no_schedule("{'cron':'TZID=Europe/Pariss:0 9 * * *'}", ERR_UNKNOWN_ZONE, "cron", 6);
    assert_no_schedule("{'cron':'TZID=Mars/Olympus:@every 5m'}", ERR_UNKNOWN_ZONE, "cron", 6);
    assert_no_schedule("{'cron':'TZID=localtime:0 9 * * *'}", ERR_UNKNOWN_ZONE, "cron", 6);
}

static void a_wrong_zone_is_refused_whether_it_is_needed_or_not(void **state)
{
    (void)state;
    static const char *const ways[] = {"'priority':3", "'run_at':'2026-04-08T09:30:00Z'", "'delay':'30m'",
                                       "'every':'30m'"};

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        assert_no_schedule(arena_printf(&test_arena, "{%s,'timezone':'Mars/Olympus'}", ways[i]), ERR_UNKNOWN_ZONE,
                           "timezone", 0);
    }
}

static void two_zones_that_differ_are_a_conflict(void **state)
{
    (void)state;
    const char *text = "{'cron':'TZID=Europe/Paris:0 9 * * *','timezone':'Europe/Berlin'}";

    assert_no_schedule(text, ERR_INVALID, "cron", 6);
    assert_contains(refusal_of_schedule(text).text, "Europe/Paris");
    assert_contains(refusal_of_schedule(text).text, "Europe/Berlin");
    assert_no_schedule("{'cron':'TZID=UTC:0 9 * * *','timezone':'Europe/Berlin'}", ERR_INVALID, "cron", 6);
    assert_no_schedule("{'cron':'TZID=Europe/Paris:@every 5m','timezone':'Europe/Berlin'}", ERR_INVALID, "cron", 6);
}

static void a_job_that_waits_for_others_must_not_be_asked(void **state)
{
    (void)state;
    struct job_def def = def_of("{'depends_on':['a']}");
    int status;
    pid_t child = fork();

    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        struct schedule schedule;

        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGABRT, SIG_DFL); /* cmocka's handler belongs to the parent */
        (void)close(STDERR_FILENO);
        _exit(job_def_schedule(&def, test_zones, 0, STR("seed"), &schedule, NULL) == ERR_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static int open_both(void **state)
{
    return open_zones(state) + open_arena(state);
}

static int close_both(void **state)
{
    return close_zones(state) + close_arena(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_does_not_say_when_fires_as_it_is_created),
        cmocka_unit_test(a_delay_counts_from_creation),
        cmocka_unit_test(run_at_is_when_it_says),
        cmocka_unit_test(an_interval_begins_one_interval_after_creation),
        cmocka_unit_test(an_interval_begins_at_its_start_where_it_has_one),
        cmocka_unit_test(an_interval_after_finish_knows_its_first_fire),
        cmocka_unit_test(cron_fires_in_its_zone),
        cmocka_unit_test(cron_may_be_an_interval),
        cmocka_unit_test(gaps_and_folds_go_as_the_definition_says),
        cmocka_unit_test(bounds_and_jitter_are_handed_on),
        cmocka_unit_test(the_seed_spreads_h),
        cmocka_unit_test(a_wrong_expression_names_the_field_and_the_position),
        cmocka_unit_test(an_unknown_zone_is_refused_with_what_was_meant),
        cmocka_unit_test(what_is_too_long_is_refused_even_if_nobody_has_checked_it_before),
        cmocka_unit_test(an_unknown_zone_inside_an_expression_names_its_position),
        cmocka_unit_test(a_wrong_zone_is_refused_whether_it_is_needed_or_not),
        cmocka_unit_test(two_zones_that_differ_are_a_conflict),
        cmocka_unit_test(a_job_that_waits_for_others_must_not_be_asked),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
