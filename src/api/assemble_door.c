#include "api/assemble_door.h"

#define NOT_READY_BYTES_MAX 512

static void answer_not_ready(struct net_request *net)
{
    struct net_answer answer = {.status = 503,
                                .content_type = "application/problem+json",
                                .header_count = 2,
                                .headers = {{"Retry-After", "1"}, {"Outcome", "not-applied"}}};

    buf_init(&answer.body, NOT_READY_BYTES_MAX);
    buf_append_text(&answer.body, "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
                                  "\"code\":\"not_ready\",\"detail\":\"the server is starting; try again soon\"}");
    net_answer(net, &answer);
}

static void check_early(void *context, struct net_request *net)
{
    struct api *api = door_api(context);

    if (api == NULL) {
        answer_not_ready(net); /* rule 1 */
    } else {
        api_check_early(api, net);
    }
}

static void handle(void *context, struct net_request *net)
{
    api_handle(door_api(context), net); /* check_early let it pass, so the API is there */
}

static void gone(void *context, struct net_request *net)
{
    api_gone(door_api(context), net);
}

static void done(void *context, struct net_request *net)
{
    api_done(door_api(context), net);
}

static void refuse(void *context, struct net_request *net, int status, const char *detail)
{
    struct api *api = door_api(context);

    if (api == NULL) {
        answer_not_ready(net);
    } else {
        api_refused(api, net, status, detail);
    }
}

struct api *door_api(struct door *door)
{
    return atomic_load(&door->api);
}

void door_set_api(struct door *door, struct api *api)
{
    atomic_store(&door->api, api);
}

enum err door_open(struct door *door, struct net_config *config, struct error *reterr)
{
    config->context = door;
    config->check_early = check_early;
    config->handle = handle;
    config->gone = gone;
    config->done = done;
    config->refuse = refuse;
    return net_server_start(config, &door->net, reterr);
}

void door_close(struct door *door, int64_t grace_ms)
{
    if (door->net != NULL) {
        (void)net_server_stop(door->net, grace_ms);
        door->net = NULL;
    }
}
