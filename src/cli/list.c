#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_ref.h"
#include "cli/job_view.h"
#include "cli/listing.h"
#include "cli/when.h"

struct list_options {
    struct api_options api;
    struct listing_options listing;
    struct str tenant, status, type, pool, label;
};

static const struct column columns[] = {
    {"NAME", .can_shrink = true},
    {"STATUS"},
    {"SCHEDULE", .can_shrink = true},
    {"NEXT"},
    {"LAST", .is_optional = true},
    {"RESULT"},
    {"TYPE", .is_optional = true, .can_shrink = true},
    {"POOL", .is_optional = true, .can_shrink = true},
    {0},
};

static void row(struct table *table, struct jr job, int64_t now_ms)
{
    struct str status = field_str(job, "status");
    struct str result = field_str(jr_get(job, "last_result"), "status");
    char name[JOB_REF_BYTES];
    char schedule[JOB_VIEW_BYTES];
    char away[WHEN_BYTES];

    table_put(table, str_from(job_ref_text(field_str(job, "tenant"), field_str(job, "name"), name)));
    table_put_style(table, job_view_style(status), status);
    table_put(table, str_from(job_view_schedule(job, schedule)));
    table_put(table, str_from(when_relative(when_field(job, "next_fire_at"), now_ms, away)));
    table_put(table, str_from(when_relative(when_field(job, "last_fired_at"), now_ms, away)));
    table_put_style(table, job_view_style(result), result.len > 0 ? result : STR("-"));
    table_put(table, field_str(job, "type"));
    table_put(table, field_str(job, "pool"));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct list_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    int exit_code = api_open_with(&api, command, &options.api, &arguments, 1);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    url_path(&url, "/v1/jobs");
    url_query(&url, "tenant", options.tenant);
    url_query(&url, "status", options.status);
    url_query(&url, "type", options.type);
    url_query(&url, "pool", options.pool);
    url_query(&url, "label", options.label);
    url_query(&url, "q", arguments.count > 0 ? str_from(arguments.rest[0]) : (struct str){0});
    const struct listing listing = {&options.listing, columns, row, "no jobs"};
    return listing_show(&api, &listing, &url);
}

static const struct option table[] = {
    {"tenant", "TENANT", "only this tenant's", offsetof(struct list_options, tenant)},
    {"status", "STATUS", "only of this status: active, paused, cancelled, completed",
     offsetof(struct list_options, status), .choices = "active paused cancelled completed"},
    {"type", "TYPE", "only of this type", offsetof(struct list_options, type)},
    {"pool", "POOL", "only of this pool", offsetof(struct list_options, pool)},
    {"label", "NAME[=TEXT]", "only with this label", offsetof(struct list_options, label)},
    LISTING_OPTION_ROWS(struct list_options, listing),
    {0},
};

const struct command command_list = {
    .name = "list",
    .group = "Jobs",
    .summary = "list jobs",
    .usage = "belfry list [PREFIX] [options]     jobs, or those whose name begins with PREFIX\n",
    .examples = "belfry list --tenant acme --status paused\nbelfry list nightly- --all\n",
    .options = table,
    .is_api = true,
    .run = run,
};
