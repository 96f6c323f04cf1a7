/* history: what a job's row does not say and its triggers do: when it last fired, how that ended, how many there are.
 *
 * Rules: (1) on a reader's thread alone (api_read); functions that return false have answered with a problem.
 *        (2) what runs was read before (running.h, rule 1).
 *        (3) what is read does not grow with the history: states of the newest 10,000 triggers, and whole rows only of
 *            those that run and of the newest, up to the first that has ended.
 * See:   api/show.h, api/jobs_read.c, store/store.h (QUERY_COUNTS)
 */
#ifndef API_HISTORY_H
#define API_HISTORY_H

#include "api/running.h"
#include "wire/job.h"

/* last_fired_ms and last_ended, which is looked for among so many of its newest triggers and stands in rows then. */
bool history_last(struct api_request *request, struct store_reader *reader, const struct running *running, size_t among,
                  struct wire_job *job, struct rows *rows);

/* counts. */
bool history_counts(struct api_request *request, struct store_reader *reader, const struct running *running,
                    struct wire_job *job);

#endif
