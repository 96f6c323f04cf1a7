#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "../seed.h"

static void a_document_is_written_without_blanks(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    struct jw jw;
    buf_init(&buf, 1000);
    jw_init(&jw, &buf);

    jw_begin_object(&jw);
    jw_key(&jw, "name");
    jw_text(&jw, "nightly");
    jw_key(&jw, "list");
    jw_begin_array(&jw);
    jw_int(&jw, INT64_MIN);
    jw_uint(&jw, UINT64_MAX);
    jw_bool(&jw, true);
    jw_bool(&jw, false);
    jw_null(&jw);
    jw_text(&jw, NULL);
    jw_begin_array(&jw);
    jw_end_array(&jw);
    jw_begin_object(&jw);
    jw_end_object(&jw);
    jw_end_array(&jw);
    jw_key_str(&jw, STR("payload"));
    jw_raw(&jw, STR("{\"n\": 0.10}"));
    jw_end_object(&jw);
    jw_done(&jw);
    assert_string_equal(buf_text(&buf),
                        "{\"name\":\"nightly\",\"list\":[-9223372036854775808,18446744073709551615,true,false,null,"
                        "null,[],{}],\"payload\":{\"n\": 0.10}}");
}

static void plain_values_may_stand_alone(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    struct jw jw;
    buf_init(&buf, 100);

    for (int i = 0; i < 3; i++) {
        jw_init(&jw, &buf);
        jw_int(&jw, i);
        jw_done(&jw);
        buf_append_char(&buf, '\n');
    }
    assert_string_equal(buf_text(&buf), "0\n1\n2\n");
}

static void strings_and_keys_are_escaped(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    struct jw jw;
    buf_init(&buf, 1000);
    jw_init(&jw, &buf);

    jw_begin_object(&jw);
    jw_key(&jw, "a\"\n");
    jw_str(&jw, STR("x\0\033\xff\xe2\x80\xa8\xc3\xbc\\y"));
    jw_end_object(&jw);
    assert_string_equal(buf_text(&buf), "{\"a\\\"\\n\":\"x\\u0000\\u001b\xef\xbf\xbd\\u2028\xc3\xbc\\\\y\"}");
}

static void check_double(double value, const char *text)
{
    SCOPE(buf_done) struct buf buf;
    struct jw jw;
    buf_init(&buf, 100);
    jw_init(&jw, &buf);
    jw_double(&jw, value);
    jw_done(&jw);
    assert_string_equal(buf_text(&buf), text);
    assert_true(strtod(buf_text(&buf), NULL) == value);
}

static void doubles_read_back_as_the_same(void **state)
{
    (void)state;
    check_double(0, "0");
    check_double(-0.0, "-0");
    check_double(1, "1");
    check_double(0.1, "0.1");
    check_double(0.2, "0.2");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(1e21, "1e+21");
    check_double(123456789.125, "123456789.125");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(5e-324, "4.94065645841247e-324");
}

static void too_much_is_seen_at_the_end(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    struct jw jw;
    buf_init(&buf, 20);
    jw_init(&jw, &buf);

    jw_begin_array(&jw);
    for (int i = 0; i < 1000; i++) {
        jw_text(&jw, "again");
    }
    jw_end_array(&jw);
    jw_done(&jw);
    assert_true(buf_overflowed(&buf));
    assert_in_range(buf_str(&buf).len, 0, 20);
}

static void nesting_up_to_the_limit_works(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    SCOPE(jr_done) struct jr_doc doc = {0};
    const struct jscan_limits limits = {.bytes_max = 1000, .depth_max = JSON_WRITE_DEPTH_MAX, .nodes_max = 1000};
    struct jw jw;
    buf_init(&buf, 1000);
    jw_init(&jw, &buf);

    for (int i = 0; i < JSON_WRITE_DEPTH_MAX; i++) {
        if (i > 0 && i % 2 == 0) {
            jw_key(&jw, "a");
        }
        if (i % 2 == 1) {
            jw_begin_object(&jw);
        } else {
            jw_begin_array(&jw);
        }
    }
    for (int i = JSON_WRITE_DEPTH_MAX; i-- > 0;) {
        if (i % 2 == 1) {
            jw_end_object(&jw);
        } else {
            jw_end_array(&jw);
        }
    }
    jw_done(&jw);
    assert_int_equal(jr_parse(buf_str(&buf), &limits, &doc, NULL), ERR_OK);
}

/* ---- calls out of place ---- */

static void value_without_key(struct jw *jw)
{
    jw_begin_object(jw);
    jw_int(jw, 1);
}

static void key_without_value(struct jw *jw)
{
    jw_begin_object(jw);
    jw_key(jw, "a");
    jw_end_object(jw);
}

