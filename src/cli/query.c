#include "cli/query.h"

#include "calendar/instant.h"

struct query query_init(void)
{
    return (struct query){.gap = STR("after"), .fold = STR("first"), .count = QUERY_COUNT_DEFAULT};
}

/* The zone comes from TZID= or from beside the expression; both must agree. */
static enum err resolve_zone(struct query *query, struct zone_cache *zones, struct error *reterr)
{
    struct str named = str_from(query->expression.zone);
    struct str zone = str_empty(named) ? query->zone : named;

    if (!str_empty(named) && !str_empty(query->zone) && !str_equal(named, query->zone)) {
        return err_set_at(reterr, query->expression.zone_position, ERR_INVALID,
                          "the expression names the zone %.*s, and %.*s is given beside it; give one of them",
                          STR_ARGS(named), STR_ARGS(query->zone));
    }
    enum err err = zone_cache_get(zones, str_empty(zone) ? STR("UTC") : zone, &query->schedule.zone, reterr);
    if (err != ERR_OK && reterr != NULL) {
        reterr->position = query->expression.zone_position;
    }
    return err;
}

static enum err resolve_schedule(struct query *query, struct zone_cache *zones, struct error *reterr)
{
    bool is_cron = query->expression.kind == EXPRESSION_CRON;
    struct schedule *schedule = &query->schedule;

    *schedule = schedule_unbounded(is_cron ? SCHEDULE_CRON : SCHEDULE_EVERY);
    enum err err = resolve_zone(query, zones, reterr);
    if (err == ERR_OK) {
        err = dst_gap_parse(query->gap, &schedule->dst.gap, reterr);
    }
    if (err == ERR_OK) {
        err = dst_fold_parse(query->fold, &schedule->dst.fold, reterr);
    }
    schedule->cron = query->expression.cron;
    schedule->every_ms = query->expression.every_ms;
    schedule->first_ms = query->from_ms + schedule->every_ms; /* as if it were created at from */
    return err;
}

enum err query_resolve(struct query *query, struct zone_cache *zones, int64_t now_ms, struct error *reterr)
{
    struct str seed = str_empty(query->seed) ? query->expr : query->seed;
    enum err err = expression_parse(query->expr, seed, &query->expression, reterr);

    query->from_ms = now_ms;
    if (err == ERR_OK && !str_empty(query->from)) {
        err = instant_parse(query->from, &query->from_ms, reterr);
        if (err != ERR_OK) {
            reterr->position = 0; /* it counts in from, and would be taken for one in the expression */
            return err_in_field(reterr, "from");
        }
    }
    return err == ERR_OK ? resolve_schedule(query, zones, reterr) : err;
}
