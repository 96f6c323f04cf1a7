#include "wire/fate.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "model/job_words.h"
#include "wire/put.h"
#include "wire/trigger.h"

/* Names in it have some hundreds of bytes, an error's text some thousand. */
#define SENTENCE_BYTES_MAX 8192

const char *wire_fate_text(enum wire_fate_kind kind)
{
    static const char *const words[] = {
#define X(name, text) [name] = text,
        WIRE_FATE_TABLE(X)
#undef X
    };

    return words[kind];
}

static void append_at(struct buf *text, int64_t at_ms)
{
    char at[INSTANT_BYTES];

    buf_append_text(text, at_ms != TIME_NONE ? instant_format_short(at_ms, at) : "an unknown time");
}

static void append_trigger(struct buf *text, uint64_t id)
{
    char trigger[ID_TEXT_BYTES];

    id_format(ID_TRIGGER, id, trigger);
    buf_append_text(text, trigger);
}

/* ---- skips ---- */

static void append_misfire(struct buf *text, const struct job_def *def)
{
    char after[DURATION_BYTES];

    if (def == NULL) {
        buf_append_text(text, "nothing started in time, and the misfire policy does not run what is that late");
        return;
    }
    buf_printf(text, "nothing started within %s of its time (misfire_after), and misfire=%s runs ",
               duration_format(def->misfire_after_ms, after), job_misfire_text(def->misfire));
    buf_append_text(text, def->misfire == MISFIRE_FIRE_LATEST ? "only the newest of those missed"
                          : def->misfire == MISFIRE_FIRE_NOW  ? "only the oldest of those missed"
                                                              : "none of those missed");
}

static void append_expired(struct buf *text, const struct job_def *def)
{
    char after[DURATION_BYTES];

    buf_printf(text, "nothing started within expires_after%s%s", def != NULL ? "=" : "",
               def != NULL ? duration_format(def->expires_after_ms, after) : "");
}

static void append_reason(struct buf *text, const struct skip_row *skip, const struct job_def *def)
{
    switch (skip->reason) {
    case SKIP_OVERLAP:
        if (skip->blocked_by != ID_NONE) {
            append_trigger(text, skip->blocked_by);
        } else {
            buf_append_text(text, "another run of the job");
        }
        buf_append_text(text, " was still running (overlap=skip)");
        break;
    case SKIP_COLLAPSED:
        buf_append_text(text, "a newer one stood for it when the run before had ended (overlap=collapse)");
        break;
    case SKIP_MISFIRE:
        append_misfire(text, def);
        break;
    case SKIP_EXPIRED:
        append_expired(text, def);
        break;
    case SKIP_EDITED:
        buf_append_text(text, "the schedule was changed before anything started");
        break;
    case SKIP_LIMIT:
        buf_printf(text, "more than %d were missed, and that is as far back as queue and backfill go", CATCH_UP_MAX);
        break;
    case SKIP_CANCELLED:
        buf_append_text(text, "the job was cancelled before anything started");
        break;
    case SKIP_MOVED:
        buf_append_text(text, "the time zone got other rules, and this local time had been decided by the former ones");
        break;
    }
}

void wire_skip_sentence(struct buf *text, const struct skip_row *skip, const struct job_def *def)
{
    if (skip->count == 1) {
        buf_append_text(text, "the fire of ");
        append_at(text, skip->from_ms);
        buf_append_text(text, " was skipped: ");
    } else {
        buf_printf(text, "%" PRId64 " fires from ", skip->count);
        append_at(text, skip->from_ms);
        buf_append_text(text, " to ");
        append_at(text, skip->to_ms);
        buf_append_text(text, " were skipped: ");
    }
    append_reason(text, skip, def);
}

void wire_skip_told(struct jw *jw, const struct skip_row *skip, const struct job_def *def)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, SENTENCE_BYTES_MAX);
    wire_skip_sentence(&text, skip, def);
    jw_begin_object(jw);
    wire_put_text(jw, "detail", buf_str(&text));
    wire_put_skip(jw, skip);
    jw_end_object(jw);
}

/* ---- one fire ---- */

static void append_error(struct buf *text, const struct attempt_row *last)
{
    if (!str_empty(last->error_code)) {
        buf_append_text(text, "; the last error was ");
        buf_append_str(text, last->error_code);
    }
    if (!str_empty(last->error_message)) {
        buf_append_text(text, str_empty(last->error_code) ? "; the last error was " : ": ");
        buf_append_str(text, last->error_message);
    }
}

static void tell_ran(struct buf *text, const struct trigger_row *row)
{
    append_trigger(text, row->id);
    if (row->kind != TRIGGER_SCHEDULE) {
        buf_printf(text, " (%s)", trigger_kind_text(row->kind));
    }
    buf_append_text(text, row->state == TRIGGER_SUCCEEDED ? " ran for it and succeeded at "
                          : row->state == TRIGGER_DEAD    ? " ran for it and died at "
                                                          : " was made for it and was cancelled at ");
    append_at(text, row->ended_ms);
    buf_printf(text, ", after %" PRIu32 " attempt%s", row->attempts, row->attempts == 1 ? "" : "s");
    if (!str_empty(row->reason)) {
        buf_append_text(text, " (");
        buf_append_str(text, row->reason);
        buf_append_char(text, ')');
    }
    if (row->state != TRIGGER_SUCCEEDED) {
        append_error(text, &row->last);
    }
    if (row->replayed_by != ID_NONE) {
        buf_append_text(text, "; it was replayed as ");
        append_trigger(text, row->replayed_by);
    }
}

