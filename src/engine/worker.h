/* worker: who pulls work, what they hold, and who waits for more.
 *
 * Owns:  struct worker, its wait, and the pools somebody has asked for.
 * Rules: (1) reports come first, then what is held, then new work.
 *        (2) an exchange has one answer. It waits only while it has nothing to say: no work, nothing refused, nothing
 * to stop. (3) a worker waits in every pool it named, or in none; pools, and in each of them the kinds of targets it
 * takes, are served in rotation. (4) an attempt that its worker does not name is sent again, under a later exchange
 * than the one that granted it.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include "engine/core.h"

void worker_exchange(struct engine *engine, const struct exchange *exchange);
/* The same, when what it names and memory lacks has been read. */
void worker_exchange_run(struct engine *engine, const struct exchange *exchange, const struct rows *rows);

/* Nobody waits for the answer any more. */
void worker_gone(struct engine *engine, uint64_t token);

void worker_wait_over(struct engine *engine, struct worker *worker);
void worker_idle(struct engine *engine, struct worker *worker);

/* The lease is this worker's. */
void worker_take(struct engine *engine, struct worker *worker, struct lease *lease);

/* Its worker is to stop it: an exchange that waits is answered with that. Call it while the lease still is. */
void worker_tell(struct engine *engine, const struct lease *lease);

/* The lease ended unrenewed: its worker counts as silent, once until it is heard of again. */
void worker_missed(struct engine *engine, const struct lease *lease);

/* Gives what has become ready to those who wait. */
void worker_dispatch(struct engine *engine);

/* Everybody who waits is answered. */
void workers_end_waits(struct engine *engine);

/* Who there is for a pool and a kind of targets. */
struct worker_room {
    int64_t workers;        /* that serve the pool and are not silent */
    int64_t taking;         /* of them: that take this kind of targets */
    int64_t held, capacity; /* of the latter: what they have, of what they can have */
    bool is_asked;          /* one of the latter waits for work */
};
struct worker_room worker_look(const struct engine *engine, struct str pool, enum job_target target);

void worker_free_all(struct engine *engine);

#endif
