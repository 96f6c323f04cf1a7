#include "worker/http_headers.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "worker/http_pool.h"
#include "worker/signature.h"

#define SIGNATURE_BYTES_MAX 1024

/* Ours, and those that frame a message: the target's are not heard. */
static bool is_reserved(struct str name)
{
    static const char *const names[] = {
        "host",    "content-length", "transfer-encoding", "connection",       "expect",          "te",
        "trailer", "upgrade",        "keep-alive",        "proxy-connection", "idempotency-key", NULL};
    static const char *const prefixes[] = {"belfry-", "webhook-", NULL};

    for (size_t i = 0; names[i] != NULL; i++) {
        if (str_equal_nocase(name, str_from(names[i]))) {
            return true;
        }
    }
    for (size_t i = 0; prefixes[i] != NULL; i++) {
        struct str prefix = str_from(prefixes[i]);

        if (name.len >= prefix.len && str_equal_nocase((struct str){name.ptr, prefix.len}, prefix)) {
            return true;
        }
    }
    return false;
}

static bool is_one_line(struct str text)
{
    return str_find_char(text, '\n') == text.len && str_find_char(text, '\r') == text.len;
}

/* The server's; one of the trigger's own where the server is older and gives none. */
static struct curl_slist *add_traceparent(struct curl_slist *list, const struct item *item, uint64_t span)
{
    char text[64];

    if (item->traceparent.len > 0 && is_one_line(item->traceparent)) {
        return http_header_add(list, STR("traceparent"), item->traceparent);
    }
    (void)snprintf(text, sizeof text, "00-%016" PRIx64 "%016" PRIx64 "-%016" PRIx64 "-01",
                   hash64(item->trigger.ptr, item->trigger.len, 1), hash64(item->trigger.ptr, item->trigger.len, 2),
                   span | 1); /* all zero would be no id */
    return http_header_add(list, STR("traceparent"), str_from(text));
}

static struct curl_slist *add_webhook(struct curl_slist *list, const struct item *item, const struct http_stamp *stamp)
{
    char seconds[24];
    SCOPE(buf_done) struct buf signature;

    buf_init(&signature, SIGNATURE_BYTES_MAX);
    (void)snprintf(seconds, sizeof seconds, "%" PRId64, stamp->now_s);
    list = http_header_add(list, STR("webhook-id"), item->trigger);
    list = http_header_add(list, STR("webhook-timestamp"), str_from(seconds));
    if (stamp->secrets.len > 0) {
        signature_write(stamp->secrets, item->trigger, stamp->now_s, stamp->body, &signature);
        list = http_header_add(list, STR("webhook-signature"), buf_str(&signature));
    }
    return list;
}

struct curl_slist *http_headers_new(const struct item *item, const struct http_stamp *stamp)
{
    struct curl_slist *list = http_header_add(NULL, STR("Idempotency-Key"), item->idempotency_key);
    struct jr_iter iter = {0};
    struct str name, text;
    struct jr value;
    bool has_type = false, has_trace = false;

    list = http_header_add(list, STR("Belfry-Job"), item->job);
    list = http_header_add(list, STR("Belfry-Trigger"), item->trigger);
    list = http_header_add(list, STR("Belfry-Attempt"), item->id);
    list = http_header_add(list, STR("Belfry-Scheduled-For"), item->scheduled_for);
    list = add_webhook(list, item, stamp);
    while (jr_next(jr_get(item->target, "headers"), &iter, &name, &value)) {
        if (jr_as_str(value, &text, NULL) == ERR_OK && is_one_line(name) && is_one_line(text) && !is_reserved(name)) {
            list = http_header_add(list, name, text);
            has_type = has_type || str_equal_nocase(name, STR("content-type"));
            has_trace = has_trace || str_equal_nocase(name, STR("traceparent"));
        }
    }
    if (!has_type) {
        list = http_header_add(list, STR("Content-Type"), STR("application/json"));
    }
    if (!has_trace) {
        list = add_traceparent(list, item, stamp->span);
    }
    return curl_slist_append(list, "Expect:"); /* none: it would cost a round trip */
}
