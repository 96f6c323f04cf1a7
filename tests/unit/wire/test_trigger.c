/* The fire ledger and attempts, field by field; the examples are those of docs/openapi.yaml. */
#include "wire_test.h"

#include "wire/trigger.h"

#define DEF STR("{\"name\":\"morning-report\",\"payload\":{\"day\":0.10},\"target\":{\"exec\":{\"argv\":[\"a\"]}}}")

#define EXAMPLE_ATTEMPT                                                                                                \
    "{'id':'att_06c4q0wm8g001_1','trigger':'trg_06c4q0wm8g001','job':'job_06c4q0wm8g000','number':1,"                  \
    "'worker':'w-9f2c51d07a3be8446c1d20f5','status':'failed','started_at':'2026-04-08T13:00:00.004Z',"                 \
    "'finished_at':'2026-04-08T13:00:01.254Z','duration_ms':1250,"                                                     \
    "'error':{'code':'http_404','message':'the answer was 404 Not "                                                    \
    "Found'},'result':null,'output':null,'progress':null}"

static struct attempt_row example_attempt(void)
{
    return (struct attempt_row){
        .trigger = TRIGGER,
        .number = 1,
        .state = ATTEMPT_FAILED,
        .started_ms = utc_ms("2026-04-08T13:00:00.004Z"),
        .ended_ms = utc_ms("2026-04-08T13:00:01.254Z"),
        .worker = WORKER,
        .error_code = STR("http_404"),
        .error_message = STR("the answer was 404 Not Found"),
    };
}

static struct trigger_row example_row(void)
{
    return (struct trigger_row){
        .id = TRIGGER,
        .job = JOB,
        .place = {STR("default"), STR("acme"), STR("report"), 3},
        .kind = TRIGGER_SCHEDULE,
        .state = TRIGGER_DEAD,
        .version = 3,
        .scheduled_ms = utc_ms("2026-04-08T13:00:00Z"),
        .due_ms = utc_ms("2026-04-08T13:00:00Z"),
        .attempts = 1,
        .failures = 1,
        .created_ms = utc_ms("2026-04-08T13:00:00.004Z"),
        .ended_ms = utc_ms("2026-04-08T13:00:01.254Z"),
        .reason = STR("permanent"),
        .last = example_attempt(),
    };
}

static struct claim example_claim(uint32_t number)
{
    return (struct claim){
        .trigger = TRIGGER,
        .job = JOB,
        .number = number,
        .version = 3,
        .kind = TRIGGER_SCHEDULE,
        .scheduled_ms = utc_ms("2026-04-08T13:00:00Z"),
        .started_ms = utc_ms("2026-04-08T13:00:05Z"),
        .worker = STR("w-2"),
    };
}

static struct wire_trigger view_of(const struct trigger_row *row, const struct claim *claim)
{
    return (struct wire_trigger){.row = row, .claim = claim, .name = STR("morning-report"), .max_attempts = 5};
}

static const char *trigger_text(const struct trigger_row *row, const struct claim *claim)
{
    struct wire_trigger view = view_of(row, claim);

    wire_trigger(test_open(), &view);
    return test_close();
}

static const char *field(const char *json, const char *name)
{
    struct str value = {0};

    assert_true(jraw_member(str_from(json), str_from(name), &value));
    return arena_strdup_str(&test_arena, value);
}

static void a_dead_trigger_is_shown_as_the_contract_does(void **state)
{
    (void)state;
    struct trigger_row row = example_row();

    assert_json(
        trigger_text(&row, NULL),
        "{'record':'trigger','id':'trg_06c4q0wm8g001','job':'job_06c4q0wm8g000','tenant':'acme',"
        "'name':'morning-report','type':'report','pool':'default','priority':3,'kind':'schedule','status':'dead',"
        "'version':3,'scheduled_for':'2026-04-08T13:00:00.000Z','due_at':'2026-04-08T13:00:00.000Z','attempts':1,"
        "'failures':1,'max_attempts':5,'replays':0,'replay_of':null,'replayed_by':null,'root':null,"
        "'reason':'permanent',"
        "'idempotency_key':'job:job_06c4q0wm8g000:scheduled_for:2026-04-08T13:00:00.000Z',"
        "'last_attempt':" EXAMPLE_ATTEMPT ",'created_at':'2026-04-08T13:00:00.004Z',"
        "'finished_at':'2026-04-08T13:00:01.254Z'}");
}

