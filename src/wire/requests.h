/* requests: the small bodies: what operators and clients ask for in a few fields.
 *
 * Unknown fields are errors, and errors name their field. Texts are copied into the arena where there is one.
 *
 * Owns:  nothing.
 * See:   docs/openapi.yaml, tests/unit/wire/test_requests.c
 */
#ifndef WIRE_REQUESTS_H
#define WIRE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "calendar/dst.h"
#include "model/record.h"
#include "model/settings.h"
#include "model/state.h"

#define WIRE_DEAD_TRIGGERS_MAX 10000
#define WIRE_KEY_BYTES_MAX 200

/* {"status":"paused"}: active, paused or cancelled. */
MUST_CHECK enum err wire_read_status(struct str body, enum job_status *ret_status, struct error *reterr);

/* {"ramp":"5m"}; 0 where it is left out, as the body may be. */
MUST_CHECK enum err wire_read_ramp(struct str body, int64_t *ret_ramp_ms, struct error *reterr);

/* {"from":..,"to":..}: from lies before to. */
MUST_CHECK enum err wire_read_range(struct str body, int64_t *ret_from_ms, int64_t *ret_to_ms, struct error *reterr);

/* {"payload":..,"key":..}: both empty where they are left out, as the body may be. The payload is a slice of the body,
 * byte for byte; null is a payload. */
struct wire_run {
    struct str payload;
    struct str key;
};
MUST_CHECK enum err wire_read_run(struct str body, struct arena *arena, struct wire_run *ret_run, struct error *reterr);

/* Which dead letters: these, or those that all parts that are given match. */
struct wire_filters {
    uint64_t *triggers;
    size_t trigger_count;                /* 0: by filter */
    struct str tenant, type, error_code; /* empty: any */
    uint64_t group;                      /* of errors that are alike; 0: any */
    uint64_t after;                      /* by filter: those behind this one; 0: from the newest */
    int64_t since_ms;                    /* TIME_NONE: any */
    int64_t rate_count, rate_period_ms;  /* SETTING_NONE: all at once */
};
MUST_CHECK enum err wire_read_filters(struct str body, struct arena *arena, struct wire_filters *ret_filters,
                                      struct error *reterr);

/* POST /v1/schedules/preview. */
struct wire_preview_request {
    struct str cron;
    struct str timezone; /* empty: the expression's own, else UTC */
    struct dst dst;
    int64_t from_ms; /* TIME_NONE: now */
    int64_t count;
    struct str seed; /* empty: the expression itself */
};
MUST_CHECK enum err wire_read_preview(struct str body, struct arena *arena, struct wire_preview_request *ret_request,
                                      struct error *reterr);

/* The body of PUT: settings of a scope. */
MUST_CHECK enum err wire_read_settings(enum scope scope, struct str body, struct settings *ret_settings,
                                       struct error *reterr);

#endif
