#include "wire/why.h"

#include <assert.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "model/record.h"
#include "model/settings.h"
#include "wire/put.h"

/* A sentence about a gate; a name in it has some hundreds of bytes at most. */
#define SENTENCE_BYTES_MAX 2048

/* What is said of a gate: %N stands for the name, %A for the tenant, %I for the id that holds it, %W for its worker, %S
 * for since when, %C and %M for the numbers, %R for the rate, %T for the target, %J for what was asked about. What
 * stands in brackets is said where all that it names is known. */
struct sentences {
    const char *detail;
    const char *clears; /* where no instant is known */
    const char *advice; /* what to do, or to type; empty: nothing */
};

#define HELD_BY "%I[ of worker %W][ since %S]"

static const struct sentences sentences[] = {
    [WIRE_GATE_NOT_DUE] = {"it is not due yet", "when it is due", "to run it once now: belfry run %J"},
    [WIRE_GATE_JOB_PAUSED] = {"the job is paused[; it was last changed at %S]", "when the job is resumed",
                              "belfry resume %I"},
    [WIRE_GATE_JOB_ENDED] = {"the job is cancelled or completed", "never", "what it did: belfry history %I"},
    [WIRE_GATE_RUNNING] = {"it is running[ (%I)][ at worker %W][ since %S]", "when it ends",
                           "[to watch it: belfry show %I; to stop it: belfry cancel %I]"},
    [WIRE_GATE_ENDED] = {"it has ended[: %N][ at %S]", "never", "[how: belfry show %I]"},
    [WIRE_GATE_DEPENDENCIES] = {"it waits for the jobs it depends on[: %N has not ended][ (%C of %M have)]",
                                "when they have ended", "[what holds that one: belfry why %I]"},
    [WIRE_GATE_OVERLAP] = {HELD_BY " is running or comes first, and runs of the job may not overlap",
                           "when that one ends", "[to stop it: belfry cancel %I]"},
    [WIRE_GATE_CONCURRENCY_KEY] = {"key %N has %C of %M running[: " HELD_BY "]", "when one finishes",
                                   "[who holds it: belfry show %I]"},
    [WIRE_GATE_BACKOFF] = {"it failed[ (%C of %M attempts are used up)] and waits for its next attempt",
                           "when the wait is over", "[to try at once: belfry run %I]"},
    [WIRE_GATE_NO_WORKER] =
        {"no worker serves pool %N", "when one asks for work",
         "start one: belfry worker --worker-pools %N, or one of your own for jobs without a target"},
    [WIRE_GATE_WORKERS_BUSY] = {"the workers of pool %N are all busy (%C of %M slots)", "when one finishes",
                                "start more, or give them more capacity; who has what: belfry workers --pool %N"},
    [WIRE_GATE_DRAINING] = {"this server is going and gives no more work", "when another server has taken over",
                            "who is there: belfry servers"},
    [WIRE_GATE_CLOCK_HELD] = {"the clock jumped ahead and is not believed yet", "when the clock is accepted",
                              "if the clock is right: belfry clock accept; else set it right"},
    [WIRE_GATE_HELD] = {"the store was restored, perhaps, and what it takes for due may have run already",
                        "when somebody accepts it", "see belfry doctor, and then: belfry accept"},
    [WIRE_GATE_RELEASED_OFTEN] = {"workers gave it back %C times in a row", "when the wait is over",
                                  "see why they do: belfry show %J"},
    [WIRE_GATE_TIMED_OUT_HELD] = {"the worker of its last attempt[, %W], which timed out, has not dropped it yet",
                                  "when it does, or its lease ends", "see what it does: belfry workers"},
    [WIRE_GATE_WAITING_TURN] = {"nothing holds it", "when its turn comes", ""},
    [WIRE_GATE_TENANT_PAUSED] = {"tenant %N is paused[ since %S]", "when it is resumed", "belfry tenants resume %N"},
    [WIRE_GATE_POOL_PAUSED] = {"pool %N is paused[ since %S]", "when it is resumed", "belfry pools resume %N"},
    [WIRE_GATE_TYPE_PAUSED] = {"type %N[ of tenant %A] is paused[ since %S]", "when it is resumed",
                               "belfry types resume %N[ --tenant %A]"},
    [WIRE_GATE_TENANT_IN_FLIGHT] = {"%N has %C of %M running", "when one finishes",
                                    "to allow more: belfry tenants set %N max_in_flight=NUMBER"},
    [WIRE_GATE_POOL_IN_FLIGHT] = {"pool %N has %C of %M running", "when one finishes",
                                  "to allow more: belfry pools set %N max_in_flight=NUMBER"},
    [WIRE_GATE_TYPE_IN_FLIGHT] = {"type %N[ of tenant %A] has %C of %M running", "when one finishes",
                                  "to allow more: belfry types set %N max_in_flight=NUMBER[ --tenant %A]"},
    [WIRE_GATE_TENANT_RATE] = {"tenant %N has used up its rate[ of %R]", "when the rate lets one start",
                               "to allow more: belfry tenants set %N rate=NUMBER/s"},
    [WIRE_GATE_POOL_RATE] = {"pool %N has used up its rate[ of %R]", "when the rate lets one start",
                             "to allow more: belfry pools set %N rate=NUMBER/s"},
    [WIRE_GATE_TYPE_RATE] = {"type %N[ of tenant %A] has used up its rate[ of %R]", "when the rate lets one start",
                             "to allow more: belfry types set %N rate=NUMBER/s[ --tenant %A]"},
    [WIRE_GATE_BREAKER] = {"the breaker of [type %N][job %I] is open: too many of its attempts failed",
                           "when it tries one again", "see what fails: belfry dead list[ --type %N]"},
};

