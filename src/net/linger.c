#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/inside.h"

/* How long, and how much of it. Who sends more does not listen. */
#define LINGER_MS 2000
#define LINGER_BYTES_MAX (64UL * 1024 * 1024)

/* Closing alone would leave it in the epoll set for as long as libmicrohttpd still has the socket. */
static void end(struct net_loop *loop, struct net_linger *linger)
{
    (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, linger->fd, NULL);
    (void)close(linger->fd);
    linger->fd = -1;
    loop->linger_count--;
}

void net_linger_init(struct net_loop *loop)
{
    for (size_t i = 0; i < NET_LINGERS_MAX; i++) {
        loop->lingers[i].fd = -1;
    }
}

void net_linger_begin(struct net_loop *loop, int fd)
{
    for (size_t i = 0; i < NET_LINGERS_MAX; i++) {
        struct net_linger *linger = &loop->lingers[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = linger};

        if (linger->fd >= 0) {
            continue;
        }
        linger->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        linger->bytes_left = LINGER_BYTES_MAX;
        linger->deadline_mono_ms = loop->now_mono_ms + LINGER_MS;
        if (linger->fd < 0) {
            return;
        }
        loop->linger_count++;
        if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, linger->fd, &event) != 0) {
            end(loop, linger);
        }
        return;
    }
}

bool net_linger_take_event(struct net_loop *loop, void *tag)
{
    char nowhere[16384];
    struct net_linger *linger = tag;
    ssize_t len;

    if ((uintptr_t)tag < (uintptr_t)loop->lingers || (uintptr_t)tag >= (uintptr_t)(loop->lingers + NET_LINGERS_MAX)) {
        return false;
    }
    len = recv(linger->fd, nowhere, sizeof nowhere, MSG_DONTWAIT);
    if (len > 0 && (size_t)len < linger->bytes_left) {
        linger->bytes_left -= (size_t)len;
    } else if (len >= 0 || errno != EAGAIN) {
        end(loop, linger);
    }
    return true;
}

void net_linger_sweep(struct net_loop *loop)
{
    for (size_t i = 0; i < NET_LINGERS_MAX; i++) {
        struct net_linger *linger = &loop->lingers[i];

        if (linger->fd >= 0 && loop->now_mono_ms >= linger->deadline_mono_ms) {
            end(loop, linger);
        }
    }
}

void net_linger_done(struct net_loop *loop)
{
    for (size_t i = 0; i < NET_LINGERS_MAX; i++) {
        if (loop->lingers[i].fd >= 0) {
            end(loop, &loop->lingers[i]);
        }
    }
}
