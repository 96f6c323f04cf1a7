#include "model/job_def.h"

#include "base/json_raw.h"
#include "model/job_reading.h"

static const char *const known_fields[] = {
    "tenant",     "name",          "type",   "pool",       "priority",    "run_at",        "delay",   "cron",
    "every",      "timezone",      "dst",    "starts_at",  "ends_at",     "max_fires",     "jitter",  "overlap",
    "misfire",    "misfire_after", "retry",  "timeout",    "lease",       "expires_after", "payload", "target",
    "depends_on", "concurrency",   "labels", "created_by", "dead_policy", "traceparent",   NULL};

static enum err read_who(const struct reading *reading, struct jr object)
{
    struct job_def *def = reading->def;
    int64_t priority = def->priority;
    enum err err = reading_name(reading, object, "tenant", true, &def->tenant);

    if (err == ERR_OK) {
        err = reading_name(reading, object, "name", true, &def->name);
    }
    if (err == ERR_OK) {
        err = reading_name(reading, object, "type", false, &def->type);
    }
    if (err == ERR_OK) {
        err = reading_name(reading, object, "pool", false, &def->pool);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "priority", JOB_PRIORITY_MIN, JOB_PRIORITY_MAX, &priority, reading->reterr);
    }
    def->priority = (int)priority;
    return err;
}

/* "5m" or {"interval":"5m","after":"finish"} */
static enum err read_every(const struct reading *reading, struct jr object)
{
    static const char *const known[] = {"interval", "after", NULL};
    struct job_def *def = reading->def;
    struct jr every = jr_get(object, "every");
    struct str after = {0};

    if (jr_kind(every) != JR_OBJECT) {
        return reading_duration(reading, object, "every", EVERY_MIN_MS, DURATION_MAX_MS, &def->every_ms);
    }
    enum err err = jr_check_fields(every, known, reading->reterr);
    if (err == ERR_OK && !reading_given(every, "interval")) {
        err = err_in_field(reading->reterr, err_set(reading->reterr, ERR_INVALID, "is missing"), "interval");
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, every, "interval", EVERY_MIN_MS, DURATION_MAX_MS, &def->every_ms);
    }
    if (err == ERR_OK) {
        err = jr_opt_str(every, "after", &after, reading->reterr);
    }
    if (err == ERR_OK && after.ptr != NULL && !str_is(after, "finish")) {
        err = err_in_field(reading->reterr,
                           err_set(reading->reterr, ERR_INVALID, "must be finish, or left out for a fixed rate"),
                           "after");
    }
    def->after_finish = after.ptr != NULL;
    return err_in_field(reading->reterr, err, "every");
}

/* At most one way of saying when. */
static enum err read_when(const struct reading *reading, struct jr object)
{
    static const struct {
        const char *field;
        enum job_when when;
    } ways[] = {
        {"run_at", WHEN_AT},   {"delay", WHEN_DELAY},         {"cron", WHEN_CRON},
        {"every", WHEN_EVERY}, {"depends_on", WHEN_UPSTREAM},
    };
    struct job_def *def = reading->def;
    const char *chosen = NULL;
    enum err err = ERR_OK;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (!reading_given(object, ways[i].field)) {
            continue;
        }
        if (chosen != NULL) {
            err = err_set(reading->reterr, ERR_INVALID, "cannot stand beside %s: a job has one way of being started",
                          chosen);
            return err_in_field(reading->reterr, err, ways[i].field);
        }
        chosen = ways[i].field;
        def->when = ways[i].when;
    }
    if (def->when == WHEN_AT) {
        err = reading_instant(reading, object, "run_at", &def->run_at_ms);
    } else if (def->when == WHEN_DELAY) {
        err = reading_duration(reading, object, "delay", 0, DURATION_MAX_MS, &def->delay_ms);
    } else if (def->when == WHEN_CRON) {
        err = reading_text(reading, object, "cron", CRON_EXPR_BYTES_MAX, &def->cron);
    } else if (def->when == WHEN_EVERY) {
        err = read_every(reading, object);
    }
    return err;
}

