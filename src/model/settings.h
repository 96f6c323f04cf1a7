/* settings: what operators set for a tenant, a pool or a type: limits, rates, weights, breaker numbers, defaults.
 *
 * Read from JSON with each error naming its field, written back in one canonical form with only what was set.
 *
 * Rules: (1) what was not set has SETTING_NONE (or is zeroed with its has_ flag false), and nothing limits then.
 *        (2) a field that makes no sense for the scope (weight of a pool) is an error that says where it belongs.
 * See:   settings_read.c, settings_write.c, rate.c, dead_policy.c, tests/unit/model/test_settings.c
 */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "model/retry.h"

#define SETTING_NONE INT64_C(-1)
#define SETTING_WEIGHT_MAX 1000
#define SETTING_IN_FLIGHT_MAX INT64_C(1000000000)
#define SETTING_RATE_MAX INT64_C(1000000)

/* Whose settings. A type's may be narrowed to one tenant. */
enum scope { SCOPE_TENANT, SCOPE_POOL, SCOPE_TYPE, SCOPE_TENANT_TYPE };

const char *scope_text(enum scope scope); /* tenant, pool, type, tenant_type */

/* When a circuit opens and closes; docs in engine/breaker.h.
 * {"failure_rate":0.5,"min_attempts":20,"window":"5m","open":"30s","closing_successes":3}, or false. */
struct breaker_settings {
    bool is_off;           /* "breaker": false */
    int failure_milli;     /* 500: opens at half of the attempts failing; 1 to 1000 */
    int min_attempts;      /* fewer than this in the window prove nothing; 1 to 10000 */
    int64_t window_ms;     /* 1 s to 1 h */
    int64_t open_ms;       /* how long it stays open before it tries one; 100 ms to 1 d */
    int closing_successes; /* so many in a row close it; 1 to 100 */
};

/* 50 % of at least 20 within 5 min; open for 30 s; three successes close. */
struct breaker_settings breaker_settings_default(void);

/* What happens to dead letters by themselves: "dead_policy":{"replay_after":"1h","max_replays":3}. Only triggers whose
 * last error was transient are replayed. */
struct dead_policy {
    bool is_set;
    int64_t replay_after_ms; /* 1 s to 30 d */
    int max_replays;         /* 1 to 100 */
};

struct settings {
    int64_t max_jobs;           /* tenant: living definitions */
    int64_t max_in_flight;      /* attempts out at once; 0 lets nothing run */
    int64_t rate_count;         /* "100/s": so many starts ... */
    int64_t rate_period_ms;     /* ... in this time; "/s" "/m" "/h" "/d" */
    int64_t burst;              /* starts at once after a pause; 1 where a rate names none; only beside a rate */
    int64_t weight;             /* tenant: share among tenants, 1 to SETTING_WEIGHT_MAX */
    int64_t max_payload_bytes;  /* tenant: at most PAYLOAD_BYTES_MAX */
    bool has_spread, is_spread; /* tenant */
    bool has_breaker;           /* type, tenant_type */
    struct breaker_settings breaker;
    bool has_retry; /* type, tenant: the default of jobs that name none */
    struct retry retry;
    int64_t timeout_ms;             /* likewise */
    struct dead_policy dead_policy; /* type, tenant_type: of jobs that have none of their own */
    /* Written by /pause and /resume only, never accepted from a client. */
    bool is_paused;
    int64_t paused_ms;    /* wall time since when; SETTING_NONE: not paused, or by an earlier version of Belfry */
    int64_t ramp_from_ms; /* wall time of the resume whose ramp goes on; SETTING_NONE */
    int64_t ramp_ms;      /* its length; SETTING_NONE */
};

struct settings settings_none(void);

/* Reads what a client may set; keeps nothing of text. */
enum err settings_read(enum scope scope, struct str text, struct jr object, struct settings *ret_settings,
                       struct error *reterr) MUST_CHECK;

/* The same, and the fields of pause and ramp too: what settings_write wrote for a store. ERR_CORRUPT where it did not.
 */
enum err settings_read_stored(enum scope scope, struct str text, struct settings *ret_settings,
                              struct error *reterr) MUST_CHECK;

/* Canonical JSON with only what is set; with is_stored also pause ("paused":true, "paused_at") and ramp ("ramp_from",
 * "ramp"). */
void settings_write(const struct settings *settings, bool is_stored, struct buf *out);

/* "100/s" and back; ERR_INVALID says which forms there are. */
#define RATE_BYTES 32
enum err rate_parse(struct str text, int64_t *ret_count, int64_t *ret_period_ms, struct error *reterr) MUST_CHECK;
const char *rate_format(int64_t count, int64_t period_ms, char out[RATE_BYTES]);

/* {"replay_after":..,"max_replays":..} of a job or a type, both given. */
enum err dead_policy_read(struct str text, struct jr object, struct dead_policy *ret_policy,
                          struct error *reterr) MUST_CHECK;
void dead_policy_write(const struct dead_policy *policy, struct buf *out);

#endif
