#include <arpa/inet.h>

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"
#include "net/inside.h"

_Thread_local struct net_request *net_serving;

struct net_request *net_request_new(struct net_conn *conn)
{
    struct net_request *request = mem_zalloc(sizeof *request);

    request->loop = conn->loop;
    request->conn = conn;
    request->peer = conn->peer;
    list_node_init(&request->inbox_node);
    arena_init(&request->arena, NET_ARENA_BLOCK_BYTES, NET_ARENA_BYTES_MAX);
    buf_init(&request->body, conn->loop->server->config.body_bytes_max);
    return request;
}

static void drop_body(struct net_request *request)
{
    (void)atomic_fetch_sub_explicit(&request->loop->server->bodies_bytes, request->body.len, memory_order_relaxed);
    if (request->body.cap > NET_BODY_KEEP_BYTES) {
        buf_done(&request->body);
    }
    buf_reset(&request->body);
}

void net_request_reset(struct net_request *request)
{
    drop_body(request);
    arena_reset(&request->arena);
    request->step = NET_STEP_NONE;
    request->target = STR("");
    request->method_name = STR("");
    request->uri = (struct net_uri){.param_count = 0};
    request->headers = NULL;
    request->header_count = 0;
    request->has_body = false;
    request->writes_raw = false;
    request->user = NULL;
    request->is_answered = false;
    request->is_inline = false;
    request->is_gone = false;
    request->response = NULL;
    request->answer_bytes = 0;
    request->stream = NULL;
}

void net_request_free(struct net_request *request)
{
    drop_body(request);
    buf_done(&request->body);
    arena_done(&request->arena);
    mem_free(request);
}

void net_request_finish(struct net_request *request)
{
    const struct net_config *config = &request->loop->server->config;

    if (request->step == NET_STEP_HANDED && config->done != NULL) {
        config->done(config->context, request);
    }
}

enum net_method net_request_method(const struct net_request *request)
{
    return request->method;
}

struct str net_request_method_name(const struct net_request *request)
{
    return request->method_name;
}

struct str net_request_path(const struct net_request *request)
{
    return request->uri.path;
}

size_t net_request_segment_count(const struct net_request *request)
{
    return request->uri.segment_count;
}

struct str net_request_segment(const struct net_request *request, size_t index)
{
    assert(index < request->uri.segment_count);
    return request->uri.segments[index];
}

size_t net_request_param_count(const struct net_request *request)
{
    return request->uri.param_count;
}

void net_request_param_at(const struct net_request *request, size_t index, struct str *ret_name, struct str *ret_value)
{
    assert(index < request->uri.param_count);
    *ret_name = request->uri.params[index].name;
    *ret_value = request->uri.params[index].value;
}

size_t net_request_param(const struct net_request *request, struct str name, struct str *ret_value)
{
    size_t count = 0;

    for (size_t i = 0; i < request->uri.param_count; i++) {
        if (str_equal(request->uri.params[i].name, name) && count++ == 0) {
            *ret_value = request->uri.params[i].value;
        }
    }
    return count;
}

struct str net_request_query(const struct net_request *request)
{
    return request->uri.query;
}

size_t net_request_header(const struct net_request *request, struct str name, struct str *ret_value)
{
    size_t count = 0;

    for (size_t i = 0; i < request->header_count; i++) {
        if (str_equal_nocase(request->headers[i].name, name) && count++ == 0) {
            *ret_value = request->headers[i].value;
        }
    }
    return count;
}

struct str net_request_body(const struct net_request *request)
{
    return str_from_bytes(buf_text(&request->body), request->body.len);
}

struct str net_request_peer_bytes(const struct net_request *request)
{
    const union net_peer *peer = &request->peer;

    if (peer->any.sa_family == AF_INET) {
        return str_from_bytes(&peer->v4.sin_addr, 4);
    }
    if (IN6_IS_ADDR_V4MAPPED(&peer->v6.sin6_addr)) {
        return str_from_bytes(&peer->v6.sin6_addr.s6_addr[12], 4);
    }
    return str_from_bytes(&peer->v6.sin6_addr, 16);
}

struct str net_request_peer(const struct net_request *request, char text[static NET_ADDRESS_TEXT_MAX])
{
    struct str bytes = net_request_peer_bytes(request);
    bool is_v4 = bytes.len == 4;
    unsigned int port =
        ntohs(request->peer.any.sa_family == AF_INET ? request->peer.v4.sin_port : request->peer.v6.sin6_port);
    char address[INET6_ADDRSTRLEN] = "";
    int len;

    (void)inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes.ptr, address, sizeof address);
    len = snprintf(text, NET_ADDRESS_TEXT_MAX, is_v4 ? "%s:%u" : "[%s]:%u", address, port);
    return str_from_bytes(text, (size_t)len);
}

struct arena *net_request_arena(struct net_request *request)
{
    return &request->arena;
}

void net_request_set_user(struct net_request *request, void *user)
{
    request->user = user;
}

void *net_request_user(const struct net_request *request)
{
    return request->user;
}

void net_request_allow_body(struct net_request *request, size_t body_bytes_max)
{
    assert(request->step == NET_STEP_LINE);
    request->body_bytes_max = body_bytes_max;
}

enum net_route_result net_request_route(const struct net_request *request, const struct net_routes *routes,
                                        struct net_match *ret_match)
{
    return net_route_find(routes, request->method, request->uri.segments, request->uri.segment_count, ret_match);
}
