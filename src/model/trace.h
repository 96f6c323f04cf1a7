/* trace: W3C trace context: which trace a job's work belongs to, and the spans of its triggers and attempts.
 *
 * A client may give a job, or a run, a traceparent. Without one each trigger is a trace of its own. Ids of traces and
 * spans are computed from the trigger, so that every server, and every start of it, comes to the same ones.
 *
 * Never: fails. What is no traceparent is none, as the standard asks.
 * See:   https://www.w3.org/TR/trace-context/, docs/operating.md, tests/unit/model/test_trace.c
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* "00-", 32 digits, "-", 16 digits, "-", 2 digits; and with its NUL. */
#define TRACE_TEXT_LEN 55
#define TRACE_TEXT_BYTES (TRACE_TEXT_LEN + 1)

struct trace {
    uint64_t id[2]; /* both 0: there is none */
    uint64_t span;  /* never 0 where there is one */
    bool is_sampled;
};

static inline bool trace_is_set(const struct trace *trace)
{
    return trace->id[0] != 0 || trace->id[1] != 0;
}

/* Strictly by the standard: lower case, no id of zeros, version 00 of exactly that length; later versions by what they
 * have in common. */
bool trace_parse(struct str text, struct trace *ret_trace);

/* As version 00. */
const char *trace_format(const struct trace *trace, char out[static TRACE_TEXT_BYTES]);

/* The span of a trigger, and of one of its attempts: in the given trace, or in the trigger's own where that is not
 * set. */
struct trace trace_of_trigger(const struct trace *given, uint64_t trigger);
struct trace trace_of_attempt(const struct trace *given, uint64_t trigger, uint32_t number);

#endif
