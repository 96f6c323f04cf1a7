#include "server/gzip.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define TRAILER_BYTES 8
/* Without zlib's own header, which has no room for the length. */
#define RAW_WINDOW_BITS (-15)
#define MEMORY_LEVEL 8
#define UNPACK_BYTES 65536
/* The largest window, and zlib reads header and trailer itself. */
#define GZIP_WINDOW_BITS (15 + 16)

/* Deflate, a field of 8 bytes follows, no time, unknown system; BF with 4 bytes. The length comes behind. */
static const unsigned char beginning_of_all[] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 'B', 'F', 4, 0};
#define FIXED_BYTES (sizeof beginning_of_all)

static void put_u32(unsigned char bytes[static 4], uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint32_t get_u32(const char *bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)(unsigned char)bytes[i] << (8 * i);
    }
    return value;
}

static uint32_t crc_of(struct str text)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)text.ptr, text.len);
}

/* ---- packing ---- */

static void pack(struct buf *out, struct str text)
{
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)text.ptr, .avail_in = (uInt)text.len};

    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        mem_exhausted("deflateInit2", 1, sizeof stream);
    }
    size_t bound = deflateBound(&stream, text.len);
    char *room = buf_reserve(out, bound);

    if (room != NULL) {
        stream.next_out = (unsigned char *)room;
        stream.avail_out = (uInt)bound;
        int rc = deflate(&stream, Z_FINISH);

        assert(rc == Z_STREAM_END); /* that is what the bound is for */
        buf_commit(out, bound - stream.avail_out);
    }
    (void)deflateEnd(&stream);
}

void gzip_append(struct buf *out, struct str text)
{
    unsigned char header[GZIP_HEADER_BYTES] = {0};
    unsigned char trailer[TRAILER_BYTES];
    size_t start = out->len;

    assert(text.len < UINT32_MAX);
    memcpy(header, beginning_of_all, FIXED_BYTES);
    buf_append(out, header, sizeof header);
    pack(out, text);
    put_u32(trailer, crc_of(text));
    put_u32(trailer + 4, (uint32_t)text.len);
    buf_append(out, trailer, sizeof trailer);
    if (!buf_overflowed(out)) {
        assert(out->len - start < UINT32_MAX);
        put_u32((unsigned char *)out->data + start + FIXED_BYTES, (uint32_t)(out->len - start));
    }
}

/* ---- looking ---- */

uint32_t gzip_length(struct str beginning)
{
    bool is_ours = beginning.len >= GZIP_HEADER_BYTES && memcmp(beginning.ptr, beginning_of_all, FIXED_BYTES) == 0;
    uint32_t length = is_ours ? get_u32(beginning.ptr + FIXED_BYTES) : 0;

    return length > GZIP_HEADER_BYTES + TRAILER_BYTES ? length : 0;
}

bool gzip_may_begin(struct str beginning)
{
    size_t len = beginning.len < FIXED_BYTES ? beginning.len : FIXED_BYTES;
    bool is_zero = true;

    for (size_t i = 0; i < len; i++) {
        is_zero = is_zero && beginning.ptr[i] == 0;
    }
    return is_zero || memcmp(beginning.ptr, beginning_of_all, len) == 0;
}

/* Goes through to the end, and keeps nothing. */
static bool unpacks(struct str packed, uint32_t *ret_crc, uint32_t *ret_length)
{
    unsigned char piece[UNPACK_BYTES];
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)packed.ptr, .avail_in = (uInt)packed.len};
    uLong crc = 0;
    int rc = Z_OK;

    if (inflateInit2(&stream, RAW_WINDOW_BITS) != Z_OK) {
        mem_exhausted("inflateInit2", 1, sizeof stream);
    }
    while (rc == Z_OK) { /* each turn gives something, or ends with Z_BUF_ERROR */
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        rc = inflate(&stream, Z_NO_FLUSH);
        crc = crc32_z(crc, piece, sizeof piece - stream.avail_out);
    }
    *ret_crc = (uint32_t)crc;
    *ret_length = (uint32_t)stream.total_out;
    bool is_all = rc == Z_STREAM_END && stream.avail_in == 0;

    (void)inflateEnd(&stream);
    return is_all;
}

bool gzip_is_whole(struct str member)
{
    uint32_t crc, length;

    if (gzip_length(member) != member.len) {
        return false;
    }
    struct str packed = {member.ptr + GZIP_HEADER_BYTES, member.len - GZIP_HEADER_BYTES - TRAILER_BYTES};
    const char *trailer = member.ptr + member.len - TRAILER_BYTES;

    return unpacks(packed, &crc, &length) && crc == get_u32(trailer) && length == get_u32(trailer + 4);
}

bool gzip_unpack(struct buf *out, struct str file)
{
    unsigned char piece[UNPACK_BYTES];
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)file.ptr, .avail_in = (uInt)file.len};
    int rc = Z_OK;

    if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK) {
        mem_exhausted("inflateInit2", 1, sizeof stream);
    }
    while (rc == Z_OK && !buf_overflowed(out)) { /* each turn gives something, or ends with Z_BUF_ERROR */
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        rc = inflate(&stream, Z_NO_FLUSH);
        buf_append(out, piece, sizeof piece - stream.avail_out);
    }
    bool is_all = rc == Z_STREAM_END && stream.avail_in == 0;

    (void)inflateEnd(&stream);
    return is_all && !buf_overflowed(out);
}
