/* http_pool: libcurl's transfers, driven by our loop.
 *
 * Owns:  the multi handle, its connections and the watches on their sockets. Borrows the easy handles.
 * Rules: (1) on_done is called once for a transfer that ends, from the loop, never from inside http_pool_add; the
 *            handle is out of the pool by then and its owner's to free.
 *        (2) a transfer that is removed is not heard of again.
 *        (3) nothing here blocks: names are resolved by threads of libcurl's, which are not waited for.
 * See:   http_call.h, session.h
 */
#ifndef WORKER_HTTP_POOL_H
#define WORKER_HTTP_POOL_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/str.h"
#include "worker/loop.h"

typedef void http_on_done(void *owner, CURLcode code);

struct http_pool {
    CURLM *multi;
    struct loop *loop;
    struct loop_timer timer;
};

/* A transfer's place in the pool. */
struct http_task {
    CURL *easy;
    http_on_done *on_done;
    void *owner;
    bool is_in_pool;
};

/* per_host_max: connections to one host at once, 0 for any number; transfers beyond it wait for their turn. */
void http_pool_init(struct http_pool *pool, struct loop *loop, long per_host_max);

/* No transfer is in it any more. */
void http_pool_done(struct http_pool *pool);

/* A handle with what every transfer of ours has in common: http and https only, certificates checked, no redirects, no
 * proxy, no netrc, no cookies, no signals, HTTP/1.1, sockets that no child gets. */
CURL *http_easy_new(void);

void http_pool_add(struct http_pool *pool, struct http_task *task);
void http_pool_remove(struct http_pool *pool, struct http_task *task);

/* A header line behind the others. NULL list begins one; the result is freed by curl_slist_free_all. */
struct curl_slist *http_header_add(struct curl_slist *list, struct str name, struct str value);

#endif
