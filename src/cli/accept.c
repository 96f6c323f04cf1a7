/* accept: after a restore, what the store says is right. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/api.h"
#include "cli/commands.h"

struct accept_options {
    struct api_options api;
};

static int run(const struct command *command, int argc, char **argv)
{
    struct accept_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    int exit_code = command_no_more(command->name, &arguments, 0);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    url_path(&url, "/v1/held/accept");
    exit_code = api_open(&api, command, &options.api);
    if (exit_code == EXIT_DONE) {
        exit_code = api_write(&api, "POST", &url, (struct str){0});
    }
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        (void)printf("nothing is held: workers are given what is due\n");
    }
    return exit_code;
}

const struct command command_accept = {
    .name = "accept",
    .group = "Operating",
    .summary = "accept what a restored store says",
    .usage = "belfry accept     what is stored is right: workers are given what is due\n",
    .text =
        "A server that finds its database behind what it had seen of it, or was started with --hold, gives nothing\n"
        "to workers until somebody says so: what is due there may have run already. belfry doctor says whether it "
        "is\nheld and why; docs/cluster.md says what to look at first.\n",
    .is_api = true,
    .run = run,
};
