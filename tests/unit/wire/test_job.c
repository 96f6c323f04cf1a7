/* Jobs, in full and in a list; the examples are those of docs/openapi.yaml. */
#include "wire_test.h"

#include "wire/def_read.h"
#include "wire/job.h"

#define EXAMPLE_DEF                                                                                                    \
    "{'tenant':'acme','name':'morning-report','type':'report','cron':'0 9 * * MON-FRI',"                               \
    "'timezone':'America/New_York','target':{'http':{'url':'https://reports.example.org/build'}}}"

/* A row that holds the canonical form of a definition. */
static struct job_row row_of(const char *text)
{
    struct job_def def = def_of("%s", text);

    return (struct job_row){
        .id = JOB,
        .place = {def.pool, def.tenant, def.type, def.priority},
        .name = def.name,
        .status = JOB_ACTIVE,
        .version = 3,
        .cursor_ms = utc_ms("2026-04-09T13:00:00Z"),
        .created_ms = utc_ms("2026-03-01T08:00:00Z"),
        .updated_ms = utc_ms("2026-03-20T10:15:00Z"),
        .def = str_from(written(&def)),
    };
}

static const char *full_text(const struct wire_job *job, const struct wire_skipped *skipped)
{
    struct job_def def;

    assert_int_equal(wire_def_read(job->row->def, &test_arena, &def, NULL), ERR_OK);
    if (skipped != NULL) {
        wire_job_changed(test_open(), job, &def, skipped);
    } else {
        wire_job(test_open(), job, &def);
    }
    return test_close();
}

static const char *summary_text(const struct wire_job *job)
{
    wire_job_summary(test_open(), job);
    return test_close();
}

#define EXAMPLE_FULL                                                                                                   \
    "'id':'job_06c4q0wm8g000','tenant':'acme','name':'morning-report','type':'report','pool':'default','priority':3,"  \
    "'cron':'0 9 * * MON-FRI','timezone':'America/New_York','dst':{'gap':'after','fold':'first'},'overlap':'skip',"    \
    "'misfire':'fire_latest','misfire_after':'1m','retry':{'max_attempts':5,'delays':['30s','2m','10m','30m','2h'],"   \
    "'jitter':0.2},'timeout':'5m','lease':'30s','payload':{},"                                                         \
    "'target':{'http':{'url':'https://reports.example.org/build'}},'status':'active','version':3,"                     \
    "'next_fire_at':'2026-04-09T13:00:00.000Z','last_fired_at':null,'last_result':null,"                               \
    "'counts':{'fired':0,'waiting':0,'pending':0,'running':0,'succeeded':0,'dead':0,'cancelled':0},"                   \
    "'created_at':'2026-03-01T08:00:00.000Z','updated_at':'2026-03-20T10:15:00.000Z'"

static void a_job_is_shown_in_full(void **state)
{
    (void)state;
    struct job_row row = row_of(EXAMPLE_DEF);
    struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};

    assert_json(full_text(&job, NULL), "{" EXAMPLE_FULL "}");
}

static void a_change_says_what_it_skipped(void **state)
{
    (void)state;
    struct job_row row = row_of(EXAMPLE_DEF);
    struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};
    struct wire_skipped skipped = {
        .from_ms = utc_ms("2026-04-08T13:00:00Z"), .to_ms = utc_ms("2026-04-08T13:00:00Z"), .count = 1};

    assert_json(full_text(&job, &skipped),
                "{" EXAMPLE_FULL
                ",'skipped':{'from':'2026-04-08T13:00:00.000Z','to':'2026-04-08T13:00:00.000Z','count':1}}");
    skipped.count = 0;
    assert_json(full_text(&job, &skipped), "{" EXAMPLE_FULL ",'skipped':null}");
}

static void a_summary_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct job_row row = row_of("{'tenant':'acme','name':'morning-report','type':'report','cron':'0 9 * * MON-FRI',"
                                "'timezone':'America/New_York','labels':{'team':'billing'},'payload':{'x':[1,2]},"
                                "'retry':{'max_attempts':2}}");
    struct trigger_row ended = {
        .id = TRIGGER,
        .kind = TRIGGER_SCHEDULE,
        .state = TRIGGER_SUCCEEDED,
        .scheduled_ms = utc_ms("2026-04-08T13:00:00Z"),
        .attempts = 1,
        .ended_ms = utc_ms("2026-04-08T13:00:01.254Z"),
        .last = {.trigger = TRIGGER,
                 .number = 1,
                 .state = ATTEMPT_SUCCEEDED,
                 .started_ms = utc_ms("2026-04-08T13:00:00.004Z"),
                 .ended_ms = utc_ms("2026-04-08T13:00:01.254Z"),
                 .result = STR("{\"pages\":12}")},
    };
    struct wire_job job = {.row = &row, .last_fired_ms = utc_ms("2026-04-08T13:00:00.004Z"), .last_ended = &ended};

    assert_json(summary_text(&job),
                "{'id':'job_06c4q0wm8g000','tenant':'acme','name':'morning-report','type':'report','pool':'default',"
                "'priority':3,'status':'active','version':3,'cron':'0 9 * * MON-FRI','timezone':'America/New_York',"
                "'labels':{'team':'billing'},'next_fire_at':'2026-04-09T13:00:00.000Z',"
                "'last_fired_at':'2026-04-08T13:00:00.004Z','last_result':{'trigger':'trg_06c4q0wm8g001',"
                "'kind':'schedule','status':'succeeded','scheduled_for':'2026-04-08T13:00:00.000Z',"
                "'started_at':'2026-04-08T13:00:00.004Z','finished_at':'2026-04-08T13:00:01.254Z',"
                "'duration_ms':1250,'attempts':1,'reason':null,'error':null,'result':{'pages':12}},"
                "'created_at':'2026-03-01T08:00:00.000Z','updated_at':'2026-03-20T10:15:00.000Z'}");
}

