/* Coming fires, and what an expression means. */
#include "wire_test.h"

#include "calendar/describe.h"
#include "wire/fires.h"

static int open_all(void **state)
{
    return open_arena(state) + open_zones(state);
}

static int close_all(void **state)
{
    return close_zones(state) + close_arena(state);
}

/* An expression in a zone, and its fires. */
struct asked {
    struct expression expression;
    struct schedule schedule;
    int64_t fires_ms[8];
    struct wire_fires fires;
};

static void ask(struct asked *asked, const char *expr, const char *zone, const char *from, size_t count)
{
    *asked = (struct asked){0};
    assert_int_equal(expression_parse(str_from(expr), STR("seed"), &asked->expression, NULL), ERR_OK);
    bool is_cron = asked->expression.kind == EXPRESSION_CRON;
    asked->schedule = schedule_unbounded(is_cron ? SCHEDULE_CRON : SCHEDULE_EVERY);
    asked->schedule.cron = asked->expression.cron;
    asked->schedule.every_ms = asked->schedule.first_ms = asked->expression.every_ms;
    asked->schedule.zone = zone_of(zone);
    asked->fires = (struct wire_fires){.schedule = &asked->schedule,
                                       .zone = asked->schedule.zone,
                                       .from_ms = utc_ms(from),
                                       .fires_ms = asked->fires_ms,
                                       .count = count};
    int64_t at_ms = asked->fires.from_ms;
    for (size_t i = 0; i < count; i++) {
        assert_true(schedule_next(&asked->schedule, at_ms, &at_ms));
        asked->fires_ms[i] = at_ms;
    }
}

static void a_fire_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct asked asked;

    ask(&asked, "0 9 * * MON-FRI", "America/New_York", "2026-04-08T00:00:00Z", 1);
    wire_fires(test_open(), &asked.fires);
    assert_json(test_close(), "[{'utc':'2026-04-08T13:00:00.000Z','local':'2026-04-08T09:00:00',"
                              "'weekday':'Wednesday','offset':-14400,'abbr':'EDT','note':null}]");
}

static void changes_of_the_clock_are_noted(void **state)
{
    (void)state;
    struct asked asked;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str note = {0};

    ask(&asked, "0 9 * * *", "America/New_York", "2026-03-07T00:00:00Z", 3);
    wire_fires(test_open(), &asked.fires);
    assert_int_equal(jr_parse(str_from(test_close()), NULL, &doc, NULL), ERR_OK);
    assert_int_equal(jr_kind(jr_get(jr_at(jr_root(&doc), 0), "note")), JR_NULL);
    assert_int_equal(jr_str(jr_at(jr_root(&doc), 1), "note", &note, NULL), ERR_OK);
    assert_text(note, "clocks went forward 1 h");
    assert_int_equal(jr_kind(jr_get(jr_at(jr_root(&doc), 2), "note")), JR_NULL);
}

static void a_jobs_fires_say_when_they_are_due(void **state)
{
    (void)state;
    struct asked asked;

    ask(&asked, "0 9 * * *", "UTC", "2026-04-08T00:00:00Z", 1);
    asked.schedule.jitter_ms = 60000;
    int64_t due_ms = schedule_due_ms(&asked.schedule, JOB, asked.fires_ms[0]);
    char due[INSTANT_BYTES];

    wire_job_fires(test_open(), JOB, "at 09:00", &asked.fires);
    assert_json(test_close(),
                arena_printf(&test_arena,
                             "{'job':'job_06c4q0wm8g000','description':'at 09:00','timezone':'UTC','fires':[{"
                             "'utc':'2026-04-08T09:00:00.000Z','local':'2026-04-08T09:00:00','weekday':'Wednesday',"
                             "'offset':0,'abbr':'UTC','note':null,'due_at':'%s'}]}",
                             instant_format(due_ms, due)));
    asked.fires.count = 0;
    wire_job_fires(test_open(), JOB, NULL, &asked.fires);
    assert_json(test_close(), "{'job':'job_06c4q0wm8g000','description':null,'timezone':'UTC','fires':[]}");
}

