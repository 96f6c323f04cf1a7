#include "api/api.h"

#include <string.h>

#include "api/alerts.h"
#include "api/answers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "api/origin.h"
#include "api/pacer.h"
#include "api/progress.h"
#include "api/relay.h"
#include "api/routes.h"
#include "api/tracer.h"
#include "api/site.h"
#include "base/chrono.h"
#include "base/limits.h"
#include "base/mem.h"
#include "wire/def_read.h"
#include "wire/work_read.h"

#define BEARER "Bearer "

/* ---- who may ---- */

/* Takes the same time wherever they differ. */
static bool is_same_secret(struct str a, struct str b)
{
    unsigned different = a.len == b.len ? 0 : 1;

    for (size_t i = 0; i < a.len && i < b.len; i++) {
        different |= (unsigned char)a.ptr[i] ^ (unsigned char)b.ptr[i];
    }
    return different == 0;
}

/* What tells nothing of anybody's jobs. */
static bool is_open(struct str path)
{
    return str_is(path, "/healthz") || str_is(path, "/readyz") || str_is(path, "/version") ||
           str_is(path, "/openapi.json");
}

/* The dashboard's own files: there is no call with such a path. */
static bool is_site(const struct net_request *net)
{
    struct net_match match;

    return site_has(net) && net_request_route(net, &api_routes, &match) == NET_ROUTE_NO_PATH;
}

static bool may(const struct api *api, const struct net_request *net)
{
    struct str header;

    if (str_empty(api->config.token) || is_open(net_request_path(net)) || is_site(net)) {
        return true;
    }
    if (net_request_header(net, STR("Authorization"), &header) != 1 || !str_starts_with(header, STR(BEARER))) {
        return false;
    }
    return is_same_secret(str_from_bytes(header.ptr + strlen(BEARER), header.len - strlen(BEARER)), api->config.token);
}

/* Where no token is asked for: whether it may be some web page that asks. Programs send no Origin. */
static bool is_of_a_stranger(const struct api *api, const struct net_request *net)
{
    struct str host = STR(""), origin = STR("");

    if (!str_empty(api->config.token) || is_open(net_request_path(net))) {
        return false;
    }
    size_t hosts = net_request_header(net, STR("Host"), &host);
    size_t origins = net_request_header(net, STR("Origin"), &origin);

    return hosts > 1 || (hosts == 1 && !origin_is_loopback(host)) || origins > 1 ||
           (origins == 1 && !origin_is_own(origin, host));
}

/* ---- requests ---- */

static struct api_request *request_of(struct api *api, struct net_request *net)
{
    struct api_request *request = arena_zalloc(net_request_arena(net), sizeof *request);

    request->api = api;
    request->config = &api->config;
    request->net = net;
    request->arena = net_request_arena(net);
    net_request_set_user(net, request);
    return request;
}

static void refuse_method(struct api_request *request)
{
    char allow[NET_ALLOW_TEXT_MAX];
    struct error error;

    err_set(&error, ERR_METHOD, "this path takes %s", net_allow_text(request->match.allowed, allow));
    api_problem_with(request, &error, "Allow", allow);
}

void api_check_early(void *context, struct net_request *net)
{
    struct api *api = context;
    struct error error;

    if (!may(api, net)) {
        err_set(&error, ERR_UNAUTHORIZED,
                "send Authorization: Bearer with the server's token; it is in the file token of its data folder");
        api_problem(request_of(api, net), &error);
        return;
    }
    if (is_of_a_stranger(api, net)) {
        err_set(
            &error, ERR_FORBIDDEN,
            "a server that asks for no token (auth = none) answers its own pages and programs of this machine only: "
            "ask http://localhost or http://127.0.0.1 with its port, and without the Origin of another page; or "
            "start it with auth = token");
        api_problem(request_of(api, net), &error);
        return;
    }
    struct net_match match;
    bool is_found = net_request_route(net, &api_routes, &match) == NET_ROUTE_FOUND;

    if (is_found && match.route->id == API_ROUTE_BATCH) {
        net_request_allow_body(net, WIRE_BATCH_BYTES_MAX);
    } else if (is_found && match.route->id == API_ROUTE_WORK) {
        net_request_allow_body(net, WIRE_WORK_BYTES_MAX);
    }
}

