#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <assert.h>
#include <string.h>

#include "base/chrono.h"
#include "net/inside.h"

/* Taken from the kernel at once. */
#define EVENTS_MAX 128

static bool add_to_epoll(struct net_loop *loop, int fd, void *tag)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = tag};

    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool open_parts(struct net_loop *loop)
{
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->wake_fd < 0 || !add_to_epoll(loop, loop->wake_fd, &loop->wake_fd)) {
        return false;
    }
    loop->daemon = net_serve_start(loop);
    return loop->daemon != NULL &&
           add_to_epoll(loop, MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, loop->daemon);
}

enum err net_loop_init(struct net_loop *loop, struct net_server *server, struct error *reterr)
{
    loop->server = server;
    loop->epoll_fd = -1;
    loop->wake_fd = -1;
    list_init(&loop->conns);
    list_init(&loop->arrived);
    list_init(&loop->answered);
    list_init(&loop->news);
    net_linger_init(loop);
    (void)pthread_mutex_init(&loop->mutex, NULL);
    if (!open_parts(loop)) {
        net_loop_done(loop);
        return err_set(reterr, ERR_IO, "cannot set up a server loop: %s", strerror(errno));
    }
    return ERR_OK;
}

void net_loop_done(struct net_loop *loop)
{
    if (loop->daemon != NULL) {
        MHD_stop_daemon(loop->daemon);
        loop->daemon = NULL;
    }
    if (loop->epoll_fd >= 0) {
        (void)close(loop->epoll_fd);
    }
    if (loop->wake_fd >= 0) {
        (void)close(loop->wake_fd);
    }
    loop->epoll_fd = -1;
    loop->wake_fd = -1;
}

void net_loop_wake_locked(struct net_loop *loop)
{
    uint64_t one = 1;

    loop->is_called = true;
    if (loop->is_asleep) {
        loop->is_asleep = false;
        (void)!write(loop->wake_fd, &one, sizeof one);
    }
}

void net_loop_wake(struct net_loop *loop)
{
    (void)pthread_mutex_lock(&loop->mutex);
    net_loop_wake_locked(loop);
    (void)pthread_mutex_unlock(&loop->mutex);
}

/* ---- the inbox ---- */

static void add_conn(struct net_loop *loop, struct net_conn *conn)
{
    socklen_t len = conn->peer.any.sa_family == AF_INET ? sizeof conn->peer.v4 : sizeof conn->peer.v6;

    conn->deadline_mono_ms = loop->now_mono_ms + loop->server->config.first_request_ms;
    loop->adding = conn;
    (void)MHD_add_connection(loop->daemon, conn->fd, &conn->peer.any, len);
    if (loop->adding != NULL) { /* libmicrohttpd would not have it, and has closed the socket */
        loop->adding = NULL;
        net_conn_free(loop->server, conn);
    } else if (loop->is_draining) {
        net_conn_hurry(conn);
    }
}

static void take_answer(struct net_request *request)
{
    struct net_conn *conn = request->conn;

    assert(conn->is_suspended); /* rule 2 */
    if (!request->is_answered) {
        net_serve_again(request);
        return;
    }
    (void)atomic_fetch_sub_explicit(&conn->loop->requests_waiting, 1, memory_order_relaxed);
    if (!net_answer_deliver(request)) {
        net_conn_cut(conn);
    }
    net_conn_resume(conn);
}

static void take_inbox(struct net_loop *loop)
{
    struct list arrived;
    struct list answered;
    struct list_node *node;

    list_init(&arrived);
    list_init(&answered);
    (void)pthread_mutex_lock(&loop->mutex);
    list_append_all(&arrived, &loop->arrived);
    list_append_all(&answered, &loop->answered);
    loop->is_called = false;
    loop->is_asleep = false;
    (void)pthread_mutex_unlock(&loop->mutex);
    while ((node = list_pop_front(&arrived)) != NULL) {
        add_conn(loop, CONTAINER_OF(node, struct net_conn, node));
    }
    while ((node = list_pop_front(&answered)) != NULL) {
        take_answer(CONTAINER_OF(node, struct net_request, inbox_node));
    }
}

