/* fire: a job's cursor: what each fire becomes, and where the cursor goes.
 *
 * Rules: (1) a fire gets one decision (a trigger, or part of a skip record), in one batch with the cursor's move past
 * it. (2) asked in this order: expired, held by a run (overlap), missed (misfire), on time. (3) decided at the claim,
 * but for those that become due while a trigger runs under overlap skip, and those that expire: these are decided at
 * their instant. See:   docs/decisions/0007-engine-rulings.md, tests/unit/engine/test_fire.c
 */
#ifndef ENGINE_FIRE_H
#define ENGINE_FIRE_H

#include "engine/core.h"

/* A trigger that has ended, for those that follow from it. */
struct ended {
    uint64_t id;
    enum trigger_kind kind;
    enum trigger_state state;
    int64_t scheduled_ms;
    uint64_t root;
    uint64_t root_job; /* of root, if there is one */
};

/* The first cursor of a job: its first fire after after_ms. */
void fire_begin(struct engine *engine, struct job *job, int64_t after_ms);

/* Puts the fire where it belongs: nowhere, its timer, the line or the ready queue; or skips what is due. */
void fire_arm(struct engine *engine, struct job *job);

/* Its timer: due, or expired. */
void fire_timer(struct engine *engine, struct job *job);

/* The claim, first half: settles what stands before the fire that is to run. False: nothing is to run now, and the
 * fire is where it belongs. *ret_missed_to_ms is for the second half. */
bool fire_settle(struct engine *engine, struct job *job, int64_t *ret_missed_to_ms);

/* Second half: the trigger (PENDING, about to start), and the cursor moved past it. */
struct trigger *fire_make(struct engine *engine, struct job *job, int64_t missed_to_ms);

/* A trigger of the job started: fires that are due are due while it runs. */
void fire_after_start(struct engine *engine, struct job *job, struct trigger *trigger);

/* Whether a trigger lives that its schedule, or its upstreams' schedule, made. */
bool fire_has_living(const struct job *job);

/* A trigger of the job is not running any more: fires that became due meanwhile were held. */
void fire_after_run(struct engine *engine, struct job *job);

/* A trigger has ended: the next of "every ... after finish", the job's own end. */
void fire_after_end(struct engine *engine, struct job *job, const struct ended *ended);

/* Skips what is due now (an edit, a cancellation); returns how many, and which. */
int64_t fire_skip_due(struct engine *engine, struct job *job, enum skip_reason reason, int64_t *ret_from_ms,
                      int64_t *ret_to_ms);

/* The fires from the cursor up to to_ms are decided not to run. */
void fire_skip_to(struct engine *engine, struct job *job, int64_t to_ms, enum skip_reason reason);

/* The last fire of a schedule of nominal times that was decided; TIME_NONE. An owner whose clock is behind the one
 * before it may find it ahead of its own time. */
int64_t fire_last_decided(const struct job *job);

/* Ends a job that has no fire left and nothing that lives. */
void fire_complete_if_over(struct engine *engine, struct job *job);

/* Whether the one fire of a one-time job, or of one that follows such jobs, has been decided and has ended. */
bool fire_is_over(const struct job *job);

/* The latest fire that is due by at_ms, not before the cursor; TIME_NONE: none. */
int64_t fire_last_due(const struct job *job, int64_t at_ms);

#endif
