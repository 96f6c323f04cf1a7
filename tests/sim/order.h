/* order: whether an answer's work comes in the order of priorities.
 *
 * What one answer grants anew was ready at one moment and was picked one after another. So among those that nothing but
 * their bucket's gates could hold, no one starts before one of a smaller priority number in the same lane.
 */
#ifndef TESTS_SIM_ORDER_H
#define TESTS_SIM_ORDER_H

#include "engine/engine.h"
#include "world.h"

/* batch is the one that the reply waited for: attempts that it does not claim are sent again, and in no order. */
void order_check(struct world *world, const struct outbox *outbox, const struct reply *reply);

#endif
