/* site: the dashboard, whose files are in the program (web/, tools/embed_web.py).
 *
 * They are there packed, and are sent so; a client that cannot unpack them gets them unpacked.
 *
 * Rules: (1) only GET and HEAD of paths that no call of the contract has. Nothing below /v1 is ever the site's.
 *        (2) a path without a file is one of the dashboard's own pages where somebody wants HTML to read (a browser);
 *            everybody else hears that there is no such path.
 *        (3) no token is asked for: the files tell nothing of anybody's jobs.
 *        (4) files whose names change with their content (/assets/) are kept for ever by who has them; the others are
 *            asked for again each time, by their ETag.
 * See:   docs/decisions/0009-dashboard.md, tests/api/test_site.py, tests/browser/
 */
#ifndef API_SITE_H
#define API_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "net/net.h"

struct site_file {
    const char *path; /* "/index.html" */
    const char *content_type;
    const char *etag; /* with its quotes */
    const unsigned char *packed;
    size_t packed_bytes;
    size_t bytes; /* unpacked */
};

/* Written by tools/embed_web.py. */
extern const struct site_file site_files[];
extern const size_t site_file_count;

/* Whether the request is for the site, given that no call of the contract has its path. */
bool site_has(const struct net_request *net);

/* Answers a request of which site_has is true. */
void site_answer(struct net_request *net);

#endif
