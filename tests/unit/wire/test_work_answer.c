/* The answer to a worker, field by field. */
#include "wire_test.h"

#include "model/name.h"
#include "model/run_key.h"
#include "wire/work_answer.h"

static struct wire_item example_item(void)
{
    return (struct wire_item){
        .trigger = TRIGGER,
        .job = JOB,
        .number = 1,
        .failures = 0,
        .max_attempts = 5,
        .version = 3,
        .kind = TRIGGER_SCHEDULE,
        .scheduled_ms = utc_ms("2026-04-08T13:00:00Z"),
        .due_ms = utc_ms("2026-04-08T13:00:00Z"),
        .timeout_ms = 300000,
        .lease_ms = 30000,
        .place = {STR("email"), STR("acme"), STR("send_email"), 3},
        .name = STR("welcome"),
        .def = STR("{\"name\":\"welcome\",\"payload\":{\"to\":\"ada@example.org\"}}"),
    };
}

static const char *item_text(const struct wire_item *item)
{
    wire_work_item(test_open(), item);
    return test_close();
}

static const char *field(const char *json, const char *name)
{
    struct str value = {0};

    assert_true(jraw_member(str_from(json), str_from(name), &value));
    return arena_strdup_str(&test_arena, value);
}

/* Computed from the trigger and the attempt's number; it may never change. */
#define TRACE "00-cf1d77dccda9654ade87b758bf929f29-b38fa6a52ce71b1b-01"

#define EXAMPLE_ITEM                                                                                                   \
    "{'id':'att_06c4q0wm8g001_1','trigger':'trg_06c4q0wm8g001','job':'job_06c4q0wm8g000','tenant':'acme',"             \
    "'name':'welcome','type':'send_email','pool':'email','priority':3,'kind':'schedule','replay_of':null,'version':3," \
    "'scheduled_for':'2026-04-08T13:00:00.000Z','due_at':'2026-04-08T13:00:00.000Z','attempt':1,'failures':0,"         \
    "'max_attempts':5,'idempotency_key':'job:job_06c4q0wm8g000:scheduled_for:2026-04-08T13:00:00.000Z',"               \
    "'traceparent':'" TRACE "','payload':{'to':'ada@example.org'},'target':null,'timeout':'5m','lease':'30s'}"

static void an_item_has_every_field(void **state)
{
    (void)state;
    struct wire_item item = example_item();

    assert_json(item_text(&item), EXAMPLE_ITEM);
}

static void a_trace_that_was_given_is_gone_on_with(void **state)
{
    (void)state;
    struct wire_item item = example_item();
    struct trace shown;

    assert_true(trace_parse(STR("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"), &item.trace));
    struct str text = str_from(field(item_text(&item), "traceparent"));
    assert_true(trace_parse((struct str){text.ptr + 1, text.len - 2}, &shown));
    assert_true(shown.id[0] == item.trace.id[0] && shown.id[1] == item.trace.id[1] && !shown.is_sampled);
    assert_true(shown.span == trace_of_attempt(&item.trace, item.trigger, item.number).span);
}

static void numbers_and_times_are_its_own(void **state)
{
    (void)state;
    struct wire_item item = example_item();

    item.number = 4294967295U;
    item.failures = 17;
    item.max_attempts = 1000;
    item.version = 4294967295U;
    item.due_ms += 250;
    item.timeout_ms = 90061001;
    item.lease_ms = 1500;
    const char *text = item_text(&item);
    assert_string_equal(field(text, "id"), "\"att_06c4q0wm8g001_4294967295\"");
    assert_string_equal(field(text, "attempt"), "4294967295");
    assert_string_equal(field(text, "failures"), "17");
    assert_string_equal(field(text, "max_attempts"), "1000");
    assert_string_equal(field(text, "version"), "4294967295");
    assert_string_equal(field(text, "scheduled_for"), "\"2026-04-08T13:00:00.000Z\"");
    assert_string_equal(field(text, "due_at"), "\"2026-04-08T13:00:00.250Z\"");
    assert_string_equal(field(text, "timeout"), "\"1d1h1m1s1ms\"");
    assert_string_equal(field(text, "lease"), "\"1s500ms\"");
}

