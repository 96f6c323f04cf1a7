/* The events of a batch, as JSON. */
#include "api/committed.h"
#include "wire/put.h"

/* An error's message in an event; the whole is with the attempt. */
#define MESSAGE_BYTES_MAX 500

struct telling {
    struct committed *committed;
    struct notice notice;
    struct jw jw;
};

static struct telling begin(struct committed *committed, enum notice_kind kind, const struct place *place, uint64_t job,
                            int64_t at_ms)
{
    struct telling telling = {
        .committed = committed,
        .notice = {.kind = kind, .batch = committed->batch->number, .job = job},
    };

    buf_reset(&committed->json);
    jw_init(&telling.jw, &committed->json);
    jw_begin_object(&telling.jw);
    wire_put_word(&telling.jw, "event", notice_text(kind));
    wire_put_instant(&telling.jw, "at", at_ms != TIME_NONE ? at_ms : committed->now_ms);
    wire_put_int(&telling.jw, "batch", (int64_t)committed->batch->number);
    if (place != NULL) {
        telling.notice.place = *place;
        wire_put_text(&telling.jw, "tenant", place->tenant);
    }
    if (job != 0) {
        wire_put_id(&telling.jw, "job", ID_JOB, job);
    }
    return telling;
}

/* Of the job that the operation is about, where it says so. */
static void put_name(struct telling *telling, const struct op *op)
{
    if (op->note != NULL) {
        wire_put_name(&telling->jw, "name", op->note->name, telling->notice.job);
    }
}

static void put_place(struct telling *telling, const struct place *place)
{
    wire_put_text(&telling->jw, "type", place->type);
    wire_put_text(&telling->jw, "pool", place->pool);
}

static void end(struct telling *telling)
{
    struct buf *json = &telling->committed->json;

    jw_end_object(&telling->jw);
    jw_done(&telling->jw);
    if (!buf_overflowed(json)) {
        events_tell(telling->committed->observe->events, &telling->notice, buf_str(json));
    }
}

/* ---- jobs ---- */

void tell_job(struct committed *committed, enum notice_kind kind, const struct job_row *row)
{
    struct telling telling = begin(committed, kind, &row->place, row->id, row->updated_ms);

    wire_put_name(&telling.jw, "name", row->name, row->id);
    put_place(&telling, &row->place);
    wire_put_int(&telling.jw, "version", row->version);
    wire_put_word(&telling.jw, "status", job_status_text(row->status));
    end(&telling);
}

void tell_skip(struct committed *committed, const struct skip_row *row, int64_t count, const struct job_row *job)
{
    struct telling telling =
        begin(committed, NOTICE_FIRES_SKIPPED, job != NULL ? &job->place : NULL, row->job, row->decided_ms);

    if (job != NULL) {
        wire_put_name(&telling.jw, "name", job->name, job->id);
        put_place(&telling, &job->place);
    }
    wire_put_instant(&telling.jw, "from", row->from_ms);
    wire_put_instant(&telling.jw, "to", row->to_ms);
    wire_put_int(&telling.jw, "count", count);
    wire_put_word(&telling.jw, "reason", skip_reason_text(row->reason));
    end(&telling);
}

/* ---- triggers and attempts ---- */

void tell_trigger(struct committed *committed, const struct op *op)
{
    const struct trigger_row *row = &op->trigger;
    bool is_end = trigger_ended(row->state);
    enum notice_kind kind = is_end                          ? NOTICE_TRIGGER_FINISHED
                            : row->state == TRIGGER_WAITING ? NOTICE_TRIGGER_WAITING
                                                            : NOTICE_TRIGGER_PENDING;
    struct telling telling = begin(committed, kind, &row->place, row->job, is_end ? row->ended_ms : committed->now_ms);

    put_name(&telling, op);
    put_place(&telling, &row->place);
    wire_put_id(&telling.jw, "trigger", ID_TRIGGER, row->id);
    wire_put_word(&telling.jw, "kind", trigger_kind_text(row->kind));
    wire_put_instant(&telling.jw, "scheduled_for", row->scheduled_ms);
    if (!is_end && row->due_ms != TIME_NONE) {
        wire_put_instant(&telling.jw, "due_at", row->due_ms);
    }
    wire_put_word(&telling.jw, "status", trigger_state_text(row->state));
    if (!str_empty(row->reason)) {
        wire_put_text(&telling.jw, "reason", row->reason);
    }
    end(&telling);
}

