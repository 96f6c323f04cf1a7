/* The dashboard's figures: now, and of the last 24 hours. */
#include <stdlib.h>

#include "api/attention.h"
#include "api/filters.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "base/mem.h"
#include "engine/view.h"
#include "wire/put.h"
#include "wire/scope.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define SHOWN_MAX 100
#define WARNING_RATE 0.95

/* What the engine's thread copied out. */
struct stats {
    struct counters_filter filter;
    struct view_scope all, tenant;
    struct engine_figures figures;
    struct view_health health;
    struct view_scope *types, *tenants, *pools;
    size_t type_count, tenant_count, pool_count;
    struct view_breaker *breakers;
    size_t breaker_count;
};

/* ---- parts ---- */

static const struct view_scope *find_scope(const struct view_scope *scopes, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal(scopes[i].name, name)) {
            return &scopes[i];
        }
    }
    return NULL;
}

static bool has_breaker(const struct stats *stats, struct str type)
{
    for (size_t i = 0; i < stats->breaker_count; i++) {
        if (str_equal(stats->breakers[i].type, type)) {
            return true;
        }
    }
    return false;
}

/* A type or a tenant: what went on, and what stands and runs. */
struct figures {
    struct str name;
    struct tally tally;
    int64_t ready, running;
};

static int busiest_first(const void *key_a, const void *key_b)
{
    const struct figures *a = key_a, *b = key_b;
    uint64_t of_a = tally_executed(&a->tally) + (uint64_t)(a->ready + a->running);
    uint64_t of_b = tally_executed(&b->tally) + (uint64_t)(b->ready + b->running);

    return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : str_compare(a->name, b->name);
}

/* Both lists as one. */
static size_t merge(const struct counters_row *rows, size_t row_count, enum counters_by by,
                    const struct view_scope *scopes, size_t scope_count, struct arena *arena,
                    struct figures **ret_figures)
{
    struct figures *figures = arena_alloc_array(arena, row_count + scope_count + 1, sizeof *figures);
    size_t count = 0;

    for (size_t i = 0; i < row_count; i++) {
        struct str name = by == COUNTERS_BY_TYPE ? rows[i].place.type : rows[i].place.tenant;
        const struct view_scope *scope = find_scope(scopes, scope_count, name);

        figures[count++] = (struct figures){.name = name,
                                            .tally = rows[i].tally,
                                            .ready = scope != NULL ? scope->ready : 0,
                                            .running = scope != NULL ? scope->running : 0};
    }
    for (size_t i = 0; i < scope_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < row_count && !is_known; k++) {
            is_known = str_equal(figures[k].name, scopes[i].name);
        }
        if (!is_known) {
            figures[count++] =
                (struct figures){.name = scopes[i].name, .ready = scopes[i].ready, .running = scopes[i].running};
        }
    }
    qsort(figures, count, sizeof *figures, busiest_first);
    *ret_figures = figures;
    return count < SHOWN_MAX ? count : SHOWN_MAX;
}

static void put_count(struct jw *jw, const char *key, uint64_t count)
{
    jw_key(jw, key);
    jw_uint(jw, count);
}

static void put_figures(struct jw *jw, const char *key, const struct figures *figures)
{
    wire_put_text(jw, key, figures->name);
    wire_put_int(jw, "ready", figures->ready);
    wire_put_int(jw, "running", figures->running);
    put_count(jw, "executed", tally_executed(&figures->tally));
    put_count(jw, "failed", tally_failed(&figures->tally));
    put_count(jw, "retried", figures->tally.retried);
    put_count(jw, "dead", figures->tally.dead);
}

