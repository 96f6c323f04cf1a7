#include "api/list.h"

#include "base/mem.h"
#include "wire/put.h"

/* A parameter's text may be escaped to three times its length. */
#define LINK_BYTES_MAX (4 * NET_URI_BYTES_MAX)

/* Everything but letters, digits and - . _ ~ is escaped, so that the value cannot end the URL or the header. */
static void append_escaped(struct buf *out, struct str text)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
            c == '_' || c == '~') {
            buf_append_char(out, (char)c);
        } else {
            buf_append_char(out, '%');
            buf_append_char(out, digits[c >> 4]);
            buf_append_char(out, digits[c & 15]);
        }
    }
}

/* This request's path and parameters, with another after. */
static void append_link(const struct api_request *request, const char *next, struct buf *out)
{
    buf_append_char(out, '<');
    for (size_t i = 0; i < net_request_segment_count(request->net); i++) {
        buf_append_char(out, '/');
        append_escaped(out, net_request_segment(request->net, i));
    }
    buf_append_char(out, '?');
    for (size_t i = 0; i < net_request_param_count(request->net); i++) {
        struct str name, value;

        net_request_param_at(request->net, i, &name, &value);
        if (!str_is(name, "after")) {
            append_escaped(out, name);
            buf_append_char(out, '=');
            append_escaped(out, value);
            buf_append_char(out, '&');
        }
    }
    buf_append_text(out, "after=");
    append_escaped(out, str_from(next));
    buf_append_text(out, ">; rel=\"next\"");
}

void api_answer_list(struct api_request *request, struct jw *jw, const char *next)
{
    SCOPE(buf_done) struct buf link;

    buf_init(&link, LINK_BYTES_MAX);
    wire_list_end(jw, next);
    if (next != NULL) {
        append_link(request, next, &link);
    }
    bool has_link = next != NULL && !buf_overflowed(&link);

    api_answer_json(request, 200, jw, has_link ? "Link" : NULL, buf_text(&link), NULL);
}
