/* dead: dead letters: look at them, replay them, discard them. */
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_ref.h"
#include "cli/job_view.h"
#include "cli/listing.h"
#include "cli/when.h"

/* Ids of 17 bytes, quoted, as many as one call takes. */
#define BODY_BYTES_MAX (512 * 1024)
#define TRIGGERS_MAX 10000

struct dead_options {
    struct api_options api;
    struct listing_options listing;
    struct str tenant, type, error_code, since, rate, key;
};

static const struct column columns[] = {
    {"DIED"},
    {"JOB", .can_shrink = true},
    {"TYPE", .can_shrink = true, .is_optional = true},
    {"REASON"},
    {"TRIES", .is_right = true, .is_optional = true},
    {"ERROR", .can_shrink = true},
    {"TRIGGER"},
    {0},
};

static void row(struct table *table, struct jr item, int64_t now_ms)
{
    char text[WHEN_BYTES];
    char name[JOB_REF_BYTES];
    char error[JOB_VIEW_BYTES];

    table_put(table, str_from(when_relative(when_field(item, "finished_at"), now_ms, text)));
    table_put(table, str_from(job_ref_text(field_str(item, "tenant"), field_str(item, "name"), name)));
    table_put(table, field_str(item, "type"));
    table_put(table, field_str(item, "reason"));
    table_printf(table, STYLE_PLAIN, "%lld", (long long)field_int(item, "attempts", 0));
    table_put(table, str_from(job_view_error(jr_get(jr_get(item, "last_attempt"), "error"), error)));
    table_put_style(table, STYLE_DIM, field_str(item, "id"));
}

static int show_list(const struct command *command, const struct dead_options *options)
{
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    const struct listing listing = {&options->listing, columns, row, "no dead letters"};
    int exit_code = api_open(&api, command, &options->api);

    url_init(&url);
    url_path(&url, "/v1/dead");
    url_query(&url, "tenant", options->tenant);
    url_query(&url, "type", options->type);
    url_query(&url, "error_code", options->error_code);
    url_query(&url, "since", options->since);
    return exit_code == EXIT_DONE ? listing_show(&api, &listing, &url) : exit_code;
}

static void put_text(struct jw *jw, const char *key, struct str value)
{
    if (value.ptr != NULL) {
        jw_key(jw, key);
        jw_str(jw, value);
    }
}

static void write_body(const struct dead_options *options, char **triggers, int count, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    if (count > 0) {
        jw_key(&jw, "triggers");
        jw_begin_array(&jw);
        for (int i = 0; i < count; i++) {
            jw_text(&jw, triggers[i]);
        }
        jw_end_array(&jw);
    }
    put_text(&jw, "tenant", options->tenant);
    put_text(&jw, "type", options->type);
    put_text(&jw, "error_code", options->error_code);
    put_text(&jw, "since", options->since);
    put_text(&jw, "after", options->listing.after);
    put_text(&jw, "rate", options->rate);
    jw_end_object(&jw);
}

static void tell(const struct api *api, bool is_replay)
{
    int64_t accepted = field_int(api->root, "accepted", 0);
    int64_t not_dead = field_int(api->root, "not_dead", 0);

    (void)printf("%lld dead letter%s %s", (long long)accepted, accepted == 1 ? "" : "s",
                 is_replay ? "replayed" : "discarded");
    if (not_dead > 0) {
        (void)printf("; %lld of those named %s not dead%s", (long long)not_dead, not_dead == 1 ? "is" : "are",
                     is_replay ? ", or being replayed" : "");
    }
    (void)printf("\n");
    if (field_bool(api->root, "more")) {
        (void)printf("there may be more that match; add --after %.*s for the next\n",
                     STR_ARGS(field_str(api->root, "next")));
    }
}

/* One round for what was named, or for the filter; with is_all until nothing is left of it. */
static int change(const struct command *command, const struct dead_options *options, bool is_replay, char **triggers,
                  int count)
{
    SCOPE(api_close) struct api api;
    SCOPE(buf_done) struct buf body;
    char new_key[API_KEY_BYTES];
    int exit_code = api_open(&api, command, &options->api);

    buf_init(&body, BODY_BYTES_MAX);
    write_body(options, triggers, count, &body);
    const struct client_request request = {
        .method = "POST",
        .path = is_replay ? STR("/v1/dead/replay") : STR("/v1/dead/discard"),
        .body = buf_str(&body),
        .idempotency_key = !is_replay                 ? NULL
                           : options->key.ptr != NULL ? options->key.ptr
                                                      : api_new_key(new_key),
    };
    if (exit_code == EXIT_DONE) {
        exit_code = api_send(&api, &request);
    }
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        tell(&api, is_replay);
    }
    return exit_code;
}

