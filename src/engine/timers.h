/* timers: arming and stopping, and the time the engine believes.
 *
 * Rules: (1) engine time never goes back, and does not follow a forward step of the wall clock that the monotonic clock
 *            did not see, beyond ENGINE_CLOCK_JUMP_MS, until it is accepted.
 *        (2) a timer is in one wheel at most, or in the list of those due now.
 */
#ifndef ENGINE_TIMERS_H
#define ENGINE_TIMERS_H

#include "engine/core.h"

void timer_init(struct timer *timer, enum timer_kind kind);

static inline enum timer_kind timer_kind_of(const struct timer *timer)
{
    return (enum timer_kind)timer->node.tag;
}

bool timer_armed(const struct timer *timer);
void timer_arm_wall(struct engine *engine, struct timer *timer, int64_t due_ms);
void timer_arm_mono(struct engine *engine, struct timer *timer, int64_t due_mono_ms);
/* Also one that is due and waits for its turn in this step. */
void timer_stop(struct engine *engine, struct timer *timer);

/* The clocks of a new engine. */
void timers_begin(struct engine *engine, struct moment at);

/* Takes the clocks in, and moves what is due by now to the end of due. */
void timers_advance(struct engine *engine, struct moment at, struct list *due);

/* Believes the wall clock as it is. */
void timers_accept_clock(struct engine *engine);

/* When the next step is needed at the latest, in monotonic time. */
int64_t timers_next_mono_ms(const struct engine *engine);

/* Wall time of a monotonic instant near now, and back. */
int64_t wall_of_mono(const struct engine *engine, int64_t mono_ms);
int64_t mono_of_wall(const struct engine *engine, int64_t wall_ms);

#endif
