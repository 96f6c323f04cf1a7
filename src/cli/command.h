/* command: what every command of `belfry` has in common.
 *
 * One file per command, which says in tables what the command is called, takes and tells; help, completion and manual
 * page are all made of those. One list of them in commands.c. A command gets its own arguments (argv[0] is its name)
 * and returns an exit code.
 *
 * See: options.h, help.h, docs/ARCHITECTURE.md, tests/cli/
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/options.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1,     /* refused or failed */
    EXIT_USAGE = 2,       /* called wrongly */
    EXIT_UNREACHABLE = 3, /* no answer of the server */
};

struct command {
    const char *name;
    const char *group;            /* heading in the list of commands; those of a group stand together */
    const char *summary;          /* one line for that list */
    const char *usage;            /* the first lines of -h, each ends with a newline and begins with "belfry" */
    const char *text;             /* what there is to say beside the options, ends with a newline; NULL: nothing */
    const char *examples;         /* one a line, each ends with a newline; NULL: none */
    const char *words;            /* what the first argument may be, separated by blanks; NULL: anything */
    const struct option *options; /* ended by one without a name; NULL: none of its own */
    bool is_api;                  /* talks to a server: takes api_option_table too, see api.h */
    int (*run)(const struct command *command, int argc, char **argv);
};

/* All commands, ended by NULL. */
extern const struct command *const commands[];

/* The command called name, or NULL. */
const struct command *command_find(const char *name);

/* "belfry next: text" on standard error; returns the exit code to return. */
int command_refuse(const char *name, const struct error *error);
int command_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Refuses whatever stands behind the arguments that a command takes; EXIT_DONE where nothing does. */
int command_no_more(const char *name, const struct arguments *arguments, int taken);

#endif
