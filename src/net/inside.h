/* inside: what the files of the server share. Nobody outside of src/net includes it.
 *
 * Threads: a loop's connections, and all of libmicrohttpd's state for them, are touched by that loop's thread alone:
 *          it runs libmicrohttpd itself (MHD_run), which has no thread of its own here. Other threads only put things
 *          into the loop's inbox, under its mutex. That is what keeps answer, gone, stop and close from meeting.
 * Rules: (1) lock order: a stream's mutex, then a loop's. No lock is held while a callback runs.
 *        (2) a connection is suspended (MHD_suspend_connection) from handle() until its answer is taken out of the
 *            inbox, and a stream's while nothing is to be sent; nothing else resumes it. libmicrohttpd never closes
 *            a suspended connection, so a request that waits has its connection.
 *        (3) request->is_answered and is_orphan change under the loop's mutex, except by an answer that the loop gives
 *            itself while it serves the request (net_serving, below): then nobody else may answer it.
 *        (4) the server is freed when nobody refers to it: net_server_stop and every orphan hold a reference.
 */
#ifndef NET_INSIDE_H
#define NET_INSIDE_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/list.h"
#include "net/net.h"
#include "net/uri.h"

/* Deadlines are looked at this often, and sockets are watched from the first such moment of theirs on: a connection for
 * one short request is never watched. */
#define NET_SWEEP_MS 100
/* Time never comes. */
#define NET_NEVER_MS INT64_MAX
/* After the grace period of a stop: time for the last answers to go out. */
#define NET_FLUSH_MS 500
/* Refused bodies that are read to nowhere at once; beyond, the client may not see why its connection broke. */
#define NET_LINGERS_MAX 64
/* First block of a request's arena: the headers of a usual request, and some. */
#define NET_ARENA_BLOCK_BYTES 2048
/* A body's memory that stays with its connection for the next request. */
#define NET_BODY_KEEP_BYTES 4096

union net_peer {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

enum net_step {
    NET_STEP_NONE,    /* no request: the connection is idle, or the request line is not complete */
    NET_STEP_LINE,    /* the request line is here */
    NET_STEP_BODY,    /* the headers are here */
    NET_STEP_REFUSED, /* answered before handle() */
    NET_STEP_HANDED,  /* handle() was called */
};

struct net_request {
    struct net_loop *loop;
    struct net_conn *conn; /* NULL for an orphan */
    enum net_step step;
    struct arena arena;
    union net_peer peer;

    struct str target; /* raw */
    struct str method_name;
    enum net_method method;
    struct net_uri uri;
    struct net_param *headers;
    size_t header_count;
    struct buf body;
    size_t body_bytes_max;
    bool has_body;   /* is announced */
    bool writes_raw; /* an answer in the middle of a body, which libmicrohttpd does not know: straight to the socket */
    void *user;

    bool is_answered; /* rule 3 */
    bool is_orphan;   /* rule 3: its connection is gone because the server has stopped */
    bool is_again;    /* under the loop's mutex: it is in the inbox to be handled once more */
    bool is_inline;   /* answered by the loop while being served */
    bool is_gone;
    struct list_node inbox_node; /* in loop->answered */

    /* From the answer on. */
    struct MHD_Response *response;
    unsigned int status;
    size_t answer_bytes;
    struct net_stream *stream; /* NULL: an ordinary answer */
};

struct net_conn {
    struct list_node node; /* in loop->conns or loop->arrived */
    struct net_loop *loop;
    struct MHD_Connection *mhd;
    int fd;
    union net_peer peer;
    bool is_suspended;
    bool is_watched;
    bool is_cut;
    bool has_ended;           /* the client sends no more */
    bool has_served;          /* a request has ended on it */
    int64_t since_mono_ms;    /* of what it is doing: receiving a body, waiting, sending */
    int64_t deadline_mono_ms; /* NET_NEVER_MS: none */
    struct net_request *request;
    struct net_stream *stream; /* while it sends one */
};

/* A socket that is read to nowhere behind a refusal, see linger.c. */
struct net_linger {
    int fd; /* -1: unused */
    size_t bytes_left;
    int64_t deadline_mono_ms;
};

struct net_loop {
    struct net_server *server;
    pthread_t thread;
    struct MHD_Daemon *daemon;
    int epoll_fd; /* has wake_fd, libmicrohttpd's epoll set, watched sockets and, in the first loop, the listening one
                   */
    int wake_fd;
    struct list conns;
    struct net_conn *adding; /* to libmicrohttpd, right now */
    int64_t now_mono_ms;
    int64_t sweep_mono_ms; /* the next one */
    bool is_unhurried;     /* it sleeps, or slept, until somebody comes: the next sweep is late for nothing */
    struct net_linger lingers[NET_LINGERS_MAX];
    size_t linger_count; /* in use */
    bool is_draining;
    bool is_flushing; /* the grace period is over */
    int64_t flush_mono_ms;

