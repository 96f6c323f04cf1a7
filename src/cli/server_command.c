#include "cli/commands.h"
#include "cli/serving.h"

static int run(const struct command *command, int argc, char **argv)
{
    struct process process;
    int exit_code;

    if (process_begin(&process, command, argc, argv, &exit_code)) {
        exit_code = serving_run(&process, false);
        process_end(&process);
    }
    return exit_code;
}

static const struct option table[] = {
    CONFIG_COMMON_TABLE(PROCESS_OPTION) CONFIG_SERVER_TABLE(PROCESS_OPTION) PROCESS_JSON_ROW,
    {0},
};

const struct command command_server = {
    .name = "server",
    .group = "Run it",
    .summary = "a server alone; workers come from elsewhere",
    .usage = "belfry server [options]        a server alone; workers come from elsewhere\n",
    .text = PROCESS_TEXT,
    .examples = "belfry server --listen 0.0.0.0:7600\n",
    .options = table,
    .run = run,
};
