/* zone_batch: `belfry zone --batch`. */
#ifndef CLI_ZONE_BATCH_H
#define CLI_ZONE_BATCH_H

#include "base/err.h"
#include "calendar/zone_cache.h"

/* Answers requests from standard input until it ends. */
enum err zone_batch(struct zone_cache *zones, struct error *reterr) MUST_CHECK;

#endif
