/* one_job: commands about one job (NAME, TENANT/NAME or an id) or about a few of them.
 *
 * See: job_ref.h, api.h
 */
#ifndef CLI_ONE_JOB_H
#define CLI_ONE_JOB_H

#include "cli/api.h"
#include "cli/job_ref.h"

struct one_job_options {
    struct api_options api;
    struct str tenant;
};

/* --tenant; for commands that have nothing else. */
extern const struct option one_job_option_table[];

/* Its row in other tables; type begins with a struct one_job_options. */
#define ONE_JOB_TENANT_ROW                                                                                             \
    {                                                                                                                  \
        "tenant", "TENANT", "whose job it is; the same as TENANT/NAME", offsetof(struct one_job_options, tenant)       \
    }

/* Opens the API of a command that takes exactly one job or trigger. EXIT_DONE, or what the command ends with; api_close
 * is right in both cases. */
int one_job_open(struct api *api, const struct command *command, const struct one_job_options *options,
                 const struct arguments *arguments);

/* /v1/jobs/NAME and rest, or /v1/triggers/ID and rest where text is a trigger's id. EXIT_DONE, or EXIT_USAGE. */
int one_job_url(const struct command *command, const struct one_job_options *options, const char *text,
                const char *rest, struct url *url);

/* All of that for a command that asks one thing: opens the API and gets /v1/jobs/NAME and rest. EXIT_DONE: the answer
 * is there. */
int one_job_get(struct api *api, const struct command *command, const struct one_job_options *options,
                const struct arguments *arguments, const char *rest);

/* The whole of a command that does one thing to each of its jobs: one is called for each, and the work goes on behind a
 * refusal; the exit code is the worst of all. */
typedef int one_job_action(struct api *api, const struct command *command, const struct one_job_options *options,
                           const char *text);
int one_job_each(const struct command *command, const struct one_job_options *options,
                 const struct arguments *arguments, one_job_action *action);

/* "paused acme/backup" on standard output, or the server's JSON. word may be "". */
void one_job_tell(const struct api *api, const char *word, const char *text);

#endif
