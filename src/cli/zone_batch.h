/* zone_batch: `belfry zone --batch`. */
#ifndef CLI_ZONE_BATCH_H
#define CLI_ZONE_BATCH_H

#include "cli/lines.h"

/* Answers one line; the context is a zone cache. */
lines_answer zone_batch_answer;

#endif
