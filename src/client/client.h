/* client: Belfry's HTTP API from C: one call at a time, and the stream of events. The door to src/client.
 *
 * Blocking, over one connection that is kept and used again. Knows the shape of requests and refusals, nothing of jobs.
 *
 * Owns:  its connection. An answer owns its body.
 * Rules: (1) a call either has an answer of the server (ERR_OK, whatever its status) or none (ERR_IO, with a sentence).
 *            Without one, a request that changes something may have been applied: was_sent tells whether it left.
 *        (2) no wait is endless: CLIENT_CONNECT_MS to connect, timeout_ms for a whole call, CLIENT_SILENCE_MS without
 *            a byte on a stream (the server speaks every 15 s).
 *        (3) a redirect is not followed: the token goes to the server that was named and to no other.
 *        (4) one thread at a time.
 *        (5) of several servers the next one is asked where one cannot be reached, and the one that answers is kept.
 *            What had left is sent again only where that does no harm: reads, and what has an Idempotency-Key.
 * See:   place.h (which server, which token), problem.h (refusals), docs/openapi.yaml, tests/cli/fake_api.py
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "client/problem.h"
#include "client/sse.h"

#define CLIENT_CONNECT_MS 5000
#define CLIENT_TIMEOUT_MS 60000
#define CLIENT_SILENCE_MS 45000

/* The largest answer: a page of a thousand jobs with large results. */
#define CLIENT_ANSWER_BYTES_MAX (256 * 1024 * 1024)
#define CLIENT_ETAG_BYTES 32

struct client;

struct client_request {
    const char *method;
    struct str path;             /* and query, escaped: see url.h */
    struct str body;             /* ptr NULL: none */
    const char *content_type;    /* of the body; NULL: application/json */
    const char *idempotency_key; /* NULL: none */
    const char *if_match;        /* NULL: none */
};

struct client_answer {
    int status;                   /* 0 before there is one */
    struct buf body;              /* as it came */
    char etag[CLIENT_ETAG_BYTES]; /* "" where there is none */
    int64_t retry_after_s;        /* -1 where it is not said */
    bool is_not_applied;          /* the server says that nothing was changed */
    bool was_sent;                /* valid without an answer: part of the request had left */
    struct problem problem;       /* valid where the status is 400 or more */
};

/* url is one or several (addresses.h); token is NULL or "" for none. Both are copied. */
struct client *client_new(const char *url, const char *token, int64_t timeout_ms);

/* NULL is fine. */
void client_free(struct client *client);

/* Calls made from now on may take so long. */
void client_set_timeout(struct client *client, int64_t timeout_ms);

/* Called about once a second or more often while a call is under way, with what of its body has left, and once with
 * CLIENT_OVER when it is over. NULL: nobody watches. */
#define CLIENT_OVER (-1)
typedef void client_watcher(void *context, int64_t sent_bytes, int64_t total_bytes);
void client_watch(struct client *client, client_watcher *watcher, void *context);

void client_answer_init(struct client_answer *answer);

/* Also right for SCOPE(client_answer_done). */
void client_answer_done(struct client_answer *answer);

/* The answer was initialised; what it held before is gone. */
enum err client_call(struct client *client, const struct client_request *request, struct client_answer *answer,
                     struct error *reterr) MUST_CHECK;

/* Feeds a stream of server-sent events to sse until its taker ends it (ERR_OK, status 200), the server refuses (ERR_OK,
 * status and problem) or the connection ends (ERR_IO). Goes on behind sse's last id. */
enum err client_stream(struct client *client, struct str path, struct sse *sse, struct client_answer *answer,
                       struct error *reterr) MUST_CHECK;

#endif
