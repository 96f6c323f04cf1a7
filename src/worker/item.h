/* item: an attempt as the server hands it out, read.
 *
 * Owns:  its text and the tree read from it; everything else points into them, and texts end in NUL.
 * Rules: (1) the payload is the bytes that were sent.
 *        (2) fields that are not known are passed over: servers may be newer.
 * See:   exchange.h, tests/unit/worker/test_item.c
 */
#ifndef WORKER_ITEM_H
#define WORKER_ITEM_H

#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* Longer than any id of ours: an id that is longer is none. */
#define ITEM_ID_BYTES_MAX 64

enum item_kind { ITEM_NO_TARGET, ITEM_HTTP, ITEM_EXEC };

struct item {
    char *text;
    struct jr_doc doc;
    struct str id, trigger, job, tenant, name, type, pool, scheduled_for, idempotency_key; /* empty: not given */
    struct str traceparent;                                                                /* likewise */
    int64_t number, failures, max_attempts;
    int64_t timeout_ms, lease_ms;
    struct str payload; /* JSON, rule 1 */
    enum item_kind kind;
    struct jr target; /* the object inside http or exec */
};

/* json is one object of an answer's attempts. On failure *ret_id is its id if it has one, else empty; it points into
 * json. */
MUST_CHECK enum err item_read(struct str json, struct item *ret_item, struct str *ret_id, struct error *reterr);
void item_done(struct item *item);

#endif
