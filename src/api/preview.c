/* What an expression means: fire times, plain English, warnings. */
#include <stdio.h>

#include "api/handlers.h"
#include "base/chrono.h"
#include "calendar/expression.h"
#include "model/schedule.h"
#include "wire/fires.h"
#include "wire/requests.h"

static enum err zone_of(struct api_request *request, const struct wire_preview_request *asked,
                        const struct expression *expression, const struct zone **ret_zone, struct error *reterr)
{
    bool is_own = expression->zone[0] != '\0';
    struct str name = is_own ? str_from(expression->zone) : str_empty(asked->timezone) ? STR("UTC") : asked->timezone;
    enum err err = zone_cache_get(request->config->zones, name, ret_zone, reterr);

    return err_in_field(reterr, err, is_own ? "cron" : "timezone");
}

static enum err schedule_of(struct api_request *request, const struct wire_preview_request *asked,
                            struct expression *expression, struct schedule *ret_schedule, const struct zone **ret_zone,
                            struct error *reterr)
{
    struct str seed = str_empty(asked->seed) ? asked->cron : asked->seed;
    enum err err = err_in_field(reterr, expression_parse(asked->cron, seed, expression, reterr), "cron");

    if (err == ERR_OK) {
        err = zone_of(request, asked, expression, ret_zone, reterr);
    }
    if (err == ERR_OK) {
        *ret_schedule = schedule_unbounded(expression->kind == EXPRESSION_CRON ? SCHEDULE_CRON : SCHEDULE_EVERY);
        ret_schedule->cron = expression->cron;
        ret_schedule->zone = *ret_zone;
        ret_schedule->dst = asked->dst;
        ret_schedule->every_ms = expression->every_ms;
        ret_schedule->first_ms = asked->from_ms + expression->every_ms;
    }
    return err;
}

void api_preview(struct api *api, struct api_request *request)
{
    struct wire_preview_request asked;
    struct expression *expression = arena_zalloc(request->arena, sizeof *expression);
    struct schedule *schedule = arena_zalloc(request->arena, sizeof *schedule);
    const struct zone *zone = NULL;
    struct error error;
    struct jw jw;

    (void)api;
    if (!api_params_only(request, NULL) || !api_body_is_json(request)) {
        return;
    }
    enum err err = wire_read_preview(net_request_body(request->net), request->arena, &asked, &error);

    if (err == ERR_OK) {
        asked.from_ms = asked.from_ms == TIME_NONE ? chrono_wall_ms() : asked.from_ms;
        err = schedule_of(request, &asked, expression, schedule, &zone, &error);
    }
    if (err != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    int64_t *fires_ms = arena_alloc_array(request->arena, (size_t)asked.count, sizeof *fires_ms);
    const struct wire_fires fires = {
        .schedule = schedule,
        .zone = zone,
        .from_ms = asked.from_ms,
        .fires_ms = fires_ms,
        .count = schedule_list(schedule, asked.from_ms + 1, INT64_MAX, fires_ms, (size_t)asked.count)};

    api_json(request, &jw);
    wire_preview(&jw, expression, &fires, !str_empty(asked.seed), NULL);
    api_answer_json(request, 200, &jw, NULL);
}
