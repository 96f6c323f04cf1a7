#include <assert.h>
#include <string.h>

#include "engine/breaker.h"
#include "engine/command.h"
#include "engine/deps.h"
#include "engine/gather.h"
#include "engine/holder.h"
#include "engine/job.h"
#include "engine/key.h"
#include "engine/line.h"
#include "engine/settings.h"
#include "engine/timers.h"
#include "engine/trigger.h"
#include "engine/worker.h"

#define WHY_REASONS_MAX (READY_REASONS_MAX + 16)

struct why {
    struct engine *engine;
    int64_t expires_ms;
    struct why_reason reasons[WHY_REASONS_MAX];
    size_t count;
};

/* A reason that holds it, to be filled in further. */
static struct why_reason *add(struct why *why, enum why_gate gate)
{
    struct why_reason *reason = &why->reasons[why->count < WHY_REASONS_MAX ? why->count++ : why->count - 1];

    *reason = (struct why_reason){.gate = gate,
                                  .tenant = STR(""),
                                  .name = STR(""),
                                  .worker = STR(""),
                                  .since_ms = TIME_NONE,
                                  .clears_ms = TIME_NONE};
    return reason;
}

/* ---- gates ---- */

static void add_job(struct why_reason *reason, const struct job *job)
{
    reason->id = job->id;
    reason->is_job = true;
}

static int64_t paused_since(const struct engine *engine, const struct ready_reason *reason)
{
    const struct settings *settings = settings_find(engine, reason->scope, reason->tenant, reason->name);

    return settings != NULL && settings->is_paused && settings->paused_ms != SETTING_NONE ? settings->paused_ms
                                                                                          : TIME_NONE;
}

static void ask_gates(struct why *why, struct ready_bucket *bucket)
{
    struct ready_reason reasons[READY_REASONS_MAX];
    size_t count =
        ready_explain(why->engine->ready, bucket, why->engine->mono_ms, reasons, sizeof reasons / sizeof reasons[0]);

    for (size_t i = 0; i < count; i++) {
        struct why_reason *reason = add(why, WHY_READY);

        reason->ready = reasons[i].gate;
        reason->tenant = gather_text(why->engine, reasons[i].tenant);
        reason->name = gather_text(why->engine, reasons[i].name);
        reason->count = reasons[i].running;
        reason->max = reasons[i].max;
        reason->rate_count = reasons[i].rate_count;
        reason->rate_ms = reasons[i].rate_ms;
        reason->is_ramp = reasons[i].is_ramp;
        reason->since_ms = paused_since(why->engine, &reasons[i]);
        if (reasons[i].is_probing) {
            reason->count = reasons[i].successes;
            reason->max = settings_breaker(why->engine, reasons[i].tenant, reasons[i].name).closing_successes;
        }
        if (reasons[i].clears_ms != READY_NEVER) {
            reason->clears_ms = wall_of_mono(why->engine, reasons[i].clears_ms);
        }
    }
}

static void ask_key(struct why *why, const struct job *job)
{
    if (job->key != NULL && job->key->running >= job->key_max) {
        struct why_reason *reason = add(why, WHY_CONCURRENCY_KEY);

        reason->name = gather_text(why->engine, key_name(job->key));
        const struct lease *lease = holder_of_key(why->engine, job->key);

        reason->count = job->key->running;
        reason->max = job->key_max;
        if (lease != NULL) {
            reason->id = lease->trigger->id;
            holder_lease(why->engine, reason, lease);
        }
    }
}

static void ask_circuit(struct why *why, const struct job *job)
{
    if (job->circuit != NULL && job->circuit->breaker.state != BREAKER_CLOSED) {
        struct why_reason *reason = add(why, WHY_READY);

        reason->ready = READY_GATE_BREAKER;
        add_job(reason, job);
        if (job->circuit->breaker.state == BREAKER_OPEN) {
            reason->clears_ms = wall_of_mono(why->engine, job->circuit->breaker.open_until_ms);
        } else {
            struct ready_place place = ready_bucket_place(job->bucket);

            reason->count = job->circuit->breaker.successes;
            reason->max = settings_breaker(why->engine, place.tenant, place.type).closing_successes;
        }
    }
}

