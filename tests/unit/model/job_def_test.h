/* job_def_test: what the tests of definitions have in common.
 *
 * Definitions are written as JSON with ' in place of ", so that C need not escape it. The text and its tree are gone
 * before anybody looks at what was read from them: a definition that still points there is found by AddressSanitizer.
 */
#ifndef TESTS_UNIT_MODEL_JOB_DEF_TEST_H
#define TESTS_UNIT_MODEL_JOB_DEF_TEST_H

#include "../calendar/calendar_test.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "model/job_def.h"

#define MINUTE_MS 60000LL
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Everything a test reads or writes; a group's setup and teardown. */
static struct arena test_arena;

static inline int open_arena(void **state)
{
    (void)state;
    arena_init(&test_arena, 64 * 1024, 256 * 1024 * 1024);
    return 0;
}

static inline int close_arena(void **state)
{
    (void)state;
    arena_done(&test_arena);
    return 0;
}

/* ' becomes ". */
static inline const char *quoted(const char *text)
{
    char *copy = arena_strdup(&test_arena, text);

    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return copy;
}

/* count times the same letter. */
static inline const char *letters(size_t count, char letter)
{
    char *text = arena_alloc(&test_arena, count + 1);

    memset(text, letter, count);
    text[count] = '\0';
    return text;
}

static inline enum err read_def(const char *json, struct job_def *ret_def, struct error *reterr)
{
    SCOPE_FREE char *exact = mem_dup(json, strlen(json));
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str text = {exact, strlen(json)};
    struct error error = {0};

    if (jr_parse(text, NULL, &doc, &error) != ERR_OK) {
        fail_msg("%.200s: %s", json, error.text);
    }
    return job_def_read(text, jr_root(&doc), &test_arena, ret_def, reterr);
}

/* The definition that JSON, with its real quotes, says. */
static inline struct job_def def_of_json(const char *json)
{
    struct job_def def = {.priority = 42};
    struct error error = {0};

    if (read_def(json, &def, &error) != ERR_OK) {
        fail_msg("%.200s: %s: %s", json, error.field, error.text);
    }
    return def;
}

/* The same for ' in place of ", put together as printf does. */
__attribute__((format(printf, 1, 2))) static inline struct job_def def_of(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&test_arena, format, args);
    va_end(args);

    return def_of_json(quoted(text));
}

/* The canonical form. */
static inline const char *written(struct job_def *def)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, JSON_BYTES_MAX);
    job_def_write(def, &out);
    assert_false(buf_overflowed(&out));
    return arena_strdup(&test_arena, buf_text(&out));
}

/* What people are shown. */
static inline const char *written_full(struct job_def *def)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, JSON_BYTES_MAX);
    job_def_write_full(def, &out);
    assert_false(buf_overflowed(&out));
    return arena_strdup(&test_arena, buf_text(&out));
}

static inline const char *canonical(const char *text)
{
    struct job_def def = def_of("%s", text);

    return written(&def);
}

static inline void assert_text(struct str got, const char *expected)
{
    if (!str_is(got, expected)) {
        fail_msg("got \"%.*s\", expected \"%.200s\"", STR_ARGS(got), expected);
    }
}

/* What the refused definition is told. Nothing was read, and nobody has to listen. */
static inline struct error refusal_of(const char *text)
{
    struct job_def def = {.priority = 42};
    struct error error = {0};
    enum err err = read_def(quoted(text), &def, &error);

    if (err == ERR_OK) {
        fail_msg("%.200s is not refused", text);
    }
    assert_int_equal(error.code, err);
    assert_int_equal(def.priority, 42);
    assert_int_equal(read_def(quoted(text), &def, NULL), err);
    return error;
}

static inline void assert_refused(const char *text, enum err code, const char *field)
{
    struct error error = refusal_of(text);

    if (error.code != code || strcmp(error.field, field) != 0 || error.text[0] == '\0') {
        fail_msg("%.200s: expected %s in field %s, got %s in field \"%s\": %s", text, err_code(code), field,
                 err_code(error.code), error.field, error.text);
    }
}

#endif
