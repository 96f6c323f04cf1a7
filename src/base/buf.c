#include "base/buf.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"

#define BUF_FIRST_BYTES 64

void buf_init(struct buf *buf, size_t max_bytes)
{
    assert(max_bytes < SIZE_MAX / 4); /* so that doubling and the final NUL cannot overflow */
    *buf = (struct buf){.max_bytes = max_bytes};
}

void buf_done(struct buf *buf)
{
    mem_free(buf->data);
    *buf = (struct buf){.max_bytes = buf->max_bytes};
}

void buf_reset(struct buf *buf)
{
    buf->len = 0;
    buf->is_overflowed = false;
    if (buf->data != NULL) {
        buf->data[0] = '\0';
    }
}

/* Doubles, so that n appended bytes cost O(n) in all; never past the maximum and its NUL. */
static void grow(struct buf *buf, size_t need)
{
    size_t cap = buf->cap > 0 ? buf->cap : BUF_FIRST_BYTES;

    while (cap < need) {
        cap *= 2;
    }
    if (cap > buf->max_bytes + 1) {
        cap = buf->max_bytes + 1;
    }
    buf->data = mem_realloc_array(buf->data, cap, 1);
    buf->cap = cap;
}

char *buf_reserve(struct buf *buf, size_t len)
{
    if (buf->is_overflowed || len > buf->max_bytes - buf->len) {
        buf->is_overflowed = true;
        return NULL;
    }
    if (buf->len + len + 1 > buf->cap) {
        grow(buf, buf->len + len + 1);
    }
    return buf->data + buf->len;
}

void buf_commit(struct buf *buf, size_t len)
{
    assert(len < buf->cap - buf->len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void buf_append(struct buf *buf, const void *bytes, size_t len)
{
    char *room;

    if (len == 0) {
        return;
    }
    room = buf_reserve(buf, len);
    if (room == NULL) {
        return;
    }
    memcpy(room, bytes, len);
    buf_commit(buf, len);
}

void buf_append_str(struct buf *buf, struct str s)
{
    buf_append(buf, s.ptr, s.len);
}

void buf_append_text(struct buf *buf, const char *text)
{
    buf_append(buf, text, strlen(text));
}

void buf_append_char(struct buf *buf, char c)
{
    buf_append(buf, &c, 1);
}

/* Writes the digits of value so that they end before end; returns where they begin. */
static char *put_digits(char *end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return end;
}

void buf_append_uint(struct buf *buf, uint64_t value)
{
    char text[20];
    char *end = text + sizeof text;
    char *first = put_digits(end, value);

    buf_append(buf, first, (size_t)(end - first));
}

void buf_append_int(struct buf *buf, int64_t value)
{
    char text[20];
    char *end = text + sizeof text;
    char *first = put_digits(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);

    if (value < 0) {
        *--first = '-';
    }
    buf_append(buf, first, (size_t)(end - first));
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    char *room = buf_reserve(buf, 0); /* the first try has what is left */
    size_t left = buf->cap - buf->len;
    va_list again;
    int len;

    if (room == NULL) {
        return;
    }
    va_copy(again, args);
    len = vsnprintf(room, left, format, args);
    assert(len >= 0); /* fails only for a wrong format, which is our own bug */
    if ((size_t)len >= left) {
        room[0] = '\0'; /* the piece that did fit does not count: rule 1 */
        room = buf_reserve(buf, (size_t)len);
        if (room != NULL) {
            (void)vsnprintf(room, (size_t)len + 1, format, again);
        }
    }
    if (room != NULL) {
        buf->len += (size_t)len;
    }
    va_end(again);
}

void buf_truncate(struct buf *buf, size_t len)
{
    assert(len <= buf->len);
    buf->len = len;
    if (buf->data != NULL) {
        buf->data[len] = '\0';
    }
}

const char *buf_text(const struct buf *buf)
{
    return buf->data != NULL ? buf->data : "";
}

struct str buf_str(const struct buf *buf)
{
    return (struct str){buf_text(buf), buf->len};
}

bool buf_valid(const struct buf *buf)
{
    if (buf->data == NULL) {
        return buf->len == 0 && buf->cap == 0;
    }
    return buf->len <= buf->max_bytes && buf->len < buf->cap && buf->cap <= buf->max_bytes + 1 &&
           buf->data[buf->len] == '\0';
}
