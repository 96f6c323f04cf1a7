#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the reports of one exchange may fill: with the largest of results, two of them. The rest waits, held. */
#define REPORTS_BYTES_MAX 600000
#define WANT_MAX 256 /* so many payloads of the largest size fit into an answer */

bool bf_exchange_init(struct exchange *exchange, struct belfry_worker *worker)
{
    *exchange = (struct exchange){.seq = 0};
    exchange->reported = bf_zalloc(worker->work_count, sizeof *exchange->reported);
    exchange->held = bf_zalloc(worker->work_count, sizeof *exchange->held);
    return bf_http_call_init(&exchange->call, worker->client, "/v1/work", NULL);
}

void bf_exchange_done(struct exchange *exchange)
{
    bf_http_call_done(&exchange->call);
    free(exchange->reported);
    free(exchange->held);
}

/* ---- writing ---- */

static void write_failure(struct text *body, const struct work *work)
{
    bf_text_add_key(body, "error");
    bf_text_add(body, "{");
    bf_text_add_key(body, "code");
    bf_text_add_json(body, work->code != NULL ? work->code : "failed", 64);
    bf_text_add_key(body, "message");
    bf_text_add_json(body, work->message != NULL ? work->message : "", BELFRY_MESSAGE_BYTES_MAX);
    bf_text_add(body, "}");
    bf_text_add_key(body, "retryable");
    bf_text_add(body, work->is_for_good ? "false" : "true");
    if (work->retry_after_ms > 0) {
        bf_text_add_key(body, "retry_after");
        bf_text_addf(body, "\"%lldms\"", (long long)work->retry_after_ms);
    }
}

static void write_report(struct text *body, const struct work *work)
{
    bf_text_add(body, "{");
    bf_text_add_member(body, "attempt", work->attempt.id);
    switch (work->outcome) {
    case BELFRY_SUCCEEDED:
        bf_text_add_member(body, "status", "succeeded");
        if (work->result != NULL) {
            bf_text_add_key(body, "result");
            bf_text_add(body, work->result);
        }
        break;
    case BELFRY_FAILED:
        bf_text_add_member(body, "status", "failed");
        write_failure(body, work);
        break;
    case BELFRY_RELEASED:
        bf_text_add_member(body, "status", "released");
        break;
    }
    bf_text_add(body, "}");
}

static void add_comma(struct text *body)
{
    bf_text_add(body, body->bytes[body->length - 1] == '[' ? "" : ",");
}

static void write_finished(struct exchange *exchange, const struct belfry_worker *worker)
{
    struct text *body = &exchange->call.body;
    size_t before = body->length;

    bf_text_add_key(body, "finished");
    bf_text_add(body, "[");
    for (size_t i = 0; i < worker->work_count; i++) {
        const struct work *work = &worker->works[i];
        bool has_room = body->length - before < REPORTS_BYTES_MAX;

        exchange->reported[i] = work->state == WORK_ENDED && has_room ? work->serial : 0;
        if (exchange->reported[i] != 0) {
            add_comma(body);
            write_report(body, work);
        }
    }
    bf_text_add(body, "]");
}

static void write_holding(struct exchange *exchange, const struct belfry_worker *worker)
{
    struct text *body = &exchange->call.body;

    bf_text_add_key(body, "holding");
    bf_text_add(body, "[");
    for (size_t i = 0; i < worker->work_count; i++) {
        const struct work *work = &worker->works[i];

        exchange->held[i] = work->state != WORK_FREE && exchange->reported[i] == 0 ? work->serial : 0;
        if (exchange->held[i] != 0) {
            add_comma(body);
            bf_text_add_json(body, work->attempt.id, BELFRY_ID_BYTES);
        }
    }
    bf_text_add(body, "]");
}

static void write_progress(struct exchange *exchange, struct belfry_worker *worker)
{
    struct text *body = &exchange->call.body;

    bf_text_add_key(body, "progress");
    bf_text_add(body, "[");
    for (size_t i = 0; i < worker->work_count; i++) {
        struct work *work = &worker->works[i];

        if (work->state != WORK_RUNNING || work->note_state == NOTE_NONE) {
            continue;
        }
        add_comma(body);
        bf_text_add(body, "{");
        bf_text_add_member(body, "attempt", work->attempt.id);
        bf_text_add_key(body, "percent");
        bf_text_addf(body, "%d", work->percent);
        if (work->note != NULL) {
            bf_text_add_key(body, "note");
            bf_text_add_json(body, work->note, BELFRY_MESSAGE_BYTES_MAX);
        }
        bf_text_add(body, "}");
        work->note_state = NOTE_SENT;
    }
    bf_text_add(body, "]");
    worker->has_notes = false;
}

