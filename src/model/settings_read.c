#include "base/mem.h"
#include "model/job_reading.h"
#include "model/settings.h"

/* More definitions than any store holds. */
#define JOBS_MAX INT64_C(1000000000000)
/* The default payload, {}, fits any limit. */
#define PAYLOAD_BYTES_MIN 2

#define TENANT (1U << SCOPE_TENANT)
#define TYPE (1U << SCOPE_TYPE)
#define TYPES (TYPE | 1U << SCOPE_TENANT_TYPE)
#define ALL (TENANT | TYPES | 1U << SCOPE_POOL)

/* What there is, whose it may be, and in words for who sets it elsewhere. */
static const struct {
    const char *name;
    unsigned scopes;
    const char *whose;
} fields[] = {
    {"max_jobs", TENANT, "tenants"},
    {"max_in_flight", ALL, NULL},
    {"rate", ALL, NULL},
    {"burst", ALL, NULL},
    {"weight", TENANT, "tenants"},
    {"max_payload_bytes", TENANT, "tenants"},
    {"spread", TENANT, "tenants"},
    {"breaker", TYPES, "types"},
    {"retry", TENANT | TYPE, "tenants and types"},
    {"timeout", TENANT | TYPE, "tenants and types"},
    {"dead_policy", TYPES, "types"},
    {"paused", 0, NULL}, /* the last ones: what a store keeps */
    {"paused_at", 0, NULL},
    {"ramp_from", 0, NULL},
    {"ramp", 0, NULL},
};

#define FIELDS (sizeof fields / sizeof fields[0])
#define STORED_FIELDS 4

/* Which of fields is read for the scope, and what is said of the others. */
static enum err check_fields(enum scope scope, bool is_stored, struct jr object, struct error *reterr)
{
    static const char *const owners[] = {[SCOPE_TENANT] = "a tenant",
                                         [SCOPE_POOL] = "a pool",
                                         [SCOPE_TYPE] = "a type",
                                         [SCOPE_TENANT_TYPE] = "a type in one tenant"};
    const char *known[FIELDS + 1] = {NULL};
    size_t count = is_stored ? FIELDS : FIELDS - STORED_FIELDS;

    for (size_t i = 0; i < FIELDS; i++) {
        enum err err = ERR_OK;

        known[i] = i < count ? fields[i].name : NULL;
        if (!reading_given(object, fields[i].name) || (fields[i].scopes >> scope & 1U) != 0) {
            continue;
        }
        if (fields[i].scopes != 0) {
            err = err_set(reterr, ERR_INVALID, "is no setting of %s: it belongs to %s", owners[scope], fields[i].whose);
        } else if (!is_stored) {
            err = err_set(reterr, ERR_INVALID, "is changed by pausing and resuming alone");
        }
        if (err != ERR_OK) {
            return err_in_field(reterr, err, fields[i].name);
        }
    }
    return jr_check_fields(object, known, reterr);
}

static enum err read_rate(const struct reading *reading, struct jr object, struct settings *settings)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, "rate", &text, reading->reterr);

    if (err == ERR_OK && text.ptr != NULL) {
        settings->burst = 1;
        err = rate_parse(text, &settings->rate_count, &settings->rate_period_ms, reading->reterr);
        err = err_in_field(reading->reterr, err, "rate");
    }
    if (err == ERR_OK && text.ptr == NULL && reading_given(object, "burst")) {
        err = err_set(reading->reterr, ERR_INVALID, "means nothing without a rate");
        return err_in_field(reading->reterr, err, "burst");
    }
    return err == ERR_OK ? jr_opt_int(object, "burst", 1, SETTING_RATE_MAX, &settings->burst, reading->reterr) : err;
}

static enum err read_limits(const struct reading *reading, struct jr object, struct settings *settings)
{
    struct error *reterr = reading->reterr;
    enum err err = jr_opt_int(object, "max_jobs", 0, JOBS_MAX, &settings->max_jobs, reterr);

    if (err == ERR_OK) {
        err = jr_opt_int(object, "max_in_flight", 0, SETTING_IN_FLIGHT_MAX, &settings->max_in_flight, reterr);
    }
    if (err == ERR_OK) {
        err = read_rate(reading, object, settings);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "weight", 1, SETTING_WEIGHT_MAX, &settings->weight, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "max_payload_bytes", PAYLOAD_BYTES_MIN, PAYLOAD_BYTES_MAX,
                         &settings->max_payload_bytes, reterr);
    }
    if (err == ERR_OK) {
        settings->has_spread = reading_given(object, "spread");
        err = jr_opt_bool(object, "spread", &settings->is_spread, reterr);
    }
    return err;
}

static enum err read_failure_rate(const struct reading *reading, struct jr object, int *ret_milli)
{
    int64_t milli = *ret_milli;
    enum err err = reading_milli(reading, object, "failure_rate", 1, &milli);

