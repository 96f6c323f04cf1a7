#include <stdio.h>

#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/own_worker.h"
#include "cli/process.h"
#include "client/place.h"
#include "server/notify.h"

/* Without anything to do in it: it only has to be shorter than for ever. */
#define TICK_MS 60000

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* The server and the token, as every command finds them, with what the file of settings says. */
static enum err find_place(const struct config *config, struct place_found *ret_place, struct error *reterr)
{
    struct place_surroundings around = place_around();
    const struct place_wishes wishes = {
        .url = or_null(config_text(config, CONFIG_URL)),
        .token_file = or_null(config_text(config, CONFIG_TOKEN_FILE)),
        .data = config->values[CONFIG_DATA].source != CONFIG_FROM_DEFAULT ? config_text(config, CONFIG_DATA) : NULL,
    };

    return place_find(&wishes, &around, ret_place, reterr);
}

static int work(const struct process *process, const struct place_found *place)
{
    struct worker *worker = NULL;
    SCOPE(buf_done) struct buf url;
    struct error error;

    buf_init(&url, 2 * PLACE_URL_BYTES_MAX);
    mask_append(&url, str_from(place->url));
    if (own_worker_start(&process->config, place->url, place->token, NULL, &worker, &error) != ERR_OK) {
        return process_refuse(process, &error);
    }
    if (process->is_json) {
        process_ready_json(buf_text(&url), worker_id(worker));
    } else {
        (void)printf("belfry worker %s asks %s\n", worker_id(worker), buf_text(&url));
        (void)fflush(stdout);
    }
    log_info("worker.ready", KEY_STR("worker", worker_id(worker)), KEY_STR("url", buf_text(&url)));
    (void)notify_send("READY=1");
    const char *why = process_wait(TICK_MS, NULL, NULL);
    log_info("worker.stopping", KEY_STR("signal", why));
    (void)notify_send("STOPPING=1");
    worker_drain(worker);
    worker_wait(worker);
    worker_free(worker);
    log_info("worker.stopped", KEY_STR("signal", why));
    process_say("belfry has stopped");
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct process process;
    struct place_found place;
    struct error error;
    int exit_code;

    if (!process_begin(&process, command, argc, argv, &exit_code)) {
        return exit_code;
    }
    exit_code = find_place(&process.config, &place, &error) == ERR_OK ? work(&process, &place)
                                                                      : process_refuse(&process, &error);
    process_end(&process);
    return exit_code;
}

static const struct option table[] = {
    CONFIG_COMMON_TABLE(PROCESS_OPTION) CONFIG_REMOTE_TABLE(PROCESS_OPTION) CONFIG_WORKER_TABLE(PROCESS_OPTION)
        PROCESS_JSON_ROW,
    {0},
};

const struct command command_worker = {
    .name = "worker",
    .group = "Run it",
    .summary = "a worker for http and exec targets, on this or another machine",
    .usage = "belfry worker [options]        executes http and exec targets for a server\n",
    .text = PROCESS_TEXT,
    .examples = "BELFRY_TOKEN=bf_... belfry worker --url http://10.0.0.7:7600 --worker-pools email,reports\n",
    .options = table,
    .run = run,
};
