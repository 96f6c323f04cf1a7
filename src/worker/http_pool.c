#include "worker/http_pool.h"

#include <assert.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/mem.h"

#define CONNECT_TIMEOUT_MS 10000L
#define HEADER_BYTES_MAX (64 * 1024)
/* Connections kept for the next transfer. */
#define IDLE_CONNECTIONS_MAX 64L

struct watch {
    struct http_pool *pool;
    curl_socket_t fd;
    struct loop_source *source;
};

/* libcurl's functions fail for lack of memory, or because we have called them wrongly. */
static void must(bool is_ok)
{
    if (!is_ok) {
        mem_exhausted("libcurl", 1, 1);
    }
}

static void set_long(CURL *easy, CURLoption option, long value)
{
    must(curl_easy_setopt(easy, option, value) == CURLE_OK);
}

/* ---- what has ended ---- */

static void take_ended(struct http_pool *pool)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
        struct http_task *task = NULL;
        CURLcode code = message->data.result;

        assert(message->msg == CURLMSG_DONE);
        must(curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &task) == CURLE_OK && task != NULL);
        http_pool_remove(pool, task);
        task->on_done(task->owner, code); /* rule 1 */
    }
}

static void act(struct http_pool *pool, curl_socket_t fd, int events)
{
    int running;

    (void)curl_multi_socket_action(pool->multi, fd, events, &running);
    take_ended(pool);
}

/* ---- sockets and time ---- */

static void on_socket_event(void *owner, uint32_t events)
{
    const struct watch *watch = owner;
    unsigned in = (events & (EPOLLIN | EPOLLHUP)) != 0 ? CURL_CSELECT_IN : 0U;
    unsigned out = (events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0U;
    unsigned error = (events & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0U;

    act(watch->pool, watch->fd, (int)(in | out | error));
}

static void forget(struct http_pool *pool, struct watch *watch)
{
    loop_remove(pool->loop, watch->source);
    mem_free(watch);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *owner, void *assigned)
{
    struct http_pool *pool = owner;
    struct watch *watch = assigned;
    uint32_t events = (what != CURL_POLL_OUT ? (uint32_t)EPOLLIN : 0) | (what != CURL_POLL_IN ? (uint32_t)EPOLLOUT : 0);

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (watch != NULL) {
            forget(pool, watch);
            (void)curl_multi_assign(pool->multi, fd, NULL);
        }
        return 0;
    }
    if (watch != NULL) {
        loop_change(pool->loop, watch->source, events);
        return 0;
    }
    watch = mem_zalloc(sizeof *watch);
    *watch = (struct watch){.pool = pool, .fd = fd};
    watch->source = loop_add(pool->loop, fd, events, on_socket_event, watch);
    if (watch->source == NULL) {
        mem_free(watch);
        return 0; /* a failure here would end every transfer; so it is this one's timeout that ends it */
    }
    (void)curl_multi_assign(pool->multi, fd, watch);
    return 0;
}

static void on_time(void *owner)
{
    act(owner, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer(CURLM *multi, long timeout_ms, void *owner)
{
    struct http_pool *pool = owner;

    (void)multi;
    if (timeout_ms < 0) {
        loop_timer_clear(pool->loop, &pool->timer);
    } else {
        loop_timer_set(pool->loop, &pool->timer, timeout_ms);
    }
    return 0;
}

/* ---- the pool ---- */

void http_pool_init(struct http_pool *pool, struct loop *loop, long per_host_max)
{
    *pool = (struct http_pool){.multi = curl_multi_init(), .loop = loop};
    loop_timer_init(&pool->timer, on_time, pool);
    must(pool->multi != NULL);
    must(curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
         curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool) == CURLM_OK &&
         curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
         curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool) == CURLM_OK &&
         curl_multi_setopt(pool->multi, CURLMOPT_MAX_HOST_CONNECTIONS, per_host_max) == CURLM_OK &&
         curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS_MAX) == CURLM_OK);
}

void http_pool_done(struct http_pool *pool)
{
    (void)curl_multi_cleanup(pool->multi);
    loop_timer_clear(pool->loop, &pool->timer);
}

static curl_socket_t open_socket(void *owner, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)owner;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURL *http_easy_new(void)
{
    CURL *easy = curl_easy_init();

    must(easy != NULL);
    set_long(easy, CURLOPT_NOSIGNAL, 1);
    set_long(easy, CURLOPT_QUICK_EXIT, 1); /* rule 3 */
    set_long(easy, CURLOPT_FOLLOWLOCATION, 0);
    set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    set_long(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    set_long(easy, CURLOPT_SSL_VERIFYPEER, 1);
    set_long(easy, CURLOPT_SSL_VERIFYHOST, 2);
    set_long(easy, CURLOPT_NETRC, CURL_NETRC_IGNORED);
    set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    set_long(easy, CURLOPT_TCP_KEEPALIVE, 1);
    set_long(easy, CURLOPT_NOPROGRESS, 1);
    must(curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_USERAGENT, "belfry") == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK);
    return easy;
}

void http_pool_add(struct http_pool *pool, struct http_task *task)
{
    assert(!task->is_in_pool);
    must(curl_easy_setopt(task->easy, CURLOPT_PRIVATE, task) == CURLE_OK);
    must(curl_multi_add_handle(pool->multi, task->easy) == CURLM_OK);
    task->is_in_pool = true;
}

void http_pool_remove(struct http_pool *pool, struct http_task *task)
{
    if (task->is_in_pool) {
        task->is_in_pool = false;
        (void)curl_multi_remove_handle(pool->multi, task->easy);
    }
}

struct curl_slist *http_header_add(struct curl_slist *list, struct str name, struct str value)
{
    SCOPE(buf_done) struct buf line;

    buf_init(&line, HEADER_BYTES_MAX);
    buf_append_str(&line, name);
    buf_append_text(&line, value.len > 0 ? ": " : ";"); /* libcurl's way to say a header without a value */
    buf_append_str(&line, value);

    struct curl_slist *longer = curl_slist_append(list, buf_text(&line));

    must(longer != NULL);
    return longer;
}
