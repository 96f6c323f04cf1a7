#include <sys/socket.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/inside.h"

/* libmicrohttpd keeps the headers of a request and of its answer in one piece of memory per connection, and clears all
 * of it after every answer: room for the request, for its list of headers and for the answer's, and no more. */
#define POOL_EXTRA_BYTES 4096
/* A sentence with two numbers. */
#define DETAIL_BYTES 128

static struct net_conn *conn_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* ---- the headers ---- */

static struct str copy_text(struct net_request *request, const char *text, size_t len)
{
    return str_from_bytes(arena_strdup_str(&request->arena, str_from_bytes(text, len)), len);
}

/* libmicrohttpd takes "Content-Length : 5" for a header of another name; others do not. */
static bool is_token(const char *name, size_t len)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return len > 0 && strspn(name, allowed) == len;
}

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                   const char *value, size_t value_len)
{
    struct net_request *request = cls;
    struct net_param *header = &request->headers[request->header_count];

    (void)kind;
    if (!is_token(name, name_len)) {
        return MHD_NO; /* ends the walk, so that some are missing */
    }
    request->header_count++;
    header->name = copy_text(request, name, name_len);
    header->value = str_trim(copy_text(request, value, value == NULL ? 0 : value_len));
    return MHD_YES;
}

/* Copied, because they are looked at for as long as the request is, and its connection may end before. Returns the
 * status to refuse with, or 0. */
static int take_headers(struct net_request *request)
{
    struct MHD_Connection *mhd = request->conn->mhd;
    size_t bytes = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
    int count = MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, NULL, NULL);

    if (count > NET_HEADERS_MAX || bytes > request->loop->server->config.header_bytes_max) {
        return 431;
    }
    request->headers = arena_alloc_array(&request->arena, (size_t)count, sizeof *request->headers);
    (void)MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, take_header, request);
    return request->header_count == (size_t)count ? 0 : 400;
}

/* How the body is framed. Where two readers could disagree about it the request is refused: that is how one request is
 * smuggled in another. Returns the status to refuse with, or 0. */
static int read_framing(struct net_request *request, const char *version, int64_t *ret_length)
{
    struct str encoding;
    struct str length;
    size_t encodings = net_request_header(request, STR("Transfer-Encoding"), &encoding);
    size_t lengths = net_request_header(request, STR("Content-Length"), &length);

    *ret_length = 0;
    if (encodings + lengths > 1 || (encodings == 1 && strcmp(version, "HTTP/1.1") != 0)) {
        return 400;
    }
    if (encodings == 1 && !str_equal_nocase(encoding, STR("chunked"))) {
        return 501;
    }
    if (lengths == 1 && str_to_int(length, 0, INT64_MAX, ret_length, NULL) != ERR_OK) {
        return 400;
    }
    request->has_body = encodings == 1 || *ret_length > 0;
    return 0;
}

static bool check_body(struct net_request *request, int64_t length)
{
    struct net_server *server = request->loop->server;

    if ((uint64_t)length > request->body_bytes_max) {
        char detail[DETAIL_BYTES];

        (void)snprintf(detail, sizeof detail, "the body has %" PRId64 " bytes; at most %zu are allowed", length,
                       request->body_bytes_max);
        net_refuse(request, 413, detail);
        return false;
    }
    if ((uint64_t)length + atomic_load_explicit(&server->bodies_bytes, memory_order_relaxed) >
        server->config.bodies_bytes_max) {
        net_refuse(request, 503, "too many large requests at once; try again");
        return false;
    }
    return true;
}

