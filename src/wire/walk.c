#include "wire/walk.h"

#include <assert.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/mem.h"

struct walk walk_of(struct str text)
{
    return (struct walk){text.ptr, text.ptr + text.len};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_space(struct walk *walk)
{
    while (walk->at < walk->end && is_space(*walk->at)) {
        walk->at++;
    }
}

char walk_kind(struct walk *walk)
{
    skip_space(walk);
    assert(walk->at < walk->end); /* or the text was not checked */
    return *walk->at;
}

void walk_open(struct walk *walk)
{
    char kind = walk_kind(walk);

    assert(kind == '{' || kind == '[');
    walk->at++;
}

/* Inside an object or array: past the comma, if one is next; false at the end, which is passed. */
static bool next_in(struct walk *walk, char close)
{
    char c = walk_kind(walk);

    if (c == ',') {
        walk->at++;
        c = walk_kind(walk);
    }
    if (c == close) {
        walk->at++;
        return false;
    }
    return true;
}

/* Whether an odd number of backslashes stands before at: then it does not end the string that began at begin. */
static bool is_escaped(const char *at, const char *begin)
{
    const char *before = at;

    while (before > begin && before[-1] == '\\') {
        before--;
    }
    return (at - before) % 2 != 0;
}

/* The inside of the string that it stands before. Looks for its end in long strides: most of what is passed over are
 * strings. */
static struct str take_string(struct walk *walk)
{
    const char *begin = walk->at + 1;
    const char *close = memchr(begin, '"', (size_t)(walk->end - begin));

    while (close != NULL && is_escaped(close, begin)) {
        close = memchr(close + 1, '"', (size_t)(walk->end - close - 1));
    }
    assert(close != NULL); /* or the text was not checked */
    walk->at = close + 1;
    return (struct str){begin, (size_t)(close - begin)};
}

bool walk_field(struct walk *walk, struct str *ret_key)
{
    if (!next_in(walk, '}')) {
        return false;
    }
    *ret_key = take_string(walk);
    skip_space(walk);
    walk->at++; /* the colon */
    skip_space(walk);
    return true;
}

bool walk_item(struct walk *walk)
{
    return next_in(walk, ']');
}

/* Which bytes count inside an object or array that is passed over: what opens or closes something, and quotes. */
static const signed char depth_step[256] = {['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1};

static void skip_container(struct walk *walk)
{
    int depth = 0;

    do {
        if (*walk->at == '"') {
            (void)take_string(walk);
            continue;
        }
        depth += depth_step[(unsigned char)*walk->at];
        walk->at++;
    } while (depth > 0);
}

static void skip_scalar(struct walk *walk)
{
    while (walk->at < walk->end && *walk->at != ',' && *walk->at != '}' && *walk->at != ']' && !is_space(*walk->at)) {
        walk->at++;
    }
}

struct str walk_value(struct walk *walk)
{
    char kind = walk_kind(walk);
    const char *begin = walk->at;

    if (kind == '{' || kind == '[') {
        skip_container(walk);
    } else if (kind == '"') {
        (void)take_string(walk);
    } else {
        skip_scalar(walk);
    }
    return (struct str){begin, (size_t)(walk->at - begin)};
}

bool walk_null(struct walk *walk)
{
    if (walk_kind(walk) != 'n') {
        return false;
    }
    skip_scalar(walk);
    return true;
}

/* ---- values of a kind ---- */

static enum err refuse(char kind, const char *wanted, struct error *reterr)
{
    const char *is = kind == '{'                  ? "an object"
                     : kind == '['                ? "an array"
                     : kind == '"'                ? "a string"
                     : kind == 't' || kind == 'f' ? "true or false"
                     : kind == 'n'                ? "null"
                                                  : "a number";

    return err_set(reterr, ERR_INVALID, "must be %s, not %s", wanted, is);
}

/* The value of a piece that is rare, or hard: as base/json reads it. */
static enum err parse_piece(struct str raw, struct jr_doc *ret_doc, struct error *reterr)
{
    const struct jscan_limits limits = {.bytes_max = raw.len, .depth_max = 0, .nodes_max = 1};

    return jr_parse(raw, &limits, ret_doc, reterr);
}

/* raw has its quotes. */
static enum err unescape(struct str raw, struct arena *arena, struct str *ret_value, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str text = {0};
    enum err err = parse_piece(raw, &doc, reterr);

    if (err == ERR_OK) {
        err = jr_as_str(jr_root(&doc), &text, reterr);
    }
    if (err == ERR_OK) {
        *ret_value = (struct str){arena_strdup_str(arena, text), text.len};
    }
    return err;
}

bool walk_key_is(struct str key, struct str word)
{
    if (key.len == word.len) {
        return memcmp(key.ptr, word.ptr, key.len) == 0;
    }
    if (key.len < word.len || memchr(key.ptr, '\\', key.len) == NULL) {
        return false;
    }
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str text = {0};

    return parse_piece((struct str){key.ptr - 1, key.len + 2}, &doc, NULL) == ERR_OK &&
           jr_as_str(jr_root(&doc), &text, NULL) == ERR_OK && str_equal(text, word);
}

enum err walk_str(struct walk *walk, struct arena *arena, struct str *ret_value, struct error *reterr)
{
    char kind = walk_kind(walk);

    if (kind != '"') {
        return refuse(kind, "a string", reterr);
    }
    struct str inside = take_string(walk);

    if (inside.len > 0 && memchr(inside.ptr, '\\', inside.len) != NULL) {
        return unescape((struct str){inside.ptr - 1, inside.len + 2}, arena, ret_value, reterr);
    }
    *ret_value = inside;
    return ERR_OK;
}

static bool is_number(char kind)
{
    return kind == '-' || (kind >= '0' && kind <= '9');
}

enum err walk_int(struct walk *walk, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr)
{
    char kind = walk_kind(walk);

    if (!is_number(kind)) {
        return refuse(kind, "a whole number", reterr);
    }
    if (str_to_int(walk_value(walk), min, max, ret_value, NULL) != ERR_OK) {
        return err_set(reterr, ERR_INVALID, "must be a whole number from %lld to %lld", (long long)min, (long long)max);
    }
    return ERR_OK;
}

enum err walk_double(struct walk *walk, double min, double max, double *ret_value, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    char kind = walk_kind(walk);

    if (!is_number(kind)) {
        return refuse(kind, "a number", reterr);
    }
    enum err err = parse_piece(walk_value(walk), &doc, reterr);

    return err == ERR_OK ? jr_as_double(jr_root(&doc), min, max, ret_value, reterr) : err;
}

enum err walk_bool(struct walk *walk, bool *ret_value, struct error *reterr)
{
    char kind = walk_kind(walk);

    if (kind != 't' && kind != 'f') {
        return refuse(kind, "true or false", reterr);
    }
    skip_scalar(walk);
    *ret_value = kind == 't';
    return ERR_OK;
}

enum err walk_array(struct walk *walk, struct error *reterr)
{
    char kind = walk_kind(walk);

    if (kind != '[') {
        return refuse(kind, "an array", reterr);
    }
    walk_open(walk);
    return ERR_OK;
}

enum err walk_object(struct walk *walk, struct error *reterr)
{
    char kind = walk_kind(walk);

    if (kind != '{') {
        return refuse(kind, "an object", reterr);
    }
    walk_open(walk);
    return ERR_OK;
}
