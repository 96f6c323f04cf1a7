#include "api/assemble.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/alerts.h"
#include "api/api.h"
#include "api/assemble_door.h"
#include "api/assemble_seen.h"
#include "api/assemble_store.h"
#include "base/chrono.h"
#include "base/log.h"
#include "base/mem.h"
#include "calendar/zone_cache.h"
#include "server/finished.h"
#include "server/home.h"
#include "server/listen.h"
#include "server/members.h"
#include "server/readers.h"
#include "server/retention.h"
#include "server/rezone.h"
#include "server/shard.h"

#define HOST_BYTES 256
/* While nothing may be removed it is thought of again after this. */
#define NOT_NOW_MS 10000

struct assembly {
    struct assembly_config config;
    struct listen_place place;
    char host[HOST_BYTES];
    char url[LISTEN_URL_BYTES];
    char store_path[HOME_PATH_BYTES_MAX];
    char token_file[HOME_PATH_BYTES_MAX];
    char token[HOME_TOKEN_BYTES_MAX];
    const char *dead_worker; /* "": none */
    bool is_leaving;         /* the shard is being handed over */
    struct seen seen;
    /* In the order of their start; NULL: not started. */
    struct store *store;
    struct door door;
    struct zone_cache *zones;
    struct readers *readers;
    struct store_members *store_members; /* until members has it */
    struct members *members;             /* NULL: nobody shares the store */
    struct shard *shard;
    struct api *api;
    struct retention *retention;
    struct finished *finished;
    struct rezone *rezone;
};

/* ---- what the shard tells ---- */

static void on_committed(void *context, const struct batch *batch)
{
    struct assembly *assembly = context;
    struct api *api = door_api(&assembly->door);

    if (api != NULL) { /* what an engine decides while it starts is in the store, and seen by reads */
        api_committed(api, batch);
    }
}

static void on_broken(void *context, const struct error *error)
{
    struct assembly *assembly = context;

    log_error("store.broken", KEY_STR("error", error->text));
    assembly->config.broken(assembly->config.context, error);
}

/* rule 3 of retention.h: only by a time that the engine believes. */
static int64_t on_idle(void *context, struct store *store)
{
    struct assembly *assembly = context;
    struct shard_view view;

    if (door_api(&assembly->door) == NULL) { /* so the shard is not ours yet */
        return NOT_NOW_MS;
    }
    shard_look(assembly->shard, &view);
    if (view.state != SHARD_SERVING || view.figures.is_clock_held || view.figures.is_held) {
        return NOT_NOW_MS;
    }
    return retention_step(assembly->retention, store, view.figures.now_ms);
}

static void on_changed(void *context, bool is_serving, const struct error *error)
{
    (void)context;
    if (is_serving) {
        log_info("shard.serving");
    } else if (error != NULL) {
        log_error("shard.down", KEY_STR("error", error->text));
    } else {
        log_info("shard.standby"); /* GET /v1/servers says for whom */
    }
}

static void on_behind(void *context, const struct shard_behind *behind)
{
    (void)context;
    seen_behind(behind);
}

/* ---- parts ---- */

static enum err check_alerts(const struct config *config, struct error *reterr)
{
    const char *url = config_text(config, CONFIG_ALERT_URL);

    return url[0] != '\0' ? alerts_check_url(url, reterr) : ERR_OK;
}

static enum err place_of(struct assembly *assembly, struct error *reterr)
{
    const struct config *config = assembly->config.config;
    enum err err = listen_parse(str_from(config_text(config, CONFIG_LISTEN)), &assembly->place, reterr);

    if (err == ERR_OK && !assembly->place.is_loopback && config_is(config, CONFIG_AUTH, "none")) { /* rule 3 */
        return err_set(reterr, ERR_FORBIDDEN,
                       "a server that asks for no token (auth = none) listens on a loopback address only, not on %s",
                       assembly->place.address);
    }
    return err;
}

static enum err check_endpoint(const struct config *config, struct error *reterr)
{
    struct str endpoint = str_from(config_text(config, CONFIG_OTLP_ENDPOINT));

    if (str_empty(endpoint) || str_starts_with(endpoint, STR("http://")) ||
        str_starts_with(endpoint, STR("https://"))) {
        return ERR_OK;
    }
    return err_set(reterr, ERR_INVALID, "otlp-endpoint is the URL of a collector, such as http://127.0.0.1:4318");
}

static enum err open_store(struct assembly *assembly, struct error *reterr)
{
    return assemble_store(assembly->config.config, assembly->store_path, sizeof assembly->store_path, &assembly->store,
                          reterr);
}

/* Where others find this server: as it was told, or where it listens. */
static const char *advertised(const struct assembly *assembly)
{
    const char *url = config_text(assembly->config.config, CONFIG_ADVERTISE);

    return url[0] != '\0' ? url : assembly->url;
}

