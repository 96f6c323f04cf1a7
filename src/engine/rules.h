/* rules: which rules of its time zone a job's fires follow, and what happens when the zone gets others.
 *
 * A schedule keeps the zone it was made with, until a command moves the job to the present one: so a cursor, the
 * version that it belongs to and the audit of both speak of the same rules at all times, also after a restart.
 *
 * Rules: (1) the rules that a job or a version names are in the store, from the batch on that names them.
 *        (2) a job that moves makes no past fires, decides no fire again, and loses no fire that is due.
 * See:   calendar/zone_cache.h, docs/decisions/0007-engine-rulings.md, tests/rulings/test_rules.c
 */
#ifndef ENGINE_RULES_H
#define ENGINE_RULES_H

#include "engine/core.h"

/* The hash of the rules that the job's fires follow; 0: they follow no zone. */
uint64_t rules_of(const struct job *job);

/* Puts the rules of the job into the batch, where the store has not got them yet. */
void rules_gather(struct engine *engine, const struct job *job);

/* What the store has: kept for the jobs that follow them. */
void rules_restore(struct engine *engine, const struct rows *rows);

/* Whether the zone has other rules now than the job follows. Then *ret_schedule is the one by the present rules. */
bool rules_are_former(struct engine *engine, const struct job *job, struct schedule *ret_schedule);

/* Whether the job has to wait: a fire is due that the present rules do not have. */
bool rules_must_wait(const struct engine *engine, const struct job *job, const struct schedule *schedule);

/* The job follows this schedule of the present rules from now on, as another version. Its definition is in memory. */
void rules_move(struct engine *engine, struct job *job, const struct schedule *schedule);

#endif