static void a_living_claim_says_that_it_runs(void **state)
{
    (void)state;
    struct trigger_row row = example_row();
    struct claim claim = example_claim(2);

    row.state = TRIGGER_PENDING;
    row.ended_ms = TIME_NONE;
    row.reason = STR("");
    const char *text = trigger_text(&row, &claim);

    assert_string_equal(field(text, "status"), "\"running\"");
    assert_string_equal(field(text, "attempts"), "2");
    assert_string_equal(field(text, "reason"), "null");
    assert_string_equal(field(text, "finished_at"), "null");
    assert_json(field(text, "last_attempt"),
                "{'id':'att_06c4q0wm8g001_2','trigger':'trg_06c4q0wm8g001','job':'job_06c4q0wm8g000','number':2,"
                "'worker':'w-2','status':'started','started_at':'2026-04-08T13:00:05.000Z','finished_at':null,"
                "'duration_ms':null,'error':null,'result':null,'output':null,'progress':null}");
}

static void a_trigger_without_a_row_is_made_of_its_claim(void **state)
{
    (void)state;
    struct job_row job = {.id = JOB, .place = {STR("email"), STR("acme"), STR("send"), 1}};
    struct claim claim = example_claim(1);
    struct trigger_row row = wire_claimed_row(&job, &claim);
    const char *text = trigger_text(&row, &claim);

    assert_string_equal(field(text, "id"), "\"trg_06c4q0wm8g001\"");
    assert_string_equal(field(text, "status"), "\"running\"");
    assert_string_equal(field(text, "pool"), "\"email\"");
    assert_string_equal(field(text, "attempts"), "1");
    assert_string_equal(field(text, "created_at"), "\"2026-04-08T13:00:05.000Z\"");
    assert_string_equal(field(text, "due_at"), "\"2026-04-08T13:00:00.000Z\"");
}

static void where_a_trigger_comes_from_is_shown_for_its_kind(void **state)
{
    (void)state;
    struct trigger_row row = example_row();

    row.kind = TRIGGER_REPLAY;
    row.replay_of = OTHER;
    row.root = JOB;
    const char *text = trigger_text(&row, NULL);
    assert_string_equal(field(text, "replay_of"), "\"trg_06c4q0wm8g002\"");
    assert_string_equal(field(text, "root"), "null");

    row.kind = TRIGGER_DEPENDENCY;
    row.root = OTHER;
    text = trigger_text(&row, NULL);
    assert_string_equal(field(text, "replay_of"), "null"); /* there it is the root's job */
    assert_string_equal(field(text, "root"), "\"trg_06c4q0wm8g002\"");

    row.kind = TRIGGER_MANUAL;
    row.replayed_by = OTHER;
    text = trigger_text(&row, NULL);
    assert_string_equal(field(text, "root"), "null");
    assert_string_equal(field(text, "replayed_by"), "\"trg_06c4q0wm8g002\"");
    assert_string_equal(field(text, "idempotency_key"),
                        "\"job:job_06c4q0wm8g000:scheduled_for:2026-04-08T13:00:00.000Z:run:trg_06c4q0wm8g001\"");
}

static void one_that_waits_has_no_attempt(void **state)
{
    (void)state;
    struct trigger_row row = example_row();

    row.state = TRIGGER_WAITING;
    row.last = (struct attempt_row){.number = 0};
    row.reason = STR("dependencies");
    const char *text = trigger_text(&row, NULL);
    assert_string_equal(field(text, "last_attempt"), "null");
    assert_string_equal(field(text, "status"), "\"waiting\"");
    assert_string_equal(field(text, "reason"), "\"dependencies\"");
}