/* Whatever can be refused before the body is read. A refusal is an answer given inline. */
static void examine(struct net_request *request, const char *version)
{
    const struct net_config *config = &request->loop->server->config;
    struct error error;
    struct str host;
    int64_t length;
    int status;

    request->has_body = true; /* until it is known, so that a refusal closes the connection */
    status = take_headers(request);
    if (status != 0) {
        net_refuse(request, status, "the headers are too large, too many, or malformed");
        return;
    }
    if (strcmp(version, "HTTP/1.1") == 0 && net_request_header(request, STR("Host"), &host) != 1) {
        net_refuse(request, 400, "a request has one Host header");
        return;
    }
    status = read_framing(request, version, &length);
    if (status != 0) {
        net_refuse(request, status, "Content-Length or Transfer-Encoding is not as it should be");
        return;
    }
    if (net_uri_read(request->target, &request->arena, &request->uri, &error) != ERR_OK) {
        net_refuse(request, 400, error.text);
        return;
    }
    if (config->check_early != NULL) {
        config->check_early(config->context, request);
    }
    if (!request->is_inline && check_body(request, length)) {
        request->body.max_bytes = request->body_bytes_max;
    }
}

static enum MHD_Result begin(struct net_request *request, const char *method, const char *version)
{
    struct net_conn *conn = request->conn;

    net_count(&request->loop->requests_total, 1);
    request->method_name = copy_text(request, method, strlen(method));
    request->method = net_method_from(request->method_name);
    request->body_bytes_max = request->loop->server->config.body_bytes_max;
    net_serving = request;
    examine(request, version);
    net_serving = NULL;
    conn->since_mono_ms = conn->loop->now_mono_ms;
    net_conn_expect(conn, 0);
    if (!request->is_inline) {
        request->step = NET_STEP_BODY;
        return MHD_YES;
    }
    request->step = NET_STEP_REFUSED;
    if (!request->has_body) {
        return MHD_YES; /* answered at the end of the request, which is now: the connection stays */
    }
    net_linger_begin(conn->loop, conn->fd);
    return net_answer_deliver(request) ? MHD_YES : MHD_NO;
}

/* ---- the body, and handing over ---- */

/* In the middle of a body libmicrohttpd takes no answer: it is written past it, and the connection closed. */
static enum MHD_Result refuse_raw(struct net_request *request, int status, const char *detail)
{
    request->writes_raw = true;
    net_serving = request;
    net_refuse(request, status, detail);
    net_serving = NULL;
    request->step = NET_STEP_REFUSED;
    net_linger_begin(request->loop, request->conn->fd);
    return MHD_NO;
}

static enum MHD_Result take_body(struct net_request *request, const char *bytes, size_t len)
{
    struct net_server *server = request->loop->server;
    size_t held = atomic_load_explicit(&server->bodies_bytes, memory_order_relaxed);

    if (len > request->body_bytes_max - request->body.len) {
        char detail[DETAIL_BYTES];

        (void)snprintf(detail, sizeof detail, "the body has more than the %zu bytes that are allowed",
                       request->body_bytes_max);
        return refuse_raw(request, 413, detail);
    }
    if (held + len > server->config.bodies_bytes_max) {
        return refuse_raw(request, 503, "too many large requests at once; try again");
    }
    (void)atomic_fetch_add_explicit(&server->bodies_bytes, len, memory_order_relaxed);
    net_count(&request->loop->bytes_in, len);
    buf_append(&request->body, bytes, len);
    net_conn_expect(request->conn, request->body.len);
    return MHD_YES;
}

static enum MHD_Result hand_over(struct net_request *request)
{
    const struct net_config *config = &request->loop->server->config;

    net_serving = request;
    if (request->loop->is_flushing) {
        request->step = NET_STEP_REFUSED;
        net_refuse(request, 503, "the server is stopping");
    } else {
        request->step = NET_STEP_HANDED;
        config->handle(config->context, request);
    }
    net_serving = NULL;
    if (request->is_inline) {
        return net_answer_deliver(request) ? MHD_YES : MHD_NO;
    }
    (void)atomic_fetch_add_explicit(&request->loop->requests_waiting, 1, memory_order_relaxed);
    net_conn_suspend(request->conn); /* an answer from elsewhere waits in the inbox until this is done */
    return MHD_YES;
}

