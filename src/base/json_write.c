#include "base/json_write.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/limits.h"

_Static_assert(JSON_WRITE_DEPTH_MAX < 64, "jw.objects has 64 bits, of which depth 0 uses none");

void jw_init(struct jw *jw, struct buf *buf)
{
    *jw = (struct jw){.buf = buf};
}

void jw_done(const struct jw *jw)
{
    assert(jw->depth == 0 && jw->is_complete && !jw->has_key);
}

static bool in_object(const struct jw *jw)
{
    return jw->depth > 0 && (jw->objects >> jw->depth & 1) != 0;
}

/* Before every value: asserts that one may stand here (rule 1) and writes what divides it from the last. */
static void begin_value(struct jw *jw)
{
    assert(jw->depth > 0 || !jw->is_complete);
    assert(in_object(jw) == jw->has_key);
    if (jw->needs_comma && !jw->has_key) {
        buf_append_char(jw->buf, ',');
    }
    jw->has_key = false;
    jw->needs_comma = true;
    jw->is_complete = jw->depth == 0;
}

static void open_container(struct jw *jw, bool is_object)
{
    begin_value(jw);
    assert(jw->depth < JSON_WRITE_DEPTH_MAX);
    jw->depth++;
    jw->objects &= ~(UINT64_C(1) << jw->depth);
    jw->objects |= (uint64_t)is_object << jw->depth;
    jw->needs_comma = false;
    buf_append_char(jw->buf, is_object ? '{' : '[');
}

static void close_container(struct jw *jw, bool is_object)
{
    assert(jw->depth > 0 && in_object(jw) == is_object && !jw->has_key);
    jw->depth--;
    jw->needs_comma = true;
    jw->is_complete = jw->depth == 0;
    buf_append_char(jw->buf, is_object ? '}' : ']');
}

void jw_begin_object(struct jw *jw)
{
    open_container(jw, true);
}

void jw_end_object(struct jw *jw)
{
    close_container(jw, true);
}

void jw_begin_array(struct jw *jw)
{
    open_container(jw, false);
}

void jw_end_array(struct jw *jw)
{
    close_container(jw, false);
}

static void append_quoted(struct buf *buf, struct str s)
{
    buf_append_char(buf, '"');
    while (s.len > 0) {
        size_t run = escape_plain_run(s);
        buf_append(buf, s.ptr, run);
        s = str_skip(s, run);
        if (s.len > 0) {
            char piece[ESCAPE_BYTES_MAX];
            size_t len = escape_step(&s, piece);
            buf_append(buf, piece, len);
        }
    }
    buf_append_char(buf, '"');
}

void jw_key(struct jw *jw, const char *key)
{
    jw_key_str(jw, str_from(key));
}

void jw_key_str(struct jw *jw, struct str key)
{
    assert(in_object(jw) && !jw->has_key);
    if (jw->needs_comma) {
        buf_append_char(jw->buf, ',');
    }
    append_quoted(jw->buf, key);
    buf_append_char(jw->buf, ':');
    jw->has_key = true;
}

void jw_str(struct jw *jw, struct str value)
{
    begin_value(jw);
    append_quoted(jw->buf, value);
}

void jw_text(struct jw *jw, const char *value)
{
    if (value == NULL) {
        jw_null(jw);
    } else {
        jw_str(jw, str_from(value));
    }
}

void jw_int(struct jw *jw, int64_t value)
{
    begin_value(jw);
    buf_append_int(jw->buf, value);
}

void jw_uint(struct jw *jw, uint64_t value)
{
    begin_value(jw);
    buf_append_uint(jw->buf, value);
}

void jw_double(struct jw *jw, double value)
{
    char text[32];
    char *comma;

    assert(isfinite(value)); /* JSON has no other numbers */
    begin_value(jw);
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(text, sizeof text, "%.*g", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    comma = strchr(text, ','); /* some locales' decimal point */
    if (comma != NULL) {
        *comma = '.';
    }
    buf_append_text(jw->buf, text);
}

void jw_bool(struct jw *jw, bool value)
{
    begin_value(jw);
    buf_append_text(jw->buf, value ? "true" : "false");
}

void jw_null(struct jw *jw)
{
    begin_value(jw);
    buf_append_text(jw->buf, "null");
}

void jw_raw(struct jw *jw, struct str json)
{
    assert(json.len > 0);
    begin_value(jw);
    buf_append_str(jw->buf, json);
}
