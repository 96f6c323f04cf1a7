/* json_scan: is this text JSON, and is it small enough to be worth reading?
 *
 * Looks at every byte before a parser builds anything: RFC 8259's grammar to the letter, strict UTF-8, and
 * the limits. The work is linear and the memory constant whatever comes in.
 *
 * Owns:  nothing.
 * Never: recurses, allocates.
 * Rules: (1) refused: byte order marks, comments, trailing commas, leading zeros, NaN, raw control
 *            characters, lone surrogates, U+0000 in any form, text after the value.
 *        (2) what it does not see: equal keys in one object, and numbers too large for a double.
 * See:   base/json.h, tests/unit/base/test_json.c
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

struct jscan_limits {
    size_t bytes_max; /* of text; at most INT_MAX */
    size_t depth_max; /* objects and arrays inside each other, at most JSON_DEPTH_CEILING; 0: only plain values */
    size_t nodes_max; /* values of all kinds, keys not counted */
};

/* The limits for what comes from outside where nothing else is said. */
#define JSCAN_LIMITS_DEFAULT                                                                                           \
    ((struct jscan_limits){.bytes_max = JSON_BYTES_MAX, .depth_max = JSON_DEPTH_MAX, .nodes_max = JSON_NODES_MAX})

struct jscan_facts {
    size_t nodes;      /* values seen */
    bool has_wide_int; /* an integer outside of int64 is among them */
};

/* ERR_INVALID_JSON or, for a limit, ERR_TOO_LARGE; both with the position of the first offending byte. */
MUST_CHECK enum err jscan_check(struct str text, const struct jscan_limits *limits, struct jscan_facts *ret_facts,
                                struct error *reterr);

/* The length of the number at the beginning of text (checked text), and whether it is an integer outside of int64. */
size_t jscan_number(struct str text, bool *ret_is_wide_int);

/* The length of the string at the beginning of text (checked text), both quotes included. */
size_t jscan_string(struct str text);

#endif