/* Streams one by one: until it is taken out, a stream is the loop's mutex's. */
static void take_news(struct net_loop *loop)
{
    for (;;) {
        struct list_node *node;

        (void)pthread_mutex_lock(&loop->mutex);
        node = list_pop_front(&loop->news);
        (void)pthread_mutex_unlock(&loop->mutex);
        if (node == NULL) {
            return;
        }
        net_stream_look(CONTAINER_OF(node, struct net_stream, inbox_node));
    }
}

/* ---- what the kernel says ---- */

static void tell_gone(struct net_conn *conn)
{
    struct net_loop *loop = conn->loop;
    struct net_request *request = conn->request;
    bool is_waiting;

    (void)pthread_mutex_lock(&loop->mutex);
    is_waiting = !request->is_answered;
    (void)pthread_mutex_unlock(&loop->mutex);
    if (is_waiting && !request->is_gone) {
        request->is_gone = true;
        net_count(&loop->requests_gone, 1);
        if (loop->server->config.gone != NULL) {
            loop->server->config.gone(loop->server->config.context, request);
        }
    }
}

/* The client has shut down its writing side, or is gone altogether. What it sent before is still read. libmicrohttpd
 * may not know: it waits for edges and takes a short read for an empty socket, so an end that came with the last bytes
 * is overlooked. */
