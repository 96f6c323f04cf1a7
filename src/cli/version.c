#include "cli/command.h"

#include <stdio.h>
#include <string.h>

int command_version(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--json") == 0) {
        (void)printf("{\"version\":\"%s\"}\n", BELFRY_VERSION);
        return EXIT_DONE;
    }
    if (argc > 1) {
        return command_usage(argv[0], "unexpected argument \"%s\"", argv[1]);
    }
    (void)printf("belfry %s\n", BELFRY_VERSION);
    return EXIT_DONE;
}
