#include "wire/fires.h"

#include <stdio.h>

#include "base/mem.h"
#include "calendar/civil.h"
#include "calendar/describe.h"
#include "calendar/dst_note.h"
#include "calendar/instant.h"
#include "wire/put.h"

static void put_note(struct jw *jw, const struct wire_fires *fires, size_t index)
{
    const struct schedule *schedule = fires->schedule;
    int64_t before_ms = index > 0 ? fires->fires_ms[index - 1] : fires->from_ms;
    char text[DST_NOTE_BYTES] = "";

    if (schedule->kind == SCHEDULE_CRON) {
        struct cron_clock clock = {.cron = &schedule->cron, .zone = fires->zone, .dst = schedule->dst};
        struct dst_note note =
            dst_note_of(&clock, civil_floor_div(before_ms, 1000), civil_floor_div(fires->fires_ms[index], 1000));

        (void)dst_note_text(&note, text);
    }
    wire_put_text(jw, "note", str_from(text));
}

/* The fields of a fire in an object that is open. */
static void put_fire(struct jw *jw, const struct wire_fires *fires, size_t index)
{
    int64_t utc_s = civil_floor_div(fires->fires_ms[index], 1000);
    const struct zone_segment *segment = &fires->zone->segments[zone_segment_at(fires->zone, utc_s)];
    int64_t local_s = utc_s + segment->offset_s;
    char text[INSTANT_BYTES];

    wire_put_instant(jw, "utc", fires->fires_ms[index]);
    wire_put_word(jw, "local", instant_format_local(local_s, text));
    wire_put_word(jw, "weekday", civil_weekday_name(civil_weekday(civil_floor_div(local_s, SECONDS_PER_DAY))));
    wire_put_int(jw, "offset", segment->offset_s);
    wire_put_word(jw, "abbr", segment->abbr);
    put_note(jw, fires, index);
}

void wire_fires(struct jw *jw, const struct wire_fires *fires)
{
    jw_begin_array(jw);
    for (size_t i = 0; i < fires->count && i < WIRE_FIRES_MAX; i++) {
        jw_begin_object(jw);
        put_fire(jw, fires, i);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

void wire_job_fires(struct jw *jw, uint64_t job, const char *description, const struct wire_fires *fires)
{
    jw_begin_object(jw);
    wire_put_id(jw, "job", ID_JOB, job);
    wire_put_word(jw, "description", description);
    wire_put_word(jw, "timezone", fires->zone->name);
    jw_key(jw, "fires");
    jw_begin_array(jw);
    for (size_t i = 0; i < fires->count && i < WIRE_FIRES_MAX; i++) {
        jw_begin_object(jw);
        put_fire(jw, fires, i);
        wire_put_instant(jw, "due_at", schedule_due_ms(fires->schedule, job, fires->fires_ms[i]));
        jw_end_object(jw);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}

/* ---- what an expression means ---- */

static void put_warning(struct jw *jw, const char *code, const char *detail)
{
    jw_begin_object(jw);
    wire_put_word(jw, "code", code);
    wire_put_word(jw, "detail", detail);
    jw_end_object(jw);
}

static const char *warning_code(enum cron_warning warning)
{
    switch (warning) {
    case CRON_WARN_NUMERIC_WEEKDAY:
        return "numeric_weekday";
    case CRON_WARN_DAY_STEP:
        return "day_step";
    case CRON_WARN_DAY_EITHER:
        return "day_either";
    case CRON_WARN_LONG_STEP:
        return "long_step";
    case CRON_WARN_FIXED_HOURS:
        return "fixed_hours";
    }
    return "unknown";
}

static void put_cron_warnings(struct jw *jw, const struct cron *cron)
{
    for (unsigned bit = 0; bit < CRON_WARNINGS; bit++) {
        enum cron_warning warning = (enum cron_warning)(1U << bit);

        if ((cron->warnings & 1U << bit) != 0) {
            put_warning(jw, warning_code(warning), cron_warning_text(warning));
        }
    }
}

/* The first change of the clock between where the search began and the last fire that is shown. */
static void put_clock_change(struct jw *jw, const struct wire_fires *fires)
{
    int64_t from_s = civil_floor_div(fires->from_ms, 1000);
    int64_t last_s = fires->count > 0 ? civil_floor_div(fires->fires_ms[fires->count - 1], 1000) : from_s;
    size_t last = zone_segment_at(fires->zone, last_s);

    for (size_t i = zone_segment_at(fires->zone, from_s) + 1; i <= last; i++) {
        int32_t jump_s = zone_jump_s(fires->zone, i);

        if (jump_s != 0) {
            struct civil day = civil_from_local(zone_to_local(fires->zone, fires->zone->segments[i].start_s));
            char text[64];

            (void)snprintf(text, sizeof text, "clocks go %s on %04d-%02d-%02d", jump_s > 0 ? "forward" : "back",
                           day.year, day.month, day.day);
            put_warning(jw, "dst_change", text);
            return;
        }
    }
}

static void put_warnings(struct jw *jw, const struct expression *expression, const struct wire_fires *fires,
                         bool has_seed, const char *herd)
{
    struct dst dst = fires->schedule->dst;
    bool is_cron = expression->kind == EXPRESSION_CRON;
    bool has_policy = dst.gap != DST_GAP_AFTER || dst.fold != DST_FOLD_FIRST;

    if (is_cron) {
        put_cron_warnings(jw, &expression->cron);
    }
    if (is_cron && expression->cron.is_spread && !has_seed) {
        put_warning(jw, "spread", "H is picked by the name of the job: give it as seed to see that job's times");
    }
    if (has_policy && (!is_cron || expression->cron.follows_clock)) {
        put_warning(jw, "dst_ignored", "gap and fold policies are for fixed times; this schedule follows the clock");
    }
    if (is_cron) {
        put_clock_change(jw, fires);
    }
    if (herd != NULL) {
        put_warning(jw, "herd", herd);
    }
}

void wire_preview(struct jw *jw, const struct expression *expression, const struct wire_fires *fires, bool has_seed,
                  const char *herd)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, DESCRIBE_BYTES_MAX);
    describe_expression(expression, fires->zone, &text);
    jw_begin_object(jw);
    wire_put_word(jw, "description", buf_text(&text));
    wire_put_word(jw, "timezone", fires->zone->name);
    jw_key(jw, "fires");
    wire_fires(jw, fires);
    jw_key(jw, "warnings");
    jw_begin_array(jw);
    put_warnings(jw, expression, fires, has_seed, herd);
    jw_end_array(jw);
    jw_end_object(jw);
}

void wire_describe(const struct job_def *def, const struct zone *zone, struct str seed, struct buf *out)
{
    struct expression expression = {.kind = EXPRESSION_EVERY, .every_ms = def->every_ms};
    char text[INSTANT_BYTES];

    switch (def->when) {
    case WHEN_NOW:
    case WHEN_DELAY:
    case WHEN_UPSTREAM:
        break;
    case WHEN_AT:
        buf_printf(out, "once, at %s", instant_format_short(def->run_at_ms, text));
        break;
    case WHEN_EVERY:
        describe_expression(&expression, zone, out);
        buf_append_text(out, def->after_finish ? ", counted from the end of the run before" : "");
        break;
    case WHEN_CRON:
        if (expression_parse(def->cron, seed, &expression, NULL) == ERR_OK) {
            describe_expression(&expression, zone, out);
        }
        break;
    }
}
