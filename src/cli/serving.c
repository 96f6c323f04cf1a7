#include "cli/serving.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/assemble.h"
#include "base/chrono.h"
#include "base/log.h"
#include "cli/own_worker.h"
#include "client/place.h"
#include "server/notify.h"
#include "server/zone_watch.h"

/* How often the watch over zones looks. */
#define ZONES_MS 60000
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
    struct zone_watch *zones;
    int64_t zones_mono_ms; /* when they were last looked at */
    int64_t watchdog_ms;   /* 0: nobody watches */
};

/* ---- while it serves ---- */

static void broken(void *context, const struct error *error)
{
    (void)context;
    (void)error; /* it is in the log */
    _exit(EXIT_BROKEN);
}

static void watch_zones(struct serving *serving)
{
    int64_t mono_ms = chrono_mono_ms();
    char version[ZONE_WATCH_TEXT_BYTES];

    if (mono_ms < serving->zones_mono_ms + ZONES_MS) {
        return;
    }
    serving->zones_mono_ms = mono_ms;
    if (zone_watch_changed(serving->zones, version)) {
        assembly_zones_changed(serving->assembly, version);
    }
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
    watch_zones(serving);
    assembly_tick(serving->assembly);
}

/* ---- what is said ---- */

/* What the other commands need to be told, so that they find this server. */
static void say_how(const struct serving *serving, char *out, size_t size)
{
    const struct config *config = &serving->process->config;
    const char *url = assembly_url(serving->assembly);
    bool is_elsewhere = strcmp(url, PLACE_URL_DEFAULT) != 0;
    bool is_data_given = config->values[CONFIG_DATA].source != CONFIG_FROM_DEFAULT;

    (void)snprintf(out, size, "%s%s%s%s", is_elsewhere ? " --url " : "", is_elsewhere ? url : "",
                   is_data_given ? " --data " : "", is_data_given ? config_text(config, CONFIG_DATA) : "");
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
    (void)printf("\nTry next, in another terminal:\n"
                 "  %s add hello --every 5s%s -- /bin/echo hello\n"
                 "  %s list%s\n"
                 "  %s history hello%s\n"
                 "\nCtrl-C stops it.\n",
                 program_invocation_name, how, program_invocation_name, how, program_invocation_name, how);
}

static void say_ready(const struct serving *serving)
{
    (void)printf("belfry listens on %s\n", assembly_url(serving->assembly));
    (void)fflush(stdout);
    if (serving->worker != NULL) {
        say_more(serving);
        (void)fflush(stdout);
    }
    if (!notify_send("READY=1")) {
        log_warn("process.notify", KEY_STR("error", "systemd could not be told"));
    }
    log_info("server.ready", KEY_STR("url", assembly_url(serving->assembly)));
}

/* ---- life ---- */

static enum err start(struct serving *serving, bool has_worker, struct error *reterr)
{
    const struct config *config = &serving->process->config;
    const struct assembly_config assembly = {.config = config, .version = BELFRY_VERSION, .broken = broken};
    enum err err = assembly_start(&assembly, &serving->assembly, reterr);

    if (err == ERR_OK && has_worker) {
        err = own_worker_start(config, assembly_url(serving->assembly), assembly_token(serving->assembly),
                               &serving->worker, reterr);
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
    assembly_stop(serving->assembly, grace_ms < REQUESTS_GRACE_MS ? grace_ms : REQUESTS_GRACE_MS);
    log_info("server.stopped", KEY_STR("signal", why));
}

int serving_run(struct process *process, bool has_worker)
{
    struct serving serving = {
        .process = process, .watchdog_ms = notify_watchdog_ms(), .zones_mono_ms = chrono_mono_ms()};
    struct error error;

    if (start(&serving, has_worker, &error) != ERR_OK) {
        return command_refuse(process->name, &error);
    }
    serving.zones = zone_watch_new(config_text(&process->config, CONFIG_ZONES));
    say_ready(&serving);
    const char *why = process_wait(
        serving.watchdog_ms > 0 && serving.watchdog_ms < TICK_MS ? serving.watchdog_ms : TICK_MS, tick, &serving);
    stop(&serving, why);
    zone_watch_free(serving.zones);
    return EXIT_DONE;
}
