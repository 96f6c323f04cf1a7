/* What a worker may not say: every refusal names its field. */
#include "wire_test.h"

#include "wire/work_read.h"

static void refuse_json(struct str json, enum err code, const char *field)
{
    struct wire_work work = {.seq = 42};
    struct error error = {0};
    enum err err = wire_read_work(json, &test_arena, &work, &error);

    if (err != code || strcmp(error.field, field) != 0 || error.text[0] == '\0') {
        fail_msg("%.*s: expected %s in \"%s\", got %s in \"%s\": %s", STR_ARGS(json), err_code(code), field,
                 err_code(err), error.field, error.text);
    }
    assert_int_equal(error.code, code);
    assert_int_equal(work.seq, 42);
    assert_int_equal(wire_read_work(json, &test_arena, &work, NULL), code);
}

static void refuse_work(const char *text, enum err code, const char *field)
{
    refuse_json(str_from(quoted(text)), code, field);
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    refuse_work("", ERR_INVALID_JSON, "");
    refuse_work("{'worker':'w'", ERR_INVALID_JSON, "");
    refuse_work("{'worker':'w'} x", ERR_INVALID_JSON, "");
    refuse_work("[]", ERR_INVALID, "");
    refuse_work("'w'", ERR_INVALID, "");
    refuse_work("null", ERR_INVALID, "");
}

static void a_worker_must_say_who_it_is(void **state)
{
    (void)state;
    refuse_work("{}", ERR_INVALID, "worker");
    refuse_work("{'worker':null}", ERR_INVALID, "worker");
    refuse_work("{'worker':''}", ERR_INVALID, "worker");
    refuse_work("{'worker':1}", ERR_INVALID, "worker");
    refuse_work("{'worker':'a b'}", ERR_INVALID, "worker");
    refuse_work("{'worker':'caf\xc3\xa9'}", ERR_INVALID, "worker");
    refuse_work("{'worker':'a\\tb'}", ERR_INVALID, "worker");
    refuse_work(arena_printf(&test_arena, "{'worker':'%s'}", letters(WIRE_WORKER_BYTES_MAX + 1, 'w')), ERR_INVALID,
                "worker");
}

static void fields_keep_to_their_kind_and_range(void **state)
{
    (void)state;
    const struct {
        const char *field;
        const char *value;
        enum err err;
        const char *named; /* NULL: field */
    } rows[] = {
        {"seq", "-1", ERR_INVALID, NULL},
        {"seq", "9007199254740992", ERR_INVALID, NULL},
        {"seq", "'41'", ERR_INVALID, NULL},
        {"name", "1", ERR_INVALID, NULL},
        {"pools", "'email'", ERR_INVALID, NULL},
        {"pools", "['email',1]", ERR_INVALID, "pools[1]"},
        {"pools", "['email','not a name']", ERR_INVALID, "pools[1]"},
        {"pools", "[null]", ERR_INVALID, "pools[0]"},
        {"targets", "{}", ERR_INVALID, NULL},
        {"targets", "['http',2]", ERR_INVALID, "targets[1]"},
        {"capacity", "100001", ERR_INVALID, NULL},
        {"capacity", "1.5", ERR_INVALID, NULL},
        {"want", "1001", ERR_INVALID, NULL},
        {"want", "-1", ERR_INVALID, NULL},
        {"want", "true", ERR_INVALID, NULL},
        {"wait", "20", ERR_INVALID, NULL},
        {"wait", "'soon'", ERR_INVALID_TIME, NULL},
        {"holding", "{}", ERR_INVALID, NULL},
        {"holding", "['att_06c4q0wm8g001_1','trg_06c4q0wm8g001']", ERR_INVALID, "holding[1]"},
        {"holding", "['att_06c4q0wm8g001_0']", ERR_INVALID, "holding[0]"},
        {"finished", "[1]", ERR_INVALID, "finished[0]"},
        {"progress", "[{}]", ERR_INVALID, "progress[0].attempt"},
        {"progress", "[{'attempt':'att_06c4q0wm8g001_1','percent':101}]", ERR_INVALID, "progress[0].percent"},
        {"progress", "[{'attempt':'att_06c4q0wm8g001_1','percent':1e999}]", ERR_INVALID_JSON, "progress[0].percent"},
        {"progress", "[{'attempt':'att_06c4q0wm8g001_1','note':{}}]", ERR_INVALID, "progress[0].note"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        refuse_work(arena_printf(&test_arena, "{'worker':'w','%s':%s}", rows[i].field, rows[i].value), rows[i].err,
                    rows[i].named != NULL ? rows[i].named : rows[i].field);
    }
}

static void reports_are_whole(void **state)
{
    (void)state;
    const struct {
        const char *report;
        enum err err;
        const char *field;
    } rows[] = {
        {"{'status':'succeeded'}", ERR_INVALID, "finished[1].attempt"},
        {"{'attempt':null,'status':'succeeded'}", ERR_INVALID, "finished[1].attempt"},
        {"{'attempt':'x','status':'succeeded'}", ERR_INVALID, "finished[1].attempt"},
        {"{'attempt':'att_06c4q0wm8g001_1'}", ERR_INVALID, "finished[1].status"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'started'}", ERR_INVALID, "finished[1].status"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'lost'}", ERR_INVALID, "finished[1].status"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','error':'x'}", ERR_INVALID, "finished[1].error"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','error':{}}", ERR_INVALID, "finished[1].error.code"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','error':{'code':''}}", ERR_INVALID,
         "finished[1].error.code"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','error':{'code':'c','message':1}}", ERR_INVALID,
         "finished[1].error.message"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','retryable':'no'}", ERR_INVALID, "finished[1].retryable"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','retry_after':30}", ERR_INVALID,
         "finished[1].retry_after"},
        {"{'attempt':'att_06c4q0wm8g001_1','status':'failed','output':[]}", ERR_INVALID, "finished[1].output"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        refuse_work(arena_printf(&test_arena,
                                 "{'worker':'w','finished':[{'attempt':'att_06c4q0wm8g002_1','status':'released'},%s]}",
                                 rows[i].report),
                    rows[i].err, rows[i].field);
    }
}

