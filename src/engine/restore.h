/* restore: from rows back to memory.
 *
 * Rules: (1) what is in memory is newer than any row: rows of jobs that are there are ignored.
 *        (2) every running attempt gets a fresh lease; its time-out counts from its stored start.
 */
#ifndef ENGINE_RESTORE_H
#define ENGINE_RESTORE_H

#include "engine/core.h"

/* Everything of a LOAD_START. */
enum err restore_all(struct engine *engine, const struct rows *rows, struct error *reterr) MUST_CHECK;

/* Jobs with their living triggers, of a window or of keys. A job that cannot be read is left out and counted. */
void restore_jobs(struct engine *engine, const struct rows *rows);

#endif