/* Of NO_WORKER, where the pool has workers. */
static const struct sentences no_target = {"no worker of pool %N takes %T", "when one asks for work",
                                           "start one that takes %T for pool %N"};
/* Of BREAKER, where it is half open. */
static const struct sentences half_open = {
    "the breaker of [type %N][job %I] is half open: one is tried at a time, and %C of the %M that close it succeeded",
    "when the one that is tried ends", "see what fails: belfry dead list[ --type %N]"};
/* Of a rate, while it grows. */
#define RAMP_WORDS "; the rate grows after a resume"

const char *wire_gate_text(enum wire_gate_kind kind)
{
    static const char *const words[] = {
#define X(name, text) [name] = text,
        WIRE_GATE_TABLE(X)
#undef X
    };

    return words[kind];
}

static const struct sentences *sentences_of(const struct wire_gate *gate)
{
    if (gate->target != NULL) {
        return &no_target;
    }
    return gate->kind == WIRE_GATE_BREAKER && gate->max > 0 ? &half_open : &sentences[gate->kind];
}

/* ---- filling in ---- */

static void append_id(struct buf *text, const struct wire_gate *gate)
{
    char id[ID_TEXT_BYTES];

    if (gate->id != ID_NONE) {
        id_format(gate->is_job ? ID_JOB : ID_TRIGGER, gate->id, id);
        buf_append_text(text, id);
    }
}

static void append_instant(struct buf *text, int64_t at_ms)
{
    char at[INSTANT_BYTES];

    if (at_ms != TIME_NONE) {
        buf_append_text(text, instant_format_short(at_ms, at));
    }
}

static void append_rate(struct buf *text, const struct wire_gate *gate)
{
    char rate[RATE_BYTES];

    if (gate->rate_ms > 0) {
        buf_append_text(text, rate_format(gate->rate_count, gate->rate_ms, rate));
    }
}

/* What stands for a letter; nothing where it is unknown. */
static void append_value(struct buf *text, const struct wire_gate *gate, struct str subject, char letter)
{
    switch (letter) {
    case 'N':
        buf_append_str(text, gate->name);
        break;
    case 'A':
        buf_append_str(text, gate->tenant);
        break;
    case 'I':
        append_id(text, gate);
        break;
    case 'W':
        buf_append_str(text, gate->worker);
        break;
    case 'S':
        append_instant(text, gate->since_ms);
        break;
    case 'C':
        buf_append_int(text, gate->count);
        break;
    case 'M':
        if (gate->max >= 0) {
            buf_append_int(text, gate->max);
        }
        break;
    case 'R':
        append_rate(text, gate);
        break;
    case 'T':
        buf_append_text(text, gate->target);
        break;
    case 'J':
        buf_append_str(text, subject);
        break;
    default:
        assert(false); /* no sentence has another */
    }
}

