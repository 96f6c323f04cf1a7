/* trigger: triggers in memory that have not ended, or not started.
 *
 * Owns:  every struct trigger.
 * Rules: (1) counts of its job (living, retrying, running) move with its state, here and nowhere else.
 */
#ifndef ENGINE_TRIGGER_H
#define ENGINE_TRIGGER_H

#include "engine/core.h"

/* A PENDING one of the job's current version, in no line yet. */
struct trigger *trigger_new(struct engine *engine, struct job *job, uint64_t id, enum trigger_kind kind,
                            int64_t scheduled_ms, int64_t due_ms);

/* From a row that has not ended. Its job is in memory. */
struct trigger *trigger_install(struct engine *engine, struct job *job, const struct trigger_row *row);

/* Out of every list, and freed. Nothing is gathered. It has no lease. */
void trigger_free(struct engine *engine, struct trigger *trigger);

struct trigger *trigger_by_id(const struct engine *engine, uint64_t id);

/* All of them, each once, in no set order: begin with a zeroed walk; NULL at the end. None may come or go meanwhile. */
struct trigger_walk {
    size_t pos;
    struct job *job;
    struct list_node *next;
};
struct trigger *trigger_walk_next(const struct engine *engine, struct trigger_walk *walk);

/* The only way its state changes; asserts the table. */
void trigger_become(struct trigger *trigger, enum trigger_state state);

/* A retry stands ahead of everything else of its job. */
bool trigger_is_retry(const struct trigger *trigger);

/* Ends one that is not running: its row with the reason, what follows for its job and its dependents; frees it. */
void trigger_end(struct engine *engine, struct trigger *trigger, enum trigger_state state,
                 const struct attempt_row *last, struct str reason);

void trigger_set_payload(struct engine *engine, struct trigger *trigger, struct str payload);
/* Whether one more trigger may have a payload of its own, of so many bytes: what lives is in memory with its payload.
 */
enum err trigger_check_payload(const struct engine *engine, size_t bytes, struct error *reterr) MUST_CHECK;

#endif
