/* chrono: what time it is. The only reader of the operating system's clocks.
 *
 * Wall time is for schedules: it may jump, forwards and back. Monotonic time is for leases and time-outs: it
 * runs on while the machine sleeps (CLOCK_BOOTTIME) and says nothing about the date. Code that is tested with
 * a clock takes a struct chrono, which is the system's or a fake that a test sets.
 *
 * Owns:  nothing.
 * Rules: (1) a fake moves only when told to; its monotonic time never goes back.
 * See:   tests/unit/base/test_chrono.c
 */
#ifndef BASE_CHRONO_H
#define BASE_CHRONO_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The system's clocks: milliseconds since 1970 in UTC; milliseconds and nanoseconds since some fixed moment. */
int64_t chrono_wall_ms(void);
int64_t chrono_mono_ms(void);
int64_t chrono_mono_ns(void);

/* The moment in_ms from now, for waits on a clock that nobody sets (CLOCK_MONOTONIC). */
struct timespec chrono_deadline(int64_t in_ms);

struct chrono {
    bool is_fake;
    int64_t wall_ms; /* a fake's, otherwise unused */
    int64_t mono_ms; /* a fake's, otherwise unused */
};

struct chrono chrono_system(void);
struct chrono chrono_fake(int64_t wall_ms, int64_t mono_ms);

int64_t chrono_wall_ms_of(const struct chrono *chrono);
int64_t chrono_mono_ms_of(const struct chrono *chrono);

/* Fakes only. Set moves the wall clock alone, as an administrator would; advance moves both, as time does. */
void chrono_set_wall(struct chrono *chrono, int64_t wall_ms);
void chrono_advance(struct chrono *chrono, int64_t by_ms);

#endif
