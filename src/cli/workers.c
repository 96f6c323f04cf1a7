#include <stdio.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/listing.h"
#include "cli/when.h"

struct workers_options {
    struct api_options api;
    struct listing_options listing;
    struct str pool;
};

static const struct column columns[] = {
    {"NAME", .can_shrink = true},
    {"POOLS", .can_shrink = true},
    {"HOLDS", .is_right = true},
    {"SEEN"},
    {"OLDEST", .is_optional = true},
    {"WORKER", .can_shrink = true, .is_optional = true},
    {0},
};

static void put_pools(struct table *table, struct jr pools)
{
    SCOPE(buf_done) struct buf text;
    struct str pool;

    buf_init(&text, TABLE_CELL_BYTES_MAX);
    for (size_t i = 0; i < jr_count(pools); i++) {
        if (jr_as_str(jr_at(pools, i), &pool, NULL) == ERR_OK) {
            buf_append_text(&text, i > 0 ? "," : "");
            buf_append_str(&text, pool);
        }
    }
    table_put(table, buf_str(&text));
}

static void row(struct table *table, struct jr item, int64_t now_ms)
{
    struct str name = field_str(item, "name");
    struct jr oldest = jr_at(jr_get(item, "holding"), 0);
    char text[WHEN_BYTES];

    table_put(table, name.len > 0 ? name : field_str(item, "worker"));
    put_pools(table, jr_get(item, "pools"));
    table_printf(table, STYLE_PLAIN, "%lld of %lld", (long long)field_int(item, "running", 0),
                 (long long)field_int(item, "capacity", 0));
    table_put(table, str_from(when_relative(when_field(item, "last_seen_at"), now_ms, text)));
    table_put(table, str_from(when_relative(when_field(oldest, "started_at"), now_ms, text)));
    table_put_style(table, STYLE_DIM, field_str(item, "worker"));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct workers_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    const struct listing listing = {&options.listing, columns, row, "no workers"};
    int exit_code = api_open_with(&api, command, &options.api, &arguments, 0);
    url_path(&url, "/v1/workers");
    url_query(&url, "pool", options.pool);
    return exit_code == EXIT_DONE ? listing_show(&api, &listing, &url) : exit_code;
}

static const struct option table[] = {
    {"pool", "POOL", "only those that serve it", offsetof(struct workers_options, pool)},
    LISTING_OPTION_ROWS(struct workers_options, listing),
    {0},
};

const struct command command_workers = {
    .name = "workers",
    .group = "Operating",
    .summary = "who is there to work, and what they hold",
    .usage = "belfry workers [options]     those heard of in the last ten minutes, or that hold something\n",
    .options = table,
    .is_api = true,
    .run = run,
};