/* The codes of its warnings, separated by blanks. */
static const char *warnings_of(const struct asked *asked, bool has_seed, const char *herd)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    char *codes = arena_strdup(&test_arena, "");

    wire_preview(test_open(), &asked->expression, &asked->fires, has_seed, herd);
    assert_int_equal(jr_parse(str_from(test_close()), NULL, &doc, NULL), ERR_OK);
    struct jr warnings = jr_get(jr_root(&doc), "warnings");
    for (size_t i = 0; i < jr_count(warnings); i++) {
        struct str code, detail;

        assert_int_equal(jr_str(jr_at(warnings, i), "code", &code, NULL), ERR_OK);
        assert_int_equal(jr_str(jr_at(warnings, i), "detail", &detail, NULL), ERR_OK);
        assert_true(detail.len > 0);
        codes = arena_printf(&test_arena, "%s%s%.*s", codes, i > 0 ? " " : "", STR_ARGS(code));
    }
    return codes;
}

static void a_preview_says_what_it_means(void **state)
{
    (void)state;
    struct asked asked;

    ask(&asked, "0 9 * * MON-FRI", "America/New_York", "2026-04-08T00:00:00Z", 1);
    wire_preview(test_open(), &asked.expression, &asked.fires, false, NULL);
    assert_json(test_close(), "{'description':'at 09:00, Monday to Friday, New York time',"
                              "'timezone':'America/New_York','fires':[{'utc':'2026-04-08T13:00:00.000Z',"
                              "'local':'2026-04-08T09:00:00','weekday':'Wednesday','offset':-14400,'abbr':'EDT',"
                              "'note':null}],'warnings':[]}");
}

static void previews_warn_of_what_may_not_be_meant(void **state)
{
    (void)state;
    const struct {
        const char *expr;
        const char *codes;
    } rows[] = {
        {"0 0 9 ? * 2", "numeric_weekday"},
        {"0 0 */2 * *", "day_step"},
        {"0 0 1 * 5", "day_either"},
        {"*/90 * * * *", "long_step"},
        {"H 9 * * *", "spread"},
        {"0 0-23 * * *", "fixed_hours"},
        {"@every 90s", ""},
        {"0 9 * * MON-FRI", ""},
    };
    struct asked asked;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ask(&asked, rows[i].expr, "UTC", "2026-04-08T00:00:00Z", 2);
        assert_string_equal(warnings_of(&asked, false, NULL), rows[i].codes);
    }
    ask(&asked, "H 9 * * *", "UTC", "2026-04-08T00:00:00Z", 1);
    assert_string_equal(warnings_of(&asked, true, "412 jobs fire then"), "herd");
}

static void previews_warn_of_clock_changes_and_of_policies_without_meaning(void **state)
{
    (void)state;
    struct asked asked;

    ask(&asked, "0 9 * * *", "America/New_York", "2026-10-31T00:00:00Z", 3);
    assert_string_equal(warnings_of(&asked, false, NULL), "dst_change");
    wire_preview(test_open(), &asked.expression, &asked.fires, false, NULL);
    assert_non_null(strstr(test_close(), "clocks go back on 2026-11-01"));
    ask(&asked, "*/5 * * * *", "America/New_York", "2026-06-01T00:00:00Z", 3);
    asked.schedule.dst.gap = DST_GAP_SKIP;
    assert_string_equal(warnings_of(&asked, false, NULL), "dst_ignored");
}

static void assert_described(const char *text, const char *expected)
{
    SCOPE(buf_done) struct buf out;
    struct job_def def = def_of("%s", text);

    buf_init(&out, DESCRIBE_BYTES_MAX);
    wire_describe(&def, zone_of(def.timezone.ptr), STR("seed"), &out);
    assert_string_equal(buf_text(&out), expected);
}

static void schedules_of_jobs_are_described(void **state)
{
    (void)state;
    assert_described("{}", "");
    assert_described("{'delay':'5m'}", "");
    assert_described("{'depends_on':['a']}", "");
    assert_described("{'run_at':'2026-04-08T09:00:00Z'}", "once, at 2026-04-08T09:00:00Z");
    assert_described("{'every':'90s'}", "every 1 min 30 s");
    assert_described("{'every':{'interval':'5m','after':'finish'}}",
                     "every 5 min, counted from the end of the run before");
    assert_described("{'cron':'0 9 * * MON-FRI','timezone':'America/New_York'}",
                     "at 09:00, Monday to Friday, New York time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fire_is_the_one_of_the_contract),
        cmocka_unit_test(changes_of_the_clock_are_noted),
        cmocka_unit_test(a_jobs_fires_say_when_they_are_due),
        cmocka_unit_test(a_preview_says_what_it_means),
        cmocka_unit_test(previews_warn_of_what_may_not_be_meant),
        cmocka_unit_test(previews_warn_of_clock_changes_and_of_policies_without_meaning),
        cmocka_unit_test(schedules_of_jobs_are_described),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
