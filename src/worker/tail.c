#include "worker/tail.h"

#include <inttypes.h>

/* The bytes of a character that are not its first. */
#define CONTINUATION_BYTES_MAX 3

void tail_init(struct tail *tail, size_t bytes_max)
{
    *tail = (struct tail){.bytes_max = bytes_max};
    buf_init(&tail->bytes, 2 * bytes_max);
}

void tail_done(struct tail *tail)
{
    buf_done(&tail->bytes);
}

static struct str last(struct str bytes, size_t count)
{
    return bytes.len > count ? str_skip(bytes, bytes.len - count) : bytes;
}

void tail_write(struct tail *tail, struct str bytes)
{
    struct str kept = last(bytes, tail->bytes_max);

    tail->seen_bytes += bytes.len;
    if (tail->bytes.len + kept.len > 2 * tail->bytes_max) {
        /* Moved once per bytes_max written, so the cost per byte is constant. */
        struct str old = last(buf_str(&tail->bytes), tail->bytes_max);

        memmove(tail->bytes.data, old.ptr, old.len);
        buf_truncate(&tail->bytes, old.len);
    }
    buf_append_str(&tail->bytes, kept);
}

void tail_clean(struct str bytes, struct buf *out)
{
    while (bytes.len > 0) {
        uint32_t code = 0;
        size_t len = str_utf8_decode(bytes, &code);

        if (len == 0 || code == 0) { /* our own server refuses U+0000 in any form */
            buf_append_text(out, "\xef\xbf\xbd");
            len = 1;
        } else {
            buf_append(out, bytes.ptr, len);
        }
        bytes = str_skip(bytes, len);
    }
}

void tail_text(const struct tail *tail, struct buf *out)
{
    struct str kept = last(buf_str(&tail->bytes), tail->bytes_max);

    if (tail->seen_bytes > kept.len) {
        for (int i = 0; i < CONTINUATION_BYTES_MAX && kept.len > 0 && ((unsigned char)kept.ptr[0] & 0xc0) == 0x80;
             i++) {
            kept = str_skip(kept, 1);
        }
        buf_printf(out, "[%" PRIu64 " bytes before this are not kept]\n", tail->seen_bytes - kept.len);
    }
    tail_clean(kept, out);
}
