#include "wire/why.h"

#include <assert.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "model/record.h"
#include "wire/put.h"

/* A sentence about a gate; a name in it has some hundreds of bytes at most. */
#define SENTENCE_BYTES_MAX 1024

/* Of NO_WORKER, where the pool has workers. */
#define NO_TARGET_DETAIL "no worker of pool %N takes %T"

/* What each says: %N stands for the name, %I for the id that holds it, %C and %M for the numbers, %T for the target.
 * Where an instant is known, that is said of when it clears. */
static const struct {
    const char *detail;
    const char *clears;
} sentences[] = {
    [WIRE_GATE_NOT_DUE] = {"it is not due yet", "when it is due"},
    [WIRE_GATE_JOB_PAUSED] = {"the job is paused", "when the job is resumed"},
    [WIRE_GATE_JOB_ENDED] = {"the job is cancelled or completed", "never"},
    [WIRE_GATE_RUNNING] = {"it is running", "when it ends"},
    [WIRE_GATE_ENDED] = {"it has ended", "never"},
    [WIRE_GATE_DEPENDENCIES] = {"it waits for the jobs it depends on", "when they have ended"},
    [WIRE_GATE_OVERLAP] = {"%I of the job is running, and runs may not overlap", "when that one ends"},
    [WIRE_GATE_CONCURRENCY_KEY] = {"key %N has %C of %M running", "when one finishes"},
    [WIRE_GATE_BACKOFF] = {"it failed and waits for its next attempt", "when the wait is over"},
    [WIRE_GATE_NO_WORKER] = {"no worker serves pool %N", "when one asks for work"},
    [WIRE_GATE_WORKERS_BUSY] = {"the workers of pool %N are all busy (%C of %M slots)", "when one finishes"},
    [WIRE_GATE_DRAINING] = {"this server is going and gives no more work", "when another server has taken over"},
    [WIRE_GATE_CLOCK_HELD] = {"the clock jumped ahead and is not believed yet", "when the clock is accepted"},
    [WIRE_GATE_RELEASED_OFTEN] = {"workers gave it back ten times in a row", "when the wait is over"},
    [WIRE_GATE_TIMED_OUT_HELD] = {"the worker of its last attempt, which timed out, has not dropped it yet",
                                  "when it does, or its lease ends"},
    [WIRE_GATE_WAITING_TURN] = {"nothing holds it", "when its turn comes"},
    [WIRE_GATE_TENANT_PAUSED] = {"tenant %N is paused", "when it is resumed"},
    [WIRE_GATE_POOL_PAUSED] = {"pool %N is paused", "when it is resumed"},
    [WIRE_GATE_TYPE_PAUSED] = {"type %N is paused", "when it is resumed"},
    [WIRE_GATE_TENANT_IN_FLIGHT] = {"%N has %C of %M running", "when one finishes"},
    [WIRE_GATE_POOL_IN_FLIGHT] = {"pool %N has %C of %M running", "when one finishes"},
    [WIRE_GATE_TYPE_IN_FLIGHT] = {"type %N has %C of %M running", "when one finishes"},
    [WIRE_GATE_TENANT_RATE] = {"tenant %N has used up its rate", "when the rate lets one start"},
    [WIRE_GATE_POOL_RATE] = {"pool %N has used up its rate", "when the rate lets one start"},
    [WIRE_GATE_TYPE_RATE] = {"type %N has used up its rate", "when the rate lets one start"},
    [WIRE_GATE_BREAKER] = {"the breaker of %N is open: too many of its attempts failed", "when it tries one again"},
};

const char *wire_gate_text(enum wire_gate_kind kind)
{
    static const char *const words[] = {
#define X(name, text) [name] = text,
        WIRE_GATE_TABLE(X)
#undef X
    };

    return words[kind];
}

static void format_id(const struct wire_gate *gate, char out[static ID_TEXT_BYTES])
{
    if (gate->id != ID_NONE) {
        id_format(gate->is_job ? ID_JOB : ID_TRIGGER, gate->id, out);
    } else {
        (void)snprintf(out, ID_TEXT_BYTES, "a run");
    }
}

static void put_detail(struct jw *jw, const struct wire_gate *gate)
{
    SCOPE(buf_done) struct buf text;
    char id[ID_TEXT_BYTES];

    const char *detail = gate->target != NULL ? NO_TARGET_DETAIL : sentences[gate->kind].detail;

    buf_init(&text, SENTENCE_BYTES_MAX);
    for (const char *c = detail; *c != '\0'; c++) {
        if (*c != '%') {
            buf_append_char(&text, *c);
            continue;
        }
        c++;
        if (*c == 'N') {
            buf_append_str(&text, gate->name);
        } else if (*c == 'I') {
            format_id(gate, id);
            buf_append_text(&text, id);
        } else if (*c == 'T') {
            buf_append_text(&text, gate->target);
        } else {
            buf_append_int(&text, *c == 'C' ? gate->count : gate->max);
        }
    }
    wire_put_word(jw, "detail", buf_text(&text));
}

static void put_clears(struct jw *jw, const struct wire_gate *gate)
{
    char at[INSTANT_BYTES];
    char text[INSTANT_BYTES + sizeof "at "];

    if (gate->clears_ms != TIME_NONE) {
        (void)snprintf(text, sizeof text, "at %s", instant_format_short(gate->clears_ms, at));
    }
    wire_put_word(jw, "clears", gate->clears_ms != TIME_NONE ? text : sentences[gate->kind].clears);
    wire_put_instant(jw, "clears_at", gate->clears_ms);
}

static void put_gate(struct jw *jw, const struct wire_gate *gate)
{
    jw_begin_object(jw);
    wire_put_word(jw, "gate", wire_gate_text(gate->kind));
    put_detail(jw, gate);
    put_clears(jw, gate);
    wire_put_text(jw, "name", gate->name);
    if (gate->max >= 0) {
        wire_put_int(jw, "running", gate->count);
        wire_put_int(jw, "max", gate->max);
    } else {
        wire_put_null(jw, "running");
        wire_put_null(jw, "max");
    }
    wire_put_id(jw, "blocked_by", gate->is_job ? ID_JOB : ID_TRIGGER, gate->id);
    jw_end_object(jw);
}

void wire_why(struct jw *jw, bool is_runnable, const struct wire_gate *gates, size_t gate_count)
{
    assert(gate_count > 0);
    jw_begin_object(jw);
    wire_put_bool(jw, "runnable", is_runnable);
    jw_key(jw, "gates");
    jw_begin_array(jw);
    for (size_t i = 0; i < gate_count; i++) {
        put_gate(jw, &gates[i]);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}
