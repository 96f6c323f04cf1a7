#include "cli/commands.h"
#include "cli/serving.h"

static int run(const struct command *command, int argc, char **argv)
{
    struct process process;
    int exit_code;

    if (process_begin(&process, command, argc, argv, &exit_code)) {
        exit_code = serving_run(&process, true);
        process_end(&process);
    }
    return exit_code;
}

static const struct option table[] = {
    CONFIG_COMMON_TABLE(PROCESS_OPTION) CONFIG_SERVER_TABLE(PROCESS_OPTION) CONFIG_WORKER_TABLE(PROCESS_OPTION)
        PROCESS_JSON_ROW,
    {0},
};

const struct command command_up = {
    .name = "up",
    .group = "Run it",
    .summary = "a server and a worker in one process: all there is to run",
    .usage = "belfry up [options]            a server and a worker in one process\n",
    .text = PROCESS_TEXT,
    .examples = "belfry up\n"
                "belfry up --listen 127.0.0.1:0 --data /tmp/try\n",
    .options = table,
    .run = run,
};
