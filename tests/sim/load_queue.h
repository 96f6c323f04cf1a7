/* load_queue: loads that an engine asked for, in order, until they are answered.
 *
 * Owns:  copies of them: what an engine asks for is gone with its next step.
 */
#ifndef TESTS_SIM_LOAD_QUEUE_H
#define TESTS_SIM_LOAD_QUEUE_H

#include "base/arena.h"
#include "model/load.h"

struct queued_load {
    struct queued_load *next;
    struct arena arena;
    struct load load;
};

/* Zeroed: empty. */
struct load_queue {
    struct queued_load *first, *last;
};

void load_queue_push(struct load_queue *queue, const struct load *load);

/* There is one. */
void load_queue_pop(struct load_queue *queue);

void load_queue_done(struct load_queue *queue);

#endif
