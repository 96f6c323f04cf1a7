#include "model/settings.h"

#include <stddef.h>

const char *scope_text(enum scope scope)
{
    static const char *const words[] = {
        [SCOPE_TENANT] = "tenant", [SCOPE_POOL] = "pool", [SCOPE_TYPE] = "type", [SCOPE_TENANT_TYPE] = "tenant_type"};

    return words[scope];
}

struct breaker_settings breaker_settings_default(void)
{
    return (struct breaker_settings){
        .failure_milli = 500,
        .min_attempts = 20,
        .window_ms = 5 * 60 * 1000,
        .open_ms = 30 * 1000,
        .closing_successes = 3,
    };
}

struct settings settings_none(void)
{
    return (struct settings){
        .max_jobs = SETTING_NONE,
        .max_in_flight = SETTING_NONE,
        .rate_count = SETTING_NONE,
        .rate_period_ms = SETTING_NONE,
        .burst = SETTING_NONE,
        .weight = SETTING_NONE,
        .max_payload_bytes = SETTING_NONE,
        .timeout_ms = SETTING_NONE,
        .paused_ms = SETTING_NONE,
        .ramp_from_ms = SETTING_NONE,
        .ramp_ms = SETTING_NONE,
    };
}
