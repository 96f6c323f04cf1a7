/* holder: who has what another one waits for, for people who ask why.
 *
 * Owns:  nothing. Texts are copied beside the reply.
 * See:   why.c, tests/rulings/test_reasons.c
 */
#ifndef ENGINE_HOLDER_H
#define ENGINE_HOLDER_H

#include "engine/core.h"

/* Leases and workers looked at to find one that holds a key. */
#define HOLDER_LEASES_MAX 20000

/* The worker of a lease, by its name where it has one, and since when it runs. Does nothing for NULL. */
void holder_lease(struct engine *engine, struct why_reason *reason, const struct lease *lease);

/* The trigger, and its lease where it runs. */
void holder_trigger(struct engine *engine, struct why_reason *reason, const struct trigger *trigger);

/* A lease under the key; NULL: none among those that were looked at. */
const struct lease *holder_of_key(const struct engine *engine, const struct key *key);

#endif
