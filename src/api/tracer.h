/* tracer: which trace a trigger belongs to, and the spans of what has ended.
 *
 * A job's own traceparent is in its definition. That of a single run (POST .../run) is kept here until the run has
 * ended: a server that starts again does not know it any more, and the run goes on in a trace of its own.
 *
 * Owns:  what it remembers, and the exporter.
 * Rules: (1) a span is made after the commit that ended what it tells of (api_committed).
 *        (2) what a client does not sample is not exported.
 *        (3) it remembers TRACER_KNOWN_MAX triggers at most; others are in a trace of their own.
 * See:   model/trace.h, api/exporter.h, docs/operating.md, tests/api/test_tracing.py
 */
#ifndef API_TRACER_H
#define API_TRACER_H

#include "api/exporter.h"
#include "model/record.h"
#include "model/trace.h"

#define TRACER_KNOWN_MAX 100000

struct tracer;

/* endpoint: "" exports nothing. */
struct tracer *tracer_new(const char *endpoint, struct str server, const char *version);
/* Ends the exporter's work; what ends afterwards is not exported. */
void tracer_stop(struct tracer *tracer);
void tracer_free(struct tracer *tracer);

/* A run was made in this trace. */
void tracer_run(struct tracer *tracer, uint64_t trigger, const struct trace *trace);

/* The trace of a trigger whose attempt is granted: of its run, else of its definition (canonical JSON); not set where
 * it has none. */
struct trace tracer_granted(struct tracer *tracer, uint64_t trigger, struct str def);

/* An attempt, or a trigger, has ended. name is the job's. */
void tracer_attempt(struct tracer *tracer, const struct trigger_row *trigger, const struct attempt_row *attempt,
                    struct str name);
void tracer_trigger(struct tracer *tracer, const struct trigger_row *trigger, struct str name);
/* All that the batch says of a trigger that has ended was told. */
void tracer_forget(struct tracer *tracer, uint64_t trigger);

/* All 0 where nothing is exported. */
void tracer_look(struct tracer *tracer, struct exporter_figures *ret_figures);

#endif
