/* Changes of clocks within the window, and what they do to fires of fixed times. */
#include "base/mem.h"
#include "calendar/civil.h"
#include "calendar/dst_note.h"
#include "forecast/inside.h"

/* Fires looked at around one change: who fires more often follows the clock anyway. */
#define FIRES_AROUND 16

const char *forecast_change_text(enum forecast_change_kind kind)
{
    switch (kind) {
    case CHANGE_MOVED:
        return "moved";
    case CHANGE_SKIPPED:
        return "skipped";
    case CHANGE_DOUBLED:
        return "doubled";
    }
    return "moved";
}

static struct forecast_turn *turn_of(struct forecast *forecast, const struct zone *zone, size_t segment)
{
    int64_t at_ms = zone->segments[segment].start_s * 1000;

    for (size_t i = 0; i < forecast->turn_count; i++) {
        if (forecast->turns[i].at_ms == at_ms && str_is(forecast->turns[i].zone, zone->name)) {
            return &forecast->turns[i];
        }
    }
    if (forecast->turn_count == FORECAST_TURNS_MAX) {
        return NULL;
    }
    struct forecast_turn *turn = &forecast->turns[forecast->turn_count++];

    *turn = (struct forecast_turn){.zone = forecast_keep(forecast, str_from(zone->name)),
                                   .at_ms = at_ms,
                                   .local_s = zone->segments[segment].start_s + zone->segments[segment - 1].offset_s,
                                   .jump_s = zone_jump_s(zone, segment)};
    return turn;
}

static void note_change(struct forecast *forecast, const struct forecast_job *job, enum forecast_change_kind kind,
                        int64_t fire_s)
{
    const struct zone *zone = job->schedule->zone;

    forecast->changes_seen++;
    if (forecast->change_count < FORECAST_CHANGES_MAX) {
        forecast->changes[forecast->change_count++] =
            (struct forecast_change){.job = forecast_name_of(forecast, job),
                                     .kind = kind,
                                     .zone = forecast_keep(forecast, str_from(zone->name)),
                                     .at_ms = fire_s * 1000,
                                     .local_s = zone_to_local(zone, fire_s)};
    }
}

/* The fires on both sides of a change, and what is unusual about them. */
static void look_around(struct forecast *forecast, const struct forecast_job *job, struct forecast_turn *turn)
{
    const struct cron_clock clock = {
        .cron = &job->schedule->cron, .zone = job->schedule->zone, .dst = job->schedule->dst};
    int64_t jump_s = turn->jump_s > 0 ? turn->jump_s : -turn->jump_s;
    int64_t at_s = turn->at_ms / 1000;
    int64_t fires_s[FIRES_AROUND];
    int64_t before_s, last_s = at_s + jump_s;

    if (!cron_prev(&clock, at_s - jump_s, &before_s)) {
        before_s = at_s - jump_s - 1;
    }
    (void)cron_next(&clock, last_s - 1, &last_s); /* the first that is usual again */
    size_t count = cron_list(&clock, before_s + 1, last_s + 1, fires_s, FIRES_AROUND);

    turn->jobs++;
    if (count == FIRES_AROUND) {
        return; /* it goes with the clock, whatever that does */
    }
    for (size_t i = 0; i < count; i++) {
        struct dst_note note = dst_note_of(&clock, i > 0 ? fires_s[i - 1] : before_s, fires_s[i]);
        bool is_second = note.pass == DST_PASS_SECOND && i > 0 &&
                         zone_to_local(clock.zone, fires_s[i - 1]) == zone_to_local(clock.zone, fires_s[i]);

        if (note.is_moved) {
            turn->moved++;
            note_change(forecast, job, CHANGE_MOVED, fires_s[i]);
        } else if (note.is_lost) {
            turn->skipped++;
            note_change(forecast, job, CHANGE_SKIPPED, fires_s[i]);
        } else if (is_second) {
            turn->doubled++;
            note_change(forecast, job, CHANGE_DOUBLED, fires_s[i]);
        }
    }
}

static void look_at_job(struct forecast *forecast, const struct forecast_job *job)
{
    const struct zone *zone = job->schedule->zone;
    size_t segment = zone_segment_at(zone, forecast->now_ms / 1000) + 1;

    for (; segment < zone->count && zone->segments[segment].start_s * 1000 < forecast->to_ms; segment++) {
        struct forecast_turn *turn = zone_jump_s(zone, segment) != 0 ? turn_of(forecast, zone, segment) : NULL;

        if (turn != NULL) {
            look_around(forecast, job, turn);
        }
    }
}

void forecast_find_changes(struct forecast *forecast, const struct forecast_input *input)
{
    forecast->changes = arena_alloc_array(&forecast->arena, FORECAST_CHANGES_MAX, sizeof *forecast->changes);
    forecast->turns = arena_alloc_array(&forecast->arena, FORECAST_TURNS_MAX, sizeof *forecast->turns);
    for (size_t i = 0; i < input->job_count; i++) {
        if (input->jobs[i].schedule->kind == SCHEDULE_CRON) {
            look_at_job(forecast, &input->jobs[i]);
        }
    }
}
