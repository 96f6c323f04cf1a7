#include "engine/dead.h"

#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "engine/trigger.h"

static struct trigger *make(struct engine *engine, struct job *job, struct ready_bucket *bucket, uint64_t dead,
                            uint32_t version, int64_t scheduled_ms, int64_t due_ms)
{
    struct trigger *replay = trigger_new(engine, job, gather_id(engine), TRIGGER_REPLAY, scheduled_ms, due_ms);

    ready_bucket_put(engine->ready, replay->bucket);
    replay->bucket = bucket;
    replay->version = version;
    replay->replay_of = dead;
    return replay;
}

static void begin(struct engine *engine, struct trigger *replay)
{
    gather_trigger(engine, replay, NULL, STR(""));
    job_rewake(engine, replay->job);
    entry_set_trigger(engine, replay);
}

void dead_policy_apply(struct engine *engine, struct trigger *trigger, struct str reason)
{
    struct dead_policy policy = job_dead_policy(engine, trigger->job);

    if (!policy.is_set || str_is(reason, "permanent") || trigger->replays >= (uint32_t)policy.max_replays ||
        trigger->job->status == JOB_CANCELLED || trigger->job->is_ending) {
        return;
    }
    struct trigger *replay =
        make(engine, trigger->job, ready_bucket_again(trigger->bucket), trigger->id, trigger->version,
             trigger->scheduled_ms, plus_ms(engine->now_ms, policy.replay_after_ms));

    replay->replays = trigger->replays + 1;
    trigger_set_payload(replay, str_from_bytes(trigger->payload, trigger->payload_len));
    begin(engine, replay);
}

struct trigger *dead_automatic(struct job *job, uint64_t dead)
{
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->kind == TRIGGER_REPLAY && trigger->replay_of == dead && trigger->replays > 0 &&
            trigger->attempts == 0 && trigger->state == TRIGGER_PENDING) {
            return trigger;
        }
    }
    return NULL;
}

struct trigger *dead_replay(struct engine *engine, struct job *job, const struct trigger_row *row)
{
    struct trigger *automatic = dead_automatic(job, row->id);
    struct ready_place place = ready_bucket_place(job->bucket);

    place.type = row->place.type;
    place.target = row->target;
    struct trigger *replay = make(engine, job, ready_bucket_get(engine->ready, &place), row->id, row->version,
                                  row->scheduled_ms, engine->now_ms);

    trigger_set_payload(replay, row->payload);
    begin(engine, replay);
    if (automatic != NULL) { /* it was to come by itself: this one comes in its place */
        trigger_end(engine, automatic, TRIGGER_CANCELLED, NULL, STR("replayed"));
    }
    return replay;
}
