/* sim_clock: the clocks of one machine, as wrong as they can be.
 *
 * True time is the world's. A machine's monotonic clock runs a little too fast or too slow; its wall clock does the
 * same and, besides, stands off by some offset that may jump either way.
 *
 * Rules: (1) monotonic time never goes back, whatever is done here.
 */
#ifndef TESTS_SIM_SIM_CLOCK_H
#define TESTS_SIM_SIM_CLOCK_H

#include <stdint.h>

#include "engine/engine.h"

/* What ordinary quartz does at its worst. */
#define SIM_CLOCK_DRIFT_PPM_MAX 500

struct sim_clock {
    int64_t from_true_ms; /* since when the fields below hold */
    int64_t from_wall_ms; /* what the clocks showed then */
    int64_t from_mono_ms;
    int64_t drift_ppm;
};

void sim_clock_init(struct sim_clock *clock, int64_t true_ms, int64_t offset_ms, int64_t drift_ppm, int64_t mono_ms);

struct moment sim_clock_read(const struct sim_clock *clock, int64_t true_ms);

/* The first true instant at which the monotonic clock shows mono_ms or more; INT64_MAX stays what it is. */
int64_t sim_clock_true_ms(const struct sim_clock *clock, int64_t mono_ms);

/* Moves the wall clock alone. */
void sim_clock_jump(struct sim_clock *clock, int64_t true_ms, int64_t by_ms);

void sim_clock_set_drift(struct sim_clock *clock, int64_t true_ms, int64_t drift_ppm);

/* From now on both run right, and the wall clock shows true time. */
void sim_clock_heal(struct sim_clock *clock, int64_t true_ms);

#endif
