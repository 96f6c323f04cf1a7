#include "wire/work_answer.h"

#include <assert.h>

#include "base/id.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "model/name.h"
#include "model/run_key.h"
#include "wire/put.h"
#include "wire/walk.h"

/* ---- what the definition says ---- */

enum { PAYLOAD, TARGET, BEHIND, OTHER };

/* Canonical definitions have payload, target and what comes behind them in this order (model/job_def_write.c). */
static int field_of(struct str key)
{
    switch (key.len) {
    case sizeof "target" - 1:
        return str_is(key, "target") ? TARGET : str_is(key, "labels") ? BEHIND : OTHER;
    case sizeof "payload" - 1:
        return str_is(key, "payload") ? PAYLOAD : OTHER;
    case sizeof "depends_on" - 1:
        return str_is(key, "depends_on") || str_is(key, "created_by") ? BEHIND : OTHER;
    case sizeof "concurrency" - 1: /* traceparent comes first of all, and is as long */
        return str_is(key, "concurrency") ? BEHIND : OTHER;
    default:
        return OTHER;
    }
}

void wire_cut_work(struct str def, struct str *ret_payload, struct str *ret_target)
{
    struct walk walk = walk_of(def);
    struct str key;
    int field = OTHER;

    *ret_payload = STR("{}");
    *ret_target = STR("");
    walk_open(&walk);
    while (field != TARGET && field != BEHIND && walk_field(&walk, &key)) {
        struct str value = walk_value(&walk);

        field = field_of(key);
        if (field == PAYLOAD) {
            *ret_payload = value;
        } else if (field == TARGET) {
            *ret_target = value;
        }
    }
}

enum job_target wire_target_kind(struct str def)
{
    struct str payload, target, kind;

    wire_cut_work(def, &payload, &target);
    if (target.len == 0) {
        return TARGET_NONE;
    }
    struct walk walk = walk_of(target);

    walk_open(&walk);
    return walk_field(&walk, &kind) && str_is(kind, "http") ? TARGET_HTTP : TARGET_EXEC;
}

/* ---- an item ---- */

/* Room for all of an item but payload and target: its keys, four names, the run key, and numbers. */
#define ITEM_HEAD_BYTES 2176
#define ITEM_TAIL_BYTES 256
_Static_assert(4 * NAME_BYTES_MAX + RUN_KEY_BYTES + 900 < ITEM_HEAD_BYTES, "an item's head fits");
_Static_assert(2 * DURATION_BYTES + 64 < ITEM_TAIL_BYTES, "so does its tail");

/* Writing in place, into room that is there: each puts its bytes at at and gives back where they end. */
#define PUT(at, literal) put_bytes(at, "" literal, sizeof literal - 1)

static char *put_bytes(char *at, const char *bytes, size_t len)
{
    memcpy(at, bytes, len);
    return at + len;
}

static char *put_text(char *at, const char *text)
{
    return put_bytes(at, text, strlen(text));
}

static char *put_name(char *at, struct str name)
{
    assert(name.len <= NAME_BYTES_MAX); /* rule 2 */
    return put_bytes(at, name.ptr, name.len);
}

static char *put_number(char *at, uint64_t value)
{
    char digits[20];
    size_t first = sizeof digits;

    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return put_bytes(at, digits + first, sizeof digits - first);
}

/* Who and where, up to priority. job is its id as text. */
static char *put_who(char *at, const struct wire_item *item, const char *job)
{
    char trigger[ID_TEXT_BYTES];

    id_format(ID_TRIGGER, item->trigger, trigger);
    at = PUT(at, "\"id\":\"att_");
    at = put_text(at, trigger + sizeof "trg_" - 1); /* an attempt has the letters of its trigger */
    *at++ = '_';
    at = put_number(at, item->number);
    at = PUT(at, "\",\"trigger\":\"");
    at = put_text(at, trigger);
    at = PUT(at, "\",\"job\":\"");
    at = put_text(at, job);
    at = PUT(at, "\",\"tenant\":\"");
    at = put_name(at, item->place.tenant);
    at = PUT(at, "\",\"name\":\"");
    at = item->name.len > 0 ? put_name(at, item->name) : put_text(at, job);
    at = PUT(at, "\",\"type\":\"");
    at = put_name(at, item->place.type);
    at = PUT(at, "\",\"pool\":\"");
    at = put_name(at, item->place.pool);
    at = PUT(at, "\",\"priority\":");
    return put_number(at, (unsigned)item->place.priority);
}

/* Where the trigger comes from, up to version. */
static char *put_origin(char *at, const struct wire_item *item)
{
    char replayed[ID_TEXT_BYTES];

    at = PUT(at, ",\"kind\":\"");
    at = put_text(at, trigger_kind_text(item->kind));
    at = PUT(at, "\",\"replay_of\":");
    if (item->kind == TRIGGER_REPLAY && item->replay_of != ID_NONE) {
        id_format(ID_TRIGGER, item->replay_of, replayed);
        *at++ = '"';
        at = put_text(at, replayed);
        *at++ = '"';
    } else {
        at = PUT(at, "null");
    }
    at = PUT(at, ",\"version\":");
    return put_number(at, item->version);
}

