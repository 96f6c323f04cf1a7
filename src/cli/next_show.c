#include "cli/next_show.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "calendar/civil.h"
#include "calendar/describe.h"
#include "calendar/dst_note.h"
#include "calendar/instant.h"
#include "cli/show.h"

/* QUERY_COUNT_MAX fires of some 300 bytes each. */
#define JSON_OUT_BYTES_MAX (4 * 1024 * 1024)

/* A fire and what there is to say about it. */
struct row {
    int64_t fire_ms;
    const struct zone_segment *segment;
    int64_t local_s;
    char note[DST_NOTE_BYTES];
};

static struct row row_of(const struct query *query, int64_t before_ms, int64_t fire_ms)
{
    const struct schedule *schedule = &query->schedule;
    int64_t fire_s = civil_floor_div(fire_ms, 1000);
    struct row row = {.fire_ms = fire_ms};

    row.segment = &schedule->zone->segments[zone_segment_at(schedule->zone, fire_s)];
    row.local_s = fire_s + row.segment->offset_s;
    if (schedule->kind == SCHEDULE_CRON) {
        struct cron_clock clock = {.cron = &schedule->cron, .zone = schedule->zone, .dst = schedule->dst};
        struct dst_note note = dst_note_of(&clock, civil_floor_div(before_ms, 1000), fire_s);

        (void)dst_note_text(&note, row.note);
    }
    return row;
}

static void describe(const struct query *query, struct buf *out)
{
    buf_init(out, DESCRIBE_BYTES_MAX);
    describe_expression(&query->expression, query->schedule.zone, out);
}

/* What the person may not have meant; note is called for each. */
static void each_note(const struct query *query, void (*note)(void *context, const char *text), void *context)
{
    const struct cron *cron = &query->expression.cron;
    bool is_cron = query->expression.kind == EXPRESSION_CRON;
    bool has_policy = query->dst.gap != DST_GAP_AFTER || query->dst.fold != DST_FOLD_FIRST;

    for (unsigned bit = 0; is_cron && bit < CRON_WARNINGS; bit++) {
        if ((cron->warnings & 1U << bit) != 0) {
            note(context, cron_warning_text((enum cron_warning)(1U << bit)));
        }
    }
    if (is_cron && cron->is_spread && query->seed.ptr == NULL) {
        note(context, "H is picked by a seed, which for a job is its name: --seed NAME shows that job's times");
    }
    if (has_policy && (!is_cron || cron->follows_clock)) {
        note(context, "gap and fold policies are for fixed times; this schedule follows the clock");
    }
}

static void print_note(void *context, const char *text)
{
    (void)context;
    (void)printf("note: %s\n", text);
}

static void put_note(void *context, const char *text)
{
    jw_text(context, text);
}

/* How wide the columns are: seconds and milliseconds are shown only where a fire has them. */
struct columns {
    bool with_seconds;
    int local;
    int utc;
};

static struct columns columns_for(const int64_t *fires_ms, size_t count)
{
    bool with_seconds = false;
    bool with_ms = false;

    for (size_t i = 0; i < count; i++) {
        with_seconds |= fires_ms[i] % 60000 != 0;
        with_ms |= fires_ms[i] % 1000 != 0;
    }
    return (struct columns){.with_seconds = with_seconds, .local = with_seconds ? 28 : 25, .utc = with_ms ? 24 : 20};
}

static void print_row(const struct row *row, const struct columns *columns, int64_t now_ms)
{
    char local[SHOW_TIME_BYTES];
    char utc[INSTANT_BYTES];
    char away[SHOW_TIME_BYTES];
    char zoned[2 * SHOW_TIME_BYTES];

    (void)show_local(row->local_s, columns->with_seconds, local);
    (void)show_from_now(row->fire_ms, now_ms, away);
    (void)snprintf(zoned, sizeof zoned, "%s %s", local, row->segment->abbr);
    (void)printf("  %-*s  %-*s  ", columns->local, zoned, columns->utc, instant_format_short(row->fire_ms, utc));
    if (row->note[0] != '\0') {
        (void)printf("%-15s  <- %s\n", away, row->note);
    } else {
        (void)printf("%s\n", away);
    }
}

void next_show_table(const struct query *query, const int64_t *fires_ms, size_t count, int64_t now_ms)
{
    struct buf text;
    char from[INSTANT_BYTES];
    struct columns columns = columns_for(fires_ms, count);

    describe(query, &text);
    (void)printf("%s\n", buf_text(&text));
    buf_done(&text);
    each_note(query, print_note, NULL);
    if (count == 0) {
        (void)printf("It does not fire again after %s (Belfry looks until the end of %d).\n",
                     instant_format_short(query->from_ms, from), YEAR_MAX);
        return;
    }
    (void)printf("\n  %-*s  UTC\n", columns.local, "local time");
    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(query, i == 0 ? query->from_ms : fires_ms[i - 1], fires_ms[i]);

        print_row(&row, &columns, now_ms);
    }
}

static void put_fire(struct jw *jw, const struct row *row)
{
    char text[INSTANT_BYTES];

    jw_begin_object(jw);
    jw_key(jw, "utc");
    jw_text(jw, instant_format_short(row->fire_ms, text));
    jw_key(jw, "local");
    jw_text(jw, instant_format_local(row->local_s, text));
    jw_key(jw, "weekday");
    jw_text(jw, show_weekday(row->local_s));
    jw_key(jw, "offset");
    jw_int(jw, row->segment->offset_s);
    jw_key(jw, "abbr");
    jw_text(jw, row->segment->abbr);
    jw_key(jw, "note");
    jw_text(jw, row->note[0] != '\0' ? row->note : NULL);
    jw_end_object(jw);
}

static void put_next(struct jw *jw, const int64_t *fires_ms, size_t count)
{
    char text[INSTANT_BYTES];

    jw_key(jw, "next");
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        jw_text(jw, instant_format_short(fires_ms[i], text));
    }
    jw_end_array(jw);
}

void next_show_json(const struct query *query, const int64_t *fires_ms, size_t count)
{
    struct buf text;
    struct buf out;
    struct jw jw;

    describe(query, &text);
    buf_init(&out, JSON_OUT_BYTES_MAX);
    jw_init(&jw, &out);
    jw_begin_object(&jw);
    jw_key(&jw, "expr");
    jw_str(&jw, query->expr);
    jw_key(&jw, "tz");
    jw_text(&jw, query->schedule.zone->name);
    jw_key(&jw, "description");
    jw_text(&jw, buf_text(&text));
    jw_key(&jw, "warnings");
    jw_begin_array(&jw);
    each_note(query, put_note, &jw);
    jw_end_array(&jw);
    put_next(&jw, fires_ms, count);
    jw_key(&jw, "fires");
    jw_begin_array(&jw);
    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(query, i == 0 ? query->from_ms : fires_ms[i - 1], fires_ms[i]);

        put_fire(&jw, &row);
    }
    jw_end_array(&jw);
    jw_end_object(&jw);
    (void)printf("%s\n", buf_text(&out));
    buf_done(&out);
    buf_done(&text);
}
