/* command: what every command of `belfry` has in common.
 *
 * One file per command, one table of them in commands.c. A command gets its own arguments (argv[0] is its name) and
 * returns an exit code.
 *
 * See: docs/ARCHITECTURE.md, tests/cli/
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/err.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1, /* refused or failed */
    EXIT_USAGE = 2,   /* called wrongly */
};

struct command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    const char *help;    /* the whole of -h, ends with a newline */
    int (*run)(int argc, char **argv);
};

/* All commands, ended by one without a name. */
extern const struct command commands[];

/* The command called name, or NULL. */
const struct command *command_find(const char *name);

int command_next(int argc, char **argv);
int command_zone(int argc, char **argv);
int command_version(int argc, char **argv);

/* The help of the command called name on standard output; returns EXIT_DONE. */
int command_help(const char *name);

/* "belfry next: text" on standard error; returns the exit code to return. */
int command_refuse(const char *name, const struct error *error);
int command_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
