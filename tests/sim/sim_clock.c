#include "sim_clock.h"

#define MILLION INT64_C(1000000)

/* Clocks that are not rebased for longer than this would lose precision in elapsed; no run lasts so long. */
#define ELAPSED_MAX_MS (INT64_C(1) << 40)

static int64_t elapsed_ms(const struct sim_clock *clock, int64_t true_ms)
{
    int64_t passed_ms = true_ms - clock->from_true_ms;

    return passed_ms + passed_ms * clock->drift_ppm / MILLION;
}

void sim_clock_init(struct sim_clock *clock, int64_t true_ms, int64_t offset_ms, int64_t drift_ppm, int64_t mono_ms)
{
    *clock = (struct sim_clock){
        .from_true_ms = true_ms,
        .from_wall_ms = true_ms + offset_ms,
        .from_mono_ms = mono_ms,
        .drift_ppm = drift_ppm,
    };
}

struct moment sim_clock_read(const struct sim_clock *clock, int64_t true_ms)
{
    int64_t passed_ms = elapsed_ms(clock, true_ms);

    return (struct moment){.wall_ms = clock->from_wall_ms + passed_ms, .mono_ms = clock->from_mono_ms + passed_ms};
}

int64_t sim_clock_true_ms(const struct sim_clock *clock, int64_t mono_ms)
{
    int64_t wanted_ms = mono_ms == INT64_MAX ? INT64_MAX : mono_ms - clock->from_mono_ms;
    int64_t true_ms;

    if (wanted_ms > ELAPSED_MAX_MS) {
        return INT64_MAX;
    }
    if (wanted_ms <= 0) {
        return clock->from_true_ms;
    }
    true_ms = clock->from_true_ms + wanted_ms - wanted_ms * clock->drift_ppm / MILLION;
    while (sim_clock_read(clock, true_ms).mono_ms >= mono_ms) {
        true_ms--;
    }
    while (sim_clock_read(clock, true_ms).mono_ms < mono_ms) {
        true_ms++;
    }
    return true_ms;
}

/* What the clocks show now is where they go on from. */
static void rebase(struct sim_clock *clock, int64_t true_ms)
{
    struct moment now = sim_clock_read(clock, true_ms);

    clock->from_true_ms = true_ms;
    clock->from_wall_ms = now.wall_ms;
    clock->from_mono_ms = now.mono_ms;
}

void sim_clock_jump(struct sim_clock *clock, int64_t true_ms, int64_t by_ms)
{
    rebase(clock, true_ms);
    clock->from_wall_ms += by_ms;
}

void sim_clock_set_drift(struct sim_clock *clock, int64_t true_ms, int64_t drift_ppm)
{
    rebase(clock, true_ms);
    clock->drift_ppm = drift_ppm;
}

void sim_clock_heal(struct sim_clock *clock, int64_t true_ms)
{
    rebase(clock, true_ms);
    clock->from_wall_ms = true_ms;
    clock->drift_ppm = 0;
}
