/* line: what of a job may stand in the ready queue.
 *
 * Unless overlap is allow, one thing of a job runs at a time, so only one of its entries stands in the ready queue: its
 * front. The others that are due wait in its line. Under allow every entry goes straight to the ready queue.
 *
 * Rules: (1) a retry stands before everything else; the rest in the order of (due, id).
 *        (2) nothing of a job stands in the ready queue while a trigger of it runs (unless allow); under queue also not
 *            while a trigger that has begun has not ended, but for that trigger itself.
 *        (3) entries of a job that is paused or cancelled are idle; the fire of one that is not active too.
 *        (4) a due entry has its expiry timer armed if its job's fires expire (triggers: before their first start
 * only).
 */
#ifndef ENGINE_LINE_H
#define ENGINE_LINE_H

#include "engine/core.h"

struct trigger *entry_trigger(struct entry *entry);
struct job *entry_job(struct entry *entry);
struct ready_bucket *entry_bucket(struct entry *entry);
uint64_t entry_id(const struct entry *entry);

/* Out of wherever it stands. */
void entry_park(struct engine *engine, struct entry *entry);

/* Puts a trigger's entry where it belongs: its timer, the line, the ready queue. Not for running or waiting ones. */
void entry_set_trigger(struct engine *engine, struct trigger *trigger);

/* Its timer: due, or expired. */
void entry_timer(struct engine *engine, struct trigger *trigger);

/* A fire that is due and not to be skipped. */
void entry_set_due(struct engine *engine, struct entry *entry);

/* Into the ready queue, from a gate that let it go. */
void entry_to_ready(struct engine *engine, struct entry *entry);

/* The front follows the rules again, after something of the job changed. */
void line_update(struct engine *engine, struct job *job);

/* Everything of the job anew: after a pause, a resume, an edit. */
void line_rebuild(struct engine *engine, struct job *job);

/* Whether a stands before b in the line. */
bool entry_before(const struct entry *a, const struct entry *b);

#endif
