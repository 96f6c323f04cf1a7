/* work_read: the body of POST /v1/work as plain values. The hottest reader of the server.
 *
 * The text is checked once (base/json_scan) and walked over once (walk.h); no tree is built. Fields that are not known
 * are passed over (newer workers, older servers), null means not given, and a known field that stands twice is refused.
 *
 * Owns:  nothing; texts are slices of the body, or made in the arena where they had escapes, and live as long as both.
 * Rules: (1) whatever the body, the arena needs at most WIRE_WORK_ARENA_BYTES_MAX.
 *        (2) an error names the field, with its index for elements of lists: finished[3].status.
 *        (3) what a person reads (name, note, message, output) is cut where it is too long, not refused: a report that
 *            could never be delivered would be worse than a shorter one.
 * See:   docs/openapi.yaml (WorkRequest), tests/unit/wire/test_work_read.c, tests/fuzz/fuzz_work.c
 */
#ifndef WIRE_WORK_READ_H
#define WIRE_WORK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/job_def.h"
#include "model/state.h"
#include "wire/result.h"

/* A body; as large as a hundred large results, or everything a worker of WIRE_HOLDING_MAX attempts holds. */
#define WIRE_WORK_BYTES_MAX (8 * 1024 * 1024)
/* Texts without their escapes, packed results, and lists that grow by doubling. */
#define WIRE_WORK_ARENA_BYTES_MAX (64 * 1024 * 1024)
/* Results may be as deep as all JSON from outside; they stand three levels down. */
#define WIRE_WORK_DEPTH_MAX (JSON_DEPTH_MAX + 3)
/* No tree is built: values cost their bytes alone. */
#define WIRE_WORK_NODES_MAX (4 * 1024 * 1024)
#define WIRE_WORKER_BYTES_MAX 200
#define WIRE_WORKER_NAME_BYTES_MAX 200
#define WIRE_POOLS_MAX 100
#define WIRE_CAPACITY_MAX 100000
#define WIRE_WANT_MAX 1000
#define WIRE_WAIT_MAX_MS (60 * 1000)
#define WIRE_HOLDING_MAX 100000
#define WIRE_FINISHED_MAX 10000
#define WIRE_PROGRESS_MAX 10000
#define WIRE_SEQ_MAX INT64_C(9007199254740991) /* what every language's numbers hold exactly */
#define WIRE_OUTPUT_BYTES_MAX (64 * 1024)      /* longer: its end is kept */
#define WIRE_ERROR_CODE_BYTES_MAX 200
#define WIRE_ERROR_MESSAGE_BYTES_MAX 4096 /* longer: its beginning is kept */
#define WIRE_NOTE_BYTES_MAX 200           /* likewise */
#define WIRE_RETRY_AFTER_MAX_MS (24LL * 3600 * 1000)

struct wire_attempt_ref {
    uint64_t trigger;
    uint32_t number;
};

/* How an attempt ended. */
struct wire_report {
    struct wire_attempt_ref attempt;
    enum attempt_state state; /* SUCCEEDED, FAILED or RELEASED */
    struct str error_code, error_message;
    struct str result;      /* result and output, packed (result.h): what the attempt's row keeps */
    bool is_permanent;      /* retryable was false */
    int64_t retry_after_ms; /* 0: not said */
};

struct wire_work_progress {
    struct wire_attempt_ref attempt;
    double percent;  /* negative: not said */
    struct str note; /* empty: not said */
};

/* One bit for each enum job_target. */
#define WIRE_TARGET_BIT(target) (1U << (target))
#define WIRE_TARGETS_ANY (WIRE_TARGET_BIT(TARGET_NONE) | WIRE_TARGET_BIT(TARGET_HTTP) | WIRE_TARGET_BIT(TARGET_EXEC))

struct wire_work {
    struct str worker;
    int64_t seq;     /* -1: not given */
    struct str name; /* empty: not given */
    const struct str *pools;
    size_t pool_count; /* "default" where none was given */
    unsigned targets;  /* WIRE_TARGET_BITs it takes; WIRE_TARGETS_ANY where it did not say */
    uint32_t capacity; /* 1 where it was not given */
    uint32_t want;
    int64_t wait_ms; /* at most WIRE_WAIT_MAX_MS; longer ones are shortened */
    const struct wire_attempt_ref *holding;
    size_t holding_count;
    const struct wire_report *finished;
    size_t finished_count;
    const struct wire_work_progress *progress;
    size_t progress_count;
};

/* *ret_work is untouched on failure. */
MUST_CHECK enum err wire_read_work(struct str body, struct arena *arena, struct wire_work *ret_work,
                                   struct error *reterr);

#endif
