/* net: an HTTP server that knows nothing of jobs. Requests come in whole, answers go out when somebody has them.
 *
 * A server has a few loops, each a thread with connections of its own. A loop reads a request to its end and hands it
 * to handle(), which must not block. The answer is given with net_answer, at once or later, from any thread. While it
 * is waited for, the loop watches whether the client is still there.
 *
 * Owns:  its connections and requests, and the bodies that net_answer is given. Borrows what the callbacks point to.
 * Never: logs, reads a body that nobody will want, keeps anything without a maximum.
 * Rules: (1) every request that handle() was given is answered exactly once, by net_answer or net_answer_stream. Twice
 *            is a bug and ends the process; never keeps the client waiting until the server stops.
 *        (2) the request and what its accessors return hold until it is answered: who calls net_answer does not look at
 *            the request afterwards. What user points to holds until done().
 *        (3) all callbacks but done() come from the loop that has the connection (net_stream's too), one at a time for
 *            one request, and may not block. They may call anything here except net_server_stop.
 *        (4) gone() comes at most once, after handle() and before done(). Another thread may be answering meanwhile: so
 *            gone() looks at request and user, and tells who has the request; it frees nothing. The request is
 *            still to be answered; where the answer goes to nobody it is dropped in silence.
 *        (5) a client that shuts down its writing side while it waits is gone: a library that does so on purpose is
 *            rare, a process that died is not. Should it still read, it gets the answer.
 *        (6) done() comes exactly once for a request that handle() was given, after its answer is sent or dropped, and
 *            is the last that is heard of it. It comes from the loop, except for a request that outlived the server
 *            (rule 8). A request that check_early() or refuse() answered, or whose client left while sending it, has
 *            neither handle() nor done().
 *        (7) clients that are slow to send or to read are cut off (the _ms of net_config); while a request waits for
 *            its answer no time runs. Streams wait as long as their reader takes what is pushed.
 *        (8) stopping: accepting ends, idle connections close, answers that come within the grace period go out with
 *            "Connection: close". Then waiting clients get 503 and everything closes. Requests that are still not
 *            answered live on alone until they are (rule 1 holds); done() is then called within net_answer.
 *            Who had connected by then is let in, and has fresh_ms to send the request that it came for.
 *        (9) requests of one connection are handled one after the other, pipelined ones after the answer before.
 *       (10) who has a request may give it back instead of answering it (net_again): handle() is called with it once
 *            more, and gone() behind that where the client has gone meanwhile.
 * See:   net/router.h, net/uri.h, tests/unit/net/
 */
#ifndef NET_NET_H
#define NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/histogram.h"
#include "base/str.h"
#include "net/router.h"

/* Threads: more than a few loops never pay, the work behind them is elsewhere. */
#define NET_THREADS_MAX 16
/* Connections a server can be told to allow: 64 Ki descriptors with room for the rest of the process. */
#define NET_CONNECTIONS_MAX 60000
/* Header lines of a request; browsers send about 15. */
#define NET_HEADERS_MAX 64
/* Header lines an answer adds to those that every answer has. */
#define NET_ANSWER_HEADERS_MAX 8
/* Path and query as they stand in the request line, escapes and all. */
#define NET_URI_BYTES_MAX 8192
/* Parameters of a query; no call of ours has more than a dozen. */
#define NET_PARAMS_MAX 64
/* A request's arena: what a handler may take from it for a bulk request. */
#define NET_ARENA_BYTES_MAX (128UL * 1024 * 1024)
/* "[" IPv6 with zone "]:" port NUL fits. */
#define NET_ADDRESS_TEXT_MAX 64

struct net_server;
struct net_request;
struct net_stream;

/* ---- the server ---- */

struct net_config {
    const char *address; /* numeric, IPv4 or IPv6; "::" is both. Borrowed during the call, as is all of the config */
    uint16_t port;       /* 0: any free one, see net_server_port */
    size_t threads;      /* loops, 1 to NET_THREADS_MAX */

    size_t connections_max;             /* more are accepted, told 503 and closed */
    size_t connections_per_address_max; /* the same for one client address; 0: no such limit */
    size_t streams_max;                 /* more are answered 503 */
    size_t header_bytes_max;            /* request line and headers; longer ones are answered 431 */
    size_t body_bytes_max;              /* longer ones are answered 413, unless check_early allows more */
    size_t bodies_bytes_max;            /* of all requests together: what does not fit is answered 503 */