static void put_types(struct api_request *request, struct jw *jw, const struct stats *stats,
                      const struct counters_row *rows, size_t row_count)
{
    struct figures *figures;
    size_t count = merge(rows, row_count, COUNTERS_BY_TYPE, stats->types, stats->type_count, request->arena, &figures);

    jw_key(jw, "types");
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        double rate = tally_success_rate(&figures[i].tally);

        jw_begin_object(jw);
        put_figures(jw, "type", &figures[i]);
        tally_put_share(jw, "success_rate", rate);
        histogram_write(jw, "duration_ms", &figures[i].tally.duration);
        wire_put_bool(jw, "warning", (rate >= 0 && rate < WARNING_RATE) || has_breaker(stats, figures[i].name));
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_tenants(struct api_request *request, struct jw *jw, const struct stats *stats, int64_t now_ms)
{
    struct counters_row *rows;
    struct figures *figures;
    size_t row_count = counters_rows_by(request->api->observe->counters, COUNTERS_BY_TENANT, &stats->filter,
                                        now_ms - DAY_MS, now_ms, request->arena, &rows);
    size_t count =
        merge(rows, row_count, COUNTERS_BY_TENANT, stats->tenants, stats->tenant_count, request->arena, &figures);

    jw_key(jw, "tenants");
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        jw_begin_object(jw);
        put_figures(jw, "tenant", &figures[i]);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_pools(struct jw *jw, const struct stats *stats, int64_t now_ms)
{
    jw_key(jw, "pools");
    jw_begin_array(jw);
    for (size_t i = 0; i < stats->pool_count; i++) {
        const struct view_scope *pool = &stats->pools[i];
        const struct wire_pool_stats figures = {.pool = pool->name,
                                                .ready = pool->ready,
                                                .running = pool->running,
                                                .oldest_ready_ms = pool->oldest_ms,
                                                .now_ms = now_ms,
                                                .workers = pool->workers,
                                                .capacity = pool->capacity};

        wire_pool_stats(jw, &figures);
    }
    jw_end_array(jw);
}

static void put_attention(struct jw *jw, const struct stats *stats, const struct counters_row *type_days,
                          size_t type_day_count, int64_t dead)
{
    const struct attention attention = {.now_ms = stats->figures.now_ms,
                                        .is_narrowed = !str_empty(stats->filter.tenant),
                                        .all = &stats->all,
                                        .tenants = stats->tenants,
                                        .tenant_count = stats->tenant_count,
                                        .pools = stats->pools,
                                        .pool_count = stats->pool_count,
                                        .types = stats->types,
                                        .type_count = stats->type_count,
                                        .breakers = stats->breakers,
                                        .breaker_count = stats->breaker_count,
                                        .type_days = type_days,
                                        .type_day_count = type_day_count,
                                        .health = &stats->health,
                                        .dead = dead};

    jw_key(jw, "attention");
    attention_write(jw, &attention);
}

/* ---- now ---- */

static void put_now(struct jw *jw, const struct stats *stats, int64_t now_ms, int64_t dead, uint64_t batch)
{
    const struct view_scope *one = str_empty(stats->filter.tenant) ? &stats->all : &stats->tenant;
    int64_t oldest_ms = stats->all.oldest_ms;

    wire_put_instant(jw, "at", now_ms);
    put_count(jw, "batch", batch);
    wire_put_int(jw, "jobs", one->jobs);
    wire_put_int(jw, "ready", one->ready);
    wire_put_int(jw, "running", one->running);
    wire_put_int(jw, "overdue", stats->all.overdue);
    wire_put_instant(jw, "oldest_ready", oldest_ms);
    wire_put_int(jw, "oldest_ready_ms", oldest_ms != TIME_NONE && oldest_ms < now_ms ? now_ms - oldest_ms : 0);
    wire_put_int(jw, "dead", dead);
    wire_put_int(jw, "workers", stats->all.workers);
    wire_put_int(jw, "capacity", stats->all.capacity);
    tally_put_share(jw, "saturation",
                    stats->all.capacity > 0 ? (double)stats->all.running / (double)stats->all.capacity : -1);
    wire_put_bool(jw, "clock_held", stats->figures.is_clock_held);
}

static void stats_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(rows_done) struct rows rows;
    const struct stats *stats = request->state;
    const struct query query = {.kind = QUERY_COUNTS, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    int64_t now_ms = stats->figures.now_ms;
    struct tally day;
    struct jw jw;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return;
    }
    struct counters_row *type_days;
    size_t type_day_count = counters_rows_by(request->api->observe->counters, COUNTERS_BY_TYPE, &stats->filter,
                                             now_ms + 1 - DAY_MS, now_ms + 1, request->arena, &type_days);

    counters_sum(request->api->observe->counters, &stats->filter, now_ms + 1 - DAY_MS, now_ms + 1, &day);
    api_json(request, &jw);
    jw_begin_object(&jw);
    put_now(&jw, stats, now_ms, rows.counts[TRIGGER_DEAD], stats->health.durable);
    jw_key(&jw, "last_24h");
    jw_begin_object(&jw);
    tally_write(&jw, &day, true);
    jw_end_object(&jw);
    put_types(request, &jw, stats, type_days, type_day_count);
    put_tenants(request, &jw, stats, now_ms + 1);
    put_pools(&jw, stats, now_ms);
    put_attention(&jw, stats, type_days, type_day_count, rows.counts[TRIGGER_DEAD]);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

static void stats_look(struct api_request *request, const struct engine *engine)
{
    struct stats *stats = request->state;

    engine_figures(engine, &stats->figures);
    engine_view_all(engine, &stats->all);
    engine_view_health(engine, &stats->health);
    stats->type_count = engine_view_scopes(engine, SCOPE_TYPE, SHOWN_MAX, request->arena, &stats->types);
    stats->tenant_count = engine_view_scopes(engine, SCOPE_TENANT, SHOWN_MAX, request->arena, &stats->tenants);
    stats->pool_count = engine_view_scopes(engine, SCOPE_POOL, SHOWN_MAX, request->arena, &stats->pools);
    stats->breaker_count =
        engine_view_breakers(engine, stats->filter.tenant, STR(""), VIEW_MAX, request->arena, &stats->breakers);
    if (!str_empty(stats->filter.tenant)) { /* of one tenant no other is shown */
        engine_view_scope(engine, SCOPE_TENANT, STR(""), stats->filter.tenant, &stats->tenant);
        stats->tenant_count = 0;
        stats->type_count = 0;
    }
    api_read(request, stats_read);
}

void api_stats(struct api *api, struct api_request *request)
{
    struct stats *stats = arena_zalloc(request->arena, sizeof *stats);

    (void)api;
    if (api_params_only(request, "tenant", NULL) && filter_name(request, "tenant", &stats->filter.tenant)) {
        request->state = stats;
        api_look(request, stats_look);
    }
}
