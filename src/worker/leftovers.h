/* leftovers: what the programs of a worker that was killed have left running.
 *
 * A program dies with its worker (spawn.h), but what it started itself does not: it goes on as an orphan of somebody
 * else's. Before the same job is executed again, those are to be gone.
 *
 * Rules: (1) a process belongs to a worker if its environment says so (BELFRY_WORKER, child_env.h). One that has
 *            cleared its environment, or belongs to another user, is not found.
 *        (2) only for a worker that is known to be dead: this would kill what a living one runs.
 * See:   orphans.h (while the worker lives), tests/unit/worker/test_leftovers.c, tests/server/test_survive.py
 */
#ifndef WORKER_LEFTOVERS_H
#define WORKER_LEFTOVERS_H

#include <stddef.h>

#include "base/str.h"

/* Kills them and waits until they are gone, for a second or two at most. Returns how many there were. */
size_t leftovers_kill(struct str worker);

#endif
