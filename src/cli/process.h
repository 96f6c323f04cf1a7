/* process: what `belfry up`, `server` and `worker` have in common: settings, log, limits, signals, systemd.
 *
 * Owns:  the settings, from process_begin to process_end.
 * Rules: (1) SIGTERM and SIGINT ask for an orderly end; the second one ends the process at once, with exit code 1.
 *        (2) SIGHUP does nothing; a broken pipe is an error of the write, never the end.
 *        (3) signals are blocked in every thread but while this module waits for them: programs that a worker starts
 *            get a clean slate (worker/spawn.c).
 *        (4) a person at a terminal sees warnings and where the process is in its life; the line about each attempt is
 *            for files, and for those who ask for it by --log-level.
 * See:   server/config.h, server/notify.h, tests/server/
 */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <stddef.h>

#include "cli/command.h"
#include "server/config.h"

/* A medium that failed, a file that lies: sysexits' EX_SOFTWARE, so that a supervisor can tell. */
#define EXIT_BROKEN 70

/* Rows of struct option from rows of config_table.h. */
#define PROCESS_OPTION(id, name, kind, value, standard, low, high, choices, help)                                      \
    {name,                                                                                                             \
     value,                                                                                                            \
     help,                                                                                                             \
     (kind) == CONFIG_SWITCH ? offsetof(struct config_flags, switches[id])                                             \
                             : offsetof(struct config_flags, values[id]),                                              \
     false,                                                                                                            \
     choices},

#define PROCESS_TEXT                                                                                                   \
    "Every option is also a variable of the environment and a line of the file of settings: --drain-grace 1m,\n"       \
    "BELFRY_DRAIN_GRACE=1m and drain-grace = 1m mean the same; the command line comes first, then the environment,\n"  \
    "then the file. belfry config shows what holds.\n"

/* What the command line says: of settings, and --json. */
struct process_options {
    struct config_flags flags; /* first: where the rows of config_table.h look for them */
    bool is_json;
};

#define PROCESS_JSON_ROW                                                                                               \
    {                                                                                                                  \
        "json", NULL, "the line that says it is ready is a JSON object, and so\nis each line of the log",              \
            offsetof(struct process_options, is_json)                                                                  \
    }

struct process {
    const char *name; /* the command's */
    bool is_json;
    struct config config;
};

/* Reads arguments and settings. False: the command ends here, with *ret_exit_code, and has said why. */
bool process_read(struct process *process, const struct command *command, int argc, char **argv, int *ret_exit_code);

/* The same, and log, limits and signals are as they should be. Before the first thread. */
bool process_begin(struct process *process, const struct command *command, int argc, char **argv, int *ret_exit_code);
void process_end(struct process *process);

/* The settings by themselves, from flags that somebody has read. Returns an exit code. */
int process_config(const char *name, const struct config_flags *flags, struct config *ret_config);

/* Says once what is wrong, as a sentence or as JSON; returns the exit code to return. */
int process_refuse(const struct process *process, const struct error *error);

/* {"ready":true,"url":...,"worker":...} on standard output, for --json; worker may be NULL. */
void process_ready_json(const char *url, const char *worker);

/* A line for a person: nothing where standard error is no terminal (rule 4). */
void process_say(const char *text);

/* Waits for the first signal (rule 1) and returns its name; calls tick (which may be NULL) about every tick_ms. */
const char *process_wait(int64_t tick_ms, void (*tick)(void *context), void *context);

#endif