void tell_attempt_started(struct committed *committed, const struct claim *claim, const struct claim_note *note)
{
    struct telling telling = begin(committed, NOTICE_ATTEMPT_STARTED, &note->place, claim->job, claim->started_ms);

    wire_put_name(&telling.jw, "name", note->name, claim->job);
    put_place(&telling, &note->place);
    wire_put_id(&telling.jw, "trigger", ID_TRIGGER, claim->trigger);
    wire_put_word(&telling.jw, "kind", trigger_kind_text(claim->kind));
    wire_put_instant(&telling.jw, "scheduled_for", claim->scheduled_ms);
    wire_put_instant(&telling.jw, "due_at", note->due_ms);
    wire_put_attempt_id(&telling.jw, "attempt", claim->trigger, claim->number);
    wire_put_text(&telling.jw, "worker", claim->worker);
    wire_put_word(&telling.jw, "status", attempt_state_text(ATTEMPT_STARTED));
    end(&telling);
}

/* Cut between two characters. */
static struct str shortened(struct str text)
{
    size_t len = text.len < MESSAGE_BYTES_MAX ? text.len : MESSAGE_BYTES_MAX;

    while (len > 0 && len < text.len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80) {
        len--;
    }
    return (struct str){text.ptr, len};
}

void tell_attempt_finished(struct committed *committed, const struct op *op, const struct attempt_row *attempt)
{
    const struct trigger_row *trigger = &op->trigger;
    struct telling telling =
        begin(committed, NOTICE_ATTEMPT_FINISHED, &trigger->place, trigger->job, attempt->ended_ms);
    int64_t took_ms = attempt->ended_ms - attempt->started_ms;

    put_name(&telling, op);
    put_place(&telling, &trigger->place);
    wire_put_id(&telling.jw, "trigger", ID_TRIGGER, trigger->id);
    wire_put_word(&telling.jw, "kind", trigger_kind_text(trigger->kind));
    wire_put_instant(&telling.jw, "scheduled_for", trigger->scheduled_ms);
    wire_put_attempt_id(&telling.jw, "attempt", trigger->id, attempt->number);
    wire_put_text(&telling.jw, "worker", attempt->worker);
    wire_put_word(&telling.jw, "status", attempt_state_text(attempt->state));
    wire_put_int(&telling.jw, "duration_ms", took_ms > 0 ? took_ms : 0);
    if (!str_empty(attempt->error_code)) {
        jw_key(&telling.jw, "error");
        jw_begin_object(&telling.jw);
        wire_put_text(&telling.jw, "code", attempt->error_code);
        jw_key(&telling.jw, "message");
        jw_str(&telling.jw, shortened(attempt->error_message));
        jw_end_object(&telling.jw);
    }
    end(&telling);
}

/* ---- the rest ---- */

void tell_setting(struct committed *committed, const struct setting_row *row, enum notice_kind kind)
{
    static const char *const scopes[] = {"tenant", "pool", "type", "type"};
    struct place place = {.pool = row->scope == SCOPE_POOL ? row->name : STR(""),
                          .tenant = row->scope == SCOPE_TENANT ? row->name : row->tenant,
                          .type = row->scope == SCOPE_TYPE || row->scope == SCOPE_TENANT_TYPE ? row->name : STR("")};
    struct telling telling = begin(committed, kind, NULL, 0, TIME_NONE);

    telling.notice.place = place;
    if (!str_empty(place.tenant)) {
        wire_put_text(&telling.jw, "tenant", place.tenant);
    }
    wire_put_word(&telling.jw, "scope", scopes[row->scope]);
    wire_put_text(&telling.jw, "name", row->name);
    end(&telling);
}

static void tell_circuit(struct committed *committed, const struct op *op)
{
    const struct circuit_row *row = &op->circuit;
    const struct place place = {.pool = STR(""), .tenant = row->tenant, .type = row->type};
    enum notice_kind kind = op->kind == OP_CIRCUIT_DELETE ? NOTICE_BREAKER_CLOSED
                            : row->is_half_open           ? NOTICE_BREAKER_HALF_OPENED
                                                          : NOTICE_BREAKER_OPENED;
    struct telling telling = begin(committed, kind, &place, row->job, TIME_NONE);

    put_name(&telling, op);
    if (!str_empty(row->type)) {
        wire_put_text(&telling.jw, "type", row->type);
    }
    if (kind == NOTICE_BREAKER_OPENED && row->open_until_ms != TIME_NONE) {
        wire_put_instant(&telling.jw, "open_until", row->open_until_ms);
    }
    end(&telling);
}

static void tell_deleted(struct committed *committed, const struct op *op)
{
    const struct place *place = op->note != NULL ? &op->note->place : NULL;
    struct telling telling = begin(committed, NOTICE_JOB_DELETED, place, op->id, TIME_NONE);

    put_name(&telling, op);
    if (place != NULL) {
        put_place(&telling, place);
    }
    end(&telling);
}

void tell_other(struct committed *committed, const struct op *op)
{
    if (op->kind == OP_JOB_DELETE) {
        tell_deleted(committed, op);
    } else {
        tell_circuit(committed, op);
    }
}