static enum err find_token(struct assembly *assembly, struct error *reterr)
{
    const struct config *config = assembly->config.config;
    const char *given = config_text(config, CONFIG_TOKEN);
    const char *file = config_text(config, CONFIG_TOKEN_FILE);

    if (config_is(config, CONFIG_AUTH, "none")) {
        return ERR_OK;
    }
    if (given[0] != '\0') {
        if (strlen(given) >= sizeof assembly->token) {
            return err_set(reterr, ERR_INVALID, "the token in BELFRY_TOKEN is too long");
        }
        (void)snprintf(assembly->token, sizeof assembly->token, "%s", given);
        return ERR_OK;
    }
    if (file[0] != '\0') {
        (void)snprintf(assembly->token_file, sizeof assembly->token_file, "%s", file);
        return home_token_read(file, assembly->token, reterr);
    }
    enum err err = home_path(config_text(config, CONFIG_DATA), HOME_TOKEN_NAME, assembly->token_file, reterr);
    return err == ERR_OK ? home_token(assembly->token_file, assembly->token, reterr) : err;
}

static enum err open_door(struct assembly *assembly, struct error *reterr)
{
    const struct config *config = assembly->config.config;
    struct net_config net = net_config_default();

    net.address = assembly->place.address;
    net.port = assembly->place.port;
    net.threads = (size_t)config_number(config, CONFIG_NET_THREADS);
    net.connections_max = (size_t)config_number(config, CONFIG_MAX_CONNECTIONS);
    net.streams_max = (size_t)config_number(config, CONFIG_MAX_STREAMS);
    net.body_bytes_max = (size_t)config_number(config, CONFIG_MAX_BODY);
    struct error error;
    enum err err = door_open(&assembly->door, &net, &error);
    if (err != ERR_OK) {
        return err_set(reterr, err, "%s; --listen chooses another address (port 0: any that is free)", error.text);
    }
    listen_url(&assembly->place, net_server_port(assembly->door.net), assembly->url);
    return ERR_OK;
}

static const char *zone_folder(const struct config *config)
{
    const char *folder = config_text(config, CONFIG_ZONES);
    const char *around = getenv("TZDIR");

    return folder[0] != '\0' ? folder : around != NULL && around[0] != '\0' ? around : NULL;
}

static enum err start_shard(struct assembly *assembly, struct error *reterr)
{
    struct shard_config shard = {
        .store = assembly->store,
        .engine = {.zones = assembly->zones,
                   .accept_clock = config_number(assembly->config.config, CONFIG_ACCEPT_CLOCK) != 0,
                   .is_held = config_number(assembly->config.config, CONFIG_HOLD) != 0,
                   .dead_worker = str_from(assembly->dead_worker)},
        .name = str_from(assembly->host),
        .url = str_from(advertised(assembly)),
        .place = str_from(assembly->store_path),
        .context = assembly,
        .committed = on_committed,
        .broken = on_broken,
        .idle = on_idle,
        .changed = on_changed,
        .behind = on_behind,
    };
    const struct retention_config retention = {
        .history_ms = config_number(assembly->config.config, CONFIG_KEEP_HISTORY),
        .dead_ms = config_number(assembly->config.config, CONFIG_KEEP_DEAD),
        .archive = config_text(assembly->config.config, CONFIG_ARCHIVE),
    };
    enum err err = home_random(&shard.engine.seed, sizeof shard.engine.seed, reterr);

    if (store_is_shared(assembly->store)) {
        shard.seen = seen_begin(&assembly->seen, config_text(assembly->config.config, CONFIG_DATA));
    }
    assembly->retention = retention_new(&retention);
    return err == ERR_OK ? shard_start(&shard, &assembly->shard, reterr) : err;
}

static void start_members(struct assembly *assembly)
{
    const struct members_config members = {
        .store = assembly->store_members,
        .shard = assembly->shard,
        .name = str_from(assembly->host),
        .url = str_from(advertised(assembly)),
        .version = assembly->config.version,
        .started_ms = chrono_wall_ms(),
    };

    assembly->store_members = NULL;
    assembly->members = members_start(&members);
}

static void start_api(struct assembly *assembly)
{
    const struct rezone_config rezone = {
        .shard = assembly->shard,
        .readers = assembly->readers,
        .zones = assembly->zones,
        .folder = zone_folder(assembly->config.config),
    };

    assembly->rezone = rezone_new(&rezone);
    const struct api_config api = {
        .shard = assembly->shard,
        .readers = assembly->readers,
        .zones = assembly->zones,
        .rezone = assembly->rezone,
        .retention = assembly->retention,
        .members = assembly->members,
        .token = str_from(assembly->token),
        .server_name = str_from(assembly->host),
        .url = str_from(advertised(assembly)),
        .is_shared = store_is_shared(assembly->store),
        .store_text = str_from(assembly->store_path),
        .otlp_endpoint = config_text(assembly->config.config, CONFIG_OTLP_ENDPOINT),
        .version = assembly->config.version,
        .alert_url = config_text(assembly->config.config, CONFIG_ALERT_URL),
    };

    const struct finished_config finished = {
        .shard = assembly->shard,
        .readers = assembly->readers,
        .once_ms = config_number(assembly->config.config, CONFIG_KEEP_HISTORY),
        .recurring_ms = config_number(assembly->config.config, CONFIG_KEEP_FINISHED),
    };

    assembly->finished = finished_new(&finished);
    assembly->api = api_new(&api);
    api_set_net(assembly->api, assembly->door.net);
    door_set_api(&assembly->door, assembly->api);
}

