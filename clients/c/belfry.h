/* belfry: write workers for Belfry, and create jobs, from C.
 *
 * A worker asks the server for attempts, runs one of your handlers for each, and reports how it ended:
 *
 *     struct belfry_worker_options options = {.threads = 4};
 *     belfry_open(NULL, NULL, &client, &error);
 *     belfry_worker_new(client, &options, &worker, &error);
 *     belfry_worker_handle(worker, "send_email", send_email, NULL);
 *     belfry_worker_run(worker, &error);
 *
 * Owns:  what _open and _new return, until _close and _free. Text that you pass in is copied.
 * Rules: (1) an attempt is run at most once by a worker, however often the server sends it.
 *        (2) its lease is renewed while its handler runs; you need do nothing for that.
 *        (3) how it ended is reported until the server has acknowledged it, or refused it as too late.
 *        (4) execution is at least once: when a worker dies, its attempts run again elsewhere. With
 *            attempt->idempotency_key, make effects safe to repeat.
 *        (5) running out of memory ends the process.
 *        (6) a struct belfry may be used by many threads at once. Handlers run in threads of their worker, with all
 *            signals blocked; functions on an attempt are for its handler alone, until it returns.
 * See:   example_worker.c
 */
#ifndef BELFRY_H
#define BELFRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_API __attribute__((visibility("default")))

#define BELFRY_ID_BYTES 64            /* room for any id, with its NUL */
#define BELFRY_THREADS_MAX 256        /* of one worker */
#define BELFRY_CAPACITY_MAX 1024      /* attempts that a worker holds at once: threads + prefetch */
#define BELFRY_JSON_BYTES_MAX 262144  /* of a payload or a result; a server's tenant may allow less */
#define BELFRY_MESSAGE_BYTES_MAX 4096 /* of an error's message or a note; longer ones are cut */

/* ---- errors ---- */

enum belfry_status {
    BELFRY_OK,
    BELFRY_INVALID,     /* the arguments make no sense; nothing was sent */
    BELFRY_UNREACHABLE, /* no answer, or none that can be believed; trying again later may help */
    BELFRY_REFUSED,     /* the server said no: error.http_status, error.code */
};

struct belfry_error {
    enum belfry_status status;
    int http_status; /* 0 where there was none */
    char code[64];   /* the server's stable code, such as "invalid_cron"; "" where there was none */
    char text[512];  /* for a person */
};

/* ---- the server ---- */

struct belfry;

/* Does not contact the server. Where url is NULL, BELFRY_URL counts, and then http://127.0.0.1:7600. Where token is
 * NULL, BELFRY_TOKEN counts; and then, for a server on this machine only, the file "token" in its data folder:
 * $BELFRY_DATA, or belfry in $XDG_DATA_HOME, or ~/.local/share/belfry. Without any of them nothing is said of a token.
 */
BELFRY_API enum belfry_status belfry_open(const char *url, const char *token, struct belfry **ret_client,
                                          struct belfry_error *ret_error);
BELFRY_API void belfry_close(struct belfry *client);

/* ---- jobs ---- */

/* What is NULL or 0 is left to the server's default. At most one of cron, every, run_at and delay. */
struct belfry_job {
    const char *name;
    const char *tenant, *type, *pool;
    int priority;         /* 1 (first) to 5 */
    const char *cron;     /* "0 9 * * MON-FRI" */
    const char *timezone; /* "Europe/Berlin" */
    const char *every;    /* "5m" */
    const char *run_at;   /* "2026-04-08T09:00:00Z" */
    const char *delay;    /* "30s" */
    const char *payload;  /* JSON; sent byte for byte */
    const char *more;     /* a JSON object with any other fields of a job: {"retry":{"max_attempts":3}} */
    /* Makes the call safe to repeat for a day. NULL: a new one for each call. */
    const char *idempotency_key;
};

/* Creates a job; returns when it is durable. Tries again by itself when the server cannot be reached, which is safe. */
BELFRY_API enum belfry_status belfry_add(struct belfry *client, const struct belfry_job *job,
                                         char ret_id[BELFRY_ID_BYTES], struct belfry_error *ret_error);

/* ---- attempts, as handlers see them ---- */

