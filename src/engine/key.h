/* key: concurrency keys, across the jobs of a tenant.
 *
 * Owns:  struct key and its groups. A key lives while a job has it or an attempt runs under it.
 * Rules: (1) an entry starts only while running < its own job's maximum.
 *        (2) what is refused waits in a group of its bucket and maximum, in the order of the line; when there is room
 * one of each group is let go, and the next when that one has started or is gone.
 */
#ifndef ENGINE_KEY_H
#define ENGINE_KEY_H

#include "engine/core.h"

struct key *key_get(struct engine *engine, struct str tenant, struct str name);
void key_put(struct engine *engine, struct key *key);
struct str key_name(const struct key *key);

/* At a pick: true if the entry may start; else it waits here and is out of the ready queue. */
bool key_admits(struct engine *engine, struct entry *entry);

/* An attempt under the key begins, ends. */
void key_started(struct key *key);
void key_ended(struct engine *engine, struct key *key);

/* The entry leaves its group; one that had been let go hands its chance on. */
void key_forget(struct engine *engine, struct entry *entry);
void key_handed_back(struct engine *engine, struct entry *entry);

bool key_valid(const struct key *key);

#endif
