#include "cli/commands.h"
#include "cli/field.h"
#include "cli/scope.h"

static const struct column columns[] = {
    {"TENANT", .can_shrink = true},
    {"STATE"},
    {"JOBS", .is_right = true},
    {"READY", .is_right = true},
    {"RUNNING", .is_right = true},
    {"SETTINGS", .can_shrink = true},
    {0},
};

static void row(struct table *table, struct jr item, int64_t now_ms)
{
    (void)now_ms;
    table_put(table, field_str(item, "tenant"));
    scope_put_state(table, item);
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "jobs", 0));
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "ready", 0));
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "running", 0));
    scope_put_settings(table, item);
}

static const struct scope_kind kind = {
    .path = "/v1/tenants",
    .field = "tenant",
    .plural = "tenants",
    .settings = "max_jobs max_in_flight rate burst weight max_payload_bytes spread retry timeout",
    .columns = columns,
    .row = row,
};

static int run(const struct command *command, int argc, char **argv)
{
    return scope_run(command, &kind, argc, argv);
}

static const struct option table[] = {SCOPE_OPTION_ROWS, {0}};

const struct command command_tenants = {
    .name = "tenants",
    .group = "Operating",
    .summary = "tenants: list, show, set, pause, resume",
    .usage = "belfry tenants [list]                     all tenants\n"
             "belfry tenants show|pause TENANT          its settings and figures; nothing of it starts\n"
             "belfry tenants resume TENANT [--ramp D]   at once, or growing over a time\n"
             "belfry tenants set TENANT NAME=VALUE...   changes settings; NAME=none takes one away\n",
    .text = "Settings: max_jobs max_in_flight rate burst weight max_payload_bytes spread retry timeout\n",
    .examples = "belfry tenants set acme max_in_flight=10 rate=100/s weight=5\n",
    .words = SCOPE_WORDS,
    .options = table,
    .is_api = true,
    .run = run,
};
