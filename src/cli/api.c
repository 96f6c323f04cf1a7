#include "cli/api.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "cli/show.h"

const struct option api_option_table[] = {
    {"json", NULL, "the server's JSON instead of text", offsetof(struct api_options, is_json)},
    {"url", "URL",
     "of the server, or of several of a cluster, with commas (default\nBELFRY_URL, else the one that runs on the data "
     "folder, else\n" PLACE_URL_DEFAULT ")",
     offsetof(struct api_options, url)},
    {"token-file", "FILE", "with the token (default BELFRY_TOKEN, else the data folder's)",
     offsetof(struct api_options, token_file), .choices = "@file"},
    {"data", "DIR",
     "the data folder of a local server (default BELFRY_DATA, else\n" PLACE_ROOT_DATA
     " for root, ~/.local/share/belfry for others)",
     offsetof(struct api_options, data), .choices = "@dir"},
    {0},
};

/* What a server of ours sends may be a page of a thousand rows; what is not ours is still bounded. */
static const struct jscan_limits answer_limits = {
    .bytes_max = CLIENT_ANSWER_BYTES_MAX, .depth_max = 2 * JSON_DEPTH_MAX, .nodes_max = 20UL * 1000 * 1000};

/* Options come from argv, so that they end with a NUL. */
static const char *text_of(struct str value)
{
    return value.ptr;
}

int api_open(struct api *api, const struct command *command, const struct api_options *options)
{
    const struct place_wishes wishes = {
        .url = text_of(options->url), .token_file = text_of(options->token_file), .data = text_of(options->data)};
    const struct place_surroundings around = place_around();
    struct error error;

    *api = (struct api){.name = command->name, .is_json = options->is_json};
    client_answer_init(&api->answer);
    if (place_find(&wishes, &around, &api->place, &error) != ERR_OK) {
        return command_usage(command->name, "%s", error.text);
    }
    api->client = client_new(api->place.url, api->place.token, CLIENT_TIMEOUT_MS);
    return EXIT_DONE;
}

int api_open_with(struct api *api, const struct command *command, const struct api_options *options,
                  const struct arguments *arguments, int arguments_max)
{
    int exit_code = api_open(api, command, options);

    return exit_code == EXIT_DONE ? command_no_more(command->name, arguments, arguments_max) : exit_code;
}

void api_close(struct api *api)
{
    jr_done(&api->doc);
    client_answer_done(&api->answer);
    client_free(api->client);
}

int api_try(struct api *api, const struct client_request *request, struct error *reterr)
{
    jr_done(&api->doc);
    api->root = (struct jr){0};
    if (client_call(api->client, request, &api->answer, reterr) != ERR_OK) {
        return EXIT_UNREACHABLE;
    }
    if (api->answer.status >= 300) {
        if (api->answer.status < 400) {
            (void)err_set(reterr, ERR_IO, "%s answered %d: it is not the address of a Belfry server", api->place.url,
                          api->answer.status);
        } else {
            *reterr = api->answer.problem.error;
        }
        return EXIT_REFUSED;
    }
    if (api->answer.body.len == 0) {
        return EXIT_DONE;
    }
    if (jr_parse(buf_str(&api->answer.body), &answer_limits, &api->doc, reterr) != ERR_OK) {
        (void)err_wrap(reterr, ERR_IO, "the answer of %s is not of a Belfry server", api->place.url);
        return EXIT_REFUSED;
    }
    api->root = jr_root(&api->doc);
    return EXIT_DONE;
}

static bool is_change(const struct client_request *request)
{
    return strcmp(request->method, "GET") != 0;
}

static void advise_server(const struct place_found *place)
{
    const char *option = place->data[0] != '\0' ? " --data " : "";
    char safe[SHOW_SAFE_BYTES];

    if (place->source == PLACE_OF_FOLDER) {
        (void)fputs("the data folder still has the address of a server that is gone\n", stderr);
    }
    (void)fprintf(stderr, "start a server with: belfry up%s%s; or name one with --url or BELFRY_URL\n", option,
                  show_safe(str_from(place->data), safe));
}

/* What a person may do now. */
static void advise(const struct api *api, const struct client_request *request, int exit_code)
{
    const struct client_answer *answer = &api->answer;
    bool is_open = exit_code == EXIT_UNREACHABLE ? answer->was_sent : answer->status >= 500 && !answer->is_not_applied;

    if (exit_code == EXIT_UNREACHABLE && !answer->was_sent) {
        advise_server(&api->place);
    }
    if (is_open && is_change(request)) { /* rule 3 */
        (void)fprintf(stderr, "whether it was done is not known; %s%s\n",
                      request->idempotency_key != NULL ? "it is safe to repeat it with --key "
                                                       : "look before you repeat",
                      request->idempotency_key != NULL ? request->idempotency_key : "");
    }
    if (answer->status == 401) {
        (void)fprintf(stderr, "%s\n",
                      api->place.note[0] != '\0' ? api->place.note : "the server does not know the token");
    }
    if (answer->retry_after_s > 0 && exit_code == EXIT_REFUSED) {
        (void)fprintf(stderr, "try again in %lld s\n", (long long)answer->retry_after_s);
    }
}

int api_refuse(struct api *api, const struct client_request *request, int exit_code, const struct error *error)
{
    struct error whole = *error;

    if (api->is_json && exit_code == EXIT_REFUSED && api->answer.status >= 400) {
        api_print_json(api);
        return exit_code;
    }
    if (api->is_json) {
        show_error_json(error);
        return exit_code;
    }
    if (whole.field[0] != '\0') {
        (void)err_wrap(&whole, whole.code, "%s", whole.field);
    }
    if (api->answer.problem.index >= 0 && exit_code == EXIT_REFUSED && api->answer.status >= 400) {
        (void)err_wrap(&whole, whole.code, "job %lld", (long long)api->answer.problem.index + 1);
    }
    (void)command_refuse(api->name, &whole);
    advise(api, request, exit_code);
    return exit_code;
}

int api_send(struct api *api, const struct client_request *request)
{
    struct error error;
    int exit_code = api_try(api, request, &error);

    return exit_code == EXIT_DONE ? EXIT_DONE : api_refuse(api, request, exit_code, &error);
}

int api_get(struct api *api, const struct url *url)
{
    return api_send(api, &(struct client_request){.method = "GET", .path = url_str(url)});
}

int api_write(struct api *api, const char *method, const struct url *url, struct str body)
{
    return api_send(api, &(struct client_request){.method = method, .path = url_str(url), .body = body});
}

void api_print_json(const struct api *api)
{
    struct str body = buf_str(&api->answer.body);

    if (body.len > 0) {
        (void)fwrite(body.ptr, 1, body.len, stdout);
        if (body.ptr[body.len - 1] != '\n') {
            (void)fputc('\n', stdout);
        }
    }
}

const char *api_new_key(char out[API_KEY_BYTES])
{
    unsigned char bytes[16] = {0};
    size_t len = (size_t)snprintf(out, API_KEY_BYTES, "cli-");

    while (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) { /* so few bytes come whole, once seeded */
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        len += (size_t)snprintf(out + len, API_KEY_BYTES - len, "%02x", (unsigned)bytes[i]);
    }
    return out;
}
