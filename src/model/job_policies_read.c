#include "model/job_reading.h"
#include "model/job_words.h"

static enum err read_overlap(const struct reading *reading, struct jr object)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, "overlap", &text, reading->reterr);

    if (err == ERR_OK && text.ptr != NULL) {
        err =
            err_in_field(reading->reterr, job_overlap_parse(text, &reading->def->overlap, reading->reterr), "overlap");
    }
    return err;
}

static enum err read_misfire(const struct reading *reading, struct jr object)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, "misfire", &text, reading->reterr);

    if (err == ERR_OK && text.ptr != NULL) {
        err =
            err_in_field(reading->reterr, job_misfire_parse(text, &reading->def->misfire, reading->reterr), "misfire");
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "misfire_after", 0, DURATION_MAX_MS, &reading->def->misfire_after_ms);
    }
    return err;
}

enum err job_policies_read(const struct reading *reading, struct jr object)
{
    struct job_def *def = reading->def;
    enum err err = read_overlap(reading, object);

    if (err == ERR_OK) {
        err = read_misfire(reading, object);
    }
    if (err == ERR_OK) {
        err = reading_retry(reading, object, &def->retry);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "timeout", 1, TIMEOUT_MAX_MS, &def->timeout_ms);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "lease", LEASE_MIN_MS, LEASE_MAX_MS, &def->lease_ms);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "expires_after", 1, DURATION_MAX_MS, &def->expires_after_ms);
    }
    if (err == ERR_OK) {
        err = reading_dead_policy(reading, object, &def->dead_policy);
    }
    return err;
}
