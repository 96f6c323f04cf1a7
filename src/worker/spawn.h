/* spawn: a program, started without a shell.
 *
 * vfork and exec: the memory of a large server is not copied, and other threads go on. The child is a session and a
 * process group of its own, has only the three descriptors that it is given, no blocked or ignored signals, and dies
 * with the thread that started it.
 *
 * Rules: (1) every signal is blocked in the calling thread, or a handler could run in the child on our memory.
 *        (2) the child is ours until it is waited for: until then its pid names it, its group and its session, and
 *            nobody else.
 * See:   exec.h, tests/unit/worker/test_spawn.c
 */
#ifndef WORKER_SPAWN_H
#define WORKER_SPAWN_H

#include <sys/resource.h>
#include <sys/types.h>

#include "worker/outcome.h"

struct spawn_order {
    const char *program; /* a path */
    char *const *argv;   /* NULL-terminated */
    char *const *env;    /* NULL-terminated */
    const char *cwd;     /* NULL: the worker's */
    rlim_t descriptors;  /* its soft limit of open descriptors; 0: the worker's */
    int stdin_fd;        /* borrowed */
    int output_fd;       /* borrowed: standard output and standard error */
};

struct spawned {
    pid_t pid;
    int pidfd; /* the caller's to close */
};

/* Returns false and says in *ret_outcome why there is no child. */
bool spawn_start(const struct spawn_order *order, struct spawned *ret_spawned, struct outcome *ret_outcome);

/* Where word is: itself where it has a slash in it, else the first executable file of that name in a folder of path.
 * NULL where there is none; freed by mem_free. Relative folders are passed over: they would depend on who starts us. */
char *spawn_find(const char *word, const char *path);

#endif
