/* running: the living claims of the store, found by job and by trigger.
 *
 * A trigger's row never says that it runs (model/record.h, rule 1), and its first attempt runs before it has a row. So
 * who lists triggers reads the claims first, then the rows: what ended in between is seen as ended.
 *
 * Owns:  the rows of the claims.
 * Rules: (1) read before the rows of the triggers.
 * See:   model/record.h (rule 2: which claims live)
 */
#ifndef API_RUNNING_H
#define API_RUNNING_H

#include "api/request.h"
#include "base/idmap.h"

struct running {
    struct rows rows;
    struct idmap by_trigger; /* const struct claim: of each trigger the one with the highest number */
    struct idmap by_job;     /* const struct claim: of each job the one with the highest trigger */
};

void running_init(struct running *running);
/* Also right for SCOPE. */
void running_done(struct running *running);

/* False: answered. */
bool running_read(struct api_request *request, struct store_reader *reader, struct running *running);

/* The claim by which a trigger runs; NULL. row is NULL where it has none; then job says whether it lives, which is NULL
 * where there is no such job any more. */
const struct claim *running_of(const struct running *running, uint64_t trigger, const struct trigger_row *row,
                               const struct job_row *job);

/* The claim of a job's newest trigger that runs, as far as its row may tell; NULL. */
const struct claim *running_newest_of(const struct running *running, const struct job_row *job);

/* A one-time job's row is not written when it is claimed, so its cursor still stands there: takes it away, since that
 * fire is decided. */
void running_settle(const struct running *running, struct job_row *job);

/* All claims of a job whose triggers lie below before_id (0: all), by trigger downwards; how many. Whether they live
 * is asked by running_of. */
size_t running_list(const struct running *running, uint64_t job, uint64_t before_id, struct arena *arena,
                    const struct claim ***ret_claims);

#endif
