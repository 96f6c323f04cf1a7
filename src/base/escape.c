#include "base/escape.h"

#include <assert.h>

static bool is_plain_ascii(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

bool escape_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f || code == 0xfeff;
}

size_t escape_plain_run(struct str s)
{
    size_t len = 0;

    while (len < s.len && is_plain_ascii((unsigned char)s.ptr[len])) {
        len++;
    }
    return len;
}

/* \n and its like for the control characters that have a letter, 0 for the others. */
static char letter_of(uint32_t code)
{
    switch (code) {
    case '"':
    case '\\':
        return (char)code;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static size_t put_hex(uint32_t code, char *out)
{
    static const char digits[] = "0123456789abcdef";

    assert(code <= 0xffff); /* everything unsafe is in the basic plane */
    out[0] = '\\';
    out[1] = 'u';
    for (size_t i = 0; i < 4; i++) {
        out[2 + i] = digits[code >> (12 - 4 * i) & 0xf];
    }
    return 6;
}

size_t escape_step(struct str *rest, char out[static ESCAPE_BYTES_MAX])
{
    const char *from = rest->ptr;
    uint32_t code = 0;
    size_t len = str_utf8_decode(*rest, &code);
    char letter = letter_of(code);

    *rest = str_skip(*rest, len > 0 ? len : 1);
    if (len == 0) {
        memcpy(out, "\xef\xbf\xbd", 3); /* U+FFFD, once per bad byte */
        return 3;
    }
    if (letter != 0) {
        out[0] = '\\';
        out[1] = letter;
        return 2;
    }
    if (escape_unsafe(code)) {
        return put_hex(code, out);
    }
    memcpy(out, from, len);
    return len;
}

const char *escape_text(struct str s, char *out, size_t out_bytes)
{
    size_t used = 0;

    assert(out_bytes > 0);
    while (s.len > 0) {
        char piece[ESCAPE_BYTES_MAX];
        size_t len = escape_step(&s, piece);
        if (used + len >= out_bytes) {
            break;
        }
        memcpy(out + used, piece, len);
        used += len;
    }
    out[used] = '\0';
    return out;
}
