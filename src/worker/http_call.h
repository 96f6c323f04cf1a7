/* http_call: one call of the URL that an http target names.
 *
 * Owns:  its transfer. Borrows the item until the end.
 * Rules: (1) on_end is called exactly once for each that was started and not stopped, from the loop.
 *        (2) memory is bounded whatever the endpoint sends: OUTPUT_BYTES_MAX are kept, ANSWER_HEADER_BYTES_MAX and
 *            BODY_READ_BYTES_MAX are read.
 *        (3) our own headers cannot be replaced by the target's, nor those that frame the message.
 *        (4) where private addresses are denied, a denied one looks to the caller like one that nobody answers at.
 * See:   http_pool.h, outcome.h, tests/worker/test_http.py
 */
#ifndef WORKER_HTTP_CALL_H
#define WORKER_HTTP_CALL_H

#include <stdbool.h>

#include "worker/http_pool.h"
#include "worker/item.h"
#include "worker/outcome.h"

struct http_call;

/* The outcome's result holds during the call only. */
typedef void http_on_end(void *owner, const struct outcome *outcome);

/* What all calls of a worker share. */
struct http_calls {
    struct http_pool pool;
    bool is_private_denied;
    struct str secrets; /* borrowed; empty: calls are not signed. See signature.h */
};

void http_calls_init(struct http_calls *calls, struct loop *loop, long per_host_max);
void http_calls_done(struct http_calls *calls);

/* NULL: the target cannot be called, and *ret_outcome says why. */
struct http_call *http_call_start(struct http_calls *calls, const struct item *item, http_on_end *on_end, void *owner,
                                  struct outcome *ret_outcome);

/* Ends it at once, without on_end; frees it. */
void http_call_stop(struct http_call *call);

#endif
