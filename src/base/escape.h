/* escape: text from anywhere made safe to stand between quotes, in JSON and on a terminal alike.
 *
 * Owns:  nothing.
 * Rules: (1) the result is well-formed UTF-8 without control characters; ill-formed bytes become U+FFFD.
 *        (2) quotes, backslashes and everything that moves a cursor or starts a line (C0, C1, DEL, U+2028,
 *            U+2029, bidirectional overrides, U+FEFF) become JSON escapes, so that one record stays one line.
 *        (3) put between quotes the result is a JSON string that reads back as the text (rule 1 aside).
 * See:   tests/unit/base/test_escape.c
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The longest result for one character: \uXXXX. */
#define ESCAPE_BYTES_MAX 6

/* Whether a code point moves a cursor, starts a line or turns the direction of writing: what rule 2 escapes, quotes and
 * backslashes aside. */
bool escape_unsafe(uint32_t code);

/* How many bytes at the beginning of s need no escape. Only ASCII is looked at: 0 does not mean that there is one. */
size_t escape_plain_run(struct str s);

/* Takes one character off *rest (which is not empty) and writes its safe form to out, without a NUL; returns its
 * length. */
size_t escape_step(struct str *rest, char out[static ESCAPE_BYTES_MAX]);

/* All of s into out, NUL-terminated, cut between characters where out is too small. Returns out. */
const char *escape_text(struct str s, char *out, size_t out_bytes);

#endif
