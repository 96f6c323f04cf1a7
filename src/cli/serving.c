#include "cli/serving.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/assemble.h"
#include "api/assemble_store.h"
#include "base/chrono.h"
#include "base/log.h"
#include "cli/own_worker.h"
#include "server/home.h"
#include "server/notify.h"
#include "server/own_id.h"
#include "worker/leftovers.h"

/* Without a watchdog: signals come by themselves, the rest is not urgent. */
#define TICK_MS 1000
/* What a stop leaves to requests that are under way, at most: they take milliseconds, or are polls, which are answered
 * by the drain. */
#define REQUESTS_GRACE_MS 5000
#define HOW_BYTES 4400

struct serving {
    struct process *process;
    struct assembly *assembly;
    struct worker *worker; /* NULL: none here */
    char dead_worker[OWN_ID_BYTES_MAX];
    int64_t watchdog_ms; /* 0: nobody watches */
};

/* ---- while it serves ---- */

static void broken(void *context, const struct error *error)
{
    (void)context;
    (void)error; /* it is in the log */
    _exit(EXIT_BROKEN);
}

/* What the worker of a killed server has left running goes before anything of it can be granted again. */
static const char *owned(void *context, const char *store_path)
{
    struct serving *serving = context;

    own_id_read(store_path, serving->dead_worker);
    size_t count = leftovers_kill(str_from(serving->dead_worker));

    if (count > 0) {
        log_warn("worker.leftovers", KEY_STR("worker", serving->dead_worker), KEY_UINT("killed", count));
    }
    return serving->dead_worker;
}

static void tick(void *context)
{
    struct serving *serving = context;

    if (serving->watchdog_ms > 0) {
        if (assembly_answers(serving->assembly, serving->watchdog_ms / 2)) {
            (void)notify_send("WATCHDOG=1");
        } else {
            log_error("watchdog.silent", KEY_STR("error", "the engine did not answer in time"));
        }
    }
    assembly_tick(serving->assembly);
}

/* ---- what is said ---- */

/* What the other commands need to be told, so that they find this server: its folder, which has the rest. */
static void say_how(const struct serving *serving, char *out, size_t size)
{
    const struct config *config = &serving->process->config;
    bool is_data_given = config->values[CONFIG_DATA].source != CONFIG_FROM_DEFAULT;

    (void)snprintf(out, size, "%s%s", is_data_given ? " --data " : "",
                   is_data_given ? config_text(config, CONFIG_DATA) : "");
}

static void say_more(const struct serving *serving)
{
    const char *token_file = assembly_token_file(serving->assembly);
    char how[HOW_BYTES];

    say_how(serving, how, sizeof how);
    (void)printf("\n  data   %s\n", config_text(&serving->process->config, CONFIG_DATA));
    if (token_file[0] != '\0') {
        (void)printf("  token  %s\n", token_file);
    }
    (void)printf("\nOpen that address for the dashboard%s, or try next, in another terminal:\n"
                 "  %s add hello --every 5s%s -- /bin/echo hello\n"
                 "  %s list%s\n"
                 "  %s history hello%s\n"
                 "\nCtrl-C stops it.\n",
                 token_file[0] != '\0' ? " (it asks for the token)" : "", program_invocation_name, how,
                 program_invocation_name, how, program_invocation_name, how);
}

/* Who cannot be found so is found by --url: no reason not to serve. */
static void leave_address(const struct serving *serving)
{
    struct error error;

    if (home_address_write(config_text(&serving->process->config, CONFIG_DATA), assembly_url(serving->assembly),
                           &error) != ERR_OK) {
        log_warn("server.address", KEY_STR("error", error.text));
    }
}

static void say_ready(const struct serving *serving)
{
    leave_address(serving);
    if (serving->process->is_json) {
        process_ready_json(assembly_url(serving->assembly),
                           serving->worker != NULL ? worker_id(serving->worker) : NULL);
    } else {
        (void)printf("belfry listens on %s\n", assembly_url(serving->assembly));
        (void)fflush(stdout);
    }
    if (serving->worker != NULL && !serving->process->is_json) {
        say_more(serving);
        (void)fflush(stdout);
    }
    if (!notify_send("READY=1")) {
        log_warn("process.notify", KEY_STR("error", "systemd could not be told"));
    }
    log_info("server.ready", KEY_STR("url", assembly_url(serving->assembly)));
}

/* ---- life ---- */

static enum err start_worker(struct serving *serving, struct error *reterr)
{
    char id[WORKER_ID_BYTES];
    struct error error;

    worker_id_new(id);
    if (!assemble_is_database(config_text(&serving->process->config, CONFIG_STORE)) &&
        own_id_write(assembly_store_path(serving->assembly), id, &error) != ERR_OK) {
        log_warn("worker.id", KEY_STR("error", error.text)); /* what a kill leaves waits for its lease then */
    }
    return own_worker_start(&serving->process->config, assembly_url(serving->assembly),
                            assembly_token(serving->assembly), id, &serving->worker, reterr);
}

static enum err start(struct serving *serving, bool has_worker, struct error *reterr)
{
    const struct config *config = &serving->process->config;
    const struct assembly_config assembly = {
        .config = config, .version = BELFRY_VERSION, .context = serving, .broken = broken, .owned = owned};
    enum err err = assembly_start(&assembly, &serving->assembly, reterr);

    if (err == ERR_OK && has_worker) {
        err = start_worker(serving, reterr);
    }
    if (err != ERR_OK) {
        assembly_stop(serving->assembly, 0);
    }
    return err;
}

static void stop(struct serving *serving, const char *why)
{
    int64_t grace_ms = config_number(&serving->process->config, CONFIG_DRAIN_GRACE);

    log_info("server.stopping", KEY_STR("signal", why));
    (void)notify_send("STOPPING=1");
    assembly_drain(serving->assembly);
    if (serving->worker != NULL) {
        worker_drain(serving->worker);
        worker_wait(serving->worker);
        worker_free(serving->worker);
    }
    home_address_remove(config_text(&serving->process->config, CONFIG_DATA), assembly_url(serving->assembly));
    assembly_stop(serving->assembly, grace_ms < REQUESTS_GRACE_MS ? grace_ms : REQUESTS_GRACE_MS);
    log_info("server.stopped", KEY_STR("signal", why));
    process_say("belfry has stopped");
}

int serving_run(struct process *process, bool has_worker)
{
    struct serving serving = {.process = process, .watchdog_ms = notify_watchdog_ms()};
    struct error error;

    if (start(&serving, has_worker, &error) != ERR_OK) {
        return process_refuse(process, &error);
    }
    say_ready(&serving);
    const char *why = process_wait(
        serving.watchdog_ms > 0 && serving.watchdog_ms < TICK_MS ? serving.watchdog_ms : TICK_MS, tick, &serving);
    stop(&serving, why);
    return EXIT_DONE;
}
