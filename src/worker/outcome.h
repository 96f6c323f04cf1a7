/* outcome: how an attempt ended, and whether another one may help.
 *
 * The rules of the contract for exit codes, signals and HTTP statuses, in one place.
 *
 * Owns:  nothing; code and message are copies inside, the result belongs to who fills it in.
 * Never: does I/O, reads a clock.
 * Rules: (1) exit 0 succeeds; 75 and signals are retried; 64 to 74 and 76 to 78 are permanent; the rest is retried.
 *        (2) 2xx succeeds; 408, 425, 429 and 5xx are retried; every other status is permanent.
 * See:   tests/unit/worker/test_outcome.c
 */
#ifndef WORKER_OUTCOME_H
#define WORKER_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define OUTCOME_CODE_BYTES 40
#define OUTCOME_MESSAGE_BYTES 300

enum outcome_status { OUTCOME_SUCCEEDED, OUTCOME_FAILED, OUTCOME_RELEASED };

struct outcome {
    enum outcome_status status;
    char code[OUTCOME_CODE_BYTES];       /* FAILED: stable, for programs */
    char message[OUTCOME_MESSAGE_BYTES]; /* FAILED: for people */
    bool is_retryable;                   /* FAILED */
    int64_t retry_after_ms;              /* FAILED and retryable: not before; 0: the job's own backoff */
    struct str result;                   /* output's tail, or an answer's body; empty: none */
    bool is_json;                        /* result is JSON, and told as the result; else it is told as output */
};

struct outcome outcome_succeeded(void);
struct outcome outcome_released(void);
struct outcome outcome_failed(bool is_retryable, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rule 1. The program ended by itself with this code, or by this signal. */
struct outcome outcome_of_exit(int code);
struct outcome outcome_of_signal(int signal_number);

/* Rule 2. retry_after_ms is what the answer asked for, 0 where it did not. */
struct outcome outcome_of_status(long http_status, int64_t retry_after_ms);

/* No answer came within the attempt's time. */
struct outcome outcome_timeout(int64_t timeout_ms);

#endif
