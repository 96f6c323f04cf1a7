#include "engine/grant.h"

#include "engine/circuit.h"
#include "engine/fire.h"
#include "engine/key.h"
#include "engine/lease.h"
#include "engine/line.h"

/* Takes the picked entry out of the ready queue and counts its start. */
static bool start(struct engine *engine, struct entry *entry)
{
    bool is_probe = ready_start(engine->ready, &entry->ready, engine->mono_ms);

    entry->place = ENTRY_IDLE;
    entry_park(engine, entry); /* its timer, its job's front, its key's turn */
    return is_probe;
}

/* The attempt that the picked entry becomes; NULL: it was decided otherwise, and stands elsewhere. */
static struct lease *claim(struct engine *engine, struct entry *entry, struct worker *worker)
{
    struct job *job = entry_job(entry);
    struct trigger *trigger = entry_trigger(entry);
    int64_t missed_to_ms = TIME_NONE;

    if (!circuit_admits(engine, entry) || !key_admits(engine, entry)) {
        return NULL;
    }
    if (trigger == NULL && !fire_settle(engine, job, &missed_to_ms)) {
        return NULL;
    }
    bool is_probe = start(engine, entry);

    if (trigger == NULL) {
        trigger = fire_make(engine, job, missed_to_ms);
    }
    return lease_start(engine, trigger, worker, is_probe);
}

bool grant_next(struct engine *engine, struct str pool, enum job_target target, struct worker *worker,
                struct answer *answer)
{
    for (;;) { /* bounded: what is not claimed leaves the ready queue */
        struct ready_entry *picked = ready_pick(engine->ready, pool, target, engine->mono_ms);

        if (picked == NULL) {
            return false;
        }
        struct lease *lease = claim(engine, CONTAINER_OF(picked, struct entry, ready), worker);

        if (lease != NULL) {
            answer_grant(answer, lease);
            return true;
        }
    }
}
