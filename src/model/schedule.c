#include "model/schedule.h"

#include <endian.h>

#include "base/hash.h"
#include "calendar/civil.h"

/* Keeps jitter apart from everything else that is hashed; part of the promise that jitter never changes. */
#define JITTER_SEED 0x6a697474U

struct schedule schedule_unbounded(enum schedule_kind kind)
{
    return (struct schedule){
        .kind = kind,
        .starts_at_ms = SCHEDULE_NO_START,
        .ends_at_ms = SCHEDULE_NO_END,
        .max_fires = SCHEDULE_NO_MAX,
    };
}

/* The instants that may fire at all: [first, end). */
static int64_t bound_first_ms(const struct schedule *schedule)
{
    return civil_later(schedule->starts_at_ms, TIME_START_S * 1000);
}

static int64_t bound_end_ms(const struct schedule *schedule)
{
    return civil_earlier(schedule->ends_at_ms, TIME_END_S * 1000);
}

static struct cron_clock clock_of(const struct schedule *schedule)
{
    return (struct cron_clock){.cron = &schedule->cron, .zone = schedule->zone, .dst = schedule->dst};
}

/* Whole seconds at or after an instant. */
static int64_t ceil_s(int64_t ms)
{
    return -civil_floor_div(-ms, 1000);
}

/* The first fire of an interval at or after from_ms, whatever the end. */
static int64_t every_from_ms(const struct schedule *schedule, int64_t from_ms)
{
    int64_t behind_ms = civil_later(from_ms, schedule->first_ms) - schedule->first_ms;
    int64_t steps = behind_ms / schedule->every_ms + (behind_ms % schedule->every_ms != 0);

    return schedule->first_ms + steps * schedule->every_ms;
}

/* The first fire at or after from_ms, whatever the end; INT64_MAX where there is none. */
static int64_t fire_from_ms(const struct schedule *schedule, int64_t from_ms)
{
    struct cron_clock clock = clock_of(schedule);
    int64_t fire_s;

    switch (schedule->kind) {
    case SCHEDULE_ONCE:
        return schedule->once_ms >= from_ms ? schedule->once_ms : INT64_MAX;
    case SCHEDULE_CRON:
        return cron_next(&clock, ceil_s(from_ms) - 1, &fire_s) ? fire_s * 1000 : INT64_MAX;
    case SCHEDULE_EVERY:
        if (schedule->after_finish) {
            return schedule->first_ms >= from_ms ? schedule->first_ms : INT64_MAX;
        }
        return every_from_ms(schedule, from_ms);
    }
    return INT64_MAX;
}

/* The last fire before to_ms, whatever the start; INT64_MIN where there is none. */
static int64_t fire_before_ms(const struct schedule *schedule, int64_t to_ms)
{
    struct cron_clock clock = clock_of(schedule);
    int64_t fire_s;

    switch (schedule->kind) {
    case SCHEDULE_ONCE:
        return schedule->once_ms < to_ms ? schedule->once_ms : INT64_MIN;
    case SCHEDULE_CRON:
        return cron_prev(&clock, ceil_s(to_ms), &fire_s) ? fire_s * 1000 : INT64_MIN;
    case SCHEDULE_EVERY:
        if (schedule->first_ms >= to_ms) {
            return INT64_MIN;
        }
        return schedule->after_finish
                   ? schedule->first_ms
                   : schedule->first_ms + (to_ms - 1 - schedule->first_ms) / schedule->every_ms * schedule->every_ms;
    }
    return INT64_MIN;
}

bool schedule_next(const struct schedule *schedule, int64_t after_ms, int64_t *ret_ms)
{
    int64_t end_ms = bound_end_ms(schedule);

    if (after_ms >= end_ms || bound_first_ms(schedule) >= end_ms) {
        return false;
    }
    int64_t fire_ms = fire_from_ms(schedule, civil_later(after_ms + 1, bound_first_ms(schedule)));
    if (fire_ms >= end_ms) {
        return false;
    }
    *ret_ms = fire_ms;
    return true;
}

bool schedule_prev(const struct schedule *schedule, int64_t before_ms, int64_t *ret_ms)
{
    int64_t first_ms = bound_first_ms(schedule);
    int64_t to_ms = civil_earlier(before_ms, bound_end_ms(schedule));

    if (to_ms <= first_ms) {
        return false;
    }
    int64_t fire_ms = fire_before_ms(schedule, to_ms);
    if (fire_ms < first_ms) {
        return false;
    }
    *ret_ms = fire_ms;
    return true;
}

bool schedule_next_counted(const struct schedule *schedule, int64_t after_ms, int64_t fired, int64_t *ret_ms)
{
    return fired < schedule->max_fires && schedule_next(schedule, after_ms, ret_ms);
}

bool schedule_next_after_finish(const struct schedule *schedule, int64_t finished_ms, int64_t *ret_ms)
{
    if (finished_ms >= TIME_END_S * 1000) {
        return false;
    }
    int64_t fire_ms = civil_later(finished_ms + schedule->every_ms, bound_first_ms(schedule));
    if (fire_ms >= bound_end_ms(schedule)) {
        return false;
    }
    *ret_ms = fire_ms;
    return true;
}

int64_t schedule_count(const struct schedule *schedule, int64_t from_ms, int64_t to_ms)
{
    struct cron_clock clock = clock_of(schedule);

    from_ms = civil_later(from_ms, bound_first_ms(schedule));
    to_ms = civil_earlier(to_ms, bound_end_ms(schedule));
    if (from_ms >= to_ms) {
        return 0;
    }
    if (schedule->kind == SCHEDULE_CRON) {
        return cron_count(&clock, ceil_s(from_ms), ceil_s(to_ms));
    }
    int64_t first_ms = fire_from_ms(schedule, from_ms);
    if (first_ms >= to_ms) {
        return 0;
    }
    bool repeats = schedule->kind == SCHEDULE_EVERY && !schedule->after_finish;
    return repeats ? (to_ms - 1 - first_ms) / schedule->every_ms + 1 : 1;
}

size_t schedule_list(const struct schedule *schedule, int64_t from_ms, int64_t to_ms, int64_t *ret_fires_ms, size_t max)
{
    size_t count = 0;
    int64_t after_ms = civil_later(from_ms, bound_first_ms(schedule)) - 1;

    while (count < max && schedule_next(schedule, after_ms, &after_ms) && after_ms < to_ms) {
        ret_fires_ms[count++] = after_ms;
    }
    return count;
}

int64_t schedule_due_ms(const struct schedule *schedule, uint64_t job_id, int64_t nominal_ms)
{
    uint64_t key[] = {htole64(job_id), htole64((uint64_t)nominal_ms)};
    int64_t room_ms = schedule->jitter_ms;
    int64_t next_ms;

    if (room_ms <= 0) {
        return nominal_ms;
    }
    if (schedule_next(schedule, nominal_ms, &next_ms)) {
        room_ms = civil_earlier(room_ms, next_ms - nominal_ms); /* rule 3 */
    }
    return nominal_ms + (int64_t)(hash64(key, sizeof key, JITTER_SEED) % (uint64_t)room_ms);
}
