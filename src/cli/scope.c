#include "cli/scope.h"

#include <stdio.h>
#include <string.h>

#include "base/chrono.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "cli/facts.h"
#include "cli/field.h"
#include "cli/json_text.h"
#include "cli/job_view.h"
#include "cli/scope_body.h"
#include "cli/show.h"

struct scope_call {
    const struct command *command;
    const struct scope_kind *kind;
    const struct scope_options *options;
    const char *name;
    char **words; /* behind the name */
    int word_count;
};

void scope_put_state(struct table *table, struct jr item)
{
    bool is_ramping = field_is_set(item, "ramp");

    if (field_bool(item, "paused")) {
        table_put_style(table, STYLE_WARN, STR("paused"));
    } else {
        table_put_style(table, is_ramping ? STYLE_WARN : STYLE_GOOD, is_ramping ? STR("resuming") : STR("active"));
    }
}

static void put_value(struct buf *out, struct jr value)
{
    struct str text = {0};
    int64_t number = 0;
    bool truth = false;

    if (jr_as_str(value, &text, NULL) == ERR_OK) {
        buf_append_str(out, text);
    } else if (jr_as_int(value, INT64_MIN, INT64_MAX, &number, NULL) == ERR_OK) {
        buf_append_int(out, number);
    } else if (jr_as_bool(value, &truth, NULL) == ERR_OK) {
        buf_append_text(out, truth ? "true" : "false");
    } else {
        buf_append_text(out, "{...}");
    }
}

void scope_put_settings(struct table *table, struct jr item)
{
    struct jr settings = jr_get(item, "settings");
    struct jr_iter iter = {0};
    struct jr value;
    struct str key;
    SCOPE(buf_done) struct buf text;

    buf_init(&text, TABLE_CELL_BYTES_MAX);
    while (jr_next(settings, &iter, &key, &value)) {
        buf_append_text(&text, text.len > 0 ? ", " : "");
        buf_append_str(&text, key);
        buf_append_char(&text, ' ');
        put_value(&text, value);
    }
    table_put(table, text.len > 0 ? buf_str(&text) : STR("-"));
}

static void url_of(const struct scope_call *call, const char *rest, struct url *url)
{
    url_path(url, call->kind->path);
    url_segment(url, str_from(call->name));
    url_path(url, rest);
    url_query(url, "tenant", call->options->tenant);
}

/* Everything an answer says about one of them, below each other. */
static void print_one(const struct api *api, const struct scope_call *call)
{
    struct str text = buf_str(&api->answer.body);
    struct jr_iter iter = {0};
    struct jr value;
    struct str key;
    char safe[SHOW_SAFE_BYTES];
    char name[STR_PRINT_BYTES_MAX];
    SCOPE(table_done) struct table table;

    facts_init(&table);
    (void)printf("%s %s\n", call->kind->field, show_safe(str_from(call->name), safe));
    while (jr_next(api->root, &iter, &key, &value)) {
        (void)snprintf(name, sizeof name, "%.*s", STR_ARGS(key));
        if (strcmp(name, call->kind->field) != 0) {
            facts_field(&table, name, text, api->root, name);
        }
    }
    table_print(&table, false);
}

static int finish(struct api *api, const struct scope_call *call, const char *done)
{
    char safe[SHOW_SAFE_BYTES];

    if (api->is_json) {
        api_print_json(api);
    } else if (done != NULL) {
        (void)printf("%s %s %s\n", done, call->kind->field, show_safe(str_from(call->name), safe));
    } else {
        print_one(api, call);
    }
    return EXIT_DONE;
}

static int show_one(struct api *api, const struct scope_call *call)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    url_of(call, "", &url);
    int exit_code = api_get(api, &url);
    return exit_code == EXIT_DONE ? finish(api, call, NULL) : exit_code;
}

static int pause_one(struct api *api, const struct scope_call *call)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    url_of(call, "/pause", &url);
    int exit_code = api_write(api, "POST", &url, (struct str){0});
    return exit_code == EXIT_DONE ? finish(api, call, "paused") : exit_code;
}

static int resume_one(struct api *api, const struct scope_call *call)
{
    struct str ramp = call->options->ramp;
    int64_t ramp_ms = 0;
    struct error error;
    char body[DURATION_BYTES + 16];
    SCOPE(url_done) struct url url;

    url_init(&url);
    if (ramp.ptr != NULL && duration_parse(ramp, &ramp_ms, &error) != ERR_OK) {
        return command_usage(call->command->name, "--ramp: %s", error.text);
    }
    (void)snprintf(body, sizeof body, "{\"ramp\":\"%.*s\"}", (int)(ramp.len < DURATION_BYTES ? ramp.len : 0),
                   ramp.ptr != NULL ? ramp.ptr : "");
    url_of(call, "/resume", &url);
    int exit_code = api_write(api, "POST", &url, ramp.ptr != NULL ? str_from(body) : (struct str){0});
    return exit_code == EXIT_DONE ? finish(api, call, "resumed") : exit_code;
}

