/* The small bodies. */
#include "wire_test.h"

#include "wire/mark.h"
#include "wire/requests.h"

static struct str json(const char *text)
{
    return str_from(quoted(text));
}

static void assert_error(enum err err, enum err expected, const struct error *error, const char *field)
{
    if (err != expected || strcmp(error->field, field) != 0) {
        fail_msg("expected %s in \"%s\", got %s in \"%s\": %s", err_code(expected), field, err_code(err), error->field,
                 error->text);
    }
}

static void statuses_are_those_a_client_may_ask_for(void **state)
{
    (void)state;
    const struct {
        const char *body;
        enum job_status status;
    } good[] = {{"{'status':'active'}", JOB_ACTIVE},
                {"{'status':'paused'}", JOB_PAUSED},
                {"{'status':'cancelled'}", JOB_CANCELLED}};
    const struct {
        const char *body;
        enum err err;
        const char *field;
    } bad[] = {{"{'status':'completed'}", ERR_INVALID, "status"},
               {"{'status':'on'}", ERR_INVALID, "status"},
               {"{'status':1}", ERR_INVALID, "status"},
               {"{}", ERR_INVALID, "status"},
               {"{'status':'active','x':1}", ERR_UNKNOWN_FIELD, "x"},
               {"[]", ERR_INVALID, ""},
               {"", ERR_INVALID_JSON, ""}};
    enum job_status status = JOB_COMPLETED;
    struct error error;

    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_int_equal(wire_read_status(json(good[i].body), &status, NULL), ERR_OK);
        assert_int_equal(status, good[i].status);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_error(wire_read_status(json(bad[i].body), &status, &error), bad[i].err, &error, bad[i].field);
        assert_int_equal(status, JOB_CANCELLED);
    }
}

static void a_ramp_may_be_left_out(void **state)
{
    (void)state;
    struct error error;
    int64_t ms = 42;

    assert_int_equal(wire_read_ramp(json("{'ramp':'5m'}"), &ms, NULL), ERR_OK);
    assert_int_equal(ms, 300000);
    assert_int_equal(wire_read_ramp(json("{}"), &ms, NULL), ERR_OK);
    assert_int_equal(ms, 0);
    ms = 42;
    assert_int_equal(wire_read_ramp(STR(" \r\n"), &ms, NULL), ERR_OK);
    assert_int_equal(ms, 0);
    assert_error(wire_read_ramp(json("{'ramp':300}"), &ms, &error), ERR_INVALID, &error, "ramp");
    assert_error(wire_read_ramp(json("{'ramp':'5x'}"), &ms, &error), ERR_INVALID_TIME, &error, "ramp");
    assert_error(wire_read_ramp(json("{'rmap':'5m'}"), &ms, &error), ERR_UNKNOWN_FIELD, &error, "rmap");
}

static void a_range_goes_forwards(void **state)
{
    (void)state;
    struct error error;
    int64_t from_ms = 42, to_ms = 43;

    assert_int_equal(wire_read_range(json("{'from':'2026-04-08T00:00:00Z','to':'2026-04-08T11:00:00+02:00'}"), &from_ms,
                                     &to_ms, NULL),
                     ERR_OK);
    assert_int_equal(from_ms, utc_ms("2026-04-08T00:00:00Z"));
    assert_int_equal(to_ms, utc_ms("2026-04-08T09:00:00Z"));
    from_ms = 42;
    assert_error(
        wire_read_range(json("{'from':'2026-04-08T00:00:00Z','to':'2026-04-08T00:00:00Z'}"), &from_ms, &to_ms, &error),
        ERR_UNPROCESSABLE, &error, "to");
    assert_error(wire_read_range(json("{'from':'2026-04-08T00:00:00Z'}"), &from_ms, &to_ms, &error), ERR_INVALID,
                 &error, "to");
    assert_error(wire_read_range(json("{'from':'yesterday','to':'2026-04-08T00:00:00Z'}"), &from_ms, &to_ms, &error),
                 ERR_INVALID_TIME, &error, "from");
    assert_int_equal(from_ms, 42);
}

