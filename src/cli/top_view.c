#include "cli/top_view.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/field.h"
#include "cli/job_ref.h"
#include "cli/table.h"
#include "cli/when.h"

#define SECTION_BYTES_MAX (1024 * 1024)
/* Rows of each part; the terminal's height cuts what is too much. */
#define POOLS_SHOWN 10
#define RUNNING_SHOWN 12
#define WORKERS_SHOWN 10
#define BARS_MAX 60

/* Eighths of a block, from none to all. */
static const char *const bars[] = {" ",
                                   "\xe2\x96\x81",
                                   "\xe2\x96\x82",
                                   "\xe2\x96\x83",
                                   "\xe2\x96\x84",
                                   "\xe2\x96\x85",
                                   "\xe2\x96\x86",
                                   "\xe2\x96\x87",
                                   "\xe2\x96\x88"};
#define BARS_STEPS 8

static void put_share(struct buf *out, const char *name, struct jr object, const char *field)
{
    if (field_is_set(object, field)) {
        buf_printf(out, "   %s %.0f %%", name, 100 * field_double(object, field, 0));
    }
}

static void put_head(const struct top_facts *facts, struct buf *out)
{
    struct jr stats = facts->stats;
    struct jr day = jr_get(stats, "last_24h");
    struct jr lag = jr_get(day, "lag_ms");
    char length[WHEN_BYTES];
    char p50[WHEN_BYTES];

    buf_printf(out, "jobs %lld   ready %lld   running %lld   overdue %lld   dead %lld\n",
               (long long)field_int(stats, "jobs", 0), (long long)field_int(stats, "ready", 0),
               (long long)field_int(stats, "running", 0), (long long)field_int(stats, "overdue", 0),
               (long long)field_int(stats, "dead", 0));
    buf_printf(out, "workers %lld   capacity %lld", (long long)field_int(stats, "workers", 0),
               (long long)field_int(stats, "capacity", 0));
    put_share(out, "used", stats, "saturation");
    buf_printf(out, "   waits longest %s\n", when_length(field_int(stats, "oldest_ready_ms", 0), length));
    buf_printf(out, "24 h: fired %lld   executed %lld   failed %lld   retried %lld   skipped %lld",
               (long long)field_int(day, "fired", 0), (long long)field_int(day, "executed", 0),
               (long long)field_int(day, "failed", 0), (long long)field_int(day, "retried", 0),
               (long long)field_int(day, "skipped", 0));
    put_share(out, "succeeded", day, "success_rate");
    buf_printf(out, "\nlag: half %s, all but 1 %% %s%s\n", when_length(field_int(lag, "p50", -1), p50),
               when_length(field_int(lag, "p99", -1), length),
               field_bool(stats, "clock_held") ? "   THE CLOCK IS HELD: see belfry clock -h" : "");
}

/* How much was executed in each minute of the last hour, and how many a second in the last whole one. */
static void put_rate(const struct top_facts *facts, struct buf *out)
{
    struct jr points = jr_get(facts->history, "points");
    size_t count = jr_count(points);
    size_t first = count > BARS_MAX ? count - BARS_MAX : 0;
    int64_t most = 1;

    if (count == 0) {
        return;
    }
    for (size_t i = first; i < count; i++) {
        int64_t executed = field_int(jr_at(points, i), "executed", 0);

        most = executed > most ? executed : most;
    }
    int64_t last = field_int(jr_at(points, count > 1 ? count - 2 : 0), "executed", 0);
    buf_printf(out, "rate: %.1f a second  ", (double)last / 60);
    for (size_t i = first; i < count; i++) {
        int64_t executed = field_int(jr_at(points, i), "executed", 0);

        buf_append_text(out, bars[(executed * BARS_STEPS + most - 1) / most]);
    }
    buf_append_char(out, '\n');
}

static void put_pools(const struct top_facts *facts, int width, bool is_coloured, struct buf *out)
{
    static const struct column columns[] = {{"POOL", .can_shrink = true},
                                            {"READY", .is_right = true},
                                            {"RUNNING", .is_right = true},
                                            {"WAITS", .is_right = true, .is_optional = true},
                                            {"WORKERS", .is_right = true},
                                            {"CAPACITY", .is_right = true, .is_optional = true},
                                            {"USED", .is_right = true, .is_optional = true},
                                            {0}};
    struct jr pools = jr_get(facts->stats, "pools");
    char length[WHEN_BYTES];
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    for (size_t i = 0; i < jr_count(pools) && i < POOLS_SHOWN; i++) {
        struct jr pool = jr_at(pools, i);

        table_put(&table, field_str(pool, "pool"));
        table_printf(&table, STYLE_PLAIN, "%lld", (long long)field_int(pool, "ready", 0));
        table_printf(&table, STYLE_PLAIN, "%lld", (long long)field_int(pool, "running", 0));
        table_put(&table, str_from(when_length(field_int(pool, "oldest_ready_ms", 0), length)));
        table_printf(&table, field_int(pool, "workers", 0) > 0 ? STYLE_PLAIN : STYLE_BAD, "%lld",
                     (long long)field_int(pool, "workers", 0));
        table_printf(&table, STYLE_PLAIN, "%lld", (long long)field_int(pool, "capacity", 0));
        table_printf(&table, STYLE_PLAIN, "%.0f %%", 100 * field_double(pool, "saturation", 0));
    }
    if (table_rows(&table) > 0) {
        buf_append_char(out, '\n');
        table_render(&table, width, is_coloured, true, out);
    }
}

