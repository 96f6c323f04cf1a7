#include "store/postgres/pg_array.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/limits.h"
#include "model/record.h"

/* Number of dimensions, whether there are NULLs, the elements' type; then each dimension's length and first index. */
enum { HEAD_WORDS = 5, HEAD_BYTES = HEAD_WORDS * sizeof(uint32_t), EMPTY_BYTES = 3 * sizeof(uint32_t) };

/* PostgreSQL's numbers of its types (pg_type.dat), and their sizes. */
static const struct {
    uint32_t oid;
    uint32_t bytes;
} types[] = {
    [PG_INT2] = {21, 2}, [PG_INT4] = {23, 4}, [PG_INT8] = {20, 8}, [PG_TEXT] = {25, 0}, [PG_BYTEA] = {17, 0},
};

enum pg_type pg_type_of(char letter)
{
    switch (letter) {
    case '2':
        return PG_INT2;
    case '4':
        return PG_INT4;
    case '8':
        return PG_INT8;
    case 't':
        return PG_TEXT;
    default:
        return PG_BYTEA;
    }
}

uint32_t pg_type_oid(enum pg_type type)
{
    return types[type].oid;
}

uint32_t pg_type_bytes(enum pg_type type)
{
    return types[type].bytes;
}

void pg_array_init(struct pg_array *array, enum pg_type type)
{
    *array = (struct pg_array){.type = type};
    buf_init(&array->bytes, 2 * BATCH_BYTES_MAX);
}

void pg_array_done(struct pg_array *array)
{
    buf_done(&array->bytes);
}

void pg_array_reset(struct pg_array *array)
{
    buf_reset(&array->bytes);
    array->count = array->filled = 0;
}

static void put(struct pg_array *array, const void *bytes, uint32_t len)
{
    uint32_t big = htobe32(len);
    char *at;

    if (array->count == 0) {
        static const char head[HEAD_BYTES];

        buf_append(&array->bytes, head, sizeof head);
    }
    at = buf_reserve(&array->bytes, sizeof big + len);
    assert(at != NULL); /* a batch is smaller */
    memcpy(at, &big, sizeof big);
    if (len > 0) {
        memcpy(at + sizeof big, bytes, len);
    }
    buf_commit(&array->bytes, sizeof big + len);
    array->count++;
    array->filled++;
}

static void put_null(struct pg_array *array)
{
    static const char head[HEAD_BYTES];
    static const uint32_t none = UINT32_MAX; /* a length of -1, in any order of bytes */

    if (array->count == 0) {
        buf_append(&array->bytes, head, sizeof head);
    }
    buf_append(&array->bytes, &none, sizeof none);
    array->count++;
}

void pg_array_key(struct pg_array *array, int64_t value)
{
    uint64_t big = htobe64((uint64_t)value);
    uint32_t len = types[array->type].bytes;

    put(array, (const char *)&big + sizeof big - len, len);
}

void pg_array_int(struct pg_array *array, int64_t value)
{
    if (value == 0) {
        put_null(array);
    } else {
        pg_array_key(array, value);
    }
}

void pg_array_time(struct pg_array *array, int64_t ms)
{
    if (ms == TIME_NONE) {
        put_null(array);
    } else {
        pg_array_key(array, ms);
    }
}

void pg_array_id(struct pg_array *array, uint64_t id)
{
    pg_array_key(array, (int64_t)id);
}

void pg_array_text(struct pg_array *array, struct str text)
{
    put(array, text.ptr, (uint32_t)text.len);
}

void pg_array_text_opt(struct pg_array *array, struct str text)
{
    if (text.len == 0) {
        put_null(array);
    } else {
        pg_array_text(array, text);
    }
}

struct str pg_array_bytes(struct pg_array *array)
{
    const uint32_t oid = types[array->type].oid;
    const uint32_t head[HEAD_WORDS] = {htobe32(1), htobe32(array->filled < array->count ? 1 : 0), htobe32(oid),
                                       htobe32(array->count), htobe32(1)};

    if (array->filled == 0) { /* rule 2 */
        const uint32_t empty[] = {0, 0, htobe32(oid)};

        buf_reset(&array->bytes);
        buf_append(&array->bytes, empty, sizeof empty);
        return (struct str){array->bytes.data, EMPTY_BYTES};
    }
    memcpy(array->bytes.data, head, sizeof head);
    return buf_str(&array->bytes);
}
