#include "base/json_raw.h"

#include "base/json_scan.h"

static struct str skip_space(struct str s)
{
    size_t count = 0;

    while (count < s.len && (s.ptr[count] == ' ' || (s.ptr[count] >= '\t' && s.ptr[count] <= '\r'))) {
        count++;
    }
    return str_skip(s, count);
}

static bool ends_scalar(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || (c >= '\t' && c <= '\r');
}

/* The value at the beginning of s. A depth is enough of a stack: the text is known to be well-formed. */
static struct str value_at(struct str s)
{
    size_t len = 0, depth = 0;

    do {
        char c = s.ptr[len];
        if (c == '"') {
            len += jscan_string(str_skip(s, len));
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
        }
        if (c == '}' || c == ']') {
            depth--;
        }
        len++;
        if (depth == 0 && !(c == '}' || c == ']')) {
            while (len < s.len && !ends_scalar(s.ptr[len])) {
                len++;
            }
        }
    } while (depth > 0);
    return (struct str){s.ptr, len};
}

static unsigned hex4(const char *p)
{
    unsigned value = 0;

    for (int i = 0; i < 4; i++) {
        char c = p[i];
        value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static size_t put_utf8(unsigned code, char out[static 4])
{
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};

    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (char)(lead[len] | code);
    return len;
}

/* Takes one character off the inside of a string and writes its bytes. */
static size_t take_char(struct str *s, char out[static 4])
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *letter;
    unsigned code;

    out[0] = s->ptr[0];
    if (s->ptr[0] != '\\') {
        *s = str_skip(*s, 1);
        return 1;
    }
    if (s->ptr[1] != 'u') {
        letter = strchr(letters, s->ptr[1]);
        out[0] = letter != NULL ? meanings[letter - letters] : s->ptr[1];
        *s = str_skip(*s, 2);
        return 1;
    }
    code = hex4(s->ptr + 2);
    *s = str_skip(*s, 6);
    if (code >= 0xd800 && code <= 0xdbff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4(s->ptr + 2) - 0xdc00);
        *s = str_skip(*s, 6);
    }
    return put_utf8(code, out);
}

/* raw is the inside of a string and may spell the key with escapes. */
static bool spells(struct str raw, struct str key)
{
    while (raw.len > 0) {
        char piece[4];
        size_t len = take_char(&raw, piece);
        if (!str_starts_with(key, (struct str){piece, len})) {
            return false;
        }
        key = str_skip(key, len);
    }
    return key.len == 0;
}

bool jraw_member(struct str text, struct str key, struct str *ret_value)
{
    struct str rest = skip_space(text);

    if (rest.len == 0 || rest.ptr[0] != '{') {
        return false;
    }
    rest = skip_space(str_skip(rest, 1));
    while (rest.ptr[0] == '"') {
        size_t key_len = jscan_string(rest);
        struct str name = {rest.ptr + 1, key_len - 2};
        struct str value;
        rest = skip_space(str_skip(rest, key_len));
        rest = skip_space(str_skip(rest, 1)); /* the colon */
        value = value_at(rest);
        if (spells(name, key)) {
            *ret_value = value;
            return true;
        }
        rest = skip_space(str_skip(rest, value.len));
        rest = skip_space(str_skip(rest, 1)); /* a comma, or the end of the object and what follows */
        if (rest.len == 0) {
            return false;
        }
    }
    return false;
}

bool jraw_next(struct str text, size_t *offset, struct str *ret_value)
{
    struct str rest = skip_space(str_skip(text, *offset));

    if (rest.len == 0 || (*offset == 0 && rest.ptr[0] != '[')) {
        return false;
    }
    if (*offset == 0 || rest.ptr[0] == ',') {
        rest = skip_space(str_skip(rest, 1));
    }
    if (rest.len == 0 || rest.ptr[0] == ']') {
        return false;
    }
    *ret_value = value_at(rest);
    *offset = (size_t)(ret_value->ptr + ret_value->len - text.ptr);
    return true;
}
