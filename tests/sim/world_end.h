/* world_end: whether all is well, how long healing takes, and what must be true in the end.
 */
#ifndef TESTS_SIM_WORLD_END_H
#define TESTS_SIM_WORLD_END_H

#include "world.h"

/* Somebody owns the shard and can work, with a clock that is right; and how long it may take to do what is to be done.
 */
bool world_well(const struct world *world, int64_t *ret_slack_ms);

/* How long after the last fault everything must have ended. */
int64_t world_heal_ms(const struct world *world);

/* Whether there is work that waits its turn, and some of it had its turn since the last call. */
bool world_advances(struct world *world);

/* Whether what the owner's engine decided is all on the disk. */
bool world_still(const struct world *world);

/* The world ends: nothing that was due is left, every rule holds over the whole engine, and an engine that is restored
 * from a copy of the disk sees the same. */
void world_end(struct world *world);

#endif
