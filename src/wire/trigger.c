#include "wire/trigger.h"

#include <assert.h>

#include "model/run_key.h"
#include "wire/put.h"
#include "wire/work_answer.h"

struct attempt_row wire_claimed_attempt(const struct claim *claim)
{
    return (struct attempt_row){
        .trigger = claim->trigger,
        .number = claim->number,
        .state = ATTEMPT_STARTED,
        .started_ms = claim->started_ms,
        .ended_ms = TIME_NONE,
        .worker = claim->worker,
    };
}

struct trigger_row wire_claimed_row(const struct job_row *job, const struct claim *claim)
{
    return (struct trigger_row){
        .id = claim->trigger,
        .job = claim->job,
        .place = job->place,
        .kind = claim->kind,
        .state = TRIGGER_PENDING, /* rule 1 of record.h: that it runs, the claim says */
        .version = claim->version,
        .scheduled_ms = claim->scheduled_ms,
        .due_ms = claim->scheduled_ms,
        .attempts = claim->number - 1,
        .created_ms = claim->started_ms,
        .ended_ms = TIME_NONE,
    };
}

static void put_place(struct jw *jw, const struct wire_trigger *trigger)
{
    const struct trigger_row *row = trigger->row;

    jw_key(jw, "tenant");
    jw_str(jw, row->place.tenant);
    wire_put_name(jw, "name", trigger->name, row->job);
    jw_key(jw, "type");
    jw_str(jw, row->place.type);
    jw_key(jw, "pool");
    jw_str(jw, row->place.pool);
    wire_put_int(jw, "priority", row->place.priority);
}

static void put_state(struct jw *jw, const struct wire_trigger *trigger)
{
    const struct trigger_row *row = trigger->row;
    enum trigger_state state = trigger->claim != NULL ? TRIGGER_RUNNING : row->state;

    wire_put_word(jw, "kind", trigger_kind_text(row->kind));
    wire_put_word(jw, "status", trigger_state_text(state));
    wire_put_int(jw, "version", row->version);
    wire_put_instant(jw, "scheduled_for", row->scheduled_ms);
    wire_put_instant(jw, "due_at", row->due_ms);
    wire_put_int(jw, "attempts", trigger->claim != NULL ? trigger->claim->number : row->attempts);
    wire_put_int(jw, "failures", row->failures);
    wire_put_int(jw, "max_attempts", trigger->max_attempts);
    wire_put_int(jw, "replays", row->replays);
}

/* replay_of has another meaning for dependencies, which is the store's own. */
static void put_origin(struct jw *jw, const struct trigger_row *row)
{
    char key[RUN_KEY_BYTES];

    wire_put_id(jw, "replay_of", ID_TRIGGER, row->kind == TRIGGER_REPLAY ? row->replay_of : ID_NONE);
    wire_put_id(jw, "replayed_by", ID_TRIGGER, row->replayed_by);
    wire_put_id(jw, "root", ID_TRIGGER, row->kind == TRIGGER_DEPENDENCY ? row->root : ID_NONE);
    wire_put_text(jw, "reason", row->reason);
    wire_put_word(jw, "idempotency_key", run_key_format(row->kind, row->job, row->scheduled_ms, row->id, key));
}

/* last: a better account of the last attempt than the trigger's row has, or NULL. */
static void put_last(struct jw *jw, const struct wire_trigger *trigger, const struct attempt_row *last)
{
    jw_key(jw, "last_attempt");
    if (trigger->claim != NULL) {
        struct attempt_row running = wire_claimed_attempt(trigger->claim);

        wire_attempt(jw, &running, trigger->row->job, trigger->progress);
    } else if (last != NULL || trigger->row->last.number > 0) {
        wire_attempt(jw, last != NULL ? last : &trigger->row->last, trigger->row->job, NULL);
    } else {
        jw_null(jw);
    }
}

/* Everything of a trigger inside an object that is open. */
static void put_trigger(struct jw *jw, const struct wire_trigger *trigger, const struct attempt_row *last)
{
    const struct trigger_row *row = trigger->row;

    wire_put_word(jw, "record", "trigger");
    wire_put_id(jw, "id", ID_TRIGGER, row->id);
    wire_put_id(jw, "job", ID_JOB, row->job);
    put_place(jw, trigger);
    put_state(jw, trigger);
    put_origin(jw, row);
    put_last(jw, trigger, last);
    wire_put_instant(jw, "created_at", row->created_ms);
    wire_put_instant(jw, "finished_at", row->ended_ms);
}

void wire_trigger(struct jw *jw, const struct wire_trigger *trigger)
{
    jw_begin_object(jw);
    put_trigger(jw, trigger, NULL);
    jw_end_object(jw);
}

static void put_executions(struct jw *jw, const struct wire_trigger *trigger, const struct attempt_row *attempts,
                           size_t count)
{
    const struct trigger_row *row = trigger->row;
    uint32_t highest = count > 0 ? attempts[count - 1].number : 0;
    bool has_last = row->last.number > highest && (trigger->claim == NULL || row->last.number < trigger->claim->number);
    size_t more = (has_last ? 1U : 0U) + (trigger->claim != NULL ? 1U : 0U);
    size_t first = count + more > WIRE_EXECUTIONS_MAX ? count + more - WIRE_EXECUTIONS_MAX : 0;

    jw_key(jw, "executions");
    jw_begin_array(jw);
    for (size_t i = first; i < count; i++) {
        wire_attempt(jw, &attempts[i], row->job, NULL);
    }
    if (has_last) {
        wire_attempt(jw, &row->last, row->job, NULL);
    }
    if (trigger->claim != NULL) {
        struct attempt_row running = wire_claimed_attempt(trigger->claim);

        wire_attempt(jw, &running, row->job, trigger->progress);
    }
    jw_end_array(jw);
}

void wire_trigger_detail(struct jw *jw, const struct wire_trigger *trigger, struct str def,
                         const struct attempt_row *attempts, size_t attempt_count)
{
    const struct trigger_row *row = trigger->row;
    const struct attempt_row *newest = attempt_count > 0 ? &attempts[attempt_count - 1] : NULL;
    struct str payload, target;

    wire_cut_work(def, &payload, &target);
    jw_begin_object(jw);
    /* its own row has the texts, which a living trigger's has not */
    put_trigger(jw, trigger, newest != NULL && newest->number >= row->last.number ? newest : NULL);
    jw_key(jw, "payload");
    jw_raw(jw, row->payload.len > 0 ? row->payload : payload);
    jw_key(jw, "target");
    jw_raw(jw, target.len > 0 ? target : STR("null"));
    put_executions(jw, trigger, attempts, attempt_count);
    jw_end_object(jw);
}