/* Brackets may stand within brackets. What an open one has is dropped when it is known that it is not said. */
static void fill_in(struct buf *text, const char *sentence, const struct wire_gate *gate, struct str subject)
{
    size_t opened[4] = {0}; /* where each open bracket began */
    bool is_dropped[4] = {false};
    size_t depth = 0;

    for (const char *c = sentence; *c != '\0'; c++) {
        size_t before = text->len;

        if (*c == '[') {
            depth++;
            assert(depth < sizeof opened / sizeof opened[0]);
            opened[depth] = text->len;
            is_dropped[depth] = false;
        } else if (*c == ']') {
            if (is_dropped[depth]) {
                buf_truncate(text, opened[depth]);
            }
            depth--;
        } else if (*c != '%') {
            buf_append_char(text, *c);
        } else {
            c++;
            append_value(text, gate, subject, *c);
            is_dropped[depth] = is_dropped[depth] || text->len == before;
        }
    }
}

static void put_sentence(struct jw *jw, const char *key, const char *sentence, const struct wire_gate *gate,
                         struct str subject)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, SENTENCE_BYTES_MAX);
    fill_in(&text, sentence, gate, subject);
    if (gate->is_ramp && sentence == sentences[gate->kind].detail) {
        buf_append_text(&text, RAMP_WORDS);
    }
    wire_put_text(jw, key, buf_str(&text));
}

/* ---- writing ---- */

static void put_clears(struct jw *jw, const struct wire_gate *gate)
{
    char at[INSTANT_BYTES];
    char text[INSTANT_BYTES + sizeof "at "];

    if (gate->clears_ms != TIME_NONE) {
        (void)snprintf(text, sizeof text, "at %s", instant_format_short(gate->clears_ms, at));
    }
    wire_put_word(jw, "clears", gate->clears_ms != TIME_NONE ? text : sentences_of(gate)->clears);
    wire_put_instant(jw, "clears_at", gate->clears_ms);
}

static bool counts_running(enum wire_gate_kind kind)
{
    return kind == WIRE_GATE_CONCURRENCY_KEY || kind == WIRE_GATE_WORKERS_BUSY || kind == WIRE_GATE_TENANT_IN_FLIGHT ||
           kind == WIRE_GATE_POOL_IN_FLIGHT || kind == WIRE_GATE_TYPE_IN_FLIGHT;
}

static void put_numbers(struct jw *jw, const struct wire_gate *gate)
{
    char rate[RATE_BYTES];

    if (gate->max >= 0 && counts_running(gate->kind)) {
        wire_put_int(jw, "running", gate->count);
        wire_put_int(jw, "max", gate->max);
    } else {
        wire_put_null(jw, "running");
        wire_put_null(jw, "max");
    }
    if (gate->rate_ms > 0) {
        wire_put_word(jw, "rate", rate_format(gate->rate_count, gate->rate_ms, rate));
    } else {
        wire_put_null(jw, "rate");
    }
}

static void put_gate(struct jw *jw, const struct wire_gate *gate, struct str subject)
{
    const struct sentences *said = sentences_of(gate);

    jw_begin_object(jw);
    wire_put_word(jw, "gate", wire_gate_text(gate->kind));
    put_sentence(jw, "detail", said->detail, gate, subject);
    put_clears(jw, gate);
    put_sentence(jw, "advice", said->advice, gate, subject);
    wire_put_text(jw, "name", gate->name);
    wire_put_text(jw, "tenant", gate->tenant);
    put_numbers(jw, gate);
    wire_put_id(jw, "blocked_by", gate->is_job ? ID_JOB : ID_TRIGGER, gate->id);
    wire_put_text(jw, "worker", gate->worker);
    wire_put_instant(jw, "since", gate->since_ms);
    jw_end_object(jw);
}

void wire_why_gates(struct jw *jw, const struct wire_why *why)
{
    assert(why->gate_count > 0);
    wire_put_bool(jw, "runnable", why->is_runnable);
    wire_put_instant(jw, "expires_at", why->expires_ms);
    jw_key(jw, "gates");
    jw_begin_array(jw);
    for (size_t i = 0; i < why->gate_count; i++) {
        put_gate(jw, &why->gates[i], why->subject);
    }
    jw_end_array(jw);
}

void wire_why(struct jw *jw, const struct wire_why *why)
{
    jw_begin_object(jw);
    wire_why_gates(jw, why);
    jw_end_object(jw);
}
