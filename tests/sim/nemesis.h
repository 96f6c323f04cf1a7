/* nemesis: what happens to machines: crashes, pauses, partitions, outages, jumps of clocks.
 *
 * What happens to messages and calls is drawn where they are sent (sim_net.c, sim_store.c).
 */
#ifndef TESTS_SIM_NEMESIS_H
#define TESTS_SIM_NEMESIS_H

#include "base/rng.h"
#include "world.h"

struct sim_nemesis {
    struct world *world;
    struct rng rng;
    struct sim_timer timer;
};

void nemesis_init(struct sim_nemesis *nemesis, struct world *world);

/* Nothing goes wrong any more. */
void nemesis_heal(struct sim_nemesis *nemesis);

#endif