static void client_ended(struct net_conn *conn)
{
    char byte;

    conn->has_ended = true;
    if (conn->is_cut) {
        return;
    }
    if (conn->stream != NULL) {
        net_stream_reader_gone(conn->stream);
    } else if (conn->is_suspended) {
        if (!conn->loop->is_draining) { /* where it may be ourselves who shut the reading side */
            tell_gone(conn);
        }
    } else if ((conn->request == NULL || conn->request->step < NET_STEP_REFUSED) &&
               recv(conn->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        net_conn_cut(conn);
    }
}

static void stop_listening(struct net_loop *loop)
{
    struct net_server *server = loop->server;

    if (server->is_listening) {
        (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, server->listen_fd, NULL);
        server->is_listening = false;
    }
}

/* The first loop has the listening socket. Out of descriptors it looks away until the next sweep. */
static void mind_the_door(struct net_loop *loop)
{
    struct net_server *server = loop->server;

    if (loop != &server->loops[0] || server->listen_fd < 0) {
        return;
    }
    if (atomic_load(&server->stops_accepting)) {
        stop_listening(loop);
        net_accept_last(server);
        (void)sem_post(&server->door_closed);
    } else if (!server->is_listening) {
        server->is_listening = add_to_epoll(loop, server->listen_fd, &server->listen_fd);
    }
}

static void take_event(struct net_loop *loop, void *tag)
{
    if (tag == &loop->wake_fd) {
        uint64_t count;

        (void)!read(loop->wake_fd, &count, sizeof count);
    } else if (tag == &loop->server->listen_fd) {
        if (!net_accept_some(loop->server)) {
            stop_listening(loop);
        }
    } else if (tag != loop->daemon && !net_linger_take_event(loop, tag)) {
        client_ended(tag);
    }
}

/* ---- rounds ---- */

static void sweep_conn(struct net_loop *loop, struct net_conn *conn)
{
    if (!conn->is_watched) {
        net_conn_watch(conn);
    }
    if (conn->has_ended) {
        client_ended(conn);
    }
    if (loop->now_mono_ms < conn->deadline_mono_ms || conn->is_cut) {
        return;
    }
    if (conn->request != NULL && conn->request->step != NET_STEP_NONE) {
        net_count(&loop->timeouts, 1);
        if (conn->request->step == NET_STEP_LINE || conn->request->step == NET_STEP_BODY) {
            net_send_text(conn->fd, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        }
    }
    net_conn_cut(conn);
}

static void note_lag(struct net_loop *loop)
{
    if (loop->is_unhurried) {
        loop->is_unhurried = false;
        return;
    }
    (void)pthread_mutex_lock(&loop->mutex);
    histogram_add(&loop->lag, loop->now_mono_ms - loop->sweep_mono_ms);
    (void)pthread_mutex_unlock(&loop->mutex);
}

static void sweep(struct net_loop *loop)
{
    if (loop->now_mono_ms < loop->sweep_mono_ms) {
        return;
    }
    note_lag(loop);
    loop->sweep_mono_ms = loop->now_mono_ms + NET_SWEEP_MS;
    for (struct list_node *node = list_first(&loop->conns); node != NULL; node = list_next(&loop->conns, node)) {
        sweep_conn(loop, CONTAINER_OF(node, struct net_conn, node));
    }
    net_linger_sweep(loop);
    mind_the_door(loop);
}

static int wait_ms(struct net_loop *loop)
{
    MHD_UNSIGNED_LONG_LONG ms;

    if (MHD_get_timeout(loop->daemon, &ms) == MHD_YES && ms == 0) {
        return 0;
    }
    if (list_empty(&loop->conns) && loop->linger_count == 0 && !atomic_load(&loop->server->is_stopping) &&
        (loop != &loop->server->loops[0] || loop->server->is_listening)) {
        loop->is_unhurried = true;
        return -1;
    }
    return loop->sweep_mono_ms > loop->now_mono_ms ? (int)(loop->sweep_mono_ms - loop->now_mono_ms) : 0;
}

/* Who calls a loop that is awake writes nothing: it looks once more before it sleeps. Answers of one batch come so
 * close together that each would wake it otherwise. */
static bool may_sleep(struct net_loop *loop)
{
    bool is_asleep;

    (void)pthread_mutex_lock(&loop->mutex);
    is_asleep = !loop->is_called;
    loop->is_asleep = is_asleep;
    (void)pthread_mutex_unlock(&loop->mutex);
    return is_asleep;
}

static void run_round(struct net_loop *loop)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(loop->epoll_fd, events, EVENTS_MAX, may_sleep(loop) ? wait_ms(loop) : 0);

    loop->now_mono_ms = chrono_mono_ms();
    for (int i = 0; i < count; i++) {
        take_event(loop, events[i].data.ptr);
    }
    take_inbox(loop);
    take_news(loop);
    (void)MHD_run(loop->daemon);
    sweep(loop);
}

/* Nothing is open and nothing will come: the door is closed before is_stopping is set. */
static bool is_over(struct net_loop *loop)
{
    bool is_empty;

    if (!atomic_load(&loop->server->is_stopping)) {
        return false;
    }
    if (loop->is_flushing && loop->now_mono_ms > loop->flush_mono_ms + NET_FLUSH_MS) {
        return true;
    }
    (void)pthread_mutex_lock(&loop->mutex);
    is_empty = list_empty(&loop->conns) && list_empty(&loop->arrived);
    (void)pthread_mutex_unlock(&loop->mutex);
    return is_empty;
}

void *net_loop_run(void *loop_pointer)
{
    struct net_loop *loop = loop_pointer;

    (void)pthread_setname_np(pthread_self(), "net"); /* for who looks at a busy process */
    loop->now_mono_ms = chrono_mono_ms();
    loop->is_unhurried = true;
    mind_the_door(loop);
    while (!is_over(loop)) {
        run_round(loop);
        if (atomic_load(&loop->server->stops_accepting)) {
            mind_the_door(loop);
        }
        if (atomic_load(&loop->server->is_stopping)) {
            net_loop_drain(loop);
        }
    }
    net_linger_done(loop);
    MHD_stop_daemon(loop->daemon);
    loop->daemon = NULL;
    return NULL;
}
