/* worker_inside: what worker.c and serve.c share. Nobody else includes it.
 *
 * See: worker.h
 */
#ifndef WORKER_WORKER_INSIDE_H
#define WORKER_WORKER_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/map.h"
#include "base/str.h"
#include "worker/exec.h"
#include "worker/http_call.h"
#include "worker/loop.h"
#include "worker/seen.h"
#include "worker/session.h"
#include "worker/worker.h"

enum phase {
    PHASE_SERVING,
    PHASE_DRAINING, /* what runs may end by itself */
    PHASE_STOPPING, /* what runs is being stopped */
    PHASE_FLUSHING, /* nothing runs; the server is being told */
    PHASE_ENDED,
};

/* Set by any thread, in order of weight. */
enum command { COMMAND_NONE, COMMAND_DRAIN, COMMAND_STOP };

struct worker {
    /* Copies of the config; constant once the thread runs. */
    char id[WORKER_ID_BYTES];
    char *url, *token, *name, *secrets;
    char **pool_names; /* NULL-terminated */
    struct str *pools; /* the same */
    size_t pool_count;
    uint32_t slots;
    uint32_t per_host_max;
    int64_t grace_ms;
    bool is_exec_allowed;
    bool is_private_denied;
    char **environment;
    rlim_t descriptors; /* soft limit before we raised it */

    pthread_t thread;
    bool is_joined;
    int wake_fd;
    _Atomic int command; /* enum command */
    _Atomic bool has_ended;

    /* The thread's alone. */
    struct loop loop;
    struct session session;
    struct execs execs;
    struct http_calls calls;
    struct list runs;
    struct map runs_by_id;
    uint32_t run_count;
    struct seen seen;
    enum phase phase;
    struct loop_timer phase_timer;

    /* Written by the thread, read by all. */
    _Atomic uint64_t started, succeeded, failed, released, cancelled, exchanges, exchange_failures, reports_refused,
        running, reports_waiting;
    _Atomic bool is_connected;
};

/* The thread: struct worker in, NULL out. Everything in it has been set up. */
void *serve(void *owner);

/* Sets up, and takes down, what is the thread's alone. */
MUST_CHECK enum err serve_init(struct worker *worker, struct error *reterr);
void serve_done(struct worker *worker);

#endif
