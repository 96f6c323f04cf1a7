#include "base/json.h"

#include <jansson.h>
#include <pthread.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"

_Static_assert(sizeof(json_int_t) == sizeof(int64_t), "jansson must be built with 64-bit integers");

/* ---- parsing ---- */

static pthread_once_t allocator_once = PTHREAD_ONCE_INIT;

static void use_our_allocator(void)
{
    json_set_alloc_funcs(mem_alloc, mem_free); /* running out ends the process, here as everywhere */
}

/* jansson refuses integers beyond int64, but a payload may hold them: written with ".0" they are doubles (rule 4). */
static void widen_ints(struct str text, struct buf *out)
{
    while (text.len > 0) {
        char c = text.ptr[0];
        bool is_wide = false;
        size_t len = 1;
        if (c == '"') {
            len = jscan_string(text);
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            len = jscan_number(text, &is_wide);
        }
        buf_append(out, text.ptr, len);
        if (is_wide) {
            buf_append_text(out, ".0");
        }
        text = str_skip(text, len);
    }
}

/* jansson stands behind the closing quote of the second key; the message shows where that key begins. */
static enum err refuse_duplicate(struct str text, size_t behind, struct error *reterr)
{
    char shown[STR_PRINT_BYTES_MAX];
    size_t close = behind > 0 && behind <= text.len ? behind - 1 : 0;
    size_t open = close;

    /* back to the opening quote: one inside the key has a backslash before it, the opening one never does */
    while (open > 0 && (text.ptr[open - 1] != '"' || (open > 1 && text.ptr[open - 2] == '\\'))) {
        open--;
    }
    escape_text((struct str){text.ptr + open, close - open}, shown, sizeof shown);
    return err_set_at(reterr, (int)open, ERR_INVALID_JSON, "the key \"%s\" appears twice in one object", shown);
}

static enum err refuse(struct str text, const json_error_t *error, struct error *reterr)
{
    enum json_error_code code = json_error_code(error);

    if (code == json_error_duplicate_key) {
        return refuse_duplicate(text, (size_t)error->position, reterr);
    }
    if (code == json_error_numeric_overflow) {
        return err_set_at(reterr, error->position, ERR_INVALID_JSON, "a number is too large");
    }
    return err_set_at(reterr, error->position, ERR_INVALID_JSON, "not JSON: %s", error->text);
}

static enum err load(struct str text, struct jr_doc *ret_doc, struct error *reterr)
{
    json_error_t error;
    json_t *root;

    (void)pthread_once(&allocator_once, use_our_allocator);
    root = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (root == NULL) {
        return refuse(text, &error, reterr);
    }
    ret_doc->root = root;
    return ERR_OK;
}

static enum err load_widened(struct str text, struct jr_doc *ret_doc, struct error *reterr)
{
    struct buf wide;
    enum err err;

    buf_init(&wide, 2 * text.len); /* ".0" after numbers of 19 digits and more */
    widen_ints(text, &wide);
    err = load(buf_str(&wide), ret_doc, reterr);
    if (err != ERR_OK && reterr != NULL) {
        reterr->position = 0; /* it counts bytes that the sender never wrote */
    }
    buf_done(&wide);
    return err;
}

enum err jr_parse(struct str text, const struct jscan_limits *limits, struct jr_doc *ret_doc, struct error *reterr)
{
    const struct jscan_limits defaults = JSCAN_LIMITS_DEFAULT;
    struct jscan_facts facts;
    enum err err = jscan_check(text, limits != NULL ? limits : &defaults, &facts, reterr);

    if (err != ERR_OK) {
        return err;
    }
    return facts.has_wide_int ? load_widened(text, ret_doc, reterr) : load(text, ret_doc, reterr);
}

void jr_done(struct jr_doc *doc)
{
    json_decref(doc->root);
    doc->root = NULL;
}

/* ---- values ---- */

struct jr jr_root(const struct jr_doc *doc)
{
    return (struct jr){doc->root};
}

