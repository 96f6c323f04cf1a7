/* answer: the answer to a worker's exchange, while it is put together.
 *
 * Owns:  nothing; lists grow in the engine's scratch memory and are copied into the batch when it is sent.
 */
#ifndef ENGINE_ANSWER_H
#define ENGINE_ANSWER_H

#include "engine/core.h"

struct answer {
    struct arena *arena;
    struct lease **leases; /* to be granted */
    size_t lease_count, lease_cap;
    struct refused *refused;
    size_t refused_count, refused_cap;
    struct attempt_ref *cancel;
    size_t cancel_count, cancel_cap;
};

void answer_init(struct engine *engine, struct answer *answer);
void answer_grant(struct answer *answer, struct lease *lease);
void answer_refuse(struct answer *answer, struct attempt_ref attempt, enum refusal reason);
void answer_cancel(struct answer *answer, struct attempt_ref attempt);
bool answer_is_empty(const struct answer *answer);

/* Gathers the reply. */
void answer_send(struct engine *engine, const struct answer *answer, uint64_t token);

#endif
