/* Definitions out of bodies, alone and in batches. */
#include "wire_test.h"

#include "wire/def_read.h"

static void one_job_is_read(void **state)
{
    (void)state;
    struct job_def def = {.priority = 42};
    struct error error = {0};

    assert_int_equal(wire_read_job(str_from(quoted(" {'name':'a','priority':1} ")), &test_arena, &def, NULL), ERR_OK);
    assert_text(def.name, "a");
    assert_int_equal(def.priority, 1);
    assert_int_equal(wire_read_job(STR("[]"), &test_arena, &def, &error), ERR_INVALID);
    assert_string_equal(error.text, "a job must be an object, not an array");
    assert_int_equal(wire_read_job(STR("{"), &test_arena, &def, &error), ERR_INVALID_JSON);
    assert_int_equal(wire_read_job(str_from(quoted("{'prioritie':1}")), &test_arena, &def, &error), ERR_UNKNOWN_FIELD);
    assert_string_equal(error.field, "prioritie");
    assert_int_equal(wire_read_job(str_from(letters(WIRE_DEF_BYTES_MAX + 1, ' ')), &test_arena, &def, &error),
                     ERR_TOO_LARGE);
}

static void a_stored_definition_that_cannot_be_read_is_corrupt(void **state)
{
    (void)state;
    struct job_def def = {.priority = 42};
    struct error error = {0};

    assert_int_equal(wire_def_read(STR("{}"), &test_arena, &def, NULL), ERR_OK);
    def.priority = 42;
    assert_int_equal(wire_def_read(STR("{\"a\":1}"), &test_arena, &def, &error), ERR_CORRUPT);
    assert_int_equal(error.code, ERR_CORRUPT);
    assert_int_equal(def.priority, 42);
    assert_int_equal(wire_def_read(STR(""), &test_arena, &def, NULL), ERR_CORRUPT);
}

static enum err read_batch(const char *text, bool is_ndjson, struct wire_batch *ret_batch, int64_t *ret_index,
                           struct error *reterr)
{
    return wire_read_batch(str_from(quoted(text)), is_ndjson, &test_arena, ret_batch, ret_index, reterr);
}

static void batches_come_as_one_object_or_as_lines(void **state)
{
    (void)state;
    const char *const bodies[] = {"{'jobs':[{'name':'a'},{'name':'b'}]}", "\n{'name':'a'}\n  \r\n{'name':'b'}\r\n\n"};

    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct wire_batch batch = {0};
        int64_t index = 42;

        assert_int_equal(read_batch(bodies[i], i == 1, &batch, &index, NULL), ERR_OK);
        assert_int_equal(batch.count, 2);
        assert_text(batch.defs[0].name, "a");
        assert_text(batch.defs[1].name, "b");
        assert_true(batch.is_atomic);
        assert_int_equal(index, -1);
    }
}

static void a_batch_may_be_told_not_to_be_atomic(void **state)
{
    (void)state;
    struct wire_batch batch = {0};
    int64_t index;

    assert_int_equal(read_batch("{'atomic':false,'jobs':[{}]}", false, &batch, &index, NULL), ERR_OK);
    assert_false(batch.is_atomic);
}

static void errors_name_the_job_and_its_field(void **state)
{
    (void)state;
    const char *const bodies[] = {"{'jobs':[{},{},{'priority':9},{}]}", "{}\n\n{}\n{'priority':9}\n{}"};

    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct wire_batch batch = {.count = 42};
        struct error error = {0};
        int64_t index = 42;

        assert_int_equal(read_batch(bodies[i], i == 1, &batch, &index, &error), ERR_INVALID);
        assert_int_equal(index, 2);
        assert_string_equal(error.field, "priority");
        assert_int_equal(batch.count, 42);
    }
}

static void a_line_that_is_no_json_is_named(void **state)
{
    (void)state;
    struct wire_batch batch;
    int64_t index = 42;

    assert_int_equal(read_batch("{}\n{'a'\n", true, &batch, &index, NULL), ERR_INVALID_JSON);
    assert_int_equal(index, 1);
}

