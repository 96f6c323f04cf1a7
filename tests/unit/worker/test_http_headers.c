#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "worker/http_headers.h"

static struct item item_with(const char *headers, char *json, size_t bytes)
{
    struct item item;
    struct str id;
    struct error error;

    (void)snprintf(
        json, bytes,
        "{\"id\":\"att_1_1\",\"trigger\":\"trg_1\",\"job\":\"job_1\",\"scheduled_for\":\"2026-04-08T09:00:00.000Z\","
        "\"idempotency_key\":\"key\",\"target\":{\"http\":{\"url\":\"http://x/\",\"headers\":%s}}}",
        headers);
    if (item_read(str_from(json), &item, &id, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return item;
}

static size_t count(const struct curl_slist *list, const char *line)
{
    size_t found = 0;

    for (; list != NULL; list = list->next) {
        found += strcasecmp(list->data, line) == 0;
    }
    return found;
}

static size_t count_beginning(const struct curl_slist *list, const char *beginning)
{
    size_t found = 0;

    for (; list != NULL; list = list->next) {
        found += strncasecmp(list->data, beginning, strlen(beginning)) == 0;
    }
    return found;
}

static void ours_are_there_and_the_targets_are_added(void **state)
{
    char json[1024];
    struct http_stamp stamp = {.now_s = 1775638800, .span = 7, .body = STR("{}")};
    struct item item = item_with("{\"X-Mine\":\"1\",\"Empty\":\"\"}", json, sizeof json);
    struct curl_slist *list = http_headers_new(&item, &stamp);

    (void)state;
    assert_int_equal(count(list, "Idempotency-Key: key"), 1);
    assert_int_equal(count(list, "Belfry-Job: job_1"), 1);
    assert_int_equal(count(list, "Belfry-Trigger: trg_1"), 1);
    assert_int_equal(count(list, "Belfry-Attempt: att_1_1"), 1);
    assert_int_equal(count(list, "Belfry-Scheduled-For: 2026-04-08T09:00:00.000Z"), 1);
    assert_int_equal(count(list, "webhook-id: trg_1"), 1);
    assert_int_equal(count(list, "webhook-timestamp: 1775638800"), 1);
    assert_int_equal(count(list, "Content-Type: application/json"), 1);
    assert_int_equal(count(list, "X-Mine: 1"), 1);
    assert_int_equal(count(list, "Empty;"), 1);
    assert_int_equal(count_beginning(list, "traceparent: 00-"), 1);
    assert_int_equal(count_beginning(list, "webhook-signature"), 0);
    curl_slist_free_all(list);
    item_done(&item);
}

static void reserved_ones_cannot_be_replaced(void **state)
{
    char json[1024];
    struct http_stamp stamp = {.now_s = 1, .body = STR("")};
    struct item item = item_with("{\"belfry-job\":\"x\",\"WEBHOOK-ID\":\"x\",\"Host\":\"x\",\"content-length\":\"9\","
                                 "\"Transfer-Encoding\":\"x\",\"idempotency-KEY\":\"x\",\"A\":\"x\\r\\nB: y\"}",
                                 json, sizeof json);
    struct curl_slist *list = http_headers_new(&item, &stamp);

    (void)state;
    assert_int_equal(count_beginning(list, "belfry-job"), 1);
    assert_int_equal(count_beginning(list, "webhook-id"), 1);
    assert_int_equal(count_beginning(list, "idempotency-key"), 1);
    assert_int_equal(count_beginning(list, "host"), 0);
    assert_int_equal(count_beginning(list, "content-length"), 0);
    assert_int_equal(count_beginning(list, "transfer-encoding"), 0);
    assert_int_equal(count_beginning(list, "A:"), 0);
    curl_slist_free_all(list);
    item_done(&item);
}

static void type_and_trace_may_be_the_targets(void **state)
{
    char json[1024];
    struct http_stamp stamp = {.now_s = 1, .body = STR("")};
    struct item item = item_with("{\"content-type\":\"text/plain\",\"Traceparent\":\"00-a-b-01\"}", json, sizeof json);
    struct curl_slist *list = http_headers_new(&item, &stamp);

    (void)state;
    assert_int_equal(count_beginning(list, "content-type"), 1);
    assert_int_equal(count(list, "content-type: text/plain"), 1);
    assert_int_equal(count_beginning(list, "traceparent"), 1);
    curl_slist_free_all(list);
    item_done(&item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ours_are_there_and_the_targets_are_added),
        cmocka_unit_test(reserved_ones_cannot_be_replaced),
        cmocka_unit_test(type_and_trace_may_be_the_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
