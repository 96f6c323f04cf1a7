/* show: what goes into engines and comes out of them: into the digest, the marks, and the trace if there is one.
 */
#ifndef TESTS_SIM_SHOW_H
#define TESTS_SIM_SHOW_H

#include "engine/engine.h"
#include "world.h"

void show_event(struct world *world, unsigned node, const struct event *event);
void show_load(struct world *world, unsigned node, const struct load *load);
void show_reply(struct world *world, unsigned node, const struct reply *reply);

/* A batch that became durable. */
void show_batch(struct world *world, const struct batch *batch);

/* Texts for traces; each call has a room of its own until eight more calls. */
const char *show_instant(int64_t ms);
const char *show_id(uint64_t id);

const char *show_command_kind(enum command_kind kind);

#endif
