/* edit: changes a job by options, or its JSON in an editor. */
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/editor.h"
#include "cli/field.h"
#include "cli/job_body.h"
#include "cli/job_patch.h"
#include "cli/job_ref.h"
#include "cli/json_text.h"
#include "cli/show.h"
#include "cli/when.h"

/* A whole job, with room for what an editor adds. */
#define EDIT_BYTES_MAX (2 * JOB_BODY_BYTES_MAX)

struct edit {
    const struct command *command;
    const struct job_options *options;
    struct job_body body;
    struct api api;
    struct url url;
    struct buf current; /* the job as it is */
    struct buf payload;
    struct buf wanted; /* what was said about it */
    struct buf patch;
    char etag[CLIENT_ETAG_BYTES];
};

static int usage_of(const struct edit *edit, const struct error *error)
{
    return error->field[0] != '\0' ? command_usage(edit->command->name, "--%s: %s", error->field, error->text)
                                   : command_usage(edit->command->name, "%s", error->text);
}

/* {"retry":null,...} of --default, behind the options. */
static enum err add_defaults(struct edit *edit, struct error *reterr)
{
    const struct option_list *list = &edit->options->set_default;
    SCOPE(buf_done) struct buf nulls;
    SCOPE(buf_done) struct buf own;
    struct jw jw;

    buf_init(&nulls, EDIT_BYTES_MAX);
    buf_init(&own, EDIT_BYTES_MAX);
    jw_init(&jw, &nulls);
    jw_begin_object(&jw);
    for (size_t i = 0; i < list->count; i++) {
        struct str ignored;

        if (str_index_in(list->items[i], job_patch_fields) < 0) {
            const char *nearest = str_nearest(list->items[i], job_patch_fields);

            return err_in_field(reterr,
                                err_set(reterr, ERR_UNKNOWN_FIELD, "a job has no field %.*s%s%s",
                                        STR_ARGS(list->items[i]), nearest != NULL ? "; did you mean " : "",
                                        nearest != NULL ? nearest : ""),
                                "default");
        }
        if (json_text_member(buf_str(&edit->wanted), list->items[i].ptr, &ignored)) {
            return err_in_field(
                reterr, err_set(reterr, ERR_INVALID, "%.*s is given as well; which of both?", STR_ARGS(list->items[i])),
                "default");
        }
        jw_key_str(&jw, list->items[i]);
        jw_null(&jw);
    }
    jw_end_object(&jw);
    buf_append_str(&own, buf_str(&edit->wanted));
    buf_reset(&edit->wanted);
    json_text_overlay(buf_str(&own), buf_str(&nulls), NULL, &edit->wanted);
    return ERR_OK;
}

/* A file's definition, with the options before it; its name and tenant are the job's own and do not change. */
static enum err add_file(struct edit *edit, struct error *reterr)
{
    static const char *const names[] = {"name", "tenant", NULL};
    SCOPE(buf_done) struct buf file;
    SCOPE(buf_done) struct buf text;
    SCOPE(buf_done) struct buf own;

    buf_init(&file, EDIT_BYTES_MAX);
    buf_init(&text, EDIT_BYTES_MAX);
    buf_init(&own, EDIT_BYTES_MAX);
    enum err err = json_text_file(edit->options->json_file.ptr, JOB_BODY_BYTES_MAX, &file, reterr);
    if (err == ERR_OK) {
        err = json_text_read(buf_str(&file), JOB_BODY_BYTES_MAX, &text, reterr);
    }
    if (err == ERR_OK) {
        buf_append_str(&own, buf_str(&edit->wanted));
        buf_reset(&edit->wanted);
        json_text_overlay(buf_str(&text), buf_str(&own), names, &edit->wanted);
    }
    return err_in_field(reterr, err, "json-file");
}

/* What the options say; {} where they say nothing. */
static int read_wishes(struct edit *edit)
{
    struct error error = {0};
    enum err err = ERR_OK;

    if (edit->options->payload.ptr != NULL) {
        err = json_text_read(edit->options->payload, PAYLOAD_BYTES_MAX, &edit->payload, &error);
        err = err_in_field(&error, err, "payload");
        edit->body.payload = buf_str(&edit->payload);
    }
    if (err == ERR_OK) {
        err = job_body_write(&edit->body, &edit->wanted, &error);
    }
    if (err == ERR_OK && edit->options->json_file.ptr != NULL) {
        err = add_file(edit, &error);
    }
    if (err == ERR_OK && edit->options->set_default.count > 0) {
        err = add_defaults(edit, &error);
    }
    return err == ERR_OK ? EXIT_DONE : usage_of(edit, &error);
}

static int open_editor(struct edit *edit)
{
    SCOPE(buf_done) struct buf before;
    SCOPE(buf_done) struct buf after;
    SCOPE(buf_done) struct buf text;
    struct error error;

    buf_init(&before, EDIT_BYTES_MAX);
    buf_init(&after, EDIT_BYTES_MAX);
    buf_init(&text, EDIT_BYTES_MAX);
    json_text_lines(buf_str(&edit->current), job_patch_fields, &before);
    enum err err = editor_run(buf_str(&before), JOB_BODY_BYTES_MAX, &text, &error);
    if (err == ERR_OK) {
        err = json_text_read(buf_str(&text), JOB_BODY_BYTES_MAX, &after, &error);
    }
    if (err != ERR_OK) {
        return command_refuse(edit->command->name, &error);
    }
    if (!job_patch_difference(buf_str(&before), buf_str(&after), &edit->patch)) {
        (void)printf("nothing was changed\n");
        buf_reset(&edit->patch);
    }
    return EXIT_DONE;
}

