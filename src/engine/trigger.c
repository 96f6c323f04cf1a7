#include "engine/trigger.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/deps.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/line.h"
#include "engine/recent.h"
#include "engine/timers.h"

static struct trigger *make(struct engine *engine, struct job *job, uint64_t id, struct ready_bucket *bucket)
{
    struct trigger *trigger = mem_zalloc(sizeof *trigger);

    trigger->id = id;
    trigger->job = job;
    trigger->bucket = bucket;
    trigger->entry.is_trigger = true;
    timer_init(&trigger->entry.timer, TIMER_TRIGGER);
    list_node_init(&trigger->link);
    list_push_back(&job->triggers, &trigger->link);
    if (id == job->id) {
        job->own = trigger;
    } else {
        idmap_put(&engine->triggers, id, trigger);
    }
    job->living++;
    engine->living++;
    return trigger;
}

struct trigger *trigger_new(struct engine *engine, struct job *job, uint64_t id, enum trigger_kind kind,
                            int64_t scheduled_ms, int64_t due_ms)
{
    struct trigger *trigger = make(engine, job, id, ready_bucket_again(job->bucket));

    trigger->kind = kind;
    trigger->state = TRIGGER_PENDING;
    trigger->version = job->version;
    trigger->scheduled_ms = scheduled_ms;
    trigger->entry.due_ms = due_ms;
    trigger->created_ms = engine->now_ms;
    return trigger;
}

struct trigger *trigger_install(struct engine *engine, struct job *job, const struct trigger_row *row)
{
    /* Type and target are its version's; pool and priority are the job's of now. */
    struct ready_place place = ready_bucket_place(job->bucket);

    place.type = row->place.type;
    place.target = row->target;
    struct trigger *trigger = make(engine, job, row->id, ready_bucket_get(engine->ready, &place));

    trigger->kind = row->kind;
    trigger->state = row->state;
    trigger->version = row->version;
    trigger->scheduled_ms = row->scheduled_ms;
    trigger->entry.due_ms = row->due_ms;
    trigger->created_ms = row->created_ms;
    trigger->attempts = row->attempts;
    trigger->failures = row->failures;
    trigger->lost_run = row->lost_run;
    trigger->released_run = row->released_run;
    trigger->replays = row->replays;
    trigger->replay_of = row->replay_of;
    trigger->root = row->root;
    trigger->last_state = row->last.state;
    trigger->last_started_ms = row->last.started_ms;
    trigger->last_worker = row->last.number > 0 ? mem_strndup(row->last.worker.ptr, row->last.worker.len) : NULL;
    trigger->has_row = true;
    trigger_set_payload(engine, trigger, row->payload);
    if (trigger_is_retry(trigger)) {
        job->retrying++;
    }
    return trigger;
}

void trigger_set_payload(struct engine *engine, struct trigger *trigger, struct str payload)
{
    assert(payload.len <= UINT32_MAX); /* PAYLOAD_BYTES_MAX is far below */
    engine->payload_bytes = engine->payload_bytes - trigger->payload_len + payload.len;
    mem_free(trigger->payload);
    trigger->payload = str_empty(payload) ? NULL : mem_dup(payload.ptr, payload.len);
    trigger->payload_len = (uint32_t)payload.len;
}

enum err trigger_check_payload(const struct engine *engine, size_t bytes, struct error *reterr)
{
    if (bytes == 0 || engine->payload_bytes + bytes <= engine->config.payload_bytes_max) {
        return ERR_OK;
    }
    return err_set(reterr, ERR_LIMIT,
                   "runs that have not ended have payloads of their own of %zu MiB; wait for some of them",
                   engine->payload_bytes >> 20);
}

void trigger_free(struct engine *engine, struct trigger *trigger)
{
    struct job *job = trigger->job;

    assert(trigger->lease == NULL && trigger->join == NULL);
    lease_drop(engine, trigger);
    entry_park(engine, &trigger->entry);
    if (trigger_is_retry(trigger)) {
        job->retrying--;
    }
    job->living--;
    list_remove(&trigger->link);
    if (job->own == trigger) {
        job->own = NULL;
    } else {
        idmap_remove(&engine->triggers, trigger->id);
    }
    engine->living--;
    ready_bucket_put(engine->ready, trigger->bucket);
    mem_free(trigger->last_worker);
    engine->payload_bytes -= trigger->payload_len;
    mem_free(trigger->payload);
    mem_free(trigger);
}

struct trigger *trigger_walk_next(const struct engine *engine, struct trigger_walk *walk)
{
    while (walk->next == NULL) {
        walk->job = idmap_next(&engine->jobs, &walk->pos, NULL);
        if (walk->job == NULL) {
            return NULL;
        }
        walk->next = list_first(&walk->job->triggers);
    }
    struct trigger *trigger = CONTAINER_OF(walk->next, struct trigger, link);

    walk->next = list_next(&walk->job->triggers, walk->next);
    return trigger;
}

struct trigger *trigger_by_id(const struct engine *engine, uint64_t id)
{
    const struct job *job = idmap_find(&engine->jobs, id);

    return job != NULL ? job->own : idmap_find(&engine->triggers, id); /* no id is given twice */
}

bool trigger_is_retry(const struct trigger *trigger)
{
    return trigger->state == TRIGGER_PENDING && trigger->attempts > 0;
}

void trigger_become(struct trigger *trigger, enum trigger_state state)
{
    struct job *job = trigger->job;

    if (trigger_is_retry(trigger)) {
        job->retrying--;
    }
    if (trigger->state == TRIGGER_RUNNING) {
        job->running--;
    }
    trigger_move(&trigger->state, state);
    if (trigger_is_retry(trigger)) {
        job->retrying++;
    }
    if (trigger->state == TRIGGER_RUNNING) {
        job->running++;
    }
}

void trigger_end(struct engine *engine, struct trigger *trigger, enum trigger_state state,
                 const struct attempt_row *last, struct str reason)
{
    struct job *job = trigger->job;
    bool was_running = trigger->state == TRIGGER_RUNNING;

    entry_park(engine, &trigger->entry);
    trigger_become(trigger, state);
    gather_trigger(engine, trigger, last, reason);
    if (was_running) {
        fire_after_run(engine, job);
    }

    struct ended ended = {.id = trigger->id,
                          .kind = trigger->kind,
                          .state = state,
                          .scheduled_ms = trigger->scheduled_ms,
                          .root = trigger->root,
                          .root_job = trigger->root != 0 ? trigger->replay_of : 0};
    if (trigger->join != NULL) {
        deps_left(engine, trigger);
    }
    recent_ended(engine, trigger);
    trigger_free(engine, trigger);
    deps_ended(engine, job, &ended);
    fire_after_end(engine, job, &ended);
}
