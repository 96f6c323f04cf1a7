/* deps_graph: who depends on whom. For deps.c and deps_check.c.
 */
#ifndef ENGINE_DEPS_GRAPH_H
#define ENGINE_DEPS_GRAPH_H

#include "engine/core.h"

struct graph_node *graph_get(struct job *job);
/* The edge by which job depends on upstream; NULL. */
struct upstream *graph_edge(struct job *job, const struct job *upstream);
/* Whether to is from, or downstream of it. */
bool graph_reaches(struct engine *engine, struct job *from, const struct job *to);
void graph_drop_ups(struct engine *engine, struct job *job, bool is_gathered);
/* A one-time job, or one that follows such jobs. */
bool graph_is_once(const struct job *job);
void graph_free(struct job *job);

#endif
