/* child_env: the environment and the arguments of a program that an exec target names.
 *
 * Owns:  the texts and the vector; freed by child_texts_free.
 * Never: reads the process's environment by itself; who calls hands it in.
 * Rules: (1) of the worker's variables only the harmless ones are passed on (PATH, HOME, LANG ...): a token in the
 *            worker's environment is not a job's business.
 *        (2) the target's variables replace those, and TRACEPARENT; BELFRY_* are ours and replace all.
 *        (3) PATH is always there.
 * See:   tests/unit/worker/test_child_env.c
 */
#ifndef WORKER_CHILD_ENV_H
#define WORKER_CHILD_ENV_H

#include "base/json.h"
#include "base/str.h"
#include "worker/item.h"

/* NULL-terminated, "NAME=value" each. environment is the worker's, NULL-terminated; worker is its id. */
char **child_env_new(char *const environment[], struct str worker, const struct item *item);
/* The words of the target; NULL where there are none, or one is no text. */
char **child_argv_new(const struct item *item);

/* Either of them; NULL is fine. */
void child_texts_free(char **texts);

/* The value of a variable of env; NULL where there is none. */
const char *child_env_find(char *const env[], const char *name);

#endif
