/* belfry: the program. Finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/api.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/show.h"

/* More commands than there will be. */
#define COMMANDS_MAX 64

static int unknown(const char *name)
{
    const char *names[COMMANDS_MAX + 1] = {NULL};
    char safe[SHOW_SAFE_BYTES];

    for (size_t i = 0; i < COMMANDS_MAX && commands[i] != NULL; i++) {
        names[i] = commands[i]->name;
    }
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

/* belfry help [COMMAND | --man] */
static int help(const char *about)
{
    const struct command *command = about != NULL ? command_find(about) : NULL;

    if (about == NULL) {
        help_list(stdout);
    } else if (strcmp(about, "--man") == 0) {
        help_man();
    } else if (command == NULL) {
        return unknown(about);
    } else {
        help_print(command);
    }
    return flushed(EXIT_DONE);
}

/* Options that commands have in common may stand before the command: it is moved in front of them. */
static void command_first(int argc, char **argv)
{
    int at = 1;

    while (at < argc && strncmp(argv[at], "--", 2) == 0) {
        struct str text = str_skip(str_from(argv[at]), 2);
        size_t equals = str_find_char(text, '=');
        const struct option *option = api_option_table;

        while (option->name != NULL && !str_is((struct str){text.ptr, equals}, option->name)) {
            option++;
        }
        if (option->name == NULL) {
            break; /* --help, --version, or a mistake to be told of */
        }
        at += option->value != NULL && equals == text.len ? 2 : 1;
    }
    if (at < argc) {
        char *command = argv[at];

        memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
        argv[1] = command;
    }
}

int main(int argc, char **argv)
{
    command_first(argc, argv);
    if (argc < 2) {
        help_list(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        bool is_option = argc > 2 && strncmp(argv[2], "--", 2) == 0 && strcmp(argv[2], "--man") != 0;
        return help(is_option ? NULL : argv[2]);
    }
    const struct command *command = command_find(strcmp(argv[1], "--version") == 0 ? "version" : argv[1]);
    if (command == NULL) {
        return unknown(argv[1]);
    }
    return flushed(command->run(command, argc - 1, argv + 1));
}