enum jr_kind jr_kind(struct jr value)
{
    static const enum jr_kind kinds[] = {
        [JSON_OBJECT] = JR_OBJECT, [JSON_ARRAY] = JR_ARRAY, [JSON_STRING] = JR_STRING, [JSON_INTEGER] = JR_INT,
        [JSON_REAL] = JR_REAL,     [JSON_TRUE] = JR_BOOL,   [JSON_FALSE] = JR_BOOL,    [JSON_NULL] = JR_NULL,
    };

    return value.node != NULL ? kinds[json_typeof(value.node)] : JR_ABSENT;
}

const char *jr_kind_name(struct jr value)
{
    static const char *const names[] = {
        [JR_ABSENT] = "missing", [JR_NULL] = "null",       [JR_BOOL] = "true or false", [JR_INT] = "a whole number",
        [JR_REAL] = "a number",  [JR_STRING] = "a string", [JR_ARRAY] = "an array",     [JR_OBJECT] = "an object",
    };

    return names[jr_kind(value)];
}

static enum err expect(struct jr value, enum jr_kind kind, const char *wanted, struct error *reterr)
{
    if (jr_kind(value) == kind) {
        return ERR_OK;
    }
    return err_set(reterr, ERR_INVALID, "must be %s, not %s", wanted, jr_kind_name(value));
}

enum err jr_as_str(struct jr value, struct str *ret_value, struct error *reterr)
{
    enum err err = expect(value, JR_STRING, "a string", reterr);

    if (err == ERR_OK) {
        *ret_value = (struct str){json_string_value(value.node), json_string_length(value.node)};
    }
    return err;
}

enum err jr_as_int(struct jr value, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr)
{
    bool is_int = jr_kind(value) == JR_INT;
    int64_t number = json_integer_value(value.node);

    if (!is_int && jr_kind(value) != JR_REAL) {
        return expect(value, JR_INT, "a whole number", reterr);
    }
    if (!is_int || number < min || number > max) {
        return err_set(reterr, ERR_INVALID, "must be a whole number from %lld to %lld", (long long)min, (long long)max);
    }
    *ret_value = number;
    return ERR_OK;
}

enum err jr_as_double(struct jr value, double min, double max, double *ret_value, struct error *reterr)
{
    double number = json_number_value(value.node);

    if (jr_kind(value) != JR_INT && jr_kind(value) != JR_REAL) {
        return expect(value, JR_REAL, "a number", reterr);
    }
    if (!(number >= min && number <= max)) {
        return err_set(reterr, ERR_INVALID, "must be a number from %g to %g", min, max);
    }
    *ret_value = number;
    return ERR_OK;
}

enum err jr_as_bool(struct jr value, bool *ret_value, struct error *reterr)
{
    enum err err = expect(value, JR_BOOL, "true or false", reterr);

    if (err == ERR_OK) {
        *ret_value = json_is_true(value.node);
    }
    return err;
}

enum err jr_as_array(struct jr value, struct jr *ret_value, struct error *reterr)
{
    enum err err = expect(value, JR_ARRAY, "an array", reterr);

    if (err == ERR_OK) {
        *ret_value = value;
    }
    return err;
}

enum err jr_as_object(struct jr value, struct jr *ret_value, struct error *reterr)
{
    enum err err = expect(value, JR_OBJECT, "an object", reterr);

    if (err == ERR_OK) {
        *ret_value = value;
    }
    return err;
}

/* ---- fields ---- */

struct jr jr_get(struct jr object, const char *field)
{
    return (struct jr){json_object_get(object.node, field)};
}

bool jr_has(struct jr object, const char *field)
{
    return jr_get(object, field).node != NULL;
}

static enum err required(struct jr value, struct error *reterr)
{
    return value.node != NULL ? ERR_OK : err_set(reterr, ERR_INVALID, "is missing");
}

static bool is_given(struct jr value)
{
    return jr_kind(value) != JR_ABSENT && jr_kind(value) != JR_NULL; /* rule 3 */
}