void net_serve_again(struct net_request *request)
{
    struct net_loop *loop = request->loop;
    const struct net_config *config = &loop->server->config;

    (void)pthread_mutex_lock(&loop->mutex);
    request->is_again = false;
    (void)pthread_mutex_unlock(&loop->mutex);
    net_serving = request;
    if (loop->is_flushing) {
        net_refuse(request, 503, "the server is stopping");
    } else {
        config->handle(config->context, request);
    }
    net_serving = NULL;
    if (request->is_inline) {
        struct net_conn *conn = request->conn;

        (void)atomic_fetch_sub_explicit(&loop->requests_waiting, 1, memory_order_relaxed);
        if (!net_answer_deliver(request)) {
            net_conn_cut(conn);
        }
        net_conn_resume(conn);
    } else if (request->is_gone && config->gone != NULL) {
        config->gone(config->context, request);
    }
}

static enum MHD_Result on_access(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                 const char *version, const char *bytes, size_t *len, void **con_cls)
{
    struct net_conn *conn = *con_cls;
    struct net_request *request = conn->request;
    size_t taken = *len;

    (void)cls;
    (void)mhd;
    (void)url;
    *len = 0;
    if (request == NULL || request->is_answered) {
        if (request == NULL || request->response == NULL) {
            return MHD_NO; /* an answer that libmicrohttpd would not have */
        }
        return taken > 0 || net_answer_deliver(request) ? MHD_YES : MHD_NO;
    }
    if (request->step == NET_STEP_LINE) {
        return begin(request, method, version);
    }
    return taken > 0 ? take_body(request, bytes, taken) : hand_over(request);
}

/* ---- beginnings and ends ---- */

static void *on_line(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct net_conn *conn = conn_of(mhd);

    (void)cls;
    if (conn->request == NULL) {
        conn->request = net_request_new(conn);
    }
    conn->request->step = NET_STEP_LINE;
    conn->request->target = target == NULL ? STR("") : copy_text(conn->request, target, strlen(target));
    return conn;
}

static void end_request(struct net_conn *conn)
{
    struct net_request *request = conn->request;

    if (conn->stream != NULL) {
        net_stream_finish(conn->stream);
    }
    if (request != NULL && request->step != NET_STEP_NONE) {
        if (request->response != NULL) {
            MHD_destroy_response(request->response);
        }
        net_request_finish(request);
        net_request_reset(request);
        conn->has_served = true;
    }
    conn->deadline_mono_ms = conn->loop->now_mono_ms + conn->loop->server->config.idle_ms;
    if (conn->loop->is_draining) {
        (void)shutdown(conn->fd, SHUT_RD);
    }
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **con_cls, enum MHD_RequestTerminationCode how)
{
    struct net_conn *conn = *con_cls;

    (void)cls;
    (void)mhd;
    (void)how;
    if (conn != NULL) {
        *con_cls = NULL;
        end_request(conn);
    }
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct net_loop *loop = cls;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        struct net_conn *conn = loop->adding;

        loop->adding = NULL;
        conn->mhd = mhd;
        *socket_context = conn;
        list_push_back(&loop->conns, &conn->node);
    } else {
        struct net_conn *conn = *socket_context;

        end_request(conn);
        net_conn_free(loop->server, conn);
    }
}

/* We decode ourselves (net/uri.h). */
static size_t leave_escapes(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);
}

struct MHD_Daemon *net_serve_start(struct net_loop *loop)
{
    const struct net_config *config = &loop->server->config;

    return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
                            on_access, loop, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)config->connections_max,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, config->header_bytes_max + POOL_EXTRA_BYTES,
                            MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_NOTIFY_COMPLETED, on_completed, loop,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, loop, MHD_OPTION_URI_LOG_CALLBACK, on_line,
                            loop, MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, loop, MHD_OPTION_END);
}
