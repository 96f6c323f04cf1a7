/* pg_rows: many rows as one array of a type of ours, for unnest.
 *
 * What runs for every job is sent so: to put a row together from an array for each column (pg_array.h) costs the server
 * a third of what it takes to write it. Rows have the binary form of PostgreSQL's composite types: the number of
 * columns; then of each its type, its length (-1: NULL) and its bytes.
 *
 * Owns:  its bytes.
 * Rules: (1) as in pg_array.h, a number that is 0, an instant that is not set and a text that is empty are NULL, unless
 *            the function's name says otherwise.
 *        (2) a row is begun, has all its columns in their order, and is ended.
 * See:   the types in store/sql/postgres; pg_session.c asks for their numbers
 */
#ifndef STORE_POSTGRES_PG_ROWS_H
#define STORE_POSTGRES_PG_ROWS_H

#include "store/postgres/pg_array.h"

#define PG_ROWS_COLUMNS_MAX 32

/* The types, by their names in the schema. */
#define PG_ROW_TABLE(X)                                                                                                \
    X(PG_ROW_JOB_NEW, "job_new")                                                                                       \
    X(PG_ROW_JOB_CHANGE, "job_change")                                                                                 \
    X(PG_ROW_TRIGGER_NEW, "trigger_new")

enum pg_row_type {
#define X(name, text) name,
    PG_ROW_TABLE(X)
#undef X
        PG_ROW_TYPES, /* none of them */
};

struct pg_rows {
    enum pg_type types[PG_ROWS_COLUMNS_MAX];
    uint32_t columns;
    struct buf bytes;
    uint32_t count;
    size_t row_at; /* where the row that is under way begins */
    uint32_t next; /* its next column */
};

/* types: one letter for each column, as pg_type_of reads them. */
void pg_rows_init(struct pg_rows *rows, const char *types);
void pg_rows_done(struct pg_rows *rows);
void pg_rows_reset(struct pg_rows *rows);

void pg_rows_begin(struct pg_rows *rows);
void pg_rows_end(struct pg_rows *rows);

/* The next column. */
void pg_rows_key(struct pg_rows *rows, int64_t value); /* 0 is 0 */
void pg_rows_int(struct pg_rows *rows, int64_t value);
void pg_rows_time(struct pg_rows *rows, int64_t ms);
void pg_rows_text(struct pg_rows *rows, struct str text); /* the empty one is the empty one */
void pg_rows_text_opt(struct pg_rows *rows, struct str text);

/* What to send, as an array of the type with this number; holds until the next row. There is at least one. */
struct str pg_rows_bytes(struct pg_rows *rows, uint32_t type_oid);

#endif