    int64_t first_request_ms;        /* a new connection's first request has its headers sent by then */
    int64_t idle_ms;                 /* the same for later requests, from the answer before on */
    int64_t transfer_ms;             /* a body is received, an answer read by then; longer ones get more, see below */
    int64_t fresh_ms;                /* when the server stops: for a first request that is on its way (rule 8) */
    size_t transfer_bytes_per_s_min; /* ... a second for every so many bytes */

    void *context; /* first argument of all callbacks */

    /* The headers are here, the body is not. May answer (401: the body is then not read and handle() not called), may
     * call net_request_allow_body. May be NULL. */
    void (*check_early)(void *context, struct net_request *request);

    /* The whole request is here. Never NULL. */
    void (*handle)(void *context, struct net_request *request);

    /* The client has gone (rule 4). May be NULL. */
    void (*gone)(void *context, struct net_request *request);

    /* The request is over (rule 6). May be NULL. */
    void (*done)(void *context, struct net_request *request);

    /* The server itself refuses the request: 400, 413, 431, 501, 503. Has to answer with that status, so
     * that all errors look the same. detail is a sentence. NULL: a plain text answer. What is not HTTP at all gets
     * libmicrohttpd's own page. */
    void (*refuse)(void *context, struct net_request *request, int status, const char *detail);
};

/* Loopback, any port, two threads, sensible limits; handle is to be filled in. */
struct net_config net_config_default(void);

/* Listens and serves when it returns. ERR_INVALID: the address or a limit makes no sense; ERR_IO: the address is in
 * use or not ours, or threads and descriptors are out. */
MUST_CHECK enum err net_server_start(const struct net_config *config, struct net_server **ret_server,
                                     struct error *reterr);

/* Rule 8. Returns when no loop runs any more, at most about grace_ms later than it can; frees the server. Returns the
 * number of requests that are still to be answered: 0 when all has gone well. Not from a callback. */
size_t net_server_stop(struct net_server *server, int64_t grace_ms);

/* Closes the door but lets everybody in finish, in no particular time: the first half of net_server_stop, for those who
 * have more to do before the second. New requests on open connections are still handled. */
void net_server_stop_accepting(struct net_server *server);

/* Everything goes on, but each answer is the last of its connection: clients come back elsewhere before it closes. */
void net_server_send_away(struct net_server *server);

uint16_t net_server_port(const struct net_server *server);

struct net_figures {
    uint64_t connections_open;
    uint64_t connections_total;
    uint64_t connections_refused; /* by the two limits */
    uint64_t requests_total;      /* those whose headers were read to the end */
    uint64_t requests_waiting;    /* handled, not answered */
    uint64_t requests_gone;       /* clients that went while they waited */
    uint64_t requests_refused;    /* by the server itself */
    uint64_t timeouts;            /* connections cut off for being slow; idle ones are not counted */
    uint64_t streams_open;
    uint64_t streams_overflowed; /* closed because their reader was too slow */
    uint64_t bytes_in;           /* of bodies */
    uint64_t bytes_out;          /* of bodies, streams included */
    uint64_t bodies_bytes;       /* of bodies that are held now */
    struct histogram lag;        /* how late loops were for what they do every NET_SWEEP_MS */
};

/* From any thread; the figures need not belong to one instant. */
void net_server_figures(struct net_server *server, struct net_figures *ret_figures);

/* ---- requests ---- */

enum net_method net_request_method(const struct net_request *request);

/* As the client wrote it: "PROPFIND". */
struct str net_request_method_name(const struct net_request *request);

/* Decoded: "/v1/jobs/a b" for /v1/jobs/a%20b. Begins with a slash; has no NUL; is well-formed UTF-8. An escaped slash
 * (%2F) is a plain character of its segment: that is why routes are matched on segments and not on this. */
struct str net_request_path(const struct net_request *request);

/* The segments of the path, each decoded: "/v1/jobs/x" has three, "/" has one, which is empty. Iterate from 0 on. */
size_t net_request_segment_count(const struct net_request *request);
struct str net_request_segment(const struct net_request *request, size_t index);

/* Parameters of the query, decoded (+ is a blank), in the order of the request. "?a&b=" has a and b, both empty. */
size_t net_request_param_count(const struct net_request *request);
void net_request_param_at(const struct net_request *request, size_t index, struct str *ret_name, struct str *ret_value);

