#include "cli/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/show.h"
#include "client/place.h"

/* A URL and a worker's id, escaped. */
#define READY_BYTES_MAX (16 * 1024)

/* ---- settings ---- */

static const char *variable(void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

int process_config(const char *name, const struct config_flags *flags, struct config *ret_config)
{
    struct place_surroundings around = place_around();
    char data[PLACE_PATH_BYTES_MAX];
    struct error error;
    bool has_data = place_data(NULL, &around, data, &error) == ERR_OK;
    const struct config_around sources = {.variable = variable, .data_default = has_data ? data : NULL};

    if (config_read(flags, &sources, ret_config, &error) != ERR_OK) {
        (void)command_refuse(name, &error);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

bool process_read(struct process *process, const struct command *command, int argc, char **argv, int *ret_exit_code)
{
    struct process_options options = {0};
    struct config_flags *flags = &options.flags;
    struct arguments arguments;

    *process = (struct process){.name = command->name};
    if (!options_read(command, argc, argv, &options, &arguments)) {
        *ret_exit_code = arguments.exit_code;
        return false;
    }
    process->is_json = options.is_json;
    if (options.is_json && flags->values[CONFIG_LOG_FORMAT].ptr == NULL) {
        flags->values[CONFIG_LOG_FORMAT] = STR("json");
    }
    *ret_exit_code = command_no_more(command->name, &arguments, 0);
    if (*ret_exit_code == EXIT_DONE) {
        *ret_exit_code = process_config(command->name, flags, &process->config);
    }
    return *ret_exit_code == EXIT_DONE;
}

/* ---- surroundings ---- */

static bool is_watched(void)
{
    return isatty(STDERR_FILENO) == 1;
}

static void set_up_log(const struct config *config)
{
    struct log_config log = {.fd = STDERR_FILENO, .is_json = config_is(config, CONFIG_LOG_FORMAT, "json")};

    (void)log_level_from(str_from(config_text(config, CONFIG_LOG_LEVEL)), &log.level); /* config has checked it */
    if (is_watched() && config->values[CONFIG_LOG_LEVEL].source == CONFIG_FROM_DEFAULT) {
        log.level = LOG_LEVEL_WARN; /* rule 4 */
    }
    log_setup(&log);
}

int process_refuse(const struct process *process, const struct error *error)
{
    if (!process->is_json) {
        return command_refuse(process->name, error);
    }
    show_error_json(error);
    return EXIT_REFUSED;
}

void process_ready_json(const char *url, const char *worker)
{
    SCOPE(buf_done) struct buf out;
    struct jw jw;

    buf_init(&out, READY_BYTES_MAX);
    jw_init(&jw, &out);
    jw_begin_object(&jw);
    jw_key(&jw, "ready");
    jw_bool(&jw, true);
    jw_key(&jw, "url");
    jw_text(&jw, url);
    jw_key(&jw, "worker");
    if (worker != NULL) {
        jw_text(&jw, worker);
    } else {
        jw_null(&jw);
    }
    jw_end_object(&jw);
    jw_done(&jw);
    (void)printf("%s\n", buf_text(&out));
    (void)fflush(stdout);
}

void process_say(const char *text)
{
    if (is_watched()) {
        (void)fprintf(stderr, "%s\n", text);
    }
}

/* A connection is a descriptor: as many as the system lets us have. */
static void raise_limits(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            log_warn("process.limits", KEY_STR("error", strerror(errno)));
        }
    }
}

static void ending_signals(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
}

bool process_begin(struct process *process, const struct command *command, int argc, char **argv, int *ret_exit_code)
{
    sigset_t waited;

    if (!process_read(process, command, argc, argv, ret_exit_code)) {
        return false;
    }
    set_up_log(&process->config);
    (void)umask(S_IRWXG | S_IRWXO);
    raise_limits();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the write */
    ending_signals(&waited);
    (void)sigaddset(&waited, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &waited, NULL);
    return true;
}

void process_end(struct process *process)
{
    config_done(&process->config);
}

/* ---- signals ---- */

static void end_now(int number)
{
    static const char text[] = "belfry: a second signal: ended at once\n";

    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(EXIT_REFUSED);
}

static void arm_second(void)
{
    struct sigaction action = {.sa_handler = end_now};
    sigset_t set;

    ending_signals(&set);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

const char *process_wait(int64_t tick_ms, void (*tick)(void *context), void *context)
{
    struct timespec wait = {.tv_sec = tick_ms / 1000, .tv_nsec = tick_ms % 1000 * 1000000};
    sigset_t waited;
    int number = 0;

    ending_signals(&waited);
    (void)sigaddset(&waited, SIGHUP);
    while (number != SIGTERM && number != SIGINT) {
        number = sigtimedwait(&waited, NULL, &wait);
        if (number < 0 && errno == EAGAIN && tick != NULL) {
            tick(context);
        }
    }
    arm_second(); /* rule 1 */
    process_say("\nbelfry is stopping: what runs has --drain-grace to end; Ctrl-C again ends it at once");
    return number == SIGTERM ? "SIGTERM" : "SIGINT";
}
