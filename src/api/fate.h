/* fate: what became of the fire of a job at a nominal time: read from its triggers, its skips and its versions.
 *
 * Owns:  the rows it has read; fate_done ends them, also where reading failed.
 * Rules: (1) on a reader's thread alone (api_read).
 *        (2) what is read does not grow with the history: the triggers of that one time, one skip, some versions.
 * See:   wire/fate.h, store/store.h (QUERY_FIRE), tests/api/test_why.py
 */
#ifndef API_FATE_H
#define API_FATE_H

#include "api/running.h"
#include "api/scheduled.h"
#include "wire/fate.h"

struct fate {
    struct rows triggers, skips, versions, instead;
    struct trigger_row claimed; /* a trigger that runs and has no row */
    struct scheduled scheduled; /* of the version that was looked at */
    struct wire_fate told;
};

void fate_init(struct fate *fate);
/* Also right for SCOPE. */
void fate_done(struct fate *fate);

/* An instant, or a local time without an offset ("2026-11-15T09:00") in the job's time zone. */
MUST_CHECK enum err fate_parse_at(struct str text, const struct job_row *job, struct zone_cache *zones,
                                  struct arena *arena, int64_t *ret_at_ms, struct error *reterr);

/* Fills told, for at_ms. The job's row is as running_settle left it. False: answered. */
bool fate_read(struct api_request *request, struct store_reader *reader, const struct running *running,
               const struct job_row *job, int64_t at_ms, struct fate *fate);

#endif
