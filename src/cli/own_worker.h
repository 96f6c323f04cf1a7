/* own_worker: a worker as the settings say, for `belfry up` and `belfry worker`.
 */
#ifndef CLI_OWN_WORKER_H
#define CLI_OWN_WORKER_H

#include "server/config.h"
#include "worker/worker.h"

/* token may be ""; id is for worker_config. */
enum err own_worker_start(const struct config *config, const char *url, const char *token, const char *id,
                          struct worker **ret_worker, struct error *reterr) MUST_CHECK;

#endif
