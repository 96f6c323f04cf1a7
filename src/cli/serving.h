/* serving: `belfry up` and `belfry server` from their settings to their exit code.
 */
#ifndef CLI_SERVING_H
#define CLI_SERVING_H

#include <stdbool.h>

#include "cli/process.h"

/* Runs a server, with a worker in the same process where has_worker; returns the exit code. The first line on standard
 * output is "belfry listens on URL", for scripts; it comes when the server is ready. */
int serving_run(struct process *process, bool has_worker);

#endif
