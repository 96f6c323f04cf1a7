#include <stdio.h>
#include <sys/socket.h>

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "net/inside.h"

/* Head of an answer that is written past libmicrohttpd; longer ones lose their extra headers. */
#define RAW_HEAD_BYTES_MAX 4096

/* ---- making ---- */

static struct MHD_Response *response_from_body(struct buf *body)
{
    struct MHD_Response *response;

    if (body->len == 0) {
        buf_done(body);
        response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    } else {
        response = MHD_create_response_from_buffer_with_free_callback(body->len, body->data, mem_free);
        *body = (struct buf){.max_bytes = body->max_bytes};
    }
    if (response == NULL) {
        mem_exhausted("MHD_create_response", 1, sizeof *body);
    }
    return response;
}

static bool add_header(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

bool net_answer_add_headers(struct MHD_Response *response, const struct net_answer *answer)
{
    bool is_good = true;

    assert(answer->header_count <= NET_ANSWER_HEADERS_MAX);
    if (answer->content_type != NULL) {
        is_good = add_header(response, "Content-Type", answer->content_type);
    }
    for (size_t i = 0; i < answer->header_count; i++) {
        is_good = add_header(response, answer->headers[i].name, answer->headers[i].value) && is_good;
    }
    if (answer->is_last) {
        is_good = add_header(response, "Connection", "close") && is_good;
    }
    return is_good;
}

struct MHD_Response *net_answer_unavailable(void)
{
    static char text[] = "the server is stopping\n";
    struct MHD_Response *response = MHD_create_response_from_buffer(sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);

    if (response == NULL) {
        mem_exhausted("MHD_create_response", 1, sizeof text);
    }
    (void)add_header(response, "Content-Type", "text/plain");
    (void)add_header(response, "Retry-After", "1");
    (void)add_header(response, "Connection", "close");
    return response;
}

/* ---- giving ---- */

/* An orphan's answer goes nowhere; it was all that the request was kept for. */
static void end_orphan(struct net_request *request)
{
    struct net_server *server = request->loop->server;

    MHD_destroy_response(request->response);
    net_request_finish(request);
    net_request_free(request);
    net_server_unref(server);
}

bool net_answer_settle(struct net_request *request, int status, struct MHD_Response *response)
{
    struct net_loop *loop = request->loop;
    bool is_orphan;

    assert(status >= 200 && status <= 599);
    if (net_serving == request) {
        assert(!request->is_answered); /* rule 1 */
        request->is_answered = true;
        request->is_inline = true;
        request->status = (unsigned int)status;
        request->response = response;
        return true;
    }
    (void)pthread_mutex_lock(&loop->mutex);
    assert(!request->is_answered); /* rule 1 */
    request->is_answered = true;
    request->status = (unsigned int)status;
    request->response = response;
    is_orphan = request->is_orphan;
    if (!is_orphan) {
        list_push_back(&loop->answered, &request->inbox_node);
        net_loop_wake_locked(loop); /* under the lock: as soon as it is free, loop and server may be gone */
    }
    (void)pthread_mutex_unlock(&loop->mutex);
    if (is_orphan) {
        end_orphan(request);
    }
    return !is_orphan;
}

bool net_again(struct net_request *request)
{
    struct net_loop *loop = request->loop;

    assert(net_serving != request); /* it is being handled */
    (void)pthread_mutex_lock(&loop->mutex);
    bool is_possible = !request->is_orphan;

    assert(!request->is_answered && !request->is_again); /* rule 1 */
    if (is_possible) {
        request->is_again = true;
        list_push_back(&loop->answered, &request->inbox_node);
        net_loop_wake_locked(loop);
    }
    (void)pthread_mutex_unlock(&loop->mutex);
    return is_possible;
}

/* The answer as it goes over the wire, for refuse_raw of serve.c. What the socket does not take at once is lost: it is
 * a refusal, and shorter than any socket's buffer. */
static void write_raw(struct net_request *request, struct net_answer *answer)
{
    struct buf head;
    struct iovec parts[2];
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    buf_init(&head, RAW_HEAD_BYTES_MAX);
    buf_printf(&head, "HTTP/1.1 %d Refused\r\nConnection: close\r\nContent-Length: %zu\r\n", answer->status,
               answer->body.len);
    if (answer->content_type != NULL) {
        buf_printf(&head, "Content-Type: %s\r\n", answer->content_type);
    }
    buf_append_text(&head, "\r\n");
    parts[0] = (struct iovec){head.data, head.len};
    parts[1] = (struct iovec){answer->body.data, answer->body.len};
    (void)!sendmsg(request->conn->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    buf_done(&head);
    buf_done(&answer->body);
    request->is_answered = true;
    request->is_inline = true;
}

/* The response, or a bare 500 where it cannot be sent as it is (net.h says when). */
static void answer_with(struct net_request *request, const struct net_answer *answer, struct MHD_Response *response,
                        size_t bytes)
{
    int status = answer->status;

    if (!net_answer_add_headers(response, answer)) {
        MHD_destroy_response(response);
        response = response_from_body(&(struct buf){.len = 0});
        status = 500;
        bytes = 0;
    }
    request->answer_bytes = bytes;
    (void)net_answer_settle(request, status, response);
}

void net_answer(struct net_request *request, struct net_answer *answer)
{
    size_t bytes = answer->body.len;

    if (request->writes_raw) {
        write_raw(request, answer);
        return;
    }
    if (buf_overflowed(&answer->body)) { /* half an answer is none */
        buf_done(&answer->body);
        answer->status = 500;
        bytes = 0;
    }
    answer_with(request, answer, response_from_body(&answer->body), bytes);
}

void net_answer_static(struct net_request *request, struct net_answer *answer, struct str body)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback(body.len, (void *)(uintptr_t)body.ptr, NULL);

    buf_done(&answer->body);
    if (response == NULL) {
        mem_exhausted("MHD_create_response", 1, body.len);
    }
    answer_with(request, answer, response, body.len);
}

void net_answer_text(struct net_request *request, int status, const char *text)
{
    struct net_answer answer = {.status = status, .content_type = "text/plain; charset=utf-8"};

    buf_init(&answer.body, ERROR_TEXT_BYTES_MAX + 1);
    buf_append_text(&answer.body, text);
    buf_append_char(&answer.body, '\n');
    net_answer(request, &answer);
}

void net_refuse(struct net_request *request, int status, const char *detail)
{
    const struct net_config *config = &request->loop->server->config;

    net_count(&request->loop->requests_refused, 1);
    if (config->refuse != NULL) {
        config->refuse(config->context, request, status, detail);
    }
    if (!request->is_inline) {
        net_answer_text(request, status, detail);
    }
}

bool net_answer_deliver(struct net_request *request)
{
    struct net_conn *conn = request->conn;
    struct net_loop *loop = conn->loop;
    enum MHD_Result result;

    conn->since_mono_ms = loop->now_mono_ms;
    if (request->stream != NULL) {
        conn->deadline_mono_ms = NET_NEVER_MS;
        conn->stream = request->stream;
        request->stream->conn = conn;
        if (loop->is_draining) {
            net_stream_stop(request->stream);
        }
    } else {
        net_conn_expect(conn, request->answer_bytes);
        net_count(&loop->bytes_out, request->method == NET_METHOD_HEAD ? 0 : request->answer_bytes);
    }
    if (loop->is_draining || atomic_load_explicit(&loop->server->sends_away, memory_order_relaxed)) {
        (void)add_header(request->response, "Connection", "close");
    }
    result = MHD_queue_response(conn->mhd, request->status, request->response);
    MHD_destroy_response(request->response);
    request->response = NULL;
    return result == MHD_YES;
}
