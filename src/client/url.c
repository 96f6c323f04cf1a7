#include "client/url.h"

#include <assert.h>
#include <stdio.h>

/* RFC 3986's unreserved characters. */
static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

static void put_escaped(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_plain(text.ptr[i])) {
            buf_append_char(out, text.ptr[i]);
        } else {
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)text.ptr[i]);
        }
    }
}

void url_init(struct url *url)
{
    *url = (struct url){0};
    buf_init(&url->text, URL_BYTES_MAX);
}

void url_done(struct url *url)
{
    buf_done(&url->text);
}

void url_path(struct url *url, const char *path)
{
    assert(!url->has_query); /* rule 2 */
    buf_append_text(&url->text, path);
}

void url_segment(struct url *url, struct str segment)
{
    assert(!url->has_query); /* rule 2 */
    buf_append_char(&url->text, '/');
    put_escaped(&url->text, segment);
}

void url_query(struct url *url, const char *name, struct str value)
{
    if (value.ptr == NULL) {
        return;
    }
    buf_append_char(&url->text, url->has_query ? '&' : '?');
    buf_append_text(&url->text, name);
    buf_append_char(&url->text, '=');
    put_escaped(&url->text, value);
    url->has_query = true;
}

void url_query_int(struct url *url, const char *name, int64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    url_query(url, name, str_from(text));
}

struct str url_str(const struct url *url)
{
    return buf_str(&url->text);
}