static const char *detail_text(const struct wire_trigger *view, const struct attempt_row *attempts, size_t count)
{
    wire_trigger_detail(test_open(), view, DEF, attempts, count);
    return test_close();
}

static void details_have_payload_target_and_attempts(void **state)
{
    (void)state;
    struct trigger_row row = example_row();
    struct wire_trigger view = view_of(&row, NULL);
    const char *text = detail_text(&view, NULL, 0);

    assert_string_equal(field(text, "payload"), "{\"day\":0.10}"); /* byte for byte */
    assert_string_equal(field(text, "target"), "{\"exec\":{\"argv\":[\"a\"]}}");
    assert_json(field(text, "executions"), "[" EXAMPLE_ATTEMPT "]");
    assert_json(field(text, "last_attempt"), EXAMPLE_ATTEMPT);
    row.payload = STR("[1.50]");
    assert_string_equal(field(detail_text(&view, NULL, 0), "payload"), "[1.50]");
}

static void attempts_of_a_living_trigger_are_all_there_once(void **state)
{
    (void)state;
    struct trigger_row row = example_row();
    struct claim claim = example_claim(3);
    struct attempt_row rows[2] = {example_attempt(), example_attempt()};
    struct wire_trigger view = view_of(&row, NULL);

    rows[1].number = 2;
    row.state = TRIGGER_PENDING;
    row.last = rows[1]; /* names the latest, without texts */
    row.last.error_code = row.last.error_message = STR("");
    const char *text = detail_text(&view, rows, 2);
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str code;

    assert_int_equal(jr_parse(str_from(text), NULL, &doc, NULL), ERR_OK);
    assert_int_equal(jr_count(jr_get(jr_root(&doc), "executions")), 2);
    struct jr last = jr_get(jr_root(&doc), "last_attempt");
    assert_int_equal(jr_str(jr_get(last, "error"), "code", &code, NULL), ERR_OK);
    assert_text(code, "http_404"); /* from its own row */

    view.claim = &claim;
    text = detail_text(&view, rows, 2);
    jr_done(&doc);
    assert_int_equal(jr_parse(str_from(text), NULL, &doc, NULL), ERR_OK);
    struct jr executions = jr_get(jr_root(&doc), "executions");
    int64_t number = 0;
    assert_int_equal(jr_count(executions), 3);
    assert_int_equal(jr_int(jr_at(executions, 2), "number", 3, 3, &number, NULL), ERR_OK);
}

static void details_show_the_newest_attempts_of_many(void **state)
{
    (void)state;
    static struct attempt_row rows[WIRE_EXECUTIONS_MAX + 5];
    struct trigger_row row = example_row();
    struct claim claim = example_claim(WIRE_EXECUTIONS_MAX + 6);
    struct wire_trigger view = view_of(&row, &claim);
    SCOPE(jr_done) struct jr_doc doc = {0};
    int64_t number = 0;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        rows[i] = example_attempt();
        rows[i].number = (uint32_t)i + 1;
    }
    const struct jscan_limits limits = {.bytes_max = OUT_BYTES_MAX, .depth_max = 32, .nodes_max = 100000};
    assert_int_equal(jr_parse(str_from(detail_text(&view, rows, COUNT_OF(rows))), &limits, &doc, NULL), ERR_OK);
    struct jr executions = jr_get(jr_root(&doc), "executions");
    assert_int_equal(jr_count(executions), WIRE_EXECUTIONS_MAX);
    assert_int_equal(jr_int(jr_at(executions, 0), "number", 7, 7, &number, NULL), ERR_OK);
}

static const char *attempt_text(const struct attempt_row *row, const struct wire_progress *progress)
{
    wire_attempt(test_open(), row, JOB, progress);
    return test_close();
}

