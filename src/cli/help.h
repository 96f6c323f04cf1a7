/* help: what the tables of the commands say, for people: -h, the list of commands, the manual page.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "base/buf.h"
#include "cli/command.h"

/* The whole of -h of a command, and of belfry itself. */
void help_write(const struct command *command, struct buf *out);
void help_list(FILE *out);

/* help_write on standard output. */
void help_print(const struct command *command);

/* The manual page belfry(1) in roff, on standard output. */
void help_man(void);

#endif
