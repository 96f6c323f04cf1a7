/* query: what `belfry next` asks, whether from arguments or from a line of JSON, turned into a schedule.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "base/err.h"
#include "base/str.h"
#include "calendar/expression.h"
#include "calendar/zone_cache.h"
#include "model/schedule.h"

#define QUERY_COUNT_DEFAULT 10

struct query {
    struct str expr;
    struct str zone; /* ptr NULL: not given */
    struct str seed; /* ptr NULL: not given, the expression itself is the seed */
    struct dst dst;
    int64_t from_ms;
    int64_t count;
    /* filled in by query_resolve */
    struct expression expression;
    struct schedule schedule;
};

/* A query that asks for nothing yet, with every default. */
struct query query_init(int64_t now_ms);

/* Reads the expression, finds its zone and makes the schedule. */
enum err query_resolve(struct query *query, struct zone_cache *zones, struct error *reterr) MUST_CHECK;

#endif