/* When, and the budget, up to max_attempts. Without jitter an item is due at its nominal time. */
static char *put_when(char *at, const struct wire_item *item, const char *scheduled)
{
    char due[INSTANT_BYTES];

    at = PUT(at, ",\"scheduled_for\":\"");
    at = put_text(at, scheduled);
    at = PUT(at, "\",\"due_at\":\"");
    at = put_text(at, item->due_ms == item->scheduled_ms ? scheduled : instant_format(item->due_ms, due));
    at = PUT(at, "\",\"attempt\":");
    at = put_number(at, item->number);
    at = PUT(at, ",\"failures\":");
    at = put_number(at, item->failures);
    at = PUT(at, ",\"max_attempts\":");
    return put_number(at, item->max_attempts);
}

/* As run_key_format makes it, of the texts that are there already: that function is a fifth of the whole. */
static char *put_key(char *at, const struct wire_item *item, const char *job, const char *scheduled)
{
    char trigger[ID_TEXT_BYTES];

    at = PUT(at, ",\"idempotency_key\":\"job:");
    at = put_text(at, job);
    at = PUT(at, ":scheduled_for:");
    at = put_text(at, scheduled);
    if (item->kind == TRIGGER_MANUAL || item->kind == TRIGGER_BACKFILL) {
        id_format(ID_TRIGGER, item->trigger, trigger);
        at = PUT(at, ":run:");
        at = put_text(at, trigger);
    }
    return PUT(at, "\"");
}

/* The attempt's own span: what it calls is below it. */
static char *put_trace(char *at, const struct wire_item *item)
{
    const struct trace trace = trace_of_attempt(&item->trace, item->trigger, item->number);
    char text[TRACE_TEXT_BYTES];

    at = PUT(at, ",\"traceparent\":\"");
    at = put_text(at, trace_format(&trace, text));
    return PUT(at, "\"");
}

/* Everything up to the payload's value. */
static void put_head(struct buf *buf, const struct wire_item *item)
{
    char job[ID_TEXT_BYTES];
    char scheduled[INSTANT_BYTES];
    char *room = buf_reserve(buf, ITEM_HEAD_BYTES);
    char *at = room;

    if (room == NULL) {
        return;
    }
    id_format(ID_JOB, item->job, job);
    (void)instant_format(item->scheduled_ms, scheduled);
    at = put_who(at, item, job);
    at = put_origin(at, item);
    at = put_when(at, item, scheduled);
    at = put_key(at, item, job, scheduled);
    at = put_trace(at, item);
    at = PUT(at, ",\"payload\":");
    buf_commit(buf, (size_t)(at - room));
}

/* What follows the target. Items of one answer mostly have the same, so the last one is kept. */
struct tail {
    int64_t timeout_ms, lease_ms;
    size_t len; /* 0: none yet */
    char text[ITEM_TAIL_BYTES];
};

static struct str tail_of(struct tail *tail, const struct wire_item *item)
{
    char text[DURATION_BYTES];
    char *at = tail->text;

    if (tail->len == 0 || tail->timeout_ms != item->timeout_ms || tail->lease_ms != item->lease_ms) {
        at = PUT(at, ",\"timeout\":\"");
        at = put_text(at, duration_format(item->timeout_ms, text));
        at = PUT(at, "\",\"lease\":\"");
        at = put_text(at, duration_format(item->lease_ms, text));
        at = PUT(at, "\"");
        tail->timeout_ms = item->timeout_ms;
        tail->lease_ms = item->lease_ms;
        tail->len = (size_t)(at - tail->text);
    }
    return (struct str){tail->text, tail->len};
}

/* Between the braces, jw has no part in it: twenty keys that never change need no escapes, commas or checks. */
static void put_item(struct jw *jw, const struct wire_item *item, struct tail *tail)
{
    struct str payload, target;

    assert(item->number > 0);
    wire_cut_work(item->def, &payload, &target);
    jw_begin_object(jw);
    put_head(jw->buf, item);
    buf_append_str(jw->buf, item->payload.len > 0 ? item->payload : payload);
    buf_append_str(jw->buf, STR(",\"target\":"));
    buf_append_str(jw->buf, target.len > 0 ? target : STR("null"));
    buf_append_str(jw->buf, tail_of(tail, item));
    jw_end_object(jw);
}

void wire_work_item(struct jw *jw, const struct wire_item *item)
{
    struct tail tail = {.len = 0};

    put_item(jw, item, &tail);
}

/* ---- the answer ---- */

static void put_refused(struct jw *jw, const struct wire_work_answer *answer)
{
    jw_key(jw, "refused");
    jw_begin_array(jw);
    for (size_t i = 0; i < answer->refused_count; i++) {
        const struct wire_refusal *refusal = &answer->refused[i];

        jw_begin_object(jw);
        wire_put_attempt_id(jw, "attempt", refusal->attempt.trigger, refusal->attempt.number);
        wire_put_word(jw, "reason", refusal->reason);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_cancel(struct jw *jw, const struct wire_work_answer *answer)
{
    char text[ID_TEXT_BYTES];

    jw_key(jw, "cancel");
    jw_begin_array(jw);
    for (size_t i = 0; i < answer->cancel_count; i++) {
        id_format_attempt(answer->cancel[i].trigger, answer->cancel[i].number, text);
        jw_text(jw, text);
    }
    jw_end_array(jw);
}

void wire_work_answer(struct jw *jw, const struct wire_work_answer *answer)
{
    struct tail tail = {.len = 0};

    jw_begin_object(jw);
    jw_key(jw, "attempts");
    jw_begin_array(jw);
    for (size_t i = 0; i < answer->item_count; i++) {
        put_item(jw, &answer->items[i], &tail);
    }
    jw_end_array(jw);
    put_refused(jw, answer);
    put_cancel(jw, answer);
    wire_put_bool(jw, "drain", answer->is_draining);
    jw_end_object(jw);
}
