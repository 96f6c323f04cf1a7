/* worker: what a worker holds, and who may touch it.
 *
 * The thread of belfry_worker_run talks with the server (talk.c); the handlers' threads run what is queued (worker.c).
 * They meet in the table of works.
 *
 *     FREE ──new──▶ QUEUED ──a thread takes it──▶ RUNNING ──handler returns──▶ ENDED ──acknowledged──▶ FREE
 *                     └── the worker stops: released ─────────────────────────▶┘
 *
 * Owns:  every struct work and its text.
 * Rules: (1) all of it is under lock, except what never changes after belfry_worker_new, is_stopping and wake_fd.
 *        (2) every exchange names what is QUEUED or RUNNING as held, and reports what is ENDED, until an exchange that
 *            reported it is answered.
 *        (3) a serial names a work for ever; places in the table are used again.
 *        (4) an id that has been taken once is not taken again.
 */
#ifndef BELFRY_WORKER_H
#define BELFRY_WORKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "belfry.h"
#include "json.h"

#define ROUTES_MAX 256
/* Ids that are remembered: many times what can still be on its way. */
#define SEEN_MAX 4096
#define WORK_STRINGS_MAX 11

enum work_state { WORK_FREE, WORK_QUEUED, WORK_RUNNING, WORK_ENDED };
enum note_state { NOTE_NONE, NOTE_NEW, NOTE_SENT };

struct work {
    struct belfry_attempt attempt; /* its text is that of strings */
    struct belfry_worker *worker;
    char *strings[WORK_STRINGS_MAX];
    enum work_state state;
    uint64_t serial;
    bool is_cancelled;       /* the server has said so */
    int64_t renewed_mono_ms; /* the lease certainly lasted from here */

    enum belfry_outcome outcome; /* when ENDED */
    char *result;                /* JSON; NULL: none */
    char *code, *message;        /* of a failure; NULL: none */
    bool is_for_good;
    int64_t retry_after_ms; /* 0: as the job says */

    enum note_state note_state;
    int percent;
    char *note; /* NULL: none */
};

struct route {
    char *type; /* NULL: all others */
    belfry_handler handler;
    void *context;
};

struct belfry_worker {
    struct belfry *client;
    char id[35]; /* random: unique per process */
    char *name;
    char **pools;
    size_t pool_count;
    unsigned threads, capacity;
    void (*on_trouble)(const char *text, void *context);
    void *context;
    struct route routes[ROUTES_MAX];
    size_t route_count;

    int wake_fd; /* readable: the talking thread should look */
    atomic_bool is_stopping;

    pthread_mutex_t lock;
    pthread_cond_t queued; /* or is_over */
    bool is_over;          /* handlers' threads end */
    struct work *works;    /* twice the capacity: those held, and those whose report is on its way */
    size_t work_count;
    uint64_t serial_last;
    uint64_t news;  /* grows when the server should hear something at once */
    bool has_notes; /* some note is new */
    char (*seen)[BELFRY_ID_BYTES];
    size_t seen_next;
};

int64_t bf_mono_ms(void);
void bf_worker_wake(struct belfry_worker *worker);

/* ---- under lock ---- */

/* Takes an attempt from an answer. False: it is not new, or there is no room (it will be sent again). */
bool bf_work_take(struct belfry_worker *worker, struct json attempt);
/* The handler has returned, or never began. */
void bf_work_end(struct work *work, enum belfry_outcome outcome);
void bf_work_free(struct work *work);
struct work *bf_work_by_id(struct belfry_worker *worker, const char *id);
size_t bf_work_count(const struct belfry_worker *worker, enum work_state state);
/* The shortest lease of what is held; INT64_MAX: nothing is. */
int64_t bf_work_shortest_lease_ms(const struct belfry_worker *worker);
/* Gives back all that is queued. */
void bf_work_release_queued(struct belfry_worker *worker);

/* ---- talk.c ---- */

/* Talks with the server until all is done. */
enum belfry_status bf_worker_talk(struct belfry_worker *worker, struct belfry_error *ret_error);

#endif
