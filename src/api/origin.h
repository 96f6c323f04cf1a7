/* origin: whether a request comes from this machine's own programs or pages, and not from a web page of somebody else.
 *
 * A browser sends what any page asks for, to loopback addresses too. A server that asks for a token is safe from that;
 * one that does not goes by the headers that pages cannot choose: Host (a name of somebody else's that leads here) and
 * Origin (a page of somebody else's).
 *
 * Never: looks at anything but what it is given.
 * See:   api/api.c, docs/operating.md, tests/unit/api/test_origin.c
 */
#ifndef API_ORIGIN_H
#define API_ORIGIN_H

#include <stdbool.h>

#include "base/str.h"

/* Whether a Host header names the loopback: localhost, 127.0.0.0/8 or [::1], with any port or none. */
bool origin_is_loopback(struct str host);

/* Whether an Origin header is that of the pages which this Host serves. */
bool origin_is_own(struct str origin, struct str host);

#endif
