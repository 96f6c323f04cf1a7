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
/* Enough for any look ahead by hand; an answer of that many is under 300 KB. */
#define QUERY_COUNT_MAX 10000

struct query {
    struct str expr;
    struct str zone; /* empty: not given */
    struct str from; /* empty: not given */
    struct str gap;
    struct str fold;
    struct str seed; /* empty: the expression itself */
    int64_t count;
    /* filled in by query_resolve */
    struct expression expression;
    struct schedule schedule;
    int64_t from_ms;
};

struct query query_init(void);

/* Reads the expression and everything around it; now_ms is for a query without from. */
enum err query_resolve(struct query *query, struct zone_cache *zones, int64_t now_ms, struct error *reterr) MUST_CHECK;

#endif
