/* exporter: spans on their way to an OTLP collector, over HTTP.
 *
 * Owns:  the spans it was given, its thread and its connection.
 * Rules: (1) giving it a span never waits and never fails: a queue that is full drops it, and counts that.
 *        (2) what the collector does not take is tried again after a while, at most EXPORTER_TRIES_MAX times, then
 *            dropped and counted; what it refuses for good (4xx but for 408 and 429) is dropped at once.
 *        (3) exporter_stop sends what is queued once, within EXPORTER_STOP_MS, and drops the rest.
 * See:   api/tracer.h, wire/otlp.h, tests/api/test_tracing.py
 */
#ifndef API_EXPORTER_H
#define API_EXPORTER_H

#include "wire/otlp.h"

#define EXPORTER_QUEUE_MAX 8192
/* In one request; each is less than a few kilobytes. */
#define EXPORTER_BATCH_MAX 256
#define EXPORTER_BODY_BYTES_MAX (4 * 1024 * 1024)
/* How long a span waits for others to go with. */
#define EXPORTER_GATHER_MS 500
#define EXPORTER_TIMEOUT_MS 10000
#define EXPORTER_TRIES_MAX 6
#define EXPORTER_BACKOFF_FIRST_MS 500
#define EXPORTER_BACKOFF_MAX_MS 16000
#define EXPORTER_STOP_MS 3000

struct exporter;

struct exporter_figures {
    uint64_t sent;    /* spans that a collector took */
    uint64_t dropped; /* rules 1 to 3 */
    uint64_t failed;  /* requests without success */
    size_t queued;
};

/* endpoint is the collector's base, such as http://127.0.0.1:4318; /v1/traces is added where it does not end so. */
struct exporter *exporter_start(const char *endpoint, struct str server, const char *version);

/* Copies it. */
void exporter_give(struct exporter *exporter, const struct wire_span *span);

void exporter_look(struct exporter *exporter, struct exporter_figures *ret_figures);

/* Rule 3. Spans that come afterwards are dropped. */
void exporter_stop(struct exporter *exporter);
/* After exporter_stop. NULL is fine. */
void exporter_free(struct exporter *exporter);

#endif
