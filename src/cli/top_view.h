/* top_view: the figures of `belfry top` as lines of text.
 *
 * Pure: answers of the server in, text out.
 *
 * See: top.c, docs/openapi.yaml (Stats, StatsHistory, WorkerList), tests/cli/test_top.py
 */
#ifndef CLI_TOP_VIEW_H
#define CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

struct top_facts {
    struct jr stats;
    struct jr history;
    struct jr workers; /* the list's items */
    int64_t now_ms;
};

/* Appends at most height lines of at most width columns (TERM_WIDE: no limit). */
void top_view_write(const struct top_facts *facts, int width, int height, bool is_coloured, struct buf *out);

#endif
