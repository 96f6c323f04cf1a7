/* GET /metrics: gathers, and answers in Prometheus' text format. */
#include "api/metrics.h"

#include "api/handlers.h"
#include "api/inside.h"
#include "api/metrics_text.h"
#include "api/observe.h"

#define METRICS_BYTES_MAX (16UL * 1024 * 1024)
#define MS_PER_S 1e3

static void answer(struct api_request *request)
{
    struct metrics *metrics = request->state;
    struct buf out;

    shard_look(request->config->shard, &metrics->shard);
    depths_look(request->api->observe->depths, &metrics->depths);
    buf_init(&out, METRICS_BYTES_MAX);
    metrics_head(&out, "build_info", "gauge", "The version that runs.");
    buf_printf(&out, "belfry_build_info{version=\"%s\"} 1\n", request->config->version);
    metrics_gauge(&out, "start_time_seconds", "When the server started.",
                  (double)request->api->observe->started_ms / MS_PER_S);
    if (metrics->has_engine) {
        metrics_put_now(&out, metrics);
    }
    metrics_put_done(&out, request, metrics);
    metrics_put_inside(&out, request, metrics);
    api_answer_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", &out);
}

/* Writing takes milliseconds where there are many series: not on the engine's thread. Nothing is read. */
static void write_elsewhere(struct api_request *request, struct store_reader *reader)
{
    (void)reader;
    answer(request);
}

static void look(struct api_request *request, const struct engine *engine)
{
    struct metrics *metrics = request->state;

    if (engine == NULL) { /* it has just gone: there is still a server */
        answer(request);
        return;
    }
    metrics->has_engine = true;
    engine_figures(engine, &metrics->figures);
    engine_view_all(engine, &metrics->all);
    for (int scope = SCOPE_TENANT; scope <= SCOPE_TYPE; scope++) {
        metrics->counts[scope] =
            engine_view_scopes(engine, (enum scope)scope, METRICS_SCOPES_MAX, request->arena, &metrics->scopes[scope]);
    }
    metrics->breaker_count =
        engine_view_breakers(engine, STR(""), STR(""), METRICS_BREAKERS_MAX, request->arena, &metrics->breakers);
    api_read(request, write_elsewhere);
}

void api_metrics(struct api *api, struct api_request *request)
{
    struct metrics *metrics = arena_zalloc(request->arena, sizeof *metrics);
    struct shard_view view;

    metrics->has_net = api->net != NULL;
    if (metrics->has_net) { /* here, on one of its loops, where it certainly is */
        net_server_figures(api->net, &metrics->net);
    }
    request->state = metrics;
    shard_look(api->config.shard, &view);
    if (view.state == SHARD_SERVING) {
        api_look_if(request, look);
    } else {
        answer(request); /* whatever is wrong with the store */
    }
}
