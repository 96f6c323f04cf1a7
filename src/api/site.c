#include "api/site.h"

#include <assert.h>
#include <string.h>

#include "server/gzip.h"

#define PAGE "/index.html"
#define ASSETS "/assets/"

/* Nothing from elsewhere, nothing inline, in nobody's frame. */
#define SECURITY_POLICY                                                                                                \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; "   \
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

static const struct site_file *file_at(struct str path)
{
    for (size_t i = 0; i < site_file_count; i++) {
        if (str_is(path, site_files[i].path)) {
            return &site_files[i];
        }
    }
    return NULL;
}

/* Whether one of the header's words, which commas part, is the word and is not refused (q=0). W/ before it, which a
 * proxy that packs puts before an ETag, does not count. */
static bool header_has(const struct net_request *net, struct str name, const char *word)
{
    struct str rest, piece;
    bool done = false;

    if (net_request_header(net, name, &rest) == 0) {
        return false;
    }
    while (str_split(&rest, ',', &done, &piece)) {
        size_t semicolon = str_find_char(piece, ';');
        struct str quality = str_trim(str_skip(piece, semicolon + 1));
        bool is_refused = str_is(quality, "q=0") || str_is(quality, "q=0.0") || str_is(quality, "q=0.00") ||
                          str_is(quality, "q=0.000");

        struct str there = str_trim((struct str){piece.ptr, semicolon});

        there = str_starts_with(there, STR("W/")) ? str_skip(there, strlen("W/")) : there;
        if (str_equal_nocase(there, str_from(word)) && !is_refused) {
            return true;
        }
    }
    return false;
}

static bool is_look(const struct net_request *net)
{
    enum net_method method = net_request_method(net);

    return method == NET_METHOD_GET || method == NET_METHOD_HEAD;
}

/* Rules 1 and 2; NULL: not the site's. */
static const struct site_file *file_of(const struct net_request *net)
{
    struct str path = net_request_path(net);

    if (!is_look(net) || str_is(net_request_segment(net, 0), "v1")) {
        return NULL;
    }
    if (str_is(path, "/")) {
        return file_at(STR(PAGE));
    }
    const struct site_file *file = file_at(path);
    bool is_page = file == NULL && !str_starts_with(path, STR(ASSETS)) && header_has(net, STR("Accept"), "text/html");

    return is_page ? file_at(STR(PAGE)) : file;
}

bool site_has(const struct net_request *net)
{
    return file_of(net) != NULL;
}

static void add(struct net_answer *answer, const char *name, const char *value)
{
    assert(answer->header_count < NET_ANSWER_HEADERS_MAX);
    answer->headers[answer->header_count++] = (struct net_header){name, value};
}

static void add_headers(struct net_answer *answer, const struct site_file *file)
{
    bool is_asset = str_starts_with(str_from(file->path), STR(ASSETS));

    add(answer, "ETag", file->etag);
    add(answer, "Cache-Control", is_asset ? "public, max-age=31536000, immutable" : "no-cache"); /* rule 4 */
    add(answer, "Vary", "Accept-Encoding");
    add(answer, "Content-Security-Policy", SECURITY_POLICY);
    add(answer, "X-Content-Type-Options", "nosniff");
    add(answer, "Referrer-Policy", "no-referrer");
    add(answer, "Cross-Origin-Opener-Policy", "same-origin");
}

void site_answer(struct net_request *net)
{
    const struct site_file *file = file_of(net);
    struct net_answer answer = {.status = 200};

    assert(file != NULL);
    struct str packed = {(const char *)file->packed, file->packed_bytes};

    add_headers(&answer, file);
    if (header_has(net, STR("If-None-Match"), file->etag)) {
        answer.status = 304;
        net_answer(net, &answer);
        return;
    }
    answer.content_type = file->content_type;
    if (header_has(net, STR("Accept-Encoding"), "gzip")) {
        add(&answer, "Content-Encoding", "gzip");
        net_answer_static(net, &answer, packed);
        return;
    }
    buf_init(&answer.body, file->bytes);
    bool is_whole = gzip_unpack(&answer.body, packed);

    assert(is_whole); /* it was packed when this program was built */
    net_answer(net, &answer);
}
