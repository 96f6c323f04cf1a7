/* What holds a job or a trigger back. */
#include "wire_test.h"

#include "model/record.h"
#include "wire/why.h"

static const char *why_text(const struct wire_gate *gates, size_t count)
{
    wire_why(test_open(), false, gates, count);
    return test_close();
}

static void a_gate_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct wire_gate gate = {
        .kind = WIRE_GATE_TENANT_IN_FLIGHT, .name = STR("acme"), .count = 10, .max = 10, .clears_ms = TIME_NONE};

    assert_json(why_text(&gate, 1), "{'runnable':false,'gates':[{'gate':'tenant_in_flight',"
                                    "'detail':'acme has 10 of 10 running','clears':'when one finishes',"
                                    "'clears_at':null,'name':'acme','running':10,'max':10,'blocked_by':null}]}");
}

static void what_holds_it_and_until_when_is_named(void **state)
{
    (void)state;
    const struct wire_gate gates[] = {
        {.kind = WIRE_GATE_OVERLAP, .id = TRIGGER, .max = -1, .clears_ms = TIME_NONE},
        {.kind = WIRE_GATE_NOT_DUE, .id = JOB, .is_job = true, .max = -1, .clears_ms = utc_ms("2026-04-08T09:00:00Z")},
    };

    assert_json(why_text(gates, 2),
                "{'runnable':false,'gates':[{'gate':'overlap',"
                "'detail':'trg_06c4q0wm8g001 of the job is running, and runs may not overlap',"
                "'clears':'when that one ends','clears_at':null,'name':null,'running':null,'max':null,"
                "'blocked_by':'trg_06c4q0wm8g001'},{'gate':'not_due','detail':'it is not due yet',"
                "'clears':'at 2026-04-08T09:00:00Z','clears_at':'2026-04-08T09:00:00.000Z','name':null,"
                "'running':null,'max':null,'blocked_by':'job_06c4q0wm8g000'}]}");
}

static void a_pool_without_workers_is_told_from_one_whose_workers_take_something_else(void **state)
{
    (void)state;
    struct wire_gate gates[] = {
        {.kind = WIRE_GATE_NO_WORKER, .name = STR("email"), .max = -1, .clears_ms = TIME_NONE},
        {.kind = WIRE_GATE_NO_WORKER,
         .name = STR("email"),
         .target = "exec targets",
         .max = -1,
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
        struct wire_gate gate = {.kind = kinds[i], .name = STR("n"), .max = -1, .clears_ms = TIME_NONE};
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct str detail, clears;

        assert_int_equal(jr_parse(str_from(why_text(&gate, 1)), NULL, &doc, NULL), ERR_OK);
        struct jr shown = jr_at(jr_get(jr_root(&doc), "gates"), 0);
        assert_int_equal(jr_str(shown, "detail", &detail, NULL), ERR_OK);
        assert_int_equal(jr_str(shown, "clears", &clears, NULL), ERR_OK);
        assert_true(detail.len > 0 && clears.len > 0 && str_find_char(detail, '%') == detail.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_is_the_one_of_the_contract),
        cmocka_unit_test(what_holds_it_and_until_when_is_named),
        cmocka_unit_test(a_pool_without_workers_is_told_from_one_whose_workers_take_something_else),
        cmocka_unit_test(every_gate_says_something),
    };
    WIRE_MAIN(tests);
}
