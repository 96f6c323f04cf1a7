#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/job_body.h"

static void assert_body(const struct job_body *body, const char *wanted)
{
    SCOPE(buf_done) struct buf out;
    struct error error;

    buf_init(&out, JOB_BODY_BYTES_MAX);
    assert_int_equal(job_body_write(body, &out, &error), ERR_OK);
    assert_string_equal(buf_text(&out), wanted);
}

static void assert_refused(const struct job_options *options, const char *option)
{
    const struct job_body body = {.options = options};
    SCOPE(buf_done) struct buf out;
    struct error error;

    buf_init(&out, JOB_BODY_BYTES_MAX);
    assert_int_not_equal(job_body_write(&body, &out, &error), ERR_OK);
    assert_string_equal(error.field, option);
}

static void nothing_given_is_nothing_written(void **state)
{
    (void)state;
    const struct job_options options = {0};
    const struct job_body body = {.options = &options};

    assert_body(&body, "{}");
}

static void values_become_text_or_numbers(void **state)
{
    (void)state;
    const struct job_options options = {.priority = STR("1"), .timeout = STR("1h30m"), .cron = STR("0 9 * * *")};
    const struct job_body body = {
        .options = &options, .tenant = STR("acme"), .name = STR("x"), .payload = STR("{\"n\":0.10}")};

    assert_body(&body,
                "{\"tenant\":\"acme\",\"name\":\"x\",\"payload\":{\"n\":0.10},\"priority\":1,\"cron\":\"0 9 * * *\","
                "\"timeout\":\"1h30m\"}");
}

static void a_command_is_a_list_of_words(void **state)
{
    (void)state;
    const struct job_options options = {.env = {.items = {STR("A=b=c")}, .count = 1}};
    char one[] = "/bin/echo", two[] = "a \"b\"";
    char *argv[] = {one, two};
    const struct job_body body = {.options = &options, .argv = argv, .argc = 2};

    assert_body(&body, "{\"target\":{\"exec\":{\"argv\":[\"/bin/echo\",\"a \\\"b\\\"\"],\"env\":{\"A\":\"b=c\"}}}}");
}

static void mistakes_name_their_option(void **state)
{
    (void)state;
    assert_refused(&(struct job_options){.in = STR("5")}, "in");
    assert_refused(&(struct job_options){.every = STR("soon")}, "every");
    assert_refused(&(struct job_options){.after_finish = true}, "after-finish");
    assert_refused(&(struct job_options){.at = STR("2026-04-08")}, "at");
    assert_refused(&(struct job_options){.max_fires = STR("-1")}, "max-fires");
    assert_refused(&(struct job_options){.retry_delays = STR("1s,,2s")}, "retry-delays");
    assert_refused(&(struct job_options){.retry_delays = STR("1s"), .retry_max = STR("1m")}, "retry-delays");
    assert_refused(&(struct job_options){.retry_factor = STR("nan")}, "retry-factor");
    assert_refused(&(struct job_options){.retry_jitter = STR("")}, "retry-jitter");
    assert_refused(&(struct job_options){.method = STR("GET")}, "method");
    assert_refused(&(struct job_options){.cwd = STR("/")}, "cwd");
    assert_refused(&(struct job_options){.label = {.items = {STR("=x")}, .count = 1}}, "label");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_is_nothing_written),
        cmocka_unit_test(values_become_text_or_numbers),
        cmocka_unit_test(a_command_is_a_list_of_words),
        cmocka_unit_test(mistakes_name_their_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
