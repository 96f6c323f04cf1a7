/* why: what holds a job or a trigger back, as words and sentences.
 *
 * Owns:  nothing.
 * See:   docs/openapi.yaml (Why, Gate), tests/unit/wire/test_why.c
 */
#ifndef WIRE_WHY_H
#define WIRE_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "base/str.h"

#define WIRE_GATE_TABLE(X)                                                                                             \
    X(WIRE_GATE_NOT_DUE, "not_due")                                                                                    \
    X(WIRE_GATE_JOB_PAUSED, "job_paused")                                                                              \
    X(WIRE_GATE_JOB_ENDED, "job_ended")                                                                                \
    X(WIRE_GATE_RUNNING, "running")                                                                                    \
    X(WIRE_GATE_ENDED, "ended")                                                                                        \
    X(WIRE_GATE_DEPENDENCIES, "dependencies")                                                                          \
    X(WIRE_GATE_OVERLAP, "overlap")                                                                                    \
    X(WIRE_GATE_CONCURRENCY_KEY, "concurrency_key")                                                                    \
    X(WIRE_GATE_BACKOFF, "backoff")                                                                                    \
    X(WIRE_GATE_NO_WORKER, "no_worker")                                                                                \
    X(WIRE_GATE_WORKERS_BUSY, "workers_busy")                                                                          \
    X(WIRE_GATE_DRAINING, "draining")                                                                                  \
    X(WIRE_GATE_CLOCK_HELD, "clock_held")                                                                              \
    X(WIRE_GATE_HELD, "held")                                                                                          \
    X(WIRE_GATE_RELEASED_OFTEN, "released_often")                                                                      \
    X(WIRE_GATE_TIMED_OUT_HELD, "timed_out_held")                                                                      \
    X(WIRE_GATE_WAITING_TURN, "waiting_turn")                                                                          \
    X(WIRE_GATE_TENANT_PAUSED, "tenant_paused")                                                                        \
    X(WIRE_GATE_POOL_PAUSED, "pool_paused")                                                                            \
    X(WIRE_GATE_TYPE_PAUSED, "type_paused")                                                                            \
    X(WIRE_GATE_TENANT_IN_FLIGHT, "tenant_in_flight")                                                                  \
    X(WIRE_GATE_POOL_IN_FLIGHT, "pool_in_flight")                                                                      \
    X(WIRE_GATE_TYPE_IN_FLIGHT, "type_in_flight")                                                                      \
    X(WIRE_GATE_TENANT_RATE, "tenant_rate")                                                                            \
    X(WIRE_GATE_POOL_RATE, "pool_rate")                                                                                \
    X(WIRE_GATE_TYPE_RATE, "type_rate")                                                                                \
    X(WIRE_GATE_BREAKER, "breaker")

enum wire_gate_kind {
#define X(name, text) name,
    WIRE_GATE_TABLE(X)
#undef X
};

const char *wire_gate_text(enum wire_gate_kind kind);

struct wire_gate {
    enum wire_gate_kind kind;
    struct str tenant;           /* of a type's gate in one tenant; empty: none */
    struct str name;             /* of what holds it; ENDED: how it did; empty: none */
    uint64_t id;                 /* the job or trigger that holds it; 0 */
    bool is_job;                 /* id is a job's */
    struct str worker;           /* who has that trigger; empty: nobody, or unknown */
    int64_t since_ms;            /* since when it holds; TIME_NONE: unknown */
    int64_t count, max;          /* as in struct why_reason of the engine; max negative: the gate does not count */
    int64_t rate_count, rate_ms; /* a rate's; rate_ms 0: none */
    bool is_ramp;                /* the rate grows */
    int64_t clears_ms;           /* TIME_NONE: by an event, not by time */
    const char *target;          /* NO_WORKER: what the pool's workers do not take, in words; NULL: there are none */
};

struct wire_why {
    bool is_runnable;
    int64_t expires_ms; /* not started by then it never will be; TIME_NONE */
    const struct wire_gate *gates;
    size_t gate_count;  /* at least 1 */
    struct str subject; /* what to type on a command line for what was asked about */
};

/* Every gate with a sentence about it, when it clears and what to do: an object, or its fields alone. */
void wire_why(struct jw *jw, const struct wire_why *why);
void wire_why_gates(struct jw *jw, const struct wire_why *why);

#endif
