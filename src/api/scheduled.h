/* scheduled: a stored job's schedule: what of it is due, and what comes.
 *
 * See: model/schedule.h, wire/fires.h
 */
#ifndef API_SCHEDULED_H
#define API_SCHEDULED_H

#include "api/request.h"
#include "model/job_def.h"
#include "model/record.h"

struct scheduled {
    struct job_def def;
    struct schedule schedule;
    const struct zone *zone; /* of local times */
    bool has_schedule;       /* false: it waits for others */
};

/* Texts live in the arena. */
MUST_CHECK enum err scheduled_read(const struct job_row *row, struct zone_cache *zones, struct arena *arena,
                                   struct scheduled *ret_scheduled, struct error *reterr);

/* What H is spread by: the job's id, as the engine has it. */
struct str scheduled_seed(const struct job_row *row, struct arena *arena);

/* Fires that are due by now_ms and not decided: from the cursor to the last one, counted up to max; 0: none. */
int64_t scheduled_due(const struct scheduled *scheduled, const struct job_row *row, int64_t now_ms, int64_t max,
                      int64_t *ret_to_ms);

/* The next fires from the cursor on, at most max; how many. */
size_t scheduled_next(const struct scheduled *scheduled, const struct job_row *row, int64_t *ret_fires_ms, size_t max);

#endif
