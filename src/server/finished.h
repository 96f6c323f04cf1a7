/* finished: deletes the definitions of jobs that ended long ago, as somebody who calls DELETE would.
 *
 * A one-time job that has ended is history and goes by the age of history; the definition of a recurring one that was
 * completed or cancelled goes by an age of its own. What is left of a deleted job is removed by server/retention.h.
 *
 * Owns:  one read and some deletes under way. Borrows the shard and the readers; freed after both have ended.
 * Rules: (1) the engine deletes: a job that others depend on stays, counts of tenants stay right.
 *        (2) one page at a time, FINISHED_PAGE deletes at once, then not before the next tick.
 *        (3) nothing in the first minutes after a start, as in server/retention.h.
 * See:   tests/unit/server/test_finished.c
 */
#ifndef SERVER_FINISHED_H
#define SERVER_FINISHED_H

#include <stdint.h>

#include "server/readers.h"
#include "server/shard.h"

#define FINISHED_PAGE 200

struct finished;

struct finished_config {
    struct shard *shard;
    struct readers *readers;
    int64_t once_ms;      /* age at which one-time jobs go */
    int64_t recurring_ms; /* and recurring ones */
    int64_t first_ms;     /* rule 3; 0: as in retention.h */
};

struct finished *finished_new(const struct finished_config *config);
void finished_free(struct finished *finished);

/* Looks whether there is something to do; returns at once. One thread calls it, about once a second. */
void finished_tick(struct finished *finished);

/* Jobs deleted since the start. From any thread. */
uint64_t finished_count(struct finished *finished);

#endif
