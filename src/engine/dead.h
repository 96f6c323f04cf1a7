/* dead: dead letters, and what brings them back.
 *
 * A replay is a new trigger with a fresh budget that names the dead one; it runs the dead one's version and payload.
 */
#ifndef ENGINE_DEAD_H
#define ENGINE_DEAD_H

#include "engine/core.h"

/* The trigger is about to end DEAD: replays it by itself where its policy says so and the error may pass. */
void dead_policy_apply(struct engine *engine, struct trigger *trigger, struct str reason);

/* A replay of a dead trigger, due now. */
struct trigger *dead_replay(struct engine *engine, struct job *job, const struct trigger_row *row);

/* A replay that the policy made and that has not begun; NULL. */
struct trigger *dead_automatic(struct job *job, uint64_t dead);

#endif
