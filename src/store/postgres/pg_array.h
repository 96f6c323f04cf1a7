/* pg_array: one column of many rows, as PostgreSQL's binary array, for unnest.
 *
 * Owns:  its bytes.
 * Rules: (1) a number that is 0, an instant that is not set and a text that is empty are NULL, unless the function's
 * name says otherwise; who reads it in SQL says coalesce where the column is NOT NULL. (2) a column of NULLs alone is
 * the empty array: unnest fills up what is shorter, so it costs nothing.
 */
#ifndef STORE_POSTGRES_PG_ARRAY_H
#define STORE_POSTGRES_PG_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum pg_type { PG_INT2, PG_INT4, PG_INT8, PG_TEXT, PG_BYTEA };

/* 2, 4, 8: integers of so many bytes; t: text; b: bytes. */
enum pg_type pg_type_of(char letter);

/* PostgreSQL's number of the type; bytes of a value, 0 where they differ. */
uint32_t pg_type_oid(enum pg_type type);
uint32_t pg_type_bytes(enum pg_type type);

struct pg_array {
    enum pg_type type;
    struct buf bytes;
    uint32_t count;
    uint32_t filled; /* those that are not NULL */
};

void pg_array_init(struct pg_array *array, enum pg_type type);
void pg_array_done(struct pg_array *array);
void pg_array_reset(struct pg_array *array);

/* The next element. */
void pg_array_key(struct pg_array *array, int64_t value); /* 0 is 0 */
void pg_array_int(struct pg_array *array, int64_t value);
void pg_array_time(struct pg_array *array, int64_t ms);
void pg_array_text(struct pg_array *array, struct str text); /* the empty one is the empty one; of a bytea too */
void pg_array_text_opt(struct pg_array *array, struct str text);

/* An int8[] of ids. */
void pg_array_id(struct pg_array *array, uint64_t id);

/* What to send; holds until the next element. */
struct str pg_array_bytes(struct pg_array *array);

#endif
