/* buf: bytes that grow, up to a maximum the buffer is born with.
 *
 * Owns:  its bytes. What is appended is copied.
 * Rules: (1) an append that would pass max_bytes adds nothing and marks the buffer overflowed; from then
 *            on every append is a no-op, so that writers check once, at the end.
 *        (2) buf_text is NUL-terminated at all times; the NUL is not counted in len.
 *        (3) slices and pointers into a buffer hold until the next append.
 * See:   tests/unit/base/test_buf.c
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct buf {
    char *data;       /* NULL until the first append */
    size_t len;       /* bytes in use, without the final NUL */
    size_t cap;       /* bytes allocated, the final NUL included */
    size_t max_bytes; /* len never passes this */
    bool is_overflowed;
};

/* Allocates nothing yet. */
void buf_init(struct buf *buf, size_t max_bytes);

/* Also right for SCOPE(buf_done). The buffer is empty afterwards, with the same maximum. */
void buf_done(struct buf *buf);

/* Empty again and not overflowed; keeps the memory. */
void buf_reset(struct buf *buf);

void buf_append(struct buf *buf, const void *bytes, size_t len);
void buf_append_str(struct buf *buf, struct str s);
void buf_append_text(struct buf *buf, const char *text);
void buf_append_char(struct buf *buf, char c);
void buf_append_int(struct buf *buf, int64_t value);
void buf_append_uint(struct buf *buf, uint64_t value);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Room for len more bytes, for those who write in place: NULL where they would pass the maximum (the buffer is then
 * overflowed). Say with buf_commit how many of them were written. */
char *buf_reserve(struct buf *buf, size_t len);
void buf_commit(struct buf *buf, size_t len);

/* Cuts the end off; len may not be longer than the buffer is. */
void buf_truncate(struct buf *buf, size_t len);

static inline bool buf_overflowed(const struct buf *buf)
{
    return buf->is_overflowed;
}

/* The bytes as a C string, "" where there are none. */
const char *buf_text(const struct buf *buf);
struct str buf_str(const struct buf *buf);

bool buf_valid(const struct buf *buf);

#endif
