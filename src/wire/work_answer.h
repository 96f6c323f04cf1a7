/* work_answer: the answer to POST /v1/work. The hottest writer of the server.
 *
 * Owns:  nothing.
 * Rules: (1) an item costs one pass over its definition up to target, and one copy of payload and target.
 *        (2) names (tenant, type, pool, job) are those that model/name.h let in: they need no escapes.
 * See:   docs/openapi.yaml (WorkAnswer, WorkItem), work_read.h (the question), tests/unit/wire/test_work_answer.c,
 *        tests/bench/bench_wire.c
 */
#ifndef WIRE_WORK_ANSWER_H
#define WIRE_WORK_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "model/record.h"
#include "model/trace.h"
#include "wire/work_read.h"

/* An attempt for a worker. */
struct wire_item {
    uint64_t trigger;
    uint64_t job;
    uint32_t number; /* of the attempt */
    uint32_t failures;
    uint32_t max_attempts;
    uint32_t version;
    enum trigger_kind kind;
    uint64_t replay_of; /* shown for REPLAY alone */
    int64_t scheduled_ms;
    int64_t due_ms;
    int64_t timeout_ms, lease_ms;
    struct place place;
    struct str name;    /* empty: the id */
    struct str payload; /* of this run only; empty: the definition's */
    struct str def;     /* canonical JSON of that version; not empty */
    struct trace trace; /* that a client gave; not set: none */
};

struct wire_refusal {
    struct wire_attempt_ref attempt;
    const char *reason; /* stale, unknown, conflict */
};

struct wire_work_answer {
    const struct wire_item *items;
    size_t item_count;
    const struct wire_refusal *refused;
    size_t refused_count;
    const struct wire_attempt_ref *cancel;
    size_t cancel_count;
    bool is_draining;
};

void wire_work_item(struct jw *jw, const struct wire_item *item);
void wire_work_answer(struct jw *jw, const struct wire_work_answer *answer);

/* Payload and target of a canonical definition: slices of it, the defaults ("{}", empty) where it has none. */
void wire_cut_work(struct str def, struct str *ret_payload, struct str *ret_target);

/* Which target a canonical definition has. */
enum job_target wire_target_kind(struct str def);

#endif
