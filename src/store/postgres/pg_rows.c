#include "store/postgres/pg_rows.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/limits.h"
#include "model/record.h"

/* Of the array: dimensions, whether there are NULLs, the elements' type, length, first index. */
enum { HEAD_WORDS = 5, HEAD_BYTES = HEAD_WORDS * sizeof(uint32_t) };

/* Of a row: its length as an element, its number of columns. Of a column: type and length. */
enum { ROW_WORDS = 2, COLUMN_WORDS = 2 };

void pg_rows_init(struct pg_rows *rows, const char *types)
{
    *rows = (struct pg_rows){.columns = (uint32_t)strlen(types)};
    assert(rows->columns <= PG_ROWS_COLUMNS_MAX);
    for (uint32_t i = 0; i < rows->columns; i++) {
        rows->types[i] = pg_type_of(types[i]);
    }
    buf_init(&rows->bytes, 4 * BATCH_BYTES_MAX);
}

void pg_rows_done(struct pg_rows *rows)
{
    buf_done(&rows->bytes);
}

void pg_rows_reset(struct pg_rows *rows)
{
    buf_reset(&rows->bytes);
    rows->count = 0;
}

void pg_rows_begin(struct pg_rows *rows)
{
    const uint32_t head[ROW_WORDS] = {0, htobe32(rows->columns)};

    if (rows->count == 0) {
        static const char array_head[HEAD_BYTES];

        buf_append(&rows->bytes, array_head, sizeof array_head);
    }
    rows->row_at = rows->bytes.len;
    rows->next = 0;
    buf_append(&rows->bytes, head, sizeof head);
}

void pg_rows_end(struct pg_rows *rows)
{
    uint32_t len = htobe32((uint32_t)(rows->bytes.len - rows->row_at - sizeof len));

    assert(rows->next == rows->columns);   /* rule 2 */
    assert(!buf_overflowed(&rows->bytes)); /* a batch is smaller */
    memcpy(rows->bytes.data + rows->row_at, &len, sizeof len);
    rows->count++;
}

static void put(struct pg_rows *rows, const void *bytes, uint32_t len)
{
    const uint32_t head[COLUMN_WORDS] = {htobe32(pg_type_oid(rows->types[rows->next])), htobe32(len)};
    char *at = buf_reserve(&rows->bytes, sizeof head + len);

    assert(at != NULL && rows->next < rows->columns);
    memcpy(at, head, sizeof head);
    if (len > 0) {
        memcpy(at + sizeof head, bytes, len);
    }
    buf_commit(&rows->bytes, sizeof head + len);
    rows->next++;
}

static void put_null(struct pg_rows *rows)
{
    const uint32_t head[COLUMN_WORDS] = {htobe32(pg_type_oid(rows->types[rows->next])), UINT32_MAX};

    assert(rows->next < rows->columns);
    buf_append(&rows->bytes, head, sizeof head);
    rows->next++;
}

void pg_rows_key(struct pg_rows *rows, int64_t value)
{
    uint64_t big = htobe64((uint64_t)value);
    uint32_t len = pg_type_bytes(rows->types[rows->next]);

    put(rows, (const char *)&big + sizeof big - len, len);
}

void pg_rows_int(struct pg_rows *rows, int64_t value)
{
    if (value == 0) {
        put_null(rows);
    } else {
        pg_rows_key(rows, value);
    }
}

void pg_rows_time(struct pg_rows *rows, int64_t ms)
{
    if (ms == TIME_NONE) {
        put_null(rows);
    } else {
        pg_rows_key(rows, ms);
    }
}

void pg_rows_text(struct pg_rows *rows, struct str text)
{
    put(rows, text.ptr, (uint32_t)text.len);
}

void pg_rows_text_opt(struct pg_rows *rows, struct str text)
{
    if (text.len == 0) {
        put_null(rows);
    } else {
        pg_rows_text(rows, text);
    }
}

struct str pg_rows_bytes(struct pg_rows *rows, uint32_t type_oid)
{
    const uint32_t head[HEAD_WORDS] = {htobe32(1), 0, htobe32(type_oid), htobe32(rows->count), htobe32(1)};

    assert(rows->count > 0);
    memcpy(rows->bytes.data, head, sizeof head);
    return buf_str(&rows->bytes);
}
