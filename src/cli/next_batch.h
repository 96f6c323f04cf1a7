/* next_batch: `belfry next --batch`. */
#ifndef CLI_NEXT_BATCH_H
#define CLI_NEXT_BATCH_H

#include "cli/lines.h"

/* Answers one line; the context is a zone cache. */
lines_answer next_batch_answer;

#endif
