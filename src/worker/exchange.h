/* exchange: what is said in POST /v1/work, as JSON.
 *
 * Owns:  nothing.
 * Never: does I/O.
 * Rules: (1) answers are walked over, not built as a tree: one with thousands of attempts costs one attempt's memory.
 *        (2) what is not known in an answer is passed over.
 * See:   session.h (when it is said), tests/unit/worker/test_exchange.c
 */
#ifndef WORKER_EXCHANGE_H
#define WORKER_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "worker/report.h"

struct exchange_request {
    struct str worker;
    uint64_t seq;
    struct str name;
    const struct str *pools;
    size_t pool_count;
    uint32_t capacity;
    uint32_t want;
    int64_t wait_ms;
    bool is_exec_allowed; /* targets: http and exec, or http alone */
    const struct str *holding;
    size_t holding_count;
    struct report *const *reports;
    size_t report_count;
};

void exchange_write(const struct exchange_request *request, struct buf *out);

/* Slices of the answer's text; an array that is not there is empty. */
struct exchange_answer {
    struct str attempts; /* walk with jraw_next; each is for item_read */
    struct str refused;  /* walk with exchange_next_refused */
    struct str cancel;   /* walk with exchange_next_id */
    bool is_draining;
};

MUST_CHECK enum err exchange_read(struct str text, struct exchange_answer *ret_answer, struct error *reterr);

/* Begin with 0 in *offset; false at the end. What is no id, or no refusal, is passed over. */
bool exchange_next_id(struct str array, size_t *offset, struct str *ret_id);
bool exchange_next_refused(struct str array, size_t *offset, struct str *ret_id, struct str *ret_reason);

#endif
