/* server_client: many HTTP/1.1 connections to one server, driven by one thread with as little work as possible.
 *
 * Requests are whole bytes, made beforehand or by http_request; of an answer only its status, its length and its body
 * are looked at. One request is under way on a connection at a time.
 *
 * Owns:  sockets and what is read from them. Borrows request bytes until they are answered.
 * Never: returns a failure: whatever goes wrong ends the program.
 * Rules: (1) answered() may send the next request on its connection, or on others that are not busy.
 *        (2) the body that answered() is given holds until it returns, or sends on the same connection.
 * See:   bench_server.c
 */
#ifndef TESTS_BENCH_SERVER_CLIENT_H
#define TESTS_BENCH_SERVER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* The largest request and answer: a bulk of ten thousand jobs, and what it was answered with. */
#define HTTP_BYTES_MAX (64UL * 1024 * 1024)

struct http_client;

struct http_conn {
    struct http_client *client;
    int fd;
    bool is_busy; /* a request is under way */
    bool is_watched_for_room;
    struct str out; /* what is still to be sent */
    struct buf in;
    size_t head_bytes;    /* of the answer that comes in; 0: not yet known */
    size_t body_bytes;    /* likewise */
    int64_t sent_mono_ns; /* when the request was begun */
    void (*answered)(struct http_conn *conn, int status, struct str body);
    void *user;      /* who sends on it */
    struct buf made; /* for a request of its own */
};

struct http_client *http_client_new(uint16_t port, const char *token);
/* With all its connections. */
void http_client_free(struct http_client *client);

/* Belongs to the client. */
struct http_conn *http_connect(struct http_client *client,
                               void (*answered)(struct http_conn *conn, int status, struct str body), void *user);

/* The bytes of a POST into out, which is emptied first. */
void http_request(const struct http_client *client, const char *path, struct str body, struct buf *out);

/* Sends them; they hold until the answer. */
void http_send(struct http_conn *conn, struct str request);

/* http_request into the connection's own buffer, and http_send. */
void http_post(struct http_conn *conn, const char *path, struct str body);

/* One round: waits at most so long for anything to come in, and takes all of it. */
void http_run(struct http_client *client, int wait_ms);

/* Ends the program where status is not 2xx, and says what the body says. */
void http_want_success(int status, struct str body);

/* A POST that is waited for, with nothing else done meanwhile; its status has to be 2xx. */
void http_post_and_wait(struct http_client *client, const char *path, struct str body);

#endif
