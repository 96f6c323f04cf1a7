/* settings_test: what the tests of settings have in common. JSON is written with ' in place of ", as in job_def_test.h.
 */
#ifndef TESTS_UNIT_MODEL_SETTINGS_TEST_H
#define TESTS_UNIT_MODEL_SETTINGS_TEST_H

#include "job_def_test.h"

#include "model/settings.h"

static inline enum err read_settings(enum scope scope, const char *text, struct settings *ret_settings,
                                     struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str json = str_from(quoted(text));
    struct error error = {0};

    if (jr_parse(json, NULL, &doc, &error) != ERR_OK) {
        fail_msg("%.200s: %s", text, error.text);
    }
    return settings_read(scope, json, jr_root(&doc), ret_settings, reterr);
}

static inline struct settings settings_of(enum scope scope, const char *text)
{
    struct settings settings = settings_none();
    struct error error = {0};

    if (read_settings(scope, text, &settings, &error) != ERR_OK) {
        fail_msg("%.200s: %s: %s", text, error.field, error.text);
    }
    return settings;
}

static inline struct settings stored_settings_of(enum scope scope, const char *json)
{
    struct settings settings = settings_none();
    struct error error = {0};

    if (settings_read_stored(scope, str_from(json), &settings, &error) != ERR_OK) {
        fail_msg("%.200s: %s", json, error.text);
    }
    return settings;
}

static inline const char *settings_text(const struct settings *settings, bool is_stored)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 64 * 1024);
    settings_write(settings, is_stored, &out);
    assert_false(buf_overflowed(&out));
    return arena_strdup(&test_arena, buf_text(&out));
}

/* Nothing was read, and nobody has to listen. */
static inline struct error settings_refusal(enum scope scope, const char *text)
{
    struct settings settings = {.weight = 42};
    struct error error = {0};
    enum err err = read_settings(scope, text, &settings, &error);

    if (err == ERR_OK) {
        fail_msg("%.200s is not refused for a %s", text, scope_text(scope));
    }
    assert_int_equal(error.code, err);
    assert_int_equal(settings.weight, 42);
    assert_int_equal(read_settings(scope, text, &settings, NULL), err);
    return error;
}

static inline void assert_settings_refused(enum scope scope, const char *text, enum err code, const char *field)
{
    struct error error = settings_refusal(scope, text);

    if (error.code != code || strcmp(error.field, field) != 0 || error.text[0] == '\0') {
        fail_msg("%.200s: expected %s in field %s, got %s in field \"%s\": %s", text, err_code(code), field,
                 err_code(error.code), error.field, error.text);
    }
}

#endif
