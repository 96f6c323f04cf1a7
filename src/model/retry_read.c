#include "calendar/duration.h"
#include "model/job_reading.h"

static enum err read_delays(const struct reading *reading, struct jr object, struct retry *retry)
{
    struct jr delays = {0};
    enum err err = jr_opt_array(object, "delays", &delays, reading->reterr);

    if (err != ERR_OK || delays.node == NULL) {
        return err;
    }
    size_t count = jr_count(delays);
    if (count == 0 || count > RETRY_DELAYS_MAX) {
        err = err_set(reading->reterr, ERR_INVALID, "must have 1 to %d delays", RETRY_DELAYS_MAX);
    }
    for (size_t i = 0; err == ERR_OK && i < count; i++) {
        struct str text;

        err = jr_as_str(jr_at(delays, i), &text, reading->reterr);
        if (err == ERR_OK) {
            err = duration_parse(text, &retry->delays_ms[i], reading->reterr);
        }
    }
    retry->delay_count = (int)count;
    return err_in_field(reading->reterr, err, "delays");
}

static enum err read_formula(const struct reading *reading, struct jr object, struct retry *retry)
{
    *retry = retry_default_formula();
    enum err err = reading_duration(reading, object, "base", 1, DURATION_MAX_MS, &retry->base_ms);

    if (err == ERR_OK) {
        err = reading_milli(reading, object, "factor", 100, &retry->factor_milli);
    }
    return err == ERR_OK ? reading_duration(reading, object, "max", 1, DURATION_MAX_MS, &retry->max_ms) : err;
}

/* Either delays or the formula. */
enum err reading_retry(const struct reading *reading, struct jr object, struct retry *retry)
{
    static const char *const known[] = {"max_attempts", "delays", "base", "factor", "max", "jitter", NULL};
    struct jr given = {0};
    int64_t max_attempts = retry->max_attempts;
    int64_t jitter_milli = retry->jitter_milli;
    enum err err = jr_opt_object(object, "retry", &given, reading->reterr);

    if (err != ERR_OK || given.node == NULL) {
        return err;
    }
    bool has_formula = reading_given(given, "base") || reading_given(given, "factor") || reading_given(given, "max");
    err = jr_check_fields(given, known, reading->reterr);
    if (err == ERR_OK) {
        err = jr_opt_int(given, "max_attempts", 1, RETRY_ATTEMPTS_MAX, &max_attempts, reading->reterr);
    }
    if (err == ERR_OK) {
        err = reading_milli(reading, given, "jitter", 1, &jitter_milli);
    }
    if (err == ERR_OK && has_formula && reading_given(given, "delays")) {
        err = err_in_field(reading->reterr,
                           err_set(reading->reterr, ERR_INVALID, "cannot stand beside base, factor and max"), "delays");
    }
    if (err == ERR_OK) {
        err = has_formula ? read_formula(reading, given, retry) : read_delays(reading, given, retry);
    }
    retry->max_attempts = (int)max_attempts;
    retry->jitter_milli = (int)jitter_milli;
    if (err == ERR_OK) {
        err = retry_check(retry, reading->reterr);
    }
    return err_in_field(reading->reterr, err, "retry");
}
