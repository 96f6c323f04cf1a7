/* url: path and query of a request, put together with everything escaped that must be.
 *
 * Owns:  its text.
 * Rules: (1) a segment or value may hold any bytes; they arrive as they were given.
 *        (2) path parts come first, then queries.
 * See:   client.h, tests/unit/client/test_url.c
 */
#ifndef CLIENT_URL_H
#define CLIENT_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Longer than any honest request line: a name of 200 bytes, escaped, and a handful of filters. */
#define URL_BYTES_MAX (16 * 1024)

struct url {
    struct buf text;
    bool has_query;
};

void url_init(struct url *url);

/* Also right for SCOPE(url_done). */
void url_done(struct url *url);

/* Appends text that is a path already, such as "/v1/jobs". */
void url_path(struct url *url, const char *path);

/* Appends a slash and one escaped segment. */
void url_segment(struct url *url, struct str segment);

/* Appends name=value, escaped; a value whose ptr is NULL is left out. */
void url_query(struct url *url, const char *name, struct str value);
void url_query_int(struct url *url, const char *name, int64_t value);

struct str url_str(const struct url *url);

#endif
