#include <assert.h>

#include "base/mem.h"
#include "net/inside.h"

/* libmicrohttpd's own buffer, used for HTTP/1.0 readers only. */
#define BLOCK_BYTES 4096
/* A buffer's memory that an idle stream keeps. */
#define KEEP_BYTES 4096

static size_t waiting(const struct net_stream *stream)
{
    return stream->pending.len - stream->taken;
}

static void unref(struct net_stream *stream)
{
    bool is_last;

    (void)pthread_mutex_lock(&stream->mutex);
    is_last = --stream->refs == 0;
    (void)pthread_mutex_unlock(&stream->mutex);
    if (is_last) {
        buf_done(&stream->pending);
        (void)pthread_mutex_destroy(&stream->mutex);
        mem_free(stream);
    }
}

/* With the stream's mutex held. */
static void post(struct net_stream *stream)
{
    struct net_loop *loop = stream->loop;

    if (loop == NULL || stream->is_posted) {
        return;
    }
    stream->is_posted = true;
    (void)pthread_mutex_lock(&loop->mutex);
    list_push_back(&loop->news, &stream->inbox_node);
    net_loop_wake_locked(loop);
    (void)pthread_mutex_unlock(&loop->mutex);
}

/* ---- in the loop ---- */

static size_t take(struct net_stream *stream, char *out, size_t max)
{
    size_t len = waiting(stream) < max ? waiting(stream) : max;

    if (len > 0) {
        memcpy(out, stream->pending.data + stream->taken, len);
        stream->taken += len;
    }
    if (waiting(stream) == 0) {
        stream->taken = 0;
        buf_reset(&stream->pending);
        if (stream->pending.cap > KEEP_BYTES) {
            buf_done(&stream->pending);
        }
    }
    return len;
}

static ssize_t on_read(void *cls, uint64_t position, char *out, size_t max)
{
    struct net_stream *stream = cls;
    ssize_t result;

    (void)position;
    (void)pthread_mutex_lock(&stream->mutex);
    if (stream->is_overflowed || stream->is_gone) {
        result = MHD_CONTENT_READER_END_WITH_ERROR;
    } else {
        result = (ssize_t)take(stream, out, max);
    }
    if (result == 0 && (stream->is_closed || stream->is_stopped)) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    }
    stream->is_idle = result == 0;
    (void)pthread_mutex_unlock(&stream->mutex);
    if (result == 0) {
        net_conn_suspend(stream->conn);
    } else if (result > 0) {
        net_count(&stream->conn->loop->bytes_out, (uint64_t)result);
    }
    return result;
}

static void on_response_freed(void *cls)
{
    net_stream_finish(cls);
    unref(cls);
}

static void resume(struct net_stream *stream)
{
    stream->is_idle = false;
    if (stream->conn->is_suspended) {
        net_conn_resume(stream->conn);
    }
}

void net_stream_look(struct net_stream *stream)
{
    struct net_conn *conn = stream->conn;

    (void)pthread_mutex_lock(&stream->mutex);
    stream->is_posted = false;
    if (conn != NULL) {
        if (stream->is_overflowed) {
            net_conn_cut(conn);
        } else if (stream->is_closed) {
            conn->since_mono_ms = conn->loop->now_mono_ms;
            net_conn_expect(conn, waiting(stream));
        }
        resume(stream);
    }
    (void)pthread_mutex_unlock(&stream->mutex);
}

void net_stream_reader_gone(struct net_stream *stream)
{
    (void)pthread_mutex_lock(&stream->mutex);
    stream->is_gone = true;
    net_conn_cut(stream->conn);
    resume(stream);
    (void)pthread_mutex_unlock(&stream->mutex);
}

void net_stream_stop(struct net_stream *stream)
{
    (void)pthread_mutex_lock(&stream->mutex);
    stream->is_stopped = true;
    resume(stream);
    (void)pthread_mutex_unlock(&stream->mutex);
}

static enum net_stream_end why(const struct net_stream *stream)
{
    if (stream->is_overflowed) {
        return NET_STREAM_OVERFLOWED;
    }
    return stream->is_stopped ? NET_STREAM_STOPPED : NET_STREAM_GONE;
}