static void tell_running(struct buf *text, const struct wire_fate *fate)
{
    append_trigger(text, fate->trigger->id);
    buf_printf(text, " runs for it now: attempt %" PRIu32 " at worker ", fate->claim->number);
    buf_append_str(text, fate->claim->worker);
    buf_append_text(text, " since ");
    append_at(text, fate->claim->started_ms);
}

static void tell_pending(struct buf *text, const struct trigger_row *row)
{
    append_trigger(text, row->id);
    if (row->state == TRIGGER_WAITING) {
        buf_append_text(text, " was made for it and waits for the jobs it depends on");
    } else {
        buf_printf(text, " was made for it and waits for its next attempt, after %" PRIu32, row->attempts);
    }
    buf_append_text(text, "; what holds it: belfry why ");
    append_trigger(text, row->id);
}

static void tell_skipped(struct buf *text, const struct wire_fate *fate)
{
    if (fate->skip->count > 1) {
        buf_append_text(text, "it was one of these: ");
    }
    wire_skip_sentence(text, fate->skip, fate->def);
    if (fate->instead != NULL) {
        buf_append_text(text, "; the one that stood for it was ");
        append_at(text, fate->instead->scheduled_ms);
        buf_append_text(text, ", which is ");
        append_trigger(text, fate->instead->id);
    }
}

static void tell_not_a_fire(struct buf *text, const struct wire_fate *fate)
{
    if (fate->version == 0) {
        buf_append_text(text, "nothing is known for that time, and the job has no schedule of its own");
        return;
    }
    buf_printf(text, "the job's schedule (version %" PRIu32 ") has no fire then", fate->version);
    if (fate->before_ms != TIME_NONE) {
        buf_append_text(text, "; the one before is ");
        append_at(text, fate->before_ms);
    }
    if (fate->after_ms != TIME_NONE) {
        buf_append_text(text, "; the one after is ");
        append_at(text, fate->after_ms);
    }
}

static void tell(struct buf *text, const struct wire_fate *fate)
{
    bool is_paused = fate->job->status == JOB_PAUSED;

    switch (fate->kind) {
    case WIRE_FATE_RAN:
        tell_ran(text, fate->trigger);
        break;
    case WIRE_FATE_RUNNING:
        tell_running(text, fate);
        break;
    case WIRE_FATE_PENDING:
        tell_pending(text, fate->trigger);
        break;
    case WIRE_FATE_SKIPPED:
        tell_skipped(text, fate);
        break;
    case WIRE_FATE_DUE:
        buf_append_text(text, is_paused ? "it is due and not decided: the job is paused, and when it is resumed its "
                                          "misfire policy decides"
                                        : "it is due and has not started yet; the gates say what holds it");
        break;
    case WIRE_FATE_COMING:
        buf_append_text(text, is_paused ? "it is to come, but the job is paused" : "it is to come");
        break;
    case WIRE_FATE_NOT_A_FIRE:
        tell_not_a_fire(text, fate);
        break;
    case WIRE_FATE_BEFORE_JOB:
        buf_append_text(text, "the job was made later, at ");
        append_at(text, fate->job->created_ms);
        break;
    case WIRE_FATE_OVER:
        buf_printf(text, "nothing came of it: the job is %s", job_status_text(fate->job->status));
        break;
    case WIRE_FATE_UNKNOWN:
        buf_printf(text,
                   "version %" PRIu32 " of the schedule has a fire then, but nothing is recorded of it: history "
                   "is kept for a time only",
                   fate->version);
        break;
    }
}

static const char *state_text(const struct wire_fate *fate)
{
    return trigger_state_text(fate->claim != NULL ? TRIGGER_RUNNING : fate->trigger->state);
}

void wire_fate(struct jw *jw, const struct wire_fate *fate)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, SENTENCE_BYTES_MAX);
    tell(&text, fate);
    jw_begin_object(jw);
    wire_put_instant(jw, "at", fate->at_ms);
    wire_put_word(jw, "outcome", wire_fate_text(fate->kind));
    wire_put_text(jw, "detail", buf_str(&text));
    wire_put_id(jw, "trigger", ID_TRIGGER, fate->trigger != NULL ? fate->trigger->id : ID_NONE);
    if (fate->trigger != NULL) {
        wire_put_word(jw, "status", state_text(fate));
    } else {
        wire_put_null(jw, "status");
    }
    jw_key(jw, "skip");
    if (fate->skip != NULL) {
        wire_skip(jw, fate->skip);
    } else {
        jw_null(jw);
    }
    wire_put_id(jw, "instead", ID_TRIGGER, fate->instead != NULL ? fate->instead->id : ID_NONE);
    if (fate->version > 0) {
        wire_put_int(jw, "version", fate->version);
    } else {
        wire_put_null(jw, "version");
    }
    wire_put_instant(jw, "before", fate->before_ms);
    wire_put_instant(jw, "after", fate->after_ms);
    jw_end_object(jw);
}
