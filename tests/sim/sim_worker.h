/* sim_worker: a process that pulls work, holds it, and reports how it ended; as bad at it as the seed allows.
 *
 * Owns:  what it holds and what it has yet to report. One exchange is out at a time; a newer one ends the older.
 * Rules: (1) an attempt that it has seen is not begun again.
 *        (2) a report is sent until an answer came back.
 *        (3) healed workers serve every pool, finish everything soon, and do as they are told; the first takes every
 *            kind of target.
 */
#ifndef TESTS_SIM_SIM_WORKER_H
#define TESTS_SIM_SIM_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_net.h"
#include "world.h"

#define WORKER_ID_BYTES 32
/* Attempts remembered to have been seen, and reports to have been sent. */
#define WORKER_SEEN_MAX 256
#define WORKER_TOLD_MAX 32

enum work_end { END_SUCCESS, END_FAILURE, END_FAILURE_FOR_GOOD, END_RELEASE, END_NEVER };

/* An attempt that it holds. */
struct work {
    struct attempt_ref ref;
    enum work_end end;
    int64_t ends_ms; /* true time; INT64_MAX: never */
    int64_t lease_ms;
    bool is_ended; /* to be reported */
    bool is_sent;  /* in the exchange that is out */
};

struct sim_worker {
    struct world *world;
    unsigned index;
    unsigned life; /* how many times it was born */
    struct rng rng;
    char id[WORKER_ID_BYTES];
    int64_t seq;
    bool has_seq;
    unsigned pools;   /* bits */
    unsigned targets; /* bits 1 << enum job_target, as it says in its exchanges; 0: any. For life, until it is healed */
    bool is_dead;
    int64_t asleep_until_ms;
    struct work *works;
    unsigned work_count;
    struct sim_request *request; /* that is out; NULL */
    int64_t sent_ms;             /* when the last exchange was sent */
    struct sim_timer timer;      /* the next thing to do */
    struct sim_timer patience;   /* how long to wait for an answer */
    struct attempt_ref seen[WORKER_SEEN_MAX];
    unsigned seen_count;
    struct report told[WORKER_TOLD_MAX];
    unsigned told_count;
};

void sim_worker_init(struct sim_worker *worker, struct world *world, unsigned index);
void sim_worker_done(struct sim_worker *worker);

/* It is gone with all it held; somebody like it comes after a while. */
void sim_worker_die(struct sim_worker *worker, int64_t for_ms);

/* It does nothing for a while, then goes on where it was. */
void sim_worker_sleep(struct sim_worker *worker, int64_t for_ms);

void sim_worker_heal(struct sim_worker *worker);

/* ---- between sim_worker.c and sim_work.c ---- */

#define WORKS_MAX 128

/* Takes a grant: draws how it will end and when. */
void work_begin(struct sim_worker *worker, const struct grant *grant);
void work_forget(struct sim_worker *worker, unsigned index);
struct work *work_find(struct sim_worker *worker, struct attempt_ref ref);

/* Marks what has ended by now. */
void work_advance(struct sim_worker *worker);

/* When the next one ends, or must be renewed; INT64_MAX. */
int64_t work_next_ms(const struct sim_worker *worker);

/* The exchange that it would send now. */
struct sim_message *work_message(struct sim_worker *worker);

#endif
