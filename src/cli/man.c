/* The manual page, from the same tables as the help. */
#include <string.h>

#include "cli/api.h"
#include "cli/help.h"

/* Text in which roff sees no requests and no escapes. */
static void put_plain(const char *text)
{
    bool is_line_start = true;

    for (const char *c = text; *c != '\0'; c++) {
        if (is_line_start && (*c == '.' || *c == '\'')) {
            (void)fputs("\\&", stdout);
        }
        if (*c == '\\') {
            (void)fputs("\\e", stdout);
        } else if (*c == '-') {
            (void)fputs("\\-", stdout);
        } else {
            (void)fputc(*c, stdout);
        }
        is_line_start = *c == '\n';
    }
}

/* As it stands, in a type of equal widths. */
static void put_literal(const char *text)
{
    (void)fputs(".nf\n", stdout);
    put_plain(text);
    if (text[0] != '\0' && text[strlen(text) - 1] != '\n') {
        (void)fputc('\n', stdout);
    }
    (void)fputs(".fi\n", stdout);
}

static void put_options(const struct option *options)
{
    for (; options != NULL && options->name != NULL; options++) {
        (void)fputs(".TP\n\\fB", stdout);
        put_plain("--");
        put_plain(options->name);
        (void)fputs("\\fR", stdout);
        if (options->value != NULL) {
            (void)fputs(" \\fI", stdout);
            put_plain(options->value);
            (void)fputs("\\fR", stdout);
        }
        (void)fputc('\n', stdout);
        put_plain(options->help);
        (void)fputc('\n', stdout);
    }
}

static void put_command(const struct command *command)
{
    (void)fputs(".SS ", stdout);
    put_plain(command->name);
    (void)fputc('\n', stdout);
    put_literal(command->usage);
    if (command->text != NULL) {
        (void)fputs(".PP\n", stdout);
        put_literal(command->text);
    }
    put_options(command->options);
    if (command->is_api) {
        (void)fputs(".PP\nAlso takes the options of all commands that talk to a server, below.\n", stdout);
    }
    if (command->examples != NULL) {
        (void)fputs(".PP\nExamples:\n.RS 4\n", stdout);
        put_literal(command->examples);
        (void)fputs(".RE\n", stdout);
    }
}

static const char tail[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B BELFRY_URL\nWhere the server is, unless --url says it.\n"
    ".TP\n.B BELFRY_TOKEN\nThe token, unless --token-file names a file with it.\n"
    ".TP\n.B BELFRY_DATA\nThe data folder, unless --data says it. Otherwise /var/lib/belfry for root, and\n"
    "$XDG_DATA_HOME/belfry or ~/.local/share/belfry for everybody else.\n"
    ".TP\n.B NO_COLOR\nNo colours, also on a terminal.\n"
    ".TP\n.B TZDIR\nThe folder with the rules of time zones, instead of /usr/share/zoneinfo.\n"
    ".SH FILES\n"
    "The file token in the data folder holds the token of the local server. Where nobody named the folder, it is sent\n"
    "to a server on this machine alone.\n"
    ".SH EXIT STATUS\n"
    "0 done, 1 refused or failed, 2 called wrongly, 3 the server cannot be reached.\n";

void help_man(void)
{
    (void)printf(".TH BELFRY 1 \"\" \"belfry %s\" \"Belfry\"\n"
                 ".SH NAME\nbelfry \\- a job scheduler that never misses a fire and never fires twice\n"
                 ".SH SYNOPSIS\n.B belfry\n.I COMMAND\n.RI [ ARGUMENT .\\|.\\|.]\n"
                 ".SH COMMANDS\n",
                 BELFRY_VERSION);
    for (size_t i = 0; commands[i] != NULL; i++) {
        put_command(commands[i]);
    }
    (void)fputs(".SH OPTIONS OF COMMANDS THAT TALK TO A SERVER\n", stdout);
    put_options(api_option_table);
    (void)fputs(tail, stdout);
}