/* The settings to begin with: of a file, none, or those that are there. */
static int read_current(struct api *api, const struct scope_call *call, const struct url *url, struct buf *ret_current)
{
    const char *file = call->options->json_file.ptr;
    struct str settings = {0};
    struct error error;
    SCOPE(buf_done) struct buf text;

    buf_init(&text, SCOPE_BODY_BYTES_MAX);
    if (file != NULL) {
        enum err err = json_text_file(file, SCOPE_BODY_BYTES_MAX, &text, &error);

        if (err == ERR_OK) {
            err = json_text_read(buf_str(&text), SCOPE_BODY_BYTES_MAX, ret_current, &error);
        }
        return err == ERR_OK ? EXIT_DONE : command_usage(call->command->name, "--json-file: %s", error.text);
    }
    if (!call->options->is_replaced) {
        int exit_code = api_get(api, url);

        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
        (void)json_text_member(buf_str(&api->answer.body), "settings", &settings);
    }
    buf_append_str(ret_current, settings.len > 0 ? settings : STR("{}"));
    return EXIT_DONE;
}

/* A PUT replaces everything, so what is there is read first and put back; nobody else's change is looked for. */
static int set_one(struct api *api, const struct scope_call *call)
{
    SCOPE(url_done) struct url url;
    SCOPE(buf_done) struct buf current;
    SCOPE(buf_done) struct buf body;
    struct error error;

    url_init(&url);
    buf_init(&current, SCOPE_BODY_BYTES_MAX);
    buf_init(&body, 2 * SCOPE_BODY_BYTES_MAX);
    if (call->word_count == 0 && call->options->json_file.ptr == NULL && !call->options->is_replaced) {
        return command_usage(call->command->name, "which settings? NAME=VALUE of: %s", call->kind->settings);
    }
    url_of(call, "", &url);
    /* tried on nothing first: a typing error should not cost a call */
    if (scope_body_write(STR("{}"), call->kind->settings, call->words, call->word_count, &body, &error) != ERR_OK) {
        return command_usage(call->command->name, "%s", error.text);
    }
    int exit_code = read_current(api, call, &url, &current);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    buf_reset(&body);
    (void)!scope_body_write(buf_str(&current), call->kind->settings, call->words, call->word_count, &body, &error);
    exit_code = api_write(api, "PUT", &url, buf_str(&body));
    return exit_code == EXIT_DONE ? finish(api, call, NULL) : exit_code;
}

static int show_list(struct api *api, const struct scope_kind *kind, const struct scope_options *options)
{
    SCOPE(url_done) struct url url;
    char none[STR_PRINT_BYTES_MAX];

    (void)snprintf(none, sizeof none, "no %s", kind->plural);
    const struct listing listing = {&options->listing, kind->columns, kind->row, none};
    url_init(&url);
    url_path(&url, kind->path);
    url_query(&url, "tenant", options->tenant);
    return listing_show(api, &listing, &url);
}

/* What an option is for is in its help; one that this verb has no use for would be lost without a word. */
static const char *misplaced(const struct scope_options *options, const char *verb)
{
    const struct listing_options *listing = &options->listing;
    bool is_set = strcmp(verb, "set") == 0;

    if (strcmp(verb, "list") != 0 && (listing->limit.ptr != NULL || listing->after.ptr != NULL || listing->is_all)) {
        return "--limit, --after and --all are for lists";
    }
    if (strcmp(verb, "resume") != 0 && options->ramp.ptr != NULL) {
        return "--ramp is for resume";
    }
    if (!is_set && (options->json_file.ptr != NULL || options->is_replaced)) {
        return "--json-file and --replace are for set";
    }
    return NULL;
}

int scope_run(const struct command *command, const struct scope_kind *kind, int argc, char **argv)
{
    static const struct {
        const char *verb;
        int (*act)(struct api *api, const struct scope_call *call);
    } verbs[] = {{"show", show_one}, {"set", set_one}, {"pause", pause_one}, {"resume", resume_one}};
    struct scope_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    const char *verb = arguments.count > 0 ? arguments.rest[0] : "list";
    const char *wrong = misplaced(&options, verb);
    bool is_list = strcmp(verb, "list") == 0;
    if (wrong != NULL) {
        return command_usage(command->name, "%s", wrong);
    }
    if (!is_list && arguments.count < 2) {
        return command_usage(command->name, "which %s?", kind->field);
    }
    int exit_code = is_list ? command_no_more(command->name, &arguments, 1) : EXIT_DONE;
    if (exit_code == EXIT_DONE && !is_list && strcmp(verb, "set") != 0) {
        exit_code = command_no_more(command->name, &arguments, 2);
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    SCOPE(api_close) struct api api;
    exit_code = api_open(&api, command, &options.api);
    if (exit_code != EXIT_DONE || is_list) {
        return exit_code == EXIT_DONE ? show_list(&api, kind, &options) : exit_code;
    }
    const struct scope_call call = {
        command, kind, &options, arguments.rest[1], arguments.rest + 2, arguments.count - 2};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(verbs[i].verb, verb) == 0) {
            return verbs[i].act(&api, &call);
        }
    }
    return command_usage(command->name, "there is no %s %s; %s", command->name, verb, SCOPE_WORDS);
}
