/* dead: dead letters, and what brings them back.
 *
 * A replay is a new trigger with a fresh budget that names the dead one; it runs the dead one's version and payload.
 *
 * Rules: (1) the dead one names its newest replay from the batch on that makes it; who has one is off the list.
 *        (2) at most one replay of a dead trigger lives, and it is the newest.
 * See:   docs/decisions/0007-engine-rulings.md, tests/rulings/test_letters.c
 */
#ifndef ENGINE_DEAD_H
#define ENGINE_DEAD_H

#include "engine/core.h"

/* The trigger is about to end DEAD: replays it by itself where its policy says so and the error may pass. */
void dead_policy_apply(struct engine *engine, struct trigger *trigger, struct str reason);

/* The newest replay of a dead trigger, whatever became of it; 0: it is on the list. */
uint64_t dead_replayed_by(const struct engine *engine, const struct trigger_row *row);

/* Its replay that lives; NULL. */
struct trigger *dead_living(const struct engine *engine, const struct trigger_row *row);

/* Whether the policy made this replay and it has not begun. */
bool dead_is_to_come(const struct trigger *replay);

/* A replay of a dead trigger, due now, in the place of one that was to come. No other lives (rule 2). */
struct trigger *dead_replay(struct engine *engine, struct job *job, const struct trigger_row *row);

#endif
