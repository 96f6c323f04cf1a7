#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/when.h"

struct clock_options {
    struct api_options api;
};

static int run(const struct command *command, int argc, char **argv)
{
    struct clock_options options = {0};
    struct arguments arguments;
    char now[WHEN_BYTES];

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.count != 1 || strcmp(arguments.rest[0], "accept") != 0) {
        return command_usage(command->name, "say: belfry clock accept");
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    url_path(&url, "/v1/clock/accept");
    int exit_code = api_open(&api, command, &options.api);
    if (exit_code == EXIT_DONE) {
        exit_code = api_write(&api, "POST", &url, (struct str){0});
    }
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        (void)printf("the server goes by %s\n", when_exact(when_field(api.root, "now"), now));
    }
    return exit_code;
}

const struct command command_clock = {
    .name = "clock",
    .group = "Operating",
    .summary = "accept a jump of the server's clock",
    .usage = "belfry clock accept     the wall clock is right: fires that wait for it go on\n",
    .text = "A forward step of the clock that no time passed for holds all schedules until somebody says so.\n",
    .words = "accept",
    .is_api = true,
    .run = run,
};