    pthread_mutex_t mutex; /* guards the inbox, that is the rest of this block */
    bool is_called;        /* something is in it, or the server wants something; since the last look */
    bool is_asleep;        /* in epoll_wait, with nothing to do: the eventfd is written to only then */
    struct list arrived;   /* connections */
    struct list answered;  /* requests */
    struct list news;      /* streams */
    struct histogram lag;  /* of sweeps */

    atomic_size_t conn_count;
    atomic_uint_fast64_t requests_total;
    atomic_uint_fast64_t requests_waiting;
    atomic_uint_fast64_t requests_gone;
    atomic_uint_fast64_t requests_refused;
    atomic_uint_fast64_t timeouts;
    atomic_uint_fast64_t bytes_in;
    atomic_uint_fast64_t bytes_out;
};

struct net_server {
    struct net_config config;
    uint16_t port;
    atomic_size_t refs; /* rule 4 */
    int listen_fd;      /* the first loop's; -1 when closed */
    bool is_listening;  /* in its epoll set */
    sem_t door_closed;  /* posted once, when listen_fd is closed */
    atomic_bool stops_accepting;
    atomic_bool sends_away; /* each answer is its connection's last */
    atomic_bool is_stopping;
    atomic_int_fast64_t stop_mono_ms; /* end of the grace period; valid when is_stopping */
    struct net_addresses *addresses;  /* NULL: no limit by address */
    size_t loop_count;
    struct net_loop loops[NET_THREADS_MAX];