static void a_run_takes_a_payload_and_a_key(void **state)
{
    (void)state;
    struct error error;
    struct wire_run run = {.key = STR("old")};

    assert_int_equal(wire_read_run(json("{'payload':{'day': 7.0},'key':'rerun'}"), &test_arena, &run, NULL), ERR_OK);
    assert_text(run.payload, "{\"day\": 7.0}");
    assert_text(run.key, "rerun");
    assert_int_equal(wire_read_run(json("{'payload':null}"), &test_arena, &run, NULL), ERR_OK);
    assert_text(run.payload, "null");
    assert_text(run.key, "");
    assert_int_equal(wire_read_run(STR(""), &test_arena, &run, NULL), ERR_OK);
    assert_text(run.payload, "");
    assert_error(wire_read_run(json("{'key':''}"), &test_arena, &run, &error), ERR_INVALID, &error, "key");
    const char *large = arena_printf(&test_arena, "{'payload':'%s'}", letters(PAYLOAD_BYTES_MAX - 1, 'p'));
    assert_error(wire_read_run(json(large), &test_arena, &run, &error), ERR_TOO_LARGE, &error, "payload");
}

static void dead_letters_are_named(void **state)
{
    (void)state;
    struct wire_filters filters;

    assert_int_equal(
        wire_read_filters(json("{'triggers':['trg_06c4q0wm8g001','trg_06c4q0wm8g002']}"), &test_arena, &filters, NULL),
        ERR_OK);
    assert_int_equal(filters.trigger_count, 2);
    assert_true(filters.triggers[0] == TRIGGER && filters.triggers[1] == OTHER);
    assert_int_equal(filters.rate_count, SETTING_NONE);
    assert_int_equal(filters.since_ms, TIME_NONE);
}

static void dead_letters_are_chosen_by_a_filter(void **state)
{
    (void)state;
    struct wire_filters filters;

    assert_int_equal(wire_read_filters(json("{'tenant':'acme','type':'mail','error_code':'smtp_421',"
                                            "'since':'2026-04-08T00:00:00Z','rate':'50/s'}"),
                                       &test_arena, &filters, NULL),
                     ERR_OK);
    assert_text(filters.tenant, "acme");
    assert_text(filters.type, "mail");
    assert_text(filters.error_code, "smtp_421");
    assert_int_equal(filters.since_ms, utc_ms("2026-04-08T00:00:00Z"));
    assert_int_equal(filters.rate_count, 50);
    assert_int_equal(filters.rate_period_ms, 1000);
    assert_int_equal(filters.trigger_count, 0);
    assert_true(filters.after == 0);
}

static void a_filter_goes_on_behind_a_mark(void **state)
{
    (void)state;
    char mark[WIRE_MARK_BYTES];
    const char *after = wire_mark_id(TRIGGER, mark);
    struct wire_filters filters;
    struct error error;

    assert_int_equal(wire_read_filters(json(arena_printf(&test_arena, "{'type':'mail','after':'%s'}", after)),
                                       &test_arena, &filters, NULL),
                     ERR_OK);
    assert_true(filters.after == TRIGGER);
    assert_error(
        wire_read_filters(json(arena_printf(&test_arena, "{'after':'%s'}", after)), &test_arena, &filters, &error),
        ERR_INVALID, &error, "");
    assert_error(
        wire_read_filters(json(arena_printf(&test_arena, "{'triggers':['trg_06c4q0wm8g001'],'after':'%s'}", after)),
                          &test_arena, &filters, &error),
        ERR_INVALID, &error, "");
}

