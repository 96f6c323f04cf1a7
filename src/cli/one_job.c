#include "cli/one_job.h"

#include <stdio.h>

#include "base/mem.h"
#include "cli/progress.h"
#include "cli/show.h"

/* From so many jobs on it is worth saying how far it is. */
#define PROGRESS_FROM 20

const struct option one_job_option_table[] = {
    ONE_JOB_TENANT_ROW,
    {0},
};

int one_job_open(struct api *api, const struct command *command, const struct one_job_options *options,
                 const struct arguments *arguments)
{
    int exit_code = api_open(api, command, &options->api);

    if (exit_code == EXIT_DONE && arguments->count == 0) {
        exit_code = command_usage(command->name, "which job? NAME, TENANT/NAME or an id");
    }
    return exit_code == EXIT_DONE ? command_no_more(command->name, arguments, 1) : exit_code;
}

int one_job_url(const struct command *command, const struct one_job_options *options, const char *text,
                const char *rest, struct url *url)
{
    struct job_ref ref;
    struct error error;

    if (job_ref_is_trigger(text)) {
        url_path(url, "/v1/triggers");
        url_segment(url, str_from(text));
        url_path(url, rest);
        return EXIT_DONE;
    }
    if (job_ref_read(text, options->tenant, &ref, &error) != ERR_OK) {
        return command_usage(command->name, "%s", error.text);
    }
    job_ref_url(&ref, rest, url);
    return EXIT_DONE;
}

int one_job_get(struct api *api, const struct command *command, const struct one_job_options *options,
                const struct arguments *arguments, const char *rest)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    int exit_code = one_job_open(api, command, options, arguments);
    if (exit_code == EXIT_DONE) {
        exit_code = one_job_url(command, options, arguments->rest[0], rest, &url);
    }
    return exit_code == EXIT_DONE ? api_get(api, &url) : exit_code;
}

int one_job_each(const struct command *command, const struct one_job_options *options,
                 const struct arguments *arguments, one_job_action *action)
{
    SCOPE(api_close) struct api api;
    int worst = api_open(&api, command, &options->api);
    struct progress progress = progress_begin("jobs", arguments->count);

    if (worst == EXIT_DONE && arguments->count == 0) {
        worst = command_usage(command->name, "which job? NAME, TENANT/NAME or an id");
    }
    if (worst != EXIT_DONE) {
        return worst;
    }
    if (arguments->count >= PROGRESS_FROM) {
        client_watch(api.client, progress_goes_on, &progress);
    }
    for (int i = 0; i < arguments->count; i++) {
        int exit_code = action(&api, command, options, arguments->rest[i]);

        worst = exit_code > worst ? exit_code : worst;
        if (exit_code == EXIT_UNREACHABLE) {
            break; /* nor can the others be done */
        }
        if (arguments->count >= PROGRESS_FROM) {
            progress_at(&progress, i + 1);
        }
    }
    progress_wipe(&progress);
    return worst;
}

void one_job_tell(const struct api *api, const char *word, const char *text)
{
    char safe[SHOW_SAFE_BYTES];

    if (api->is_json && api->answer.body.len == 0) {
        (void)printf("{\"%s\":true}\n", word); /* the server has nothing to say */
    } else if (api->is_json) {
        api_print_json(api);
    } else {
        (void)printf("%s%s%s\n", word, word[0] != '\0' ? " " : "", show_safe(str_from(text), safe));
    }
}
