/* coming: what of the store is to wake soon, within bounds, for those who look ahead.
 *
 * Rules: (1) what is read does not grow with the number of jobs: places with few leave their share to those with many.
 *        (2) no read begins two seconds after begun_mono_ms: a slow store does not hold the reader.
 *        (3) reads that only make the picture finer may fail: what was read before them stays.
 * See:   store/store.h (QUERY_STEPS, QUERY_WAKING), forecast/upcoming.h, tests/unit/api/test_coming.c
 */
#ifndef API_COMING_H
#define API_COMING_H

#include "store/store.h"

struct coming {
    int64_t now_ms, to_ms, step_ms;
    int64_t wakes_max; /* entries of the index to count */
    int64_t jobs_max;  /* jobs to read */
    int64_t begun_mono_ms;
};

struct coming_rows {
    struct rows wakes; /* steps: what wakes in (now, to), counted by place and step */
    struct rows jobs;  /* the first of these */
    struct rows
        overdue; /* jobs whose time has come and that nobody took yet; or that run, and are still to be written */
};

void coming_init(struct coming_rows *rows);
/* Also right for SCOPE. */
void coming_done(struct coming_rows *rows);

/* STORE_AGAIN: it takes too long, however little is asked for. */
enum store_outcome coming_read(struct store_reader *reader, const struct coming *coming, struct coming_rows *rows,
                               struct error *reterr);

#endif
