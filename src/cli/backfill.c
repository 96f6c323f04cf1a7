#include <stdio.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/one_job.h"

struct backfill_options {
    struct one_job_options job;
    struct str from, to, key;
};

static int write_body(const struct command *command, const struct backfill_options *options, struct buf *body)
{
    int64_t from_ms = 0;
    int64_t to_ms = 0;
    struct error error;
    struct jw jw;

    if (options->from.ptr == NULL || options->to.ptr == NULL) {
        return command_usage(command->name, "which range? --from TIME --to TIME");
    }
    if (instant_parse(options->from, &from_ms, &error) != ERR_OK) {
        return command_usage(command->name, "--from: %s", error.text);
    }
    if (instant_parse(options->to, &to_ms, &error) != ERR_OK) {
        return command_usage(command->name, "--to: %s", error.text);
    }
    if (from_ms >= to_ms) {
        return command_usage(command->name, "the range is empty: --from is not before --to");
    }
    jw_init(&jw, body);
    jw_begin_object(&jw);
    jw_key(&jw, "from");
    jw_str(&jw, options->from);
    jw_key(&jw, "to");
    jw_str(&jw, options->to);
    jw_end_object(&jw);
    return EXIT_DONE;
}

static int send(struct api *api, const struct backfill_options *options, const struct url *url, const struct buf *body)
{
    char new_key[API_KEY_BYTES];
    const struct client_request request = {
        .method = "POST",
        .path = url_str(url),
        .body = buf_str(body),
        .idempotency_key = options->key.ptr != NULL ? options->key.ptr : api_new_key(new_key),
    };
    int exit_code = api_send(api, &request);

    if (exit_code == EXIT_DONE && api->is_json) {
        api_print_json(api);
    } else if (exit_code == EXIT_DONE) {
        (void)printf("%lld triggers made; %lld times needed none\n", (long long)field_int(api->root, "created", 0),
                     (long long)field_int(api->root, "not_needed", 0));
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct backfill_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    SCOPE(buf_done) struct buf body;
    url_init(&url);
    buf_init(&body, URL_BYTES_MAX);
    int exit_code = one_job_open(&api, command, &options.job, &arguments);
    if (exit_code == EXIT_DONE && job_ref_is_trigger(arguments.rest[0])) {
        return command_usage(command->name, "a backfill is of a job, not of a trigger");
    }
    if (exit_code == EXIT_DONE) {
        exit_code = one_job_url(command, &options.job, arguments.rest[0], "/backfill", &url);
    }
    if (exit_code == EXIT_DONE) {
        exit_code = write_body(command, &options, &body);
    }
    return exit_code == EXIT_DONE ? send(&api, &options, &url, &body) : exit_code;
}

static const struct option table[] = {
    {"from", "TIME", "the first instant of the range, RFC 3339", offsetof(struct backfill_options, from)},
    {"to", "TIME", "the first instant behind it", offsetof(struct backfill_options, to)},
    {"key", "KEY", "repeating it with the same key is safe for a day", offsetof(struct backfill_options, key)},
    ONE_JOB_TENANT_ROW,
    {0},
};

const struct command command_backfill = {
    .name = "backfill",
    .group = "Jobs",
    .summary = "run a job for the fire times of a past range",
    .usage = "belfry backfill JOB --from TIME --to TIME     a run for each fire time of the range\n",
    .text = "Times that have a run that succeeded or lives are left out; so are those that lie ahead.\n",
    .examples = "belfry backfill acme/daily-report --from 2026-04-01T00:00:00Z --to 2026-04-08T00:00:00Z\n",
    .options = table,
    .is_api = true,
    .run = run,
};
