/* retry: how often a trigger is tried, and how long it waits in between.
 *
 * Two forms: a list of delays, whose last one repeats, or a formula, base times factor for each failure, up to a
 * maximum. Numbers are whole (thousandths), so that every machine computes the same.
 *
 * Rules: (1) max_attempts counts the first attempt.
 *        (2) jitter only adds, is the same for ever for a trigger and a failure, and is at most RETRY_JITTER_MAX_MS.
 */
#ifndef MODEL_RETRY_H
#define MODEL_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* More delays than anybody writes by hand. */
#define RETRY_DELAYS_MAX 32
#define RETRY_ATTEMPTS_MAX 1000
/* A herd of retries is spread over this at most. */
#define RETRY_JITTER_MAX_MS (5 * 60 * 1000)

struct retry {
    int max_attempts;
    int delay_count;                     /* 0: the formula */
    int64_t delays_ms[RETRY_DELAYS_MAX]; /* delay_count of them */
    int64_t base_ms;                     /* formula */
    int64_t factor_milli;                /* formula: 2000 doubles; at least 1000 */
    int64_t max_ms;                      /* formula */
    int jitter_milli;                    /* 200: up to a fifth of the delay more; 0 to 1000 */
};

/* 5 attempts; 30 s, 2 min, 10 min, 30 min, 2 h; up to 20 % jitter. */
struct retry retry_default(void);

/* The formula of who names a part of it alone: 1 s, doubled up to 1 h; attempts and jitter as above. */
struct retry retry_default_formula(void);

/* The same form with the same numbers; retry_equal_delays leaves attempts and jitter aside. */
bool retry_equal(const struct retry *a, const struct retry *b);
bool retry_equal_delays(const struct retry *a, const struct retry *b);

/* Whether the numbers make sense; names the field that does not. */
enum err retry_check(const struct retry *retry, struct error *reterr) MUST_CHECK;

/* How long to wait after failure number failures (1 for the first), jitter included. */
int64_t retry_delay_ms(const struct retry *retry, int failures, uint64_t trigger_id);

#endif
