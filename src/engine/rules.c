#include "engine/rules.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "calendar/zone_text.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "model/zone_rules.h"

/* ---- what the store has ---- */

static const struct zone *zone_of(const struct job *job)
{
    const struct schedule *schedule = job->schedule;
    bool has_zone = schedule != NULL && schedule->kind == SCHEDULE_CRON && strcmp(schedule->zone->name, "UTC") != 0;

    return has_zone ? schedule->zone : NULL;
}

uint64_t rules_of(const struct job *job)
{
    const struct zone *zone = zone_of(job);

    return zone != NULL ? zone->rules_hash : 0;
}

void rules_gather(struct engine *engine, const struct job *job)
{
    const struct zone *zone = zone_of(job);

    if (zone == NULL || idmap_find(&engine->rules, zone->rules_hash) != NULL) {
        return;
    }
    SCOPE(buf_done) struct buf text;

    buf_init(&text, ZONE_TEXT_BYTES_MAX);
    zone_text_write(zone, &text);
    gather_op(engine, OP_RULES_PUT)->rules = (struct rules_row){
        .hash = zone->rules_hash,
        .zone = gather_text(engine, str_from(zone->name)),
        .text = gather_text(engine, buf_str(&text)),
    };
    idmap_put(&engine->rules, zone->rules_hash, engine); /* any pointer: only being there counts */
}

void rules_restore(struct engine *engine, const struct rows *rows)
{
    for (size_t i = 0; i < rows->rules.count; i++) {
        const struct rules_row *row = &rows->rules.items[i];

        /* Of rules that cannot be read the present ones take the place, and they are written anew. */
        if (zone_rules_keep(engine->config.zones, row)) {
            idmap_put(&engine->rules, row->hash, engine);
        }
    }
}

/* ---- other rules ---- */

bool rules_are_former(struct engine *engine, const struct job *job, struct schedule *ret_schedule)
{
    const struct zone *zone = zone_of(job);
    const struct zone *present =
        zone != NULL && job->cursor_ms != TIME_NONE ? zone_rules_present(engine->config.zones, zone->name) : NULL;

    if (present == NULL || present->rules_hash == zone->rules_hash) {
        return false;
    }
    *ret_schedule = *job->schedule;
    ret_schedule->zone = present;
    return true;
}

bool rules_must_wait(const struct engine *engine, const struct job *job, const struct schedule *schedule)
{
    int64_t next_ms;

    return job->cursor_ms <= engine->now_ms &&
           (!schedule_next(schedule, job->cursor_ms - 1, &next_ms) || next_ms != job->cursor_ms);
}

/* Whether a fire's local time came by the former rules before their cursor, so that it has been decided. Schedules that
 * follow the clock through gap and fold follow it here too. */
static bool was_decided(const struct schedule *schedule, const struct zone *former, int64_t former_cursor_ms,
                        int64_t fire_ms)
{
    if (schedule->cron.follows_clock) {
        return false;
    }
    int64_t local_s = zone_to_local(schedule->zone, fire_ms / 1000);
    struct zone_instants then = zone_from_local(former, local_s);
    int64_t then_s = schedule->dst.fold == DST_FOLD_SECOND ? then.second_s : then.first_s;

    return then_s < former_cursor_ms / 1000;
}

/* The cursor to the first fire after after_ms that has not been decided by its local time. */
static void find_cursor(struct engine *engine, struct job *job, const struct zone *former, int64_t former_cursor_ms,
                        int64_t after_ms)
{
    int64_t last_ms = TIME_NONE;
    int64_t next_ms = after_ms;

    fire_begin(engine, job, after_ms);
    while (schedule_next_counted(job->schedule, next_ms, job->fired, &next_ms) &&
           was_decided(job->schedule, former, former_cursor_ms, next_ms)) {
        last_ms = next_ms; /* ends: former rules are hours away, and fires a second apart */
    }
    if (last_ms != TIME_NONE) {
        fire_skip_to(engine, job, last_ms, SKIP_MOVED);
    }
}

void rules_move(struct engine *engine, struct job *job, const struct schedule *schedule)
{
    const struct zone *former = job->schedule->zone;
    int64_t cursor_ms = job->cursor_ms;
    bool is_due = cursor_ms <= engine->now_ms;
    int64_t decided_ms = fire_last_decided(job);

    assert(job->def != NULL && !rules_must_wait(engine, job, schedule));
    gather_version(engine, job);
    job->version++;
    job->updated_ms = engine->now_ms;
    job->skip.count = 0;
    *job->schedule = *schedule;
    gather_job(engine, job);
    job->op->job.def = gather_text(engine, str_from_bytes(job->def, job->def_len));
    if (is_due) {
        job->anchor_ms = cursor_ms - 1; /* what is due stays due, and is the first by the present rules */
    } else {
        job->anchor_ms = max_ms(engine->now_ms, decided_ms);
        job->held_to_ms = job->missed_to_ms = TIME_NONE;
        find_cursor(engine, job, former, cursor_ms, job->anchor_ms);
    }
    line_rebuild(engine, job);
    fire_complete_if_over(engine, job);
}
