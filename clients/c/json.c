#include "json.h"

#include <string.h>

#include "text.h"

/* ---- the grammar: each function returns where its piece ends, NULL if there is none ---- */

static const char *after_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *after_escape(const char *at, const char *end)
{
    if (end - at < 2) {
        return NULL;
    }
    if (at[1] != 'u') {
        return at[1] != '\0' && strchr("\"\\/bfnrt", at[1]) != NULL ? at + 2 : NULL;
    }
    if (end - at < 6) {
        return NULL;
    }
    for (int i = 2; i < 6; i++) {
        if (!is_hex(at[i])) {
            return NULL;
        }
    }
    return at + 6;
}

static const char *after_string(const char *at, const char *end)
{
    if (at >= end || *at != '"') {
        return NULL;
    }
    at++;
    while (at != NULL && at < end && *at != '"') {
        if (*at == '\\') {
            at = after_escape(at, end);
            continue;
        }
        size_t length = (unsigned char)*at < 0x20 ? 0 : bf_utf8_length(at, end);
        at = length > 0 ? at + length : NULL;
    }
    return at != NULL && at < end ? at + 1 : NULL;
}

static const char *after_digits(const char *at, const char *end)
{
    if (!is_digit(at, end)) {
        return NULL;
    }
    while (is_digit(at, end)) {
        at++;
    }
    return at;
}

static const char *after_number(const char *at, const char *end)
{
    at += *at == '-';
    at = at < end && *at == '0' ? at + 1 : after_digits(at, end);
    if (at != NULL && at < end && *at == '.') {
        at = after_digits(at + 1, end);
    }
    if (at != NULL && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        at = after_digits(at, end);
    }
    return at;
}

static const char *after_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *after_scalar(const char *at, const char *end)
{
    switch (*at) {
    case '"':
        return after_string(at, end);
    case 't':
        return after_word(at, end, "true");
    case 'f':
        return after_word(at, end, "false");
    case 'n':
        return after_word(at, end, "null");
    default:
        return after_number(at, end);
    }
}

static const char *after_key(const char *at, const char *end)
{
    at = after_string(after_space(at, end), end);
    at = at != NULL ? after_space(at, end) : NULL;
    return at != NULL && at < end && *at == ':' ? at + 1 : NULL;
}

/* The brackets that are open. */
struct nest {
    char open[JSON_DEPTH_MAX];
    int depth;
};

static bool closes(const struct nest *nest, char c)
{
    return nest->depth > 0 && c == (nest->open[nest->depth - 1] == '{' ? '}' : ']');
}

static const char *after_opening(struct nest *nest, const char *at, const char *end)
{
    if (nest->depth == JSON_DEPTH_MAX) {
        return NULL;
    }
    nest->open[nest->depth++] = *at;
    bool is_object = *at == '{';

    at = after_space(at + 1, end);
    return at < end && !closes(nest, *at) && is_object ? after_key(at, end) : at;
}

/* Behind a value: closes what ends here. Stops where the next value begins, or where all is closed. */
static const char *after_closings(struct nest *nest, const char *at, const char *end)
{
    while (nest->depth > 0) {
        at = after_space(at, end);
        if (at < end && closes(nest, *at)) {
            nest->depth--;
            at++;
        } else if (at < end && *at == ',') {
            return nest->open[nest->depth - 1] == '{' ? after_key(at + 1, end) : at + 1;
        } else {
            return NULL;
        }
    }
    return at;
}

static const char *after_value(const char *at, const char *end)
{
    struct nest nest = {.depth = 0};

    do {
        at = after_space(at, end);
        if (at >= end) {
            return NULL;
        }
        if (*at == '{' || *at == '[') {
            at = after_opening(&nest, at, end);
            if (at == NULL || at >= end || !closes(&nest, *at)) {
                continue;
            }
        } else {
            at = after_scalar(at, end);
        }
        at = at != NULL ? after_closings(&nest, at, end) : NULL;
    } while (at != NULL && nest.depth > 0);
    return at;
}

bool bf_json_check(const char *text, size_t length, struct json *ret_value)
{
    const char *end = text + length;
    const char *at = after_space(text, end);
    const char *after = after_value(at, end);

    if (after == NULL || after_space(after, end) != end) {
        return false;
    }
    *ret_value = (struct json){.at = at, .length = (size_t)(after - at)};
    return true;
}

/* ---- finding; all values are checked (rule 2) ---- */

bool bf_json_is_object(struct json value)
{
    return value.length > 0 && value.at[0] == '{';
}

static bool string_is(const char *at, const char *after, const char *key)
{
    size_t length = strlen(key);

    return (size_t)(after - at) == length + 2 && memcmp(at + 1, key, length) == 0;
}

struct json bf_json_get(struct json object, const char *key)
{
    if (!bf_json_is_object(object)) {
        return (struct json){.at = NULL};
    }
    const char *end = object.at + object.length;
    const char *at = after_space(object.at + 1, end);

    while (*at != '}') {
        const char *name = after_space(at + (*at == ','), end);
        const char *after_name = after_string(name, end);
        const char *value = after_space(after_key(name, end), end);
        const char *after = after_value(value, end);

        if (string_is(name, after_name, key)) {
            return (struct json){.at = value, .length = (size_t)(after - value)};
        }
        at = after_space(after, end);
    }
    return (struct json){.at = NULL};
}

bool bf_json_each(struct json array, size_t *cursor, struct json *ret_item)
{
    if (array.length == 0 || array.at[0] != '[') {
        return false;
    }
    const char *end = array.at + array.length;
    const char *at = after_space(array.at + (*cursor > 0 ? *cursor : 1), end);

    if (*at == ']') {
        return false;
    }
    at = after_space(at + (*at == ','), end);
    const char *after = after_value(at, end);

    *ret_item = (struct json){.at = at, .length = (size_t)(after - at)};
    *cursor = (size_t)(after - array.at);
    return true;
}

static bool is_word(struct json value, const char *word)
{
    return value.length == strlen(word) && memcmp(value.at, word, value.length) == 0;
}

bool bf_json_is_null(struct json value)
{
    return is_word(value, "null");
}

bool bf_json_is_true(struct json value)
{
    return is_word(value, "true");
}
