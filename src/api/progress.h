/* progress: how far attempts are, as their workers last said.
 *
 * For people who look, and for nobody else: it is in memory alone, and a restart forgets it.
 *
 * Owns:  its notes. Safe from every thread.
 * Rules: (1) one note for a trigger, of its newest attempt that was spoken of; at most PROGRESS_MAX, beyond which the
 * one that was silent the longest goes. (2) a note goes when its attempt has ended and that is durable
 * (progress_committed). See:   docs/openapi.yaml (Progress, WorkProgress), tests/unit/api/test_progress.c
 */
#ifndef API_PROGRESS_H
#define API_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/batch.h"
#include "wire/trigger.h"

/* About 30 MB at most. */
#define PROGRESS_MAX 100000
#define PROGRESS_NOTE_BYTES_MAX 200

struct progress;

struct progress *progress_new(uint64_t seed);
void progress_free(struct progress *progress);

/* A longer note is cut between two characters; of an older attempt than the one that is known nothing is kept. */
void progress_put(struct progress *progress, uint64_t trigger, uint32_t number, const struct wire_progress *said);

/* False where nothing was said of this attempt. The note is a copy in the arena. */
bool progress_find(struct progress *progress, uint64_t trigger, uint32_t number, struct arena *arena,
                   struct wire_progress *ret_said);

/* A batch is durable: what ended with it is forgotten. */
void progress_committed(struct progress *progress, const struct batch *batch);

size_t progress_count(struct progress *progress);

#endif
