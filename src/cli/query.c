#include "cli/query.h"

struct query query_init(int64_t now_ms)
{
    return (struct query){.from_ms = now_ms, .count = QUERY_COUNT_DEFAULT};
}

/* The zone comes from TZID= or from beside the expression; both must agree. UTC beside it is the default, written out.
 */
static enum err resolve_zone(struct query *query, struct zone_cache *zones, struct error *reterr)
{
    struct str named = str_from(query->expression.zone);
    struct str zone = str_empty(named) ? query->zone : named;

    bool given = query->zone.ptr != NULL && !str_is(query->zone, "UTC");

    if (!str_empty(named) && given && !str_equal(named, query->zone)) {
        return err_set_at(reterr, query->expression.zone_position, ERR_INVALID,
                          "the expression names the zone %.*s, and %.*s is given beside it; give one of them",
                          STR_ARGS(named), STR_ARGS(query->zone));
    }
    enum err err = zone_cache_get(zones, zone.ptr == NULL ? STR("UTC") : zone, &query->schedule.zone, reterr);
    if (err != ERR_OK && reterr != NULL) {
        reterr->position = query->expression.zone_position;
    }
    return err;
}

enum err query_resolve(struct query *query, struct zone_cache *zones, struct error *reterr)
{
    struct str seed = query->seed.ptr == NULL ? query->expr : query->seed;
    struct schedule *schedule = &query->schedule;
    enum err err = expression_parse(query->expr, seed, &query->expression, reterr);

    if (err != ERR_OK) {
        return err;
    }
    *schedule = schedule_unbounded(query->expression.kind == EXPRESSION_CRON ? SCHEDULE_CRON : SCHEDULE_EVERY);
    schedule->cron = query->expression.cron;
    schedule->dst = query->dst;
    schedule->every_ms = query->expression.every_ms;
    schedule->first_ms = query->from_ms + schedule->every_ms; /* as if it were created at from */
    return resolve_zone(query, zones, reterr);
}
