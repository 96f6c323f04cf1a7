#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/job_patch.h"

static void assert_merged(const char *current, const char *wanted, const char *patch)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 65536);
    job_patch_merge(str_from(current), str_from(wanted), &out);
    assert_string_equal(buf_text(&out), patch);
}

static void nested_policies_keep_what_is_not_mentioned(void **state)
{
    (void)state;
    const char *job = "{\"retry\":{\"max_attempts\":5,\"delays\":[\"1s\"],\"jitter\":0.20},\"dst\":{\"gap\":\"after\","
                      "\"fold\":\"first\"},\"target\":{\"http\":{\"url\":\"x\"}}}";

    assert_merged(job, "{\"retry\":{\"max_attempts\":3}}",
                  "{\"retry\":{\"max_attempts\":3,\"delays\":[\"1s\"],\"jitter\":0.20}}");
    assert_merged(job, "{\"retry\":{\"base\":\"2s\"}}",
                  "{\"retry\":{\"max_attempts\":5,\"jitter\":0.20,\"base\":\"2s\"}}");
    assert_merged(job, "{\"retry\":null}", "{\"retry\":null}");
    assert_merged(job, "{\"dst\":{\"fold\":\"both\"}}", "{\"dst\":{\"gap\":\"after\",\"fold\":\"both\"}}");
    assert_merged(job, "{\"concurrency\":{\"key\":\"k\"}}", "{\"concurrency\":{\"key\":\"k\"}}");
    assert_merged(job, "{\"target\":{\"exec\":{}}}", "{\"target\":{\"exec\":{}}}");
}

static void a_formula_gives_way_to_delays(void **state)
{
    (void)state;
    assert_merged("{\"retry\":{\"max_attempts\":5,\"base\":\"1s\",\"factor\":2,\"max\":\"1h\"}}",
                  "{\"retry\":{\"delays\":[\"9s\"]}}", "{\"retry\":{\"max_attempts\":5,\"delays\":[\"9s\"]}}");
}

static void one_way_of_saying_when_replaces_another(void **state)
{
    (void)state;
    assert_merged("{\"cron\":\"* * * * *\",\"timezone\":\"UTC\"}", "{\"every\":\"5m\"}",
                  "{\"every\":\"5m\",\"cron\":null}");
    assert_merged("{\"every\":\"5m\"}", "{\"every\":\"6m\"}", "{\"every\":\"6m\"}");
    assert_merged("{\"cron\":\"* * * * *\"}", "{\"timeout\":\"6m\"}", "{\"timeout\":\"6m\"}");
}

static void an_editors_work_is_the_difference(void **state)
{
    (void)state;
    const char *before = "{\"cron\": \"0 9 * * *\", \"timeout\": \"5m\", \"payload\": {\"n\": 1.0}}";
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 65536);
    assert_true(job_patch_difference(str_from(before),
                                     STR("{\"cron\":\"0 9 * * *\",\"payload\":{\"n\": 1.00},\"pool\":\"x\"}"), &out));
    assert_string_equal(buf_text(&out), "{\"payload\":{\"n\": 1.00},\"pool\":\"x\",\"timeout\":null}");
    buf_reset(&out);
    assert_false(job_patch_difference(str_from(before), str_from(before), &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_policies_keep_what_is_not_mentioned),
        cmocka_unit_test(a_formula_gives_way_to_delays),
        cmocka_unit_test(one_way_of_saying_when_replaces_another),
        cmocka_unit_test(an_editors_work_is_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
