/* json: finds its way through JSON without copying it.
 *
 * Values stay slices of the text they came in, because payloads are handed on byte for byte: a parser that makes
 * numbers of numbers would lose 20-digit ids.
 *
 * Owns:  nothing. A slice lives as long as its text.
 * Rules: (1) text from outside is checked once, by json_check, whole and strictly (RFC 8259, UTF-8, bounded depth).
 *        (2) everything else is given checked values only, or empty slices, which are "not there".
 */
#ifndef BELFRY_JSON_H
#define BELFRY_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An answer is a little deeper than the payloads in it. */
#define JSON_DEPTH_MAX 72

struct json {
    const char *at; /* NULL: not there */
    size_t length;
};

/* Whether the text is one JSON value and nothing else; if so, ret_value is it, without space around. */
bool bf_json_check(const char *text, size_t length, struct json *ret_value);

/* A member of an object; not there if there is none or it is no object. */
struct json bf_json_get(struct json object, const char *key);

/* Goes through an array: cursor begins as 0. False: no more. */
bool bf_json_each(struct json array, size_t *cursor, struct json *ret_item);

bool bf_json_is_null(struct json value);
bool bf_json_is_true(struct json value);
bool bf_json_is_object(struct json value);

/* The text of a string, to be freed; "" where the value is none. Its NULs (\u0000) become U+FFFD. */
char *bf_json_string(struct json value);
/* A copy of the value as it stands, to be freed. */
char *bf_json_copy(struct json value);
/* A whole number; otherwise, or if it is not there or too large, the default. */
int64_t bf_json_integer(struct json value, int64_t by_default);
/* A duration, "1h30m" or "250ms"; otherwise the default. */
int64_t bf_json_duration_ms(struct json value, int64_t by_default);

#endif
