#include "base/mask.h"

#include <string.h>

#define HIDDEN "***"

/* Where what comes first, or the length where it does not come. */
static size_t find(struct str text, struct str what)
{
    const char *at = text.len > 0 ? memmem(text.ptr, text.len, what.ptr, what.len) : NULL;

    return at != NULL ? (size_t)(at - text.ptr) : text.len;
}

/* Appends "scheme://user:***" and takes that off the text, where it is a URL with a password. */
static void mask_user(struct buf *out, struct str *text)
{
    size_t begin = find(*text, STR("://")) + 3;
    const char *end = begin < text->len ? memrchr(text->ptr + begin, '@', text->len - begin) : NULL; /* rule 1 */

    if (end == NULL) {
        return;
    }
    struct str user = {text->ptr + begin, (size_t)(end - text->ptr) - begin};
    size_t colon = str_find_char(user, ':');
    if (colon < user.len) {
        buf_append(out, text->ptr, begin + colon + 1);
        buf_append_text(out, HIDDEN);
        *text = str_skip(*text, (size_t)(end - text->ptr));
    }
}

/* How long a value is: to the next parameter; one in quotes, which may hold anything, to the end (rule 1). */
static size_t value_len(struct str text)
{
    size_t len = 0;

    if (text.len > 0 && text.ptr[0] == '\'') {
        return text.len;
    }
    while (len < text.len && strchr("& ", text.ptr[len]) == NULL) {
        len++;
    }
    return len;
}

void mask_append(struct buf *out, struct str text)
{
    static const struct str word = STR_INIT("password=");

    mask_user(out, &text);
    for (size_t at; (at = find(text, word)) < text.len;) {
        buf_append(out, text.ptr, at + word.len);
        buf_append_text(out, HIDDEN);
        text = str_skip(text, at + word.len);
        text = str_skip(text, value_len(text));
    }
    buf_append_str(out, text);
}

void mask_append_host(struct buf *out, struct str url)
{
    size_t begin = find(url, STR("://")) + 3;

    if (begin > url.len) { /* no URL: it may be anything */
        buf_append_text(out, HIDDEN);
        return;
    }
    struct str rest = str_skip(url, begin);
    const char *at = rest.len > 0 ? memrchr(rest.ptr, '@', rest.len) : NULL; /* rule 1 */
    struct str host = at != NULL ? str_skip(rest, (size_t)(at - rest.ptr) + 1) : rest;
    size_t len = 0;

    while (len < host.len && strchr("/?#", host.ptr[len]) == NULL) {
        len++;
    }
    buf_append(out, url.ptr, begin);
    buf_append(out, host.ptr, len);
}
