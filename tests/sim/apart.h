/* apart: one world in a process of its own.
 *
 * For those who go on after a finding: an assertion, a crash or a hang in there ends the process and is told as a
 * finding.
 */
#ifndef TESTS_SIM_APART_H
#define TESTS_SIM_APART_H

#include "world.h"

/* What comes back; in memory that both processes see. */
struct apart {
    struct marks marks; /* add up over all worlds */
    struct world_figures figures;
    struct finding finding; /* rule "assertion", "hang" or "signal" where the process ended */
    uint64_t digest;
};

/* NULL: there is no such memory. */
struct apart *apart_new(void);
void apart_free(struct apart *apart);

/* Returns whether nothing was found. A world that takes longer than so many seconds hangs. trace may be NULL; without
 * one nothing is said on standard error. */
bool apart_run(struct apart *apart, const struct swarm *swarm, struct zone_cache *zones, struct trace *trace,
               unsigned seconds);

#endif
