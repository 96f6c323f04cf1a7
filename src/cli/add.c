/* add: a job from the options of the command line, from a file, or from both. */
#include <stdio.h>
#include <string.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_body.h"
#include "cli/job_ref.h"
#include "cli/job_view.h"
#include "cli/json_text.h"
#include "cli/show.h"
#include "cli/when.h"

static int usage_of(const char *name, const struct error *error)
{
    return error->field[0] != '\0' ? command_usage(name, "--%s: %s", error->field, error->text)
                                   : command_usage(name, "%s", error->text);
}

/* NAME is left out only where a file may have it. */
static int read_name(const struct command *command, const struct arguments *arguments, struct job_body *body)
{
    const struct job_options *options = body->options;
    struct job_ref ref;
    struct error error;

    body->tenant = options->tenant;
    if (arguments->before > 1) {
        return command_usage(command->name, "unexpected argument \"%s\"; a command stands behind --",
                             arguments->rest[1]);
    }
    if (arguments->before == 0) {
        return options->json_file.ptr != NULL ? EXIT_DONE : command_usage(command->name, "which name shall it have?");
    }
    if (job_ref_read(arguments->rest[0], options->tenant, &ref, &error) != ERR_OK) {
        return command_usage(command->name, "%s", error.text);
    }
    body->tenant = ref.tenant;
    body->name = ref.name;
    return EXIT_DONE;
}

/* The object that is sent, into out. */
static int build(const struct command *command, struct job_body *body, struct buf *out)
{
    const struct job_options *options = body->options;
    SCOPE(buf_done) struct buf payload;
    SCOPE(buf_done) struct buf own;
    SCOPE(buf_done) struct buf file;
    struct error error = {0};
    enum err err = ERR_OK;

    buf_init(&payload, PAYLOAD_BYTES_MAX);
    buf_init(&own, JOB_BODY_BYTES_MAX);
    buf_init(&file, JOB_BODY_BYTES_MAX);
    if (options->payload.ptr != NULL) {
        err = json_text_read(options->payload, PAYLOAD_BYTES_MAX, &payload, &error);
        err = err_in_field(&error, err, "payload");
        body->payload = buf_str(&payload);
    }
    if (err == ERR_OK) {
        err = job_body_write(body, &own, &error);
    }
    if (err == ERR_OK && options->json_file.ptr != NULL) {
        err = json_text_file(options->json_file.ptr, JOB_BODY_BYTES_MAX, &file, &error);
        if (err == ERR_OK) {
            err = json_text_read(buf_str(&file), JOB_BODY_BYTES_MAX, out, &error);
        }
        err = err_in_field(&error, err, "json-file");
        buf_reset(&file);
        buf_append_str(&file, buf_str(out));
        buf_reset(out);
    }
    if (err != ERR_OK) {
        return usage_of(command->name, &error);
    }
    json_text_overlay(file.len > 0 ? buf_str(&file) : STR("{}"), buf_str(&own), NULL, out);
    return EXIT_DONE;
}

static void tell(struct api *api)
{
    struct jr job = api->root;
    int64_t next_ms = when_field(job, "next_fire_at");
    struct str id = field_str(job, "id");
    char name[JOB_REF_BYTES];
    char exact[WHEN_BYTES];
    char away[WHEN_BYTES];
    char schedule[JOB_VIEW_BYTES];
    char safe[SHOW_SAFE_BYTES];

    (void)job_ref_text(field_str(job, "tenant"), field_str(job, "name"), name);
    (void)printf("%s %s", api->answer.status == 200 ? "there already:" : "added", show_safe(str_from(name), safe));
    (void)printf(" (%s)\n", show_safe(id, safe));
    (void)printf("  schedule  %s\n", show_safe(str_from(job_view_schedule(job, schedule)), safe));
    if (next_ms != WHEN_NONE) {
        (void)printf("  next      %s, %s\n", when_exact(next_ms, exact),
                     when_relative(next_ms, chrono_wall_ms(), away));
    }
}