static void tell(struct edit *edit, const char *text)
{
    struct jr job = edit->api.root;
    struct jr skipped = jr_get(job, "skipped");
    int64_t count = field_int(skipped, "count", 0);
    int64_t next_ms = when_field(job, "next_fire_at");
    char exact[WHEN_BYTES];
    char safe[SHOW_SAFE_BYTES];

    (void)printf("changed %s: version %lld", show_safe(str_from(text), safe), (long long)field_int(job, "version", 0));
    if (next_ms != WHEN_NONE) {
        (void)printf(", next fire %s", when_exact(next_ms, exact));
    }
    (void)printf("\n");
    if (count > 0) {
        (void)printf("%lld fire%s that %s due already %s skipped\n", (long long)count, count == 1 ? "" : "s",
                     count == 1 ? "was" : "were", count == 1 ? "is" : "are");
    }
}

static int send(struct edit *edit, const char *text)
{
    struct error error;
    const struct client_request request = {
        .method = "PATCH",
        .path = url_str(&edit->url),
        .body = buf_str(&edit->patch),
        .if_match = edit->etag[0] != '\0' ? edit->etag : NULL,
    };
    int exit_code = api_try(&edit->api, &request, &error);

    if (exit_code == EXIT_DONE && edit->api.is_json) {
        api_print_json(&edit->api);
    } else if (exit_code == EXIT_DONE) {
        tell(edit, text);
    } else if (!edit->api.is_json && edit->options->cron.ptr != NULL && strcmp(error.field, "cron") == 0) {
        show_error_in(edit->command->name, edit->options->cron, &error);
    } else {
        exit_code = api_refuse(&edit->api, &request, exit_code, &error);
    }
    return exit_code;
}

/* Reads the job, finds out what is to change, and sends that with the version it was read at. */
static int change(struct edit *edit, const char *text)
{
    int exit_code = read_wishes(edit);
    bool has_wishes = !str_is(buf_str(&edit->wanted), "{}");

    if (exit_code == EXIT_DONE) {
        exit_code = api_open(&edit->api, edit->command, &edit->options->api);
    }
    if (exit_code == EXIT_DONE) {
        exit_code = api_get(&edit->api, &edit->url);
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    (void)snprintf(edit->etag, sizeof edit->etag, "%s", edit->api.answer.etag);
    buf_append_str(&edit->current, buf_str(&edit->api.answer.body));
    if (has_wishes) {
        job_patch_merge(buf_str(&edit->current), buf_str(&edit->wanted), &edit->patch);
    } else {
        exit_code = open_editor(edit);
    }
    return exit_code == EXIT_DONE && edit->patch.len > 0 ? send(edit, text) : exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct job_options options = {0};
    struct arguments arguments;
    struct job_ref ref;
    struct error error;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.before != 1) {
        return command_usage(command->name, "which job? NAME, TENANT/NAME or an id; a command stands behind --");
    }
    if (job_ref_read(arguments.rest[0], options.tenant, &ref, &error) != ERR_OK) {
        return command_usage(command->name, "%s", error.text);
    }
    struct edit edit = {.command = command,
                        .options = &options,
                        .body = {.options = &options, .argv = arguments.rest + 1, .argc = arguments.count - 1}};
    url_init(&edit.url);
    job_ref_url(&ref, "", &edit.url);
    buf_init(&edit.current, CLIENT_ANSWER_BYTES_MAX);
    buf_init(&edit.payload, PAYLOAD_BYTES_MAX);
    buf_init(&edit.wanted, EDIT_BYTES_MAX);
    buf_init(&edit.patch, EDIT_BYTES_MAX);
    int exit_code = change(&edit, arguments.rest[0]);
    buf_done(&edit.patch);
    buf_done(&edit.wanted);
    buf_done(&edit.payload);
    buf_done(&edit.current);
    url_done(&edit.url);
    api_close(&edit.api);
    return exit_code;
}

const struct command command_edit = {
    .name = "edit",
    .group = "Jobs",
    .summary = "change a job, by options or in an editor",
    .usage = "belfry edit JOB [options] [-- COMMAND [ARG...]]     changes what is given\n"
             "belfry edit JOB                                     opens its JSON in VISUAL or EDITOR\n",
    .text = "What is given replaces what is there; of retry, dst and concurrency the rest stays, a target is replaced\n"
            "as a whole. Refused where somebody else changed the job meanwhile. A schedule's change never makes past\n"
            "fires.\n",
    .examples = "belfry edit morning-report --cron \"0 10 * * MON-FRI\" --max-attempts 3\n"
                "belfry edit morning-report --default retry --default timeout\n",
    .options = job_edit_option_table,
    .is_api = true,
    .run = run,
};
