/* api: what commands that talk to a server have in common: finding it, asking it, and saying what went wrong.
 *
 * Owns:  the client and the last answer; what is read from an answer points into it and holds until the next call.
 * Rules: (1) the struct of such a command's options begins with a struct api_options.
 *        (2) every failure is said once, on standard error; with --json on standard output as the server's own JSON, or
 * as
 *            {"error":...} where there was no answer.
 *        (3) where a change may or may not have been made, that is said too.
 * See:   client/client.h, client/place.h
 */
#ifndef CLI_API_H
#define CLI_API_H

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/command.h"
#include "client/client.h"
#include "client/place.h"
#include "client/url.h"

struct api_options {
    struct str url;
    struct str token_file;
    struct str data;
    bool is_json;
};

/* The options of all of these commands, ended by one without a name. */
extern const struct option api_option_table[];

struct api {
    const char *name; /* the command's */
    bool is_json;
    struct place_found place;
    struct client *client; /* NULL until api_open */
    struct client_answer answer;
    struct jr_doc doc;
    struct jr root; /* the answer; absent where it had no body */
};

/* EXIT_DONE, or what the command ends with; api_close is right in both cases. */
int api_open(struct api *api, const struct command *command, const struct api_options *options);
/* The same for a command that takes at most so many arguments. */
int api_open_with(struct api *api, const struct command *command, const struct api_options *options,
                  const struct arguments *arguments, int arguments_max);
void api_close(struct api *api);

/* One call. EXIT_DONE: the answer is 2xx and was read. Otherwise nothing has been said yet: see api_refuse. */
int api_try(struct api *api, const struct client_request *request, struct error *reterr);

/* Says what api_try came back with, and returns exit_code. */
int api_refuse(struct api *api, const struct client_request *request, int exit_code, const struct error *error);

/* api_try, and api_refuse where it fails. */
int api_send(struct api *api, const struct client_request *request);
int api_get(struct api *api, const struct url *url);
int api_write(struct api *api, const char *method, const struct url *url, struct str body);

/* The last answer as it came, and a newline where it lacks one. */
void api_print_json(const struct api *api);

/* A key for Idempotency-Key that nobody else has. */
#define API_KEY_BYTES 40
const char *api_new_key(char out[API_KEY_BYTES]);

#endif
