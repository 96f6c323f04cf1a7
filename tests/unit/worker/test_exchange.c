#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json_raw.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "worker/exchange.h"

/* The server's reader must take whatever is written. */
static void assert_readable(const struct buf *text)
{
    struct jscan_facts facts;
    struct jscan_limits limits = JSCAN_LIMITS_DEFAULT;

    assert_false(buf_overflowed(text));
    assert_int_equal(jscan_check(buf_str(text), &limits, &facts, NULL), ERR_OK);
}

static struct exchange_request request_with(struct report *const *reports, size_t count)
{
    static const struct str pools[] = {STR_INIT("email"), STR_INIT("default")};
    static const struct str holding[] = {STR_INIT("att_1_1")};

    return (struct exchange_request){.worker = STR("w-1"),
                                     .seq = 41,
                                     .name = STR("mailer"),
                                     .pools = pools,
                                     .pool_count = 2,
                                     .capacity = 16,
                                     .want = 8,
                                     .wait_ms = 20000,
                                     .is_exec_allowed = true,
                                     .holding = holding,
                                     .holding_count = 1,
                                     .reports = reports,
                                     .report_count = count};
}

static void a_request_says_everything_once(void **state)
{
    struct outcome succeeded = outcome_succeeded();
    struct outcome failed = outcome_of_status(503, 30000);
    struct outcome released = outcome_released();
    struct report *reports[3];
    struct exchange_request request = request_with(reports, 3);
    struct buf text;

    (void)state;
    succeeded.result = STR("{\"sent\":1}");
    succeeded.is_json = true;
    released.result = STR("ignored");
    reports[0] = report_new(STR("att_1_2"), &succeeded);
    reports[1] = report_new(STR("att_2_1"), &failed);
    reports[2] = report_new(STR("att_3_1"), &released);
    buf_init(&text, JSON_BYTES_MAX);
    exchange_write(&request, &text);
    assert_string_equal(
        buf_text(&text),
        "{\"worker\":\"w-1\",\"seq\":41,\"name\":\"mailer\",\"pools\":[\"email\",\"default\"],"
        "\"targets\":[\"http\",\"exec\"],\"capacity\":16,\"want\":8,\"wait\":\"20s\",\"holding\":[\"att_1_1\"],"
        "\"finished\":[{\"attempt\":\"att_1_2\",\"status\":\"succeeded\",\"result\":{\"sent\":1}},"
        "{\"attempt\":\"att_2_1\",\"status\":\"failed\",\"error\":{\"code\":\"http_503\","
        "\"message\":\"the endpoint answered 503\"},\"retryable\":true,\"retry_after\":\"30s\"},"
        "{\"attempt\":\"att_3_1\",\"status\":\"released\"}]}");
    assert_readable(&text);
    for (size_t i = 0; i < 3; i++) {
        report_free(reports[i]);
    }
    buf_done(&text);
}

static void any_bytes_in_a_result_stay_readable(void **state)
{
    struct outcome outcome = outcome_of_exit(1);
    char bytes[1024];
    struct buf text;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i % 255 + 1); /* NUL is taken out before (tail.h) */
    }
    outcome.result = str_from_bytes(bytes, sizeof bytes);

    struct report *report = report_new(STR("att_1_1"), &outcome);
    struct exchange_request request = request_with(&report, 1);

    buf_init(&text, JSON_BYTES_MAX);
    exchange_write(&request, &text);
    assert_readable(&text);
    report->is_plain = true;
    assert_false(str_find_char(report_json(report), '\\') < report_json(report).len);
    report_free(report);
    buf_done(&text);
}

static void an_answer_is_walked_over(void **state)
{
    struct str text = STR(" {\"attempts\":[{\"id\":\"att_1_1\"},{\"id\":\"att_2_1\"}],\"new\":{},"
                          "\"refused\":[{\"attempt\":\"att_3_1\",\"reason\":\"stale\"},7,{\"attempt\":\"att_4_1\"}],"
                          "\"cancel\":[\"att_5_1\",null,\"att_6_1\"],\"drain\":true}\n");
    struct exchange_answer answer;
    struct str piece, reason;
    size_t offset = 0;

    (void)state;
    assert_int_equal(exchange_read(text, &answer, NULL), ERR_OK);
    assert_true(answer.is_draining);
    assert_true(jraw_next(answer.attempts, &offset, &piece) && str_is(piece, "{\"id\":\"att_1_1\"}"));
    assert_true(jraw_next(answer.attempts, &offset, &piece) && str_is(piece, "{\"id\":\"att_2_1\"}"));
    assert_false(jraw_next(answer.attempts, &offset, &piece));
    offset = 0;
    assert_true(exchange_next_refused(answer.refused, &offset, &piece, &reason));
    assert_true(str_is(piece, "att_3_1") && str_is(reason, "stale"));
    assert_true(exchange_next_refused(answer.refused, &offset, &piece, &reason));
    assert_true(str_is(piece, "att_4_1") && str_empty(reason));
    assert_false(exchange_next_refused(answer.refused, &offset, &piece, &reason));
    offset = 0;
    assert_true(exchange_next_id(answer.cancel, &offset, &piece) && str_is(piece, "att_5_1"));
    assert_true(exchange_next_id(answer.cancel, &offset, &piece) && str_is(piece, "att_6_1"));
    assert_false(exchange_next_id(answer.cancel, &offset, &piece));
}

static void what_is_not_there_is_empty(void **state)
{
    struct exchange_answer answer;
    struct str piece;
    size_t offset = 0;

    (void)state;
    assert_int_equal(exchange_read(STR("{\"cancel\":null}"), &answer, NULL), ERR_OK);
    assert_false(answer.is_draining);
    assert_false(jraw_next(answer.attempts, &offset, &piece));
    assert_false(exchange_next_id(answer.cancel, &offset, &piece));
}

static void what_is_no_answer_is_refused(void **state)
{
    static const char *const bad[] = {"", "null", "[]", "{", "{\"attempts\":{}}", "{\"cancel\":\"att_1_1\"}", "<html>"};
    struct exchange_answer answer;
    struct error error;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_not_equal(exchange_read(str_from(bad[i]), &answer, &error), ERR_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_says_everything_once), cmocka_unit_test(any_bytes_in_a_result_stay_readable),
        cmocka_unit_test(an_answer_is_walked_over),       cmocka_unit_test(what_is_not_there_is_empty),
        cmocka_unit_test(what_is_no_answer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
