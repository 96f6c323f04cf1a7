/* pause, resume and cancel: the three words for a job's status. */
#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/one_job.h"

struct verb {
    const char *status;
    const char *done;
};

static const struct verb *verb_of(const struct command *command)
{
    static const struct verb pause = {"{\"status\":\"paused\"}", "paused"};
    static const struct verb resume = {"{\"status\":\"active\"}", "resumed"};
    static const struct verb cancel = {"{\"status\":\"cancelled\"}", "cancelled"};

    return command == &command_pause ? &pause : command == &command_resume ? &resume : &cancel;
}

static int change(struct api *api, const struct command *command, const struct one_job_options *options,
                  const char *text)
{
    const struct verb *verb = verb_of(command);
    bool is_trigger = job_ref_is_trigger(text);
    SCOPE(url_done) struct url url;

    url_init(&url);
    if (is_trigger && command != &command_cancel) {
        return command_usage(command->name, "a trigger can be cancelled, not %s; name its job", verb->done);
    }
    int exit_code = one_job_url(command, options, text, is_trigger ? "/cancel" : "/status", &url);
    if (exit_code == EXIT_DONE) {
        exit_code = is_trigger ? api_write(api, "POST", &url, (struct str){0})
                               : api_write(api, "PATCH", &url, str_from(verb->status));
    }
    if (exit_code == EXIT_DONE) {
        one_job_tell(api, verb->done, text);
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
    return one_job_each(command, &options, &arguments, change);
}

const struct command command_pause = {
    .name = "pause",
    .group = "Jobs",
    .summary = "pause jobs: nothing of them starts",
    .usage = "belfry pause JOB...     nothing of them starts; what runs goes on\n",
    .text = "JOB is NAME, TENANT/NAME or an id. Tenants, pools and types have a pause of their own.\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};

const struct command command_resume = {
    .name = "resume",
    .group = "Jobs",
    .summary = "resume jobs that were paused",
    .usage = "belfry resume JOB...     what was missed is settled by the job's misfire policy\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};

const struct command command_cancel = {
    .name = "cancel",
    .group = "Jobs",
    .summary = "cancel jobs for good, or single triggers",
    .usage = "belfry cancel JOB|TRIGGER...     cancels what has not started and stops what runs\n",
    .text = "A cancelled job is never active again. A one-time job that has fired is past cancelling; cancel its\n"
            "trigger.\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};
