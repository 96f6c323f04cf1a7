/* otlp: spans as OTLP wants them over HTTP, in its JSON form (ExportTraceServiceRequest).
 *
 * Owns:  nothing.
 * See:   https://opentelemetry.io/docs/specs/otlp/, api/tracer.h, tests/api/otlp_sink.py (which checks the shape)
 */
#ifndef WIRE_OTLP_H
#define WIRE_OTLP_H

#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "model/record.h"
#include "model/trace.h"

/* What ended: an attempt, or (number 0) its trigger. Texts may be empty: not known. */
struct wire_span {
    struct trace trace;  /* span: its own */
    uint64_t parent;     /* 0: it is the root */
    uint32_t number;     /* of the attempt; 0: the trigger's own span */
    bool is_error;       /* failed, timed out, lost; dead */
    const char *outcome; /* the state's word */
    enum trigger_kind kind;
    uint64_t job, trigger;
    int64_t scheduled_ms, started_ms, ended_ms;
    struct str tenant, type, pool, name, worker, error_code, error_message;
};

/* Who speaks. */
struct wire_resource {
    struct str server;
    const char *version;
};

void wire_otlp(struct jw *jw, const struct wire_resource *resource, const struct wire_span *const *spans, size_t count);

#endif