    if (err == ERR_OK && milli == 0) {
        err = err_set(reading->reterr, ERR_INVALID, "must be from 0.001 to 1, a share of the attempts");
        err = err_in_field(reading->reterr, err, "failure_rate");
    }
    *ret_milli = (int)milli;
    return err;
}

static enum err read_circuit(const struct reading *reading, struct jr object, struct breaker_settings *breaker)
{
    static const char *const known[] = {"failure_rate", "min_attempts", "window", "open", "closing_successes", NULL};
    int64_t min_attempts = breaker->min_attempts;
    int64_t closing_successes = breaker->closing_successes;
    enum err err = jr_check_fields(object, known, reading->reterr);

    if (err == ERR_OK) {
        err = read_failure_rate(reading, object, &breaker->failure_milli);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "min_attempts", 1, 10000, &min_attempts, reading->reterr);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "window", 1000, 3600LL * 1000, &breaker->window_ms);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "open", 100, 24 * 3600LL * 1000, &breaker->open_ms);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "closing_successes", 1, 100, &closing_successes, reading->reterr);
    }
    breaker->min_attempts = (int)min_attempts;
    breaker->closing_successes = (int)closing_successes;
    return err;
}

/* An object, whose missing numbers are the usual ones, or false. */
static enum err read_breaker(const struct reading *reading, struct jr object, struct settings *settings)
{
    struct jr given = jr_get(object, "breaker");
    bool is_on = false;
    enum err err = ERR_OK;

    if (!reading_given(object, "breaker")) {
        return ERR_OK;
    }
    settings->has_breaker = true;
    if (jr_kind(given) == JR_OBJECT) {
        settings->breaker = breaker_settings_default();
        err = read_circuit(reading, given, &settings->breaker);
    } else if (jr_kind(given) != JR_BOOL || jr_as_bool(given, &is_on, NULL) != ERR_OK || is_on) {
        err = err_set(reading->reterr, ERR_INVALID, "must be an object, or false for none");
    } else {
        settings->breaker.is_off = true;
    }
    return err_in_field(reading->reterr, err, "breaker");
}

static enum err read_job_defaults(const struct reading *reading, struct jr object, struct settings *settings)
{
    enum err err = ERR_OK;

    if (reading_given(object, "retry")) {
        settings->has_retry = true;
        settings->retry = retry_default();
        err = reading_retry(reading, object, &settings->retry);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "timeout", 1, TIMEOUT_MAX_MS, &settings->timeout_ms);
    }
    return err == ERR_OK ? reading_dead_policy(reading, object, &settings->dead_policy) : err;
}

static enum err read_pause(const struct reading *reading, struct jr object, struct settings *settings)
{
    enum err err = jr_opt_bool(object, "paused", &settings->is_paused, reading->reterr);

    if (err == ERR_OK && reading_given(object, "ramp_from") != reading_given(object, "ramp")) {
        err = err_set(reading->reterr, ERR_INVALID, "must stand beside ramp_from");
        return err_in_field(reading->reterr, err, "ramp");
    }
    if (err == ERR_OK) {
        err = reading_instant(reading, object, "paused_at", &settings->paused_ms);
    }
    if (err == ERR_OK) {
        err = reading_instant(reading, object, "ramp_from", &settings->ramp_from_ms);
    }
    return err == ERR_OK ? reading_duration(reading, object, "ramp", 1, DURATION_MAX_MS, &settings->ramp_ms) : err;
}

/* The fields of pause and ramp are there only where check_fields lets them. */
static enum err read_all(enum scope scope, bool is_stored, struct str text, struct jr object,
                         struct settings *ret_settings, struct error *reterr)
{
    const struct reading reading = {.text = text, .reterr = reterr};
    struct settings settings = settings_none();
    enum err err = jr_as_object(object, &object, reterr);

    if (err == ERR_OK) {
        err = check_fields(scope, is_stored, object, reterr);
    }
    if (err == ERR_OK) {
        err = read_limits(&reading, object, &settings);
    }
    if (err == ERR_OK) {
        err = read_breaker(&reading, object, &settings);
    }
    if (err == ERR_OK) {
        err = read_job_defaults(&reading, object, &settings);
    }
    if (err == ERR_OK) {
        err = read_pause(&reading, object, &settings);
    }
    if (err == ERR_OK) {
        *ret_settings = settings;
    }
    return err;
}

enum err settings_read(enum scope scope, struct str text, struct jr object, struct settings *ret_settings,
                       struct error *reterr)
{
    return read_all(scope, false, text, object, ret_settings, reterr);
}

enum err settings_read_stored(enum scope scope, struct str text, struct settings *ret_settings, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct error inner = {0};
    enum err err = jr_parse(text, NULL, &doc, &inner);

    if (err == ERR_OK) {
        err = read_all(scope, true, text, jr_root(&doc), ret_settings, &inner);
    }
    if (err != ERR_OK) {
        return err_set(reterr, ERR_CORRUPT, "stored settings of a %s: %s%s%s", scope_text(scope), inner.field,
                       inner.field[0] != '\0' ? ": " : "", inner.text);
    }
    return ERR_OK;
}