/* Another trigger of the job that stands before this entry. */
static void ask_overlap(struct why *why, const struct job *job, const struct entry *entry)
{
    bool is_queue = job->policy->body.overlap == OVERLAP_QUEUE;

    if (job->policy->body.overlap == OVERLAP_ALLOW || entry->place != ENTRY_LINE) {
        return;
    }
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        const struct trigger *other = CONTAINER_OF(node, struct trigger, link);

        if (&other->entry != entry &&
            (other->state == TRIGGER_RUNNING || (is_queue && trigger_is_retry(other)) || &other->entry == job->front)) {
            holder_trigger(why->engine, add(why, WHY_OVERLAP), other);
            return;
        }
    }
    assert(job->front == &job->fire); /* what else would stand before it */
    add_job(add(why, WHY_OVERLAP), job);
}

static void ask_workers(struct why *why, const struct ready_place *place, bool is_due)
{
    struct worker_room room = worker_look(why->engine, place->pool, place->target);

    if (room.taking == 0) {
        struct why_reason *reason = add(why, WHY_NO_WORKER);

        reason->name = gather_text(why->engine, place->pool);
        reason->count = room.workers;
        reason->target = place->target;
    } else if (is_due && !room.is_asked && room.held > 0 && room.held >= room.capacity) {
        struct why_reason *reason = add(why, WHY_WORKERS_BUSY);

        reason->name = gather_text(why->engine, place->pool);
        reason->count = room.held;
        reason->max = room.capacity;
    }
}

static void ask_surroundings(struct why *why, struct ready_bucket *bucket, bool is_due)
{
    struct ready_place place = ready_bucket_place(bucket);

    if (why->engine->is_draining) {
        add(why, WHY_DRAINING);
    }
    if (why->engine->is_held) {
        add(why, WHY_HELD);
    }
    ask_workers(why, &place, is_due);
}

static void ask_due(struct why *why, struct entry *entry)
{
    struct job *job = entry_job(entry);
    const struct trigger *trigger = entry_trigger(entry);

    if (entry->due_ms > why->engine->now_ms) {
        bool is_backoff = trigger != NULL && trigger->attempts > 0;
        struct why_reason *reason = add(why, is_backoff ? WHY_BACKOFF : WHY_NOT_DUE);

        reason->clears_ms = entry->due_ms;
        if (is_backoff) {
            reason->id = trigger->id;
            reason->count = trigger->failures;
            reason->max = job_retry(why->engine, job)->max_attempts;
        }
        if (why->engine->is_clock_held) {
            add(why, WHY_CLOCK_HELD);
        }
    }
    if (trigger != NULL && trigger->dropping != NULL) {
        struct why_reason *reason = add(why, WHY_DROP);

        holder_lease(why->engine, reason, trigger->dropping);
        reason->clears_ms = wall_of_mono(why->engine, trigger->dropping->lease_timer.node.due_ms);
    }
    if (job->policy->body.expires_after_ms > 0 && (trigger == NULL || trigger->attempts == 0)) {
        why->expires_ms = entry->due_ms + job->policy->body.expires_after_ms;
    }
    if (trigger != NULL && trigger->released_run > 10 && entry->due_ms > why->engine->now_ms) {
        add(why, WHY_RELEASED_OFTEN)->count = trigger->released_run;
    }
    ask_overlap(why, job, entry);
    ask_key(why, job);
    ask_circuit(why, job);
    ask_gates(why, entry_bucket(entry));
    ask_surroundings(why, entry_bucket(entry), entry->due_ms <= why->engine->now_ms);
}

static bool ask_job_status(struct why *why, const struct job *job)
{
    if (job->status == JOB_PAUSED) {
        struct why_reason *reason = add(why, WHY_JOB_PAUSED);

        add_job(reason, job);
        reason->since_ms = job->updated_ms;
    } else if (job->status == JOB_CANCELLED) {
        add_job(add(why, WHY_JOB_ENDED), job);
    }
    return job->status == JOB_CANCELLED;
}

