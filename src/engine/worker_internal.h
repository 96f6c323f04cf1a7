/* worker_internal: what worker.c and exchange.c share. */
#ifndef ENGINE_WORKER_INTERNAL_H
#define ENGINE_WORKER_INTERNAL_H

#include "engine/answer.h"
#include "engine/core.h"

struct worker *worker_find(const struct engine *engine, struct str id);
/* Found or made, and heard of just now. */
struct worker *worker_get(struct engine *engine, struct str id);
/* Whether it has said goodbye. One that is heard of again has not. */
void worker_set_gone(struct engine *engine, struct worker *worker, bool is_gone);
/* It holds nothing and does not wait. */
void worker_forget(struct engine *engine, struct worker *worker);
/* Forgets workers that are about nothing until the one of the exchange has room, or none is left (worker_room.c).
 * False: it is a new one and has none. */
bool worker_make_room(struct engine *engine, const struct exchange *exchange);
void worker_set_pools(struct engine *engine, struct worker *worker, const struct exchange *exchange);
/* What it says of itself for people: name and capacity. */
void worker_set_words(struct worker *worker, const struct exchange *exchange);

void worker_begin_wait(struct engine *engine, struct worker *worker, const struct exchange *exchange, int64_t wait_ms);
void worker_stop_waiting(struct engine *engine, struct worker *worker);

/* Up to want new attempts into the answer; how many. */
size_t worker_fill(struct engine *engine, struct worker *worker, struct answer *answer, size_t want);

#endif