/* Both getters of a type differ from those of the others in the one line that reads the value. */
#define FIELD_GETTERS(required_name, optional_name, PARAMETERS, READ)                                                  \
    enum err required_name PARAMETERS                                                                                  \
    {                                                                                                                  \
        struct jr value = jr_get(object, field);                                                                       \
        enum err err = required(value, reterr);                                                                        \
        if (err == ERR_OK)                                                                                             \
            err = READ;                                                                                                \
        return err_in_field(reterr, err, field);                                                                       \
    }                                                                                                                  \
    enum err optional_name PARAMETERS                                                                                  \
    {                                                                                                                  \
        struct jr value = jr_get(object, field);                                                                       \
        return is_given(value) ? err_in_field(reterr, READ, field) : ERR_OK;                                           \
    }

FIELD_GETTERS(jr_str, jr_opt_str, (struct jr object, const char *field, struct str *ret_value, struct error *reterr),
              jr_as_str(value, ret_value, reterr))
FIELD_GETTERS(jr_int, jr_opt_int,
              (struct jr object, const char *field, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr),
              jr_as_int(value, min, max, ret_value, reterr))
FIELD_GETTERS(jr_double, jr_opt_double,
              (struct jr object, const char *field, double min, double max, double *ret_value, struct error *reterr),
              jr_as_double(value, min, max, ret_value, reterr))
FIELD_GETTERS(jr_bool, jr_opt_bool, (struct jr object, const char *field, bool *ret_value, struct error *reterr),
              jr_as_bool(value, ret_value, reterr))
FIELD_GETTERS(jr_array, jr_opt_array, (struct jr object, const char *field, struct jr *ret_value, struct error *reterr),
              jr_as_array(value, ret_value, reterr))
FIELD_GETTERS(jr_object, jr_opt_object,
              (struct jr object, const char *field, struct jr *ret_value, struct error *reterr),
              jr_as_object(value, ret_value, reterr))

static bool is_known(const char *key, const char *const known[])
{
    for (size_t i = 0; known[i] != NULL; i++) {
        if (strcmp(known[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static enum err refuse_field(struct str key, const char *const known[], struct error *reterr)
{
    char shown[ERROR_FIELD_BYTES_MAX];
    const char *nearest = str_nearest(key, known);

    escape_text(key, shown, sizeof shown);
    if (nearest != NULL) {
        (void)err_set(reterr, ERR_UNKNOWN_FIELD, "there is no field \"%s\"; did you mean \"%s\"?", shown, nearest);
    } else {
        (void)err_set(reterr, ERR_UNKNOWN_FIELD, "there is no field \"%s\"", shown);
    }
    return err_in_field(reterr, ERR_UNKNOWN_FIELD, shown);
}

enum err jr_check_fields(struct jr object, const char *const known[], struct error *reterr)
{
    struct jr_iter iter = {0};
    struct str key;
    struct jr value;

    while (jr_next(object, &iter, &key, &value)) {
        if (!is_known(key.ptr, known)) {
            return refuse_field(key, known, reterr);
        }
    }
    return ERR_OK;
}

/* ---- arrays, and objects with keys of the sender's ---- */

size_t jr_count(struct jr value)
{
    return jr_kind(value) == JR_OBJECT ? json_object_size(value.node) : json_array_size(value.node);
}

struct jr jr_at(struct jr array, size_t index)
{
    return (struct jr){json_array_get(array.node, index)};
}

bool jr_next(struct jr object, struct jr_iter *iter, struct str *ret_key, struct jr *ret_value)
{
    iter->position =
        iter->is_started ? json_object_iter_next(object.node, iter->position) : json_object_iter(object.node);
    iter->is_started = true;
    if (iter->position == NULL) {
        return false;
    }
    *ret_key = (struct str){json_object_iter_key(iter->position), json_object_iter_key_len(iter->position)};
    *ret_value = (struct jr){json_object_iter_value(iter->position)};
    return true;
}
