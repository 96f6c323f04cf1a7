/* The coming days, played through. */
#include "api/forecast.h"

#include <stdio.h>

#include "api/answers.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "engine/view.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define DAYS_DEFAULT 30
/* It takes a second of a reader's time: for the same question the same answer is good for a while. */
#define FRESH_MS 60000

struct asked {
    int64_t days;
    char key[ANSWERS_KEY_BYTES];
    struct forecast_pool pools[FORECAST_POOLS_MAX];
    size_t pool_count;
};

static void give(struct api_request *request, struct str text)
{
    struct jw jw;

    api_json(request, &jw);
    jw_raw(&jw, text);
    api_answer_json(request, 200, &jw, NULL);
}

static void refuse(struct api_request *request)
{
    struct error error;

    (void)err_set(&error, ERR_OVERLOADED, "another forecast is being made, one at a time; ask again in a second");
    api_problem(request, &error);
}

static void make(struct api_request *request, struct store_reader *reader, const char *key)
{
    const struct asked *asked = request->state;
    struct api *api = request->api;
    int64_t now_ms = chrono_wall_ms();
    struct forecast_input input = {.now_ms = now_ms,
                                   .to_ms = now_ms + asked->days * DAY_MS,
                                   .pools = asked->pools,
                                   .pool_count = asked->pool_count};
    struct jw jw;

    if (!forecast_read_jobs(request, reader, &input)) {
        answers_give_up(api->answers, key);
        return;
    }
    struct forecast *forecast = forecast_new(&input);

    api_json(request, &jw);
    forecast_write(&jw, forecast);
    forecast_free(forecast);
    answers_keep(api->answers, key, chrono_mono_ms(), buf_str(&request->body));
    api_answer_json(request, 200, &jw, NULL);
}

static void forecast_read(struct api_request *request, struct store_reader *reader)
{
    struct api *api = request->api;
    SCOPE(buf_done) struct buf kept;
    char key[ANSWERS_KEY_BYTES]; /* outlives the request */
    bool is_free = false;

    (void)snprintf(key, sizeof key, "%s", ((const struct asked *)request->state)->key);
    buf_init(&kept, ANSWERS_BYTES_MAX);
    switch (answers_find(api->answers, key, chrono_mono_ms(), FRESH_MS, &kept)) {
    case ANSWERS_HERE:
        give(request, buf_str(&kept));
        break;
    case ANSWERS_BUSY:
        refuse(request);
        break;
    case ANSWERS_MAKE:
        if (!atomic_compare_exchange_strong(&api->is_forecasting, &is_free, true)) {
            answers_give_up(api->answers, key);
            refuse(request);
            break;
        }
        make(request, reader, key);
        atomic_store(&api->is_forecasting, false);
        break;
    }
}

/* The capacity of its workers, and what the settings let run of it, whichever is less. */
static int64_t places_of(const struct view_scope *pool)
{
    int64_t limit = pool->settings.max_in_flight != SETTING_NONE ? pool->settings.max_in_flight : 0;

    return limit > 0 && (pool->capacity == 0 || limit < pool->capacity) ? limit : pool->capacity;
}

static void forecast_look(struct api_request *request, const struct engine *engine)
{
    struct asked *asked = request->state;
    struct view_scope *pools;
    size_t count = engine_view_scopes(engine, SCOPE_POOL, FORECAST_POOLS_MAX, request->arena, &pools);

    for (size_t i = 0; i < count; i++) {
        asked->pools[asked->pool_count++] = (struct forecast_pool){pools[i].name, places_of(&pools[i])};
    }
    api_read(request, forecast_read);
}

static bool days_param(struct api_request *request, int64_t *ret_days)
{
    struct error error;
    struct str text;

    if (api_param(request, "days", &text) &&
        err_in_field(&error, str_to_int(text, 1, FORECAST_DAYS_MAX, ret_days, &error), "days") != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    return true;
}

void api_forecast(struct api *api, struct api_request *request)
{
    struct asked *asked = arena_zalloc(request->arena, sizeof *asked);
    SCOPE(buf_done) struct buf kept;

    asked->days = DAYS_DEFAULT;
    if (!api_params_only(request, "days", NULL) || !days_param(request, &asked->days)) {
        return;
    }
    (void)snprintf(asked->key, sizeof asked->key, "forecast %lld", (long long)asked->days);
    request->state = asked;
    buf_init(&kept, ANSWERS_BYTES_MAX);
    if (answers_peek(api->answers, asked->key, chrono_mono_ms(), FRESH_MS, &kept)) {
        give(request, buf_str(&kept));
    } else {
        api_look(request, forecast_look);
    }
}
