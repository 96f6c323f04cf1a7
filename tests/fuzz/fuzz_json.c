/* fuzz_json: JSON text, read by the scanner, the parser and the cutter, and written again.
 *
 * Input: the text.
 */
#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/json_raw.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "fuzz.h"
#include "input.h"
#include "json_same.h"

#define BYTES_MAX (64 * 1024)
#define NODES_MAX 2000
/* Of what is written again: every byte may become an escape of six. */
#define WRITTEN_BYTES_MAX (8 * BYTES_MAX)

static const struct jscan_limits limits = {.bytes_max = BYTES_MAX, .depth_max = JSON_DEPTH_MAX, .nodes_max = NODES_MAX};

/* Recursive, as the documents are; jr_parse bounds how deep. NOLINTBEGIN(misc-no-recursion) */

static void write_value(struct jw *jw, struct jr value);

static void write_object(struct jw *jw, struct jr object)
{
    struct jr_iter iter = {0};
    struct str key;
    struct jr value;

    jw_begin_object(jw);
    while (jr_next(object, &iter, &key, &value)) {
        jw_key_str(jw, key);
        write_value(jw, value);
    }
    jw_end_object(jw);
}

static void write_number(struct jw *jw, struct jr value)
{
    int64_t integer;
    double real;

    if (jr_kind(value) == JR_INT) {
        assert(jr_as_int(value, INT64_MIN, INT64_MAX, &integer, NULL) == ERR_OK);
        jw_int(jw, integer);
    } else {
        assert(jr_as_double(value, -DBL_MAX, DBL_MAX, &real, NULL) == ERR_OK);
        jw_double(jw, real);
    }
}

static void write_value(struct jw *jw, struct jr value)
{
    struct str text;
    bool truth;

    switch (jr_kind(value)) {
    case JR_ABSENT:
        abort(); /* no value of a document is absent */
    case JR_NULL:
        jw_null(jw);
        break;
    case JR_BOOL:
        assert(jr_as_bool(value, &truth, NULL) == ERR_OK);
        jw_bool(jw, truth);
        break;
    case JR_INT:
    case JR_REAL:
        write_number(jw, value);
        break;
    case JR_STRING:
        assert(jr_as_str(value, &text, NULL) == ERR_OK && str_utf8_valid(text, NULL));
        jw_str(jw, text);
        break;
    case JR_ARRAY:
        jw_begin_array(jw);
        for (size_t i = 0; i < jr_count(value); i++) {
            write_value(jw, jr_at(value, i));
        }
        jw_end_array(jw);
        break;
    case JR_OBJECT:
        write_object(jw, value);
        break;
    }
}

/* NOLINTEND(misc-no-recursion) */

/* What is written of a document reads back as the same document. */
static void check_written(const struct jr_doc *doc)
{
    SCOPE(buf_done) struct buf written;
    SCOPE(jr_done) struct jr_doc again = {0};
    struct jscan_limits wider = {.bytes_max = WRITTEN_BYTES_MAX, .depth_max = JSON_DEPTH_MAX, .nodes_max = NODES_MAX};
    struct jw jw;

    buf_init(&written, WRITTEN_BYTES_MAX);
    jw_init(&jw, &written);
    write_value(&jw, jr_root(doc));
    jw_done(&jw);
    assert(!buf_overflowed(&written) && buf_valid(&written));
    assert(jr_parse(buf_str(&written), &wider, &again, NULL) == ERR_OK);
    assert(json_same(jr_root(doc), jr_root(&again)));
}

static bool lies_within(struct str part, struct str whole)
{
    return part.len > 0 && part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len;
}

/* The bytes that are cut out for a value are that value: all the way down. */
static void check_raw(struct jr value, struct str raw) /* NOLINT(misc-no-recursion): as deep as the document */
{
    SCOPE(jr_done) struct jr_doc alone = {0};
    struct jr_iter iter = {0};
    struct str key;
    struct str part;
    struct jr child;
    size_t offset = 0;
    size_t count = 0;

    while (jr_kind(value) == JR_OBJECT && jr_next(value, &iter, &key, &child)) {
        assert(jraw_member(raw, key, &part) && lies_within(part, raw));
        check_raw(child, part);
    }
    assert(jr_kind(value) == JR_OBJECT || !jraw_member(raw, STR("no"), &part));
    for (; jraw_next(raw, &offset, &part); count++) {
        assert(lies_within(part, raw));
        check_raw(jr_at(value, count), part);
    }
    assert(count == (jr_kind(value) == JR_ARRAY ? jr_count(value) : 0));
    if (jr_count(value) == 0) {
        assert(jr_parse(raw, &limits, &alone, NULL) == ERR_OK);
        assert(json_same(value, jr_root(&alone)));
    }
}

/* Tighter limits refuse more, and change nothing else. */
static void check_limits(struct str text, enum err wide_err, const struct jscan_facts *facts)
{
    const struct jscan_limits narrow = {.bytes_max = 200, .depth_max = 3, .nodes_max = 10};
    struct jscan_facts narrow_facts;
    struct error error;
    enum err err = jscan_check(text, &narrow, &narrow_facts, &error);

    if (err != ERR_OK) {
        input_check_error(text, err, &error, 1);
    }
    assert(err == wide_err || err == ERR_TOO_LARGE);
    if (wide_err == ERR_OK && (text.len > narrow.bytes_max || facts->nodes > narrow.nodes_max)) {
        assert(err == ERR_TOO_LARGE);
    }
}

/* What the scanner accepts, jansson reads, except for the two things that the scanner does not look for. */
static void check_refused_by_parser(struct str text, enum err err, const struct error *error)
{
    bool is_duplicate = str_starts_with(str_from(error->text), STR("the key \""));

    input_check_error(text, err, error, 0);
    assert(err == ERR_INVALID_JSON);
    assert(is_duplicate || str_is(str_from(error->text), "a number is too large"));
    if (is_duplicate && error->position > 0) {
        assert(text.ptr[error->position - 1] == '"');
        assert(error->position == 1 || text.ptr[error->position - 2] != '\\');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_from_bytes(data, size);
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jscan_facts facts = {0};
    struct error error;
    enum err scanned = jscan_check(text, &limits, &facts, &error);

    check_limits(text, scanned, &facts);
    if (scanned != ERR_OK) {
        input_check_error(text, scanned, &error, 1);
        assert(jr_parse(text, &limits, &doc, NULL) == scanned);
        return 0;
    }
    assert(facts.nodes >= 1 && facts.nodes <= NODES_MAX);
    enum err err = jr_parse(text, &limits, &doc, &error);
    if (err != ERR_OK) {
        check_refused_by_parser(text, err, &error);
        return 0;
    }
    check_written(&doc);
    check_raw(jr_root(&doc), text);
    return 0;
}
