#include "api/fate.h"

#include <stdio.h>

#include "api/show.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "wire/trigger.h"

/* Triggers of one nominal time that are looked at; versions, the newest. */
#define TRIGGERS_MAX 100
#define VERSIONS_MAX 20

void fate_init(struct fate *fate)
{
    *fate = (struct fate){0};
    rows_init(&fate->triggers);
    rows_init(&fate->skips);
    rows_init(&fate->versions);
    rows_init(&fate->instead);
}

void fate_done(struct fate *fate)
{
    rows_done(&fate->triggers);
    rows_done(&fate->skips);
    rows_done(&fate->versions);
    rows_done(&fate->instead);
}

/* ---- when ---- */

#define LOCAL_MINUTE_BYTES (sizeof "2026-11-15T09:00" - 1)
#define LOCAL_SECOND_BYTES (sizeof "2026-11-15T09:00:00" - 1)

enum err fate_parse_at(struct str text, const struct job_row *job, struct zone_cache *zones, struct arena *arena,
                       int64_t *ret_at_ms, struct error *reterr)
{
    struct scheduled scheduled;
    char utc[LOCAL_SECOND_BYTES + sizeof "Z"];
    int64_t local_ms;

    if (text.len != LOCAL_MINUTE_BYTES && text.len != LOCAL_SECOND_BYTES) {
        return instant_parse(text, ret_at_ms, reterr);
    }
    (void)snprintf(utc, sizeof utc, "%.*s%sZ", STR_ARGS(text), text.len == LOCAL_MINUTE_BYTES ? ":00" : "");
    enum err err = instant_parse(str_from(utc), &local_ms, reterr);

    if (err == ERR_OK) {
        err = scheduled_read(job, zones, arena, &scheduled, reterr);
    }
    if (err == ERR_OK) {
        *ret_at_ms = zone_from_local(scheduled.zone, local_ms / 1000).first_s * 1000;
    }
    return err;
}

/* ---- which version of the schedule ---- */

static bool is_fire(const struct schedule *schedule, int64_t at_ms)
{
    int64_t fire_ms;

    return schedule_next(schedule, at_ms - 1, &fire_ms) && fire_ms == at_ms;
}

/* The job's row as it was with a version. */
static struct job_row row_of_version(const struct job_row *job, const struct version_row *version)
{
    struct job_row row = *job;

    row.version = version->version;
    row.anchor_ms = version->anchor_ms;
    row.rules = version->rules;
    row.def = version->def;
    return row;
}

static struct job_row row_at(const struct fate *fate, const struct job_row *job, size_t index)
{
    const struct rows *rows = &fate->versions;

    return index < rows->versions.count ? row_of_version(job, &rows->versions.items[index]) : *job;
}

/* Whether a version has a fire at that time. */
static bool has_fire(const struct api_request *request, const struct job_row *row, int64_t at_ms)
{
    SCOPE(arena_done) struct arena scratch; /* there are many: the request's own arena would not hold them all */
    struct scheduled scheduled;

    arena_init(&scratch, SHOW_DEF_BLOCK_BYTES, SHOW_DEF_BYTES_MAX);
    return scheduled_read(row, request->config->zones, &scratch, &scheduled, NULL) == ERR_OK &&
           scheduled.has_schedule && is_fire(&scheduled.schedule, at_ms);
}

/* The version that is named, or the one whose schedule held at that time: of those since the schedule's last change
 * before it (whose zones may have had other rules) the newest with such a fire, else the newest. False: there is none.
 */
static bool choose_version(const struct api_request *request, const struct fate *fate, const struct job_row *job,
                           uint32_t wanted, struct job_row *ret_row)
{
    int64_t at_ms = fate->told.at_ms;
    bool has_one = false;

    for (size_t i = fate->versions.versions.count + 1; i > 0; i--) {
        struct job_row row = row_at(fate, job, i - 1);

        if (wanted != 0 ? row.version != wanted : row.anchor_ms > at_ms) {
            continue;
        }
        if (has_one && row.anchor_ms != ret_row->anchor_ms) {
            break;
        }
        bool is_it = wanted != 0 || has_fire(request, &row, at_ms);

        if (is_it || !has_one) {
            *ret_row = row;
            has_one = true;
        }
        if (is_it) {
            break;
        }
    }
    return has_one;
}

static void find_version(struct api_request *request, struct fate *fate, const struct job_row *job, uint32_t wanted)
{
    struct job_row row;

    if (choose_version(request, fate, job, wanted, &row) &&
        scheduled_read(&row, request->config->zones, request->arena, &fate->scheduled, NULL) == ERR_OK) {
        fate->told.def = &fate->scheduled.def;
        fate->told.version = fate->scheduled.has_schedule ? row.version : 0;
    }
}

static void find_neighbours(struct fate *fate)
{
    if (fate->told.version == 0) {
        return;
    }
    if (!schedule_prev(&fate->scheduled.schedule, fate->told.at_ms, &fate->told.before_ms)) {
        fate->told.before_ms = TIME_NONE;
    }
    if (!schedule_next(&fate->scheduled.schedule, fate->told.at_ms, &fate->told.after_ms)) {
        fate->told.after_ms = TIME_NONE;
    }
}

/* ---- what is recorded ---- */

static bool read_fire(struct api_request *request, struct store_reader *reader, uint64_t job, int64_t at_ms,
                      struct rows *rows)
{
    const struct query query = {.kind = QUERY_FIRE,
                                .id = job,
                                .at_ms = at_ms,
                                .limit = TRIGGERS_MAX,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE};

    return api_query(request, reader, &query, rows);
}

