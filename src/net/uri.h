/* uri: path and query of a request line, taken apart.
 *
 * Pure. What does not decode is refused, never guessed at: two readers that disagree about a path are how guards are
 * passed by.
 *
 * Owns:  nothing; decoded text is put into the arena, and the rest points into the target.
 * Rules: (1) a target begins with a slash (origin form); "*" and "http://…" are refused. Bytes below 0x21, 0x7f and
 *            above, a # and a \ are refused wherever they stand.
 *        (2) an escape is % and two hexadecimal digits; %00 is refused; what comes out is well-formed UTF-8 in each
 *            segment, name and value by itself.
 *        (3) segments are cut at slashes before they are decoded: %2F is a character of its segment. "." and ".."
 *            as whole segments are refused, escaped or not: nothing here has a use for them.
 *        (4) empty segments stay: "/a//b/" is "a", "", "b", "".
 *        (5) in a query + is a blank, in a path it is a plus. Empty pieces of a query ("a&&b") are left out.
 * See:   tests/unit/net/test_uri.c
 */
#ifndef NET_URI_H
#define NET_URI_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "net/router.h"

struct net_param {
    struct str name;
    struct str value;
};

struct net_uri {
    struct str path;  /* decoded; segments with slashes between them and before the first */
    struct str query; /* raw, without the question mark */
    size_t segment_count;
    struct str segments[NET_SEGMENTS_MAX];
    size_t param_count;
    struct net_param *params; /* at most NET_PARAMS_MAX */
};

/* target holds as long as the result is used, and so does the arena. ERR_INVALID says what is wrong with it. */
MUST_CHECK enum err net_uri_read(struct str target, struct arena *arena, struct net_uri *ret_uri, struct error *reterr);

/* Decodes escapes (and + to a blank where plus_is_blank) into the arena; text without any is returned as it is. */
MUST_CHECK enum err net_percent_decode(struct str text, bool plus_is_blank, struct arena *arena, struct str *ret_text,
                                       struct error *reterr);

#endif
