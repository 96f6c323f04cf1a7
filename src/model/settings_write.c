#include "model/job_writing.h"
#include "model/settings.h"

static void put_number(struct jw *jw, const char *field, int64_t value)
{
    if (value != SETTING_NONE) {
        jw_key(jw, field);
        jw_int(jw, value);
    }
}

static void put_rate(struct jw *jw, const struct settings *settings)
{
    char text[RATE_BYTES];

    if (settings->rate_count == SETTING_NONE) {
        return;
    }
    jw_key(jw, "rate");
    jw_text(jw, rate_format(settings->rate_count, settings->rate_period_ms, text));
    if (settings->burst != 1) { /* as a rate without one is read */
        put_number(jw, "burst", settings->burst);
    }
}

/* All of its numbers: what an operator saw must not change with the defaults of a later release. */
static void put_breaker(struct jw *jw, const struct breaker_settings *breaker)
{
    jw_key(jw, "breaker");
    if (breaker->is_off) {
        jw_bool(jw, false);
        return;
    }
    jw_begin_object(jw);
    writing_milli(jw, "failure_rate", breaker->failure_milli);
    jw_key(jw, "min_attempts");
    jw_int(jw, breaker->min_attempts);
    writing_duration(jw, "window", breaker->window_ms);
    writing_duration(jw, "open", breaker->open_ms);
    jw_key(jw, "closing_successes");
    jw_int(jw, breaker->closing_successes);
    jw_end_object(jw);
}

static void put_job_defaults(struct jw *jw, const struct settings *settings)
{
    if (settings->has_retry) {
        writing_retry(jw, &settings->retry, true);
    }
    if (settings->timeout_ms != SETTING_NONE) {
        writing_duration(jw, "timeout", settings->timeout_ms);
    }
    if (settings->dead_policy.is_set) {
        jw_key(jw, "dead_policy");
        writing_dead_policy(jw, &settings->dead_policy);
    }
}

static void put_pause(struct jw *jw, const struct settings *settings)
{
    if (settings->is_paused) {
        jw_key(jw, "paused");
        jw_bool(jw, true);
    }
    if (settings->is_paused && settings->paused_ms != SETTING_NONE) {
        writing_instant(jw, "paused_at", settings->paused_ms);
    }
    if (settings->ramp_from_ms != SETTING_NONE) {
        writing_instant(jw, "ramp_from", settings->ramp_from_ms);
        writing_duration(jw, "ramp", settings->ramp_ms);
    }
}

void settings_write(const struct settings *settings, bool is_stored, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    put_number(&jw, "max_jobs", settings->max_jobs);
    put_number(&jw, "max_in_flight", settings->max_in_flight);
    put_rate(&jw, settings);
    put_number(&jw, "weight", settings->weight);
    put_number(&jw, "max_payload_bytes", settings->max_payload_bytes);
    if (settings->has_spread) {
        jw_key(&jw, "spread");
        jw_bool(&jw, settings->is_spread);
    }
    if (settings->has_breaker) {
        put_breaker(&jw, &settings->breaker);
    }
    put_job_defaults(&jw, settings);
    if (is_stored) {
        put_pause(&jw, settings);
    }
    jw_end_object(&jw);
    jw_done(&jw);
}
