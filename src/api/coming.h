/* coming: what of the store is to wake soon, within bounds, for those who look ahead.
 *
 * Rules: (1) on a reader's thread alone (api_read); functions that return false have answered with a problem.
 *        (2) what is read does not grow with the number of jobs: places with few leave their share to those with many.
 * See:   store/store.h (QUERY_STEPS, QUERY_WAKING), forecast/upcoming.h
 */
#ifndef API_COMING_H
#define API_COMING_H

#include "api/request.h"

struct coming {
    int64_t now_ms, to_ms, step_ms;
    int64_t wakes_max; /* entries of the index to count */
    int64_t jobs_max;  /* jobs to read */
};

/* Counts what wakes in (now, to) by place and step, into rows, which the caller has initialised. */
bool coming_wakes(struct api_request *request, struct store_reader *reader, const struct coming *coming,
                  struct rows *rows);

/* The first of these, as jobs. */
bool coming_jobs(struct api_request *request, struct store_reader *reader, const struct coming *coming,
                 const struct rows *wakes, struct rows *rows);

/* Jobs whose time has come and that nobody took yet; or that run, and are still to be written. */
bool coming_overdue(struct api_request *request, struct store_reader *reader, const struct coming *coming,
                    struct rows *rows);

#endif