static int check_change(const struct command *command, const struct dead_options *options, const char *verb,
                        const struct arguments *arguments)
{
    const struct listing_options *listing = &options->listing;
    bool has_filter = options->tenant.ptr != NULL || options->type.ptr != NULL || options->error_code.ptr != NULL ||
                      options->since.ptr != NULL;

    if (listing->limit.ptr != NULL || listing->is_all) {
        return command_usage(command->name, "--limit and --all are of dead list");
    }
    if (options->key.ptr != NULL && strcmp(verb, "replay") != 0) {
        return command_usage(command->name, "--key is of dead replay");
    }
    if (arguments->count == 1 && !has_filter) {
        return command_usage(command->name,
                             "which ones? Name triggers, or give --tenant, --type, --error-code or --since");
    }
    if (arguments->count > 1 && (has_filter || listing->after.ptr != NULL)) {
        return command_usage(command->name, "name triggers or give a filter, not both");
    }
    if (arguments->count - 1 > TRIGGERS_MAX) {
        return command_usage(command->name, "at most %d triggers at once", TRIGGERS_MAX);
    }
    for (int i = 1; i < arguments->count; i++) {
        if (!job_ref_is_trigger(arguments->rest[i])) {
            return command_usage(command->name, "\"%s\" is not the id of a trigger", arguments->rest[i]);
        }
    }
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct dead_options options = {0};
    struct arguments arguments;
    struct error error;
    int64_t since_ms = 0;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    const char *verb = arguments.count > 0 ? arguments.rest[0] : "list";
    bool is_replay = strcmp(verb, "replay") == 0;
    if (options.since.ptr != NULL && instant_parse(options.since, &since_ms, &error) != ERR_OK) {
        return command_usage(command->name, "--since: %s", error.text);
    }
    if (strcmp(verb, "list") == 0) {
        int exit_code = command_no_more(command->name, &arguments, 1);

        if (exit_code == EXIT_DONE && (options.rate.ptr != NULL || options.key.ptr != NULL)) {
            exit_code = command_usage(command->name, "--rate and --key are of dead replay");
        }
        return exit_code == EXIT_DONE ? show_list(command, &options) : exit_code;
    }
    if (!is_replay && strcmp(verb, "discard") != 0) {
        return command_usage(command->name, "there is no dead %s; list, replay or discard", verb);
    }
    int exit_code = check_change(command, &options, verb, &arguments);
    return exit_code == EXIT_DONE ? change(command, &options, is_replay, arguments.rest + 1, arguments.count - 1)
                                  : exit_code;
}

#define AT(member) offsetof(struct dead_options, member)

static const struct option table[] = {
    {"tenant", "TENANT", "only this tenant's", AT(tenant)},
    {"type", "TYPE", "only of this type", AT(type)},
    {"error-code", "CODE", "only those whose last attempt failed so", AT(error_code)},
    {"since", "TIME", "only those that died then or later", AT(since)},
    {"rate", "N/UNIT", "replay or discard one after the other, such as 50/s", AT(rate)},
    {"key", "KEY", "repeating a replay with the same key is safe for a day", AT(key)},
    LISTING_OPTION_ROWS(struct dead_options, listing),
    {0},
};

const struct command command_dead = {
    .name = "dead",
    .group = "Work that failed",
    .summary = "dead letters: list, replay, discard",
    .usage = "belfry dead [list] [filter]                    what died and was not replayed, newest first\n"
             "belfry dead replay TRIGGER... | filter         each runs again as a new trigger, and is off the list\n"
             "belfry dead discard TRIGGER... | filter        removes them and their attempts for good\n",
    .examples = "belfry dead list --type send_email --since 2026-04-08T00:00:00Z\n"
                "belfry dead replay --tenant acme --error-code smtp_421 --rate 50/s\n",
    .words = "list replay discard",
    .options = table,
    .is_api = true,
    .run = run,
};
