#include <stdio.h>

#include "base/mem.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/show.h"
#include "cli/table.h"
#include "cli/when.h"

struct forecast_options {
    struct api_options api;
    struct str days;
};

/* ---- tables ---- */

static void put_instant(struct table *table, struct jr object, const char *field)
{
    char text[WHEN_BYTES];

    table_put(table, str_from(when_exact(when_field(object, field), text)));
}

static void put_length(struct table *table, struct jr object, const char *field)
{
    char text[WHEN_BYTES];

    table_put(table, str_from(when_length(field_int(object, field, -1), text)));
}

static void put_number(struct table *table, struct jr object, const char *field)
{
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(object, field, 0));
}

/* TENANT/NAME. */
static void put_job(struct table *table, struct jr object)
{
    table_printf(table, STYLE_PLAIN, "%.*s/%.*s", STR_ARGS(field_str(object, "tenant")),
                 STR_ARGS(field_str(object, "name")));
}

static void put_herd(struct table *table, struct jr herd)
{
    struct jr flatten = jr_get(herd, "flatten");
    struct jr type = jr_at(jr_get(herd, "types"), 0);
    struct jr move = jr_at(jr_get(flatten, "moves"), 0);

    put_instant(table, herd, "at");
    put_number(table, herd, "count");
    table_put(table, field_str(type, "type"));
    put_number(table, flatten, "movable");
    put_number(table, flatten, "peak");
    table_put(table, field_is_set(flatten, "jitter") ? field_str(flatten, "jitter") : STR("-"));
    if (jr_kind(move) == JR_OBJECT) {
        table_printf(table, STYLE_PLAIN, "%.*s by %.*s", STR_ARGS(field_str(move, "name")),
                     STR_ARGS(field_str(move, "by")));
    } else {
        table_put(table, STR("-"));
    }
}

static void put_overlap(struct table *table, struct jr overlap)
{
    put_job(table, overlap);
    table_put(table, field_str(overlap, "overlap"));
    put_length(table, overlap, "median_ms");
    put_length(table, overlap, "p95_ms");
    table_put(table, field_str(overlap, "shortest_interval"));
    put_number(table, overlap, "expected");
    put_number(table, overlap, "possible");
    put_number(table, overlap, "fires");
    put_instant(table, overlap, "first_at");
}

static void put_change(struct table *table, struct jr change)
{
    put_job(table, change);
    table_put(table, field_str(change, "kind"));
    table_put(table, field_str(change, "local"));
    table_put(table, field_str(change, "timezone"));
    put_instant(table, change, "at");
}

static void put_shortage(struct table *table, struct jr shortage)
{
    table_put(table, field_str(shortage, "pool"));
    put_instant(table, shortage, "from");
    put_instant(table, shortage, "to");
    put_number(table, shortage, "capacity");
    put_number(table, shortage, "needed");
    put_number(table, shortage, "fires");
    put_length(table, shortage, "delay_ms");
}

static const struct column herd_columns[] = {
    {"MINUTE"},
    {"FIRES", .is_right = true},
    {"LARGEST TYPE", .can_shrink = true},
    {"CAN MOVE", .is_right = true},
    {"PEAK THEN", .is_right = true},
    {"OR JITTER", .is_right = true, .is_optional = true},
    {"FOR EXAMPLE", .can_shrink = true, .is_optional = true},
    {0},
};

static const struct column overlap_columns[] = {
    {"JOB", .can_shrink = true},    {"OVERLAP"},
    {"MEDIAN", .is_right = true},   {"P95", .is_right = true},
    {"INTERVAL", .is_right = true}, {"EXPECTED", .is_right = true},
    {"POSSIBLE", .is_right = true}, {"OF", .is_right = true},
    {"FIRST", .is_optional = true}, {0},
};

static const struct column change_columns[] = {
    {"JOB", .can_shrink = true},  {"FIRE"}, {"LOCAL TIME"}, {"TIME ZONE", .can_shrink = true},
    {"UTC", .is_optional = true}, {0},
};

static const struct column shortage_columns[] = {
    {"POOL", .can_shrink = true},  {"FROM"},
    {"TO", .is_optional = true},   {"PLACES", .is_right = true},
    {"NEEDED", .is_right = true},  {"FIRES WAIT", .is_right = true},
    {"LONGEST", .is_right = true}, {0},
};

static const struct part {
    const char *title, *list, *found;
    const struct column *columns;
    void (*put)(struct table *table, struct jr item);
} parts[] = {
    {"Herds", "herds", "herds_found", herd_columns, put_herd},
    {"Overlaps", "overlaps", "overlaps_found", overlap_columns, put_overlap},
    {"Clock changes", "changed_fires", "changed_fires_found", change_columns, put_change},
    {"Pools that are too small", "shortages", "shortages_found", shortage_columns, put_shortage},
};

static void print_part(struct jr root, const struct part *part)
{
    struct jr items = jr_get(root, part->list);
    int64_t found = field_int(root, part->found, 0);
    SCOPE(table_done) struct table table;

    (void)printf("\n%s", part->title);
    if (found > (int64_t)jr_count(items)) {
        (void)printf(" (%zu of %lld)", jr_count(items), (long long)found);
    }
    (void)printf("\n");
    table_init(&table, part->columns);
    for (size_t i = 0; i < jr_count(items); i++) {
        part->put(&table, jr_at(items, i));
    }
    table_print(&table, true);
}

static void print_forecast(struct jr root)
{
    struct jr sentences = jr_get(root, "sentences");
    char safe[SHOW_SAFE_BYTES];

    for (size_t i = 0; i < jr_count(sentences); i++) {
        struct str sentence;

        if (jr_as_str(jr_at(sentences, i), &sentence, NULL) == ERR_OK) {
            (void)printf("%s\n", show_safe(sentence, safe));
        }
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (jr_count(jr_get(root, parts[i].list)) > 0) {
            print_part(root, &parts[i]);
        }
    }
}

/* ---- the command ---- */

static int run(const struct command *command, int argc, char **argv)
{
    struct forecast_options options = {.days = STR("30")};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    url_path(&url, "/v1/forecast");
    url_query(&url, "days", options.days);
    int exit_code = api_open_with(&api, command, &options.api, &arguments, 0);
    if (exit_code == EXIT_DONE) {
        exit_code = api_get(&api, &url);
    }
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        print_forecast(api.root);
    }
    return exit_code;
}

static const struct option table[] = {
    {"days", "N", "how far to look ahead, 1 to 90 (default 30)", offsetof(struct forecast_options, days)},
    {0},
};

const struct command command_forecast = {
    .name = "forecast",
    .group = "Operating",
    .summary = "the coming days, played through: herds, overlaps, clock changes, pools too small",
    .usage = "belfry forecast [--days N]     what will go wrong, by the schedules and by how long jobs have run\n",
    .text =
        "Runs are as long as they have been: the median and the 95th percentile of a job's newest runs, else of its\n"
        "type's. What is found is said in sentences first, then in tables; --json has all of it.\n",
    .options = table,
    .is_api = true,
    .run = run,
};
