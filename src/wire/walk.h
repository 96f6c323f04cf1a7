/* walk: once over JSON that was checked, forwards, without a tree. What the readers and writers of this layer share.
 *
 * A walk stands before a value, or inside an object or array. Go in with walk_open, take each field with walk_field or
 * each element with walk_item, and take every value that they come to: read, entered, or passed over with walk_value.
 *
 * Owns:  nothing; slices are of the text.
 * Never: recurses, checks the grammar. The text is one that jscan_check has accepted, or that Belfry itself wrote.
 * Rules: (1) readers that fail may leave the walk anywhere: it is not used again.
 *        (2) errors say what a value must be; who knows the field adds it.
 * See:   base/json_scan.h, base/json_raw.h (one value by its key), tests/unit/wire/test_walk.c
 */
#ifndef WIRE_WALK_H
#define WIRE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct walk {
    const char *at;
    const char *end;
};

struct walk walk_of(struct str text);

/* The first byte of the value that it stands before: { [ " t f n - or a digit. */
char walk_kind(struct walk *walk);

/* Into the object or array that it stands before. */
void walk_open(struct walk *walk);

/* The next field of the object, up to its value; false at its end, which is passed. The key is as it stands in the
 * text: a key with escapes is compared by walk_key_is alone. */
bool walk_field(struct walk *walk, struct str *ret_key);
bool walk_key_is(struct str key, struct str word);

/* The next element of the array; false at its end, which is passed. */
bool walk_item(struct walk *walk);

/* Passes over the value and gives its bytes. */
struct str walk_value(struct walk *walk);

/* Passes over a null, if it stands before one. */
bool walk_null(struct walk *walk);

/* ---- values of a kind, or ERR_INVALID with "must be ..." ---- */

/* A slice of the text, or made in the arena where it has escapes. */
MUST_CHECK enum err walk_str(struct walk *walk, struct arena *arena, struct str *ret_value, struct error *reterr);
MUST_CHECK enum err walk_int(struct walk *walk, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr);
MUST_CHECK enum err walk_double(struct walk *walk, double min, double max, double *ret_value, struct error *reterr);
MUST_CHECK enum err walk_bool(struct walk *walk, bool *ret_value, struct error *reterr);
MUST_CHECK enum err walk_array(struct walk *walk, struct error *reterr);  /* and into it */
MUST_CHECK enum err walk_object(struct walk *walk, struct error *reterr); /* likewise */

#endif
