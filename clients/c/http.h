/* http: calls to the server, one at a time or several under way. The only file that knows libcurl is http.c.
 *
 * Owns:  its calls and their connections.
 * Rules: (1) every call ends: with an answer, or after its time.
 *        (2) an answer larger than HTTP_ANSWER_BYTES_MAX is no answer.
 */
#ifndef BELFRY_HTTP_H
#define BELFRY_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "belfry.h"
#include "text.h"

/* What one exchange brings is bounded by want and by the size of payloads; this is far beyond. */
#define HTTP_ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define HTTP_BODY_BYTES_MAX ((size_t)8 * 1024 * 1024)

/* A POST that can be made again and again. */
struct http_call {
    void *curl;
    void *headers;
    struct text body;   /* filled in by the caller */
    size_t given;       /* of the body, so far */
    struct text answer; /* valid after the end */
    int status;         /* of HTTP; 0: there was no answer, and trouble says why */
    int64_t retry_after_ms;
    bool is_under_way;
    char trouble[256];
};

/* Calls under way, and their connections. */
struct http;

/* Once per process at least. False: libcurl cannot start. */
bool bf_http_begin(void);

/* path begins with a slash; idempotency_key may be NULL. False: no such address. */
bool bf_http_call_init(struct http_call *call, const struct belfry *client, const char *path,
                       const char *idempotency_key);
void bf_http_call_done(struct http_call *call);

/* Makes the call and waits for its end. */
void bf_http_call_make(struct http_call *call, int64_t time_ms);

struct http *bf_http_new(void);
/* After http_cut of all that is under way. */
void bf_http_free(struct http *http);

void bf_http_start(struct http *http, struct http_call *call, int64_t time_ms);
/* Ends a call without caring for its answer. */
void bf_http_cut(struct http *http, struct http_call *call);
/* Waits until something happens: to a call, to wake_fd (readable), or after time_ms. */
void bf_http_wait(struct http *http, int wake_fd, int64_t time_ms);
/* A call that has ended since; NULL: none. */
struct http_call *bf_http_next_ended(struct http *http);

/* What the server says against it: fills in the error from status and problem+json. Returns its status. */
enum belfry_status bf_http_refusal(const struct http_call *call, struct belfry_error *ret_error);
/* Whether the same call may go better later. */
bool bf_http_may_help_later(const struct http_call *call);

#endif