static void put_running(const struct top_facts *facts, int width, bool is_coloured, struct buf *out)
{
    static const struct column columns[] = {
        {"RUNNING", .can_shrink = true}, {"TYPE", .can_shrink = true, .is_optional = true},     {"SINCE"},
        {"WORKER", .can_shrink = true},  {"PROGRESS", .can_shrink = true, .is_optional = true}, {0}};
    char name[JOB_REF_BYTES];
    char length[WHEN_BYTES];
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    for (size_t i = 0; i < jr_count(facts->workers); i++) {
        struct jr worker = jr_at(facts->workers, i);
        struct jr holding = jr_get(worker, "holding");
        struct str who = field_str(worker, "name");

        for (size_t k = 0; k < jr_count(holding) && table_rows(&table) < RUNNING_SHOWN; k++) {
            struct jr held = jr_at(holding, k);
            struct jr progress = jr_get(held, "progress");

            table_put(&table, str_from(job_ref_text(field_str(held, "tenant"), field_str(held, "name"), name)));
            table_put(&table, field_str(held, "type"));
            table_put(&table, str_from(when_length(facts->now_ms - when_field(held, "started_at"), length)));
            table_put(&table, who.len > 0 ? who : field_str(worker, "worker"));
            if (field_is_set(progress, "percent")) {
                table_printf(&table, STYLE_PLAIN, "%.0f %% %.*s", field_double(progress, "percent", 0),
                             STR_ARGS(field_str(progress, "note")));
            } else {
                table_put(&table, field_str(progress, "note"));
            }
        }
    }
    if (table_rows(&table) > 0) {
        buf_append_char(out, '\n');
        table_render(&table, width, is_coloured, true, out);
    }
}

static void put_workers(const struct top_facts *facts, int width, bool is_coloured, struct buf *out)
{
    static const struct column columns[] = {
        {"WORKER", .can_shrink = true}, {"HOLDS", .is_right = true}, {"OF", .is_right = true}, {"SEEN"}, {0}};
    char away[WHEN_BYTES];
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    for (size_t i = 0; i < jr_count(facts->workers) && i < WORKERS_SHOWN; i++) {
        struct jr worker = jr_at(facts->workers, i);
        struct str who = field_str(worker, "name");

        table_put(&table, who.len > 0 ? who : field_str(worker, "worker"));
        table_printf(&table, STYLE_PLAIN, "%lld", (long long)field_int(worker, "running", 0));
        table_printf(&table, STYLE_PLAIN, "%lld", (long long)field_int(worker, "capacity", 0));
        table_put(&table, str_from(when_relative(when_field(worker, "last_seen_at"), facts->now_ms, away)));
    }
    if (table_rows(&table) > 0) {
        buf_append_char(out, '\n');
        table_render(&table, width, is_coloured, true, out);
    }
}

/* The first characters of a line, escapes not counted. */
static void put_line(struct buf *out, struct str line, int width)
{
    int used = 0;
    bool is_escape = false;

    for (size_t i = 0; i < line.len; i++) {
        char c = line.ptr[i];
        bool begins = ((unsigned char)c & 0xC0U) != 0x80U;

        is_escape = is_escape || c == '\033';
        if (!is_escape && begins && width > 0 && ++used > width) {
            break;
        }
        buf_append_char(out, c);
        is_escape = is_escape && c != 'm';
    }
    buf_append_char(out, '\n');
}

void top_view_write(const struct top_facts *facts, int width, int height, bool is_coloured, struct buf *out)
{
    SCOPE(buf_done) struct buf all;
    struct str line;
    bool done = false;

    buf_init(&all, SECTION_BYTES_MAX);
    put_head(facts, &all);
    put_rate(facts, &all);
    put_pools(facts, width, is_coloured, &all);
    put_running(facts, width, is_coloured, &all);
    put_workers(facts, width, is_coloured, &all);
    struct str rest = buf_str(&all);
    for (int i = 0; i < height && str_split(&rest, '\n', &done, &line) && !done; i++) {
        put_line(out, line, width);
    }
}