static void key_after_key(struct jw *jw)
{
    jw_begin_object(jw);
    jw_key(jw, "a");
    jw_key(jw, "b");
}

static void key_in_array(struct jw *jw)
{
    jw_begin_array(jw);
    jw_key(jw, "a");
}

static void key_at_the_top(struct jw *jw)
{
    jw_key(jw, "a");
}

static void wrong_end(struct jw *jw)
{
    jw_begin_object(jw);
    jw_end_array(jw);
}

static void end_of_nothing(struct jw *jw)
{
    jw_end_array(jw);
}

static void second_value(struct jw *jw)
{
    jw_int(jw, 1);
    jw_int(jw, 2);
}

static void done_too_early(struct jw *jw)
{
    jw_begin_array(jw);
    jw_done(jw);
}

static void done_without_value(struct jw *jw)
{
    jw_done(jw);
}

static void too_deep(struct jw *jw)
{
    for (int i = 0; i <= JSON_WRITE_DEPTH_MAX; i++) {
        jw_begin_array(jw);
    }
}

static void not_finite(struct jw *jw)
{
    volatile double zero = 0;

    jw_double(jw, 1 / zero);
}

static void raw_nothing(struct jw *jw)
{
    jw_raw(jw, STR(""));
}

/* In a child: an assertion ends the process. */
static int signal_that_ends(void (*misuse)(struct jw *))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        struct buf buf;
        struct jw jw;
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGABRT, SIG_DFL); /* cmocka's handler belongs to the parent */
        (void)close(STDERR_FILENO);
        buf_init(&buf, 1000);
        jw_init(&jw, &buf);
        misuse(&jw);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_call_out_of_place_is_a_bug(void **state)
{
    (void)state;
    void (*const misuses[])(struct jw *) = {
        value_without_key, key_without_value, key_after_key, key_in_array,   key_at_the_top,
        wrong_end,         end_of_nothing,    second_value,  done_too_early, done_without_value,
        too_deep,          not_finite,        raw_nothing,
    };

    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        assert_int_equal(signal_that_ends(misuses[i]), SIGABRT);
    }
}

/* ---- anything that is written can be read ---- */

static void write_random_string(struct rng *rng, struct jw *jw)
{
    char bytes[40];
    size_t len = rng_below(rng, sizeof bytes);

    for (size_t i = 0; i < len; i++) {
        bytes[i] = (char)(1 + rng_below(rng, 255)); /* U+0000 is written, but not read */
    }
    jw_str(jw, (struct str){bytes, len});
}

/* NOLINTNEXTLINE(misc-no-recursion): depth_left bounds it */
static void write_random_value(struct rng *rng, struct jw *jw, unsigned depth_left)
{
    size_t count = rng_below(rng, 5);

    switch (rng_below(rng, depth_left > 0 ? 7 : 5)) {
    case 0:
        jw_int(jw, (int64_t)rng_next(rng));
        break;
    case 1:
        jw_uint(jw, rng_next(rng));
        break;
    case 2:
        jw_double(jw, (double)rng_next(rng) / (double)(1 + rng_below(rng, 1000)));
        break;
    case 3:
        write_random_string(rng, jw);
        break;
    case 4:
        jw_bool(jw, rng_chance(rng, 1, 2));
        break;
    case 5:
        jw_begin_array(jw);
        while (count-- > 0) {
            write_random_value(rng, jw, depth_left - 1);
        }
        jw_end_array(jw);
        break;
    default:
        jw_begin_object(jw);
        while (count-- > 0) {
            jw_key(jw, (const char *[]){"a", "b\n", "\xff", "d", "e"}[count]);
            write_random_value(rng, jw, depth_left - 1);
        }
        jw_end_object(jw);
    }
}

static void whatever_is_written_can_be_read(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf buf;
    struct rng rng;
    buf_init(&buf, JSON_BYTES_MAX);
    seed_rng(&rng);

    for (int i = 0; i < 3000; i++) {
        SCOPE(jr_done) struct jr_doc doc = {0};
        struct error error = {0};
        struct jw jw;
        buf_reset(&buf);
        jw_init(&jw, &buf);
        write_random_value(&rng, &jw, 5);
        jw_done(&jw);
        if (jr_parse(buf_str(&buf), NULL, &doc, &error) != ERR_OK) {
            fail_msg("%s: %s", error.text, buf_text(&buf));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_written_without_blanks), cmocka_unit_test(plain_values_may_stand_alone),
        cmocka_unit_test(strings_and_keys_are_escaped),         cmocka_unit_test(doubles_read_back_as_the_same),
        cmocka_unit_test(too_much_is_seen_at_the_end),          cmocka_unit_test(nesting_up_to_the_limit_works),
        cmocka_unit_test(a_call_out_of_place_is_a_bug),         cmocka_unit_test(whatever_is_written_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
