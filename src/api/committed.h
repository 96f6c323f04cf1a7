/* committed: a durable batch, while it is counted and told. For committed.c and committed_tell.c.
 *
 * See: api/observe.h, docs/openapi.yaml (Event)
 */
#ifndef API_COMMITTED_H
#define API_COMMITTED_H

#include "api/events.h"
#include "api/observe.h"
#include "api/tracer.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "model/batch.h"

/* One event. Texts in it are cut long before. */
#define COMMITTED_JSON_BYTES_MAX 8192

struct committed {
    struct observe *observe;
    struct tracer *tracer;
    const struct batch *batch;
    int64_t now_ms;
    bool is_told;          /* somebody listens */
    struct idmap triggers; /* const struct op, by id; filled where attempts need them */
    struct idmap jobs;     /* likewise, for skips */
    struct buf json;       /* of the event being made */
};

void tell_job(struct committed *committed, enum notice_kind kind, const struct job_row *row);
/* op is the trigger's. */
void tell_trigger(struct committed *committed, const struct op *op);
void tell_attempt_started(struct committed *committed, const struct claim *claim, const struct claim_note *note);
void tell_attempt_finished(struct committed *committed, const struct op *op, const struct attempt_row *attempt);
/* count of the fires are new; job is NULL where its row is not in the batch. */
void tell_skip(struct committed *committed, const struct skip_row *row, int64_t count, const struct job_row *job);
void tell_setting(struct committed *committed, const struct setting_row *row, enum notice_kind kind);
/* Jobs deleted, breakers. */
void tell_other(struct committed *committed, const struct op *op);

#endif
