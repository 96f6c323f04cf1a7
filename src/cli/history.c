/* history: the fire ledger of a job: what fired, what was skipped and why, what is due; or its attempts. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_view.h"
#include "cli/listing.h"
#include "cli/one_job.h"
#include "cli/when.h"

struct history_options {
    struct one_job_options job;
    struct listing_options listing;
    struct str record;
    bool is_attempts;
};

static const struct column ledger_columns[] = {
    {"SCHEDULED FOR"},
    {"WHEN", .is_optional = true},
    {"STATUS"},
    {"KIND", .is_optional = true},
    {"TRIES", .is_right = true, .is_optional = true},
    {"TOOK", .is_optional = true},
    {"ABOUT", .can_shrink = true},
    {"TRIGGER"},
    {0},
};

/* Fires that were skipped, or that wait to be decided: a range and a reason. */
static void fires_row(struct table *table, struct jr item, int64_t now_ms)
{
    int64_t from_ms = when_field(item, "from");
    int64_t count = field_int(item, "count", 1);
    struct str record = field_str(item, "record");
    struct str reason = field_str(item, "reason");
    struct str blocked = field_str(item, "blocked_by");
    char exact[WHEN_BYTES];
    char away[WHEN_BYTES];

    table_put(table, str_from(when_exact(from_ms, exact)));
    table_put(table, str_from(when_relative(from_ms, now_ms, away)));
    table_put_style(table, job_view_style(record), str_is(record, "skip") ? STR("skipped") : record);
    table_put(table, STR(""));
    table_put(table, STR(""));
    table_put(table, STR(""));
    if (count > 1) {
        table_printf(table, STYLE_PLAIN, "%.*s%s%lld fires to %s", STR_ARGS(reason), reason.len > 0 ? ": " : "",
                     (long long)count, when_exact(when_field(item, "to"), exact));
    } else {
        table_put(table, reason);
    }
    table_put_style(table, STYLE_DIM, blocked);
}

static void trigger_row(struct table *table, struct jr item, int64_t now_ms)
{
    int64_t scheduled_ms = when_field(item, "scheduled_for");
    struct jr attempt = jr_get(item, "last_attempt");
    struct str status = field_str(item, "status");
    struct str reason = field_str(item, "reason");
    char exact[WHEN_BYTES];
    char away[WHEN_BYTES];
    char error[JOB_VIEW_BYTES];

    (void)job_view_error(jr_get(attempt, "error"), error);
    table_put(table, str_from(when_exact(scheduled_ms, exact)));
    table_put(table, str_from(when_relative(scheduled_ms, now_ms, away)));
    table_put_style(table, job_view_style(status), status);
    table_put(table, field_str(item, "kind"));
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "attempts", 0));
    table_put(table, str_from(when_length(field_int(attempt, "duration_ms", -1), exact)));
    table_printf(table, STYLE_PLAIN, "%.*s%s%s", STR_ARGS(reason), reason.len > 0 && error[0] != '\0' ? "; " : "",
                 error);
    table_put_style(table, STYLE_DIM, field_str(item, "id"));
}

static void ledger_row(struct table *table, struct jr item, int64_t now_ms)
{
    if (str_is(field_str(item, "record"), "trigger")) {
        trigger_row(table, item, now_ms);
    } else {
        fires_row(table, item, now_ms);
    }
}

static const struct column attempt_columns[] = {
    {"STARTED"},
    {"STATUS"},
    {"TOOK", .is_optional = true},
    {"WORKER", .can_shrink = true, .is_optional = true},
    {"ERROR", .can_shrink = true},
    {"ATTEMPT"},
    {0},
};

static void attempt_row(struct table *table, struct jr item, int64_t now_ms)
{
    struct str status = field_str(item, "status");
    char text[WHEN_BYTES];
    char error[JOB_VIEW_BYTES];

    table_put(table, str_from(when_relative(when_field(item, "started_at"), now_ms, text)));
    table_put_style(table, job_view_style(status), status);
    table_put(table, str_from(when_length(field_int(item, "duration_ms", -1), text)));
    table_put(table, field_str(item, "worker"));
    table_put(table, str_from(job_view_error(jr_get(item, "error"), error)));
    table_put_style(table, STYLE_DIM, field_str(item, "id"));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct history_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (options.is_attempts && options.record.ptr != NULL) {
        return command_usage(command->name, "--record is about the ledger; attempts have none");
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    int exit_code = one_job_open(&api, command, &options.job, &arguments);
    if (exit_code == EXIT_DONE && job_ref_is_trigger(arguments.rest[0])) {
        return command_usage(command->name, "a trigger's attempts are in: belfry show %s", arguments.rest[0]);
    }
    if (exit_code == EXIT_DONE) {
        exit_code = one_job_url(command, &options.job, arguments.rest[0],
                                options.is_attempts ? "/executions" : "/triggers", &url);
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    url_query(&url, "record", options.record);
    const struct listing listing = {
        &options.listing,
        options.is_attempts ? attempt_columns : ledger_columns,
        options.is_attempts ? attempt_row : ledger_row,
        options.is_attempts ? "it was never executed" : "it never fired, and nothing is due",
    };
    return listing_show(&api, &listing, &url);
}

static const struct option table[] = {
    {"attempts", NULL, "every execution instead of every fire", offsetof(struct history_options, is_attempts)},
    {"record", "KIND", "only these: trigger, skip, due", offsetof(struct history_options, record),
     .choices = "trigger skip due"},
    LISTING_OPTION_ROWS(struct history_options, listing),
    ONE_JOB_TENANT_ROW,
    {0},
};

const struct command command_history = {
    .name = "history",
    .group = "Jobs",
    .summary = "the fire ledger of a job: what fired, what was skipped and why",
    .usage = "belfry history JOB [options]     every decision about its fires, newest first\n",
    .text = "JOB is NAME, TENANT/NAME or an id.\n",
    .options = table,
    .is_api = true,
    .run = run,
};