static void ask_trigger(struct why *why, struct trigger *trigger)
{
    if (trigger->state == TRIGGER_RUNNING) {
        holder_trigger(why->engine, add(why, WHY_RUNNING), trigger);
        return;
    }
    if (ask_job_status(why, trigger->job)) {
        return;
    }
    if (trigger->state == TRIGGER_WAITING) {
        struct why_reason *reason = add(why, WHY_DEPENDENCIES);
        const struct job *open = deps_open_upstream(trigger, &reason->count, &reason->max);

        reason->is_job = true;
        reason->id = open != NULL ? open->id : 0;
        reason->name = open != NULL && open->name != NULL ? gather_text(why->engine, open->name->name) : STR("");
        return;
    }
    ask_due(why, &trigger->entry);
}

static void ask_job(struct why *why, struct job *job)
{
    if (ask_job_status(why, job)) {
        return;
    }
    if (job->cursor_ms != TIME_NONE) {
        job->fire.due_ms = job_due_ms(job, job->cursor_ms);
        if (job->running > 0 && job->policy->body.overlap != OVERLAP_ALLOW && job->fire.place != ENTRY_LINE) {
            for (struct list_node *node = list_first(&job->triggers); node != NULL;
                 node = list_next(&job->triggers, node)) {
                const struct trigger *other = CONTAINER_OF(node, struct trigger, link);

                if (other->state == TRIGGER_RUNNING) {
                    holder_trigger(why->engine, add(why, WHY_RUNNING), other);
                }
            }
        }
        ask_due(why, &job->fire);
        return;
    }
    struct list_node *first = list_first(&job->triggers);

    if (first != NULL) {
        ask_trigger(why, CONTAINER_OF(first, struct trigger, link));
    } else if (job->rhythm == RHYTHM_UPSTREAM && job->status == JOB_ACTIVE) {
        add(why, WHY_DEPENDENCIES);
    } else {
        add_job(add(why, WHY_JOB_ENDED), job);
    }
}

static void answer(struct engine *engine, const struct command *command, struct why *why)
{
    bool is_held = why->count > 0;

    if (!is_held) {
        add(why, WHY_WAITING_TURN);
    }
    struct why_reason *reasons = gather_alloc(engine, (why->count + 1) * sizeof *reasons);

    memcpy(reasons, why->reasons, why->count * sizeof *reasons);
    struct reply *reply = gather_reply(engine, command->token, REPLY_WHY);

    reply->reasons = reasons;
    reply->reason_count = why->count;
    reply->is_runnable = !is_held;
    reply->expires_ms = why->expires_ms;
}

static enum command_result why_trigger(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    struct trigger *trigger = trigger_by_id(engine, command->triggers[0]);
    struct why why = {.engine = engine, .expires_ms = TIME_NONE};
    struct error error;

    if (trigger == NULL && !request_needs_trigger(request, command->triggers[0])) {
        return COMMAND_LACKS;
    }
    const struct trigger_row *row = trigger == NULL ? request_trigger_row(rows, command->triggers[0]) : NULL;

    if (trigger == NULL && row == NULL) {
        err_set(&error, ERR_NOT_FOUND, "there is no such trigger");
        return command_error(engine, command, &error);
    }
    if (trigger == NULL) {
        struct why_reason *reason = add(&why, WHY_ENDED);

        reason->id = row->id;
        reason->since_ms = row->ended_ms;
        reason->name = str_from(trigger_state_text(row->state));
    } else {
        ask_trigger(&why, trigger);
    }
    answer(engine, command, &why);
    return COMMAND_DONE;
}

enum command_result engine_command_why(struct engine *engine, struct request *request, const struct rows *rows)
{
    enum command_result result = COMMAND_DONE;
    struct why why = {.engine = engine, .expires_ms = TIME_NONE};

    if (request->command->trigger_count > 0) {
        return why_trigger(engine, request, rows);
    }
    struct job *job = command_job(engine, request, &result);

    if (job == NULL) {
        return result;
    }
    ask_job(&why, job);
    answer(engine, request->command, &why);
    return COMMAND_DONE;
}
