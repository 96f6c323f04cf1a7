/* wire_test: what the tests of JSON on the wire have in common.
 *
 * JSON is written with ' in place of ", so that C need not escape it. What was written is compared as a document: all
 * fields, in any order. Ids and instants are those of the examples in docs/openapi.yaml.
 */
#ifndef TESTS_UNIT_WIRE_WIRE_TEST_H
#define TESTS_UNIT_WIRE_WIRE_TEST_H

#include "../model/job_def_test.h"

#include "base/json_raw.h"
#include "base/json_write.h"
#include "wire/put.h"

/* job_06c4q0wm8g000, trg_06c4q0wm8g001, ... */
#define JOB UINT64_C(0x330970728880000)
#define TRIGGER UINT64_C(0x330970728880001)
#define OTHER UINT64_C(0x330970728880002)
#define WORKER STR("w-9f2c51d07a3be8446c1d20f5")

#define OUT_BYTES_MAX (64 * 1024 * 1024)

/* A place to write to: test_open, write, then test_close gives the text. */
static struct buf test_buf;
static struct jw test_jw;

static inline struct jw *test_open(void)
{
    buf_init(&test_buf, OUT_BYTES_MAX);
    jw_init(&test_jw, &test_buf);
    return &test_jw;
}

static inline const char *test_close(void)
{
    jw_done(&test_jw);
    assert_false(buf_overflowed(&test_buf));
    const char *text = arena_strdup(&test_arena, buf_text(&test_buf));

    buf_done(&test_buf);
    return text;
}

/* Whether both say the same; recursive, as the documents are. NOLINTBEGIN(misc-no-recursion) */
static inline bool same_json(struct jr a, struct jr b)
{
    struct jr_iter iter = {0};
    struct str key, a_text, b_text;
    struct jr value;
    double a_number = 0, b_number = 1;
    bool a_bool, b_bool;

    if (jr_kind(a) == JR_INT || jr_kind(a) == JR_REAL) {
        return jr_as_double(a, -1e300, 1e300, &a_number, NULL) == ERR_OK &&
               jr_as_double(b, -1e300, 1e300, &b_number, NULL) == ERR_OK && a_number == b_number;
    }
    if (jr_kind(a) != jr_kind(b) || jr_count(a) != jr_count(b)) {
        return false;
    }
    if (jr_as_str(a, &a_text, NULL) == ERR_OK) {
        return jr_as_str(b, &b_text, NULL) == ERR_OK && str_equal(a_text, b_text);
    }
    if (jr_as_bool(a, &a_bool, NULL) == ERR_OK) {
        return jr_as_bool(b, &b_bool, NULL) == ERR_OK && a_bool == b_bool;
    }
    while (jr_kind(a) == JR_OBJECT && jr_next(a, &iter, &key, &value)) {
        if (!jr_has(b, key.ptr) || !same_json(value, jr_get(b, key.ptr))) {
            return false;
        }
    }
    for (size_t i = 0; jr_kind(a) == JR_ARRAY && i < jr_count(a); i++) {
        if (!same_json(jr_at(a, i), jr_at(b, i))) {
            return false;
        }
    }
    return true;
}
/* NOLINTEND(misc-no-recursion) */

/* got has its real quotes. */
static inline void assert_json(const char *got, const char *expected)
{
    SCOPE(jr_done) struct jr_doc a = {0};
    SCOPE(jr_done) struct jr_doc b = {0};
    struct error error = {0};

    if (jr_parse(str_from(got), NULL, &a, &error) != ERR_OK) {
        fail_msg("%s: %s", error.text, got);
    }
    if (jr_parse(str_from(quoted(expected)), NULL, &b, &error) != ERR_OK) {
        fail_msg("%s: %s", error.text, expected);
    }
    if (!same_json(jr_root(&a), jr_root(&b))) {
        fail_msg("got %s\nexpected %s", got, quoted(expected));
    }
}

#define WIRE_MAIN(tests) return cmocka_run_group_tests(tests, open_arena, close_arena)

#endif
