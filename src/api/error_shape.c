#include "api/error_shape.h"

#include <string.h>

#include "base/hash.h"
#include "wire/trigger.h"

#define GROUP_SEED UINT64_C(0x67726f757073) /* "groups": the same in every server and after every start */
/* A word this long with a digit in it is an id, whatever letters it has. */
#define ID_LEN_MIN 8

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* What joins the parts of an address, an instant or a UUID. */
static bool is_joint(char c)
{
    return c == '.' || c == ':' || c == '-' || c == '/';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool all(struct str word, bool (*is)(char c))
{
    for (size_t i = 0; i < word.len; i++) {
        if (!is(word.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool has_digit(struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (is_digit(word.ptr[i])) {
            return true;
        }
    }
    return false;
}

/* A number, or one of the names that machines give. */
static bool is_made(struct str word)
{
    return has_digit(word) && (all(word, is_hex) || word.len >= ID_LEN_MIN || str_starts_with(word, STR("0x")) ||
                               str_starts_with(word, STR("0X")));
}

/* A part of a UUID may be letters alone: behind a # it is known by its length. */
static bool is_part(struct str word, bool is_joined)
{
    return is_joined && all(word, is_hex) && (word.len == 4 || word.len == 8 || word.len == 12);
}

struct shaping {
    struct buf *out;
    size_t begin; /* of the shape in it */
    size_t joint; /* where what joins to the last # begins in it; SIZE_MAX: nothing does */
};

static bool has_room(const struct shaping *shaping, size_t len)
{
    return shaping->out->len - shaping->begin + len <= ERROR_SHAPE_BYTES_MAX;
}

/* A #, into which one that it is joined to goes. */
static void put_sign(struct shaping *shaping)
{
    if (shaping->joint != SIZE_MAX) {
        buf_truncate(shaping->out, shaping->joint);
    } else {
        buf_append_char(shaping->out, '#');
    }
    shaping->joint = shaping->out->len;
}

/* A person's word, with its digits taken out: "10ms" is "#ms". */
static void put_word(struct shaping *shaping, struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        bool is_first = is_digit(word.ptr[i]) && (i == 0 || !is_digit(word.ptr[i - 1]));

        if (is_first && i == 0) {
            put_sign(shaping);
        } else if (is_first) {
            buf_append_char(shaping->out, '#');
        } else if (!is_digit(word.ptr[i])) {
            buf_append_char(shaping->out, word.ptr[i]);
        }
    }
    shaping->joint = is_digit(word.ptr[word.len - 1]) ? shaping->out->len : SIZE_MAX;
}

/* How far it went: to the end, where there is no room for the word. */
static size_t take_word(struct shaping *shaping, struct str rest)
{
    struct str word = {rest.ptr, 0};

    while (word.len < rest.len && is_word(rest.ptr[word.len])) {
        word.len++;
    }
    if (is_made(word) || is_part(word, shaping->joint != SIZE_MAX && shaping->joint < shaping->out->len)) {
        put_sign(shaping);
    } else if (has_room(shaping, word.len)) {
        put_word(shaping, word);
    } else {
        return rest.len;
    }
    return word.len;
}

/* Everything else: characters as they are, blanks as one. */
static size_t take_other(struct shaping *shaping, struct str rest)
{
    size_t len = str_utf8_decode(rest, NULL);
    char c = rest.ptr[0];
    bool is_end = shaping->out->len == shaping->begin || shaping->out->data[shaping->out->len - 1] == ' ';

    if (c == '#') {
        put_sign(shaping);
        return 1;
    }
    if (!is_joint(c)) {
        shaping->joint = SIZE_MAX;
    }
    if (is_blank(c)) {
        buf_append_text(shaping->out, is_end ? "" : " ");
    } else if (len > 0) {
        buf_append(shaping->out, rest.ptr, len);
    }
    return len > 0 ? len : 1;
}

void error_shape(struct str message, struct buf *out)
{
    struct shaping shaping = {.out = out, .begin = out->len, .joint = SIZE_MAX};
    size_t at = 0;

    while (at < message.len && has_room(&shaping, 4)) {
        struct str rest = str_skip(message, at);

        at += is_word(rest.ptr[0]) ? take_word(&shaping, rest) : take_other(&shaping, rest);
    }
    while (out->len > shaping.begin && out->data[out->len - 1] == ' ') {
        buf_truncate(out, out->len - 1);
    }
}

uint64_t error_group(const struct trigger_row *row, struct buf *shape)
{
    struct str code = wire_error_code(&row->last);
    size_t begin = shape->len;

    error_shape(str_empty(row->last.error_message) ? row->reason : row->last.error_message, shape);
    uint64_t group =
        hash64(shape->data + begin, shape->len - begin, GROUP_SEED ^ hash64(code.ptr, code.len, GROUP_SEED));

    return group != 0 ? group : 1;
}
