/* What holds a job or a trigger back. */
#include "wire_test.h"

#include "model/record.h"
#include "wire/why.h"

static const char *why_text(const struct wire_gate *gates, size_t count)
{
    wire_why(test_open(),
             &(struct wire_why){
                 .expires_ms = TIME_NONE, .gates = gates, .gate_count = count, .subject = STR("acme/report")});
    return test_close();
}

static void a_gate_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct wire_gate gate = {.kind = WIRE_GATE_TENANT_IN_FLIGHT,
                             .name = STR("acme"),
                             .count = 10,
                             .max = 10,
                             .since_ms = TIME_NONE,
                             .clears_ms = TIME_NONE};

    assert_json(why_text(&gate, 1),
                "{'runnable':false,'expires_at':null,'gates':[{'gate':'tenant_in_flight',"
                "'detail':'acme has 10 of 10 running','clears':'when one finishes','clears_at':null,"
                "'advice':'to allow more: belfry tenants set acme max_in_flight=NUMBER','name':'acme','tenant':null,"
                "'running':10,'max':10,'rate':null,'blocked_by':null,'worker':null,'since':null}]}");
}

static void what_holds_it_and_until_when_is_named(void **state)
{
    (void)state;
    const struct wire_gate gates[] = {
        {.kind = WIRE_GATE_OVERLAP,
         .id = TRIGGER,
         .worker = STR("w-1"),
         .since_ms = utc_ms("2026-04-08T08:59:00Z"),
         .max = -1,
         .clears_ms = TIME_NONE},
        {.kind = WIRE_GATE_NOT_DUE,
         .id = JOB,
         .is_job = true,
         .since_ms = TIME_NONE,
         .max = -1,
         .clears_ms = utc_ms("2026-04-08T09:00:00Z")},
    };

    assert_json(
        why_text(gates, 2),
        "{'runnable':false,'expires_at':null,'gates':[{'gate':'overlap',"
        "'detail':'trg_06c4q0wm8g001 of worker w-1 since 2026-04-08T08:59:00Z is running or comes first, and runs "
        "of the job may not overlap','clears':'when that one ends','clears_at':null,"
        "'advice':'to stop it: belfry cancel trg_06c4q0wm8g001','name':null,'tenant':null,'running':null,"
        "'max':null,'rate':null,'blocked_by':'trg_06c4q0wm8g001','worker':'w-1',"
        "'since':'2026-04-08T08:59:00.000Z'},{'gate':'not_due','detail':'it is not due yet',"
        "'clears':'at 2026-04-08T09:00:00Z','clears_at':'2026-04-08T09:00:00.000Z',"
        "'advice':'to run it once now: belfry run acme/report','name':null,'tenant':null,'running':null,"
        "'max':null,'rate':null,'blocked_by':'job_06c4q0wm8g000','worker':null,'since':null}]}");
}

/* The sentence of a gate. */
static void assert_detail(struct wire_gate gate, const char *detail)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str shown;

    assert_int_equal(jr_parse(str_from(why_text(&gate, 1)), NULL, &doc, NULL), ERR_OK);
    assert_int_equal(jr_str(jr_at(jr_get(jr_root(&doc), "gates"), 0), "detail", &shown, NULL), ERR_OK);
    assert_string_equal(shown.ptr, detail);
}

static void what_is_not_known_is_not_said(void **state)
{
    (void)state;
    struct wire_gate gate = {
        .kind = WIRE_GATE_TYPE_PAUSED, .name = STR("mail"), .max = -1, .since_ms = TIME_NONE, .clears_ms = TIME_NONE};

    assert_detail(gate, "type mail is paused");
    gate.tenant = STR("acme");
    gate.since_ms = utc_ms("2026-04-08T09:00:00Z");
    assert_detail(gate, "type mail of tenant acme is paused since 2026-04-08T09:00:00Z");
    gate = (struct wire_gate){.kind = WIRE_GATE_CONCURRENCY_KEY,
                              .name = STR("k"),
                              .count = 1,
                              .max = 1,
                              .since_ms = TIME_NONE,
                              .clears_ms = TIME_NONE};
    assert_detail(gate, "key k has 1 of 1 running");
    gate.id = TRIGGER;
    assert_detail(gate, "key k has 1 of 1 running: trg_06c4q0wm8g001");
    gate.worker = STR("w-1");
    assert_detail(gate, "key k has 1 of 1 running: trg_06c4q0wm8g001 of worker w-1");
}

