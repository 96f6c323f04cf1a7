/* circuit: the breaker of a job that has no type.
 *
 * Made at its first counted failure, so that jobs that never fail have none.
 *
 * Owns:  struct circuit.
 * Rules: (1) entries that it refuses wait in it; when it opens one is let go, and the next when that one has started or
 * gone. (2) it is stored while it is not closed; a job stays in memory while its circuit is not closed, and for the
 * length of its window after a failure.
 */
#ifndef ENGINE_CIRCUIT_H
#define ENGINE_CIRCUIT_H

#include "engine/core.h"

bool circuit_admits(struct engine *engine, struct entry *entry);
/* Returns the circuit if the start is a probe of it, else NULL. */
struct circuit *circuit_started(const struct engine *engine, struct job *job);
void circuit_ended(struct engine *engine, struct job *job, enum ready_outcome outcome, bool is_probe);
/* An entry that had been let go has gone: the next. */
void circuit_open_again(struct engine *engine, struct circuit *circuit);
void circuit_timer(struct engine *engine, struct circuit *circuit);
void circuit_forget(struct engine *engine, struct entry *entry);
void circuit_free(struct engine *engine, struct job *job);
/* Breakers that were switched off are closed, and hold nothing. */
void circuit_settings_changed(struct engine *engine);
bool circuit_keeps(const struct job *job);
void circuit_restore(struct engine *engine, struct job *job, const struct circuit_row *row);

#endif
