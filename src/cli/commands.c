#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/show.h"

static const char next_help[] =
    "belfry next EXPR [options]     fire times of an expression, without any server\n"
    "belfry next --batch            JSON lines in, one JSON line out for each\n"
    "\n"
    "EXPR is a cron expression of five fields (Unix) or six to seven (Quartz), @daily and the\n"
    "like, or @every 90s. It may begin with its zone: TZID=Europe/Paris:0 9 * * *\n"
    "\n"
    "  --tz ZONE         IANA time zone, such as America/New_York (default UTC; localtime is this\n"
    "                    machine's)\n"
    "  --from TIME       first fires after this instant, RFC 3339 (default now)\n"
    "  --count N         how many, 1 to 10000 (default 10)\n"
    "  --dst-gap HOW     a fixed time the clock jumps over: after (default), shift, skip\n"
    "  --dst-fold HOW    a fixed time that comes twice: first (default), second, both\n"
    "  --seed TEXT       spreads H in the expression (a job uses its name)\n"
    "  --json            one JSON object instead of a table\n"
    "  --batch           lines of {\"expr\",\"tz\",\"from\",\"count\",\"gap\",\"fold\",\"seed\"} from standard\n"
    "                    input; answers {\"next\":[...]} or {\"error\":...,\"position\":n}\n"
    "  -h, --help        this text\n"
    "\n"
    "Zones are read from /usr/share/zoneinfo, or from the folder that TZDIR names.\n"
    "\n"
    "Examples:\n"
    "  belfry next \"0 9 * * MON-FRI\" --tz America/New_York\n"
    "  belfry next \"0 0 9 L * ?\" --tz Europe/Paris --count 3\n"
    "  belfry next \"30 2 * * *\" --tz Europe/Berlin --from 2027-03-27T00:00:00Z --dst-gap shift\n";

static const char zone_help[] =
    "belfry zone ZONE [--at TIME]   offset, abbreviation and next changes of a time zone\n"
    "belfry zone --batch            JSON lines in, one JSON line out for each\n"
    "\n"
    "  --at TIME         the instant to look at, RFC 3339 (default now)\n"
    "  --json            one JSON object instead of text\n"
    "  --batch           lines of {\"zone\",\"utc\"} from standard input; answers\n"
    "                    {\"offset\":seconds,\"abbr\":...,\"local\":...} or {\"error\":...}\n"
    "  -h, --help        this text\n"
    "\n"
    "Example: belfry zone Australia/Lord_Howe --at 2026-04-04T15:00:00Z\n";

static const char version_help[] = "belfry version [--json]        the version of this program\n";

const struct command commands[] = {
    {"next", "fire times of an expression, without any server", next_help, command_next},
    {"zone", "offset and coming changes of a time zone", zone_help, command_zone},
    {"version", "the version of this program", version_help, command_version},
    {NULL, NULL, NULL, NULL},
};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

int command_help(const char *name)
{
    const struct command *command = command_find(name);

    assert(command != NULL);
    (void)fputs(command->help, stdout);
    return EXIT_DONE;
}

int command_refuse(const char *name, const struct error *error)
{
    (void)fprintf(stderr, "belfry %s: %s\n", name, error->text);
    return EXIT_REFUSED;
}

int command_usage(const char *name, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES_MAX];
    char safe[SHOW_SAFE_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fprintf(stderr, "belfry %s: %s\nbelfry %s -h says how it is used\n", name, show_safe(str_from(text), safe),
                  name);
    return EXIT_USAGE;
}
