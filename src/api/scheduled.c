#include "api/scheduled.h"

#include "base/id.h"
#include "wire/def_read.h"

struct str scheduled_seed(const struct job_row *row, struct arena *arena)
{
    char id[ID_TEXT_BYTES];

    id_format(ID_JOB, row->id, id);
    return str_from(arena_strdup(arena, id));
}

enum err scheduled_read(const struct job_row *row, struct zone_cache *zones, struct arena *arena,
                        struct scheduled *ret_scheduled, struct error *reterr)
{
    struct scheduled scheduled = {0};
    enum err err = wire_def_read(row->def, arena, &scheduled.def, reterr);

    if (err == ERR_OK) {
        err = zone_cache_get_rules(zones, scheduled.def.timezone, row->rules, &scheduled.zone, reterr);
    }
    if (err == ERR_OK && scheduled.def.when != WHEN_UPSTREAM) {
        scheduled.has_schedule = true;
        err = job_def_schedule_by_rules(&scheduled.def, zones, row->rules, row->anchor_ms, scheduled_seed(row, arena),
                                        &scheduled.schedule, reterr);
    }
    if (err == ERR_OK && scheduled.has_schedule && scheduled.schedule.kind == SCHEDULE_CRON) {
        scheduled.zone = scheduled.schedule.zone;
    }
    if (err == ERR_OK) {
        *ret_scheduled = scheduled;
    }
    return err;
}

static bool goes_on(const struct job_row *row)
{
    return row->cursor_ms != TIME_NONE && (row->status == JOB_ACTIVE || row->status == JOB_PAUSED);
}

static bool is_single(const struct scheduled *scheduled)
{
    return scheduled->schedule.kind == SCHEDULE_ONCE || scheduled->schedule.after_finish;
}

int64_t scheduled_due(const struct scheduled *scheduled, const struct job_row *row, int64_t now_ms, int64_t max,
                      int64_t *ret_to_ms)
{
    const struct schedule *schedule = &scheduled->schedule;
    int64_t last_ms = row->cursor_ms;

    if (!goes_on(row) || !scheduled->has_schedule || schedule_due_ms(schedule, row->id, row->cursor_ms) > now_ms) {
        return 0;
    }
    *ret_to_ms = row->cursor_ms;
    if (is_single(scheduled) || !schedule_prev(schedule, now_ms + 1, &last_ms) || last_ms <= row->cursor_ms) {
        return 1;
    }
    if (schedule_due_ms(schedule, row->id, last_ms) > now_ms) { /* jitter: only the last one can be in it */
        (void)schedule_prev(schedule, last_ms, &last_ms);
    }
    *ret_to_ms = last_ms > row->cursor_ms ? last_ms : row->cursor_ms;
    int64_t count = schedule_count(schedule, row->cursor_ms, *ret_to_ms + 1);

    count = count > 0 ? count : 1;
    return count < max ? count : max;
}

size_t scheduled_next(const struct scheduled *scheduled, const struct job_row *row, int64_t *ret_fires_ms, size_t max)
{
    const struct schedule *schedule = &scheduled->schedule;

    if (!goes_on(row) || !scheduled->has_schedule || max == 0) {
        return 0;
    }
    if (schedule->max_fires != SCHEDULE_NO_MAX) {
        int64_t left = schedule->max_fires > row->fired ? schedule->max_fires - row->fired : 0;

        max = (uint64_t)left < max ? (size_t)left : max;
    }
    if (is_single(scheduled)) {
        ret_fires_ms[0] = row->cursor_ms;
        return max > 0 ? 1 : 0;
    }
    return schedule_list(schedule, row->cursor_ms, INT64_MAX, ret_fires_ms, max);
}