static void known_fields_stand_once(void **state)
{
    (void)state;
    refuse_work("{'worker':'w','worker':'w'}", ERR_INVALID_JSON, "worker");
    refuse_json(STR("{\"worker\":\"w\",\"w\\u006frker\":\"w\"}"), ERR_INVALID_JSON, "worker");
    refuse_work("{'worker':'w','seq':null,'seq':1}", ERR_INVALID_JSON, "seq");
    refuse_work("{'worker':'w','finished':[{'attempt':'att_06c4q0wm8g001_1','attempt':'att_06c4q0wm8g001_1'}]}",
                ERR_INVALID_JSON, "finished[0].attempt");
}

static const char *with_result(const char *begin, const char *end)
{
    return quoted(arena_printf(
        &test_arena,
        "{'worker':'w','finished':[{'attempt':'att_06c4q0wm8g001_1','status':'succeeded','result':'%s%s'}]}", begin,
        end));
}

static void results_have_a_largest_size(void **state)
{
    (void)state;
    const char *fits = letters(WIRE_RESULT_BYTES_MAX - 2, 'r');
    struct wire_work work;

    assert_int_equal(wire_read_work(str_from(with_result(fits, "")), &test_arena, &work, NULL), ERR_OK);
    assert_int_equal(work.finished[0].result.len, WIRE_RESULT_BYTES_MAX);
    refuse_work(with_result(fits, "r"), ERR_TOO_LARGE, "finished[0].result");
}

static void codes_have_a_largest_length(void **state)
{
    (void)state;
    refuse_work(arena_printf(&test_arena,
                             "{'worker':'w','finished':[{'attempt':'att_06c4q0wm8g001_1','status':'failed',"
                             "'error':{'code':'%s'}}]}",
                             letters(WIRE_ERROR_CODE_BYTES_MAX + 1, 'c')),
                ERR_INVALID, "finished[0].error.code");
}

/* count elements in the list of that name. */
static const char *long_list(const char *field, const char *element, size_t count)
{
    SCOPE(buf_done) struct buf body;

    buf_init(&body, WIRE_WORK_BYTES_MAX);
    buf_printf(&body, "{\"worker\":\"w\",\"%s\":[", field);
    for (size_t i = 0; i < count; i++) {
        buf_append_text(&body, i > 0 ? "," : "");
        buf_append_text(&body, element);
    }
    buf_append_text(&body, "]}");
    assert_false(buf_overflowed(&body));
    return arena_strdup(&test_arena, buf_text(&body));
}

