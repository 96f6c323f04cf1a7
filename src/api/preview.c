/* What an expression means: fire times, plain English, warnings. The dashboard asks while somebody types. */
#include <inttypes.h>
#include <stdio.h>

#include "api/handlers.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "calendar/expression.h"
#include "calendar/instant.h"
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

/* ---- herds ---- */

/* Of the fires shown so many are looked at, and so many jobs at one minute are worth a word. */
#define HERD_FIRES_MAX 3
#define HERD_MIN 50
#define HERD_BYTES 160
#define MINUTE_MS INT64_C(60000)

/* How many jobs wake in the minute; -1 where the store does not say: a preview does without. */
static int64_t wakes_in(struct store_reader *reader, int64_t minute_ms)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {
        .kind = QUERY_WAKES, .since_ms = minute_ms, .until_ms = minute_ms + MINUTE_MS, .limit = 1};
    struct error error;

    rows_init(&rows);
    return store_read(reader, &query, &rows, &error) == STORE_DONE ? rows.wakes : -1;
}

/* The first minute that many share, in words; false where there is none. Only the next fire of each job is known, so
 * there may be more. */
static bool find_herd(struct store_reader *reader, const struct wire_fires *fires, char out[static HERD_BYTES])
{
    for (size_t i = 0; i < fires->count && i < HERD_FIRES_MAX; i++) {
        int64_t minute_ms = fires->fires_ms[i] - fires->fires_ms[i] % MINUTE_MS;
        int64_t count = wakes_in(reader, minute_ms);
        char at[INSTANT_BYTES];

        if (count >= HERD_MIN) {
            (void)snprintf(out, HERD_BYTES,
                           "at least %" PRId64 " other jobs fire in the minute of %s: another minute, H or jitter "
                           "spreads the load",
                           count, instant_format_short(minute_ms, at));
            return true;
        }
    }
    return false;
}

/* ---- the call ---- */

struct preview {
    struct expression expression;
    struct schedule schedule;
    struct wire_fires fires;
    bool has_seed;
};

static void preview_read(struct api_request *request, struct store_reader *reader)
{
    const struct preview *preview = request->state;
    char herd[HERD_BYTES];
    struct jw jw;
    bool has_herd = find_herd(reader, &preview->fires, herd);

    api_json(request, &jw);
    wire_preview(&jw, &preview->expression, &preview->fires, preview->has_seed, has_herd ? herd : NULL);
    api_answer_json(request, 200, &jw, NULL);
}

void api_preview(struct api *api, struct api_request *request)
{
    struct wire_preview_request asked;
    struct preview *preview = arena_zalloc(request->arena, sizeof *preview);
    const struct zone *zone = NULL;
    struct error error;

    (void)api;
    if (!api_params_only(request, NULL) || !api_body_is_json(request)) {
        return;
    }
    enum err err = wire_read_preview(net_request_body(request->net), request->arena, &asked, &error);

    if (err == ERR_OK) {
        asked.from_ms = asked.from_ms == TIME_NONE ? chrono_wall_ms() : asked.from_ms;
        err = schedule_of(request, &asked, &preview->expression, &preview->schedule, &zone, &error);
    }
    if (err != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    int64_t *fires_ms = arena_alloc_array(request->arena, (size_t)asked.count, sizeof *fires_ms);

    preview->has_seed = !str_empty(asked.seed);
    preview->fires = (struct wire_fires){
        .schedule = &preview->schedule,
        .zone = zone,
        .from_ms = asked.from_ms,
        .fires_ms = fires_ms,
        .count = schedule_list(&preview->schedule, asked.from_ms + 1, INT64_MAX, fires_ms, (size_t)asked.count)};
    request->state = preview;
    api_read(request, preview_read);
}