static void bodies_that_are_no_batch_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *body;
        enum err err;
        const char *field;
    } rows[] = {
        {"[]", ERR_INVALID, ""},
        {"{}", ERR_INVALID, "jobs"},
        {"{'jobs':[]}", ERR_INVALID, "jobs"},
        {"{'jobs':{}}", ERR_INVALID, "jobs"},
        {"{'jobs':[{}],'atomic':1}", ERR_INVALID, "atomic"},
        {"{'jobs':[{}],'more':1}", ERR_UNKNOWN_FIELD, "more"},
        {"{'jobs':[{}]", ERR_INVALID_JSON, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire_batch batch;
        struct error error = {0};
        int64_t index = 42;

        assert_int_equal(read_batch(rows[i].body, false, &batch, &index, &error), rows[i].err);
        assert_string_equal(error.field, rows[i].field);
        assert_int_equal(index, -1);
    }
    struct wire_batch batch;
    int64_t index = 42;
    assert_int_equal(read_batch(" \n \n", true, &batch, &index, NULL), ERR_INVALID);
    assert_int_equal(index, -1);
}

static void a_batch_has_a_largest_number_of_jobs(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf body;
    struct wire_batch batch;
    int64_t index = 42;

    buf_init(&body, WIRE_BATCH_BYTES_MAX);
    for (int i = 0; i < WIRE_BATCH_JOBS_MAX; i++) {
        buf_append_text(&body, "{}\n");
    }
    assert_int_equal(wire_read_batch(buf_str(&body), true, &test_arena, &batch, &index, NULL), ERR_OK);
    assert_int_equal(batch.count, WIRE_BATCH_JOBS_MAX);
    buf_append_text(&body, "{}\n");
    assert_int_equal(wire_read_batch(buf_str(&body), true, &test_arena, &batch, &index, NULL), ERR_TOO_LARGE);
    assert_int_equal(index, -1);
}

/* A body of 32 MiB could name eight million of them. */
static void the_jobs_of_a_batch_have_a_largest_number_of_upstreams(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf job;
    SCOPE(buf_done) struct buf body;
    struct wire_batch batch;
    struct error error = {0};
    int64_t index = 42;

    buf_init(&job, WIRE_BATCH_BYTES_MAX);
    buf_init(&body, WIRE_BATCH_BYTES_MAX);
    buf_append_text(&job, "{\"depends_on\":[\"u\"");
    for (int i = 1; i < DEPENDS_ON_MAX; i++) {
        buf_printf(&job, ",\"u%d\"", i);
    }
    buf_append_text(&job, "]}\n");
    for (int i = 0; i < WIRE_BATCH_UPSTREAMS_MAX / DEPENDS_ON_MAX; i++) {
        buf_append_str(&body, buf_str(&job));
    }
    assert_int_equal(wire_read_batch(buf_str(&body), true, &test_arena, &batch, &index, NULL), ERR_OK);
    buf_append_text(&body, "{\"depends_on\":[\"u\"]}\n");
    assert_int_equal(wire_read_batch(buf_str(&body), true, &test_arena, &batch, &index, &error), ERR_TOO_LARGE);
    assert_int_equal(index, WIRE_BATCH_UPSTREAMS_MAX / DEPENDS_ON_MAX);
    assert_string_equal(error.field, "depends_on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job_is_read),
        cmocka_unit_test(a_stored_definition_that_cannot_be_read_is_corrupt),
        cmocka_unit_test(batches_come_as_one_object_or_as_lines),
        cmocka_unit_test(a_batch_may_be_told_not_to_be_atomic),
        cmocka_unit_test(errors_name_the_job_and_its_field),
        cmocka_unit_test(a_line_that_is_no_json_is_named),
        cmocka_unit_test(bodies_that_are_no_batch_are_refused),
        cmocka_unit_test(a_batch_has_a_largest_number_of_jobs),
        cmocka_unit_test(the_jobs_of_a_batch_have_a_largest_number_of_upstreams),
    };
    WIRE_MAIN(tests);
}
