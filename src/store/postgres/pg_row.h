/* pg_row: the columns of one row of an answer, taken in their order (in binary format).
 *
 * Rules: (1) NULL and TIME_NONE are the same, and so are NULL and the empty text.
 *        (2) texts hold as long as the answer.
 */
#ifndef STORE_POSTGRES_PG_ROW_H
#define STORE_POSTGRES_PG_ROW_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/record.h"

struct pg_row {
    const PGresult *answer;
    int row;
    int taken;       /* columns so far */
    const char *bad; /* the first column whose value makes no sense; NULL: all is well */
};

static inline struct pg_row pg_row(const PGresult *answer, int row)
{
    return (struct pg_row){.answer = answer, .row = row};
}

bool pg_next_is_null(const struct pg_row *row);

/* Of smallint, integer and bigint; NULL is 0. */
int64_t pg_take_int(struct pg_row *row);

static inline uint64_t pg_take_id(struct pg_row *row)
{
    return (uint64_t)pg_take_int(row);
}

static inline int64_t pg_take_time(struct pg_row *row)
{
    bool is_null = pg_next_is_null(row);
    int64_t ms = pg_take_int(row);

    return is_null ? TIME_NONE : ms;
}

/* A number from 0 to max; anything else makes the row bad. */
uint32_t pg_take_below(struct pg_row *row, uint32_t max);

/* An integer that holds 32 bits without a sign, or a bigint of that range. */
uint32_t pg_take_u32(struct pg_row *row);

/* A text or a bytea. */
struct str pg_take_text(struct pg_row *row);

#endif
