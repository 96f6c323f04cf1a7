/* rig: a server on a free port, handlers for tests, and clients that speak plain bytes.
 *
 * Paths: /echo answers at once with method, path and body; /later from another thread; /hold waits until the test takes
 * the request from the shelf; /stream begins a stream that the test finds on the shelf as well. check_early answers 401
 * where the header Authorization is "no", and allows 1 MiB of body for /large.
 */
#ifndef TESTS_UNIT_NET_RIG_H
#define TESTS_UNIT_NET_RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "net/net.h"

#define RIG_BODY_BYTES_MAX 1000
#define RIG_LARGE_BYTES_MAX (1024 * 1024)
#define RIG_HELD_MAX 2000
#define RIG_WORKERS 4
/* A test that hangs fails after this: far more than any machine takes. */
#define RIG_PATIENCE_S 60

struct rig {
    struct net_server *server;
    struct net_stream_config stream_config;
    bool has_workers;
    size_t left_over; /* what net_server_stop returned */

    /* Under the rig's lock; read them with rig_count. */
    size_t handled;
    size_t gone;
    size_t done;
    size_t ended;
    enum net_stream_end end; /* the last one's */
};

/* Sensible for tests; change it before rig_start. */
struct net_config rig_config(void);

/* Workers answer /later, and answer held requests where rig_answer_held is used from them. */
void rig_start(struct rig *rig, const struct net_config *config);
/* Answers nothing; grace_ms as net_server_stop has it. Twice is fine. */
void rig_stop(struct rig *rig, int64_t grace_ms);
void rig_restart(struct rig *rig, const struct net_config *config);

size_t rig_count(const size_t *counter);
/* Waits until the counter is there; fails the test where it takes absurdly long. */
void rig_wait(const size_t *counter, size_t at_least);
/* The same for one of the server's figures. */
struct net_figures rig_figures(struct rig *rig);
void rig_wait_figure(struct rig *rig, size_t offset, uint64_t value);
#define RIG_WAIT_FIGURE(rig, name, value) rig_wait_figure(rig, offsetof(struct net_figures, name), value)

/* The oldest on the shelf; waits for one. */
struct net_request *rig_take_request(void);
struct net_stream *rig_take_stream(void);
/* What is on the shelf goes to the workers, to be answered. */
void rig_answer_all(void);
void rig_answer(struct net_request *request, int status, const char *body);

/* ---- clients, in client.c ---- */

struct reply {
    int status;
    struct buf head;
    struct buf body;
};

int client_open(struct rig *rig);
void client_send(int fd, const char *text);
void client_send_bytes(int fd, const char *bytes, size_t len);
/* Reads one whole answer (Content-Length, or no body); status 0 where the connection ended instead. */
void client_read(int fd, struct reply *reply);
void reply_done(struct reply *reply);
/* Sends, reads, and asserts on status and, where it is not NULL, the whole body. */
void client_expect(int fd, const char *request, int status, const char *body);
/* Reads to the end of the connection. */
void client_read_all(int fd, struct buf *buf);
bool client_is_closed(int fd);
/* Reads until text has been seen, all of it into buf; fails the test at the end of the connection. */
void client_read_until(int fd, struct buf *buf, const char *text);

/* For long requests. */
void client_add_many(struct buf *buf, const char *piece, size_t count);

#endif
