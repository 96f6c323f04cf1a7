/* next_batch: `belfry next --batch`. */
#ifndef CLI_NEXT_BATCH_H
#define CLI_NEXT_BATCH_H

#include "base/err.h"
#include "calendar/zone_cache.h"

/* Answers requests from standard input until it ends. */
enum err next_batch(struct zone_cache *zones, struct error *reterr) MUST_CHECK;

#endif
