/* worker_internal: what worker.c and exchange.c share. */
#ifndef ENGINE_WORKER_INTERNAL_H
#define ENGINE_WORKER_INTERNAL_H

#include "engine/answer.h"
#include "engine/core.h"

struct worker *worker_find(const struct engine *engine, struct str id);
/* Found or made, and heard of just now. */
struct worker *worker_get(struct engine *engine, struct str id);
void worker_set_pools(struct engine *engine, struct worker *worker, const struct exchange *exchange);
/* What it says of itself for people: name and capacity. */
void worker_set_words(struct worker *worker, const struct exchange *exchange);

void worker_begin_wait(struct engine *engine, struct worker *worker, const struct exchange *exchange, int64_t wait_ms);
void worker_stop_waiting(struct engine *engine, struct worker *worker);

/* Up to want new attempts into the answer; how many. */
size_t worker_fill(struct engine *engine, struct worker *worker, struct answer *answer, size_t want);

#endif