/* What a summary shows of a definition is what the whole job shows. */
static void summaries_agree_with_the_whole_job(void **state)
{
    (void)state;
    const char *const defs[] = {
        "{}",
        "{'run_at':'2026-04-08T09:00:00+02:00','created_by':'ada'}",
        "{'delay':'90s','priority':1,'pool':'email'}",
        "{'every':'5m','labels':{'b':'2','a':'1'}}",
        "{'every':{'interval':'5m','after':'finish'},'timezone':'UTC'}",
        "{'cron':'@daily','timezone':'Europe/Paris'}",
        "{'depends_on':['b',{'job':'a','on':'done'},{'job':'c','on':'success'}]}",
        "{'labels':{'quote \\'':'back \\\\ slash'},'created_by':'\\u00e9'}",
    };
    struct str key;

    for (size_t i = 0; i < COUNT_OF(defs); i++) {
        struct job_row row = row_of(defs[i]);
        struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};
        SCOPE(jr_done) struct jr_doc full = {0};
        SCOPE(jr_done) struct jr_doc summary = {0};
        struct jr_iter iter = {0};
        struct jr value;
        static const char *const only_full[] = {"dst",     "overlap", "misfire", "misfire_after", "retry",
                                                "timeout", "lease",   "payload", "counts",        NULL};

        assert_int_equal(jr_parse(str_from(full_text(&job, NULL)), NULL, &full, NULL), ERR_OK);
        assert_int_equal(jr_parse(str_from(summary_text(&job)), NULL, &summary, NULL), ERR_OK);
        while (jr_next(jr_root(&full), &iter, &key, &value)) {
            bool is_shown = str_index_in(key, only_full) < 0;

            assert_int_equal(jr_has(jr_root(&summary), key.ptr), is_shown);
            assert_true(!is_shown || same_json(value, jr_get(jr_root(&summary), key.ptr)));
        }
    }
}

static void a_job_without_a_name_is_called_by_its_id(void **state)
{
    (void)state;
    struct job_row row = row_of("{}");
    struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};
    struct str name = {0};

    assert_true(jraw_member(str_from(full_text(&job, NULL)), STR("name"), &name));
    assert_text(name, "\"job_06c4q0wm8g000\"");
    assert_true(jraw_member(str_from(summary_text(&job)), STR("name"), &name));
    assert_text(name, "\"job_06c4q0wm8g000\"");
}

static void jobs_that_are_over_fire_no_more(void **state)
{
    (void)state;
    const enum job_status statuses[] = {JOB_ACTIVE, JOB_PAUSED, JOB_CANCELLED, JOB_COMPLETED};

    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        struct job_row row = row_of(EXAMPLE_DEF);
        struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};
        struct str next = {0};

        row.status = statuses[i];
        assert_true(jraw_member(str_from(summary_text(&job)), STR("next_fire_at"), &next));
        assert_text(next, i < 2 ? "\"2026-04-09T13:00:00.000Z\"" : "null");
    }
}

static void payloads_are_shown_byte_for_byte(void **state)
{
    (void)state;
    struct job_row row = row_of("{'payload':{'a':0.10,'b':12345678901234567890, 'c' : '\\u00e9'}}");
    struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};
    struct str payload = {0};

    assert_true(jraw_member(str_from(full_text(&job, NULL)), STR("payload"), &payload));
    assert_text(payload, "{\"a\":0.10,\"b\":12345678901234567890, \"c\" : \"\\u00e9\"}");
}

static void counts_are_those_that_were_given(void **state)
{
    (void)state;
    struct job_row row = row_of("{}");
    struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE, .counts = {1, 2, 3, 4, 5, 6}};
    struct str counts = {0};

    row.fired = 21;
    assert_true(jraw_member(str_from(full_text(&job, NULL)), STR("counts"), &counts));
    assert_json(arena_strdup_str(&test_arena, counts),
                "{'fired':21,'waiting':1,'pending':2,'running':3,'succeeded':4,'dead':5,'cancelled':6}");
}

static void a_batch_is_answered_with_ids(void **state)
{
    (void)state;
    const uint64_t ids[] = {JOB, TRIGGER};

    wire_job_ids(test_open(), ids, 2);
    assert_json(test_close(), "{'ids':['job_06c4q0wm8g000','job_06c4q0wm8g001']}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_shown_in_full),
        cmocka_unit_test(a_change_says_what_it_skipped),
        cmocka_unit_test(a_summary_is_the_one_of_the_contract),
        cmocka_unit_test(summaries_agree_with_the_whole_job),
        cmocka_unit_test(a_job_without_a_name_is_called_by_its_id),
        cmocka_unit_test(jobs_that_are_over_fire_no_more),
        cmocka_unit_test(payloads_are_shown_byte_for_byte),
        cmocka_unit_test(counts_are_those_that_were_given),
        cmocka_unit_test(a_batch_is_answered_with_ids),
    };
    WIRE_MAIN(tests);
}
