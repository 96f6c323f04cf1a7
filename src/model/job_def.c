#include "model/job_def.h"

#include <assert.h>

#include "calendar/expression.h"

struct job_def job_def_default(void)
{
    return (struct job_def){
        .tenant = STR("default"),
        .type = STR("default"),
        .pool = STR("default"),
        .priority = JOB_PRIORITY_DEFAULT,
        .when = WHEN_NOW,
        .timezone = STR("UTC"),
        .dst = {.gap = DST_GAP_AFTER, .fold = DST_FOLD_FIRST},
        .starts_at_ms = SCHEDULE_NO_START,
        .ends_at_ms = SCHEDULE_NO_END,
        .max_fires = SCHEDULE_NO_MAX,
        .overlap = OVERLAP_SKIP,
        .misfire = MISFIRE_FIRE_LATEST,
        .misfire_after_ms = JOB_MISFIRE_AFTER_DEFAULT_MS,
        .retry = retry_default(),
        .timeout_ms = JOB_TIMEOUT_DEFAULT_MS,
        .lease_ms = JOB_LEASE_DEFAULT_MS,
        .payload = STR("{}"),
    };
}

/* Where zones come from, and with which rules. */
struct zone_source {
    struct zone_cache *zones;
    uint64_t rules_hash;
};

/* The zone called name; the machine's own is no answer, since a job may run on any. */
static enum err find_zone(struct str name, struct zone_source source, const struct zone **ret_zone,
                          struct error *reterr)
{
    if (str_is(name, "localtime")) {
        return err_set(reterr, ERR_UNKNOWN_ZONE, "localtime is another zone on another machine; name it");
    }
    return zone_cache_get_rules(source.zones, name, source.rules_hash, ret_zone, reterr);
}

/* The expression may name its zone; a timezone beside it that says something else is a mistake. */
static enum err schedule_zone(const struct job_def *def, const struct expression *expression, struct zone_source source,
                              struct schedule *schedule, struct error *reterr)
{
    struct str named = str_from(expression->zone);
    bool given = !str_is(def->timezone, "UTC");

    if (str_empty(named)) {
        return ERR_OK;
    }
    enum err err = find_zone(named, source, &schedule->zone, reterr);
    if (err != ERR_OK && reterr != NULL) {
        reterr->position = expression->zone_position;
    }
    if (err == ERR_OK && given && !str_equal(named, def->timezone)) {
        err = err_set_at(reterr, expression->zone_position, ERR_INVALID,
                         "the expression names the zone %.*s, and timezone says %.*s; give one of them",
                         STR_ARGS(named), STR_ARGS(def->timezone));
    }
    return err_in_field(reterr, err, "cron");
}

static enum err schedule_cron(const struct job_def *def, struct zone_source source, int64_t created_ms, struct str seed,
                              struct schedule *schedule, struct error *reterr)
{
    struct expression expression;
    enum err err = expression_parse(def->cron, seed, &expression, reterr);

    if (err != ERR_OK) {
        return err_in_field(reterr, err, "cron");
    }
    if (expression.kind == EXPRESSION_EVERY) {
        schedule->kind = SCHEDULE_EVERY;
        schedule->every_ms = expression.every_ms;
        schedule->first_ms =
            def->starts_at_ms != SCHEDULE_NO_START ? def->starts_at_ms : created_ms + expression.every_ms;
    }
    schedule->cron = expression.cron;
    schedule->dst = def->dst;
    return schedule_zone(def, &expression, source, schedule, reterr);
}

enum err job_def_schedule(const struct job_def *def, struct zone_cache *zones, int64_t created_ms, struct str seed,
                          struct schedule *ret_schedule, struct error *reterr)
{
    return job_def_schedule_by_rules(def, zones, 0, created_ms, seed, ret_schedule, reterr);
}

enum err job_def_schedule_by_rules(const struct job_def *def, struct zone_cache *zones, uint64_t rules_hash,
                                   int64_t created_ms, struct str seed, struct schedule *ret_schedule,
                                   struct error *reterr)
{
    const struct zone_source source = {zones, rules_hash};
    struct schedule schedule = schedule_unbounded(SCHEDULE_ONCE);
    enum err err = err_in_field(reterr, find_zone(def->timezone, source, &schedule.zone, reterr), "timezone");

    assert(def->when != WHEN_UPSTREAM);
    if (err != ERR_OK) {
        return err;
    }
    schedule.starts_at_ms = def->starts_at_ms;
    schedule.ends_at_ms = def->ends_at_ms;
    schedule.max_fires = def->max_fires;
    schedule.jitter_ms = def->jitter_ms;
    if (def->when == WHEN_CRON) {
        schedule.kind = SCHEDULE_CRON;
        err = schedule_cron(def, source, created_ms, seed, &schedule, reterr);
    } else if (def->when == WHEN_EVERY) {
        schedule.kind = SCHEDULE_EVERY;
        schedule.every_ms = def->every_ms;
        schedule.after_finish = def->after_finish;
        schedule.first_ms = def->starts_at_ms != SCHEDULE_NO_START ? def->starts_at_ms : created_ms + def->every_ms;
    } else if (def->when == WHEN_AT) {
        schedule.once_ms = def->run_at_ms;
    } else {
        schedule.once_ms = created_ms + def->delay_ms;
    }
    if (err == ERR_OK) {
        *ret_schedule = schedule;
    }
    return err;
}
