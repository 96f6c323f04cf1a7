#include "wire/scope.h"

#include "base/mem.h"
#include "wire/put.h"

/* Settings as JSON; the longest have a retry of RETRY_DELAYS_MAX delays. */
#define SETTINGS_BYTES_MAX (16 * 1024)

static void put_ramp(struct jw *jw, const struct settings *settings, int64_t now_ms)
{
    jw_key(jw, "ramp");
    if (settings->ramp_from_ms == SETTING_NONE || settings->ramp_from_ms + settings->ramp_ms <= now_ms) {
        jw_null(jw);
        return;
    }
    jw_begin_object(jw);
    wire_put_instant(jw, "from", settings->ramp_from_ms);
    wire_put_duration(jw, "length", settings->ramp_ms);
    jw_end_object(jw);
}

static void put_settings(struct jw *jw, const struct settings *settings, const struct wire_standing *standing)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, SETTINGS_BYTES_MAX);
    settings_write(settings, false, &text);
    jw_key(jw, "settings");
    jw_raw(jw, buf_str(&text));
    wire_put_bool(jw, "paused", settings->is_paused);
    put_ramp(jw, settings, standing->now_ms);
}

static void put_work(struct jw *jw, const struct wire_standing *standing)
{
    wire_put_int(jw, "ready", standing->ready);
    wire_put_int(jw, "running", standing->running);
}

void wire_tenant(struct jw *jw, struct str name, const struct settings *settings, const struct wire_standing *standing)
{
    jw_begin_object(jw);
    wire_put_text(jw, "tenant", name);
    put_settings(jw, settings, standing);
    wire_put_int(jw, "jobs", standing->jobs);
    put_work(jw, standing);
    jw_end_object(jw);
}

void wire_pool(struct jw *jw, struct str name, const struct settings *settings, const struct wire_standing *standing)
{
    jw_begin_object(jw);
    wire_put_text(jw, "pool", name);
    put_settings(jw, settings, standing);
    put_work(jw, standing);
    wire_put_int(jw, "workers", standing->workers);
    jw_end_object(jw);
}

static void put_breaker(struct jw *jw, const struct circuit_row *breaker)
{
    jw_begin_object(jw);
    wire_put_text(jw, "tenant", breaker->tenant);
    wire_put_id(jw, "job", ID_JOB, breaker->job);
    wire_put_word(jw, "state", breaker->is_half_open ? "half_open" : "open");
    wire_put_instant(jw, "open_until", breaker->is_half_open ? TIME_NONE : breaker->open_until_ms);
    jw_end_object(jw);
}

void wire_type(struct jw *jw, struct str name, struct str tenant, const struct settings *settings,
               const struct wire_standing *standing, const struct circuit_row *breakers, size_t breaker_count)
{
    jw_begin_object(jw);
    wire_put_text(jw, "type", name);
    wire_put_text(jw, "tenant", tenant);
    put_settings(jw, settings, standing);
    put_work(jw, standing);
    jw_key(jw, "breakers");
    jw_begin_array(jw);
    for (size_t i = 0; i < breaker_count && i < WIRE_BREAKERS_MAX; i++) {
        put_breaker(jw, &breakers[i]);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}

void wire_pool_stats(struct jw *jw, const struct wire_pool_stats *stats)
{
    int64_t waited_ms = stats->oldest_ready_ms != TIME_NONE ? stats->now_ms - stats->oldest_ready_ms : 0;

    jw_begin_object(jw);
    wire_put_text(jw, "pool", stats->pool);
    wire_put_int(jw, "ready", stats->ready);
    wire_put_int(jw, "running", stats->running);
    wire_put_int(jw, "backlog", stats->ready + stats->running);
    wire_put_instant(jw, "oldest_ready", stats->oldest_ready_ms);
    wire_put_int(jw, "oldest_ready_ms", waited_ms > 0 ? waited_ms : 0);
    wire_put_int(jw, "workers", stats->workers);
    wire_put_int(jw, "capacity", stats->capacity);
    jw_key(jw, "saturation");
    if (stats->capacity > 0) {
        jw_double(jw, (double)stats->running / (double)stats->capacity);
    } else {
        jw_null(jw);
    }
    jw_end_object(jw);
}
