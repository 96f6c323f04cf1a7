/* exec: one program that an exec target names, from its start until nothing of it is left.
 *
 * The payload is the program's standard input, as a file in memory: a program that does not read it holds nobody up,
 * and there is no pipe to break. Standard output and standard error go into one pipe, of which the end is kept.
 *
 * Owns:  the process and its descriptors.
 * Rules: (1) on_end is called exactly once for each that was started, from the loop, never from inside exec_start; the
 *            run is freed right after it.
 *        (2) it is called when the program and all it started are gone: the group is killed, then what else belongs to
 *            the attempt (orphans.h). The leader is not waited for before that, so that its pid stays taken.
 *        (3) a stop is TERM to the whole group, and KILL after KILL_AFTER_MS.
 * See:   spawn.h, tests/worker/test_exec.py
 */
#ifndef WORKER_EXEC_H
#define WORKER_EXEC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/list.h"
#include "worker/item.h"
#include "worker/loop.h"
#include "worker/orphans.h"
#include "worker/outcome.h"

struct exec_run;

/* The outcome's result holds during the call only. */
typedef void exec_on_end(void *owner, const struct outcome *outcome);

/* What all programs of a worker share. */
struct execs {
    struct loop *loop;
    char *const *environment; /* the worker's; borrowed */
    struct str worker;        /* its id; borrowed */
    rlim_t descriptors;       /* what programs may open; 0: as the worker */
    struct list runs;
    struct orphans orphans;
    struct loop_timer reaping; /* set while there may be orphans */
};

void execs_init(struct execs *execs, struct loop *loop, char *const *environment);

/* No run is left. */
void execs_done(struct execs *execs);

/* Starts it. NULL: it could not be started, and *ret_outcome says why. The item is borrowed until the end. */
struct exec_run *exec_start(struct execs *execs, const struct item *item, exec_on_end *on_end, void *owner,
                            struct outcome *ret_outcome);

/* Rule 3; at once with is_hard. May be called again, harder. */
void exec_stop(struct exec_run *run, bool is_hard);

/* Whether the program itself has ended; what it started is being killed then. */
bool exec_has_ended(const struct exec_run *run);

#endif
