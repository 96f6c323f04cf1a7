#include <stdio.h>

#include "cli/command.h"
#include "cli/options.h"

int command_version(int argc, char **argv)
{
    bool is_json = false;
    struct arguments arguments;
    const struct option table[] = {{"json", NULL, &is_json}, {NULL, NULL, NULL}};

    if (!options_read(argc, argv, table, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.count > 0) {
        return command_usage(argv[0], "unexpected argument \"%s\"", arguments.rest[0]);
    }
    (void)printf(is_json ? "{\"version\":\"%s\"}\n" : "belfry %s\n", BELFRY_VERSION);
    return EXIT_DONE;
}