static enum err read_dst(const struct reading *reading, struct jr object)
{
    static const char *const known[] = {"gap", "fold", NULL};
    struct jr dst = {0};
    struct str gap = {0};
    struct str fold = {0};
    enum err err = jr_opt_object(object, "dst", &dst, reading->reterr);

    if (err != ERR_OK || dst.node == NULL) {
        return err;
    }
    err = jr_check_fields(dst, known, reading->reterr);
    if (err == ERR_OK) {
        err = jr_opt_str(dst, "gap", &gap, reading->reterr);
    }
    if (err == ERR_OK && gap.ptr != NULL) {
        err = err_in_field(reading->reterr, dst_gap_parse(gap, &reading->def->dst.gap, reading->reterr), "gap");
    }
    if (err == ERR_OK) {
        err = jr_opt_str(dst, "fold", &fold, reading->reterr);
    }
    if (err == ERR_OK && fold.ptr != NULL) {
        err = err_in_field(reading->reterr, dst_fold_parse(fold, &reading->def->dst.fold, reading->reterr), "fold");
    }
    return err_in_field(reading->reterr, err, "dst");
}

static enum err read_bounds(const struct reading *reading, struct jr object)
{
    struct job_def *def = reading->def;
    enum err err = reading_text(reading, object, "timezone", ZONE_NAME_BYTES_MAX, &def->timezone);

    if (err == ERR_OK) {
        err = read_dst(reading, object);
    }
    if (err == ERR_OK) {
        err = reading_instant(reading, object, "starts_at", &def->starts_at_ms);
    }
    if (err == ERR_OK) {
        err = reading_instant(reading, object, "ends_at", &def->ends_at_ms);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "max_fires", 1, INT64_MAX, &def->max_fires, reading->reterr);
    }
    if (err == ERR_OK) {
        err = reading_duration(reading, object, "jitter", 0, DURATION_MAX_MS, &def->jitter_ms);
    }
    if (err == ERR_OK && def->starts_at_ms != SCHEDULE_NO_START && def->ends_at_ms <= def->starts_at_ms) {
        err = err_in_field(reading->reterr, err_set(reading->reterr, ERR_INVALID, "must be later than starts_at"),
                           "ends_at");
    }
    return err;
}

/* The payload's own bytes: 0.1 stays 0.1, and a number of twenty digits keeps them all. */
static enum err read_payload(const struct reading *reading)
{
    struct str payload;

    if (!jraw_member(reading->text, STR("payload"), &payload) || str_is(payload, "null")) {
        return ERR_OK;
    }
    if (payload.len > PAYLOAD_BYTES_MAX) {
        enum err err = err_set(reading->reterr, ERR_TOO_LARGE, "has %zu bytes; at most %d are allowed", payload.len,
                               PAYLOAD_BYTES_MAX);
        return err_in_field(reading->reterr, err, "payload");
    }
    reading->def->payload = reading_keep(reading, payload);
    return ERR_OK;
}

enum err job_def_read(struct str text, struct jr object, struct arena *arena, struct job_def *ret_def,
                      struct error *reterr)
{
    struct job_def def = job_def_default();
    struct reading reading = {.text = text, .arena = arena, .def = &def, .reterr = reterr};
    enum err err = jr_as_object(object, &object, reterr);

    if (err == ERR_OK) {
        err = jr_check_fields(object, known_fields, reterr);
    }
    if (err == ERR_OK) {
        err = read_who(&reading, object);
    }
    if (err == ERR_OK) {
        err = read_when(&reading, object);
    }
    if (err == ERR_OK) {
        err = read_bounds(&reading, object);
    }
    if (err == ERR_OK) {
        err = job_policies_read(&reading, object);
    }
    if (err == ERR_OK) {
        err = job_relations_read(&reading, object);
    }
    if (err == ERR_OK) {
        err = job_target_read(&reading, object);
    }
    if (err == ERR_OK) {
        err = read_payload(&reading);
    }
    if (err == ERR_OK) {
        *ret_def = def;
    }
    return err;
}