/* How often name stands in the query; *ret_value (untouched where it is 0) is the first one's value. */
size_t net_request_param(const struct net_request *request, struct str name, struct str *ret_value);

/* The query as it stands in the request, without the question mark. */
struct str net_request_query(const struct net_request *request);

/* How many headers have the name (case does not count); *ret_value (untouched where it is 0) is the first one's. */
size_t net_request_header(const struct net_request *request, struct str name, struct str *ret_value);

/* All of it, in one piece; empty in check_early. NUL-terminated. */
struct str net_request_body(const struct net_request *request);

/* "192.0.2.7:51312" or "[2001:db8::7]:51312", NUL-terminated; and the address alone, of 4 or 16 bytes. */
struct str net_request_peer(const struct net_request *request, char text[static NET_ADDRESS_TEXT_MAX]);
struct str net_request_peer_bytes(const struct net_request *request);

/* For who has the request to use; goes with the request (rule 2). At most NET_ARENA_BYTES_MAX. Not for two threads at
 * once. */
struct arena *net_request_arena(struct net_request *request);

/* The caller's own; NULL at first (in check_early). */
void net_request_set_user(struct net_request *request, void *user);
void *net_request_user(const struct net_request *request);

/* In check_early only: another maximum for this body. */
void net_request_allow_body(struct net_request *request, size_t body_bytes_max);

/* net_route_find with the request's method and path; the parameters are the request's (rule 2). */
enum net_route_result net_request_route(const struct net_request *request, const struct net_routes *routes,
                                        struct net_match *ret_match);

/* ---- answers ---- */

struct net_header {
    const char *name;  /* a constant of ours */
    const char *value; /* copied during the call. With a control character in it the answer becomes a bare 500 */
};

struct net_answer {
    int status;               /* 200 to 599 */
    const char *content_type; /* NULL: none. Copied during the call */
    size_t header_count;
    struct net_header headers[NET_ANSWER_HEADERS_MAX];
    bool is_last;    /* the connection closes behind it */
    struct buf body; /* passes to net; zeroed: no body. Of a HEAD request's answer only the length is sent */
};

/* Answers the request (rule 1). answer is borrowed, its body is taken: answer->body is empty afterwards. */
void net_answer(struct net_request *request, struct net_answer *answer);

/* Rule 10; from any thread. False: the request has outlived the server, and is to be answered. */
bool net_again(struct net_request *request);

/* A body that never changes and outlives the server is not copied: for embedded files. */
void net_answer_static(struct net_request *request, struct net_answer *answer, struct str body);

/* ---- streams ---- */

enum net_push {
    NET_PUSH_TAKEN,
    NET_PUSH_FULL,   /* nothing was taken: the reader is behind */
    NET_PUSH_CLOSED, /* nobody will read it */
};

enum net_stream_end {
    NET_STREAM_GONE,       /* the reader went away */
    NET_STREAM_OVERFLOWED, /* the reader was too slow */
    NET_STREAM_STOPPED,    /* the server stops */
};

struct net_stream_config {
    size_t buffer_bytes_max; /* pushed and not yet taken by the socket */
    bool closes_when_full;   /* a push that does not fit ends the stream (and is counted); otherwise it is refused with
                                NET_PUSH_FULL, and who pushes may say so later in the stream itself */
    void *context;
    /* The stream is over and net_stream_close was not the reason; net_stream_close is still to be called. Comes at most
     * once, from the loop and before the request's done(); other threads may be in net_stream_push or
     * net_stream_close meanwhile. So what context points to holds until done(). */
    void (*ended)(void *context, struct net_stream *stream, enum net_stream_end end);
};

/* Answers the request (rule 1) with headers now and a body bit by bit; answer->body is the first piece. The stream
 * belongs to the caller until net_stream_close. The request's done() comes when the connection is through with it.
 * NULL: there are too many streams (503), the client asked with HEAD, or the server has stopped; the request is
 * answered all the same. */
struct net_stream *net_answer_stream(struct net_request *request, struct net_answer *answer,
                                     const struct net_stream_config *config);

/* From any thread, whole or not at all. */
enum net_push net_stream_push(struct net_stream *stream, struct str bytes);

/* Bytes that wait for the socket. */
size_t net_stream_waiting(struct net_stream *stream);

/* What was pushed still goes out, for as long as transfer_ms allows. The stream is gone for the caller; NULL is fine.
 */
void net_stream_close(struct net_stream *stream);

#endif
