#include "cli/commands.h"
#include "cli/field.h"
#include "cli/scope.h"

static const struct column columns[] = {
    {"TYPE", .can_shrink = true},
    {"STATE"},
    {"READY", .is_right = true},
    {"RUNNING", .is_right = true},
    {"BREAKERS"},
    {"SETTINGS", .can_shrink = true},
    {0},
};

static void row(struct table *table, struct jr item, int64_t now_ms)
{
    size_t open = jr_count(jr_get(item, "breakers"));

    (void)now_ms;
    table_put(table, field_str(item, "type"));
    scope_put_state(table, item);
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "ready", 0));
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "running", 0));
    if (open == 0) {
        table_put(table, STR("closed"));
    } else {
        table_printf(table, STYLE_BAD, "%zu open", open);
    }
    scope_put_settings(table, item);
}

static const struct scope_kind kind = {
    .path = "/v1/types",
    .field = "type",
    .plural = "types",
    .settings = "max_in_flight rate burst breaker retry timeout dead_policy",
    .columns = columns,
    .row = row,
};

static int run(const struct command *command, int argc, char **argv)
{
    return scope_run(command, &kind, argc, argv);
}

static const struct option table[] = {
    {"tenant", "TENANT", "the type in this tenant only", offsetof(struct scope_options, tenant)},
    SCOPE_OPTION_ROWS,
    {0},
};

const struct command command_types = {
    .name = "types",
    .group = "Operating",
    .summary = "types of work: list, show, set, pause, resume",
    .usage = "belfry types [list]                   all types\n"
             "belfry types show|pause TYPE          its settings and figures; nothing of it starts\n"
             "belfry types resume TYPE [--ramp D]   at once, or growing over a time\n"
             "belfry types set TYPE NAME=VALUE...   changes settings; NAME=none takes one away\n",
    .text = "Settings: max_in_flight rate burst breaker retry timeout dead_policy\n",
    .examples = "belfry types set send_email rate=10/s burst=5 'breaker={\"open\":\"1m\"}'\n"
                "belfry types pause send_email --tenant acme\n",
    .words = SCOPE_WORDS,
    .options = table,
    .is_api = true,
    .run = run,
};
