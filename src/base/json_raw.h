/* json_raw: the bytes of one value, as they were sent.
 *
 * A payload must come back as it came: 0.1 stays 0.1 and a number of twenty digits keeps them all, which no
 * tree of doubles can promise. These functions cut a value out of its text instead.
 *
 * Owns:  nothing; results are slices of the text.
 * Never: recurses, allocates, checks. The text is one that jscan_check or jr_parse has accepted.
 * See:   base/json.h, tests/unit/base/test_json_raw.c
 */
#ifndef BASE_JSON_RAW_H
#define BASE_JSON_RAW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* The value of a key of the object that text is; false where text is no object or has no such key. */
bool jraw_member(struct str text, struct str key, struct str *ret_value);

/* Walks over the elements of the array that text is: begin with 0 in *offset; false at the end. */
bool jraw_next(struct str text, size_t *offset, struct str *ret_value);

#endif
