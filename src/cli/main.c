/* belfry: the program. Finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/show.h"

/* More commands than there will be. */
#define COMMANDS_MAX 64

static void print_help(FILE *out)
{
    (void)fputs(
        "belfry: a job scheduler that never misses a fire and never fires twice\n\nusage: belfry COMMAND ...\n\n", out);
    for (const struct command *command = commands; command->name != NULL; command++) {
        (void)fprintf(out, "  %-10s %s\n", command->name, command->summary);
    }
    (void)fputs("\nbelfry COMMAND -h tells more about one of them.\n"
                "Exit status: 0 done, 1 refused or failed, 2 called wrongly.\n",
                out);
}

static int unknown(const char *name)
{
    const char *names[COMMANDS_MAX + 1];
    char safe[SHOW_SAFE_BYTES];
    size_t count = 0;

    for (const struct command *command = commands; command->name != NULL && count < COMMANDS_MAX; command++) {
        names[count++] = command->name;
    }
    names[count] = NULL;
    const char *nearest = str_nearest(str_from(name), names);
    (void)fprintf(stderr, "belfry: there is no command \"%s\"", show_safe(str_from(name), safe));
    if (nearest != NULL) {
        (void)fprintf(stderr, "; did you mean \"%s\"?", nearest);
    }
    (void)fputs("\nbelfry -h lists them\n", stderr);
    return EXIT_USAGE;
}

/* A full disk or a closed pipe must not look like success. */
static int flushed(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        (void)fputs("belfry: cannot write the output\n", stderr);
        return code == EXIT_DONE ? EXIT_REFUSED : code;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    bool is_help = strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0;
    if (is_help && argc == 2) {
        print_help(stdout);
        return flushed(EXIT_DONE);
    }
    if (is_help) {
        return command_find(argv[2]) != NULL ? flushed(command_help(argv[2])) : unknown(argv[2]);
    }
    const struct command *command = command_find(strcmp(argv[1], "--version") == 0 ? "version" : argv[1]);
    if (command == NULL) {
        return unknown(argv[1]);
    }
    return flushed(command->run(argc - 1, argv + 1));
}
