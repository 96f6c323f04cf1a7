#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "worker/item.h"

static void an_attempt_is_read_and_its_payload_kept_byte_for_byte(void **state)
{
    struct str json =
        STR("{\"id\":\"att_1_2\",\"trigger\":\"trg_1\",\"job\":\"job_1\",\"tenant\":\"acme\",\"name\":\"welcome\","
            "\"attempt\":2,\"failures\":1,\"max_attempts\":5,\"scheduled_for\":\"2026-04-08T09:00:00.000Z\","
            "\"idempotency_key\":\"k\",\"payload\":{\"n\": 0.10, \"id\":12345678901234567890},\"later\":[],"
            "\"target\":{\"exec\":{\"argv\":[\"true\"]}},\"timeout\":\"90s\",\"lease\":\"1500ms\"}");
    struct item item;
    struct str id;

    (void)state;
    assert_int_equal(item_read(json, &item, &id, NULL), ERR_OK);
    assert_true(str_is(item.id, "att_1_2") && str_is(item.name, "welcome") && str_is(item.tenant, "acme"));
    assert_true(str_is(item.payload, "{\"n\": 0.10, \"id\":12345678901234567890}"));
    assert_int_equal(item.number, 2);
    assert_int_equal(item.timeout_ms, 90000);
    assert_int_equal(item.lease_ms, 1500);
    assert_int_equal(item.kind, ITEM_EXEC);
    assert_int_equal(jr_count(jr_get(item.target, "argv")), 1);
    item_done(&item);
}

static void what_is_missing_has_its_default(void **state)
{
    struct item item;
    struct str id;

    (void)state;
    assert_int_equal(item_read(STR("{\"id\":\"att_1_1\",\"target\":null}"), &item, &id, NULL), ERR_OK);
    assert_int_equal(item.kind, ITEM_NO_TARGET);
    assert_int_equal(item.timeout_ms, 300000);
    assert_int_equal(item.lease_ms, 30000);
    assert_true(str_is(item.payload, "{}"));
    item_done(&item);
}

static void a_target_of_an_unknown_kind_is_none(void **state)
{
    struct item item;
    struct str id;

    (void)state;
    assert_int_equal(item_read(STR("{\"id\":\"att_1_1\",\"target\":{\"kafka\":{}}}"), &item, &id, NULL), ERR_OK);
    assert_int_equal(item.kind, ITEM_NO_TARGET);
    item_done(&item);
}

static void one_that_cannot_be_read_still_tells_its_id(void **state)
{
    struct item item;
    struct error error;
    struct str id = {0};

    (void)state;
    assert_int_not_equal(item_read(STR("{\"id\":\"att_1_1\",\"timeout\":\"soon\"}"), &item, &id, &error), ERR_OK);
    assert_true(str_is(id, "att_1_1"));
    assert_string_equal(error.field, "timeout");
    assert_int_not_equal(item_read(STR("{\"id\":7}"), &item, &id, &error), ERR_OK);
    assert_true(str_empty(id));
    assert_int_not_equal(item_read(STR("[]"), &item, &id, &error), ERR_OK);
    assert_true(str_empty(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attempt_is_read_and_its_payload_kept_byte_for_byte),
        cmocka_unit_test(what_is_missing_has_its_default),
        cmocka_unit_test(a_target_of_an_unknown_kind_is_none),
        cmocka_unit_test(one_that_cannot_be_read_still_tells_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
