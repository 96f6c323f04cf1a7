#include "base/str.h"

#include <limits.h>

#include "base/escape.h"

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool str_equal_nocase(struct str a, struct str b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

int str_compare(struct str a, struct str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;

    if (order != 0) {
        return order;
    }
    return a.len < b.len ? -1 : a.len > b.len;
}

bool str_starts_with(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_equal((struct str){s.ptr, prefix.len}, prefix);
}

bool str_ends_with(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_equal(str_skip(s, s.len - suffix.len), suffix);
}

size_t str_find_char(struct str s, char c)
{
    const char *found = s.len > 0 ? memchr(s.ptr, c, s.len) : NULL;

    return found != NULL ? (size_t)(found - s.ptr) : s.len;
}

struct str str_skip(struct str s, size_t count)
{
    if (count > s.len) {
        count = s.len;
    }
    if (count == 0) {
        return s; /* ptr may be NULL: rule 1 */
    }
    return (struct str){s.ptr + count, s.len - count};
}

struct str str_trim(struct str s)
{
    while (s.len > 0 && is_space(s.ptr[0])) {
        s = str_skip(s, 1);
    }
    while (s.len > 0 && is_space(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

bool str_split(struct str *rest, char separator, bool *done, struct str *ret_piece)
{
    size_t end = str_find_char(*rest, separator);

    if (*done) {
        return false;
    }
    *done = end == rest->len;
    *ret_piece = (struct str){rest->ptr, end};
    *rest = str_skip(*rest, *done ? end : end + 1);
    return true;
}

static enum err not_a_number(struct str s, size_t bad, struct error *reterr)
{
    char shown[STR_PRINT_BYTES_MAX];

    return err_set_at(reterr, bad < INT_MAX ? (int)bad + 1 : 0, ERR_INVALID, "\"%s\" is not a whole number",
                      escape_text(s, shown, sizeof shown));
}

enum err str_to_int(struct str s, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr)
{
    size_t first = min < 0 && s.len > 0 && s.ptr[0] == '-' ? 1 : 0;
    int64_t value = 0; /* kept negative: INT64_MIN has no positive twin */
    bool overflow = false;

    if (s.len == first) {
        return err_set_at(reterr, (int)first + 1, ERR_INVALID, "a whole number is missing");
    }
    for (size_t i = first; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return not_a_number(s, i, reterr);
        }
        overflow = overflow || __builtin_mul_overflow(value, 10, &value) ||
                   __builtin_sub_overflow(value, s.ptr[i] - '0', &value);
    }
    if (first == 0) {
        overflow = overflow || __builtin_sub_overflow(0, value, &value);
    }
    if (overflow || value < min || value > max) {
        return err_set_at(reterr, 1, ERR_INVALID, "%.*s is not from %lld to %lld", STR_ARGS(s), (long long)min,
                          (long long)max);
    }
    *ret_value = value;
    return ERR_OK;
}

/* The second byte's range is what shuts out overlong forms, surrogates and code points that are too high. */
static bool utf8_lead(unsigned char lead, size_t *ret_len, unsigned char *ret_low, unsigned char *ret_high)
{
    *ret_low = 0x80;
    *ret_high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
        *ret_len = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        *ret_len = 3;
        *ret_low = lead == 0xe0 ? 0xa0 : 0x80;
        *ret_high = lead == 0xed ? 0x9f : 0xbf;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        *ret_len = 4;
        *ret_low = lead == 0xf0 ? 0x90 : 0x80;
        *ret_high = lead == 0xf4 ? 0x8f : 0xbf;
    } else {
        return false;
    }
    return true;
}

size_t str_utf8_decode(struct str s, uint32_t *ret_code)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    unsigned char low, high;
    uint32_t code;
    size_t len = 1;

    if (s.len == 0) {
        return 0;
    }
    code = p[0];
    if (p[0] >= 0x80) {
        if (!utf8_lead(p[0], &len, &low, &high) || s.len < len || p[1] < low || p[1] > high) {
            return 0;
        }
        code = p[0] & (0x7fU >> len);
        for (size_t i = 1; i < len; i++) {
            if ((p[i] & 0xc0) != 0x80) {
                return 0;
            }
            code = code << 6 | (p[i] & 0x3fU);
        }
    }
    if (ret_code != NULL) {
        *ret_code = code;
    }
    return len;
}

bool str_utf8_valid(struct str s, size_t *ret_bad)
{
    size_t i = 0;

    while (i < s.len) {
        size_t len = (unsigned char)s.ptr[i] < 0x80 ? 1 : str_utf8_decode(str_skip(s, i), NULL);
        if (len == 0) {
            if (ret_bad != NULL) {
                *ret_bad = i;
            }
            return false;
        }
        i += len;
    }
    return true;
}

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One row of the distance table: row[j] is the distance of the first i + 1 bytes of a from the first j of b. */
static void distance_row(struct str a, struct str b, size_t i, const size_t *before, const size_t *above, size_t *row)
{
    row[0] = i + 1;
    for (size_t j = 0; j < b.len; j++) {
        bool same = lower(a.ptr[i]) == lower(b.ptr[j]);
        row[j + 1] = min_of(min_of(row[j], above[j + 1]) + 1, above[j] + (same ? 0 : 1));
        if (i > 0 && j > 0 && lower(a.ptr[i]) == lower(b.ptr[j - 1]) && lower(a.ptr[i - 1]) == lower(b.ptr[j])) {
            row[j + 1] = min_of(row[j + 1], before[j - 1] + 1);
        }
    }
}

size_t str_distance(struct str a, struct str b)
{
    size_t rows[3][STR_DISTANCE_BYTES_MAX + 1] = {0};

    if (a.len > STR_DISTANCE_BYTES_MAX || b.len > STR_DISTANCE_BYTES_MAX) {
        return STR_DISTANCE_FAR;
    }
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 0; i < a.len; i++) {
        distance_row(a, b, i, rows[(i + 2) % 3], rows[i % 3], rows[(i + 1) % 3]);
    }
    return rows[a.len % 3][b.len];
}

int str_index_in(struct str word, const char *const words[])
{
    for (int i = 0; words[i] != NULL; i++) {
        if (str_is(word, words[i])) {
            return i;
        }
    }
    return -1;
}

const char *str_nearest(struct str word, const char *const known[])
{
    const char *nearest = NULL;
    size_t best = 1 + word.len / 3; /* further than one slip in three letters is another word */

    for (size_t i = 0; known[i] != NULL; i++) {
        size_t distance = str_distance(word, str_from(known[i]));
        /* Less than all of the known word, or every short name would be near to every short word. */
        if (distance <= best && distance < strlen(known[i]) && (nearest == NULL || distance < best)) {
            best = distance;
            nearest = known[i];
        }
    }
    return nearest;
}