static void the_run_key_is_the_models_for_every_kind(void **state)
{
    (void)state;
    const enum trigger_kind kinds[] = {TRIGGER_SCHEDULE, TRIGGER_MANUAL, TRIGGER_BACKFILL, TRIGGER_REPLAY,
                                       TRIGGER_DEPENDENCY};

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct wire_item item = example_item();
        char key[RUN_KEY_BYTES];

        item.kind = kinds[i];
        item.replay_of = OTHER;
        const char *text = item_text(&item);
        (void)run_key_format(item.kind, item.job, item.scheduled_ms, item.trigger, key);
        assert_string_equal(field(text, "idempotency_key"), arena_printf(&test_arena, "\"%s\"", key));
        assert_string_equal(field(text, "kind"), arena_printf(&test_arena, "\"%s\"", trigger_kind_text(kinds[i])));
        assert_string_equal(field(text, "replay_of"), kinds[i] == TRIGGER_REPLAY ? "\"trg_06c4q0wm8g002\"" : "null");
    }
}

static void a_job_without_a_name_is_called_by_its_id(void **state)
{
    (void)state;
    struct wire_item item = example_item();

    item.name = STR("");
    assert_string_equal(field(item_text(&item), "name"), "\"job_06c4q0wm8g000\"");
}

static void payload_and_target_are_cut_out_byte_for_byte(void **state)
{
    (void)state;
    struct wire_item item = example_item();

    item.def = STR("{\"name\":\"target\",\"cron\":\"\\\"payload\\\":1\",\"payload\":{\"target\":[0.10, \"}\\\"\"]},"
                   "\"target\":{\"http\":{\"url\":\"https://a.example/\"}},\"labels\":{\"payload\":\"no\"}}");
    const char *text = item_text(&item);
    assert_string_equal(field(text, "payload"), "{\"target\":[0.10, \"}\\\"\"]}");
    assert_string_equal(field(text, "target"), "{\"http\":{\"url\":\"https://a.example/\"}}");
    item.payload = STR("[1, 2.50]");
    assert_string_equal(field(item_text(&item), "payload"), "[1, 2.50]");
}

static void what_a_definition_leaves_out_has_its_default(void **state)
{
    (void)state;
    const char *const defs[] = {"{}",
                                "{'labels':{'a':'b'}}",
                                "{'depends_on':['a']}",
                                "{'concurrency':{'key':'a'}}",
                                "{'created_by':'ada'}",
                                "{'traceparent':'00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'}",
                                "{'lease':'5s','name':'x'}"};

    for (size_t i = 0; i < COUNT_OF(defs); i++) {
        struct str payload, target;

        wire_cut_work(str_from(quoted(defs[i])), &payload, &target);
        assert_text(payload, "{}");
        assert_text(target, "");
        assert_int_equal(wire_target_kind(str_from(quoted(defs[i]))), TARGET_NONE);
    }
    struct wire_item item = example_item();
    item.def = STR("{}");
    assert_string_equal(field(item_text(&item), "payload"), "{}");
    assert_string_equal(field(item_text(&item), "target"), "null");
}

/* wire_cut_work relies on the order in which definitions are written. */
static void every_canonical_definition_is_cut_right(void **state)
{
    (void)state;
    const char *const more[] = {"", ",'labels':{'a':'b'}", ",'depends_on':['a'],'created_by':'x'",
                                ",'concurrency':{'key':'k','max':2},'retry':{'max_attempts':2},'dst':{'gap':'skip'}"};
    const char *const payloads[] = {"", ",'payload':[{'labels':1}]"};
    const char *const targets[] = {"", ",'target':{'http':{'url':'https://a.example/'}}",
                                   ",'target':{'exec':{'argv':['target']}}"};

    for (size_t i = 0; i < COUNT_OF(more) * COUNT_OF(payloads) * COUNT_OF(targets); i++) {
        const char *payload = payloads[i / COUNT_OF(more) % COUNT_OF(payloads)];
        size_t kind = i / COUNT_OF(more) / COUNT_OF(payloads);
        struct job_def def = def_of("{'name':'n'%s%s%s}", more[i % COUNT_OF(more)], payload, targets[kind]);
        struct str canonical_text = str_from(written(&def));
        struct str cut_payload, cut_target;

        wire_cut_work(canonical_text, &cut_payload, &cut_target);
        assert_text(cut_payload, payload[0] != '\0' ? "[{\"labels\":1}]" : "{}");
        assert_int_equal(cut_target.len > 0, kind > 0);
        assert_int_equal(wire_target_kind(canonical_text), kind == 0   ? TARGET_NONE
                                                           : kind == 1 ? TARGET_HTTP
                                                                       : TARGET_EXEC);
    }
}

