#include <stdio.h>

#include "cli/command.h"
#include "cli/commands.h"

struct version_options {
    bool is_json;
};

static int run(const struct command *command, int argc, char **argv)
{
    struct version_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    int exit_code = command_no_more(command->name, &arguments, 0);
    if (exit_code == EXIT_DONE) {
        (void)printf(options.is_json ? "{\"version\":\"%s\"}\n" : "belfry %s\n", BELFRY_VERSION);
    }
    return exit_code;
}

static const struct option table[] = {
    {"json", NULL, "one JSON object instead of text", offsetof(struct version_options, is_json)},
    {0},
};

const struct command command_version = {
    .name = "version",
    .group = "This program",
    .summary = "the version of this program",
    .usage = "belfry version [--json]        the version of this program\n",
    .options = table,
    .run = run,
};
