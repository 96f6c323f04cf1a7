/* router: which handler a method and a path mean.
 *
 *     static const struct net_route table[] = {
 *         {NET_METHOD_GET, "/v1/jobs", JOBS_LIST},
 *         {NET_METHOD_GET, "/v1/jobs/{id}/triggers", JOB_TRIGGERS},
 *     };
 *
 * Pure: a table in, an entry out. What an entry means is the caller's number or pointer.
 *
 * Owns:  nothing; the table is borrowed, and so are the segments that a match points to.
 * Rules: (1) a pattern is a path of segments; {name} matches any one segment that is not empty, {name...} at the end
 *            matches the rest of the path, whatever it is. Everything else matches itself.
 *        (2) where several patterns match a path, the first of the table wins whose method fits: put "/v1/jobs/batch"
 *            before "/v1/jobs/{id}".
 *        (3) HEAD finds the entries of GET, unless it has one of its own before them.
 *        (4) a path that some pattern matches, with no fitting method, is NET_ROUTE_NO_METHOD (405), and OPTIONS finds
 *            that too: allowed names the methods for Allow. A path that none matches is NET_ROUTE_NO_PATH (404).
 * See:   tests/unit/net/test_router.c
 */
#ifndef NET_ROUTER_H
#define NET_ROUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Segments of a path, and placeholders of a pattern. */
#define NET_SEGMENTS_MAX 16
#define NET_ROUTE_PARAMS_MAX 4
/* All methods with ", " between them, and NUL. */
#define NET_ALLOW_TEXT_MAX 64

enum net_method {
    NET_METHOD_GET,
    NET_METHOD_HEAD,
    NET_METHOD_POST,
    NET_METHOD_PUT,
    NET_METHOD_PATCH,
    NET_METHOD_DELETE,
    NET_METHOD_OPTIONS,
    NET_METHOD_OTHER, /* any other word; no route has it */
};

/* "GET"; "" for NET_METHOD_OTHER. Methods are case-sensitive. */
const char *net_method_name(enum net_method method);
enum net_method net_method_from(struct str name);

struct net_route {
    enum net_method method;
    const char *pattern;
    int id;             /* the caller's */
    const void *target; /* the caller's: a function's table, an entry, or NULL */
};

struct net_routes {
    const struct net_route *table;
    size_t count;
};

enum net_route_result { NET_ROUTE_FOUND, NET_ROUTE_NO_METHOD, NET_ROUTE_NO_PATH };

struct net_match {
    const struct net_route *route; /* NET_ROUTE_FOUND only */
    size_t param_count;
    struct str params[NET_ROUTE_PARAMS_MAX]; /* in the order of the pattern, decoded */
    size_t rest_from;                        /* the first segment that {name...} took; valid where the pattern has it */
    uint32_t allowed;                        /* NET_ROUTE_NO_METHOD only: bit 1 << method for each that would fit */
};

/* segments are those of the path, decoded: "/a/b" is "a", "b"; "/" is "". */
enum net_route_result net_route_find(const struct net_routes *routes, enum net_method method,
                                     const struct str *segments, size_t segment_count, struct net_match *ret_match);

/* The value of Allow: "GET, HEAD, POST". Returns text. */
const char *net_allow_text(uint32_t allowed, char text[static NET_ALLOW_TEXT_MAX]);

/* The table's patterns are well-formed; for a test or an assertion at the start. */
bool net_routes_valid(const struct net_routes *routes);

#endif
