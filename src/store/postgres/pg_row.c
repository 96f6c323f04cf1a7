#include "store/postgres/pg_row.h"

#include <endian.h>
#include <string.h>

bool pg_next_is_null(const struct pg_row *row)
{
    return PQgetisnull(row->answer, row->row, row->taken) == 1;
}

static void spoil(struct pg_row *row, int column)
{
    if (row->bad == NULL) {
        row->bad = PQfname(row->answer, column);
    }
}

int64_t pg_take_int(struct pg_row *row)
{
    int column = row->taken++;
    const char *bytes = PQgetvalue(row->answer, row->row, column);
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (PQgetlength(row->answer, row->row, column)) {
    case 0: /* NULL */
        return 0;
    case sizeof two:
        memcpy(&two, bytes, sizeof two);
        return (int16_t)be16toh(two);
    case sizeof four:
        memcpy(&four, bytes, sizeof four);
        return (int32_t)be32toh(four);
    case sizeof eight:
        memcpy(&eight, bytes, sizeof eight);
        return (int64_t)be64toh(eight);
    default:
        spoil(row, column);
        return 0;
    }
}

uint32_t pg_take_below(struct pg_row *row, uint32_t max)
{
    int64_t value = pg_take_int(row);

    if (value < 0 || value > max) {
        spoil(row, row->taken - 1);
        return 0;
    }
    return (uint32_t)value;
}

uint32_t pg_take_u32(struct pg_row *row)
{
    if (PQgetlength(row->answer, row->row, row->taken) == sizeof(uint32_t)) {
        return (uint32_t)pg_take_int(row);
    }
    return pg_take_below(row, UINT32_MAX);
}

struct str pg_take_text(struct pg_row *row)
{
    int column = row->taken++;

    return (struct str){PQgetvalue(row->answer, row->row, column), (size_t)PQgetlength(row->answer, row->row, column)};
}
