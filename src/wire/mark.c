#include "wire/mark.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"

/* A mark is its version and kind, what it stands for, a line, and check digits: "1i-18f3a2c4400000-9c41". A new form
 * gets a new version. */
#define ID_HEAD "1i-"
#define PAIR_HEAD "1p-"
#define TEXT_HEAD "1t-"
#define HEAD_LEN 3
#define CHECK_LEN 5                     /* with its line */
#define CHECK_SEED UINT64_C(0x6d61726b) /* "mark" */

_Static_assert(HEAD_LEN + (WIRE_MARK_TEXT_BYTES_MAX * 4 + 2) / 3 + CHECK_LEN < WIRE_MARK_BYTES, "any text fits");

static const char *sealed(char *out, size_t len)
{
    unsigned check = (unsigned)(hash64(out, len, CHECK_SEED) & 0xffff);

    assert(len + CHECK_LEN < WIRE_MARK_BYTES);
    (void)snprintf(out + len, CHECK_LEN + 1, "-%04x", check);
    return out;
}

const char *wire_mark_id(uint64_t id, char out[static WIRE_MARK_BYTES])
{
    return sealed(out, (size_t)snprintf(out, WIRE_MARK_BYTES, ID_HEAD "%" PRIx64, id));
}

const char *wire_mark_pair(int64_t number, uint64_t id, char out[static WIRE_MARK_BYTES])
{
    return sealed(out, (size_t)snprintf(out, WIRE_MARK_BYTES, PAIR_HEAD "%" PRIx64 "-%" PRIx64, (uint64_t)number, id));
}

/* ---- texts: base 64 as URLs have it, without padding ---- */

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static size_t put_base64(struct str text, char *out)
{
    uint32_t bits = 0;
    unsigned held = 0;
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        bits = bits << 8 | (unsigned char)text.ptr[i];
        held += 8;
        while (held >= 6) {
            held -= 6;
            out[len++] = digits64[bits >> held & 63];
        }
    }
    if (held > 0) {
        out[len++] = digits64[bits << (6 - held) & 63];
    }
    return len;
}

static bool take_base64(struct str coded, char *out, size_t *ret_len)
{
    uint32_t bits = 0;
    unsigned held = 0;
    size_t len = 0;

    for (size_t i = 0; i < coded.len; i++) {
        const char *digit = memchr(digits64, coded.ptr[i], sizeof digits64 - 1);

        if (digit == NULL) {
            return false;
        }
        bits = bits << 6 | (uint32_t)(digit - digits64);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[len++] = (char)(bits >> held & 0xff);
        }
    }
    *ret_len = len;
    return true;
}

const char *wire_mark_text(struct str text, char out[static WIRE_MARK_BYTES])
{
    assert(text.len <= WIRE_MARK_TEXT_BYTES_MAX);
    memcpy(out, TEXT_HEAD, HEAD_LEN);
    return sealed(out, HEAD_LEN + put_base64(text, out + HEAD_LEN));
}

/* ---- reading ---- */

static enum err refuse(struct error *reterr)
{
    enum err err = err_set(reterr, ERR_INVALID,
                           "this is no mark of this list: take what \"next\" of the page before says, as it is");

    return err_in_field(reterr, err, "after");
}

/* What stands between head and check digits; empty where either is not what it must be. */
static struct str inside(struct str mark, struct str head)
{
    if (mark.len < HEAD_LEN + CHECK_LEN || mark.len >= WIRE_MARK_BYTES || !str_starts_with(mark, head)) {
        return (struct str){0};
    }
    return (struct str){mark.ptr + HEAD_LEN, mark.len - HEAD_LEN - CHECK_LEN};
}

static bool take_hex(struct str *rest, uint64_t *ret_value)
{
    uint64_t value = 0;
    size_t len = 0;

    for (; len < rest->len && len < 16; len++) {
        char c = rest->ptr[len];

        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        } else {
            break;
        }
    }
    *rest = str_skip(*rest, len);
    *ret_value = value;
    return len > 0;
}

/* Written again, a mark must be what it was: that checks its digits, and that it is the only form (rule 1). */
enum err wire_mark_read_id(struct str mark, uint64_t *ret_id, struct error *reterr)
{
    char again[WIRE_MARK_BYTES];
    struct str rest = inside(mark, STR(ID_HEAD));
    uint64_t id = 0;

    if (!take_hex(&rest, &id) || !str_is(mark, wire_mark_id(id, again))) {
        return refuse(reterr);
    }
    *ret_id = id;
    return ERR_OK;
}

enum err wire_mark_read_pair(struct str mark, int64_t *ret_number, uint64_t *ret_id, struct error *reterr)
{
    char again[WIRE_MARK_BYTES];
    struct str rest = inside(mark, STR(PAIR_HEAD));
    uint64_t number = 0, id = 0;
    bool is_read = take_hex(&rest, &number);

    rest = str_skip(rest, 1);
    if (!is_read || !take_hex(&rest, &id) || !str_is(mark, wire_mark_pair((int64_t)number, id, again))) {
        return refuse(reterr);
    }
    *ret_number = (int64_t)number;
    *ret_id = id;
    return ERR_OK;
}

enum err wire_mark_read_text(struct str mark, struct arena *arena, struct str *ret_text, struct error *reterr)
{
    char again[WIRE_MARK_BYTES];
    char text[WIRE_MARK_BYTES];
    struct str coded = inside(mark, STR(TEXT_HEAD));
    size_t len = 0;

    if (coded.ptr == NULL || !take_base64(coded, text, &len) || len > WIRE_MARK_TEXT_BYTES_MAX ||
        !str_is(mark, wire_mark_text((struct str){text, len}, again))) {
        return refuse(reterr);
    }
    *ret_text = (struct str){arena_strdup_str(arena, (struct str){text, len}), len};
    return ERR_OK;
}