static bool read_rows(struct api_request *request, struct store_reader *reader, const struct job_row *job,
                      struct fate *fate)
{
    struct query query = {
        .kind = QUERY_SKIPS, .id = job->id, .limit = 1, .after_ms = fate->told.at_ms + 1, .since_ms = TIME_NONE};

    if (!read_fire(request, reader, job->id, fate->told.at_ms, &fate->triggers) ||
        !api_query(request, reader, &query, &fate->skips)) {
        return false;
    }
    query.kind = QUERY_VERSIONS;
    query.after = job->version > VERSIONS_MAX ? job->version - VERSIONS_MAX : 0;
    query.after_ms = TIME_NONE;
    query.limit = VERSIONS_MAX;
    return api_query(request, reader, &query, &fate->versions);
}

/* The trigger that runs for it and has no row yet; NULL. */
static const struct claim *claim_without_row(struct api_request *request, const struct running *running,
                                             const struct job_row *job, int64_t at_ms)
{
    const struct claim **claims;
    size_t count = running_list(running, job->id, 0, request->arena, &claims);

    for (size_t i = 0; i < count; i++) {
        if (claims[i]->scheduled_ms == at_ms && running_of(running, claims[i]->trigger, NULL, job) != NULL) {
            return claims[i];
        }
    }
    return NULL;
}

/* Whether a trigger was made for it. */
static bool take_trigger(struct api_request *request, const struct running *running, const struct job_row *job,
                         struct fate *fate)
{
    struct wire_fate *told = &fate->told;

    if (fate->triggers.triggers.count > 0) {
        told->trigger = &fate->triggers.triggers.items[0];
        told->claim = running_of(running, told->trigger->id, told->trigger, job);
    } else {
        told->claim = claim_without_row(request, running, job, told->at_ms);
        if (told->claim == NULL) {
            return false;
        }
        fate->claimed = wire_claimed_row(job, told->claim);
        told->trigger = &fate->claimed;
    }
    told->kind = told->claim != NULL                   ? WIRE_FATE_RUNNING
                 : trigger_ended(told->trigger->state) ? WIRE_FATE_RAN
                                                       : WIRE_FATE_PENDING;
    return true;
}

/* ---- what ran for those that were skipped ---- */

static bool find_instead(struct api_request *request, struct store_reader *reader, const struct job_row *job,
                         struct fate *fate)
{
    const struct skip_row *skip = fate->told.skip;
    const struct job_def *def = fate->told.def;
    bool is_newest =
        skip->reason == SKIP_COLLAPSED || (skip->reason == SKIP_MISFIRE && def->misfire == MISFIRE_FIRE_LATEST);
    bool is_oldest = skip->reason == SKIP_MISFIRE && def->misfire == MISFIRE_FIRE_NOW;
    int64_t fire_ms;

    if (fate->told.version == 0 || (!is_newest && !is_oldest) ||
        !(is_newest ? schedule_next(&fate->scheduled.schedule, skip->to_ms, &fire_ms)
                    : schedule_prev(&fate->scheduled.schedule, skip->from_ms, &fire_ms))) {
        return true;
    }
    if (!read_fire(request, reader, job->id, fire_ms, &fate->instead)) {
        return false;
    }
    fate->told.instead = fate->instead.triggers.count > 0 ? &fate->instead.triggers.items[0] : NULL;
    return true;
}

/* ---- what is not recorded ---- */

static enum wire_fate_kind unrecorded(const struct fate *fate, const struct job_row *job)
{
    int64_t at_ms = fate->told.at_ms;
    bool goes_on = job->status == JOB_ACTIVE || job->status == JOB_PAUSED;

    if (goes_on && job->cursor_ms == at_ms) {
        return at_ms <= chrono_wall_ms() ? WIRE_FATE_DUE : WIRE_FATE_COMING;
    }
    if (at_ms < job->created_ms) {
        return WIRE_FATE_BEFORE_JOB;
    }
    if (fate->told.version == 0 || !is_fire(&fate->scheduled.schedule, at_ms)) {
        return WIRE_FATE_NOT_A_FIRE;
    }
    if (goes_on && job->cursor_ms != TIME_NONE && at_ms > job->cursor_ms) {
        return at_ms <= chrono_wall_ms() ? WIRE_FATE_DUE : WIRE_FATE_COMING;
    }
    return !goes_on ? WIRE_FATE_OVER : WIRE_FATE_UNKNOWN;
}

bool fate_read(struct api_request *request, struct store_reader *reader, const struct running *running,
               const struct job_row *job, int64_t at_ms, struct fate *fate)
{
    struct wire_fate *told = &fate->told;

    *told = (struct wire_fate){.at_ms = at_ms, .job = job, .before_ms = TIME_NONE, .after_ms = TIME_NONE};
    if (!read_rows(request, reader, job, fate)) {
        return false;
    }
    const struct skip_row *skip = fate->skips.skips.count > 0 ? &fate->skips.skips.items[0] : NULL;
    bool is_skip = skip != NULL && skip->to_ms >= at_ms;

    if (take_trigger(request, running, job, fate)) {
        find_version(request, fate, job, told->trigger->version);
    } else {
        find_version(request, fate, job, is_skip ? skip->version : at_ms > chrono_wall_ms() ? job->version : 0);
        bool is_known = told->version == 0 || is_fire(&fate->scheduled.schedule, at_ms);

        if (is_skip && is_known) {
            told->kind = WIRE_FATE_SKIPPED;
            told->skip = skip;
        } else {
            told->kind = unrecorded(fate, job);
        }
    }
    find_neighbours(fate);
    return told->kind != WIRE_FATE_SKIPPED || told->def == NULL || find_instead(request, reader, job, fate);
}