static void results_and_outputs_are_taken_apart(void **state)
{
    (void)state;
    struct attempt_row row = example_attempt();

    row.state = ATTEMPT_SUCCEEDED;
    row.result = STR("+10:{\"sent\":1}sent 1 mail\n");
    const char *text = attempt_text(&row, NULL);
    assert_string_equal(field(text, "result"), "{\"sent\":1}");
    assert_string_equal(field(text, "output"), "\"sent 1 mail\\n\"");
    assert_string_equal(field(text, "error"), "null"); /* it did not fail */
}

static void time_outs_and_losses_have_a_code_of_their_own(void **state)
{
    (void)state;
    struct attempt_row row = example_attempt();

    row.error_code = row.error_message = STR("");
    row.state = ATTEMPT_TIMED_OUT;
    assert_json(field(attempt_text(&row, NULL), "error"), "{'code':'timeout','message':''}");
    row.state = ATTEMPT_LOST;
    assert_json(field(attempt_text(&row, NULL), "error"), "{'code':'lost','message':''}");
    row.state = ATTEMPT_FAILED;
    assert_string_equal(field(attempt_text(&row, NULL), "error"), "null");
    row.state = ATTEMPT_CANCELLED;
    assert_string_equal(field(attempt_text(&row, NULL), "error"), "null");
}

static void a_clock_that_went_back_makes_no_negative_length(void **state)
{
    (void)state;
    struct attempt_row row = example_attempt();

    row.ended_ms = row.started_ms - 5;
    assert_string_equal(field(attempt_text(&row, NULL), "duration_ms"), "0");
}

static void progress_is_shown_while_it_runs(void **state)
{
    (void)state;
    struct wire_progress progress = {
        .percent = 40, .note = STR("page 4 of 10"), .at_ms = utc_ms("2026-04-08T13:00:00Z")};
    struct attempt_row row = example_attempt();

    assert_string_equal(field(attempt_text(&row, &progress), "progress"), "null");
    row.state = ATTEMPT_STARTED;
    row.ended_ms = TIME_NONE;
    assert_json(field(attempt_text(&row, &progress), "progress"),
                "{'percent':40,'note':'page 4 of 10','at':'2026-04-08T13:00:00.000Z'}");
    progress.percent = -1;
    progress.note = STR("");
    assert_json(field(attempt_text(&row, &progress), "progress"),
                "{'percent':null,'note':null,'at':'2026-04-08T13:00:00.000Z'}");
}

static void last_results_are_those_of_the_contract(void **state)
{
    (void)state;
    struct trigger_row row = example_row();

    row.state = TRIGGER_SUCCEEDED;
    row.reason = STR("");
    row.last.state = ATTEMPT_SUCCEEDED;
    row.last.result = STR("{\"pages\":12}");
    wire_last_result(test_open(), &row);
    assert_json(test_close(), "{'trigger':'trg_06c4q0wm8g001','kind':'schedule','status':'succeeded',"
                              "'scheduled_for':'2026-04-08T13:00:00.000Z','started_at':'2026-04-08T13:00:00.004Z',"
                              "'finished_at':'2026-04-08T13:00:01.254Z','duration_ms':1250,'attempts':1,'reason':null,"
                              "'error':null,'result':{'pages':12}}");
    row.state = TRIGGER_CANCELLED;
    row.last = (struct attempt_row){.number = 0};
    row.attempts = 0;
    row.reason = STR("expired");
    wire_last_result(test_open(), &row);
    assert_json(test_close(), "{'trigger':'trg_06c4q0wm8g001','kind':'schedule','status':'cancelled',"
                              "'scheduled_for':'2026-04-08T13:00:00.000Z','started_at':null,"
                              "'finished_at':'2026-04-08T13:00:01.254Z','duration_ms':null,'attempts':0,"
                              "'reason':'expired','error':null,'result':null}");
}

