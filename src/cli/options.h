/* options: reads a command's arguments: --name VALUE, --name=VALUE, --flag, -h, and the rest.
 *
 * Every command says in one table what it takes. Options and other arguments may be mixed; "--" ends the options.
 *
 * Rules: (1) an option is written out in full: an abbreviation that works today may mean two options tomorrow.
 *        (2) "" is a value; an option that was not given leaves its value as it was.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

#include "base/str.h"

/* One option: either value or flag is not NULL. A table ends with an option without a name. */
struct option {
    const char *name; /* without the dashes */
    struct str *value;
    bool *flag;
};

/* What is left of the arguments. */
struct arguments {
    char **rest;
    int count;
    int exit_code; /* valid where options_read returned false */
};

/* Reads argv (argv[0] is the command's name), sorting the rest to its front. False: the command ends here with
 * exit_code, since its help was asked for (and printed) or an option is wrong (and that was said). */
bool options_read(int argc, char **argv, const struct option *options, struct arguments *ret_arguments);

#endif
