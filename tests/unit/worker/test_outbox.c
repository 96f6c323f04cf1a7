#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/mem.h"
#include "worker/outbox.h"

static void add(struct outbox *outbox, int count, size_t result_bytes)
{
    SCOPE_FREE char *result = mem_zalloc(result_bytes + 1);

    memset(result, 'x', result_bytes);
    for (int i = 0; i < count; i++) {
        struct outcome outcome = outcome_succeeded();

        outcome.result = str_from(result);
        outbox_add(outbox, report_new(STR("att_1_1"), &outcome));
    }
}

static void a_report_stays_until_its_exchange_is_answered(void **state)
{
    struct report *chosen[REQUEST_REPORTS_MAX];
    struct outbox outbox;

    (void)state;
    outbox_init(&outbox);
    add(&outbox, 2, 10);
    assert_int_equal(outbox_choose(&outbox, 1, chosen), 2);
    add(&outbox, 1, 10);
    assert_true(outbox_has_waiting(&outbox));
    assert_int_equal(outbox_choose(&outbox, 2, chosen), 1); /* the others are under way */
    assert_false(outbox_has_waiting(&outbox));
    outbox_returned(&outbox, 1, false);
    assert_int_equal(outbox_choose(&outbox, 3, chosen), 2);
    outbox_delivered(&outbox, 1); /* too late: they are with another now */
    assert_int_equal(outbox.count, 3);
    outbox_delivered(&outbox, 2);
    assert_int_equal(outbox.count, 2);
    outbox_delivered(&outbox, 3);
    assert_int_equal(outbox.count, 0);
    assert_int_equal(outbox.bytes, 0);
    outbox_done(&outbox);
}

static void an_exchange_takes_what_fits(void **state)
{
    struct report *chosen[REQUEST_REPORTS_MAX];
    struct outbox outbox;
    size_t bytes = 0;

    (void)state;
    outbox_init(&outbox);
    add(&outbox, 20, OUTPUT_BYTES_MAX);
    size_t count = outbox_choose(&outbox, 1, chosen);

    for (size_t i = 0; i < count; i++) {
        bytes += report_json(chosen[i]).len;
    }
    assert_in_range(count, 2, 19);
    assert_true(bytes < REQUEST_BYTES_MAX / 2 + OUTPUT_BYTES_MAX);
    assert_true(outbox_has_waiting(&outbox));
    outbox_done(&outbox);
}

static void many_small_ones_go_in_portions(void **state)
{
    struct report *chosen[REQUEST_REPORTS_MAX];
    struct outbox outbox;

    (void)state;
    outbox_init(&outbox);
    add(&outbox, REQUEST_REPORTS_MAX + 1, 1);
    assert_int_equal(outbox_choose(&outbox, 1, chosen), REQUEST_REPORTS_MAX);
    assert_int_equal(outbox_choose(&outbox, 2, chosen), 1);
    outbox_done(&outbox);
}

static void results_with_many_values_go_in_portions(void **state)
{
    struct report *chosen[REQUEST_REPORTS_MAX];
    struct outcome outcome = outcome_succeeded();
    struct outbox outbox;
    struct buf json;

    (void)state;
    buf_init(&json, OUTPUT_BYTES_MAX);
    buf_append_text(&json, "[0");
    for (int i = 1; i < RESULT_NODES_MAX - 1; i++) {
        buf_append_text(&json, ",0");
    }
    buf_append_text(&json, "]");
    outcome.result = buf_str(&json);
    outcome.is_json = true;
    outbox_init(&outbox);
    for (int i = 0; i < 10; i++) {
        outbox_add(&outbox, report_new(STR("att_1_1"), &outcome));
    }
    assert_int_equal(outbox_choose(&outbox, 1, chosen), REQUEST_NODES_MAX / RESULT_NODES_MAX - 1);
    outbox_done(&outbox);
    buf_done(&json);
}

static void one_that_was_refused_goes_again_without_its_result(void **state)
{
    struct report *chosen[REQUEST_REPORTS_MAX];
    struct outbox outbox;

    (void)state;
    outbox_init(&outbox);
    add(&outbox, 1, 10);
    assert_int_equal(outbox_choose(&outbox, 1, chosen), 1);
    outbox_returned(&outbox, 1, true);
    assert_int_equal(outbox_choose(&outbox, 2, chosen), 1);
    assert_true(str_is(report_json(chosen[0]), "{\"attempt\":\"att_1_1\",\"status\":\"succeeded\"}"));
    outbox_done(&outbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_stays_until_its_exchange_is_answered),
        cmocka_unit_test(an_exchange_takes_what_fits),
        cmocka_unit_test(many_small_ones_go_in_portions),
        cmocka_unit_test(results_with_many_values_go_in_portions),
        cmocka_unit_test(one_that_was_refused_goes_again_without_its_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
