/* What the rules are asked about. */
#include <stdio.h>
#include <string.h>

#include "api/alerts_inside.h"
#include "base/container.h"
#include "engine/view.h"

#define POOLS_MAX 1000
#define BREAKERS_MAX 100
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define DAY_EVERY_MS 30000
#define QUANTILE 0.99
/* So few attempts show nothing. */
#define ATTEMPTS_MIN 20
/* How long ago the queue is compared with. */
#define GROWING_STEPS (2 * MINUTE_MS / ALERTS_PAST_EVERY_MS)

static void name_copy(char out[static NAME_BYTES_MAX + 1], struct str name)
{
    (void)snprintf(out, NAME_BYTES_MAX + 1, "%.*s", STR_ARGS(name));
}

/* ---- the engine ---- */

static void look_at_pools(struct alerts *alerts, const struct engine *engine)
{
    struct alert_figures *looked = &alerts->looked;
    struct view_scope *pools;
    size_t count = engine_view_scopes(engine, SCOPE_POOL, POOLS_MAX, &alerts->look_arena, &pools);

    for (size_t i = 0; i < count; i++) { /* the busiest first */
        if (pools[i].ready > 0 && pools[i].workers == 0) {
            if (looked->bare_pools++ == 0) {
                name_copy(looked->bare_pool, pools[i].name);
            }
        }
    }
}

static void look_at_engine(struct alerts *alerts, const struct engine *engine)
{
    struct alert_figures *looked = &alerts->looked;
    struct engine_figures figures;
    struct view_breaker *breakers;
    struct view_scope all;

    *looked = (struct alert_figures){.has_engine = true};
    arena_reset(&alerts->look_arena);
    engine_figures(engine, &figures);
    engine_view_all(engine, &all);
    looked->due = all.ready;
    looked->overdue = all.overdue;
    looked->jobs = all.jobs;
    looked->is_clock_held = figures.is_clock_held;
    alerts->silences = figures.silences;
    look_at_pools(alerts, engine);
    size_t count = engine_view_breakers(engine, STR(""), STR(""), BREAKERS_MAX, &alerts->look_arena, &breakers);

    for (size_t i = 0; i < count; i++) {
        looked->breakers_open += breakers[i].state == BREAKER_OPEN ? 1 : 0;
    }
}

static void on_answer(struct shard_call *call, const struct shard_answer *answer)
{
    struct alerts *alerts = CONTAINER_OF(call, struct alerts, call);
    bool has_looked = answer->error == NULL;

    if (has_looked) {
        look_at_engine(alerts, answer->engine);
    }
    (void)pthread_mutex_lock(&alerts->lock);
    alerts->is_looking = false;
    alerts->has_looked = has_looked;
    (void)pthread_mutex_unlock(&alerts->lock);
}

void alerts_ask_engine(struct alerts *alerts)
{
    (void)pthread_mutex_lock(&alerts->lock);
    bool begins = !alerts->is_looking && !alerts->is_stopped;

    alerts->is_looking = alerts->is_looking || begins;
    alerts->has_looked = alerts->has_looked && !begins;
    (void)pthread_mutex_unlock(&alerts->lock);
    if (begins) {
        alerts->call = (struct shard_call){.kind = SHARD_LOOK, .answered = on_answer};
        (void)shard_submit(alerts->config.shard, &alerts->call);
    }
}

/* ---- what was counted ---- */

/* A day is a long sum, behind the lock that commits need: not every time. */
static void gather_day(struct alerts *alerts, int64_t now_ms, struct alert_figures *figures)
{
    const struct counters_filter any = {0};

    if (!alerts->has_day || alerts->looked_mono_ms >= alerts->day_mono_ms + DAY_EVERY_MS) {
        counters_sum(alerts->config.counters, &any, now_ms - DAY_MS, now_ms + 1, &alerts->day);
        alerts->has_day = true;
        alerts->day_mono_ms = alerts->looked_mono_ms;
    }
    figures->day_started = alerts->day.started;
    figures->day_retried = alerts->day.retried;
}

static void gather_counts(struct alerts *alerts, int64_t now_ms, struct alert_figures *figures)
{
    const struct counters_filter any = {0};
    struct tally minutes;
    struct counters_row *rows;

    counters_sum(alerts->config.counters, &any, now_ms - 5 * MINUTE_MS, now_ms + 1, &minutes);
    figures->lag_p99_ms = histogram_quantile(&minutes.lag, QUANTILE);
    figures->failing_share = -1;
    size_t count = counters_rows_by(alerts->config.counters, COUNTERS_BY_TYPE, &any, now_ms - HOUR_MS, now_ms + 1,
                                    &alerts->arena, &rows);

    for (size_t i = 0; i < count; i++) {
        double share = tally_failure_rate(&rows[i].tally);

        if (tally_judged(&rows[i].tally) >= ATTEMPTS_MIN && share > figures->failing_share) {
            figures->failing_share = share;
            name_copy(figures->failing_type, rows[i].place.type);
        }
    }
}

/* ---- what was ---- */

/* Counts of an engine begin anew with it. */
static int64_t since(uint64_t before, uint64_t now)
{
    return (int64_t)(now >= before ? now - before : now);
}

static uint64_t failures_of(const struct shard_view *view)
{
    uint64_t count = 0;

    for (int outcome = STORE_DOWN; outcome <= STORE_BROKEN; outcome++) {
        count += view->failures[outcome];
    }
    return count;
}

static void note_past(struct alerts *alerts, const struct alerts_past *now, bool has_engine)
{
    bool is_time = has_engine && alerts->looked_mono_ms >= alerts->noted_mono_ms + ALERTS_PAST_EVERY_MS;

    if (alerts->past_count > 0 && !is_time) {
        return;
    }
    if (alerts->past_count == ALERTS_PAST_MAX) {
        alerts->past_count--;
        memmove(&alerts->past[0], &alerts->past[1], alerts->past_count * sizeof alerts->past[0]);
    }
    alerts->past[alerts->past_count++] = *now;
    alerts->noted_mono_ms = alerts->looked_mono_ms;
}

void alerts_gather(struct alerts *alerts, const struct shard_view *view, bool has_engine,
                   struct alert_figures *ret_figures)
{
    struct alerts_past now = {.failures = failures_of(view)};
    struct depths_figures depths;

    *ret_figures = has_engine ? alerts->looked : (struct alert_figures){0};
    now.due = ret_figures->due;
    now.silences = has_engine ? alerts->silences : 0;
    ret_figures->due_before = -1;
    if (has_engine) {
        gather_day(alerts, view->figures.now_ms, ret_figures);
        gather_counts(alerts, view->figures.now_ms, ret_figures);
        depths_look(alerts->config.depths, &depths);
        ret_figures->has_dead = depths.is_known;
        ret_figures->dead = depths.dead;
    }
    if (alerts->past_count > 0) {
        const struct alerts_past *oldest = &alerts->past[0];

        ret_figures->silences = has_engine ? since(oldest->silences, now.silences) : 0;
        ret_figures->store_failures = since(oldest->failures, now.failures);
        if (alerts->past_count > GROWING_STEPS) {
            ret_figures->due_before = alerts->past[alerts->past_count - GROWING_STEPS].due;
        }
    }
    if (view->state == SHARD_DOWN && ret_figures->store_failures == 0) {
        ret_figures->store_failures = 1;
    }
    note_past(alerts, &now, has_engine);
}
