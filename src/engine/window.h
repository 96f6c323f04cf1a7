/* window: which jobs of a place are in memory, and when to ask for more.
 *
 * A place's jobs are in the store in the order of (wake, id). Memory holds those up to an edge, and more where they are
 * needed; the store has the rest. The edge is a key and not a time, so a page that ends inside a herd is a page.
 *
 * Owns:  struct window, one for each place with jobs in memory or to be loaded; it hangs on the bucket.
 * Rules: (1) every job of the place with a wake and (wake, id) <= edge is in memory.
 *        (2) next_ms is not later than the wake of the first job behind the edge that is not in memory; TIME_NONE:
 * there is none. (3) where next_ms is set, a load is under way, a timer is armed for it, or the window waits for room.
 *        (4) when jobs_max is reached windows stop growing, but for those that have too little that is due, and what
 * lies behind an edge leaves: no place is hidden behind another's backlog, and nothing that is due behind what is not.
 */
#ifndef ENGINE_WINDOW_H
#define ENGINE_WINDOW_H

#include "engine/core.h"

/* A job comes to its place, leaves it. */
void window_join(struct engine *engine, struct job *job);
void window_leave(struct engine *engine, struct job *job);

/* Whether the job may be left to the store: its wake lies behind the edge, or memory is full and it can wait. */
bool window_is_behind(const struct engine *engine, const struct job *job);
/* It will leave memory: the window must find it again. */
void window_note_gone(struct engine *engine, struct job *job);

/* What the store says of a place at the start. */
void window_restore(struct engine *engine, const struct place_row *row);

/* A page came. Jobs that are in memory already are newer than their rows. */
void window_loaded(struct engine *engine, struct window *window, const struct rows *rows);

void window_timer(struct engine *engine, struct window *window);

void window_free_all(struct engine *engine);

/* At the end of a step: asks for what is to be loaded. */
void window_update(struct engine *engine);

#endif
