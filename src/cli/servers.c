#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/api.h"
#include "cli/table.h"
#include "cli/when.h"

struct servers_options {
    struct api_options api;
};

static const struct column columns[] = {
    {"SERVER", .can_shrink = true},
    {"URL", .can_shrink = true},
    {"OWNS", .can_shrink = true},
    {"EPOCH", .is_right = true},
    {"CLOCK", .is_right = true},
    {"VERSION", .is_optional = true},
    {"STARTED", .is_optional = true},
    {"SEEN"},
    {0},
};

static void put_shards(struct table *table, struct jr shards)
{
    SCOPE(buf_done) struct buf text;
    int64_t shard = 0;

    buf_init(&text, TABLE_CELL_BYTES_MAX);
    for (size_t i = 0; i < jr_count(shards); i++) {
        if (jr_as_int(jr_at(shards, i), 0, INT32_MAX, &shard, NULL) == ERR_OK) {
            buf_printf(&text, "%s%lld", i > 0 ? "," : "shard ", (long long)shard);
        }
    }
    table_put(table, text.len > 0 ? buf_str(&text) : STR("- (standby)"));
}

static void row(struct table *table, struct jr item, int64_t now_ms)
{
    char text[WHEN_BYTES];

    table_put_style(table, field_bool(item, "draining") ? STYLE_WARN : STYLE_PLAIN, field_str(item, "server"));
    table_put(table, field_str(item, "url"));
    put_shards(table, jr_get(item, "shards"));
    if (field_is_set(item, "epoch")) {
        table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "epoch", 0));
    } else {
        table_put(table, STR("-"));
    }
    if (field_is_set(item, "clock_offset_ms")) {
        table_printf(table, STYLE_PLAIN, "%+.1f ms", field_double(item, "clock_offset_ms", 0));
    } else {
        table_put(table, STR("-"));
    }
    table_put(table, field_str(item, "version"));
    table_put(table, str_from(when_relative(when_field(item, "started_at"), now_ms, text)));
    table_put(table, field_bool(item, "draining")
                         ? STR("draining")
                         : str_from(when_relative(when_field(item, "last_seen_at"), now_ms, text)));
}

static void print_table(const struct api *api)
{
    struct jr items = jr_get(api->root, "items");
    int64_t now_ms = chrono_wall_ms();
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    for (size_t i = 0; i < jr_count(items); i++) {
        row(&table, jr_at(items, i), now_ms);
    }
    table_print(&table, true);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct servers_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    int exit_code = api_open_with(&api, command, &options.api, &arguments, 0);
    url_path(&url, "/v1/servers");
    if (exit_code == EXIT_DONE) {
        exit_code = api_get(&api, &url);
    }
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        print_table(&api);
    }
    return exit_code;
}

const struct command command_servers = {
    .name = "servers",
    .group = "Operating",
    .summary = "the servers of the cluster",
    .usage = "belfry servers     the members of the cluster; a single server lists itself\n",
    .is_api = true,
    .run = run,
};
