#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string.h>

#include "net/inside.h"

/* Connections the kernel may hold for us between two rounds of a loop; it cuts the number to its own maximum. */
#define BACKLOG 4096
/* Accepted in one go, so that open connections get their turn. */
#define ACCEPT_MAX 64

enum accepted { ACCEPT_ALL, ACCEPT_MORE, ACCEPT_NO_ROOM };

static bool address_from(const char *address, uint16_t port, union net_peer *ret_address, socklen_t *ret_len)
{
    union net_peer at = {.v6 = {0}};

    if (inet_pton(AF_INET, address, &at.v4.sin_addr) == 1) {
        at.v4.sin_family = AF_INET;
        at.v4.sin_port = htons(port);
        *ret_len = sizeof at.v4;
    } else if (inet_pton(AF_INET6, address, &at.v6.sin6_addr) == 1) {
        at.v6.sin6_family = AF_INET6;
        at.v6.sin6_port = htons(port);
        *ret_len = sizeof at.v6;
    } else {
        return false;
    }
    *ret_address = at;
    return true;
}

static bool open_at(int fd, const union net_peer *at, socklen_t len)
{
    int yes = 1;
    int no = 0;

    if (at->any.sa_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0) {
        return false;
    }
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 && bind(fd, &at->any, len) == 0 &&
           listen(fd, BACKLOG) == 0;
}

enum err net_listen(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port, struct error *reterr)
{
    union net_peer at;
    socklen_t len;
    int fd;

    if (!address_from(address, port, &at, &len)) {
        return err_set(reterr, ERR_INVALID, "%s is not an IPv4 or IPv6 address in numbers", address);
    }
    fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return err_set(reterr, ERR_IO, "cannot make a socket: %s", strerror(errno));
    }
    if (!open_at(fd, &at, len) || getsockname(fd, &at.any, &len) != 0) {
        int why = errno;

        (void)close(fd);
        return err_set(reterr, ERR_IO, "cannot listen at %s port %u: %s", address, port, strerror(why));
    }
    *ret_fd = fd;
    *ret_port = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
    return ERR_OK;
}

void net_send_text(int fd, const char *text)
{
    (void)!send(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void refuse(struct net_server *server, int fd)
{
    net_count(&server->connections_refused, 1);
    net_send_text(fd, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
                      "Content-Type: text/plain\r\nContent-Length: 21\r\n\r\ntoo many connections\n");
    (void)close(fd);
}

static struct net_loop *least_busy(struct net_server *server)
{
    struct net_loop *best = &server->loops[0];

    for (size_t i = 1; i < server->loop_count; i++) {
        if (atomic_load(&server->loops[i].conn_count) < atomic_load(&best->conn_count)) {
            best = &server->loops[i];
        }
    }
    return best;
}

static void take_in(struct net_server *server, int fd, const union net_peer *peer)
{
    struct net_loop *loop;
    struct net_conn *conn;

    if (atomic_load(&server->conn_count) >= server->config.connections_max ||
        (server->addresses != NULL && !net_addresses_enter(server->addresses, peer))) {
        refuse(server, fd);
        return;
    }
    loop = least_busy(server);
    conn = net_conn_new(loop, fd, peer);
    (void)atomic_fetch_add(&server->conn_count, 1);
    (void)atomic_fetch_add(&loop->conn_count, 1);
    net_count(&server->connections_total, 1);
    (void)pthread_mutex_lock(&loop->mutex);
    list_push_back(&loop->arrived, &conn->node);
    net_loop_wake_locked(loop);
    (void)pthread_mutex_unlock(&loop->mutex);
}

static enum accepted accept_some(struct net_server *server)
{
    for (int i = 0; i < ACCEPT_MAX; i++) {
        union net_peer peer = {.v6 = {0}};
        socklen_t len = sizeof peer;
        int fd = accept4(server->listen_fd, &peer.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            take_in(server, fd, &peer);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            return ACCEPT_NO_ROOM;
        } else if (errno == EAGAIN) {
            return ACCEPT_ALL;
        }
        /* Anything else is about the one connection that failed before it began. */
    }
    return ACCEPT_MORE;
}

bool net_accept_some(struct net_server *server)
{
    return accept_some(server) != ACCEPT_NO_ROOM;
}

/* From now on the kernel lets nobody in any more, so that everybody who was let in can be accepted: whoever stands in
 * the queue when a listening socket closes is reset, and cannot know what became of a request that it sent. A first
 * packet that is dropped is sent again, and finds the door closed then. */
static void drop_newcomers(int listen_fd)
{
    /* The flags of a TCP header; of SYN and ACK, SYN alone. */
    static struct sock_filter code[] = {
        {BPF_LD | BPF_B | BPF_ABS, 0, 0, 13},    {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x12},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0x02}, {BPF_RET | BPF_K, 0, 0, 0},
        {BPF_RET | BPF_K, 0, 0, UINT32_MAX},
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};

    /* Where a kernel does not have that the queue is emptied all the same. */
    (void)setsockopt(listen_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

void net_accept_last(struct net_server *server)
{
    drop_newcomers(server->listen_fd);
    for (int i = 0; i <= BACKLOG / ACCEPT_MAX; i++) {
        if (accept_some(server) != ACCEPT_MORE) {
            break;
        }
    }
    (void)close(server->listen_fd);
    server->listen_fd = -1;
}