static void the_longest_names_fit(void **state)
{
    (void)state;
    struct wire_item item = example_item();
    struct str longest = str_from(letters(NAME_BYTES_MAX, 'n'));

    item.name = longest;
    item.place = (struct place){longest, longest, longest, 5};
    item.kind = TRIGGER_BACKFILL;
    item.trigger = item.job = (uint64_t)INT64_MAX;
    item.number = item.failures = item.max_attempts = item.version = UINT32_MAX;
    item.timeout_ms = item.lease_ms = DURATION_MAX_MS - 1;
    SCOPE(jr_done) struct jr_doc doc = {0};
    assert_int_equal(jr_parse(str_from(item_text(&item)), NULL, &doc, NULL), ERR_OK);
    assert_int_equal(jr_count(jr_root(&doc)), 22);
}

static void the_answer_has_all_its_parts(void **state)
{
    (void)state;
    struct wire_item items[2] = {example_item(), example_item()};
    const struct wire_refusal refused[] = {{{OTHER, 2}, "stale"}};
    const struct wire_attempt_ref cancel[] = {{OTHER, 3}, {TRIGGER, 1}};
    struct wire_work_answer answer = {.items = items,
                                      .item_count = 1,
                                      .refused = refused,
                                      .refused_count = 1,
                                      .cancel = cancel,
                                      .cancel_count = 2,
                                      .is_draining = true};

    wire_work_answer(test_open(), &answer);
    assert_json(test_close(), "{'attempts':[" EXAMPLE_ITEM "],"
                              "'refused':[{'attempt':'att_06c4q0wm8g002_2','reason':'stale'}],"
                              "'cancel':['att_06c4q0wm8g002_3','att_06c4q0wm8g001_1'],'drain':true}");
    answer = (struct wire_work_answer){0};
    wire_work_answer(test_open(), &answer);
    assert_json(test_close(), "{'attempts':[],'refused':[],'cancel':[],'drain':false}");
}

static void items_of_one_answer_keep_their_own_lengths_of_time(void **state)
{
    (void)state;
    struct wire_item items[4] = {example_item(), example_item(), example_item(), example_item()};
    struct wire_work_answer answer = {.items = items, .item_count = COUNT_OF(items)};
    const char *const timeouts[] = {"5m", "5m", "1s", "5m"};
    const char *const leases[] = {"30s", "30s", "30s", "31s"};
    SCOPE(jr_done) struct jr_doc doc = {0};

    items[2].timeout_ms = 1000;
    items[3].lease_ms = 31000;
    wire_work_answer(test_open(), &answer);
    assert_int_equal(jr_parse(str_from(test_close()), NULL, &doc, NULL), ERR_OK);
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        struct jr item = jr_at(jr_get(jr_root(&doc), "attempts"), i);
        struct str timeout, lease;

        assert_int_equal(jr_str(item, "timeout", &timeout, NULL), ERR_OK);
        assert_int_equal(jr_str(item, "lease", &lease, NULL), ERR_OK);
        assert_text(timeout, timeouts[i]);
        assert_text(lease, leases[i]);
    }
}

static void an_answer_that_is_too_large_is_marked_not_cut(void **state)
{
    (void)state;
    struct wire_item item = example_item();
    SCOPE(buf_done) struct buf out;
    struct jw jw;

    for (size_t max = 0; max < 4000; max += 97) {
        buf_init(&out, max);
        jw_init(&jw, &out);
        wire_work_item(&jw, &item);
        jw_done(&jw);
        assert_true(buf_overflowed(&out) || max > 600);
        assert_true(buf_valid(&out));
        buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_has_every_field),
        cmocka_unit_test(a_trace_that_was_given_is_gone_on_with),
        cmocka_unit_test(numbers_and_times_are_its_own),
        cmocka_unit_test(the_run_key_is_the_models_for_every_kind),
        cmocka_unit_test(a_job_without_a_name_is_called_by_its_id),
        cmocka_unit_test(payload_and_target_are_cut_out_byte_for_byte),
        cmocka_unit_test(what_a_definition_leaves_out_has_its_default),
        cmocka_unit_test(every_canonical_definition_is_cut_right),
        cmocka_unit_test(the_longest_names_fit),
        cmocka_unit_test(the_answer_has_all_its_parts),
        cmocka_unit_test(items_of_one_answer_keep_their_own_lengths_of_time),
        cmocka_unit_test(an_answer_that_is_too_large_is_marked_not_cut),
    };
    WIRE_MAIN(tests);
}
