/* grant: from what is ready to an attempt: the claim.
 *
 * Trigger, attempt and the cursor's move are in one batch; the answer is given when it is durable.
 */
#ifndef ENGINE_GRANT_H
#define ENGINE_GRANT_H

#include "engine/answer.h"
#include "engine/core.h"

/* Starts what is next in the pool, of this kind of targets, for the worker, and puts it into the answer. False: nothing
 * may start now. */
bool grant_next(struct engine *engine, struct str pool, enum job_target target, struct worker *worker,
                struct answer *answer);

#endif
