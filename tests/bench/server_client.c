#include "server_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"

#define EVENTS_MAX 256
/* Read at once, as long as nothing says that more will come: most connections wait, and there are thousands. */
#define READ_BYTES 4096
#define CONNS_MAX 20000
#define ROUND_MS 1000

struct http_client {
    uint16_t port;
    const char *token; /* borrowed */
    int epoll_fd;
    struct http_conn *conns[CONNS_MAX];
    size_t conn_count;
    struct http_conn *waiter; /* for http_post_and_wait; NULL until the first */
};

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- life ---- */

struct http_client *http_client_new(uint16_t port, const char *token)
{
    struct http_client *client = mem_zalloc(sizeof *client);

    client->port = port;
    client->token = token;
    client->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (client->epoll_fd < 0) {
        give_up("epoll");
    }
    return client;
}

void http_client_free(struct http_client *client)
{
    for (size_t i = 0; i < client->conn_count; i++) {
        struct http_conn *conn = client->conns[i];

        (void)close(conn->fd);
        buf_done(&conn->in);
        buf_done(&conn->made);
        mem_free(conn);
    }
    (void)close(client->epoll_fd);
    mem_free(client);
}

static void watch(struct http_conn *conn, int how, bool for_room)
{
    struct epoll_event event = {.events = for_room ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = conn};

    conn->is_watched_for_room = for_room;
    if (epoll_ctl(conn->client->epoll_fd, how, conn->fd, &event) != 0) {
        give_up("epoll_ctl");
    }
}

struct http_conn *http_connect(struct http_client *client,
                               void (*answered)(struct http_conn *conn, int status, struct str body), void *user)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(client->port)};
    struct http_conn *conn = mem_zalloc(sizeof *conn);
    int one = 1;

    if (client->conn_count == CONNS_MAX) {
        errno = EMFILE;
        give_up("connections");
    }
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    conn->client = client;
    conn->answered = answered;
    conn->user = user;
    buf_init(&conn->in, HTTP_BYTES_MAX);
    buf_init(&conn->made, HTTP_BYTES_MAX);
    conn->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (conn->fd < 0 || connect(conn->fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        give_up("connect");
    }
    (void)setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    client->conns[client->conn_count++] = conn;
    watch(conn, EPOLL_CTL_ADD, false);
    return conn;
}

/* ---- requests ---- */

void http_request(const struct http_client *client, const char *path, struct str body, struct buf *out)
{
    buf_reset(out);
    buf_printf(out,
               "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
               "Content-Length: %zu\r\n\r\n",
               path, client->token, body.len);
    buf_append_str(out, body);
}

static void send_some(struct http_conn *conn)
{
    while (!str_empty(conn->out)) {
        ssize_t sent = send(conn->fd, conn->out.ptr, conn->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            give_up("send");
        }
        if (sent < 0 && errno == EAGAIN) {
            break;
        }
        conn->out = str_skip(conn->out, sent > 0 ? (size_t)sent : 0);
    }
    if (conn->is_watched_for_room != !str_empty(conn->out)) {
        watch(conn, EPOLL_CTL_MOD, !str_empty(conn->out));
    }
}

void http_send(struct http_conn *conn, struct str request)
{
    if (conn->is_busy) {
        (void)fprintf(stderr, "bench_server: a request is under way there\n");
        abort();
    }
    conn->is_busy = true;
    conn->out = request;
    conn->sent_mono_ns = chrono_mono_ns();
    buf_reset(&conn->in);
    conn->head_bytes = 0;
    send_some(conn);
}

void http_post(struct http_conn *conn, const char *path, struct str body)
{
    http_request(conn->client, path, body, &conn->made);
    http_send(conn, buf_str(&conn->made));
}

/* ---- answers ---- */

/* The head, once all of it is there: status and length. */
static void look_at_head(struct http_conn *conn)
{
    static const char length_mark[] = "\r\nContent-Length: ";
    const char *end = memmem(conn->in.data, conn->in.len, "\r\n\r\n", 4);

    if (end == NULL) {
        return;
    }
    size_t head_bytes = (size_t)(end - conn->in.data) + 4;
    const char *length = memmem(conn->in.data, head_bytes, length_mark, sizeof length_mark - 1);

    if (length == NULL) {
        (void)fprintf(stderr, "bench_server: an answer without its length\n");
        exit(1);
    }
    conn->head_bytes = head_bytes;
    conn->body_bytes = strtoul(length + sizeof length_mark - 1, NULL, 10);
}

/* "HTTP/1.1 202" */
static int status_of(const struct http_conn *conn)
{
    const char *digits = conn->in.data + sizeof "HTTP/1.1 " - 1;

    return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
}

static void read_some(struct http_conn *conn)
{
    size_t all = conn->head_bytes + conn->body_bytes;
    size_t want = conn->head_bytes > 0 && all > conn->in.len + READ_BYTES ? all - conn->in.len : READ_BYTES;
    char *room = buf_reserve(&conn->in, want);
    ssize_t got = room == NULL ? -1 : recv(conn->fd, room, want, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        (void)fprintf(stderr, "bench_server: the server closed a connection\n");
        exit(1);
    }
    buf_commit(&conn->in, (size_t)got);
    if (conn->head_bytes == 0) {
        look_at_head(conn);
    }
    if (conn->head_bytes > 0 && conn->in.len >= conn->head_bytes + conn->body_bytes) {
        conn->is_busy = false;
        conn->answered(conn, status_of(conn), str_from_bytes(conn->in.data + conn->head_bytes, conn->body_bytes));
    }
}

void http_run(struct http_client *client, int wait_ms)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(client->epoll_fd, events, EVENTS_MAX, wait_ms);

    for (int i = 0; i < count; i++) {
        struct http_conn *conn = events[i].data.ptr;

        if ((events[i].events & EPOLLOUT) != 0) {
            send_some(conn);
        }
        if ((events[i].events & ~(uint32_t)EPOLLOUT) != 0) {
            read_some(conn);
        }
    }
}

/* ---- one at a time ---- */

void http_want_success(int status, struct str body)
{
    if (status < 200 || status > 299) {
        (void)fprintf(stderr, "bench_server: the server answered %d: %.*s\n", status, (int)body.len, body.ptr);
        exit(1);
    }
}

static void waiter_answered(struct http_conn *conn, int status, struct str body)
{
    (void)conn;
    http_want_success(status, body);
}

void http_post_and_wait(struct http_client *client, const char *path, struct str body)
{
    if (client->waiter == NULL) {
        client->waiter = http_connect(client, waiter_answered, NULL);
    }
    http_post(client->waiter, path, body);
    while (client->waiter->is_busy) {
        http_run(client, ROUND_MS);
    }
}
