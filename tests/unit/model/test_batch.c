#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "model/batch.h"

static void a_new_batch_has_a_number_and_nothing_else(void **state)
{
    (void)state;
    SCOPE(batch_done) struct batch batch;

    batch_init(&batch, 7);
    assert_int_equal(batch.number, 7);
    assert_int_equal(batch.op_count, 0);
    assert_int_equal(batch.arena.used_bytes, 0);
    BATCH_EACH(&batch, chunk, i)
    {
        fail_msg("operation %zu of an empty batch", i);
    }
}

static void an_operation_begins_zeroed_with_its_kind(void **state)
{
    (void)state;
    SCOPE(batch_done) struct batch batch;
    struct op zero;

    batch_init(&batch, 1);
    struct op *op = batch_add(&batch, OP_TRIGGER_UPDATE);

    memset(&zero, 0, sizeof zero);
    assert_int_equal(op->kind, OP_TRIGGER_UPDATE);
    assert_memory_equal(&op->trigger, &zero.trigger, sizeof zero.trigger);
    assert_int_equal(batch.op_count, 1);
}

static void operations_come_in_order_and_stay_where_they_are(void **state)
{
    (void)state;
    enum { COUNT = 10 * BATCH_CHUNK_OPS + 3 };
    SCOPE(batch_done) struct batch batch;
    static struct op *ops[COUNT];
    size_t seen = 0;

    batch_init(&batch, 1);
    for (size_t k = 0; k < COUNT; k++) {
        ops[k] = batch_add(&batch, k % 2 == 0 ? OP_JOB_DELETE : OP_IDS_RESERVE);
        ops[k]->id = k;
    }
    BATCH_EACH(&batch, chunk, i)
    {
        assert_ptr_equal(&chunk->ops[i], ops[seen]);
        assert_int_equal(chunk->ops[i].id, seen);
        assert_int_equal(chunk->ops[i].kind, seen % 2 == 0 ? OP_JOB_DELETE : OP_IDS_RESERVE);
        seen++;
    }
    assert_int_equal(seen, COUNT);
    assert_int_equal(batch.op_count, COUNT);
}

static void texts_are_copied(void **state)
{
    (void)state;
    SCOPE(batch_done) struct batch batch;
    char text[] = "borrowed";

    batch_init(&batch, 1);
    struct str copy = batch_text(&batch, str_from(text));

    text[0] = 'x';
    assert_true(str_is(copy, "borrowed"));
    assert_true(batch.arena.used_bytes > 0);
}

static void an_empty_text_costs_nothing_and_is_not_null(void **state)
{
    (void)state;
    SCOPE(batch_done) struct batch batch;

    batch_init(&batch, 1);
    struct str copy = batch_text(&batch, (struct str){NULL, 0});

    assert_non_null(copy.ptr);
    assert_int_equal(copy.len, 0);
    assert_int_equal(batch.arena.used_bytes, 0);
}

static void a_batch_that_is_done_can_begin_again(void **state)
{
    (void)state;
    struct batch batch;

    batch_init(&batch, 1);
    batch_add(&batch, OP_JOB_DELETE)->id = 5;
    batch_done(&batch);
    batch_init(&batch, 2);
    assert_int_equal(batch.op_count, 0);
    assert_int_equal(batch_add(&batch, OP_JOB_DELETE)->id, 0);
    batch_done(&batch);
}

static void every_kind_has_its_word(void **state)
{
    (void)state;

#define X(name, member) assert_string_equal(op_kind_text(name), #name);
    OP_TABLE(X)
#undef X
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_batch_has_a_number_and_nothing_else),
        cmocka_unit_test(an_operation_begins_zeroed_with_its_kind),
        cmocka_unit_test(operations_come_in_order_and_stay_where_they_are),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(an_empty_text_costs_nothing_and_is_not_null),
        cmocka_unit_test(a_batch_that_is_done_can_begin_again),
        cmocka_unit_test(every_kind_has_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