/* ---- life ---- */

static enum err start(struct assembly *assembly, struct error *reterr)
{
    const struct config *config = assembly->config.config;
    enum err err = place_of(assembly, reterr);

    if (err == ERR_OK) {
        err = check_alerts(config, reterr);
    }
    if (err == ERR_OK) {
        err = check_endpoint(config, reterr);
    }
    if (err == ERR_OK) {
        err = home_open(config_text(config, CONFIG_DATA), reterr);
    }
    if (err == ERR_OK) {
        err = open_store(assembly, reterr); /* rule 1: it has the lock */
    }
    if (err == ERR_OK) {
        assembly->dead_worker = assembly->config.owned != NULL && !store_is_shared(assembly->store)
                                    ? assembly->config.owned(assembly->config.context, assembly->store_path)
                                    : "";
        err = find_token(assembly, reterr);
    }
    if (err == ERR_OK) {
        err = open_door(assembly, reterr);
    }
    if (err == ERR_OK) {
        assembly->zones = zone_cache_new(zone_folder(config));
        err = readers_start(assembly->store, (size_t)config_number(config, CONFIG_READERS), &assembly->readers, reterr);
    }
    if (err == ERR_OK) {
        assembly->store_members = store_members_open(assembly->store);
        err = start_shard(assembly, reterr);
    }
    if (err == ERR_OK) {
        start_members(assembly);
        start_api(assembly);
    }
    return err;
}

enum err assembly_start(const struct assembly_config *config, struct assembly **ret_assembly, struct error *reterr)
{
    struct assembly *assembly = mem_zalloc(sizeof *assembly);

    assembly->config = *config;
    if (gethostname(assembly->host, sizeof assembly->host - 1) != 0 || assembly->host[0] == '\0') {
        (void)snprintf(assembly->host, sizeof assembly->host, "belfry");
    }
    enum err err = start(assembly, reterr);
    if (err != ERR_OK) {
        assembly_stop(assembly, 0);
        return err;
    }
    *ret_assembly = assembly;
    return ERR_OK;
}

void assembly_drain(struct assembly *assembly)
{
    api_set_draining(assembly->api);
    members_drain(assembly->members);
    assembly->is_leaving = api_hand_over(assembly->api);
    if (!assembly->is_leaving) {
        shard_drain(assembly->shard);
    }
}

void assembly_stop(struct assembly *assembly, int64_t grace_ms)
{
    if (assembly == NULL) {
        return;
    }
    if (assembly->is_leaving) {
        api_await_hand_over(assembly->api);
    }
    door_close(&assembly->door, grace_ms);
    if (assembly->api != NULL) {
        api_stop(assembly->api);
    }
    members_stop(assembly->members);
    /* Requests that are still under way may go from the one to the other: both end before either goes. */
    if (assembly->shard != NULL) {
        shard_close(assembly->shard);
        seen_tick(&assembly->seen, assembly->shard, true);
    }
    if (assembly->readers != NULL) {
        readers_stop(assembly->readers);
    }
    if (assembly->shard != NULL) {
        shard_free(assembly->shard);
    }
    if (assembly->api != NULL) {
        api_free(assembly->api);
    }
    store_members_close(assembly->store_members);
    finished_free(assembly->finished);
    rezone_free(assembly->rezone);
    store_close(assembly->store);
    retention_free(assembly->retention);
    zone_cache_free(assembly->zones);
    mem_free(assembly);
}

/* ---- looking ---- */

const char *assembly_url(const struct assembly *assembly)
{
    return assembly->url;
}

const char *assembly_token(const struct assembly *assembly)
{
    return assembly->token;
}

const char *assembly_token_file(const struct assembly *assembly)
{
    return assembly->token_file;
}

const char *assembly_store_path(const struct assembly *assembly)
{
    return assembly->store_path;
}

bool assembly_answers(struct assembly *assembly, int64_t within_ms)
{
    return shard_answers(assembly->shard, within_ms);
}

void assembly_tick(struct assembly *assembly)
{
    seen_tick(&assembly->seen, assembly->shard, false);
    finished_tick(assembly->finished);
    rezone_tick(assembly->rezone);
    api_tick(assembly->api);
}
