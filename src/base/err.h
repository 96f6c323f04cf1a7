/* err: what went wrong, as a value.
 *
 * A function that can fail returns enum err and fills a struct error that its caller owns. The place
 * of failure says what happened; callers on the way up add what they know with err_wrap. Library code
 * never prints: the program at the top shows the text once.
 *
 * Rules: (1) ERR_OK is 0; everything else is a failure and the outputs (ret_x) are untouched.
 *        (2) text tells a person what to do; code is stable for programs.
 *        (3) text is well-formed UTF-8 without control characters, whatever it quotes.
 *        (4) reterr may be NULL where nobody will read it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

#include "base/limits.h"

/* name, HTTP status, stable code, whether the same call may succeed later */
#define ERR_TABLE(X)                                                                                                   \
    X(ERR_OK, 200, "ok", false)                                                                                        \
    X(ERR_INVALID, 400, "invalid", false)                                                                              \
    X(ERR_INVALID_JSON, 400, "invalid_json", false)                                                                    \
    X(ERR_INVALID_CRON, 400, "invalid_cron", false)                                                                    \
    X(ERR_INVALID_TIME, 400, "invalid_time", false)                                                                    \
    X(ERR_UNKNOWN_FIELD, 400, "unknown_field", false)                                                                  \
    X(ERR_UNKNOWN_ZONE, 422, "unknown_timezone", false)                                                                \
    X(ERR_NEVER_FIRES, 422, "never_fires", false)                                                                      \
    X(ERR_NOT_FOUND, 404, "not_found", false)                                                                          \
    X(ERR_CONFLICT, 409, "conflict", false)                                                                            \
    X(ERR_WORKER_ID_SHARED, 409, "worker_id_shared", false)                                                            \
    X(ERR_VERSION, 412, "version_mismatch", false)                                                                     \
    X(ERR_UNPROCESSABLE, 422, "unprocessable", false)                                                                  \
    X(ERR_CYCLE, 422, "dependency_cycle", false)                                                                       \
    X(ERR_KEY_REUSED, 422, "idempotency_key_reused", false)                                                            \
    X(ERR_LIMIT, 429, "limit", true)                                                                                   \
    X(ERR_TOO_LARGE, 413, "too_large", false)                                                                          \
    X(ERR_CORRUPT, 500, "corrupt", false)                                                                              \
    X(ERR_UNAUTHORIZED, 401, "unauthorized", false)                                                                    \
    X(ERR_FORBIDDEN, 403, "forbidden", false)                                                                          \
    X(ERR_METHOD, 405, "method_not_allowed", false)                                                                    \
    X(ERR_REQUEST_TIMEOUT, 408, "request_timeout", true)                                                               \
    X(ERR_MEDIA_TYPE, 415, "unsupported_media_type", false)                                                            \
    X(ERR_HEADERS_TOO_LARGE, 431, "headers_too_large", false)                                                          \
    X(ERR_INTERNAL, 500, "internal", false)                                                                            \
    X(ERR_NO_OWNER, 503, "no_owner", true)                                                                             \
    X(ERR_STORE_DOWN, 503, "store_down", true)                                                                         \
    X(ERR_OVERLOADED, 503, "overloaded", true)                                                                         \
    X(ERR_DRAINING, 503, "draining", true)                                                                             \
    X(ERR_NOT_READY, 503, "not_ready", true)                                                                           \
    X(ERR_IO, 503, "io", true)

enum err {
#define X(name, status, code, retry) name,
    ERR_TABLE(X)
#undef X
};

struct error {
    enum err code;                     /* ERR_OK: nothing below is valid */
    int position;                      /* 1-based character in the input, 0 where there is none */
    char field[ERROR_FIELD_BYTES_MAX]; /* the input field concerned, "" where there is none */
    char text[ERROR_TEXT_BYTES_MAX];   /* a sentence for a person, without a final newline */
};

/* Every enum err must be looked at. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Fills reterr (code, text; field and position cleared) and returns code, so that the place of failure is one line. */
enum err err_set(struct error *reterr, enum err code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Like err_set, and names the 1-based position in the input. */
enum err err_set_at(struct error *reterr, int position, enum err code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts "context: " before the text of a failure, keeps everything else, and returns err. ERR_OK passes through. */
enum err err_wrap(struct error *reterr, enum err err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, behind the text: what to do about it, once somebody knows. */
enum err err_add(struct error *reterr, enum err err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Names the input field a failure concerns and returns err; an inner field that is named already is kept behind a dot:
 * outer.inner. ERR_OK passes through. */
enum err err_in_field(struct error *reterr, enum err err, const char *field);

/* What the table says. */
const char *err_code(enum err code);
int err_http_status(enum err code);
bool err_retry_may_help(enum err code);

#endif