/* It is there, and will not run again: who asked for it has to know. */
static bool has_ended(const struct api *api)
{
    return api->answer.status == 200 && str_is(field_str(api->root, "status"), "cancelled");
}

static int tell_ended(const struct command *command, const struct api *api)
{
    char safe[SHOW_SAFE_BYTES];

    (void)fprintf(stderr, "belfry %s: this job was cancelled, and that is final; to have it anew: belfry rm %s\n",
                  command->name, show_safe(field_str(api->root, "id"), safe));
    return EXIT_REFUSED;
}

/* The server speaks of PATCH; who types add has edit. */
static bool is_name_taken(const struct api *api, const struct error *error)
{
    return api->answer.status == 409 && strcmp(error->field, "name") == 0;
}

static void tell_taken(const struct command *command, const struct job_body *body)
{
    char name[JOB_REF_BYTES];
    char safe[SHOW_SAFE_BYTES];
    struct str shown = body->name.ptr != NULL ? body->name : STR("NAME");

    (void)show_safe(str_from(job_ref_text(body->tenant, shown, name)), safe);
    (void)fprintf(stderr,
                  "belfry %s: there is a job of that name with another definition; change it with: belfry edit %s "
                  "...\nor choose another name\n",
                  command->name, safe);
}

static int send(const struct command *command, const struct job_body *about, const struct buf *body)
{
    const struct job_options *options = about->options;
    SCOPE(api_close) struct api api;
    char new_key[API_KEY_BYTES];
    struct error error;
    int exit_code = api_open(&api, command, &options->api);
    const struct client_request request = {
        .method = "POST",
        .path = STR("/v1/jobs"),
        .body = buf_str(body),
        .idempotency_key = options->key.ptr != NULL ? options->key.ptr : api_new_key(new_key),
    };

    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    exit_code = api_try(&api, &request, &error);
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE && has_ended(&api)) {
        exit_code = tell_ended(command, &api);
    } else if (exit_code == EXIT_DONE) {
        tell(&api);
    } else if (!api.is_json && options->cron.ptr != NULL && strcmp(error.field, "cron") == 0) {
        show_error_in(command->name, options->cron, &error);
    } else if (!api.is_json && is_name_taken(&api, &error)) {
        tell_taken(command, about);
    } else {
        exit_code = api_refuse(&api, &request, exit_code, &error);
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct job_options options = {0};
    struct arguments arguments;
    SCOPE(buf_done) struct buf text;

    buf_init(&text, 2 * JOB_BODY_BYTES_MAX);
    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (argc > 0 && strcmp(argv[argc - 1], "--") == 0 && arguments.count == arguments.before) {
        return command_usage(command->name, "there is no command behind --");
    }
    struct job_body body = {
        .options = &options, .argv = arguments.rest + arguments.before, .argc = arguments.count - arguments.before};
    int exit_code = read_name(command, &arguments, &body);
    if (exit_code == EXIT_DONE) {
        exit_code = build(command, &body, &text);
    }
    return exit_code == EXIT_DONE ? send(command, &body, &text) : exit_code;
}

const struct command command_add = {
    .name = "add",
    .group = "Jobs",
    .summary = "add a job",
    .usage = "belfry add NAME [options]                         a job for somebody's own workers\n"
             "belfry add NAME [options] --http URL              a job that calls a URL\n"
             "belfry add NAME [options] -- COMMAND [ARG...]     a job that runs a command\n",
    .text = "NAME may be TENANT/NAME. Without --cron, --at, --in, --every and --depends-on it runs once, now.\n"
            "Adding the same again changes nothing; a name that has another definition is refused: see edit.\n",
    .examples =
        "belfry add morning-report --cron \"0 9 * * MON-FRI\" --tz America/New_York --http https://example.org/r\n"
        "belfry add acme/backup --every 6h --timeout 2h -- /usr/local/bin/backup --all\n"
        "belfry add welcome --in 5m --type send_email --pool email --payload '{\"to\":\"ada@example.org\"}'\n",
    .options = job_option_table,
    .is_api = true,
    .run = run,
};