void api_handle(void *context, struct net_request *net)
{
    struct api *api = context;
    struct api_request *request = request_of(api, net);
    struct error error;

    switch (net_request_route(net, &api_routes, &request->match)) {
    case NET_ROUTE_FOUND: {
        const struct api_route *route = request->match.route->target;

        if (api->relay != NULL && !api_route_is_here(route) && relay_is_needed(api->relay)) {
            relay_take(api->relay, request);
        } else {
            route->handler(api, request);
        }
        break;
    }
    case NET_ROUTE_NO_METHOD:
        refuse_method(request);
        break;
    case NET_ROUTE_NO_PATH:
        if (site_has(net)) {
            site_answer(net);
            break;
        }
        err_set(&error, ERR_NOT_FOUND, "there is no such path; /openapi.json lists all");
        api_problem(request, &error);
        break;
    }
}

void api_gone(void *context, struct net_request *net)
{
    const struct api *api = context;
    struct api_request *request = net_request_user(net);

    if (request != NULL && api->relay != NULL) {
        relay_gone(api->relay, request);
    }
    if (request != NULL && request->exchange_token != 0) {
        shard_gone(api->config.shard, request->exchange_token);
    }
}

void api_done(void *context, struct net_request *net)
{
    (void)context;
    (void)net;
}

static enum err code_of(int status)
{
    switch (status) {
    case 413:
        return ERR_TOO_LARGE;
    case 431:
        return ERR_HEADERS_TOO_LARGE;
    case 408:
        return ERR_REQUEST_TIMEOUT;
    case 503:
        return ERR_OVERLOADED;
    default:
        return ERR_INVALID;
    }
}

void api_refused(void *context, struct net_request *net, int status, const char *detail)
{
    struct error error;

    err_set(&error, code_of(status), "%s", detail);
    api_problem_failed(request_of(context, net), &error, true);
}

/* ---- life ---- */

struct api *api_new(const struct api_config *config)
{
    struct api *api = mem_zalloc(sizeof *api);

    api->config = *config;
    (void)pthread_mutex_init(&api->backup_lock, NULL);
    api->progress = progress_new((uint64_t)chrono_mono_ns());
    api->pacer = pacer_new(config->shard);
    api->observe = observe_new(config->shard, config->readers);
    if (config->alert_url != NULL && config->alert_url[0] != '\0') {
        api->alerts = alerts_new(&(struct alerts_config){.shard = config->shard,
                                                         .counters = api->observe->counters,
                                                         .depths = api->observe->depths,
                                                         .url = config->alert_url,
                                                         .server_name = config->server_name,
                                                         .server_url = config->url});
    }
    api->answers = answers_new();
    api->tracer = tracer_new(config->otlp_endpoint, config->server_name, config->version);
    if (config->is_shared) {
        api->relay = relay_new(&(struct relay_config){.shard = config->shard, .token = config->token});
    }
    return api;
}

void api_tick(struct api *api)
{
    alerts_tick(api->alerts);
}

void api_stop(struct api *api)
{
    alerts_stop(api->alerts);
    if (api->relay != NULL) {
        relay_stop(api->relay);
    }
    pacer_stop(api->pacer);
    observe_stop(api->observe);
    tracer_stop(api->tracer);
}

void api_set_net(struct api *api, struct net_server *net)
{
    api->net = net;
}

void api_free(struct api *api)
{
    api_backup_wait(api); /* a request that outlived the server, and was refused when the shard closed */
    relay_free(api->relay);
    pacer_free(api->pacer);
    alerts_free(api->alerts);
    observe_free(api->observe);
    tracer_free(api->tracer);
    progress_free(api->progress);
    answers_free(api->answers);
    (void)pthread_mutex_destroy(&api->backup_lock);
    mem_free(api);
}
