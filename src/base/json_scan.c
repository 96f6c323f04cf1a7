#include "base/json_scan.h"

#include <assert.h>
#include <limits.h>

enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END };

struct scan {
    struct str text;
    size_t pos;                             /* the next byte to look at */
    size_t depth;                           /* open objects and arrays */
    bool in_object[JSON_DEPTH_CEILING + 1]; /* [depth]: what the innermost open one is; [0] is unused */
    struct jscan_limits limits;
    struct jscan_facts facts;
    struct error *reterr; /* may be NULL */
};

/* One past the end reads as NUL, which no rule accepts: so every look ahead is safe. */
static unsigned char at(const struct scan *s, size_t pos)
{
    return pos < s->text.len ? (unsigned char)s->text.ptr[pos] : 0;
}

static enum err refuse(const struct scan *s, const char *what)
{
    if (s->pos >= s->text.len) {
        return err_set_at(s->reterr, (int)s->pos + 1, ERR_INVALID_JSON, "the JSON text ends too early: %s", what);
    }
    return err_set_at(s->reterr, (int)s->pos + 1, ERR_INVALID_JSON, "not JSON: %s", what);
}

static void skip_space(struct scan *s)
{
    while (s->pos < s->text.len) {
        char c = s->text.ptr[s->pos];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return;
        }
        s->pos++;
    }
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* Four hexadecimal digits at pos, or -1. */
static int hex4(const struct scan *s, size_t pos)
{
    int value = 0;

    for (size_t i = 0; i < 4; i++) {
        unsigned char c = at(s, pos + i);
        int digit = is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

/* At "\u". */
static enum err scan_unicode_escape(struct scan *s)
{
    int code = hex4(s, s->pos + 2);

    if (code < 0) {
        return refuse(s, "\\u wants four hexadecimal digits");
    }
    if (code == 0) {
        return refuse(s, "\\u0000 is not allowed");
    }
    if (code >= 0xdc00 && code <= 0xdfff) {
        return refuse(s, "half of a surrogate pair stands alone");
    }
    if (code >= 0xd800 && code <= 0xdbff) {
        int low = at(s, s->pos + 6) == '\\' && at(s, s->pos + 7) == 'u' ? hex4(s, s->pos + 8) : -1;
        if (low < 0xdc00 || low > 0xdfff) {
            return refuse(s, "half of a surrogate pair stands alone");
        }
        s->pos += 6;
    }
    s->pos += 6;
    return ERR_OK;
}

static enum err scan_escape(struct scan *s)
{
    switch (at(s, s->pos + 1)) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        s->pos += 2;
        return ERR_OK;
    case 'u':
        return scan_unicode_escape(s);
    default:
        return refuse(s, "no such escape after the backslash");
    }
}

/* At the opening quote. */
static enum err scan_string(struct scan *s)
{
    s->pos++;
    while (s->pos < s->text.len) {
        unsigned char c = (unsigned char)s->text.ptr[s->pos];
        if (c == '"') {
            s->pos++;
            return ERR_OK;
        }
        if (c == '\\') {
            enum err err = scan_escape(s);
            if (err != ERR_OK) {
                return err;
            }
        } else if (c < 0x20) {
            return refuse(s, "a control character in a string must be escaped");
        } else if (c < 0x80) {
            s->pos++;
        } else {
            size_t len = str_utf8_decode(str_skip(s->text, s->pos), NULL);
            if (len == 0) {
                return refuse(s, "the text is not UTF-8");
            }
            s->pos += len;
        }
    }
    return refuse(s, "the closing quote of a string is missing");
}

static void skip_digits(struct scan *s)
{
    while (is_digit(at(s, s->pos))) {
        s->pos++;
    }
}

static enum err scan_number(struct scan *s)
{
    bool is_wide_int = false;
    size_t begin = s->pos;

    if (at(s, s->pos) == '-') {
        s->pos++;
    }
    if (!is_digit(at(s, s->pos))) {
        return refuse(s, "a digit is missing");
    }
    if (at(s, s->pos) == '0' && is_digit(at(s, s->pos + 1))) {
        return refuse(s, "a number may not begin with 0");
    }
    skip_digits(s);
    if (at(s, s->pos) == '.') {
        s->pos++;
        if (!is_digit(at(s, s->pos))) {
            return refuse(s, "a digit is missing after the decimal point");
        }
        skip_digits(s);
    }
    if ((at(s, s->pos) | 0x20) == 'e') {
        s->pos++;
        if (at(s, s->pos) == '+' || at(s, s->pos) == '-') {
            s->pos++;
        }
        if (!is_digit(at(s, s->pos))) {
            return refuse(s, "a digit is missing in the exponent");
        }
        skip_digits(s);
    }
    (void)jscan_number((struct str){s->text.ptr + begin, s->pos - begin}, &is_wide_int);
    s->facts.has_wide_int |= is_wide_int;
    return ERR_OK;
}

static enum err scan_word(struct scan *s, struct str word)
{
    if (!str_starts_with(str_skip(s->text, s->pos), word)) {
        return refuse(s, "a value is missing (a text needs quotes; the words are true, false and null)");
    }
    s->pos += word.len;
    return ERR_OK;
}

/* At "[" or "{". */
static enum err open_container(struct scan *s, enum expect *expect)
{
    if (s->depth == s->limits.depth_max) {
        return err_set_at(s->reterr, (int)s->pos + 1, ERR_TOO_LARGE, "the JSON is nested deeper than %zu levels",
                          s->limits.depth_max);
    }
    s->depth++;
    s->in_object[s->depth] = at(s, s->pos) == '{';
    *expect = s->in_object[s->depth] ? KEY_OR_END : VALUE_OR_END;
    s->pos++;
    return ERR_OK;
}

static enum err scan_value(struct scan *s, enum expect *expect)
{
    if (s->facts.nodes == s->limits.nodes_max) {
        return err_set_at(s->reterr, (int)s->pos + 1, ERR_TOO_LARGE, "the JSON has more than %zu values",
                          s->limits.nodes_max);
    }
    s->facts.nodes++;
    *expect = COMMA_OR_END;
    switch (at(s, s->pos)) {
    case '{':
    case '[':
        return open_container(s, expect);
    case '"':
        return scan_string(s);
    case 't':
        return scan_word(s, STR("true"));
    case 'f':
        return scan_word(s, STR("false"));
    case 'n':
        return scan_word(s, STR("null"));
    default:
        if (at(s, s->pos) == '-' || is_digit(at(s, s->pos))) {
            return scan_number(s);
        }
        return refuse(s, "a value is missing");
    }
}

static enum err scan_key(struct scan *s, enum expect *expect)
{
    enum err err;

    if (at(s, s->pos) != '"') {
        return refuse(s, "a key in quotes is missing");
    }
    err = scan_string(s);
    if (err != ERR_OK) {
        return err;
    }
    skip_space(s);
    if (at(s, s->pos) != ':') {
        return refuse(s, "a colon is missing after the key");
    }
    s->pos++;
    *expect = VALUE;
    return ERR_OK;
}

static bool at_end_of_container(const struct scan *s)
{
    return s->depth > 0 && at(s, s->pos) == (s->in_object[s->depth] ? '}' : ']');
}

static enum err scan_comma(struct scan *s, enum expect *expect)
{
    if (at(s, s->pos) != ',') {
        return refuse(s, s->in_object[s->depth] ? "a comma or } is missing" : "a comma or ] is missing");
    }
    s->pos++;
    *expect = s->in_object[s->depth] ? KEY : VALUE;
    return ERR_OK;
}

/* One token at the present position. */
static enum err scan_token(struct scan *s, enum expect *expect)
{
    if (*expect != VALUE && *expect != KEY && at_end_of_container(s)) {
        s->depth--;
        s->pos++;
        *expect = COMMA_OR_END;
        return ERR_OK;
    }
    switch (*expect) {
    case VALUE:
    case VALUE_OR_END:
        return scan_value(s, expect);
    case KEY:
    case KEY_OR_END:
        return scan_key(s, expect);
    case COMMA_OR_END:
        return scan_comma(s, expect);
    }
    return ERR_OK;
}

enum err jscan_check(struct str text, const struct jscan_limits *limits, struct jscan_facts *ret_facts,
                     struct error *reterr)
{
    struct scan s = {.text = text, .limits = *limits, .reterr = reterr};
    enum expect expect = VALUE;

    assert(limits->bytes_max <= INT_MAX && limits->depth_max <= JSON_DEPTH_CEILING);
    if (text.len > limits->bytes_max) {
        return err_set_at(reterr, (int)limits->bytes_max + 1, ERR_TOO_LARGE, "the JSON is longer than %zu bytes",
                          limits->bytes_max);
    }
    if (str_starts_with(text, STR("\xef\xbb\xbf"))) {
        return refuse(&s, "a byte order mark is not allowed");
    }
    do {
        enum err err;
        skip_space(&s);
        err = scan_token(&s, &expect);
        if (err != ERR_OK) {
            return err;
        }
    } while (s.depth > 0);
    skip_space(&s);
    if (s.pos < text.len) {
        return refuse(&s, "something follows the value");
    }
    *ret_facts = s.facts;
    return ERR_OK;
}

size_t jscan_number(struct str text, bool *ret_is_wide_int)
{
    size_t len = 0, digits = 0;
    bool is_int = true;
    int64_t ignored;

    for (; len < text.len; len++) {
        char c = text.ptr[len];
        if (is_digit((unsigned char)c)) {
            digits++;
        } else if (c == '.' || c == 'e' || c == 'E' || c == '+') {
            is_int = false;
        } else if (c != '-') {
            break;
        }
    }
    /* 18 digits always fit; of longer ones str_to_int knows. */
    *ret_is_wide_int = is_int && digits > 18 &&
                       str_to_int((struct str){text.ptr, len}, INT64_MIN, INT64_MAX, &ignored, NULL) != ERR_OK;
    return len;
}

size_t jscan_string(struct str text)
{
    size_t len = 1;

    while (text.ptr[len] != '"') {
        len += text.ptr[len] == '\\' ? 2 : 1;
    }
    return len + 1;
}
