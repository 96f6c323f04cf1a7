#include "base/mem.h"
#include "cli/commands.h"
#include "cli/one_job.h"

static int delete_one(struct api *api, const struct command *command, const struct one_job_options *options,
                      const char *text)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    if (job_ref_is_trigger(text)) {
        return command_usage(command->name, "a trigger goes with its job, or by: belfry dead discard %s", text);
    }
    int exit_code = one_job_url(command, options, text, "", &url);
    if (exit_code == EXIT_DONE) {
        exit_code = api_write(api, "DELETE", &url, (struct str){0});
    }
    if (exit_code == EXIT_DONE) {
        one_job_tell(api, "removed", text);
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct one_job_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    return one_job_each(command, &options, &arguments, delete_one);
}

const struct command command_rm = {
    .name = "rm",
    .group = "Jobs",
    .summary = "remove jobs and their history",
    .usage = "belfry rm JOB...     removes definitions and history; what lives of them is cancelled\n",
    .text = "JOB is NAME, TENANT/NAME or an id. Refused while other jobs depend on it.\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};
