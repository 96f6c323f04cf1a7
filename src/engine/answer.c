#include "engine/answer.h"

#include <assert.h>
#include <string.h>

#include "engine/gather.h"
#include "engine/job.h"

const char *refusal_text(enum refusal refusal)
{
    static const char *const texts[] = {"stale", "unknown", "conflict"};

    assert((size_t)refusal < sizeof texts / sizeof texts[0]);
    return texts[refusal];
}

void answer_init(struct engine *engine, struct answer *answer)
{
    *answer = (struct answer){.arena = &engine->scratch};
}

/* Room for one more. */
static void *grow(struct arena *arena, void *items, size_t count, size_t *cap, size_t size)
{
    if (count < *cap) {
        return items;
    }
    size_t more = *cap == 0 ? 8 : *cap * 2;
    void *grown = arena_alloc_array(arena, more, size);

    if (count > 0) {
        memcpy(grown, items, count * size);
    }
    *cap = more;
    return grown;
}

void answer_grant(struct answer *answer, struct lease *lease)
{
    answer->leases = grow(answer->arena, answer->leases, answer->lease_count, &answer->lease_cap, sizeof(void *));
    answer->leases[answer->lease_count++] = lease;
}

void answer_refuse(struct answer *answer, struct attempt_ref attempt, enum refusal reason)
{
    answer->refused =
        grow(answer->arena, answer->refused, answer->refused_count, &answer->refused_cap, sizeof *answer->refused);
    answer->refused[answer->refused_count++] = (struct refused){.attempt = attempt, .reason = reason};
}

void answer_cancel(struct answer *answer, struct attempt_ref attempt)
{
    answer->cancel =
        grow(answer->arena, answer->cancel, answer->cancel_count, &answer->cancel_cap, sizeof *answer->cancel);
    answer->cancel[answer->cancel_count++] = attempt;
}

bool answer_is_empty(const struct answer *answer)
{
    return answer->lease_count == 0 && answer->refused_count == 0 && answer->cancel_count == 0;
}

static struct grant grant_of(struct engine *engine, const struct lease *lease)
{
    const struct trigger *trigger = lease->trigger;
    const struct job *job = trigger->job;
    bool has_def = job->def != NULL && job->version == trigger->version && job->def_len <= GRANT_TEXT_BYTES_MAX;
    bool is_left = trigger->payload_len > GRANT_TEXT_BYTES_MAX;

    return (struct grant){
        .trigger = trigger->id,
        .job = job->id,
        .number = lease->number,
        .failures = trigger->failures,
        .max_attempts = (uint32_t)job_retry(engine, job)->max_attempts,
        .version = trigger->version,
        .kind = trigger->kind,
        .replay_of = trigger->replay_of,
        .scheduled_ms = trigger->scheduled_ms,
        .due_ms = trigger->entry.due_ms,
        .timeout_ms = job_timeout_ms(engine, job),
        .lease_ms = job->policy->body.lease_ms,
        .place = gather_place(engine, trigger->bucket),
        .name = job->name != NULL ? gather_text(engine, job->name->name) : STR(""),
        .payload = is_left ? STR("") : gather_text(engine, str_from_bytes(trigger->payload, trigger->payload_len)),
        .is_payload_left = is_left,
        .def = has_def ? gather_text(engine, str_from_bytes(job->def, job->def_len)) : STR(""),
    };
}

void answer_send(struct engine *engine, const struct answer *answer, uint64_t token)
{
    struct reply *reply = gather_reply(engine, token, REPLY_WORK);

    reply->is_draining = engine->is_draining;
    if (answer->lease_count > 0) {
        reply->grants = gather_alloc(engine, answer->lease_count * sizeof *reply->grants);
        for (size_t i = 0; i < answer->lease_count; i++) {
            reply->grants[i] = grant_of(engine, answer->leases[i]);
            answer->leases[i]->told_batch = engine->batch;
        }
        reply->grant_count = answer->lease_count;
    }
    if (answer->refused_count > 0) {
        reply->refused = gather_alloc(engine, answer->refused_count * sizeof *reply->refused);
        memcpy(reply->refused, answer->refused, answer->refused_count * sizeof *reply->refused);
        reply->refused_count = answer->refused_count;
    }
    if (answer->cancel_count > 0) {
        reply->cancel = gather_alloc(engine, answer->cancel_count * sizeof *reply->cancel);
        memcpy(reply->cancel, answer->cancel, answer->cancel_count * sizeof *reply->cancel);
        reply->cancel_count = answer->cancel_count;
    }
}
