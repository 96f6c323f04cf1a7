/* pause, resume and cancel: the three words for a job's status. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/one_job.h"
#include "cli/show.h"

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

/* The newest trigger of the job that has not ended, or one without an id. Takes the place of the last answer. */
static struct str live_trigger(struct api *api, const struct command *command, const struct one_job_options *options,
                               const char *text)
{
    SCOPE(url_done) struct url url;
    struct error error;

    url_init(&url);
    if (one_job_url(command, options, text, "/triggers", &url) != EXIT_DONE) {
        return (struct str){0};
    }
    url_query(&url, "record", STR("trigger"));
    const struct client_request request = {.method = "GET", .path = url_str(&url)};
    struct jr items = api_try(api, &request, &error) == EXIT_DONE ? jr_get(api->root, "items") : (struct jr){0};
    for (size_t i = 0; i < jr_count(items); i++) {
        struct str status = field_str(jr_at(items, i), "status");

        if (str_is(status, "waiting") || str_is(status, "pending") || str_is(status, "running")) {
            return field_str(jr_at(items, i), "id");
        }
    }
    return (struct str){0};
}

/* A job that is past cancelling may have a trigger that is not: its id is what the person needs. */
static int refuse_cancel(struct api *api, const struct command *command, const struct one_job_options *options,
                         const char *text, const struct error *why)
{
    char safe[SHOW_SAFE_BYTES];
    struct str id = live_trigger(api, command, options, text);

    if (id.len > 0) {
        (void)fprintf(stderr, "belfry cancel: %s has fired already", show_safe(str_from(text), safe));
        (void)fprintf(stderr, "; to stop what it started: belfry cancel %s\n", show_safe(id, safe));
        return EXIT_REFUSED;
    }
    struct str said = str_from(why->text); /* without its advice */
    said.len = str_find_char(said, ';');
    (void)fprintf(stderr, "belfry cancel: %s", show_safe(said, safe));
    (void)fprintf(stderr, ", and nothing of it waits or runs; see: belfry history %s\n",
                  show_safe(str_from(text), safe));
    return EXIT_REFUSED;
}

static int change_job(struct api *api, const struct command *command, const struct one_job_options *options,
                      const char *text, const struct url *url)
{
    struct error error;
    const struct client_request request = {
        .method = "PATCH", .path = url_str(url), .body = str_from(verb_of(command)->status)};
    int exit_code = api_try(api, &request, &error);

    if (exit_code == EXIT_REFUSED && command == &command_cancel && api->answer.status == 409 && !api->is_json) {
        return refuse_cancel(api, command, options, text, &error);
    }
    return exit_code == EXIT_DONE ? EXIT_DONE : api_refuse(api, &request, exit_code, &error);
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
        exit_code =
            is_trigger ? api_write(api, "POST", &url, (struct str){0}) : change_job(api, command, options, text, &url);
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
    .text = "JOB is NAME, TENANT/NAME or an id; TRIGGER is trg_..., as belfry history shows it. A cancelled job is\n"
            "never active again. A one-time job that has fired is past cancelling; cancel its trigger.\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};
