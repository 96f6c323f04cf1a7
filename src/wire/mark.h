/* mark: where a page of a list ended, for the next one to begin behind.
 *
 * A mark is what `next` says and `after` takes. Clients hand it back and nothing else: it is safe in a URL as it is,
 * and has a version and check digits, so that one that was cut, made up or meant for another list is refused instead of
 * showing a wrong page. It is no secret.
 *
 * Owns:  nothing.
 * Rules: (1) one key has one mark; what is read back is what was written.
 *        (2) a mark has at most WIRE_MARK_BYTES - 1 bytes, of A-Z a-z 0-9 - _ alone.
 * See:   docs/openapi.yaml (NextPage), tests/unit/wire/test_mark.c
 */
#ifndef WIRE_MARK_H
#define WIRE_MARK_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* The longest mark the contract allows, and its NUL. */
#define WIRE_MARK_BYTES 561
/* Of a text that stands in a mark: two names, and what stands between them. */
#define WIRE_MARK_TEXT_BYTES_MAX 401

/* Behind an id (lists of jobs, dead letters). */
const char *wire_mark_id(uint64_t id, char out[static WIRE_MARK_BYTES]);
/* Behind a number and an id: an instant and a trigger in the ledger, an attempt's number and its trigger. */
const char *wire_mark_pair(int64_t number, uint64_t id, char out[static WIRE_MARK_BYTES]);
/* Behind a text (lists by name); at most WIRE_MARK_TEXT_BYTES_MAX bytes. */
const char *wire_mark_text(struct str text, char out[static WIRE_MARK_BYTES]);

/* Back; ERR_INVALID in field "after" for what is not such a mark. */
MUST_CHECK enum err wire_mark_read_id(struct str mark, uint64_t *ret_id, struct error *reterr);
MUST_CHECK enum err wire_mark_read_pair(struct str mark, int64_t *ret_number, uint64_t *ret_id, struct error *reterr);
MUST_CHECK enum err wire_mark_read_text(struct str mark, struct arena *arena, struct str *ret_text,
                                        struct error *reterr);

#endif