static void numbers_stand_in_the_sentences(void **state)
{
    (void)state;
    struct wire_gate gate = {.kind = WIRE_GATE_TENANT_RATE,
                             .name = STR("acme"),
                             .rate_count = 10,
                             .rate_ms = 1000,
                             .max = -1,
                             .since_ms = TIME_NONE,
                             .clears_ms = TIME_NONE};

    assert_detail(gate, "tenant acme has used up its rate of 10/s");
    gate.is_ramp = true;
    assert_detail(gate, "tenant acme has used up its rate of 10/s; the rate grows after a resume");
    gate = (struct wire_gate){
        .kind = WIRE_GATE_BACKOFF, .count = 2, .max = 5, .since_ms = TIME_NONE, .clears_ms = TIME_NONE};
    assert_detail(gate, "it failed (2 of 5 attempts are used up) and waits for its next attempt");
    gate.kind = WIRE_GATE_DEPENDENCIES;
    gate.name = STR("load");
    assert_detail(gate, "it waits for the jobs it depends on: load has not ended (2 of 5 have)");
    gate.kind = WIRE_GATE_BREAKER;
    gate.name = STR("mail");
    assert_detail(gate, "the breaker of type mail is half open: one is tried at a time, and 2 of the 5 that close it "
                        "succeeded");
    gate.max = 0;
    assert_detail(gate, "the breaker of type mail is open: too many of its attempts failed");
}

static void a_pool_without_workers_is_told_from_one_whose_workers_take_something_else(void **state)
{
    (void)state;
    struct wire_gate gates[] = {
        {.kind = WIRE_GATE_NO_WORKER, .name = STR("email"), .max = -1, .since_ms = TIME_NONE, .clears_ms = TIME_NONE},
        {.kind = WIRE_GATE_NO_WORKER,
         .name = STR("email"),
         .target = "exec targets",
         .max = -1,
         .since_ms = TIME_NONE,
         .clears_ms = TIME_NONE},
    };
    const char *text = why_text(gates, 2);

    assert_non_null(strstr(text, "\"no worker serves pool email\""));
    assert_non_null(strstr(text, "\"no worker of pool email takes exec targets\""));
}

static void every_gate_says_something(void **state)
{
    (void)state;
    static const enum wire_gate_kind kinds[] = {
#define X(name, text) name,
        WIRE_GATE_TABLE(X)
#undef X
    };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct wire_gate gate = {
            .kind = kinds[i], .name = STR("n"), .max = -1, .since_ms = TIME_NONE, .clears_ms = TIME_NONE};
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct str detail, clears;

        assert_int_equal(jr_parse(str_from(why_text(&gate, 1)), NULL, &doc, NULL), ERR_OK);
        struct jr shown = jr_at(jr_get(jr_root(&doc), "gates"), 0);
        assert_int_equal(jr_str(shown, "detail", &detail, NULL), ERR_OK);
        assert_int_equal(jr_str(shown, "clears", &clears, NULL), ERR_OK);
        assert_true(detail.len > 0 && clears.len > 0 && str_find_char(detail, '%') == detail.len &&
                    str_find_char(detail, '[') == detail.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_is_the_one_of_the_contract),
        cmocka_unit_test(what_holds_it_and_until_when_is_named),
        cmocka_unit_test(a_pool_without_workers_is_told_from_one_whose_workers_take_something_else),
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(numbers_stand_in_the_sentences),
        cmocka_unit_test(every_gate_says_something),
    };
    WIRE_MAIN(tests);
}
