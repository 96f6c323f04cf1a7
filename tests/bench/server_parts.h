/* server_parts: what bench_server measures, and how it tells.
 *
 * Rules: (1) each part has a server and a folder of its own.
 *        (2) no part fails because of time; what the server answers with an error ends the program.
 * See:   bench_server.c
 */
#ifndef TESTS_BENCH_SERVER_PARTS_H
#define TESTS_BENCH_SERVER_PARTS_H

#include "server_client.h"
#include "server_process.h"

struct bench {
    char binary[PATH_MAX / 2];
    char below[PATH_MAX / 2]; /* where data folders are made */
    double seconds;           /* of each measurement that has no length of its own */
    size_t times;             /* that what happens once is made to happen */
    const char *store;        /* of the servers; NULL: SQLite */
};

/* A server that a part talks to, and what it has used since run_mark. */
struct run {
    const struct bench *bench;
    struct served served;
    struct http_client *client;
    struct usage server_from, own_from;
};

void run_start(struct run *run, const struct bench *bench);
void run_stop(struct run *run);

/* From here on is measured. */
void run_mark(struct run *run);

/* Since run_mark. */
double run_wall_s(const struct run *run);

/* Returns when nothing has come in for a while: everybody waits. */
void run_settle(const struct run *run);

/* A line: the figure, the goal it meets or misses, and what it cost. count: how many things were done, for the cost of
 * one (0: does not make sense here). */
enum goal { GOAL_AT_LEAST, GOAL_AT_MOST };
void run_tell(const struct run *run, const char *what, double figure, const char *unit, enum goal kind, double goal,
              double count);

/* ---- samples ---- */

struct samples {
    double *ms;
    size_t count, room;
};

void samples_add(struct samples *samples, double ms);
/* Of 0 to 1; 1 is the largest. Sorts them. */
double samples_at(struct samples *samples, double portion);
void samples_done(struct samples *samples);

/* Wall time with more than milliseconds: made of both clocks once, then of the monotonic one. */
double precise_wall_ms(void);

/* Milliseconds from an attempt's scheduled_for to now. */
double attempt_lag_ms(struct str attempt);

/* ---- measurements ---- */

/* Jobs are created, claimed and finished in batches, over the run's client. Tells of it. */
struct lives_plan {
    const char *name;
    size_t batch;
    double goal;
    double goal_worst; /* 0: none */
};
void measure_lives(struct run *run, const struct lives_plan *plan);

/* So many jobs are due at one instant, beside another tenant: a server of its own. Tells of it. */
void measure_herd(const struct bench *bench, size_t count, double goal_s);

/* So many jobs that fire every second, the first ones spread over the second that begins at from_ms. more: fields of
 * each, with a comma behind them; or "". */
void create_recurring(struct http_client *client, const char *tenant, size_t count, int64_t from_ms, const char *more);

/* From sending a create to having its grant, one after the other, with so many workers waiting. Tells of it. */
void measure_pickups(struct run *run, size_t worker_count, const char *name);

/* ---- the parts of bench_server ---- */

void part_lifecycle(const struct bench *bench);
void part_create(const struct bench *bench);
void part_bulk(const struct bench *bench);
void part_pickup(const struct bench *bench);
void part_lag(const struct bench *bench);
void part_herd(const struct bench *bench);
void part_waiting(const struct bench *bench);
void part_restart(const struct bench *bench);

#endif
