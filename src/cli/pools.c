#include "cli/commands.h"
#include "cli/field.h"
#include "cli/scope.h"

static const struct column columns[] = {
    {"POOL", .can_shrink = true},
    {"STATE"},
    {"READY", .is_right = true},
    {"RUNNING", .is_right = true},
    {"WORKERS", .is_right = true},
    {"SETTINGS", .can_shrink = true},
    {0},
};

static void row(struct table *table, struct jr item, int64_t now_ms)
{
    int64_t workers = field_int(item, "workers", 0);
    int64_t ready = field_int(item, "ready", 0);

    (void)now_ms;
    table_put(table, field_str(item, "pool"));
    scope_put_state(table, item);
    table_printf(table, STYLE_PLAIN, "%lld", (long long)ready);
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "running", 0));
    table_printf(table, workers == 0 && ready > 0 ? STYLE_BAD : STYLE_PLAIN, "%lld", (long long)workers);
    scope_put_settings(table, item);
}

static const struct scope_kind kind = {
    .path = "/v1/pools",
    .field = "pool",
    .plural = "pools",
    .settings = "max_in_flight rate burst",
    .columns = columns,
    .row = row,
};

static int run(const struct command *command, int argc, char **argv)
{
    return scope_run(command, &kind, argc, argv);
}

static const struct option table[] = {SCOPE_OPTION_ROWS, {0}};

const struct command command_pools = {
    .name = "pools",
    .group = "Operating",
    .summary = "pools: list, show, set, pause, resume",
    .usage = "belfry pools [list]                   all pools\n"
             "belfry pools show|pause POOL          its settings and figures; nothing of it starts\n"
             "belfry pools resume POOL [--ramp D]   at once, or growing over a time\n"
             "belfry pools set POOL NAME=VALUE...   changes settings; NAME=none takes one away\n",
    .text = "Settings: max_in_flight rate burst\n",
    .examples = "belfry pools set email max_in_flight=64\nbelfry pools resume email --ramp 5m\n",
    .words = SCOPE_WORDS,
    .options = table,
    .is_api = true,
    .run = run,
};
