#include <stdio.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/json_text.h"
#include "cli/one_job.h"
#include "cli/show.h"

struct run_options {
    struct one_job_options job;
    struct str payload;
    struct str key;
};

static int read_payload(const struct command *command, const struct run_options *options, struct buf *body)
{
    SCOPE(buf_done) struct buf payload;
    struct error error;
    struct jw jw;

    buf_init(&payload, PAYLOAD_BYTES_MAX);
    if (options->payload.ptr == NULL) {
        return EXIT_DONE;
    }
    if (json_text_read(options->payload, PAYLOAD_BYTES_MAX, &payload, &error) != ERR_OK) {
        return command_usage(command->name, "--payload: %s", error.text);
    }
    jw_init(&jw, body);
    jw_begin_object(&jw);
    jw_key(&jw, "payload");
    jw_raw(&jw, buf_str(&payload));
    jw_end_object(&jw);
    return EXIT_DONE;
}

static int send(struct api *api, const struct run_options *options, const struct url *url, const struct buf *body,
                const char *text)
{
    char new_key[API_KEY_BYTES];
    char safe[SHOW_SAFE_BYTES];
    const struct client_request request = {
        .method = "POST",
        .path = url_str(url),
        .body = body->len > 0 ? buf_str(body) : (struct str){0},
        .idempotency_key = options->key.ptr != NULL ? options->key.ptr : api_new_key(new_key),
    };
    int exit_code = api_send(api, &request);

    if (exit_code == EXIT_DONE && api->is_json) {
        api_print_json(api);
    } else if (exit_code == EXIT_DONE) {
        (void)printf("%s runs as ", show_safe(str_from(text), safe));
        (void)printf("%s\n", show_safe(field_str(api->root, "id"), safe));
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct run_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    SCOPE(buf_done) struct buf body;
    url_init(&url);
    buf_init(&body, 2 * PAYLOAD_BYTES_MAX);
    int exit_code = one_job_open(&api, command, &options.job, &arguments);
    if (exit_code == EXIT_DONE) {
        bool is_trigger = job_ref_is_trigger(arguments.rest[0]); /* a retry of what waits or died */

        if (is_trigger && (options.payload.ptr != NULL || options.key.ptr != NULL)) {
            return command_usage(command->name, "a trigger keeps its payload and its key");
        }
        exit_code = one_job_url(command, &options.job, arguments.rest[0], is_trigger ? "/retry" : "/run", &url);
    }
    if (exit_code == EXIT_DONE) {
        exit_code = read_payload(command, &options, &body);
    }
    return exit_code == EXIT_DONE ? send(&api, &options, &url, &body, arguments.rest[0]) : exit_code;
}

static const struct option table[] = {
    {"payload", "JSON", "of this run only; @FILE reads a file, - standard input", offsetof(struct run_options, payload),
     .choices = "@file"},
    {"key", "KEY", "repeating it with the same key is safe for a day", offsetof(struct run_options, key)},
    ONE_JOB_TENANT_ROW,
    {0},
};

const struct command command_run = {
    .name = "run",
    .group = "Jobs",
    .summary = "run a job now, or retry a trigger",
    .usage = "belfry run JOB [options]     a manual run, now\n"
             "belfry run TRIGGER           due now where it waits to be retried; a replay where it is dead\n",
    .options = table,
    .is_api = true,
    .run = run,
};