    atomic_size_t conn_count;
    atomic_size_t stream_count;
    atomic_size_t bodies_bytes;
    atomic_uint_fast64_t connections_total;
    atomic_uint_fast64_t connections_refused;
    atomic_uint_fast64_t streams_overflowed;
};

struct net_stream {
    pthread_mutex_t mutex; /* guards all of it but conn */
    int refs;              /* the owner's and the response's */
    struct net_server *server;
    struct net_loop *loop;       /* NULL: over */
    struct list_node inbox_node; /* in loop->news, under the loop's mutex */
    struct buf pending;
    size_t taken; /* bytes of pending that went to the socket */
    bool is_posted;
    bool is_idle; /* the connection waits for a push */
    bool is_closed;
    bool is_gone;
    bool is_overflowed;
    bool is_stopped;
    struct net_stream_config config;
    struct net_conn *conn; /* the loop's alone; NULL before the headers are on their way, and after the end */
};

/* The request that this thread's loop is serving: it can be answered without the inbox. */
extern _Thread_local struct net_request *net_serving;

static inline void net_count(atomic_uint_fast64_t *figure, uint64_t more)
{
    (void)atomic_fetch_add_explicit(figure, more, memory_order_relaxed);
}

/* ---- listen.c ---- */

/* A listening, non-blocking socket, and its port. */
MUST_CHECK enum err net_listen(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port,
                               struct error *reterr);
/* Accepts what is there and gives it to the loops. Returns false where descriptors are out: try again later. */
bool net_accept_some(struct net_server *server);
/* Nobody is let in any more: accepts all who were by now, and closes the door. */
void net_accept_last(struct net_server *server);
/* Sends what fits into the socket at once. */
void net_send_text(int fd, const char *text);

/* ---- addresses.c: connections by client address; from any thread ---- */

struct net_addresses *net_addresses_new(size_t per_address_max);
void net_addresses_free(struct net_addresses *addresses);
/* False where the address has its maximum. */
bool net_addresses_enter(struct net_addresses *addresses, const union net_peer *peer);
void net_addresses_leave(struct net_addresses *addresses, const union net_peer *peer);

/* ---- conn.c ---- */

/* Takes the descriptor. */
struct net_conn *net_conn_new(struct net_loop *loop, int fd, const union net_peer *peer);
/* The connection is over, or never began: takes it out of all figures and frees it. Does not close the descriptor. */
void net_conn_free(struct net_server *server, struct net_conn *conn);
/* Once, for the rest of its life. */
void net_conn_watch(struct net_conn *conn);
void net_conn_suspend(struct net_conn *conn);
void net_conn_resume(struct net_conn *conn);
/* Ends it: libmicrohttpd finds the socket shut down. */
void net_conn_cut(struct net_conn *conn);
/* Starts the clock for so many bytes (rule 7 of net.h). */
void net_conn_expect(struct net_conn *conn, size_t bytes);

/* ---- linger.c: a client that is refused in the middle of a body is still sending. If the socket were closed then,
 * what arrives would be answered with a reset, and many clients would see that and not the refusal. So what it sends is
 * read for a while, on a descriptor of our own, after libmicrohttpd has closed its. ---- */

void net_linger_init(struct net_loop *loop);
void net_linger_done(struct net_loop *loop);
/* Where there is room. fd stays the caller's. */
void net_linger_begin(struct net_loop *loop, int fd);
/* False: the event is not about one of these. */
bool net_linger_take_event(struct net_loop *loop, void *tag);
void net_linger_sweep(struct net_loop *loop);

/* ---- loop.c ---- */

MUST_CHECK enum err net_loop_init(struct net_loop *loop, struct net_server *server, struct error *reterr);
void net_loop_done(struct net_loop *loop);
/* The thread. */
void *net_loop_run(void *loop);
/* With the loop's mutex held. */
void net_loop_wake_locked(struct net_loop *loop);
void net_loop_wake(struct net_loop *loop);

/* ---- drain.c: stopping, as one loop sees it ---- */

void net_loop_drain(struct net_loop *loop);
/* The server stops: the connection has fresh_ms for its first request. */
void net_conn_hurry(struct net_conn *conn);
void net_server_unref(struct net_server *server);

/* ---- serve.c: libmicrohttpd's callbacks ---- */

struct MHD_Daemon *net_serve_start(struct net_loop *loop);
/* Rule 10 of net.h, taken out of the inbox. */
void net_serve_again(struct net_request *request);

/* ---- request.c ---- */

struct net_request *net_request_new(struct net_conn *conn);
/* For the next one on the same connection. */
void net_request_reset(struct net_request *request);
void net_request_free(struct net_request *request);
/* done(), where handle() was called. */
void net_request_finish(struct net_request *request);

/* ---- answer.c ---- */

/* The request has its answer (rule 1 of net.h). False: it had outlived the server, and the answer is dropped. */
bool net_answer_settle(struct net_request *request, int status, struct MHD_Response *response);
/* False where libmicrohttpd would not have one of them. */
bool net_answer_add_headers(struct MHD_Response *response, const struct net_answer *answer);

/* Gives the answer to libmicrohttpd. The connection does not wait, or was just about to be resumed. False: it would not
 * have it, and the connection has to be closed. */
bool net_answer_deliver(struct net_request *request);
/* The server's own refusal, while the request is served. */
void net_refuse(struct net_request *request, int status, const char *detail);
void net_answer_text(struct net_request *request, int status, const char *text);
struct MHD_Response *net_answer_unavailable(void);

/* ---- stream.c ---- */

/* Something happened to the stream: push, close, overflow. In the loop. */
void net_stream_look(struct net_stream *stream);
/* Its connection shows that the reader went; or the server stops. In the loop. */
void net_stream_reader_gone(struct net_stream *stream);
void net_stream_stop(struct net_stream *stream);
/* The connection is through with it. In the loop; twice is fine. */
void net_stream_finish(struct net_stream *stream);

#endif