static void lists_have_a_largest_length(void **state)
{
    (void)state;
    const struct {
        const char *field;
        const char *element;
        size_t max;
    } rows[] = {
        {"pools", "\"p\"", WIRE_POOLS_MAX},
        {"holding", "\"att_06c4q0wm8g001_1\"", WIRE_HOLDING_MAX},
        {"finished", "{\"attempt\":\"att_06c4q0wm8g001_1\",\"status\":\"released\"}", WIRE_FINISHED_MAX},
        {"progress", "{\"attempt\":\"att_06c4q0wm8g001_1\"}", WIRE_PROGRESS_MAX},
    };
    struct wire_work work;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str fits = str_from(long_list(rows[i].field, rows[i].element, rows[i].max));

        assert_int_equal(wire_read_work(fits, &test_arena, &work, NULL), ERR_OK);
        refuse_json(str_from(long_list(rows[i].field, rows[i].element, rows[i].max + 1)), ERR_TOO_LARGE, rows[i].field);
    }
}

/* The largest of everything stays within the arena that the header promises is enough: passing it would end the
 * process. */
static void the_largest_body_fits_into_its_arena(void **state)
{
    (void)state;
    SCOPE(arena_done) struct arena arena;
    SCOPE(buf_done) struct buf body;
    struct wire_work work;
    const char *escapes = "\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n";

    arena_init(&arena, 64 * 1024, WIRE_WORK_ARENA_BYTES_MAX);
    buf_init(&body, WIRE_WORK_BYTES_MAX);
    buf_append_text(&body, "{\"worker\":\"w\",\"holding\":[\"att_06c4q0wm8g001_1\"");
    for (int i = 1; i < WIRE_HOLDING_MAX; i++) {
        buf_append_text(&body, ",\"att_06c4q0wm8g001_1\"");
    }
    buf_append_text(&body, "],\"progress\":[{\"attempt\":\"att_06c4q0wm8g001_1\"}");
    for (int i = 1; i < WIRE_PROGRESS_MAX; i++) {
        buf_printf(&body, ",{\"attempt\":\"att_06c4q0wm8g001_1\",\"note\":\"%s\"}", escapes);
    }
    buf_append_text(&body, "],\"finished\":[{\"attempt\":\"att_06c4q0wm8g001_1\",\"status\":\"released\"}");
    for (int i = 1; i < WIRE_FINISHED_MAX; i++) {
        buf_printf(&body,
                   ",{\"attempt\":\"att_06c4q0wm8g001_1\",\"status\":\"succeeded\",\"result\":1,\"output\":\"%s%s\","
                   "\"error\":{\"code\":\"c\",\"message\":\"%s%s\"}}",
                   escapes, escapes, escapes, escapes);
    }
    buf_append_text(&body, "]}");
    assert_false(buf_overflowed(&body));
    assert_int_equal(wire_read_work(buf_str(&body), &arena, &work, NULL), ERR_OK);
    assert_int_equal(work.finished_count, WIRE_FINISHED_MAX);
    assert_true(arena.used_bytes < WIRE_WORK_ARENA_BYTES_MAX / 2);
}

static void bodies_that_are_too_large_or_too_deep_are_refused(void **state)
{
    (void)state;
    char *deep = arena_strdup(&test_arena, letters(2 * WIRE_WORK_DEPTH_MAX + 40, ']'));

    refuse_json(str_from(letters(WIRE_WORK_BYTES_MAX + 1, ' ')), ERR_TOO_LARGE, "");
    memcpy(deep, "{\"worker\":\"w\",\"x\":", 18);
    memset(deep + 18, '[', WIRE_WORK_DEPTH_MAX);
    refuse_json(str_from(deep), ERR_TOO_LARGE, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(a_worker_must_say_who_it_is),
        cmocka_unit_test(fields_keep_to_their_kind_and_range),
        cmocka_unit_test(reports_are_whole),
        cmocka_unit_test(known_fields_stand_once),
        cmocka_unit_test(results_have_a_largest_size),
        cmocka_unit_test(codes_have_a_largest_length),
        cmocka_unit_test(lists_have_a_largest_length),
        cmocka_unit_test(the_largest_body_fits_into_its_arena),
        cmocka_unit_test(bodies_that_are_too_large_or_too_deep_are_refused),
    };
    WIRE_MAIN(tests);
}
