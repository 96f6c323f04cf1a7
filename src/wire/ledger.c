#include <assert.h>

#include "wire/put.h"
#include "wire/trigger.h"

void wire_put_skip(struct jw *jw, const struct skip_row *skip)
{
    wire_put_word(jw, "record", "skip");
    wire_put_id(jw, "job", ID_JOB, skip->job);
    wire_put_instant(jw, "from", skip->from_ms);
    wire_put_instant(jw, "to", skip->to_ms);
    wire_put_int(jw, "count", skip->count);
    wire_put_word(jw, "reason", skip_reason_text(skip->reason));
    wire_put_int(jw, "version", skip->version);
    wire_put_id(jw, "blocked_by", ID_TRIGGER, skip->blocked_by);
    wire_put_instant(jw, "decided_at", skip->decided_ms);
}

void wire_skip(struct jw *jw, const struct skip_row *skip)
{
    jw_begin_object(jw);
    wire_put_skip(jw, skip);
    jw_end_object(jw);
}

void wire_due(struct jw *jw, uint64_t job, int64_t from_ms, int64_t to_ms, int64_t count)
{
    assert(count > 0);
    jw_begin_object(jw);
    wire_put_word(jw, "record", "due");
    wire_put_id(jw, "job", ID_JOB, job);
    wire_put_word(jw, "status", "due");
    wire_put_instant(jw, "from", from_ms);
    wire_put_instant(jw, "to", to_ms);
    wire_put_int(jw, "count", count < WIRE_DUE_COUNT_MAX ? count : WIRE_DUE_COUNT_MAX);
    jw_end_object(jw);
}

static void put_triggers(struct jw *jw, const uint64_t *triggers, size_t count)
{
    char text[ID_TEXT_BYTES];

    jw_key(jw, "triggers");
    jw_begin_array(jw);
    for (size_t i = 0; i < count && i < WIRE_TRIGGERS_SHOWN_MAX; i++) {
        id_format(ID_TRIGGER, triggers[i], text);
        jw_text(jw, text);
    }
    jw_end_array(jw);
}

void wire_backfilled(struct jw *jw, const uint64_t *triggers, size_t count, int64_t not_needed)
{
    jw_begin_object(jw);
    wire_put_int(jw, "created", (int64_t)count);
    wire_put_int(jw, "not_needed", not_needed);
    put_triggers(jw, triggers, count);
    jw_end_object(jw);
}

static void put_taken(struct jw *jw, int64_t accepted, int64_t not_dead, const char *next)
{
    wire_put_int(jw, "accepted", accepted);
    wire_put_int(jw, "not_dead", not_dead);
    wire_put_bool(jw, "more", next != NULL);
    jw_key(jw, "next");
    jw_text(jw, next);
}

void wire_replayed(struct jw *jw, int64_t accepted, int64_t not_dead, const char *next, const uint64_t *triggers,
                   size_t count)
{
    jw_begin_object(jw);
    put_taken(jw, accepted, not_dead, next);
    put_triggers(jw, triggers, count);
    jw_end_object(jw);
}

void wire_discarded(struct jw *jw, int64_t accepted, int64_t not_dead, const char *next)
{
    jw_begin_object(jw);
    put_taken(jw, accepted, not_dead, next);
    jw_end_object(jw);
}
