/* loop: one thread that waits for descriptors and for time.
 *
 * Owns:  the epoll set and every struct loop_source. Borrows the descriptors and the timers.
 * Rules: (1) a source that was removed is never called again, not even for an event that had already been fetched.
 *        (2) all of it belongs to one thread; others wake it through a descriptor that it watches.
 *        (3) timers are monotonic; one that is due is called once, and is unset then.
 * See:   tests/unit/worker/test_loop.c
 */
#ifndef WORKER_LOOP_H
#define WORKER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/heap.h"
#include "base/list.h"

/* events: EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP. */
typedef void loop_on_events(void *owner, uint32_t events);
typedef void loop_on_time(void *owner);

struct loop_source;

struct loop_timer {
    struct heap_node node; /* in loop.timers while set */
    int64_t due_mono_ms;
    loop_on_time *on_time;
    void *owner;
};

struct loop {
    int epoll_fd;
    struct heap timers;
    struct list sources; /* living ones */
    struct list removed; /* freed after the events at hand */
};

MUST_CHECK enum err loop_init(struct loop *ret_loop, struct error *reterr);

/* Frees what sources are left; their descriptors stay open. */
void loop_done(struct loop *loop);

/* Watches fd. NULL where the kernel refuses. */
struct loop_source *loop_add(struct loop *loop, int fd, uint32_t events, loop_on_events *on_events, void *owner);
void loop_change(struct loop *loop, struct loop_source *source, uint32_t events);

/* Before the descriptor is closed. NULL is fine. */
void loop_remove(struct loop *loop, struct loop_source *source);

void loop_timer_init(struct loop_timer *timer, loop_on_time *on_time, void *owner);

/* From now on, or anew. after_ms may be 0: called before the next wait. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t after_ms);
void loop_timer_clear(struct loop *loop, struct loop_timer *timer);
bool loop_timer_is_set(const struct loop_timer *timer);

/* Waits for the next event or timer, at most wait_ms (-1: as long as it takes), and calls what is due. */
void loop_turn(struct loop *loop, int64_t wait_ms);

#endif