static void a_choice_of_dead_letters_must_be_one(void **state)
{
    (void)state;
    const struct {
        const char *body;
        enum err err;
        const char *field;
    } rows[] = {
        {"{}", ERR_INVALID, ""},
        {"{'rate':'50/s'}", ERR_INVALID, ""},
        {"{'triggers':['trg_06c4q0wm8g001'],'tenant':'acme'}", ERR_INVALID, ""},
        {"{'triggers':[]}", ERR_INVALID, "triggers"},
        {"{'triggers':['trg_06c4q0wm8g001','x']}", ERR_INVALID, "triggers[1]"},
        {"{'triggers':[1]}", ERR_INVALID, "triggers[0]"},
        {"{'tenant':'job_x'}", ERR_INVALID, "tenant"},
        {"{'type':'not a name'}", ERR_INVALID, "type"},
        {"{'error_code':''}", ERR_INVALID, "error_code"},
        {"{'since':'x'}", ERR_INVALID_TIME, "since"},
        {"{'tenant':'acme','rate':'fast'}", ERR_INVALID, "rate"},
        {"{'tenant':'acme','after':'x'}", ERR_INVALID, "after"},
        {"{'tenant':'acme','after':1}", ERR_INVALID, "after"},
        {"{'group':1}", ERR_INVALID, "group"},
        {"{'tenants':'acme'}", ERR_UNKNOWN_FIELD, "tenants"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire_filters filters = {.trigger_count = 42};
        struct error error;

        assert_error(wire_read_filters(json(rows[i].body), &test_arena, &filters, &error), rows[i].err, &error,
                     rows[i].field);
        assert_int_equal(filters.trigger_count, 42);
    }
}

static void so_many_dead_letters_may_be_named_at_once(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf body;
    struct wire_filters filters;

    buf_init(&body, JSON_BYTES_MAX);
    buf_append_text(&body, "{\"triggers\":[\"trg_06c4q0wm8g001\"");
    for (int i = 1; i < WIRE_DEAD_TRIGGERS_MAX; i++) {
        buf_append_text(&body, ",\"trg_06c4q0wm8g001\"");
    }
    buf_append_text(&body, "]}");
    assert_int_equal(wire_read_filters(buf_str(&body), &test_arena, &filters, NULL), ERR_OK);
    assert_int_equal(filters.trigger_count, WIRE_DEAD_TRIGGERS_MAX);
    buf_truncate(&body, body.len - 2);
    buf_append_text(&body, ",\"trg_06c4q0wm8g001\"]}");
    assert_int_equal(wire_read_filters(buf_str(&body), &test_arena, &filters, NULL), ERR_INVALID);
}

static void previews_are_read(void **state)
{
    (void)state;
    struct wire_preview_request request;
    struct error error;

    assert_int_equal(wire_read_preview(json("{'cron':'0 9 * * *'}"), &test_arena, &request, NULL), ERR_OK);
    assert_text(request.cron, "0 9 * * *");
    assert_text(request.timezone, "");
    assert_int_equal(request.from_ms, TIME_NONE);
    assert_int_equal(request.count, 10);
    assert_text(request.seed, "");
    assert_int_equal(wire_read_preview(json("{'cron':'H 9 * * *','timezone':'Europe/Paris','dst':{'gap':'skip',"
                                            "'fold':'both'},'from':'2026-04-08T00:00:00Z','count':5,'seed':'a'}"),
                                       &test_arena, &request, NULL),
                     ERR_OK);
    assert_text(request.timezone, "Europe/Paris");
    assert_int_equal(request.dst.gap, DST_GAP_SKIP);
    assert_int_equal(request.dst.fold, DST_FOLD_BOTH);
    assert_int_equal(request.count, 5);
    assert_text(request.seed, "a");
    assert_error(wire_read_preview(json("{}"), &test_arena, &request, &error), ERR_INVALID, &error, "cron");
    assert_error(wire_read_preview(json("{'cron':'x','count':1001}"), &test_arena, &request, &error), ERR_INVALID,
                 &error, "count");
    assert_error(wire_read_preview(json("{'cron':'x','dst':{'gap':'x'}}"), &test_arena, &request, &error), ERR_INVALID,
                 &error, "dst.gap");
}

static void settings_are_read_for_their_scope(void **state)
{
    (void)state;
    struct settings settings;
    struct error error;

    assert_int_equal(wire_read_settings(SCOPE_POOL, json("{'max_in_flight':64}"), &settings, NULL), ERR_OK);
    assert_int_equal(settings.max_in_flight, 64);
    assert_error(wire_read_settings(SCOPE_POOL, json("{'weight':2}"), &settings, &error), ERR_INVALID, &error,
                 "weight");
    assert_error(wire_read_settings(SCOPE_POOL, json("[]"), &settings, &error), ERR_INVALID, &error, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_those_a_client_may_ask_for),
        cmocka_unit_test(a_ramp_may_be_left_out),
        cmocka_unit_test(a_range_goes_forwards),
        cmocka_unit_test(a_run_takes_a_payload_and_a_key),
        cmocka_unit_test(dead_letters_are_named),
        cmocka_unit_test(dead_letters_are_chosen_by_a_filter),
        cmocka_unit_test(a_filter_goes_on_behind_a_mark),
        cmocka_unit_test(a_choice_of_dead_letters_must_be_one),
        cmocka_unit_test(so_many_dead_letters_may_be_named_at_once),
        cmocka_unit_test(previews_are_read),
        cmocka_unit_test(settings_are_read_for_their_scope),
    };
    WIRE_MAIN(tests);
}