static void write_pools(struct text *body, const struct belfry_worker *worker)
{
    bf_text_add_key(body, "pools");
    bf_text_add(body, "[");
    for (size_t i = 0; i < worker->pool_count; i++) {
        add_comma(body);
        bf_text_add_json(body, worker->pools[i], strlen(worker->pools[i]));
    }
    bf_text_add(body, "]");
}

static size_t wanted(const struct exchange *exchange, const struct belfry_worker *worker)
{
    size_t held = 0;

    for (size_t i = 0; i < worker->work_count; i++) {
        held += exchange->held[i] != 0;
    }
    if (exchange->is_farewell || held >= worker->capacity) {
        return 0;
    }
    return worker->capacity - held < WANT_MAX ? worker->capacity - held : WANT_MAX;
}

void bf_exchange_write(struct exchange *exchange, struct belfry_worker *worker, uint64_t seq, int64_t wait_ms)
{
    struct text *body = &exchange->call.body;

    exchange->seq = seq;
    exchange->wait_ms = wait_ms;
    exchange->is_farewell = atomic_load(&worker->is_stopping);
    bf_text_clear(body);
    bf_text_add(body, "{");
    bf_text_add_member(body, "worker", worker->id);
    bf_text_add_key(body, "seq");
    bf_text_addf(body, "%llu", (unsigned long long)seq);
    bf_text_add_member(body, "name", worker->name);
    write_pools(body, worker);
    bf_text_add_key(body, "targets");
    bf_text_add(body, "[\"none\"]"); /* what has a target is Belfry's own worker's */
    write_finished(exchange, worker);
    write_holding(exchange, worker);
    write_progress(exchange, worker);
    bf_text_add_key(body, "capacity");
    bf_text_addf(body, "%u", worker->capacity);
    bf_text_add_key(body, "want");
    bf_text_addf(body, "%zu", wanted(exchange, worker));
    bf_text_add_key(body, "wait");
    bf_text_addf(body, "\"%lldms\"}", (long long)wait_ms);
}

/* ---- reading ---- */

static void settle(struct exchange *exchange, struct belfry_worker *worker, struct heard *heard)
{
    for (size_t i = 0; i < worker->work_count; i++) {
        struct work *work = &worker->works[i];

        if (work->state == WORK_FREE) {
            continue;
        }
        if (work->serial == exchange->reported[i]) { /* rule 1 */
            bf_work_free(work);
            heard->acknowledged++;
        } else if (work->serial == exchange->held[i] && exchange->sent_mono_ms > work->renewed_mono_ms) {
            work->renewed_mono_ms = exchange->sent_mono_ms;
        }
        work->note_state = work->note_state == NOTE_SENT ? NOTE_NONE : work->note_state;
    }
}

static void hear_cancel(struct belfry_worker *worker, struct json answer, struct heard *heard)
{
    struct json item;

    for (size_t cursor = 0; bf_json_each(bf_json_get(answer, "cancel"), &cursor, &item);) {
        char *id = bf_json_string(item);
        struct work *work = bf_work_by_id(worker, id);

        free(id);
        if (work == NULL || work->is_cancelled) {
            continue;
        }
        work->is_cancelled = true;
        heard->cancelled++;
        if (work->state == WORK_QUEUED) {
            bf_work_end(work, BELFRY_RELEASED); /* nothing to stop, nothing to say */
        }
    }
}

static void hear_attempts(struct belfry_worker *worker, struct json answer, struct heard *heard)
{
    struct json item;

    for (size_t cursor = 0; bf_json_each(bf_json_get(answer, "attempts"), &cursor, &item);) {
        heard->begun += bf_work_take(worker, item);
    }
}

static void tell_refused(const struct belfry_worker *worker, struct json answer)
{
    struct json item;

    for (size_t cursor = 0;
         worker->on_trouble != NULL && bf_json_each(bf_json_get(answer, "refused"), &cursor, &item);) {
        char *id = bf_json_string(bf_json_get(item, "attempt")), *reason = bf_json_string(bf_json_get(item, "reason"));
        char text[256];

        (void)snprintf(text, sizeof text, "the report of %.64s was refused: %.64s", id, reason);
        worker->on_trouble(text, worker->context);
        free(id);
        free(reason);
    }
}

bool bf_exchange_read(struct exchange *exchange, struct belfry_worker *worker, struct heard *ret_heard)
{
    const struct text *text = &exchange->call.answer;
    struct heard heard = {.begun = 0};
    struct json answer;

    if (text->length == 0 || !bf_json_check(text->bytes, text->length, &answer) || !bf_json_is_object(answer)) {
        return false;
    }
    (void)pthread_mutex_lock(&worker->lock);
    settle(exchange, worker, &heard); /* first: it makes room */
    hear_cancel(worker, answer, &heard);
    hear_attempts(worker, answer, &heard);
    (void)pthread_mutex_unlock(&worker->lock);
    tell_refused(worker, answer);
    heard.is_draining = bf_json_is_true(bf_json_get(answer, "drain"));
    *ret_heard = heard;
    return true;
}
