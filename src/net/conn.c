#include <sys/epoll.h>
#include <sys/socket.h>

#include <assert.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "net/inside.h"

struct net_conn *net_conn_new(struct net_loop *loop, int fd, const union net_peer *peer)
{
    struct net_conn *conn = mem_zalloc(sizeof *conn);

    list_node_init(&conn->node);
    conn->loop = loop;
    conn->fd = fd;
    conn->peer = *peer;
    conn->deadline_mono_ms = NET_NEVER_MS;
    return conn;
}

void net_conn_free(struct net_server *server, struct net_conn *conn)
{
    list_remove(&conn->node);
    if (conn->is_watched) { /* closing the descriptor would not do: linger.c may have another */
        (void)epoll_ctl(conn->loop->epoll_fd, EPOLL_CTL_DEL, conn->fd, NULL);
    }
    if (conn->request != NULL) {
        net_request_free(conn->request);
    }
    if (server->addresses != NULL) {
        net_addresses_leave(server->addresses, &conn->peer);
    }
    (void)atomic_fetch_sub(&server->conn_count, 1);
    (void)atomic_fetch_sub(&conn->loop->conn_count, 1);
    mem_free(conn);
}

void net_conn_watch(struct net_conn *conn)
{
    /* Once is enough: gone clients do not come back. Hang-ups and errors are reported unasked. */
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = conn};

    assert(!conn->is_watched);
    if (epoll_ctl(conn->loop->epoll_fd, EPOLL_CTL_ADD, conn->fd, &event) == 0) {
        conn->is_watched = true; /* otherwise the kernel is out of watches, and the next sweep tries again */
    }
}

void net_conn_suspend(struct net_conn *conn)
{
    assert(!conn->is_suspended);
    conn->is_suspended = true;
    conn->since_mono_ms = conn->loop->now_mono_ms;
    conn->deadline_mono_ms = NET_NEVER_MS;
    MHD_suspend_connection(conn->mhd);
}

void net_conn_resume(struct net_conn *conn)
{
    assert(conn->is_suspended);
    conn->is_suspended = false;
    MHD_resume_connection(conn->mhd);
}

void net_conn_cut(struct net_conn *conn)
{
    conn->is_cut = true;
    conn->deadline_mono_ms = NET_NEVER_MS;
    (void)shutdown(conn->fd, SHUT_RDWR);
}

void net_conn_expect(struct net_conn *conn, size_t bytes)
{
    const struct net_config *config = &conn->loop->server->config;
    int64_t more_ms = (int64_t)(bytes / config->transfer_bytes_per_s_min) * 1000;

    conn->deadline_mono_ms = conn->since_mono_ms + config->transfer_ms + more_ms;
}
