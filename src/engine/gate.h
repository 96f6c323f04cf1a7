/* gate: what lets starts through, or not: a pause, a maximum in flight, a rate, a ramp.
 *
 * One for each tenant, pool, type, and type within a tenant. A plain value: who asks, waits and wakes is
 * engine/ready's.
 *
 * Rates are GCRA: one instant (tat, "theoretical arrival time") says how far ahead of its rate the gate has run. It is
 * kept exactly, as microseconds and a fraction whose denominator is the rate's count, so that "3/s" and "1000000/s"
 * hold for ever.
 *
 * Never: reads a clock; times are monotonic milliseconds that never go back.
 * Rules: (1) a start is allowed when now >= tat - (burst - 1) * interval, both as whole milliseconds rounded down: a
 *            clock of milliseconds can give more than 1000 starts a second only if a millisecond counts as one instant.
 *        (2) a start moves tat to max(now, tat) + interval.
 *        (3) while a ramp goes on the rate is full * elapsed / ramp, but at least 1/s (never more than full), with a
 *            burst of 1. Full is the rate, or GATE_RAMP_FULL/s where there is none. Then the plain settings hold.
 *        (4) tat never goes back by rounding: what is stored rounds up. A new rate moves it at most as far back as its
 *            own burst reaches, so that leaving a slow rate does not mean waiting for it.
 * See:   tests/unit/engine/test_gate.c
 */
#ifndef ENGINE_GATE_H
#define ENGINE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "model/settings.h"

#define GATE_NEVER INT64_MAX
#define GATE_UNBOUNDED INT64_MAX
/* What a ramp leads to where no rate is set, in starts per second. */
#define GATE_RAMP_FULL 1000

struct gate {
    bool is_paused;
    int64_t in_flight;
    int64_t in_flight_max; /* GATE_UNBOUNDED */
    int64_t rate_count;    /* so many starts ... */
    int64_t period_us;     /* ... in this time; 0: no rate, and rate_count is 1 */
    int64_t burst;
    int64_t ramp_from_ms;
    int64_t ramp_until_ms; /* the ramp goes on before this; INT64_MIN: there is none */
    int64_t tat_us;
    int64_t tat_part;    /* in 1/rate_count of a microsecond; less than one */
    struct list waiters; /* what it refused; whose nodes they are is its owner's matter */
};

/* Lets everything through. Must not be moved afterwards (waiters). */
void gate_init(struct gate *gate);

/* wall_ms is the wall time of now_ms, since the settings' ramp is in wall time. Keeps what is in flight, and tat. */
void gate_set(struct gate *gate, const struct settings *settings, int64_t now_ms, int64_t wall_ms);

/* Whether a start may go through now; if not, when that will change (GATE_NEVER: by an event, not by time). */
bool gate_allows(const struct gate *gate, int64_t now_ms, int64_t *ret_clears_ms);
bool gate_rate_allows(const struct gate *gate, int64_t now_ms, int64_t *ret_clears_ms); /* only the rate's part of it */

/* How many starts may go through now, one after another (in a ramp it is 1 or 0); GATE_UNBOUNDED. */
int64_t gate_room(const struct gate *gate, int64_t now_ms);

/* When there will be more room than now by time alone; GATE_NEVER. */
int64_t gate_grows_ms(const struct gate *gate, int64_t now_ms);

/* Counts a start (allowed or not: restored ones were never asked); returns whether it moved tat. */
bool gate_start(struct gate *gate, int64_t now_ms);
void gate_recount(struct gate *gate); /* in flight only */
void gate_end(struct gate *gate);

/* What outlives a restart. */
int64_t gate_tat_ms(const struct gate *gate);
void gate_restore_tat(struct gate *gate, int64_t tat_ms);

/* Whether the numbers are such as can come about. */
bool gate_valid(const struct gate *gate);

#endif
