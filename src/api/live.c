/* Who is there and what they hold: pools, workers. */
#include "api/handlers.h"
#include "api/inside.h"
#include "api/list.h"
#include "api/observe.h"
#include "api/progress.h"
#include "base/mem.h"
#include "engine/view.h"
#include "model/name.h"
#include "wire/mark.h"
#include "wire/put.h"
#include "wire/scope.h"
#include "wire/trigger.h"

/* ---- pools ---- */

static void pool_look(struct api_request *request, const struct engine *engine)
{
    struct str pool = api_path_param(request, 0);
    struct view_scope scope;
    struct engine_figures figures;
    struct jw jw;

    engine_view_scope(engine, SCOPE_POOL, STR(""), pool, &scope);
    engine_figures(engine, &figures);
    const struct wire_pool_stats stats = {.pool = pool,
                                          .ready = scope.ready,
                                          .running = scope.running,
                                          .oldest_ready_ms = scope.oldest_ms,
                                          .now_ms = figures.now_ms,
                                          .workers = scope.workers,
                                          .capacity = scope.capacity};

    api_json(request, &jw);
    wire_pool_stats(&jw, &stats);
    api_answer_json(request, 200, &jw, NULL);
}

void api_pool_stats(struct api *api, struct api_request *request)
{
    struct error error;

    (void)api;
    if (!api_params_only(request, NULL)) {
        return;
    }
    if (name_check(api_path_param(request, 0), &error) != ERR_OK) {
        err_in_field(&error, error.code, "pool");
        api_problem(request, &error);
        return;
    }
    api_look(request, pool_look);
}

/* ---- workers ---- */

struct workers {
    struct str pool;
    size_t limit;
    struct str after_name, after_id;
};

static void put_held(struct api_request *request, struct jw *jw, const struct view_held *held)
{
    struct wire_progress progress;
    bool has_progress = progress_find(request->api->progress, held->trigger, held->number, request->arena, &progress);

    jw_begin_object(jw);
    wire_put_attempt_id(jw, "attempt", held->trigger, held->number);
    wire_put_id(jw, "job", ID_JOB, held->job);
    wire_put_text(jw, "tenant", held->tenant);
    wire_put_name(jw, "name", held->name, held->job);
    wire_put_text(jw, "type", held->type);
    wire_put_instant(jw, "started_at", held->started_ms);
    wire_put_instant(jw, "lease_until", held->lease_until_ms);
    jw_key(jw, "progress");
    wire_progress(jw, has_progress ? &progress : NULL);
    jw_end_object(jw);
}

static void put_worker(struct api_request *request, struct jw *jw, const struct view_worker *worker)
{
    jw_begin_object(jw);
    wire_put_text(jw, "worker", worker->id);
    wire_put_text(jw, "name", worker->name);
    jw_key(jw, "pools");
    jw_begin_array(jw);
    for (size_t i = 0; i < worker->pool_count; i++) {
        jw_str(jw, worker->pools[i]);
    }
    jw_end_array(jw);
    wire_put_int(jw, "capacity", worker->capacity);
    wire_put_int(jw, "running", (int64_t)worker->running);
    wire_put_bool(jw, "waiting", worker->is_waiting);
    wire_put_instant(jw, "last_seen_at", worker->seen_ms);
    jw_key(jw, "holding");
    jw_begin_array(jw);
    for (size_t i = 0; i < worker->holding_count; i++) {
        put_held(request, jw, &worker->holding[i]);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}

/* Behind a worker's name and id: a blank, which no id has, stands between them. */
static const char *mark_of(struct api_request *request, const struct view_worker *worker, char out[WIRE_MARK_BYTES])
{
    const char *text = arena_printf(request->arena, "%.*s %.*s", STR_ARGS(worker->id), STR_ARGS(worker->name));
    struct str cut = str_from(text);

    cut.len = cut.len < WIRE_MARK_TEXT_BYTES_MAX ? cut.len : WIRE_MARK_TEXT_BYTES_MAX;
    return wire_mark_text(cut, out);
}

static void workers_look(struct api_request *request, const struct engine *engine)
{
    const struct workers *asked = request->state;
    char mark[WIRE_MARK_BYTES];
    struct view_worker *workers;
    bool has_more;
    struct jw jw;
    size_t count = engine_view_workers(engine, asked->pool, asked->after_name, asked->after_id, asked->limit,
                                       request->arena, &workers, &has_more);

    api_json(request, &jw);
    wire_list_begin(&jw);
    for (size_t i = 0; i < count; i++) {
        put_worker(request, &jw, &workers[i]);
    }
    api_answer_list(request, &jw, has_more && count > 0 ? mark_of(request, &workers[count - 1], mark) : NULL);
}

void api_worker_list(struct api *api, struct api_request *request)
{
    struct workers *asked = arena_zalloc(request->arena, sizeof *asked);
    struct str after, text;
    struct error error;

    (void)api;
    if (!api_params_only(request, "pool", "limit", "after", NULL) || !api_paging(request, &asked->limit, &after)) {
        return;
    }
    if (api_param(request, "pool", &asked->pool) && name_check(asked->pool, &error) != ERR_OK) {
        err_in_field(&error, error.code, "pool");
        api_problem(request, &error);
        return;
    }
    if (!str_empty(after)) {
        if (wire_mark_read_text(after, request->arena, &text, &error) != ERR_OK) {
            api_problem(request, &error);
            return;
        }
        asked->after_id = (struct str){text.ptr, str_find_char(text, ' ')};
        asked->after_name = str_skip(text, asked->after_id.len + 1);
    }
    request->state = asked;
    api_look(request, workers_look);
}