/* To be read. Valid until the handler returns. Text is never NULL, except target. */
struct belfry_attempt {
    const char *id, *trigger, *job;
    const char *tenant, *name, *type, *pool;
    const char *scheduled_for;   /* RFC 3339 */
    const char *idempotency_key; /* the same for every attempt of one fire */
    const char *payload;         /* JSON, byte for byte as it was sent */
    const char *target;          /* JSON; NULL where the job has none */
    int priority;
    int64_t number;                 /* of this attempt: 1, 2, ... */
    int64_t failures, max_attempts; /* so many of so many are used up */
    int64_t timeout_ms, lease_ms;
};

enum belfry_outcome {
    BELFRY_SUCCEEDED,
    BELFRY_FAILED,   /* to be tried again, if attempts are left */
    BELFRY_RELEASED, /* given back: costs no attempt and is due at once. For a worker that stops */
};

typedef enum belfry_outcome (*belfry_handler)(struct belfry_attempt *attempt, void *context);

enum belfry_stop {
    BELFRY_GO_ON,
    BELFRY_CANCELLED,  /* the server asks to stop: cancelled, timed out, or lost. Only a success is still reported */
    BELFRY_LEASE_LOST, /* no server has renewed the lease in time: another worker may have begun. Finish carefully */
    BELFRY_STOPPING,   /* the worker stops: finish, or return BELFRY_RELEASED */
};

/* Whether the handler should stop. Cheap; a handler that runs for long asks now and then. */
BELFRY_API enum belfry_stop belfry_attempt_stop(const struct belfry_attempt *attempt);

/* Tells people how far it is. The newest note counts; they are sent at most once a second. note may be NULL. */
BELFRY_API void belfry_attempt_progress(struct belfry_attempt *attempt, int percent, const char *note);

/* The result of a success: JSON of at most BELFRY_JSON_BYTES_MAX; BELFRY_INVALID if it is not. */
BELFRY_API enum belfry_status belfry_attempt_result(struct belfry_attempt *attempt, const char *json);

/* How it failed; write `return belfry_attempt_fail(...)`. A code is short and stable, such as "smtp_421". */
BELFRY_API enum belfry_outcome belfry_attempt_fail(struct belfry_attempt *attempt, const char *code,
                                                   const char *message);
/* The same, when trying again cannot help. */
BELFRY_API enum belfry_outcome belfry_attempt_fail_for_good(struct belfry_attempt *attempt, const char *code,
                                                            const char *message);
/* The same, to be tried again no sooner than this. */
BELFRY_API enum belfry_outcome belfry_attempt_fail_until(struct belfry_attempt *attempt, const char *code,
                                                         const char *message, int64_t retry_after_ms);

/* ---- workers ---- */

struct belfry_worker;

struct belfry_worker_options {
    const char *name;         /* for people; NULL: the host's name */
    const char *const *pools; /* to serve; NULL: "default" */
    size_t pool_count;
    unsigned threads;  /* handlers at once; 0 counts as 1 */
    unsigned prefetch; /* attempts fetched ahead of a free thread; 0 unless handlers are very short */
    /* Told when an exchange fails (it is tried again) or a report is refused. From the thread of belfry_worker_run. */
    void (*on_trouble)(const char *text, void *context);
    void *context;
};

BELFRY_API enum belfry_status belfry_worker_new(struct belfry *client, const struct belfry_worker_options *options,
                                                struct belfry_worker **ret_worker, struct belfry_error *ret_error);
/* Not while it runs. The client must still be there. */
BELFRY_API void belfry_worker_free(struct belfry_worker *worker);

/* The handler for a type of job; NULL: for all that have none of their own. Before belfry_worker_run. An attempt that
 * nobody handles fails with the code "no_handler". BELFRY_INVALID: there is one already, or there are too many. */
BELFRY_API enum belfry_status belfry_worker_handle(struct belfry_worker *worker, const char *type,
                                                   belfry_handler handler, void *context);

/* Works until it is told to stop, then gives back what has not started, waits for the handlers that run, and sees that
 * all reports are acknowledged (for ten seconds at most). BELFRY_OK: they are. BELFRY_REFUSED: the server does not let
 * us work, and trying again would not help (a wrong token). BELFRY_UNREACHABLE: some reports may not have arrived. Once
 * only. */
BELFRY_API enum belfry_status belfry_worker_run(struct belfry_worker *worker, struct belfry_error *ret_error);

/* Makes belfry_worker_run come to an end. From any thread, or from a signal handler. */
BELFRY_API void belfry_worker_stop(struct belfry_worker *worker);

#ifdef __cplusplus
}
#endif

#endif
