/* What a worker says, read. */
#include "wire_test.h"

#include "wire/work_read.h"

static struct wire_work work_of_json(struct str json)
{
    struct wire_work work = {.seq = 42};
    struct error error = {0};

    if (wire_read_work(json, &test_arena, &work, &error) != ERR_OK) {
        fail_msg("%.*s: %s: %s", STR_ARGS(json), error.field, error.text);
    }
    return work;
}

static struct wire_work work_of(const char *text)
{
    return work_of_json(str_from(quoted(text)));
}

static void a_worker_alone_has_every_default(void **state)
{
    (void)state;
    struct wire_work work = work_of("{'worker':'w-1'}");

    assert_text(work.worker, "w-1");
    assert_int_equal(work.seq, -1);
    assert_text(work.name, "");
    assert_int_equal(work.pool_count, 1);
    assert_text(work.pools[0], "default");
    assert_int_equal(work.targets, WIRE_TARGETS_ANY);
    assert_int_equal(work.capacity, 1);
    assert_int_equal(work.want, 0);
    assert_int_equal(work.wait_ms, 0);
    assert_int_equal(work.holding_count + work.finished_count + work.progress_count, 0);
}

static void null_means_not_given(void **state)
{
    (void)state;
    struct wire_work work =
        work_of("{'worker':'w-1','seq':null,'name':null,'pools':null,'targets':null,'capacity':null,'want':null,"
                "'wait':null,'holding':null,'finished':null,'progress':null}");

    assert_int_equal(work.seq, -1);
    assert_text(work.pools[0], "default");
    assert_int_equal(work.targets, WIRE_TARGETS_ANY);
    assert_int_equal(work.capacity, 1);
}

static void the_example_of_the_contract_is_read(void **state)
{
    (void)state;
    struct wire_work work = work_of(
        "{'worker':'w-9f2c51d07a3be8446c1d20f5','seq':41,'name':'mailer-3','pools':['email','sms'],'capacity':16,"
        "'want':8,'wait':'20s','targets':['http','none'],'holding':['att_06c4q0wm8g003_1'],'finished':["
        "{'attempt':'att_06c4q0wm8g001_1','status':'succeeded','result':{'sent':1}},"
        "{'attempt':'att_06c4q0wm8g002_2','status':'failed','error':{'code':'smtp_421',"
        "'message':'try again later'},'retryable':true,'retry_after':'30s'},"
        "{'attempt':'att_06c4q0wm8g004_1','status':'released'}],"
        "'progress':[{'attempt':'att_06c4q0wm8g003_1','percent':40.5,'note':'page 4 of 10'}]}");

    assert_text(work.worker, "w-9f2c51d07a3be8446c1d20f5");
    assert_int_equal(work.seq, 41);
    assert_text(work.name, "mailer-3");
    assert_int_equal(work.pool_count, 2);
    assert_text(work.pools[0], "email");
    assert_text(work.pools[1], "sms");
    assert_int_equal(work.capacity, 16);
    assert_int_equal(work.want, 8);
    assert_int_equal(work.wait_ms, 20000);
    assert_int_equal(work.targets, WIRE_TARGET_BIT(TARGET_HTTP) | WIRE_TARGET_BIT(TARGET_NONE));
    assert_int_equal(work.holding_count, 1);
    assert_true(work.holding[0].trigger == JOB + 3 && work.holding[0].number == 1);
    assert_int_equal(work.finished_count, 3);
    assert_true(work.finished[0].attempt.trigger == TRIGGER && work.finished[0].attempt.number == 1);
    assert_int_equal(work.finished[0].state, ATTEMPT_SUCCEEDED);
    assert_text(work.finished[0].result, "{\"sent\":1}");
    assert_int_equal(work.finished[1].state, ATTEMPT_FAILED);
    assert_int_equal(work.finished[1].attempt.number, 2);
    assert_text(work.finished[1].error_code, "smtp_421");
    assert_text(work.finished[1].error_message, "try again later");
    assert_false(work.finished[1].is_permanent);
    assert_int_equal(work.finished[1].retry_after_ms, 30000);
    assert_int_equal(work.finished[2].state, ATTEMPT_RELEASED);
    assert_int_equal(work.progress_count, 1);
    assert_int_equal(work.progress[0].attempt.number, 1);
    assert_true(work.progress[0].percent == 40.5);
    assert_text(work.progress[0].note, "page 4 of 10");
}

static void unknown_fields_are_passed_over_everywhere(void **state)
{
    (void)state;
    struct wire_work work =
        work_of("{'x':[{'worker':'no'}],'worker':'w','y':{'a':[1,'}']},'finished':[{'z':null,"
                "'attempt':'att_06c4q0wm8g001_1','status':'failed','error':{'code':'c','more':{'code':'no'}}}],"
                "'progress':[{'attempt':'att_06c4q0wm8g001_1','eta':'5m'}],'zz':0}");

    assert_text(work.worker, "w");
    assert_text(work.finished[0].error_code, "c");
    assert_true(work.progress[0].percent < 0);
    assert_text(work.progress[0].note, "");
}

static void order_and_space_do_not_matter(void **state)
{
    (void)state;
    struct wire_work work = work_of(" {\n'finished' : [ { 'status':'succeeded' , 'attempt' : 'att_06c4q0wm8g001_1' } ]"
                                    " ,\t'worker'\r: 'w' } ");

    assert_text(work.worker, "w");
    assert_int_equal(work.finished_count, 1);
    assert_int_equal(work.finished[0].attempt.number, 1);
}

