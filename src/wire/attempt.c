#include "wire/put.h"
#include "wire/result.h"
#include "wire/trigger.h"

void wire_progress(struct jw *jw, const struct wire_progress *progress)
{
    if (progress == NULL) {
        jw_null(jw);
        return;
    }
    jw_begin_object(jw);
    jw_key(jw, "percent");
    if (progress->percent >= 0) {
        jw_double(jw, progress->percent);
    } else {
        jw_null(jw);
    }
    wire_put_text(jw, "note", progress->note);
    wire_put_instant(jw, "at", progress->at_ms);
    jw_end_object(jw);
}

struct str wire_error_code(const struct attempt_row *attempt)
{
    if (attempt->error_code.len > 0) {
        return attempt->error_code;
    }
    return attempt->state == ATTEMPT_TIMED_OUT ? STR("timeout")
           : attempt->state == ATTEMPT_LOST    ? STR("lost")
                                               : STR("");
}

static void put_error(struct jw *jw, const struct attempt_row *attempt)
{
    struct str code = wire_error_code(attempt);

    jw_key(jw, "error");
    if (!attempt_failed(attempt->state) || (code.len == 0 && attempt->error_message.len == 0)) {
        jw_null(jw);
        return;
    }
    jw_begin_object(jw);
    jw_key(jw, "code");
    jw_str(jw, code);
    jw_key(jw, "message");
    jw_str(jw, attempt->error_message);
    jw_end_object(jw);
}

static void put_result(struct jw *jw, struct str result)
{
    jw_key(jw, "result");
    if (result.len > 0) {
        jw_raw(jw, result);
    } else {
        jw_null(jw);
    }
}

/* A clock that went back between the two is no negative length. */
static void put_duration(struct jw *jw, const struct attempt_row *attempt)
{
    bool is_over = attempt->number > 0 && attempt->ended_ms != TIME_NONE;

    if (!is_over) {
        wire_put_null(jw, "duration_ms");
        return;
    }
    int64_t ms = attempt->ended_ms - attempt->started_ms;

    wire_put_int(jw, "duration_ms", ms > 0 ? ms : 0);
}

void wire_attempt(struct jw *jw, const struct attempt_row *attempt, uint64_t job, const struct wire_progress *progress)
{
    struct str result, output;
    bool is_running = attempt->state == ATTEMPT_STARTED;

    wire_result_unpack(attempt->result, &result, &output);
    jw_begin_object(jw);
    wire_put_attempt_id(jw, "id", attempt->trigger, attempt->number);
    wire_put_id(jw, "trigger", ID_TRIGGER, attempt->trigger);
    wire_put_id(jw, "job", ID_JOB, job);
    wire_put_int(jw, "number", attempt->number);
    jw_key(jw, "worker");
    jw_str(jw, attempt->worker);
    wire_put_word(jw, "status", attempt_state_text(attempt->state));
    wire_put_instant(jw, "started_at", attempt->started_ms);
    wire_put_instant(jw, "finished_at", is_running ? TIME_NONE : attempt->ended_ms);
    put_duration(jw, attempt);
    put_error(jw, attempt);
    put_result(jw, result);
    wire_put_text(jw, "output", output);
    jw_key(jw, "progress");
    wire_progress(jw, is_running ? progress : NULL);
    jw_end_object(jw);
}

void wire_last_result(struct jw *jw, const struct trigger_row *row)
{
    const struct attempt_row *last = &row->last;
    struct str result, output;

    wire_result_unpack(last->result, &result, &output);
    jw_begin_object(jw);
    wire_put_id(jw, "trigger", ID_TRIGGER, row->id);
    wire_put_word(jw, "kind", trigger_kind_text(row->kind));
    wire_put_word(jw, "status", trigger_state_text(row->state));
    wire_put_instant(jw, "scheduled_for", row->scheduled_ms);
    wire_put_instant(jw, "started_at", last->number > 0 ? last->started_ms : TIME_NONE);
    wire_put_instant(jw, "finished_at", row->ended_ms);
    put_duration(jw, last);
    wire_put_int(jw, "attempts", row->attempts);
    wire_put_text(jw, "reason", row->reason);
    put_error(jw, last);
    put_result(jw, result);
    jw_end_object(jw);
}
