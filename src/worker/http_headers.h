/* http_headers: what a call carries besides its body.
 *
 * Never: reads a clock; random bits are an argument.
 * See:   http_call.h, tests/unit/worker/test_http_headers.c
 */
#ifndef WORKER_HTTP_HEADERS_H
#define WORKER_HTTP_HEADERS_H

#include <curl/curl.h>
#include <stdint.h>

#include "base/str.h"
#include "worker/item.h"

struct http_stamp {
    int64_t now_s;      /* wall time, for webhook-timestamp */
    uint64_t span;      /* random: the parent id of traceparent */
    struct str body;    /* what is signed */
    struct str secrets; /* empty: no signature */
};

/* The target's headers, then ours. Freed by curl_slist_free_all. All attempts of a trigger have one trace id and one
 * webhook-id. */
struct curl_slist *http_headers_new(const struct item *item, const struct http_stamp *stamp);

#endif
