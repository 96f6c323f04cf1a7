#include "base/chrono.h"

#include <assert.h>
#include <time.h>

#define NS_PER_MS 1000000
#define NS_PER_S 1000000000

static struct timespec read_clock(clockid_t id)
{
    struct timespec now;
    int failed = clock_gettime(id, &now);

    assert(failed == 0); /* only an unknown clock can fail, and Linux knows these since 2.6.39 */
    return now;
}

static int64_t in_ms(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / NS_PER_MS;
}

int64_t chrono_wall_ms(void)
{
    return in_ms(read_clock(CLOCK_REALTIME));
}

int64_t chrono_mono_ms(void)
{
    return in_ms(read_clock(CLOCK_BOOTTIME));
}

int64_t chrono_mono_ns(void)
{
    struct timespec now = read_clock(CLOCK_MONOTONIC);

    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

struct timespec chrono_deadline(int64_t in_ms)
{
    int64_t at_ns = chrono_mono_ns() + in_ms * NS_PER_MS;

    return (struct timespec){.tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S};
}

struct chrono chrono_system(void)
{
    return (struct chrono){.is_fake = false};
}

struct chrono chrono_fake(int64_t wall_ms, int64_t mono_ms)
{
    return (struct chrono){.is_fake = true, .wall_ms = wall_ms, .mono_ms = mono_ms};
}

int64_t chrono_wall_ms_of(const struct chrono *chrono)
{
    return chrono->is_fake ? chrono->wall_ms : chrono_wall_ms();
}

int64_t chrono_mono_ms_of(const struct chrono *chrono)
{
    return chrono->is_fake ? chrono->mono_ms : chrono_mono_ms();
}

void chrono_set_wall(struct chrono *chrono, int64_t wall_ms)
{
    assert(chrono->is_fake);
    chrono->wall_ms = wall_ms;
}

void chrono_advance(struct chrono *chrono, int64_t by_ms)
{
    assert(chrono->is_fake && by_ms >= 0); /* rule 1 */
    chrono->wall_ms += by_ms;
    chrono->mono_ms += by_ms;
}
