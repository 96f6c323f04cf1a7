#include "net/router.h"

#include <assert.h>
#include <stdio.h>

static const char *const method_names[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", NULL};

const char *net_method_name(enum net_method method)
{
    return method < NET_METHOD_OTHER ? method_names[method] : "";
}

enum net_method net_method_from(struct str name)
{
    int index = str_index_in(name, method_names);

    return index < 0 ? NET_METHOD_OTHER : (enum net_method)index;
}

static bool is_placeholder(struct str piece)
{
    return piece.len > 2 && piece.ptr[0] == '{' && piece.ptr[piece.len - 1] == '}';
}

static bool is_rest(struct str piece)
{
    return is_placeholder(piece) && str_ends_with(piece, STR("...}"));
}

/* Rule 1. Fills what the pattern's placeholders took; leaves route and allowed alone. */
static bool pattern_matches(const char *pattern, const struct str *segments, size_t count, struct net_match *match)
{
    struct str rest = str_skip(str_from(pattern), 1);
    struct str piece;
    bool done = false;
    size_t at = 0;

    match->param_count = 0;
    while (str_split(&rest, '/', &done, &piece)) {
        if (is_rest(piece)) {
            match->rest_from = at;
            return at < count;
        }
        if (at == count) {
            return false;
        }
        if (is_placeholder(piece)) {
            if (str_empty(segments[at])) {
                return false;
            }
            match->params[match->param_count++] = segments[at];
        } else if (!str_equal(piece, segments[at])) {
            return false;
        }
        at++;
    }
    return at == count;
}

static bool method_fits(enum net_method of_route, enum net_method method)
{
    return of_route == method || (of_route == NET_METHOD_GET && method == NET_METHOD_HEAD); /* rule 3 */
}

static uint32_t methods_of(const struct net_route *route)
{
    uint32_t bits = 1U << route->method;

    return route->method == NET_METHOD_GET ? bits | 1U << NET_METHOD_HEAD : bits;
}

enum net_route_result net_route_find(const struct net_routes *routes, enum net_method method,
                                     const struct str *segments, size_t segment_count, struct net_match *ret_match)
{
    uint32_t allowed = 0;

    for (size_t i = 0; i < routes->count; i++) {
        const struct net_route *route = &routes->table[i];
        struct net_match match = {.route = route};

        if (!pattern_matches(route->pattern, segments, segment_count, &match)) {
            continue;
        }
        if (method_fits(route->method, method)) {
            *ret_match = match;
            return NET_ROUTE_FOUND;
        }
        allowed |= methods_of(route);
    }
    *ret_match = (struct net_match){.allowed = allowed};
    return allowed != 0 ? NET_ROUTE_NO_METHOD : NET_ROUTE_NO_PATH;
}

const char *net_allow_text(uint32_t allowed, char text[static NET_ALLOW_TEXT_MAX])
{
    size_t len = 0;

    text[0] = '\0';
    for (int method = 0; method_names[method] != NULL; method++) {
        if ((allowed & 1U << method) != 0) {
            int more =
                snprintf(text + len, NET_ALLOW_TEXT_MAX - len, "%s%s", len > 0 ? ", " : "", method_names[method]);

            len += (size_t)more;
            assert(more > 0 && len < NET_ALLOW_TEXT_MAX);
        }
    }
    return text;
}

static bool pattern_valid(const char *pattern)
{
    struct str rest = str_from(pattern);
    struct str piece;
    bool done = false;
    bool ended = false;
    size_t pieces = 0;
    size_t params = 0;

    if (pattern[0] != '/') {
        return false;
    }
    rest = str_skip(rest, 1);
    while (str_split(&rest, '/', &done, &piece)) {
        bool has_brace = str_find_char(piece, '{') < piece.len || str_find_char(piece, '}') < piece.len;

        if (ended || (has_brace && !is_placeholder(piece))) {
            return false; /* {name...} stands at the end; a{b} is no placeholder */
        }
        ended = is_rest(piece);
        params += is_placeholder(piece) && !ended;
        pieces++;
    }
    return pieces <= NET_SEGMENTS_MAX && params <= NET_ROUTE_PARAMS_MAX;
}

bool net_routes_valid(const struct net_routes *routes)
{
    for (size_t i = 0; i < routes->count; i++) {
        if (routes->table[i].method >= NET_METHOD_OTHER || !pattern_valid(routes->table[i].pattern)) {
            return false;
        }
    }
    return true;
}