static void escapes_are_undone(void **state)
{
    (void)state;
    struct wire_work work = work_of_json(STR("{\"w\\u006frker\":\"\\u0077-1\",\"name\":\"caf\\u00e9 \\\"1\\\"\","
                                             "\"finished\":[{\"attempt\":\"att_06c4q0wm8g001_1\",\"status\":\"failed\","
                                             "\"error\":{\"code\":\"a\\/b\",\"message\":\"line\\nline\"}}]}"));

    assert_text(work.worker, "w-1");
    assert_text(work.name, "caf\xc3\xa9 \"1\"");
    assert_text(work.finished[0].error_code, "a/b");
    assert_text(work.finished[0].error_message, "line\nline");
}

static void results_and_outputs_are_packed(void **state)
{
    (void)state;
    struct wire_work work =
        work_of("{'worker':'w','finished':["
                "{'attempt':'att_06c4q0wm8g001_1','status':'succeeded','result':{'a':0.10},'output':'x\\ny'},"
                "{'attempt':'att_06c4q0wm8g001_1','status':'failed','output':'tail'},"
                "{'attempt':'att_06c4q0wm8g001_1','status':'succeeded','result':null},"
                "{'attempt':'att_06c4q0wm8g001_1','status':'released','result':1,'output':'x'}]}");

    assert_text(work.finished[0].result, "+10:{\"a\":0.10}x\ny");
    assert_text(work.finished[1].result, ">tail");
    assert_text(work.finished[2].result, "");
    assert_text(work.finished[3].result, ""); /* given back: it gave nothing */
}

static void only_failures_have_errors(void **state)
{
    (void)state;
    struct wire_work work =
        work_of("{'worker':'w','finished':["
                "{'attempt':'att_06c4q0wm8g001_1','status':'succeeded','error':{'code':'c'},'retryable':false,"
                "'retry_after':'5s'},"
                "{'attempt':'att_06c4q0wm8g001_1','retryable':false,'status':'failed'}]}");

    assert_text(work.finished[0].error_code, "");
    assert_false(work.finished[0].is_permanent);
    assert_int_equal(work.finished[0].retry_after_ms, 0);
    assert_true(work.finished[1].is_permanent);
    assert_text(work.finished[1].error_code, "");
}

static void no_pools_and_no_targets_are_a_choice(void **state)
{
    (void)state;
    struct wire_work work = work_of("{'worker':'w','pools':[],'targets':[]}");

    assert_int_equal(work.pool_count, 0);
    assert_int_equal(work.targets, 0);
}

static void targets_that_are_not_known_are_passed_over(void **state)
{
    (void)state;
    struct wire_work work = work_of("{'worker':'w','targets':['wasm','exec','exec']}");

    assert_int_equal(work.targets, WIRE_TARGET_BIT(TARGET_EXEC));
}

static void long_waits_are_shortened(void **state)
{
    (void)state;
    struct wire_work work = work_of("{'worker':'w','wait':'7d','finished':[{'attempt':'att_06c4q0wm8g001_1',"
                                    "'status':'failed','retry_after':'30d'}]}");

    assert_int_equal(work.wait_ms, WIRE_WAIT_MAX_MS);
    assert_int_equal(work.finished[0].retry_after_ms, WIRE_RETRY_AFTER_MAX_MS);
}

/* A text of é, so that a cut could go through one. */
static const char *accents(size_t count)
{
    char *text = arena_alloc(&test_arena, 2 * count + 1);

    for (size_t i = 0; i < count; i++) {
        memcpy(text + 2 * i, "\xc3\xa9", 2);
    }
    text[2 * count] = '\0';
    return text;
}

static void what_people_read_is_cut_between_characters(void **state)
{
    (void)state;
    const char *name = arena_printf(&test_arena, "a%s", accents(200));
    const char *message = arena_printf(&test_arena, "a%s", accents(3000));
    const char *output = arena_printf(&test_arena, "%sz", accents(40000));
    struct wire_work work =
        work_of(arena_printf(&test_arena,
                             "{'worker':'w','name':'%s','finished':[{'attempt':'att_06c4q0wm8g001_1','status':'failed',"
                             "'error':{'code':'c','message':'%s'},'output':'%s'}],"
                             "'progress':[{'attempt':'att_06c4q0wm8g001_1','note':'%s'}]}",
                             name, message, output, name));

    assert_int_equal(work.name.len, WIRE_WORKER_NAME_BYTES_MAX - 1);
    assert_true(str_utf8_valid(work.name, NULL));
    assert_int_equal(work.finished[0].error_message.len, WIRE_ERROR_MESSAGE_BYTES_MAX - 1);
    assert_true(str_utf8_valid(work.finished[0].error_message, NULL));
    assert_int_equal(work.finished[0].result.len, WIRE_OUTPUT_BYTES_MAX - 1 + 1); /* with its mark */
    assert_true(str_utf8_valid(work.finished[0].result, NULL));
    assert_true(str_ends_with(work.finished[0].result, STR("\xa9z"))); /* the end is what is kept */
    assert_int_equal(work.progress[0].note.len, WIRE_NOTE_BYTES_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_alone_has_every_default),
        cmocka_unit_test(null_means_not_given),
        cmocka_unit_test(the_example_of_the_contract_is_read),
        cmocka_unit_test(unknown_fields_are_passed_over_everywhere),
        cmocka_unit_test(order_and_space_do_not_matter),
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(results_and_outputs_are_packed),
        cmocka_unit_test(only_failures_have_errors),
        cmocka_unit_test(no_pools_and_no_targets_are_a_choice),
        cmocka_unit_test(targets_that_are_not_known_are_passed_over),
        cmocka_unit_test(long_waits_are_shortened),
        cmocka_unit_test(what_people_read_is_cut_between_characters),
    };
    WIRE_MAIN(tests);
}
