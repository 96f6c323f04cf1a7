/* orphans: what a program leaves behind when it ends.
 *
 * The process is a child subreaper: whoever loses its parent below it becomes its child, however it forked and whatever
 * session it made. So what a finished program left is found among our own children, and not by walking the whole
 * system.
 *
 * Rules: (1) in a process with a worker nobody else starts or waits for children; a process has one worker.
 *        (2) an orphan belongs to an attempt if it is in its session, or has its BELFRY_ATTEMPT in the environment.
 *            One that has neither any more is not killed; it is waited for like all others, so that no zombie stays.
 * See:   exec.h, tests/worker/test_exec.py
 */
#ifndef WORKER_ORPHANS_H
#define WORKER_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* Whether a pid is a program that somebody here still waits for: those are let be. */
typedef bool orphans_is_known(const void *owner, pid_t pid);

struct orphans {
    orphans_is_known *is_known;
    const void *owner;
};

/* Makes the process a subreaper. */
MUST_CHECK enum err orphans_adopt(struct error *reterr);

/* Waits for those that have ended. Returns how many are left, whoever they belong to. */
size_t orphans_reap(const struct orphans *orphans);

/* The same, and kills those of the session or the attempt. Returns how many of these were still there; they may leave
 * orphans of their own, so ask again until none is. *ret_unsure is the number of those who could not be told yet, and
 * may be in a moment. */
size_t orphans_kill(const struct orphans *orphans, pid_t session, struct str attempt, size_t *ret_unsure);

#endif
