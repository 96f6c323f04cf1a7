/* sqlite_load: what the engine asks for, in two files: the start, and windows and keys.
 *
 * Rules: (1) all of it happens inside of one read transaction of the writer's connection.
 */
#ifndef STORE_SQLITE_SQLITE_LOAD_H
#define STORE_SQLITE_SQLITE_LOAD_H

#include "store/sqlite/sqlite_inside.h"
#include "store/sqlite/sqlite_take.h"

/* A job, if it was not taken before, and its living triggers. *ret_is_new: it is there and comes for the first time. */
enum store_outcome sqlite_load_job(struct taking *taking, uint64_t id, bool *ret_is_new);

/* LOAD_START. */
enum store_outcome sqlite_load_start(struct taking *taking, uint32_t shard);

#endif
