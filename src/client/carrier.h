/* carrier: many HTTP requests at once, on one thread of its own. For servers that pass requests on to each other.
 *
 * Owns:  its thread and connections, which it keeps and uses again. A call is the caller's until done().
 * Rules: (1) done() comes exactly once for each call that was sent, from the carrier's thread; the call is the caller's
 *            again then, and may be freed or sent anew in it.
 *        (2) pieces of a body go to took() as they come, in order, after the status and headers are known; false ends
 *            the call.
 *        (3) no wait is endless: CARRIER_CONNECT_MS to connect, the call's timeout_ms for all of it (0: a stream, which
 *            may take for ever, but not be silent for longer than CARRIER_SILENCE_MS).
 *        (4) redirects are not followed.
 *        (5) a request goes out once; what is lost with its connection is told, and not sent again.
 *        (6) carrier_stop ends what is under way: done() with ERR_DRAINING.
 * See:   client.h (one at a time), api/relay.h, tests/unit/client/test_carrier.c
 */
#ifndef CLIENT_CARRIER_H
#define CLIENT_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "base/str.h"

#define CARRIER_CONNECT_MS 2000
#define CARRIER_SILENCE_MS 45000
/* Headers that a request sends, and that an answer is asked for. */
#define CARRIER_HEADERS_MAX 12
#define CARRIER_HEADER_BYTES 1024

struct carrier;

struct carrier_header {
    const char *name;
    struct str value;
};

struct carrier_call {
    /* The caller's, unchanged until done(). */
    const char *url; /* whole */
    const char *method;
    struct str body; /* ptr NULL: none */
    struct carrier_header headers[CARRIER_HEADERS_MAX];
    size_t header_count;
    int64_t timeout_ms;
    /* Of these headers the answer's values are wanted, in values; "" where there is none. */
    const char *const *wanted;
    size_t wanted_count;
    bool (*took)(struct carrier_call *call, struct str bytes);
    void (*done)(struct carrier_call *call, enum err err, const struct error *error);

    /* The answer's. */
    int status; /* 0: there is none */
    char values[CARRIER_HEADERS_MAX][CARRIER_HEADER_BYTES];
    bool was_sent; /* without an answer: some of the request may have arrived */

    /* The carrier's. */
    struct list_node node;
    void *easy;
    void *lines;
    bool is_cancelled;
    bool has_begun; /* a connection was found for it */
};

struct carrier *carrier_new(void);

/* Rule 6; returns when the thread has ended. Calls that are sent afterwards are done() at once. */
void carrier_stop(struct carrier *carrier);
void carrier_free(struct carrier *carrier);

void carrier_send(struct carrier *carrier, struct carrier_call *call);

/* Nobody wants the answer: done() comes soon, with ERR_REQUEST_TIMEOUT. From any thread, before done(). */
void carrier_cancel(struct carrier *carrier, struct carrier_call *call);

#endif
