/* worker: executes http and exec targets for a server. The door to src/worker.
 *
 * One thread with one loop: it asks the server for attempts over POST /v1/work, calls their URLs and runs their
 * programs, and reports how they ended. It is the same worker inside of belfry up and as belfry worker.
 *
 * Owns:  its thread, its connections and every program that it started.
 * Rules: (1) an attempt that was granted is executed once by this worker, and how it ended is reported until the server
 *            has answered; or the server was told that it is given back; or the server cancelled it, and then nothing
 *            is reported.
 *        (2) programs run only where is_exec_allowed. The process is a child subreaper then, and nobody else in it may
 *            start or wait for children: one worker for a process.
 *        (3) an attempt's own timeout ends it here as well, and is reported as failed with code timeout. Where the
 *            server was first, it has cancelled the attempt, and rule 1 says the rest.
 *        (4) figures may be asked for, and drain and stop called, from any thread; the rest is the owner's.
 * See:   run.h (one attempt), session.h (the exchange), exec.h, http_call.h, tests/worker
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct worker;

/* With its NUL: "w-" and 32 hexadecimal digits. */
#define WORKER_ID_BYTES 35

struct worker_config {
    const char *id;           /* from worker_id_new, or NULL for a new one */
    const char *url;          /* of the server: http://127.0.0.1:7600 */
    const char *token;        /* NULL: none */
    const char *name;         /* NULL: the host's */
    const char *const *pools; /* NULL: "default" */
    size_t pool_count;
    uint32_t slots;              /* attempts at once; 0: SLOTS_DEFAULT */
    uint32_t per_host_max;       /* connections to one host at once; 0: PER_HOST_DEFAULT */
    int64_t grace_ms;            /* what a drain leaves to attempts that run */
    bool is_exec_allowed;        /* rule 2 */
    bool is_private_denied;      /* http targets: only addresses of the open internet */
    const char *webhook_secrets; /* NULL: calls are not signed; see signature.h */
};

struct worker_figures {
    uint64_t started; /* attempts, ever, like the next ones */
    uint64_t succeeded;
    uint64_t failed;
    uint64_t released;  /* given back */
    uint64_t cancelled; /* by the server, timed out ones included */
    uint64_t exchanges;
    uint64_t exchange_failures;
    uint64_t reports_refused;
    uint64_t running;         /* now, like the next ones */
    uint64_t reports_waiting; /* for the server */
    bool is_connected;        /* the last exchange that ended was answered */
};

/* Copies the config and starts the thread. Needs no server to be there yet. */
MUST_CHECK enum err worker_start(const struct worker_config *config, struct worker **ret_worker, struct error *reterr);

/* No new attempts; those that run get grace_ms, the rest is stopped and given back; then the loop ends. Returns at
 * once. A signal handler may call it. */
void worker_drain(struct worker *worker);

/* The same without any grace, and with KILL instead of TERM. */
void worker_stop(struct worker *worker);

/* Whether the loop has ended. */
bool worker_has_ended(const struct worker *worker);

/* Until the loop has ended, after a drain or a stop. Once. */
void worker_wait(struct worker *worker);

/* Stops it and waits for it where that has not been done; frees it. NULL is fine. */
void worker_free(struct worker *worker);

void worker_figures(const struct worker *worker, struct worker_figures *ret_figures);

/* What the server knows it by. */
const char *worker_id(const struct worker *worker);

/* An id that no other worker has: random. */
void worker_id_new(char ret_id[WORKER_ID_BYTES]);

#endif
