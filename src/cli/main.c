/* belfry: the program. Finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/command.h"

static void print_help(FILE *out)
{
    (void)fputs(
        "belfry: a job scheduler that never misses a fire and never fires twice\n\nusage: belfry COMMAND ...\n\n", out);
    for (const struct command *command = commands; command->name != NULL; command++) {
        (void)fprintf(out, "  %-10s %s\n", command->name, command->summary);
    }
    (void)fputs("\nbelfry COMMAND -h tells more about one of them.\n", out);
}

static int unknown(const char *name)
{
    const char *names[16];
    size_t count = 0;

    for (const struct command *command = commands; command->name != NULL && count + 1 < 16; command++) {
        names[count++] = command->name;
    }
    names[count] = NULL;
    const char *nearest = str_nearest(str_from(name), names);
    (void)fprintf(stderr, "belfry: there is no command \"%s\"", name);
    if (nearest != NULL) {
        (void)fprintf(stderr, "; did you mean \"%s\"?", nearest);
    }
    (void)fputs("\nbelfry -h lists them\n", stderr);
    return EXIT_USAGE;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
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
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return flushed(EXIT_DONE);
    }
    const struct command *command = command_find(strcmp(argv[1], "--version") == 0 ? "version" : argv[1]);
    if (command == NULL) {
        return unknown(argv[1]);
    }
    if (asks_for_help(argc - 1, argv + 1)) {
        (void)fputs(command->help, stdout);
        return flushed(EXIT_DONE);
    }
    return flushed(command->run(argc - 1, argv + 1));
}
