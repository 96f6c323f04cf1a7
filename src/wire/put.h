/* put: the words of the contract that every answer is made of: ids, instants, lengths of time, and null for none.
 *
 * Each of wire_put_x writes a key and its value into the object that is open.
 *
 * Owns:  nothing.
 * Rules: (1) instants are UTC with milliseconds, ids have their prefix, lengths of time their units.
 *        (2) TIME_NONE, ID_NONE and the empty text are written as null.
 * See:   docs/openapi.yaml, tests/unit/wire/test_put.c
 */
#ifndef WIRE_PUT_H
#define WIRE_PUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "base/json_write.h"
#include "base/str.h"

void wire_put_instant(struct jw *jw, const char *key, int64_t ms);
void wire_put_duration(struct jw *jw, const char *key, int64_t ms);

/* kind is ID_JOB or ID_TRIGGER. */
void wire_put_id(struct jw *jw, const char *key, enum id_kind kind, uint64_t id);
void wire_put_attempt_id(struct jw *jw, const char *key, uint64_t trigger, uint32_t number);

/* A hash (of a time zone's rules, of errors that are alike) as 16 hexadecimal digits; 0 is null. And back. */
void wire_put_hash(struct jw *jw, const char *key, uint64_t hash);
bool wire_hash_read(struct str text, uint64_t *ret_hash);

/* A text that may not be there; wire_put_word never is null. */
void wire_put_text(struct jw *jw, const char *key, struct str text);
void wire_put_word(struct jw *jw, const char *key, const char *word);
void wire_put_int(struct jw *jw, const char *key, int64_t value);
void wire_put_bool(struct jw *jw, const char *key, bool value);
void wire_put_null(struct jw *jw, const char *key);

/* A job's name: its id where it was given none. */
void wire_put_name(struct jw *jw, const char *key, struct str name, uint64_t job);

/* ---- lists ---- */

/* {"items":[ ... ],"next":...}: write the items between the two. next is a mark (wire/mark.h), NULL at the end. */
void wire_list_begin(struct jw *jw);
void wire_list_end(struct jw *jw, const char *next);

#endif
