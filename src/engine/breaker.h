/* breaker: a circuit that opens when too much fails, and tries one thing at a time until it works again.
 *
 * A plain value: the ready queue has one for each (tenant, type), the engine one for each job without a type that has
 * failed.
 *
 * Never: reads a clock; times are monotonic milliseconds.
 * Rules: (1) closed: attempts run; when in the last window_ms at least min_attempts ended and failure_milli of them or
 *            more failed, it opens for open_ms. The window is counted in BREAKER_SLOTS slots.
 *        (2) open: nothing starts until open_until_ms; then it is half open.
 *        (3) half open: one probe at a time; closing_successes in a row close it (with an empty window), one failure
 *            opens it again for open_ms. A probe that ends uncounted (released, cancelled) lets the next one go.
 *        (4) results count only while it is closed, but for those of probes, which count while it is half open, too.
 *        (5) after a restore the window is empty, the state is what it was, and no probe is out.
 *        (6) another length of the window empties it; other numbers hold from the next result on.
 * See:   tests/unit/engine/test_breaker.c
 */
#ifndef ENGINE_BREAKER_H
#define ENGINE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/settings.h"

#define BREAKER_SLOTS 10

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker {
    enum breaker_state state;
    int64_t open_until_ms; /* OPEN */
    bool is_probing;       /* HALF_OPEN: one is out */
    int successes;         /* HALF_OPEN: in a row */
    int64_t slot_index;    /* CLOSED: which window_ms / BREAKER_SLOTS the newest slot is */
    uint32_t ended[BREAKER_SLOTS];
    uint32_t failed[BREAKER_SLOTS];
};

void breaker_init(struct breaker *breaker);

/* Whether an attempt may start now, and until when not (INT64_MAX: until a probe ends). Opening by time happens here.
 */
bool breaker_allows(struct breaker *breaker, int64_t now_ms, int64_t *ret_clears_ms);

/* An attempt starts, after breaker_allows; returns whether it is a probe. */
bool breaker_start(struct breaker *breaker);

/* It ended; counted is false for released and cancelled ones. Returns true when the state changed, or
 * open_until_ms did. */
bool breaker_end(struct breaker *breaker, const struct breaker_settings *settings, bool is_counted, bool is_failure,
                 bool is_probe, int64_t now_ms);

/* From when on it is like a new one, if nothing more happens; INT64_MAX: never by time alone. */
int64_t breaker_forgets_ms(const struct breaker *breaker, const struct breaker_settings *settings);

#endif
