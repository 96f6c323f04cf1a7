/* The dashboard's figures over time, from minutes that were counted. */
#include "api/filters.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "calendar/duration.h"
#include "wire/put.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define POINTS_MAX 1500

struct history {
    struct counters_filter filter;
    int64_t from_ms, to_ms, step_ms, now_ms;
};

static bool step_param(struct api_request *request, int64_t *ret_ms)
{
    struct error error;
    struct str text;

    if (!api_param(request, "step", &text)) {
        return true;
    }
    enum err err = duration_parse(text, ret_ms, &error);

    if (err == ERR_OK && (*ret_ms < MINUTE_MS || *ret_ms % MINUTE_MS != 0)) {
        err = err_set(&error, ERR_INVALID, "step is a number of whole minutes, such as 1m or 1h");
    }
    if (err != ERR_OK) {
        err_in_field(&error, err, "step");
        api_problem(request, &error);
    }
    return err == ERR_OK;
}

/* On whole steps, and not more of them than are shown. */
static bool settle_range(struct api_request *request, struct history *history)
{
    struct error error;

    if (history->from_ms == TIME_NONE) {
        history->from_ms = history->to_ms - HOUR_MS;
    }
    if (history->from_ms >= history->to_ms) {
        err_in_field(&error, err_set(&error, ERR_INVALID, "from must lie before to"), "from");
        api_problem(request, &error);
        return false;
    }
    int64_t range_ms = history->to_ms - history->from_ms;

    if (range_ms / history->step_ms >= POINTS_MAX - 1) {
        int64_t minutes = range_ms / (POINTS_MAX - 2) / MINUTE_MS + 1;

        history->step_ms = minutes * MINUTE_MS;
    }
    history->from_ms -= history->from_ms % history->step_ms;
    return true;
}

/* This minute is counted, whether or not anything has begun it yet. */
static bool is_counted(struct api *api, const struct history *history, int64_t from_ms, int64_t to_ms)
{
    return (from_ms <= history->now_ms && history->now_ms < to_ms) ||
           counters_kept(api->observe->counters, from_ms, to_ms);
}

static void put_point(struct api *api, struct jw *jw, const struct history *history, int64_t from_ms, int64_t to_ms)
{
    bool has_filter =
        !str_empty(history->filter.tenant) || !str_empty(history->filter.type) || !str_empty(history->filter.pool);
    int64_t ready, running;
    struct tally tally;

    counters_sum(api->observe->counters, &history->filter, from_ms, to_ms, &tally);
    jw_begin_object(jw);
    wire_put_instant(jw, "at", from_ms);
    if (!has_filter && counters_noted(api->observe->counters, from_ms, to_ms, &ready, &running)) {
        wire_put_int(jw, "ready", ready);
        wire_put_int(jw, "running", running);
    } else {
        wire_put_null(jw, "ready");
        wire_put_null(jw, "running");
    }
    tally_write(jw, &tally, is_counted(api, history, from_ms, to_ms));
    jw_end_object(jw);
}

void api_stats_history(struct api *api, struct api_request *request)
{
    int64_t now_ms = shard_now_ms(api->config.shard);
    struct history history = {.from_ms = TIME_NONE, .to_ms = now_ms, .step_ms = MINUTE_MS, .now_ms = now_ms};
    struct jw jw;

    if (!api_params_only(request, "from", "to", "step", "tenant", "type", "pool", NULL) ||
        !filter_instant(request, "from", &history.from_ms) || !filter_instant(request, "to", &history.to_ms) ||
        !step_param(request, &history.step_ms) || !filter_name(request, "tenant", &history.filter.tenant) ||
        !filter_name(request, "type", &history.filter.type) || !filter_name(request, "pool", &history.filter.pool) ||
        !settle_range(request, &history)) {
        return;
    }
    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_instant(&jw, "from", history.from_ms);
    wire_put_instant(&jw, "to", history.to_ms);
    wire_put_duration(&jw, "step", history.step_ms);
    jw_key(&jw, "points");
    jw_begin_array(&jw);
    for (int64_t at_ms = history.from_ms; at_ms < history.to_ms; at_ms += history.step_ms) {
        put_point(api, &jw, &history, at_ms, at_ms + history.step_ms);
    }
    jw_end_array(&jw);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}
