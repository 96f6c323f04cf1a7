#include "engine/dead.h"

#include <assert.h>

#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "engine/recent.h"
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

    trigger->replayed_by = replay->id; /* rule 1: its row is about to be written */
    replay->replays = trigger->replays + 1;
    trigger_set_payload(engine, replay, str_from_bytes(trigger->payload, trigger->payload_len));
    begin(engine, replay);
}

uint64_t dead_replayed_by(const struct engine *engine, const struct trigger_row *row)
{
    uint64_t recent = recent_replay_of(engine, row->id);

    return recent != ID_NONE ? recent : row->replayed_by;
}

struct trigger *dead_living(const struct engine *engine, const struct trigger_row *row)
{
    uint64_t newest = dead_replayed_by(engine, row);

    return newest != ID_NONE ? trigger_by_id(engine, newest) : NULL; /* rule 2 */
}

bool dead_is_to_come(const struct trigger *replay)
{
    return replay->replays > 0 && replay->attempts == 0 && replay->state == TRIGGER_PENDING;
}

struct trigger *dead_replay(struct engine *engine, struct job *job, const struct trigger_row *row)
{
    struct trigger *automatic = dead_living(engine, row);
    struct ready_place place = ready_bucket_place(job->bucket);

    assert(automatic == NULL || dead_is_to_come(automatic)); /* rule 2 */
    place.type = row->place.type;
    place.target = row->target;
    struct trigger *replay = make(engine, job, ready_bucket_get(engine->ready, &place), row->id, row->version,
                                  row->scheduled_ms, engine->now_ms);

    trigger_set_payload(engine, replay, row->payload);
    begin(engine, replay);
    if (!BUG(REPLAY_UNNAMED)) {
        recent_replayed(engine, row->id, replay->id);
    }
    if (automatic != NULL) { /* it was to come by itself: this one comes in its place */
        trigger_end(engine, automatic, TRIGGER_CANCELLED, NULL, STR("replayed"));
    }
    return replay;
}
