/* json_text: objects as text, put together without touching their values' bytes.
 *
 * Pure. Both texts are JSON that was checked (jscan_check, jr_parse).
 *
 * See: base/json_raw.h, tests/unit/cli/test_json_text.c
 */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_scan.h"
#include "base/str.h"

/* As much as a job or a page of them may have. */
extern const struct jscan_limits json_text_limits;

/* Reads JSON from an option's text, @FILE or - (standard input) into out, and checks it. */
enum err json_text_read(struct str argument, size_t bytes_max, struct buf *out, struct error *reterr) MUST_CHECK;

/* All of a file (- is standard input), at most bytes_max of it. */
enum err json_text_file(const char *path, size_t bytes_max, struct buf *out, struct error *reterr) MUST_CHECK;

/* Whether text is an object that has the key, and its value's bytes. */
bool json_text_member(struct str text, const char *key, struct str *ret_value);

/* Walks over the elements of an array: begin with 0 in *offset; false at the end. */
bool json_text_element(struct str text, size_t *offset, struct str *ret_value);

/* Appends an object: base's members, those of over instead of theirs, and the rest of over's behind them. Members of
 * base that dropped names (NULL-terminated; may be NULL) are left out. */
void json_text_overlay(struct str base, struct str over, const char *const dropped[], struct buf *out);

/* Appends those members of an object that keys (NULL-terminated) names, in that order, one a line. */
void json_text_lines(struct str text, const char *const keys[], struct buf *out);

#endif