/* Nobody will read the stream any more. False: that was known. */
static bool cut_off(struct net_stream *stream, bool *ret_tell, enum net_stream_end *ret_end)
{
    struct net_loop *loop;

    (void)pthread_mutex_lock(&stream->mutex);
    loop = stream->loop;
    *ret_tell = !stream->is_closed;
    *ret_end = why(stream);
    stream->loop = NULL;
    if (loop != NULL) {
        (void)pthread_mutex_lock(&loop->mutex);
        list_remove(&stream->inbox_node);
        (void)pthread_mutex_unlock(&loop->mutex);
    }
    (void)pthread_mutex_unlock(&stream->mutex);
    return loop != NULL;
}

void net_stream_finish(struct net_stream *stream)
{
    enum net_stream_end end;
    bool tell;

    if (!cut_off(stream, &tell, &end)) {
        return;
    }
    if (stream->conn != NULL) {
        stream->conn->stream = NULL;
        stream->conn = NULL;
    }
    (void)atomic_fetch_sub(&stream->server->stream_count, 1);
    if (tell && stream->config.ended != NULL) {
        stream->config.ended(stream->config.context, stream, end);
    }
}

/* ---- from any thread ---- */

static struct net_stream *stream_new(struct net_request *request, struct net_answer *answer,
                                     const struct net_stream_config *config)
{
    struct net_stream *stream = mem_zalloc(sizeof *stream);

    (void)pthread_mutex_init(&stream->mutex, NULL);
    stream->refs = 2; /* the owner's and the response's */
    stream->loop = request->loop;
    stream->server = request->loop->server;
    list_node_init(&stream->inbox_node);
    stream->config = *config;
    buf_init(&stream->pending, config->buffer_bytes_max);
    buf_append_str(&stream->pending, buf_str(&answer->body));
    buf_done(&answer->body);
    return stream;
}

/* One more stream, where there may be one. */
static bool has_room(struct net_server *server)
{
    if (atomic_fetch_add(&server->stream_count, 1) < server->config.streams_max) {
        return true;
    }
    (void)atomic_fetch_sub(&server->stream_count, 1);
    return false;
}

struct net_stream *net_answer_stream(struct net_request *request, struct net_answer *answer,
                                     const struct net_stream_config *config)
{
    struct net_stream *stream;
    struct MHD_Response *response;

    if (request->method == NET_METHOD_HEAD) {
        buf_done(&answer->body);
        net_answer(request, answer);
        return NULL;
    }
    if (!has_room(request->loop->server)) {
        buf_done(&answer->body);
        net_answer_text(request, 503, "too many streams");
        return NULL;
    }
    stream = stream_new(request, answer, config);
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, on_read, stream, on_response_freed);
    if (response == NULL) {
        mem_exhausted("MHD_create_response", 1, BLOCK_BYTES);
    }
    (void)net_answer_add_headers(response, answer);
    request->stream = stream;
    if (!net_answer_settle(request, answer->status, response)) {
        net_stream_close(stream);
        return NULL;
    }
    return stream;
}

/* With the stream's mutex held. */
static enum net_push push(struct net_stream *stream, struct str bytes)
{
    if (stream->loop == NULL || stream->is_closed || stream->is_gone || stream->is_overflowed || stream->is_stopped) {
        return NET_PUSH_CLOSED;
    }
    if (bytes.len > stream->config.buffer_bytes_max - waiting(stream)) {
        if (!stream->config.closes_when_full) {
            return NET_PUSH_FULL;
        }
        stream->is_overflowed = true;
        net_count(&stream->server->streams_overflowed, 1);
        post(stream);
        return NET_PUSH_CLOSED;
    }
    if (stream->taken > 0 && bytes.len > stream->pending.max_bytes - stream->pending.len) {
        memmove(stream->pending.data, stream->pending.data + stream->taken, waiting(stream));
        buf_truncate(&stream->pending, waiting(stream));
        stream->taken = 0;
    }
    buf_append_str(&stream->pending, bytes);
    if (stream->is_idle) {
        post(stream);
    }
    return NET_PUSH_TAKEN;
}

enum net_push net_stream_push(struct net_stream *stream, struct str bytes)
{
    enum net_push result;

    (void)pthread_mutex_lock(&stream->mutex);
    result = push(stream, bytes);
    (void)pthread_mutex_unlock(&stream->mutex);
    return result;
}

size_t net_stream_waiting(struct net_stream *stream)
{
    size_t bytes;

    (void)pthread_mutex_lock(&stream->mutex);
    bytes = waiting(stream);
    (void)pthread_mutex_unlock(&stream->mutex);
    return bytes;
}

void net_stream_close(struct net_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&stream->mutex);
    stream->is_closed = true;
    post(stream);
    (void)pthread_mutex_unlock(&stream->mutex);
    unref(stream);
}