static void skips_and_due_fires_are_entries_of_the_ledger(void **state)
{
    (void)state;
    struct skip_row skip = {.job = JOB,
                            .from_ms = utc_ms("2026-04-08T13:05:00Z"),
                            .to_ms = utc_ms("2026-04-08T14:00:00Z"),
                            .count = 12,
                            .reason = SKIP_OVERLAP,
                            .version = 3,
                            .blocked_by = TRIGGER,
                            .decided_ms = utc_ms("2026-04-08T14:00:00Z")};

    wire_skip(test_open(), &skip);
    assert_json(test_close(), "{'record':'skip','job':'job_06c4q0wm8g000','from':'2026-04-08T13:05:00.000Z',"
                              "'to':'2026-04-08T14:00:00.000Z','count':12,'reason':'overlap','version':3,"
                              "'blocked_by':'trg_06c4q0wm8g001','decided_at':'2026-04-08T14:00:00.000Z'}");
    skip.blocked_by = ID_NONE;
    wire_skip(test_open(), &skip);
    assert_string_equal(field(test_close(), "blocked_by"), "null");

    wire_due(test_open(), JOB, utc_ms("2026-04-08T14:05:00Z"), utc_ms("2026-04-08T14:05:00Z"), 1);
    assert_json(test_close(), "{'record':'due','job':'job_06c4q0wm8g000','status':'due',"
                              "'from':'2026-04-08T14:05:00.000Z','to':'2026-04-08T14:05:00.000Z','count':1}");
    wire_due(test_open(), JOB, 0, 1, 123456);
    assert_string_equal(field(test_close(), "count"), "10000");
}

static void what_was_made_of_a_range_or_of_dead_letters_is_counted(void **state)
{
    (void)state;
    static uint64_t many[WIRE_TRIGGERS_SHOWN_MAX + 1];
    const uint64_t one[] = {OTHER};
    SCOPE(jr_done) struct jr_doc doc = {0};

    wire_backfilled(test_open(), one, 1, 4);
    assert_json(test_close(), "{'created':1,'not_needed':4,'triggers':['trg_06c4q0wm8g002']}");
    wire_replayed(test_open(), 1, 2, "x", one, 1);
    assert_json(test_close(), "{'accepted':1,'not_dead':2,'more':true,'next':'x','triggers':['trg_06c4q0wm8g002']}");
    wire_discarded(test_open(), 3, 0, NULL);
    assert_json(test_close(), "{'accepted':3,'not_dead':0,'more':false,'next':null}");

    for (size_t i = 0; i < COUNT_OF(many); i++) {
        many[i] = JOB + i;
    }
    wire_backfilled(test_open(), many, COUNT_OF(many), 0);
    assert_int_equal(jr_parse(str_from(test_close()), NULL, &doc, NULL), ERR_OK);
    assert_int_equal(jr_count(jr_get(jr_root(&doc), "triggers")), WIRE_TRIGGERS_SHOWN_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_trigger_is_shown_as_the_contract_does),
        cmocka_unit_test(a_living_claim_says_that_it_runs),
        cmocka_unit_test(a_trigger_without_a_row_is_made_of_its_claim),
        cmocka_unit_test(where_a_trigger_comes_from_is_shown_for_its_kind),
        cmocka_unit_test(one_that_waits_has_no_attempt),
        cmocka_unit_test(details_have_payload_target_and_attempts),
        cmocka_unit_test(attempts_of_a_living_trigger_are_all_there_once),
        cmocka_unit_test(details_show_the_newest_attempts_of_many),
        cmocka_unit_test(results_and_outputs_are_taken_apart),
        cmocka_unit_test(time_outs_and_losses_have_a_code_of_their_own),
        cmocka_unit_test(a_clock_that_went_back_makes_no_negative_length),
        cmocka_unit_test(progress_is_shown_while_it_runs),
        cmocka_unit_test(last_results_are_those_of_the_contract),
        cmocka_unit_test(skips_and_due_fires_are_entries_of_the_ledger),
        cmocka_unit_test(what_was_made_of_a_range_or_of_dead_letters_is_counted),
    };
    WIRE_MAIN(tests);
}
