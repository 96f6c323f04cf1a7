#include "net/uri.h"

#include <assert.h>

#include "net/net.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

/* The byte that the escape at the beginning of s means; -1 where it is none, or is NUL. */
static int escaped_byte(struct str s)
{
    int high;
    int low;

    if (s.len < 3) {
        return -1;
    }
    high = hex_digit(s.ptr[1]);
    low = hex_digit(s.ptr[2]);
    if (high < 0 || low < 0 || high + low == 0) {
        return -1;
    }
    return high * 16 + low;
}

static bool is_plain(struct str text, bool plus_is_blank)
{
    return str_find_char(text, '%') == text.len && !(plus_is_blank && str_find_char(text, '+') < text.len);
}

enum err net_percent_decode(struct str text, bool plus_is_blank, struct arena *arena, struct str *ret_text,
                            struct error *reterr)
{
    char *out;
    size_t len = 0;

    if (is_plain(text, plus_is_blank)) {
        *ret_text = text;
        return ERR_OK;
    }
    out = arena_alloc_aligned(arena, text.len, 1);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '%') {
            int byte = escaped_byte(str_skip(text, i));

            if (byte < 0) {
                return err_set(reterr, ERR_INVALID,
                               "%% is followed by two hexadecimal digits, and %%00 is not allowed");
            }
            out[len++] = (char)byte;
            i += 2;
        } else {
            out[len++] = c == '+' && plus_is_blank ? ' ' : c;
        }
    }
    if (!str_utf8_valid(str_from_bytes(out, len), NULL)) {
        return err_set(reterr, ERR_INVALID, "escapes have to make well-formed UTF-8");
    }
    *ret_text = str_from_bytes(out, len);
    return ERR_OK;
}

/* Rule 1. */
static bool is_allowed(char c)
{
    unsigned char byte = (unsigned char)c;

    return byte > 0x20 && byte < 0x7f && c != '#' && c != '\\';
}

static enum err check_target(struct str target, struct error *reterr)
{
    if (target.len == 0 || target.ptr[0] != '/') {
        return err_set(reterr, ERR_INVALID, "the path begins with a slash");
    }
    if (target.len > NET_URI_BYTES_MAX) {
        return err_set(reterr, ERR_INVALID, "path and query have at most %d bytes", NET_URI_BYTES_MAX);
    }
    for (size_t i = 0; i < target.len; i++) {
        if (!is_allowed(target.ptr[i])) {
            return err_set(reterr, ERR_INVALID, "path and query have a character at %zu that has to be escaped", i + 1);
        }
    }
    return ERR_OK;
}

/* Segments with slashes before them. They are not longer than what they were decoded from. */
static struct str join_path(const struct net_uri *uri, size_t raw_len, struct arena *arena)
{
    char *path = arena_alloc_aligned(arena, raw_len, 1);
    size_t len = 0;

    for (size_t i = 0; i < uri->segment_count; i++) {
        struct str segment = uri->segments[i];

        path[len++] = '/';
        if (segment.len > 0) {
            memcpy(path + len, segment.ptr, segment.len);
            len += segment.len;
        }
    }
    assert(len <= raw_len);
    return str_from_bytes(path, len);
}

static enum err read_path(struct str raw, struct arena *arena, struct net_uri *uri, struct error *reterr)
{
    struct str rest = str_skip(raw, 1);
    struct str piece;
    bool done = false;

    while (str_split(&rest, '/', &done, &piece)) {
        struct str segment = STR("");
        enum err err;

        if (uri->segment_count == NET_SEGMENTS_MAX) {
            return err_set(reterr, ERR_INVALID, "the path has at most %d segments", NET_SEGMENTS_MAX);
        }
        err = net_percent_decode(piece, false, arena, &segment, reterr);
        if (err != ERR_OK) {
            return err;
        }
        if (str_is(segment, ".") || str_is(segment, "..")) {
            return err_set(reterr, ERR_INVALID, "the path has a segment \".\" or \"..\""); /* rule 3 */
        }
        uri->segments[uri->segment_count++] = segment;
    }
    uri->path = is_plain(raw, false) ? raw : join_path(uri, raw.len, arena);
    return ERR_OK;
}

static enum err read_param(struct str piece, struct arena *arena, struct net_param *ret_param, struct error *reterr)
{
    size_t equals = str_find_char(piece, '=');
    enum err err = net_percent_decode(str_from_bytes(piece.ptr, equals), true, arena, &ret_param->name, reterr);

    if (err != ERR_OK) {
        return err;
    }
    return net_percent_decode(str_skip(piece, equals + 1), true, arena, &ret_param->value, reterr);
}

static size_t count_pieces(struct str query)
{
    size_t count = 1;

    for (size_t i = 0; i < query.len; i++) {
        count += query.ptr[i] == '&';
    }
    return count;
}

static enum err read_query(struct str query, struct arena *arena, struct net_uri *uri, struct error *reterr)
{
    size_t count = count_pieces(query);
    struct str rest = query;
    struct str piece;
    bool done = false;

    uri->query = query;
    if (str_empty(query)) {
        return ERR_OK;
    }
    if (count > NET_PARAMS_MAX) {
        return err_set(reterr, ERR_INVALID, "the query has at most %d parameters", NET_PARAMS_MAX);
    }
    uri->params = arena_alloc_array(arena, count, sizeof *uri->params);
    while (str_split(&rest, '&', &done, &piece)) {
        enum err err;

        if (str_empty(piece)) {
            continue;
        }
        err = read_param(piece, arena, &uri->params[uri->param_count], reterr);
        if (err != ERR_OK) {
            return err;
        }
        uri->param_count++;
    }
    return ERR_OK;
}

enum err net_uri_read(struct str target, struct arena *arena, struct net_uri *ret_uri, struct error *reterr)
{
    struct net_uri uri = {.segment_count = 0};
    size_t mark;
    enum err err = check_target(target, reterr);

    if (err != ERR_OK) {
        return err;
    }
    mark = str_find_char(target, '?');
    err = read_path(str_from_bytes(target.ptr, mark), arena, &uri, reterr);
    if (err != ERR_OK) {
        return err_wrap(reterr, err, "path");
    }
    err = read_query(str_skip(target, mark + 1), arena, &uri, reterr);
    if (err != ERR_OK) {
        return err_wrap(reterr, err, "query");
    }
    *ret_uri = uri;
    return ERR_OK;
}
