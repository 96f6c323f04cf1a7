/* options: reads a command's arguments: --name VALUE, --name=VALUE, --flag, -h, and the rest.
 *
 * Every command says in one table what it takes; its help, its completion and its manual page are made of the same
 * table. Values land in a struct of the command's own, at the offset that the table says. Options and other arguments
 * may be mixed; "--" ends the options.
 *
 * Rules: (1) an option is written out in full: an abbreviation that works today may mean two options tomorrow.
 *        (2) "" is a value; an option that was not given leaves its value as it was.
 *        (3) an option that is no list counts once: giving it twice is a mistake, not a wish.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct command;

/* As many headers, labels or upstreams as a person types; a file has room for more. */
#define OPTION_LIST_MAX 64

struct option_list {
    struct str items[OPTION_LIST_MAX];
    size_t count;
};

/* One option. A table ends with an option without a name. */
struct option {
    const char *name;    /* without the dashes */
    const char *value;   /* what stands for its value in the help, such as ZONE; NULL: a flag, which takes none */
    const char *help;    /* for -h; may have line feeds */
    size_t offset;       /* in the command's struct: of a bool (flag), a struct option_list (is_list) or a struct str */
    bool is_list;        /* may be given several times */
    const char *choices; /* what its value may be, separated by blanks; "@file" or "@dir" for a path; NULL: anything */
    const char *also;    /* a shorter name that works too, and of which nothing is said; NULL: none */
};

/* What is left of the arguments. */
struct arguments {
    char **rest;
    int count;
    int before;    /* how many of them stand before a "--"; count where there is none */
    int exit_code; /* valid where options_read returned false */
};

/* Reads argv (argv[0] is the command's name), sorting the rest to its front; values is the command's struct, zeroed or
 * with its defaults. Of a command that is_api it begins with a struct api_options. False: the command ends here with
 * exit_code, since its help was asked for (and printed) or an option is wrong (and that was said). */
bool options_read(const struct command *command, int argc, char **argv, void *values, struct arguments *ret_arguments);

/* The option called name, of the command's own or of those that all API commands have; NULL where there is none. */
const struct option *options_find(const struct command *command, struct str name);

#endif
