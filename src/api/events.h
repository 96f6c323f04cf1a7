/* events: what became durable, told to everybody who listens, as server-sent events.
 *
 * Owns:  the listeners, and the last events for those who come back. Safe from every thread.
 * Rules: (1) who tells never waits: a listener whose buffer is full misses events, and is told how many (gap) as soon
 *            as there is room.
 *        (2) while nobody listens, and nobody did a minute ago, nothing is made, kept or told.
 *        (3) an event's id is its batch and its place in it, so it grows; the last EVENTS_KEPT are kept.
 *        (4) at most EVENTS_LISTENERS_MAX listen; more are answered 503.
 * See:   docs/openapi.yaml (Event), net/net.h (streams), tests/api/test_events.py
 */
#ifndef API_EVENTS_H
#define API_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/request.h"
#include "base/str.h"
#include "model/record.h"

/* About 1 MB. */
#define EVENTS_KEPT 2048
#define EVENTS_LISTENERS_MAX 1000
/* Waiting for one listener's socket. */
#define EVENTS_BUFFER_BYTES (256 * 1024)
/* A comment goes to who has heard nothing for so long. */
#define EVENTS_BEAT_MS 15000

#define NOTICE_TABLE(X)                                                                                                \
    X(NOTICE_JOB_CREATED, "job.created")                                                                               \
    X(NOTICE_JOB_CHANGED, "job.changed")                                                                               \
    X(NOTICE_JOB_PAUSED, "job.paused")                                                                                 \
    X(NOTICE_JOB_RESUMED, "job.resumed")                                                                               \
    X(NOTICE_JOB_CANCELLED, "job.cancelled")                                                                           \
    X(NOTICE_JOB_COMPLETED, "job.completed")                                                                           \
    X(NOTICE_JOB_DELETED, "job.deleted")                                                                               \
    X(NOTICE_FIRES_SKIPPED, "fires.skipped")                                                                           \
    X(NOTICE_TRIGGER_WAITING, "trigger.waiting")                                                                       \
    X(NOTICE_TRIGGER_PENDING, "trigger.pending")                                                                       \
    X(NOTICE_TRIGGER_FINISHED, "trigger.finished")                                                                     \
    X(NOTICE_ATTEMPT_STARTED, "attempt.started")                                                                       \
    X(NOTICE_ATTEMPT_FINISHED, "attempt.finished")                                                                     \
    X(NOTICE_SETTINGS_CHANGED, "settings.changed")                                                                     \
    X(NOTICE_SCOPE_PAUSED, "scope.paused")                                                                             \
    X(NOTICE_SCOPE_RESUMED, "scope.resumed")                                                                           \
    X(NOTICE_BREAKER_OPENED, "breaker.opened")                                                                         \
    X(NOTICE_BREAKER_HALF_OPENED, "breaker.half_opened")                                                               \
    X(NOTICE_BREAKER_CLOSED, "breaker.closed")                                                                         \
    X(NOTICE_GAP, "gap")

enum notice_kind {
#define X(name, text) name,
    NOTICE_TABLE(X)
#undef X
        NOTICE_KINDS
};

const char *notice_text(enum notice_kind kind);
bool notice_parse(struct str text, enum notice_kind *ret_kind);

/* What listeners filter by. */
struct notice {
    enum notice_kind kind;
    uint64_t batch;
    struct place place; /* empty texts: none */
    uint64_t job;       /* 0: none */
};

struct events_filter {
    struct str tenant, type, pool; /* empty: any; copied */
    uint64_t job;                  /* 0: any */
    uint32_t kinds;                /* one bit for each; 0: all */
};

struct events;

struct events *events_new(void);
void events_free(struct events *events);

/* Whether anybody may want to hear of anything (rule 2). */
bool events_wanted(struct events *events);

/* Tells it: json is the Event, one line. */
void events_tell(struct events *events, const struct notice *notice, struct str json);

/* Answers the request with the stream. last_id is empty where none was given. */
void events_listen(struct events *events, struct api_request *request, const struct events_filter *filter,
                   struct str last_id);

/* Time has passed: comments for those who hear nothing. */
void events_beat(struct events *events, int64_t mono_ms);

struct events_figures {
    uint64_t listeners, told, missed;
};
void events_figures(struct events *events, struct events_figures *ret_figures);

#endif
